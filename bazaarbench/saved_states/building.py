"""Building states: founding a world and playing its scripted days (SPEC §3.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.catalogue import Catalogue, open_catalogue
from bazaarbench.errors import SettingError, StateError
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from bazaarbench.plugins import Registry
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import shelf
from bazaarbench.saved_states.manifest import MANIFEST_NAME, RECORD_NAME, SavedState, describe
from bazaarbench.simulation import Seat, Simulation, TickReport
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.versions import BENCHMARK_VERSION
from bazaarbench.worlds import SHIPPED, WorldSpec, found_market

T = TypeVar("T")

#: Called after every tick of a build with (ticks done, ticks in all).
Progress = Callable[[int, int], None]
#: What a writer of records leaves beside them.
WRITERS_TRACES = (".lock", ".writer")


def build(name: str, *, force: bool = False, progress: Progress | None = None) -> SavedState:
    """Build a shipped world, or return it when it is built already.

    One that is damaged or of another benchmark version is built again.

    Args:
        name: a key of ``worlds.SHIPPED``.
        force: build it again even when it exists.
        progress: told after every tick.

    Raises:
        StateError: no shipped world has that name.
    """
    if name not in SHIPPED:
        raise StateError(
            f"no shipped world is called {name!r:.100}; there are {', '.join(SHIPPED)}. Give an "
            "option, such as --seed 1, to build a market of your own under that name."
        )
    if not force and (built := _usable(name)):
        return built
    # A waiting process finds the finished state; a killed builder's lock is freed by the system.
    with shelf.locked(shelf.folder_of(name)) as folder:
        if not force and (built := _usable(name)):
            return built
        _build(SHIPPED[name], folder, replace=True, progress=progress)
        return shelf.read_state(folder)


def build_world(spec: WorldSpec, *, progress: Progress | None = None) -> SavedState:
    """Build a state of a world of one's own; its name is the world's.

    Raises:
        StateError: the name is taken or none that a state may have.
        CatalogueError: the world's catalogue cannot be read.
    """
    shelf.check_new_name(spec.name)
    with shelf.locked(shelf.folder_of(spec.name)) as folder:
        _build(spec, folder, replace=False, progress=progress)
        return shelf.read_state(folder)


def _usable(name: str) -> SavedState | None:
    try:
        state = shelf.find(name)
    except StateError:
        return None
    if state is None or state.manifest.benchmark_version != BENCHMARK_VERSION:
        return None
    return state


def _build(spec: WorldSpec, folder: Path, *, replace: bool, progress: Progress | None) -> None:
    with shelf.appearing(folder, called=spec.name, replace=replace) as workshop:
        record = workshop / RECORD_NAME
        grow(spec, record, progress=progress)
        for trace in WRITERS_TRACES:
            record.with_name(RECORD_NAME + trace).unlink(missing_ok=True)
        write_manifest(workshop, spec.name)


def write_manifest(workshop: Path, name: str, *, digest: str | None = None) -> None:
    """Describe the record in a workshop there (see ``manifest.describe``)."""
    manifest = describe(name, workshop / RECORD_NAME, digest=digest)
    text = manifest.model_dump_json(indent=1)
    (workshop / MANIFEST_NAME).write_text(text, encoding="utf-8")


def opened_catalogue(spec: WorldSpec, registry: Registry) -> tuple[Catalogue, dict[str, str]]:
    """The catalogue of a world, and what its record says about it.

    Raises:
        CatalogueError: it cannot be read.
    """
    catalogue = open_catalogue(spec.catalogue, registry.catalogues)
    return catalogue, {"source": spec.catalogue, "digest": catalogue.digest}


def grow(spec: WorldSpec, path: Path, *, progress: Progress | None = None) -> None:
    """Found the market of ``spec`` at ``path`` and play its scripted days into the record.

    Raises:
        SettingError: no preset or policy has the name that the world gives.
        CatalogueError: the world's catalogue cannot be read.
        RecordError: something stands at ``path``, or it cannot be written.
    """
    registry = load_plugins()
    rules = check_registered(spec, registry)
    catalogue, source = opened_catalogue(spec, registry)
    market = found_market(spec, rules, catalogue)
    info = RecordInfo(
        market_name=spec.name,
        seed=spec.seed,
        rules=rules,
        start_tick=0,
        end_tick=spec.days * TICKS_PER_DAY,
        condition="L0",
        models={"scripted": spec.policy},
        plugins=tuple(sorted(one.recorded for one in registry.plugins)),
        extra={"world": spec.model_dump(mode="json"), "catalogue": source},
    )
    record = Record.create(path, market, info)
    try:
        simulation = scripted_simulation(record, market, registry, spec.policy, seed=spec.seed)

        async def on_tick(report: TickReport) -> None:
            if progress is not None:
                progress(report.tick, info.end_tick)

        async def play() -> None:
            await simulation.play(info.end_tick, on_tick)

        anyio.run(play)
    finally:
        record.close()


def check_registered(spec: WorldSpec, registry: Registry | None = None) -> Rules:
    """The rules of a world, whose policy has been found too.

    Raises:
        SettingError: no preset or policy has the name that the world gives.
    """
    registry = registry or load_plugins()
    _registered(registry.policies, spec.policy, "policy")
    return _registered(registry.presets, spec.rules, "preset of rules")


def _registered(things: Mapping[str, T], name: str, what: str) -> T:
    if name not in things:
        raise SettingError(f"no {what} is called {name!r:.100}; there are {', '.join(things)}.")
    return things[name]


def scripted_simulation(
    record: Record,
    market: Market,
    registry: Registry,
    policy: str,
    *,
    seed: int,
    store_observations: bool = True,
) -> Simulation:
    """A simulation in which one scripted policy decides for every agent."""
    script: Any = registry.policies[policy]()
    seats = {
        agent_id: Seat("scripted", script, persona_text_of(agent), seed)
        for agent_id, agent in market.agents.items()
    }
    return Simulation(
        record,
        market,
        Platform(market, registry.checks_under(market.rules)),
        seats,
        world=world_text(),
        truth=TruthLog(truth_path(record.path), last_tick=market.tick - 1),
        store_observations=store_observations,
    )
