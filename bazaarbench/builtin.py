"""What ships with BazaarBench, registered through the hooks that third parties use.

Imports stand inside the hooks: looking up one name must not cost the import of everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bazaarbench import hookimpl

if TYPE_CHECKING:
    from bazaarbench.agents.policy import PolicyFactory
    from bazaarbench.catalogue import Catalogue
    from bazaarbench.conditions import Condition
    from bazaarbench.failures.base import FailureType
    from bazaarbench.judge.sections import RubricSection
    from bazaarbench.market.checks import Check
    from bazaarbench.market.rules import Rules
    from bazaarbench.model_settings import ModelSetting
    from bazaarbench.report.extending import ReportSection


@hookimpl
def register_failure_types(register: Callable[[FailureType], None]) -> None:
    """F1–F6."""
    from bazaarbench.failures.builtin import FAILURE_TYPES

    for failure_type in FAILURE_TYPES:
        register(failure_type)


@hookimpl
def register_checks(register: Callable[[Check], None]) -> None:
    """The two checks that the study's platform had."""
    from bazaarbench.market.checks import BUILT_IN_CHECKS

    for check in BUILT_IN_CHECKS:
        register(check)


@hookimpl
def register_presets(register: Callable[[str, Rules], None]) -> None:
    """``paper-base``, ``paper``, ``truthful`` and ``informed``."""
    from bazaarbench.market.rules import PRESETS

    for name, rules in PRESETS.items():
        register(name, rules)


@hookimpl
def register_policies(register: Callable[[str, PolicyFactory], None]) -> None:
    """The scripted policies."""
    from bazaarbench.agents.policies import POLICIES

    for name, factory in POLICIES.items():
        register(name, factory)


@hookimpl
def register_model_settings(register: Callable[[ModelSetting], None]) -> None:
    """The models of the study."""
    from bazaarbench.model_settings import shipped

    for setting in shipped():
        register(setting)


@hookimpl
def register_conditions(register: Callable[[Condition], None]) -> None:
    """L0–L3 and the one-sided deadlines."""
    from bazaarbench.conditions import CONDITIONS

    for condition in CONDITIONS:
        register(condition)


@hookimpl
def register_catalogues(register: Callable[[str, Callable[[], Catalogue]], None]) -> None:
    """The synthetic catalogue ``shipped``, and the eBay sample, mended and as the study took it."""
    from bazaarbench.catalogue import FromFile, load_shipped
    from bazaarbench.catalogue.promptcloud import read_clean, read_strict

    register("shipped", load_shipped)
    for name, read in (("promptcloud", read_clean), ("promptcloud-strict", read_strict)):
        register(name, FromFile(name, read))


@hookimpl
def register_rubric_sections(register: Callable[[RubricSection], None]) -> None:
    """What the judge is told about each type that it is asked about."""
    from bazaarbench.judge.assembling import shipped, shipped_sections
    from bazaarbench.judge.sections import RubricSection

    for key in sorted(shipped_sections()):
        register(RubricSection(key, key, shipped(key).body))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """The failures of plugins' types."""
    from bazaarbench.report.added_types import SECTIONS

    for section in SECTIONS:
        register(section)
