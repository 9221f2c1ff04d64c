"""From settings to what is played: conditions, rules, saved states and tested agents (SPEC §2).

Everything that can be refused is refused here, when Inspect makes the task and nothing runs yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.progress import Progress

from bazaarbench import plugins, saved_states
from bazaarbench.errors import SettingError
from bazaarbench.evals.launch import located
from bazaarbench.evals.refusals import among, explained, with_setting
from bazaarbench.evals.settings import BaseMarketSettings, ContinuationSettings
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_only
from bazaarbench.market.rules import Rules
from bazaarbench.saved_states import SavedState
from bazaarbench.worlds import SHIPPED, WorldSpec

T = TypeVar("T")

#: What ``condition=all`` stands for.
STUDY_CONDITIONS = ("L1", "L2", "L3")
#: One agent of five is tested: 1, 6, 11, …
TESTED_STEP = 5


class Cell(BaseModel):
    """What one sample plays; it travels as the sample's metadata."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["continuation", "base_market"]
    market: str
    condition: str
    rules: str
    #: All switches, so that a changed file or preset cannot change a run that is resumed.
    rule_values: dict[str, Any]
    #: Exclusive; 0 for a base market.
    start_tick: int
    end_tick: int
    tested: tuple[int, ...] = ()
    #: How many agents the market has, and who made it (model or script by role).
    agents: int
    made_by: dict[str, str] = {}
    #: Name or path of the saved state, and its digest.
    state: str | None = None
    state_digest: str | None = None
    #: Configuration of the world that a base market founds.
    world: dict[str, Any] | None = None

    @property
    def sample_id(self) -> str:
        """Stable over runs, so that retries and reports find it."""
        return f"{self.market}-{self.condition}-{self.rules}"

    def parsed_rules(self) -> Rules:
        """The rules of this cell."""
        return Rules.model_validate(self.rule_values)


@dataclass(frozen=True)
class NamedRules:
    """Rules and the name under which they are shown: a preset's, or a file's.

    A file's name stands without its ending, unless a preset has that name.
    """

    name: str
    rules: Rules


def continuation_cells(settings: ContinuationSettings) -> list[Cell]:
    """One cell for each market × rules × condition; a market that ships is built on first use.

    Raises:
        SettingError: An unknown condition, preset, policy or tested agent.
        StateError: An unknown market.
        PluginError: A required plugin cannot be used.
    """
    registry = plugins.load(require=settings.require)
    conditions = _conditions(settings.condition, registry)
    rules = named_rules(settings.rules, registry)
    if settings.background is not None:
        with_setting("-T background", among, settings.background, registry.policies, "policy")
    states = _states(settings.market)
    tested = {state.name: _tested(settings.tested, state) for state in states.values()}
    cells = [
        Cell(
            kind="continuation",
            market=state.name,
            condition=condition,
            rules=one.name,
            rule_values=one.rules.model_dump(mode="json"),
            start_tick=state.manifest.tick,
            end_tick=state.manifest.tick + settings.ticks,
            tested=tested[state.name],
            agents=state.manifest.agents,
            made_by=state.manifest.models,
            state=asked,
            state_digest=state.manifest.digest,
        )
        for (asked, state), one, condition in product(states.items(), rules, conditions)
    ]
    _refuse_same_ids(cells)
    return cells


def base_market_cells(settings: BaseMarketSettings) -> list[Cell]:
    """One cell for each set of rules.

    Raises:
        SettingError: An unknown world or preset.
        PluginError: A required plugin cannot be used.
    """
    registry = plugins.load(require=settings.require)
    with_setting("-T world", among, settings.world, SHIPPED, "world")
    world = _world(settings)
    return [
        Cell(
            kind="base_market",
            market=world.name,
            condition="L0",
            rules=one.name,
            rule_values=one.rules.model_dump(mode="json"),
            start_tick=0,
            end_tick=settings.ticks,
            agents=world.agents,
            world=world.model_dump(mode="json"),
        )
        for one in named_rules(settings.rules, registry)
    ]


def named_rules(names: Sequence[str], registry: plugins.Registry) -> list[NamedRules]:
    """The rules of presets and YAML files.

    A file holds switches by name; ``preset`` names the rules that the others are taken from
    (default ``paper``).

    Raises:
        SettingError: An unknown preset, switch or value, a file that is none, or one name twice.
    """
    found = [_rules_of(name, registry) for name in names]
    _refuse_repeats("rules", [one.name for one in found])
    return found


