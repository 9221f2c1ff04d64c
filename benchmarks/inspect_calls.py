"""What a turn costs that goes through an Inspect model call (SPEC §14, second and third row).

    python -m benchmarks.inspect_calls [--days 6] [--long-days 0]

One process plays a base market of 100 agents whose model answers at once; another sends the same
prompts and tools through a plain ``generate`` loop, the way a first draft would. Both count the CPU
time of their whole ``eval``. ``--long-days 30`` plays two samples of about 25,000 calls as well, a
base market and a continuation of ``demo`` in which all agents are tested (their calls leave events
in the log), and prints their peak memory, the time from the last event to the end of the eval, and
the size of the log.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from sqlite_utils import Database

from bazaarbench.agents.prompting import world_text
from bazaarbench.evals.tools import action_tools
from bazaarbench.market.record import read_texts
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.continuation import continuation
from benchmarks.machine import describe

_MB = 1_000_000


@modelapi(name="instant")
class Instant(ModelAPI):
    """A model that does nothing, at once."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """One call of ``do_nothing``."""
        output = ModelOutput.for_tool_call("instant", "do_nothing", {}, content="Decision note: -")
        output.usage = ModelUsage(input_tokens=3_000, output_tokens=10, total_tokens=3_010)
        return output


def plain(prompts: Sequence[tuple[str, str]]) -> Task:
    """One sample that sends every (persona, observation) with the 31 tools, one after another."""

    @solver
    def plain_loop() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            model = get_model()
            tools = [ToolInfo(**dict(tool)) for tool in action_tools()]
            for persona, observation in prompts:
                await model.generate(
                    [
                        ChatMessageSystem(content=world_text()),
                        ChatMessageSystem(content=persona),
                        ChatMessageUser(content=observation),
                    ],
                    tools=tools,
                    tool_choice="auto",
                )
            return state

        return solve

    # The prompts reach the solver by its closure: as arguments they would be logged.
    return Task(dataset=[Sample(input="-")], solver=plain_loop())


def _market(kind: str, days: int, folder: str) -> dict[str, Any]:
    """Play a base market, or go on from the demo with all its agents tested."""
    everybody = list(range(1, 101))
    task = base_market(days=days) if kind == "market" else continuation(days=days, tested=everybody)
    started, cpu = time.time(), time.process_time()
    (log,) = inspect_eval(
        task,
        model="instant/x",
        log_dir=folder,
        display="none",
        score=False,
    )
    return {**_measured(log, cpu), "wall_s": time.time() - started, "record": _record(log)}


def _plain(record: str, calls: int, folder: str) -> dict[str, Any]:
    prompts = _prompts(Path(record), calls)
    cpu = time.process_time()
    (log,) = inspect_eval(
        plain(prompts), model="instant/x", log_dir=folder, display="none", score=False
    )
    return {**_measured(log, cpu), "calls": len(prompts)}


def _measured(log: EvalLog, cpu: float) -> dict[str, Any]:
    ended = time.time()
    (sample,) = log.samples or []
    if log.status != "success" or sample.error is not None:
        raise click.ClickException(f"the run failed: {log.error or sample.error}")
    path = Path(log.location)
    with zipfile.ZipFile(path) as packed:
        raw = sum(member.file_size for member in packed.infolist())
    last = max(event.timestamp for event in sample.events).timestamp()
    return {
        "cpu_s": time.process_time() - cpu,
        "calls": sample.store.get("MarketRun:turns"),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _MB,
        "end_s": ended - last,
        "log_mb": path.stat().st_size / _MB,
        "raw_mb": raw / _MB,
    }


def _record(log: EvalLog) -> str:
    (sample,) = log.samples or []
    return str(sample.store["MarketRun:published"])


def _prompts(record: Path, calls: int) -> list[tuple[str, str]]:
    rows = Database(record).query(f"SELECT prompt FROM turns ORDER BY turn_id LIMIT {int(calls)}")
    with read_texts(record) as texts:
        asked = [json.loads(row["prompt"])[0] for row in rows]
        return [(texts.get(persona), texts.get(observed)) for _, persona, observed in asked]


def _child(kind: str, *values: object) -> dict[str, Any]:
    """Measure one kind of run in a process of its own, so that memory is its own."""
    command = [sys.executable, "-m", "benchmarks.inspect_calls", "--child", kind]
    done = subprocess.run(
        [*command, *map(str, values)], stdout=subprocess.PIPE, check=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@click.command()
@click.option("--days", type=int, default=6, show_default=True)
@click.option("--long-days", type=int, default=0, show_default=True)
@click.option("--child", hidden=True)
@click.argument("values", nargs=-1)
def main(days: int, long_days: int, child: str | None, values: tuple[str, ...]) -> None:
    """Compare a market's turns with a plain loop of model calls."""
    if child in {"market", "tested"}:
        click.echo(json.dumps(_market(child, int(values[0]), values[1])))
        return
    if child == "plain":
        click.echo(json.dumps(_plain(values[0], int(values[1]), values[2])))
        return
    click.echo(describe())
    with tempfile.TemporaryDirectory() as folder:
        market = _child("market", days, folder)
        loop = _child("plain", market["record"], min(market["calls"], 1_000), folder)
        ours, theirs = (1000 * run["cpu_s"] / run["calls"] for run in (market, loop))
        click.echo(f"a turn of the market, in all: {ours:.2f} ms CPU ({market['calls']} turns)")
        click.echo(f"a call of the plain loop: {theirs:.2f} ms CPU ({loop['calls']} calls)")
        click.echo(f"ratio: {ours / theirs:.2f}")
        kinds = {"market": "a base market", "tested": "tested agents"} if long_days else {}
        for kind, what in kinds.items():
            long = _child(kind, long_days, folder)
            cost = 1000 * long["cpu_s"] / long["calls"]
            click.echo(
                f"a sample of {long['calls']:,} calls of {what}: {cost:.2f} ms CPU a turn, "
                f"peak {long['peak_mb']:.0f} MB, {long['end_s']:.1f} s from its "
                f"last event to the end, log {long['log_mb']:.1f} MB ({long['raw_mb']:.0f} MB raw)"
            )


if __name__ == "__main__":
    main()
