"""The private Inspect names: they are where we look for them, and we can do without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.event import InfoEvent, ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from bazaarbench.agents.policy import Message
from bazaarbench.evals import compat
from bazaarbench.evals.ask import Asker, RunMessages
from bazaarbench.evals.tools import ToolShelf


@pytest.mark.parametrize("name", compat.PRIVATE_NAMES)
def test_inspect_still_has_the_private_name(name: str) -> None:
    module, path = compat.PRIVATE_NAMES[name]
    assert compat.private(name) is not None, f"Inspect has moved {module}.{path}"


@pytest.fixture
def without_private_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in compat.PRIVATE_NAMES:
        monkeypatch.setitem(compat.PRIVATE_NAMES, name, ("inspect_ai", "moved_elsewhere"))
        assert compat.private(name) is None
    for attribute in (
        "_active_model",
        "_append_event",
        "_init_transcript",
        "_sample_active",
        "_suspend_store_events",
    ):
        monkeypatch.setattr(compat, attribute, None)
    return


def run_calls(log_dir: Path, *, keep: bool) -> EvalLog:
    """An eval whose solver asks a mock model once and adds one info event."""
    output = ModelOutput.from_content("mockllm", "Decision note: none.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

    @solver
    def ask_once() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            with compat.suspended_store_events():
                asker = Asker(
                    get_model(),
                    RunMessages(),
                    tools=ToolShelf(),
                    tool_choice="auto",
                    seed=1,
                    keep_event=keep,
                )
                reply = await asker([Message("system", "world"), Message("user", "what is seen")])
            assert reply.text == "Decision note: none."
            compat.add_info_event({"deal": 1}, source="test", uuid="a-known-uuid")
            state.metadata["where"] = compat.running_sample()
            return state

        return solve

    model = get_model("mockllm/model", custom_outputs=[output])
    task = Task(dataset=[Sample(input="x")], solver=ask_once())
    [log] = eval(task, model=model, log_dir=str(log_dir), display="none")
    assert log.status == "success", log.error
    return log


def events(log: EvalLog, kind: type) -> list:  # type: ignore[type-arg]
    assert log.samples
    return [event for event in log.samples[0].events if isinstance(event, kind)]


def test_a_tested_call_leaves_one_slim_event_and_a_background_call_none(tmp_path: Path) -> None:
    [event] = events(run_calls(tmp_path, keep=True), ModelEvent)
    assert (event.tools, event.call) == ([], None)
    assert [message.text for message in event.input] == ["world", "what is seen"]
    assert events(run_calls(tmp_path, keep=False), ModelEvent) == []


def test_an_info_event_has_the_uuid_that_links_name(tmp_path: Path) -> None:
    [event] = [e for e in events(run_calls(tmp_path, keep=False), InfoEvent) if e.source == "test"]
    assert event.uuid == "a-known-uuid"


def test_without_the_private_names_all_still_works(
    tmp_path: Path, without_private_names: None
) -> None:
    log = run_calls(tmp_path, keep=True)
    assert len(events(log, ModelEvent)) == 1
    assert [e.data for e in events(log, InfoEvent) if e.source == "test"] == [{"deal": 1}]


def test_usage_is_counted_though_the_transcript_is_thrown_away(tmp_path: Path) -> None:
    log = run_calls(tmp_path, keep=False)
    assert log.stats.model_usage["mockllm/model"].total_tokens == 2
