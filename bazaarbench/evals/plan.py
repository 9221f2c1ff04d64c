"""From settings to what is played: conditions, rules, saved states and tested agents (SPEC §2).

Everything that can be refused is refused here, when Inspect makes the task and nothing runs yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from bazaarbench.catalogue import open_catalogue
from bazaarbench.errors import SettingError
from bazaarbench.evals.launch import located
from bazaarbench.evals.refusals import among, explained, with_setting
from bazaarbench.evals.settings import BaseMarketSettings, ContinuationSettings
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_only
from bazaarbench.market.rules import Rules
from bazaarbench.personas.text_files import TextsFile
from bazaarbench.saved_states import SavedState
from bazaarbench.worlds import SHIPPED, WorldSpec, found_market

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
    #: Configuration of the world that a base market founds, and the digest of its catalogue.
    world: dict[str, Any] | None = None
    catalogue_digest: str | None = None
    #: What the saved state is to be called that a finished base market becomes.
    name: str | None = None

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
        StateError: A name that a saved state cannot have.
        CatalogueError: The catalogue cannot be read.
        PluginError: A required plugin cannot be used.
        PersonaTextsError: The written texts are damaged, or those of another world.
    """
    registry = plugins.load(require=settings.require)
    world = world_of(
        settings.world,
        days=settings.days,
        seed=settings.seed,
        agents=settings.agents,
        units=settings.units,
        quality=settings.quality,
        catalogue=settings.catalogue and located_catalogue(settings.catalogue),
        personas=_texts(settings.personas),
    )
    catalogue = open_catalogue(world.catalogue, registry.catalogues)
    if world.personas is not None:
        # Texts of another world are refused here, and not when the market is founded.
        found_market(world, registry.presets[world.rules], catalogue)
    rules = named_rules(settings.rules, registry)
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
            catalogue_digest=catalogue.digest,
            name=_state_name(settings.name, one, rules),
        )
        for one in rules
    ]


def located_catalogue(source: str) -> str:
    """A registered name as it stands; the path of a file, behind a name or alone, made absolute."""
    name, colon, path = source.partition(":")
    if name in plugins.load().catalogues:
        return f"{name}:{located(path)}" if colon and path else source
    return located(source)


def _state_name(name: str | None, one: NamedRules, rules: Sequence[NamedRules]) -> str | None:
    """What the state of a base market is to be called; each set of rules makes its own."""
    if name is None:
        return None
    whole = name if len(rules) == 1 else f"{name}-{saved_states.name_like(one.name)}"
    return saved_states.check_new_name(whole)


def named_rules(names: Sequence[str], registry: plugins.Registry) -> list[NamedRules]:
    """The rules of presets and YAML files.

    A file holds switches by name; ``preset`` names the rules that the others are taken from
    (default ``paper``).

    Raises:
        SettingError: An unknown preset, switch or value, a file that is none, or one name twice.
    """
    found = [_rules_of(name, registry) for name in names]
    for one in found:
        _refuse_missing_checks(one, registry)
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
    switches = {switch: getattr(registry.presets[preset], switch) for switch in Rules.model_fields}
    unknown = sorted(str(key) for key in content.keys() - switches.keys())
    if unknown:
        with_setting(f"-T rules={name}", among, unknown[0], switches, "switch")
    try:
        rules = Rules.model_validate({**switches, **_in_words(content)})
    except (ValidationError, TypeError) as error:
        told = explained(error, "") if isinstance(error, ValidationError) else str(error)
        raise SettingError(f"-T rules={name}: {told}") from error
    # A file with the name of a preset is shown with its ending: it may hold other switches.
    return NamedRules(path.name if path.stem in registry.presets else path.stem, rules)


def _in_words(content: Mapping[Any, Any]) -> dict[Any, Any]:
    """The values of a YAML file, which reads a bare on or off as a truth value."""
    words = {True: "on", False: "off"}
    return {
        name: _in_words(value) if isinstance(value, Mapping) else words.get(value, value)
        for name, value in content.items()
    }


def _refuse_missing_checks(rules: NamedRules, registry: plugins.Registry) -> None:
    """Rules can only turn on checks that a plugin has; ours have switches of their own."""
    known = [name for name in registry.checks if name not in Rules.model_fields]
    for name, _ in rules.rules.plugin_checks:
        where = f"-T rules={rules.name}: plugin_checks"
        if not known:
            raise SettingError(f"{where}: no loaded plugin has a check, so none can be {name!r}.")
        with_setting(where, among, name, known, "check of a plugin")


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


def world_of(name: str, **changes: Any) -> WorldSpec:
    """The shipped world ``name`` with those of its fields replaced that are not ``None``.

    Raises:
        SettingError: There is no such world, or a value is not allowed.
    """
    with_setting("-T world", among, name, SHIPPED, "world")
    given = {field: value for field, value in changes.items() if value is not None}
    try:
        return WorldSpec.model_validate({**SHIPPED[name].model_dump(), **given})
    except ValidationError as error:
        raise SettingError(explained(error, "-T ")) from error


def _texts(path: str | None) -> TextsFile | None:
    return None if path is None else TextsFile.pin(Path(path))


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
