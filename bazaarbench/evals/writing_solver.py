"""The solver of ``write_personas``: one agent's texts, asked for, checked and kept (SPEC §3.4)."""

from __future__ import annotations

from typing import Any

import anyio
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel
from pydantic import BaseModel, ConfigDict
from rich import get_console

from bazaarbench import plugins
from bazaarbench.catalogue import open_catalogue
from bazaarbench.evals.hooks import task_run
from bazaarbench.evals.refusals import refusing
from bazaarbench.evals.solver import log_folder
from bazaarbench.evals.writer import WriterAsk, writer
from bazaarbench.evals.writing_shelf import Shelf, WritingError
from bazaarbench.personas.briefs import Brief
from bazaarbench.personas.checks import LEAST_GROUNDEDNESS_PERMILLE, Tally
from bazaarbench.personas.naming import Names, names_of
from bazaarbench.personas.text_files import Origin
from bazaarbench.personas.writing import Outcome, write

#: From so many agents on, a run that is not grounded enough is given up.
GIVE_UP_AFTER = 10


class WriteOptions(BaseModel):
    """What the solver is told beside the sample's brief."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: Origin
    #: How often an agent's writer is asked again, at most.
    reasks: int


class WritingRun(StoreModel):
    """What the log keeps of one agent's writing."""

    agent_id: int = 0
    #: Answers that were sent back.
    sent_back: int = 0
    passed: int = 0
    checks: int = 0
    #: Whether the texts were there already, from an earlier run of the same task.
    kept: bool = False
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


@solver
def write_texts(options: dict[str, Any]) -> Solver:
    """Write the texts of a sample's agent, unless they are kept from an earlier run.

    Args:
        options: The fields of ``WriteOptions``.
    """
    told = WriteOptions.model_validate(options)
    desk = _Desk(told)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with refusing(markup=False):
            if state.epoch > 1:
                raise WritingError("persona texts are written once: leave --epochs out.")
            brief = Brief.model_validate_json(state.metadata["brief"])
            outcome = await desk.outcome(brief, _shelf(state, told.origin), state)
            if outcome.texts is None:
                raise WritingError(_refusal(outcome))
        state.output = ModelOutput.from_content(
            model=outcome.model, content=outcome.texts.model_dump_json(indent=1)
        )
        return state

    return solve


class _Desk:
    """What the agents of one task share: the names to look for, and how well it goes."""

    def __init__(self, told: WriteOptions) -> None:
        self._told = told
        self._names: Names | None = None
        self._at_the_shelf = anyio.Lock()
        self._fetched = self._announced = False
        self._total = Tally(0, 0)
        self._done = 0

    async def outcome(self, brief: Brief, shelf: Shelf, state: TaskState) -> Outcome:
        """What came of one agent, now or in an earlier run."""
        async with self._at_the_shelf:
            if not self._fetched:
                await anyio.to_thread.run_sync(shelf.fetch)
                self._fetched = True
        earlier = await anyio.to_thread.run_sync(shelf.find, brief)
        if earlier is not None and earlier.texts is not None:
            outcome = earlier
        else:
            await self._refuse_to_go_on(shelf)
            outcome = await write(
                brief, self._catalogue_names(), WriterAsk(writer()), reasks=self._told.reasks
            )
            if earlier is not None:
                outcome = outcome.model_copy(update={"spent": earlier.spent + outcome.spent})
            await anyio.to_thread.run_sync(shelf.keep, outcome)
        self._done += 1
        self._total += outcome.tally
        _note(state.store_as(WritingRun), outcome, kept=outcome is earlier)
        async with self._at_the_shelf:
            address = await anyio.to_thread.run_sync(shelf.finish)
        if address is not None and not self._announced:
            self._announced = True
            _announce(address)
        return outcome

    async def _refuse_to_go_on(self, shelf: Shelf) -> None:
        """Give a bad writer up before it has been paid for everybody."""
        if self._done >= GIVE_UP_AFTER and not self._total.enough:
            async with self._at_the_shelf:
                await anyio.to_thread.run_sync(shelf.report)
            raise WritingError(
                f"given up: after {self._done} agents the texts' groundedness is "
                f"{self._total.groundedness:.3f}, below {LEAST_GROUNDEDNESS_PERMILLE / 1000}. The "
                "reasons stand with the agents that were refused. Write with another model; "
                "'inspect eval-retry' would ask this one again."
            )

    def _catalogue_names(self) -> Names:
        if self._names is None:
            catalogue = open_catalogue(self._told.origin.catalogue, plugins.load().catalogues)
            self._names = names_of(catalogue)
        return self._names


def _shelf(state: TaskState, origin: Origin) -> Shelf:
    run = task_run(state.uuid)
    if run is None:
        raise RuntimeError(
            "Inspect did not call the hook 'bazaarbench_runs', so the task of this sample is "
            "unknown and its texts could not be found again"
        )
    return Shelf(run.task_id, log_folder(), origin)


def _note(run: WritingRun, outcome: Outcome, *, kept: bool) -> None:
    run.agent_id, run.sent_back, run.kept = outcome.agent_id, len(outcome.sent_back), kept
    run.passed, run.checks = outcome.passed, outcome.checks
    run.calls, run.usd = outcome.spent.calls, outcome.spent.usd
    run.input_tokens, run.output_tokens = outcome.spent.input_tokens, outcome.spent.output_tokens


def _refusal(outcome: Outcome) -> str:
    told = "\n".join(
        f"{number}. {'; '.join(reasons)}" for number, reasons in enumerate(outcome.sent_back, 1)
    )
    return (
        f"the texts of agent {outcome.agent_id} were refused after {len(outcome.sent_back)} "
        f"answer(s):\n{told}\n'inspect eval-retry' (or 'bazaarbench resume') asks for the refused "
        "agents alone again."
    )


def _announce(address: str) -> None:
    line = f"persona texts: {address} (report beside it); use them with -T personas=FILE"
    get_console().print(line, markup=False, highlight=False, soft_wrap=True)
