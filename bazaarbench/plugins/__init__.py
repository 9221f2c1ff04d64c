"""Which plugins are there, what they register, and what is wrong with them (SPEC §10)."""

from __future__ import annotations

from bazaarbench.plugins.kinds import KINDS, Kind
from bazaarbench.plugins.loading import (
    GROUP,
    SWITCH,
    Candidate,
    forget,
    installed,
    load,
    read,
    switch,
)
from bazaarbench.plugins.registry import PluginFault, PluginInfo, Registry

__all__ = [
    "GROUP",
    "KINDS",
    "SWITCH",
    "Candidate",
    "Kind",
    "PluginFault",
    "PluginInfo",
    "Registry",
    "forget",
    "installed",
    "load",
    "read",
    "switch",
]
