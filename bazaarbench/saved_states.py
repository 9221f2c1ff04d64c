"""Saved states: a record at a tick with a manifest, kept by name or used from a path (SPEC §3.5).

A state is a folder ``<home>/states/<name>/`` that appears in one rename, so it is whole or absent,
however many processes ask for it at once.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench import paths
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.catalogue import open_catalogue
from bazaarbench.errors import StateError
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.digest import digest
from bazaarbench.market.files import reading
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, read_info, read_only
from bazaarbench.market.state import Market
from bazaarbench.plugins import Registry
from bazaarbench.plugins import load as load_plugins
from bazaarbench.simulation import Seat, Simulation, TickReport
from bazaarbench.slug import slug
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.versions import BENCHMARK_VERSION
from bazaarbench.worlds import SHIPPED, WorldSpec, found_market

RECORD_NAME = "record.db"
MANIFEST_NAME = "manifest.json"
_BUILDING, _RETIRED = ".building", ".retired"
_WORK_SUFFIXES = (_BUILDING, _RETIRED)

#: Called after every tick of a build with (ticks done, ticks in all).
Progress = Callable[[int, int], None]


class Manifest(BaseModel):
    """What a saved state is: enough to know whether two of them are the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    benchmark_version: str
    tick: int
    agents: int
    seed: int
    rules: dict[str, str]
    models: dict[str, str]
    #: SHA-256 over the record's market rows (SPEC §1 "digest").
    digest: str
    world: dict[str, object] | None


@dataclass(frozen=True, slots=True)
class SavedState:
    """A saved state on disk; ``path`` is its record, a single closed file."""

    name: str
    path: Path
    manifest: Manifest


def resolve(market: str, *, progress: Progress | None = None) -> SavedState:
    """The state that ``market`` names: a saved name, a shipped world, or a record's path.

    A shipped world is built on first use.

    Raises:
        StateError: nothing has that name; the message lists what has.
    """
    if market in SHIPPED:
        return build(market, progress=progress)
    folder = paths.states_dir() / slug(market)
    if (folder / MANIFEST_NAME).exists():
        return _read(folder)
    # Unlike the methods of Path, these say no to a text that cannot be a path at all.
    path = paths.expanded(market)
    if os.path.isfile(path / RECORD_NAME):
        path = path / RECORD_NAME
    if os.path.isfile(path):
        return SavedState(path.stem, path, _describe(path.stem, path, None))
    raise StateError(
        f"no market is called {market!r:.300} and no record stands at that path. Known markets: "
        f"{', '.join(known())}. 'bazaarbench market list' shows them; a path must name a record "
        "file (.db)."
    )


def check_name(market: str) -> None:
    """Refuse a market that ``resolve`` could not find, without building anything.

    Raises:
        StateError: as ``resolve``.
    """
    if market not in SHIPPED:
        resolve(market)


def known() -> list[str]:
    """Names of shipped and saved states, sorted; a damaged one goes by its folder."""
    return sorted({*SHIPPED, *(state.name for state in list_states()), *damaged_states()})


def list_states() -> list[SavedState]:
    """All states that have been built or saved and can be read, by name."""
    found = (_read_or_fault(folder) for folder in _folders())
    states = [one for one in found if isinstance(one, SavedState)]
    return sorted(states, key=lambda state: state.name)


def damaged_states() -> dict[str, StateError]:
    """The folders of states whose manifest cannot be read, with what is wrong."""
    found = {folder.name: _read_or_fault(folder) for folder in _folders()}
    return {name: one for name, one in sorted(found.items()) if isinstance(one, StateError)}


def _folders() -> list[Path]:
    """The folders of states; those of builds and imports that are under way are none yet."""
    found = [path.parent for path in paths.states_dir().glob(f"*/{MANIFEST_NAME}")]
    return [
        folder
        for folder in found
        if folder.suffix not in _WORK_SUFFIXES and not folder.name.startswith(".")
    ]


def _read_or_fault(folder: Path) -> SavedState | StateError:
    try:
        return _read(folder)
    except StateError as error:
        return error


