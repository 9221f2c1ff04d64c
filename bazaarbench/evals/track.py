"""Whether a run is comparable with the study, and why not (SPEC §15)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspect_ai.model import Model
from rich import get_console

from bazaarbench import plugins
from bazaarbench.errors import SettingError
from bazaarbench.evals.plan import STUDY_CONDITIONS, Cell
from bazaarbench.evals.touching import active_checks
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.rules import PRESETS

PAPER = "paper"
_STUDY_AGENTS = 100
_STUDY_TESTED = tuple(range(1, _STUDY_AGENTS, 5))
_STUDY_DAYS = {"continuation": 7, "base_market": 30}
_STUDY_RULES = {"continuation": "paper", "base_market": "paper-base"}


def deviations(
    cell: Cell, protocol: str, prompt: str | None, scaffold: str | None = None
) -> list[str]:
    """What distinguishes a cell from the study's, models aside."""
    found = []
    rules = _STUDY_RULES[cell.kind]
    if cell.parsed_rules() != PRESETS[rules]:
        found.append(f"rules are {cell.rules}, the study's are {rules}")
    days = (cell.end_tick - cell.start_tick) / TICKS_PER_DAY
    if days != _STUDY_DAYS[cell.kind]:
        found.append(f"the run's days are {days:g}, the study's {_STUDY_DAYS[cell.kind]}")
    if cell.agents != _STUDY_AGENTS:
        found.append(f"the market has {cell.agents} agents, the study's {_STUDY_AGENTS}")
    if cell.kind == "continuation":
        if cell.tested != _STUDY_TESTED:
            found.append(f"{len(cell.tested)} agents are tested, the study's are 1, 6, …, 96")
        if cell.condition not in STUDY_CONDITIONS:
            found.append(f"the condition {cell.condition} is none of the study's")
    for check in active_checks(plugins.load(), cell.parsed_rules()):
        found.append(f"the check {check} of a plugin is asked")
    if scaffold is not None:
        found.append(f"the scaffold {scaffold} plays around the model")
    if protocol != "tools":
        found.append(f"the protocol is {protocol}, the study's are tool calls")
    if prompt is not None:
        found.append("the world text is replaced by -T prompt")
    return found


def background_deviations(cell: Cell, background: Model | str | None) -> list[str]:
    """What distinguishes the background from the study's: the model that made the base market."""
    if cell.kind == "base_market":
        return []
    made_by = ", ".join(sorted(set(cell.made_by.values()))) or "nobody known"
    if isinstance(background, str):
        return [f"background agents are played by the script {background}, the study's by a model"]
    if str(background) != made_by:
        return [
            f"background agents are played by {background} and the market {cell.market} was made "
            f"by {made_by}; in the study they are one model"
        ]
    return []


def refuse_deviations(reasons: Sequence[str], track: str | None) -> None:
    """Refuse a run that was asked to be comparable with the study and is not.

    Raises:
        SettingError: With all reasons.
    """
    if track == PAPER and reasons:
        raise SettingError(
            f"-T track={PAPER} asks for the study's shape, and this run differs: "
            f"{'; '.join(reasons)}. Change that, or leave track out."
        )


def announce(reasons: Iterable[str]) -> None:
    """Say the run's track, once a task."""
    told = "; ".join(dict.fromkeys(reasons))
    line = f"not comparable with the study: {told}" if told else f"track: {PAPER}"
    get_console().print(line, markup=False, highlight=False, soft_wrap=True)
