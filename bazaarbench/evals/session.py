"""One market's run while it is open: its record begun or found, its agents seated (DESIGN §3.7)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pydantic import BaseModel

from bazaarbench import paths, plugins, saved_states
from bazaarbench.agents.prompting import prompt_digests, world_text
from bazaarbench.conditions import Condition
from bazaarbench.errors import RecordError, StateError
from bazaarbench.evals import records
from bazaarbench.evals.lost_answers import LostAnswers
from bazaarbench.evals.plan import Cell
from bazaarbench.evals.records import RecordPlace
from bazaarbench.evals.seats import Players, seats
from bazaarbench.evals.spending import Account, Charge, cost_of
from bazaarbench.evals.tools import action_tools
from bazaarbench.evals.touching import touching
from bazaarbench.findings import score_keys
from bazaarbench.judge.budgets import Budget
from bazaarbench.judge.results import JUDGE_KEYS, rubric_keys
from bazaarbench.market.draws import draw
from bazaarbench.market.entities import Thread
from bazaarbench.market.load import load
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, RecordInfo, fork, read_info
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.worlds import WorldSpec, found_market

#: What must be the same for a run to be gone on with.
_BINDING = (
    "market_name",
    "seed",
    "rules",
    "start_tick",
    "end_tick",
    "condition",
    "tested",
    "epoch",
    "policy_seed",
    "models",
    "prompt_digests",
    "parent_digest",
)


@dataclass(frozen=True)
class RunOptions:
    """What a run is told beside its cell."""

    seed: int
    max_failed_permille: int
    #: Why the run is not comparable with the study; empty when it is.
    deviations: tuple[str, ...] = ()
    budgets: tuple[Budget, ...] = ()


@dataclass(frozen=True)
class Turns:
    """Turns of the evaluated model: asked, with a valid call, and how many by outcome."""

    asked: int
    valid: int
    outcomes: dict[str, int]


class Session:
    """A record that is open for writing, with the market that plays into it."""

    def __init__(
        self, cell: Cell, place: RecordPlace, record: Record, players: Players, options: RunOptions
    ) -> None:
        """Load the market and seat its agents; use ``open_session``."""
        self.cell = cell
        self.place = place
        self.record = record
        self.market = load(record.connection)
        policy_seed = record.info.policy_seed
        self._lost = LostAnswers(record.path, record.last_tick)
        costs = {role: cost_of(model) for role, model in players.by_role.items()}
        self.account = Account(costs, options.budgets)
        self.account.add_lost(self._lost.charges)
        self._counted_turn = 0
        self._count(cell.start_tick)
        self.simulation = Simulation(
            record,
            self.market,
            Platform(self.market, plugins.load().checks_under(self.market.rules)),
            self._noted(
                seats(
                    self.market,
                    players,
                    tested=cell.tested,
                    condition=cell.condition,
                    seed=policy_seed,
                )
            ),
            world=players.world if players.background is None else world_text(),
            tools=action_tools(),
            max_failed_permille=options.max_failed_permille,
            truth=TruthLog(truth_path(record.path), last_tick=record.last_tick),
        )

    def _noted(self, taken: dict[int, Seat]) -> dict[int, Seat]:
        """The same seats, with every answer of a model noted until its tick is committed."""

        def tick() -> int:
            return self.market.tick

        return {
            agent: seat
            if seat.generate is None
            else replace(seat, generate=self._lost.noting(seat.role, tick, seat.generate))
            for agent, seat in taken.items()
        }

    def count_tick(self) -> None:
        """Take what the tick that was just committed cost into the account."""
        self._lost.committed()
        self._count(self.record.last_tick - 1)

    def _count(self, after_tick: int) -> None:
        rows = self.record.connection.execute(
            "SELECT turn_id, tick, role, requests, usage FROM turns "
            "WHERE turn_id > ? AND tick > ? AND requests > 0 ORDER BY turn_id",
            (self._counted_turn, after_tick),
        ).fetchall()
        for _, of_tick in groupby(rows, key=itemgetter(1)):
            charged = list(of_tick)
            self._counted_turn = charged[-1][0]
            self.account.add_tick(
                Charge(role, requests, json.loads(usage)) for *_, role, requests, usage in charged
            )

    def close(self) -> None:
        """Close the record; answers whose tick was not committed go into the account as lost."""
        self.account.add_lost(self._lost.waiting)
        try:
            self._lost.close()
        finally:
            self.record.close()

    def settled(self) -> list[Thread]:
        """The deals that have ended since the run's start, by id."""
        return [
            thread
            for thread in self.market.threads.values()
            if thread.committed_tick is not None
            and thread.ended_tick is not None
            and thread.ended_tick > self.cell.start_tick
        ]

    def turn_counts(self) -> tuple[int, int]:
        """All turns since the run's start, and how many of them failed."""
        turns, failed = self.record.connection.execute(
            "SELECT count(*), total(outcome = 'failed') FROM turns WHERE tick > ?",
            (self.cell.start_tick,),
        ).fetchone()
        return int(turns), int(failed)

    def evaluated_turns(self) -> Turns:
        """How often the evaluated model was asked since the run's start, and what came of it."""
        role = "tested" if self.cell.tested else "background"
        rows = self.record.connection.execute(
            "SELECT outcome, count(*), total(valid_calls > 0) FROM turns "
            "WHERE tick > ? AND role = ? GROUP BY outcome ORDER BY outcome",
            (self.cell.start_tick, role),
        ).fetchall()
        return Turns(
            asked=sum(count for _, count, _ in rows),
            valid=sum(int(valid) for _, _, valid in rows),
            outcomes={outcome: count for outcome, count, _ in rows},
        )


