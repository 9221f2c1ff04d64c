"""Which plugins have a hand in a run, and so belong to its track (SPEC §15).

A plugin that is merely installed changes nothing: two results must not fall apart because one of
two people has an unused check lying about.
"""

from __future__ import annotations

from collections.abc import Iterable

from bazaarbench.errors import PluginError
from bazaarbench.evals.provider import PROVIDER
from bazaarbench.market.rules import Rules
from bazaarbench.plugins import Registry


def active_checks(registry: Registry, rules: Rules) -> tuple[str, ...]:
    """The plugins' checks that are asked under some rules, whoever turns them on.

    Raises:
        PluginError: A check cannot say its mode.
    """
    own = [name for name in registry.checks if not registry.is_built_in("check", name)]
    return tuple(name for name in own if _mode(registry, name, rules) != "off")


def _mode(registry: Registry, name: str, rules: Rules) -> object:
    try:
        return registry.checks[name].mode(rules)
    # Third parties' code, which may raise anything or leave the program: name it and stop.
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"check {name!r} of {registry.origin('check', name)} cannot say its mode: it raised "
            f"{type(error).__name__}: {error}. Mend or remove the plugin and run again."
        ) from error


def touching(
    registry: Registry,
    rules: Rules,
    *,
    condition: str,
    policies: Iterable[str | None],
    evaluated: str,
) -> tuple[str, ...]:
    """The plugins that touch a run, as records name them, sorted.

    Args:
        registry: What is loaded.
        rules: The run's rules.
        condition: The run's condition.
        policies: Names of policies in it: the scaffold, the background's script.
        evaluated: The evaluated model, which may be a script behind our provider.
    """
    script = evaluated.removeprefix(f"{PROVIDER}/")
    things = [
        f"condition {condition}",
        *(f"policy {name}" for name in (*policies, script) if name is not None),
        *(f"check {name}" for name in active_checks(registry, rules)),
    ]
    owners = (registry.owners.get(thing) for thing in things)
    return tuple(
        sorted({one.recorded for one in owners if one is not None and one != registry.plugins[0]})
    )
