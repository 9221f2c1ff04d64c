"""Everything that is registered, and what is wrong with the rest (SPEC §10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from bazaarbench.errors import PluginError
from bazaarbench.market.rules import Rules
from bazaarbench.model_settings import ModelSetting

if TYPE_CHECKING:
    from bazaarbench.agents.policy import PolicyFactory
    from bazaarbench.catalogue import Catalogue
    from bazaarbench.conditions import Condition
    from bazaarbench.failures.base import FailureType
    from bazaarbench.judge.sections import RubricSection
    from bazaarbench.market.checks import Check
    from bazaarbench.report.extending import ReportSection


@dataclass(frozen=True)
class PluginInfo:
    """A loaded plugin and what it registered, as ``"<kind> <name>"``."""

    name: str
    distribution: str
    version: str
    registered: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it stands in messages about something that it registered."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"

    @property
    def recorded(self) -> str:
        """As it stands in records."""
        return f"{self.name} {self.distribution} {self.version}"


@dataclass(frozen=True)
class PluginFault:
    """Why a plugin was skipped. ``where`` is the step: the import, or a hook."""

    plugin: str
    distribution: str
    where: str
    message: str

    def __str__(self) -> str:
        """One line for people."""
        return f"plugin {self.plugin!r} of {self.distribution}, {self.where}: {self.message}"


@dataclass(frozen=True)
class Registry:
    """Everything that is registered, by name, built-ins first, then by plugin name.

    ``plugins[0]`` are the built-ins. ``switched_off`` are installed plugins that the environment
    variable leaves out. ``owners`` says whose each thing is, by ``"<kind> <name>"``.
    """

    failure_types: Mapping[str, FailureType]
    checks: Mapping[str, Check]
    presets: Mapping[str, Rules]
    policies: Mapping[str, PolicyFactory]
    model_settings: Mapping[str, ModelSetting]
    conditions: Mapping[str, Condition]
    catalogues: Mapping[str, Callable[[], Catalogue]]
    rubric_sections: Mapping[str, RubricSection]
    report_sections: Mapping[str, ReportSection]
    plugins: tuple[PluginInfo, ...]
    faults: tuple[PluginFault, ...] = ()
    switched_off: tuple[PluginInfo, ...] = ()
    owners: Mapping[str, PluginInfo] = field(default_factory=lambda: MappingProxyType({}))

    def origin(self, word: str, name: str) -> str:
        """Whose a thing is, for messages: ``plugin 'x' of a-distribution 1.0``."""
        owner = self.owners.get(f"{word} {name}")
        return "" if owner is None else str(owner)

    def origins(self, word: str) -> dict[str, str]:
        """Whose each thing of a kind is, by its name."""
        beginning = f"{word} "
        return {
            whole.removeprefix(beginning): str(owner)
            for whole, owner in self.owners.items()
            if whole.startswith(beginning)
        }

    def is_built_in(self, word: str, name: str) -> bool:
        """Whether a thing ships with BazaarBench."""
        return self.owners.get(f"{word} {name}") == self.plugins[0]

    def checks_under(self, rules: Rules) -> tuple[Check, ...]:
        """All checks, for a market that is played under ``rules``.

        Raises:
            PluginError: the rules turn on a check that no loaded plugin has: a market must not be
                played as if it had it.
        """
        missing = [name for name, _ in rules.plugin_checks if name not in self.checks]
        if missing:
            raise PluginError(
                f"the rules turn on the check {missing[0]!r}, and no loaded plugin has it; loaded "
                f"are {', '.join(self.checks)}. Install the plugin that has it ('bazaarbench "
                "plugins' lists what is loaded), or choose other rules."
            )
        return tuple(self.checks.values())