def open_session(
    cell: Cell, place: RecordPlace, players: Players, options: RunOptions, *, retried: bool
) -> Session:
    """Go on with the record of a sample, or begin it.

    Args:
        cell: What is played.
        place: Where the record is.
        players: Who plays.
        options: The run's other settings.
        retried: Whether Inspect goes on from an earlier log.

    Raises:
        RecordError: The record is gone, is being written by another process, or was begun under
            other settings.
        StateError: The saved state is gone.
    """
    path = records.find_working(place, retried=retried)
    if path is None:
        path = place.working
        _begin(cell, path, place, players, options)
        records.begin(place)
    record = Record.open(path)
    try:
        expected = _info(cell, place, players, options, record.info.seed)
        _refuse_other_settings(record.info, expected, path)
        return Session(cell, place, record, players, options)
    except BaseException:
        record.close()
        raise


def _begin(
    cell: Cell, path: Path, place: RecordPlace, players: Players, options: RunOptions
) -> None:
    paths.made(path.parent)
    if cell.world is not None:
        _found(cell, path, place, players, options)
        return
    state = saved_states.resolve(str(cell.state))
    if state.manifest.digest != cell.state_digest:
        raise StateError(
            f"the saved state {state.name} is not the one that this run was made for: its digest "
            f"is {state.manifest.digest[:12]}…, not {str(cell.state_digest)[:12]}…. Start the run "
            "again with 'inspect eval'."
        )
    old, _ = read_info(state.path)
    info = _info(cell, place, players, options, old.seed)
    kept = {"before": saved_states.ancestry(old)}
    fork(state.path, path, info.model_copy(update={"extra": info.extra | kept}))


def _found(
    cell: Cell, path: Path, place: RecordPlace, players: Players, options: RunOptions
) -> None:
    """Found the world of a base market into its record."""
    if cell.name is not None and saved_states.folder_of(cell.name).exists():
        raise StateError(
            f"there is a market called {cell.name!r} already. Choose another -T name, or delete "
            f"that one with 'bazaarbench market delete {cell.name}'."
        )
    spec = WorldSpec.model_validate(cell.world)
    catalogue, source = saved_states.opened_catalogue(spec, plugins.load())
    if catalogue.digest != cell.catalogue_digest:
        raise StateError(
            f"the catalogue {spec.catalogue} is not the one that this run was made for: its digest "
            f"is {catalogue.digest[:12]}…, not {str(cell.catalogue_digest)[:12]}…. Start the run "
            "again with 'inspect eval'."
        )
    market = found_market(spec, cell.parsed_rules(), catalogue)
    info = _info(cell, place, players, options, market.seed)
    kept = {"catalogue": source}
    info = info.model_copy(update={"extra": info.extra | kept})
    Record.create(path, market, info).close()


def _info(
    cell: Cell, place: RecordPlace, players: Players, options: RunOptions, seed: int
) -> RecordInfo:
    registry = plugins.load()
    condition = registry.conditions[cell.condition]
    digests = prompt_digests([(cell.condition, condition)] if cell.tested else [])
    digests["evaluated world"] = sha256(players.world.encode()).hexdigest()
    return RecordInfo(
        market_name=cell.market,
        seed=seed,
        rules=cell.parsed_rules(),
        start_tick=cell.start_tick,
        end_tick=cell.end_tick,
        condition=cell.condition,
        tested=cell.tested,
        epoch=place.epoch,
        # Of 63 bits, as it travels to scripts as the seed of a model's options.
        policy_seed=draw("policy", options.seed, seed, place.epoch) >> 1,
        models=players.models,
        plugins=tuple(sorted(one.recorded for one in registry.plugins)),
        keys=score_keys(registry.failure_types.values()),
        prompt_digests=digests,
        parent_digest=cell.state_digest,
        extra={
            "task_id": place.task_id,
            "sample_id": place.sample_id,
            "rules_name": cell.rules,
            "world": cell.world,
            "not_comparable": list(options.deviations),
            "model_options": players.options,
            "protocol": players.protocol,
            "scaffold": players.scaffold,
            "targets": _targets(condition) if cell.tested else {},
            "touching": list(
                touching(
                    registry,
                    cell.parsed_rules(),
                    condition=cell.condition,
                    policies=_policies(players),
                    evaluated=str(players.evaluated),
                )
            ),
            JUDGE_KEYS: list(rubric_keys(registry.failure_types.values())),
        },
    )


def _targets(condition: Condition) -> dict[str, int]:
    """What a condition asks for, where it says so."""
    asked = asdict(condition.targets)
    return {name: value for name, value in asked.items() if value is not None}


def _policies(players: Players) -> tuple[str | None, ...]:
    script = players.background if isinstance(players.background, str) else None
    return players.scaffold, script


def _refuse_other_settings(stored: RecordInfo, wanted: RecordInfo, path: Path) -> None:
    for name in _BINDING:
        old, new = getattr(stored, name), getattr(wanted, name)
        if old != new:
            old, new = _differing(old, new)
            raise RecordError(
                f"{path} was begun with {name} {_short(old)} and this run has {_short(new)}: what "
                "was played under one cannot go on under the other. Resume with the same settings "
                "and versions, or start a new run with 'inspect eval'."
            )


def _differing(old: object, new: object) -> tuple[object, object]:
    """Of two models only the fields in which they differ, anything else as it is."""
    if not isinstance(old, BaseModel) or not isinstance(new, BaseModel):
        return old, new
    ours, theirs = old.model_dump(), new.model_dump()
    names = [name for name in ours if ours[name] != theirs.get(name)]
    return {name: ours[name] for name in names}, {name: theirs.get(name) for name in names}


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + "…"
