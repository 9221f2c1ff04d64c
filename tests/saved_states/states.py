"""Small states for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import anyio

from bazaarbench import saved_states
from bazaarbench.market.digest import digest
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.record import Record, fork, read_info
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import SavedState
from bazaarbench.worlds import WorldSpec, found_market


def tiny(name: str, *, seed: int = 1, days: int = 1) -> SavedState:
    """A saved state of six agents."""
    return saved_states.build_world(WorldSpec(name=name, seed=seed, agents=6, days=days))


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a state."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def shelf() -> list[str]:
    """What lies in the folder of states, locks aside."""
    there = saved_states.folder_of("x").parent
    return sorted(path.name for path in there.glob("*") if not path.name.endswith(".lock"))


def found(path: Path, rules: Rules = PRESETS["paper"], *, seed: int = 3, agents: int = 10) -> Path:
    """A record of a small market at tick 0."""
    spec = WorldSpec(name="small", seed=seed, agents=agents, quality="spread")
    market = found_market(spec, rules)
    info = RecordInfo(market_name="small", seed=seed, rules=rules, start_tick=0, end_tick=400)
    Record.create(path, market, info).close()
    return path


def play(
    path: Path,
    until: int,
    policy: str,
    *,
    ticks: Collection[int] = (),
    after: Callable[[Record], None] | None = None,
) -> dict[int, str]:
    """Play a record on; its digest after each of ``ticks`` and at the end."""
    with Record.open(path) as record:
        market = load(record.connection)
        simulation = saved_states.scripted_simulation(
            record, market, load_plugins(), policy, seed=11
        )
        digests = {record.last_tick: digest(record.connection)}
        wanted = {*ticks, until}

        async def on() -> None:
            while market.tick <= until:
                report = await simulation.play_tick()
                if report.tick in wanted:
                    digests[report.tick] = digest(record.connection)
                if after is not None:
                    after(record)

        anyio.run(on)
    return digests


def continued(state: SavedState, path: Path, preset: str) -> Path:
    """A run that goes on from a state under other rules, as the continuation begins one."""
    old, last = read_info(state.path)
    info = RecordInfo(
        market_name=state.name,
        seed=old.seed,
        rules=PRESETS[preset],
        start_tick=last,
        end_tick=last + 84,
        condition="L2",
        tested=(1,),
        parent_digest=state.manifest.digest,
        extra={"before": saved_states.ancestry(old)},
    )
    fork(state.path, path, info)
    return path
