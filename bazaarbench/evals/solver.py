"""The solver: plays one market into its record, tick by tick (DESIGN §3.1–3.5, §3.7)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, StoreModel, concurrency, display_counter, span
from pydantic import BaseModel, ConfigDict, Field

from bazaarbench.collector import seldom_collected
from bazaarbench.errors import BazaarError
from bazaarbench.evals import records
from bazaarbench.evals.compat import add_info_event, running_sample, suspended_store_events
from bazaarbench.evals.deals import SOURCE, deal_event, deal_uuid
from bazaarbench.evals.hooks import TaskRun, task_run
from bazaarbench.evals.keeping import keep_market
from bazaarbench.evals.plan import Cell
from bazaarbench.evals.records import RecordPlace
from bazaarbench.evals.refusals import refusing
from bazaarbench.evals.seats import (
    Players,
    chosen_background,
    evaluated_model,
    refuse_background,
    world_for,
)
from bazaarbench.evals.session import RunOptions, Session, Turns, open_session
from bazaarbench.evals.spending import amount_of, budgets_of, refuse_unpriced
from bazaarbench.evals.track import (
    announce,
    background_deviations,
    deviations,
    refuse_deviations,
)
from bazaarbench.market.clock import TICKS_PER_DAY, label
from bazaarbench.market.digest import digest
from bazaarbench.market.entities import Thread

#: How often the record is copied beside a remote log while the run goes on, in ticks.
PUBLISH_EVERY = 2 * TICKS_PER_DAY


class NoValidTurn(BazaarError):
    """The evaluated model did not make one call that is valid by its schema (SPEC §5.4)."""


class TradeOptions(BaseModel):
    """What the solver is told beside the sample's cell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: Literal["tools", "json"]
    tool_choice: Literal["auto", "any"]
    #: Text of ``-T prompt``.
    prompt: str | None
    #: The script of ``-T background``.
    background: str | None
    seed: int
    max_failed_permille: int
    markets_at_once: int
    track: Literal["paper"] | None
    #: Whether the track was said when the task was made.
    announced: bool
    #: The policy of ``-T scaffold``.
    scaffold: str | None = None
    #: ``-T budget``: what each sample may spend.
    budget: tuple[str, ...] = ()


class MarketRun(StoreModel):
    """All that the log keeps of a run: where its record is and how far it has come."""

    task_id: str = ""
    sample_id: str = ""
    epoch: int = 0
    #: The working record's path on the machine of the run, and its address beside the log.
    location: str = ""
    published: str | None = None
    #: SPEC §1 "digest", of the record at ``tick``.
    digest: str = ""
    tick: int = 0
    end_tick: int = 0
    turns: int = 0
    failed_turns: int = 0
    deals: int = 0
    #: What all attempts together have spent (``spending.Account.told``).
    spent: dict[str, Any] = Field(default_factory=dict)
    #: The saved state that a finished base market has become.
    saved_state: str | None = None


@solver
def trade(options: dict[str, Any]) -> Solver:
    """Play the market of a sample, from its record's last tick to the last tick of its cell.

    Args:
        options: The fields of ``TradeOptions``.
    """
    told = TradeOptions.model_validate(options)
    announced = told.announced

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        nonlocal announced
        cell = Cell.model_validate(state.metadata)
        run, place = _place(state)
        with refusing(markup=False):
            players = _players(cell, told)
            budgets = budgets_of(told.budget)
            refuse_unpriced(budgets, players.by_role.values())
            reasons = [
                *deviations(cell, told.protocol, told.prompt, told.scaffold),
                *background_deviations(cell, players.background),
            ]
            refuse_deviations(reasons, told.track)
            if not announced:
                announced = True
                announce(reasons)
            run_options = RunOptions(told.seed, told.max_failed_permille, tuple(reasons), budgets)
            async with concurrency("markets", told.markets_at_once):
                session = open_session(cell, place, players, run_options, retried=run.retried)
                await _play(session, state)
        return state

    return solve


def _place(state: TaskState) -> tuple[TaskRun, RecordPlace]:
    run = task_run(state.uuid)
    if run is None:
        raise RuntimeError(
            "Inspect did not call the hook 'bazaarbench_runs', so the task of this sample is "
            "unknown and its record could not be found again"
        )
    return run, RecordPlace(run.task_id, str(state.sample_id), state.epoch, log_folder())


def log_folder() -> str:
    """The folder, a path or a URL, of the log that the running sample goes into."""
    sample = running_sample()
    if sample is None:
        return str(Path(os.environ.get("INSPECT_LOG_DIR", "logs")).absolute())
    return records.folder_of(sample.log_location)