def _rules_of(name: str, registry: plugins.Registry) -> NamedRules:
    if not name.endswith((".yaml", ".yml")):
        with_setting("-T rules", among, name, registry.presets, "preset")
        return NamedRules(name, registry.presets[name])
    path = Path(located(name))
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        # YAML's own faults, and those of the dates, numbers and nesting that Python refuses.
        raise SettingError(f"-T rules={name:.300}: the file cannot be read ({error}).") from error
    if not isinstance(content, dict):
        raise SettingError(f"-T rules={name}: the file must hold switches, as 'name: value' lines.")
    preset = str(content.pop("preset", "paper"))
    with_setting(f"-T rules={name}: preset", among, preset, registry.presets, "preset")
    switches = registry.presets[preset].model_dump()
    unknown = sorted(str(key) for key in content.keys() - switches.keys())
    if unknown:
        with_setting(f"-T rules={name}", among, unknown[0], switches, "switch")
    try:
        # YAML reads a bare on or off as a truth value.
        values = {k: {True: "on", False: "off"}.get(v, v) for k, v in content.items()}
        rules = Rules.model_validate({**switches, **values})
    except (ValidationError, TypeError) as error:
        told = explained(error, "") if isinstance(error, ValidationError) else str(error)
        raise SettingError(f"-T rules={name}: {told}") from error
    # A file with the name of a preset is shown with its ending: it may hold other switches.
    return NamedRules(path.name if path.stem in registry.presets else path.stem, rules)


def _conditions(names: Sequence[str], registry: plugins.Registry) -> list[str]:
    known = [name for name, one in registry.conditions.items() if not one.base]
    chosen: list[str] = []
    for name in names:
        if name == "all":
            chosen.extend(STUDY_CONDITIONS)
        else:
            chosen.append(with_setting("-T condition", among, name, [*known, "all"], "condition"))
    _refuse_repeats("condition", chosen)
    return chosen


def _states(names: Sequence[str]) -> dict[str, SavedState]:
    known = saved_states.known()
    asked = known if "all" in names else [n if n in known else located(n) for n in names]
    _refuse_repeats("market", asked)
    for name in asked:
        saved_states.check_name(name)
    states = {name: _resolved(name) for name in asked}
    _refuse_repeats("market", [state.name for state in states.values()])
    return states


def _resolved(name: str) -> SavedState:
    """The state, built with a progress bar when it must be.

    Inspect makes tasks inside its event loop and a build runs one of its own, hence the thread.
    """
    with (
        Progress(transient=True) as bar,
        ThreadPoolExecutor(1) as pool,
    ):
        task = bar.add_task(f"building the market {name}", visible=False)

        def show(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of, visible=True)

        return pool.submit(saved_states.resolve, name, progress=show).result()


def _tested(ids: Sequence[int] | None, state: SavedState) -> tuple[int, ...]:
    # Imported markets hold bots that never act.
    query = "SELECT agent_id FROM agents WHERE activity_permille > 0 ORDER BY 1"
    with closing(read_only(state.path)) as connection, reading(state.path):
        there = [row[0] for row in connection.execute(query)]
    if ids is None:
        return tuple(agent_id for agent_id in there if agent_id % TESTED_STEP == 1)
    missing = sorted(set(ids) - set(there))
    if missing:
        raise SettingError(
            f"-T tested: the market {state.name} has no agent {', '.join(map(str, missing))}; "
            f"its agents are {there[0]} to {there[-1]}."
        )
    return tuple(sorted(ids))


def _world(settings: BaseMarketSettings) -> WorldSpec:
    changes: dict[str, Any] = {"days": settings.days}
    if settings.seed is not None:
        changes["seed"] = settings.seed
    if settings.agents is not None:
        changes["agents"] = settings.agents
    try:
        return WorldSpec.model_validate({**SHIPPED[settings.world].model_dump(), **changes})
    except ValidationError as error:
        raise SettingError(explained(error, "-T ")) from error


def _refuse_same_ids(cells: Iterable[Cell]) -> None:
    seen: dict[str, Cell] = {}
    for cell in cells:
        other = seen.setdefault(cell.sample_id, cell)
        if other is not cell:
            told = " and ".join(
                f"market={one.market} condition={one.condition} rules={one.rules}"
                for one in (other, cell)
            )
            raise SettingError(
                f"-T market, condition, rules: {told} would both be the sample {cell.sample_id!r}. "
                "Rename the rules file or the market, or play them in two runs."
            )


def _refuse_repeats(setting: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SettingError(f"-T {setting}: {name!r} stands there twice; give each once.")
        seen.add(name)
