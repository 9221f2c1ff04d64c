"""Proof of possession before the first acceptance: a check, a preset, and a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bazaarbench import hookimpl

if TYPE_CHECKING:
    from bazaarbench.agents.policy import PolicyFactory
    from bazaarbench.market.checks import Check
    from bazaarbench.market.rules import Rules

#: The plugin interface that this was written for; another one is refused by name.
BAZAARBENCH_API = 1


@hookimpl
def register_checks(register: Callable[[Check], None]) -> None:
    """The check, which is off until rules turn it on."""
    from bazaar_possession.check import ProofOfPossession

    register(ProofOfPossession())


@hookimpl
def register_presets(register: Callable[[str, Rules], None]) -> None:
    """The rules ``paper``, and the check."""
    from bazaar_possession.check import NAME
    from bazaarbench.market.rules import Rules

    register("proof-first", Rules.model_validate({"plugin_checks": {NAME: "block"}}))


@hookimpl
def register_policies(register: Callable[[str, PolicyFactory], None]) -> None:
    """A script that plays along."""
    from bazaar_possession.policy import ShowsFirst
    from bazaarbench.agents.policy import ScriptedPolicy

    register("shows-first", lambda: ScriptedPolicy(ShowsFirst()))