def build(name: str, *, force: bool = False, progress: Progress | None = None) -> SavedState:
    """Build a shipped world, or return it when it is built already.

    Args:
        name: a key of ``worlds.SHIPPED``.
        force: build it again even when it exists.
        progress: told after every tick.

    Raises:
        StateError: no shipped world has that name.
    """
    if name not in SHIPPED:
        raise StateError(f"no shipped world is called {name!r}; there are {', '.join(SHIPPED)}")
    target = paths.states_dir() / slug(name)
    paths.made(target.parent)
    # A waiting process finds the finished state; a killed builder's lock is freed by the system.
    with FileLock(target.with_suffix(".lock")):
        if (target / MANIFEST_NAME).exists() and not force:
            state = _read(target)
            if state.manifest.benchmark_version == BENCHMARK_VERSION:
                return state
        workshop = target.with_suffix(_BUILDING)
        shutil.rmtree(workshop, ignore_errors=True)
        workshop.mkdir()
        grow(SHIPPED[name], workshop / RECORD_NAME, progress=progress)
        manifest = _describe(name, workshop / RECORD_NAME, SHIPPED[name])
        (workshop / MANIFEST_NAME).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        retired = target.with_suffix(_RETIRED)
        shutil.rmtree(retired, ignore_errors=True)
        if target.exists():
            os.rename(target, retired)
        os.rename(workshop, target)
        shutil.rmtree(retired, ignore_errors=True)
    return _read(target)


def grow(spec: WorldSpec, path: Path, *, progress: Progress | None = None) -> None:
    """Found the market of ``spec`` at ``path`` and play its scripted days into the record."""
    registry = load_plugins()
    rules = registry.presets[spec.rules]
    catalogue = open_catalogue(spec.catalogue, registry.catalogues)
    market = found_market(spec, rules, catalogue)
    info = RecordInfo(
        market_name=spec.name,
        seed=spec.seed,
        rules=rules,
        start_tick=0,
        end_tick=spec.days * TICKS_PER_DAY,
        condition="L0",
        models={"scripted": spec.policy},
        extra={"world": spec.model_dump(mode="json")},
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
    script = registry.policies[policy]()
    seats = {
        agent_id: Seat("scripted", script, persona_text_of(agent), seed)
        for agent_id, agent in market.agents.items()
    }
    return Simulation(
        record,
        market,
        Platform(market, tuple(registry.checks.values())),
        seats,
        world=world_text(),
        truth=TruthLog(truth_path(record.path), last_tick=market.tick - 1),
        store_observations=store_observations,
    )


def show(name: str) -> str:
    """A short text about one state: what it is and its digest."""
    state = resolve(name)
    market = load(read_only(state.path))
    deals = [t.status for t in market.threads.values() if t.committed_tick is not None]
    lines = [
        f"{state.name}: {len(market.agents)} agents at tick {state.manifest.tick}",
        f"record   {state.path}",
        f"digest   {state.manifest.digest}",
        f"versions benchmark {state.manifest.benchmark_version}, seed {state.manifest.seed}",
        f"units    {sum(u.owner_id is not None for u in market.units.values())} held, "
        f"{len(market.units)} in all",
        f"listings {len(market.active_listings)} active, {len(market.listings)} in all",
        f"deals    {len(deals)}: " + ", ".join(f"{deals.count(s)} {s}" for s in sorted(set(deals))),
    ]
    return "\n".join(lines)


def _read(folder: Path) -> SavedState:
    try:
        text = (folder / MANIFEST_NAME).read_text(encoding="utf-8")
        manifest = Manifest.model_validate_json(text)
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise StateError(
            f"the saved state in {folder} has no readable {MANIFEST_NAME} ({error}). Delete that "
            "folder; a shipped world is then built again on its next use."
        ) from error
    return SavedState(manifest.name, folder / RECORD_NAME, manifest)


def _describe(name: str, path: Path, spec: WorldSpec | None) -> Manifest:
    info, tick = read_info(path)
    connection = read_only(path)
    try:
        with reading(path):
            (agents,) = connection.execute("SELECT count(*) FROM agents").fetchone()
    finally:
        connection.close()
    return Manifest(
        name=name,
        benchmark_version=info.benchmark_version,
        tick=tick,
        agents=agents,
        seed=info.seed,
        rules=json.loads(info.rules.model_dump_json()),
        models=dict(info.models),
        digest=digest(path),
        world=None if spec is None else spec.model_dump(mode="json"),
    )
