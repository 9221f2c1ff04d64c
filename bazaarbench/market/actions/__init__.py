"""The 31 actions, by name: what agents can do on the platform (SPEC §4.1, reference P §3)."""

from __future__ import annotations

from typing import Any

from bazaarbench.market.actions import (
    discovery,
    exchange,
    handover,
    messaging,
    negotiation,
    photos,
    reputation,
    selling,
)
from bazaarbench.market.actions.base import ActionSpec

_FAMILIES = (discovery, selling, messaging, photos, negotiation, exchange, handover, reputation)

ACTIONS: dict[str, ActionSpec[Any]] = {
    spec.name: spec
    for spec in sorted(
        (spec for family in _FAMILIES for spec in family.ACTIONS), key=lambda spec: spec.name
    )
}
