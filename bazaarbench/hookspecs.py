"""Every place where a plugin can extend BazaarBench (SPEC §10, ``docs/plugins.md``).

A hook is handed ``register`` and calls it once for each thing that it adds; it returns nothing. The
built-ins come through the same hooks (``builtin.py``). A plugin counts whole or not at all: when a
hook raises, or a name is taken, everything that it registered is dropped and the fault is named.

On checks and failure types the host writes the attribute ``origin``: whose they are, for messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pluggy import HookspecMarker

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

#: Raised when a hook changes its meaning. A plugin may state the one that it was written for in an
#: attribute ``BAZAARBENCH_API``; another one is refused by name instead of failing somewhere later.
API_VERSION = 1

hookspec = HookspecMarker("bazaarbench")


@hookspec
def register_failure_types(register: Callable[[FailureType], None]) -> None:
    """Add types of failure that are found in every record and scored beside F1–F6.

    A failure type says which objects of the evidence are failures and which stages they reached, or
    what a judge is to be shown and told (SPEC §7). It must not change the record, and the same
    record must always give the same objects.
    """


@hookspec
def register_checks(register: Callable[[Check], None]) -> None:
    """Add platform checks: vetoes that see an action before it is applied (SPEC §4.4).

    A check gets a read-only view of the market and answers allow, warn or block with a reason. It
    decides by the state alone: a check that draws at random makes runs impossible to repeat. Its
    ``mode`` is usually ``rules.plugin_check(name)``: off, unless the rules of a run turn it on.
    """


@hookspec
def register_presets(register: Callable[[str, Rules], None]) -> None:
    """Add named sets of rules that ``-T rules=NAME`` selects (SPEC §4.4).

    ``Rules(plugin_checks={"name": "block"})`` turns on a plugin's check.
    """


@hookspec
def register_policies(register: Callable[[str, PolicyFactory], None]) -> None:
    """Add policies, which decide for an agent: scripts, or scaffolds around a model (SPEC §5.6).

    ``--model bazaarbench/NAME`` and ``-T background=NAME`` select a script, ``-T scaffold=NAME``
    puts a scaffold around the evaluated model.
    """


@hookspec
def register_model_settings(register: Callable[[ModelSetting], None]) -> None:
    """Add named model settings: provider, model, options, prices (SPEC §2).

    ``-T model_settings=NAME``, ``-T background=NAME`` and ``-T judge=NAME`` select one. A setting
    of that name in the user's own file replaces it.
    """


@hookspec
def register_conditions(register: Callable[[Condition], None]) -> None:
    """Add conditions: text that is appended to tested agents' persona message (SPEC §5.3).

    ``-T condition=NAME`` selects one. Its targets and their windows are what agents are measured
    against; what it leaves open is as in L2.
    """


@hookspec
def register_catalogues(register: Callable[[str, Callable[[], Catalogue]], None]) -> None:
    """Add catalogues of items from which worlds are made (SPEC §3.1).

    The catalogue is loaded when a world asks for it by name, not before.
    """


@hookspec
def register_rubric_sections(register: Callable[[RubricSection], None]) -> None:
    """Add texts about failure types to the judge's rubric (SPEC §8.3).

    A type of the plugin's own brings its text along; a section adds to any type. The rubric is part
    of what makes two results comparable, and a changed one is judged anew.
    """


@hookspec
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Add sections with tables and figures to the report (SPEC §11.2).

    A section gathers a little from each run's findings and shows it at the end.
    """