def _players(cell: Cell, told: TradeOptions) -> Players:
    if cell.kind == "base_market":
        refuse_background()
        background = None
    else:
        background = chosen_background(told.background)
    world = world_for(told.protocol, told.prompt)
    return Players(
        evaluated_model(), background, told.protocol, told.tool_choice, world, told.scaffold
    )


async def _play(session: Session, state: TaskState) -> None:
    """Play to the end; whatever happens, close the record and publish it."""
    progress = state.store_as(MarketRun)
    place = session.place
    progress.task_id, progress.sample_id, progress.epoch = (
        place.task_id,
        place.sample_id,
        place.epoch,
    )
    progress.location, progress.end_tick = str(place.working), session.cell.end_tick
    try:
        with seldom_collected(), suspended_store_events():
            await _play_ticks(session, progress)
        turns = session.evaluated_turns()
    except BaseExceptionGroup as group:
        raise _cause_of(group) from group
    finally:
        session.close()
        progress.spent = session.account.told()
        progress.tick = session.record.last_tick
        progress.digest = digest(place.working)
        with anyio.CancelScope(shield=True):
            progress.published = await anyio.to_thread.run_sync(partial(records.publish, place))
    if turns.asked and not turns.valid:
        raise NoValidTurn(_no_valid_turn(session, turns))
    if session.cell.kind == "base_market":
        keeping = partial(keep_market, session.cell, place, str(state.model), progress.digest)
        progress.saved_state = (await anyio.to_thread.run_sync(keeping)).name
    state.output = ModelOutput.from_content(model=str(state.model), content=_summary(session))


async def _play_ticks(session: Session, progress: MarketRun) -> None:
    cell, market = session.cell, session.market
    progress.turns, progress.failed_turns = session.turn_counts()
    told: set[int] = set()
    earlier = session.settled()
    if earlier:
        async with span("deals settled before this run was resumed"):
            _tell(session, earlier, told)
    while market.tick <= cell.end_tick:
        tick = market.tick
        _stop_at_budget(session)
        async with span(f"tick {tick} · {label(tick)}", type="tick"):
            report = await session.simulation.play_tick()
            _tell(session, [market.threads[deal] for deal in report.settled], told)
        progress.tick = tick
        progress.turns += report.turns
        progress.failed_turns += report.failed_turns
        progress.deals = len(told)
        session.count_tick()
        display_counter(f"{session.place.sample_id} tick", f"{tick}/{cell.end_tick}")
        display_counter(f"{session.place.sample_id} spent", session.account.shown())
        if tick % PUBLISH_EVERY == 0 and "://" in (session.place.log_folder or ""):
            await anyio.to_thread.run_sync(partial(records.publish_copy, session.place))
        # Scripts never wait for anything: let Inspect draw its display and hear a cancellation.
        await anyio.lowlevel.checkpoint()


def _stop_at_budget(session: Session) -> None:
    """End the sample before a tick that its budget might not pay for, as a limit of Inspect does.

    Raises:
        LimitExceededError: The budget is used up.
    """
    reached = session.account.reached()
    if reached is None:
        return
    budget, spent = reached
    raise LimitExceededError(
        "cost" if budget.unit == "usd" else "token",
        value=spent,
        limit=budget.amount,
        message=f"The budget of {amount_of(budget)} is used up after tick "
        f"{session.market.tick - 1} of {session.cell.end_tick}: {session.account.shown()}. Go on "
        "with a larger one: bazaarbench resume LOG --budget …",
    )


def _tell(session: Session, deals: Iterable[Thread], told: set[int]) -> None:
    for deal in deals:
        again = deal.ended_tick if deal.thread_id in told else None
        told.add(deal.thread_id)
        add_info_event(
            deal_event(session.market, deal, session.cell.tested),
            source=SOURCE,
            uuid=deal_uuid(session.place, deal.thread_id, ended_again=again),
        )


def _cause_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error that a tick's concurrent turns ended with; a limit before any other."""
    leaves: list[BaseException] = []
    waiting: list[BaseException] = [group]
    while waiting:
        error = waiting.pop(0)
        if isinstance(error, BaseExceptionGroup):
            waiting.extend(error.exceptions)
        else:
            leaves.append(error)
    return next((leaf for leaf in leaves if isinstance(leaf, LimitExceededError)), leaves[0])


def _no_valid_turn(session: Session, turns: Turns) -> str:
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in turns.outcomes.items())
    return (
        f"the evaluated model was asked {turns.asked} times and never made a valid call "
        f"({outcomes}), so there is nothing to score. Its turns are in {session.place.working}; a "
        "model without tool calls needs -T protocol=json."
    )


def _summary(session: Session) -> str:
    deals = session.settled()
    done = sum(deal.status == "completed" for deal in deals)
    return (
        f"Played to tick {session.market.tick - 1}: {len(deals)} deals settled, {done} of them "
        f"completed. Spent: {session.account.shown()}. Record: {session.place.working}"
    )
