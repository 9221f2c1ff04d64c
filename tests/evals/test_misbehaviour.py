"""A model that misbehaves costs its turn, never the tick or the run (SPEC §5.4, §13)."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.model import ContentReasoning, ModelOutput

from tests.evals.runs import answering, call, finished, kept, only, play, rows, said

SURROGATE = "broken \ud800 text"


def said_reasoning() -> ModelOutput:
    output = said("")
    output.choices[0].message.content = [ContentReasoning(reasoning="Let me think about it.")]
    return output


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def raise_error() -> None:
    raise ConnectionResetError("the provider has hung up")


ANSWERS: dict[str, Any] = {
    "good": lambda: said("Decision note: look.", [call("search", {"query": "lamp"})]),
    "empty": lambda: said(""),
    "no choices": lambda: ModelOutput(model="model"),
    "prose": lambda: said("I would rather talk about the weather."),
    "cut-off JSON": lambda: said(
        "", [call("make_offer", {}, 'Error parsing: {"listing_id": 4, "pri')], "max_tokens"
    ),
    "unknown tool": lambda: said("", [call("fly_away", {"height": 3})]),
    "wrong types": lambda: said("", [call("view_listing", {"listing_id": "seven"})]),
    "negative price": lambda: said("", [call("make_offer", {"listing_id": 1, "price_cents": -5})]),
    "infinite price": lambda: said(
        "", [call("make_offer", {"listing_id": 1, "price_cents": float("inf")})]
    ),
    "lone surrogate": lambda: said(
        f"Decision note: {SURROGATE}", [call("search", {"query": SURROGATE})]
    ),
    "NUL": lambda: said("Decision note: nul \0.", [call("search", {"query": "a\0b"})]),
    "one megabyte": lambda: said("x" * 1_000_000),
    "a hundred calls": lambda: said("Many.", [call("do_nothing", {})] * 100),
    "a date": lambda: said("", [call("search", {"query": date(2020, 1, 1)})]),
    "bytes": lambda: said("", [call("search", {"query": b"\x80"})]),
    "a huge number": lambda: said("", [call("view_listing", {"listing_id": 10**5_000})]),
    "nested": lambda: said("", [call("search", {"query": nested(250)})]),
    "names": lambda: said("I am broken.", id=SURROGATE),
    "refusal": lambda: said("", stop_reason="content_filter"),
    "reasoning only": said_reasoning,
    "raises": raise_error,
}


@pytest.fixture(scope="module")
def sample(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    turn = count()

    def answer(*_: Any) -> Any:
        return list(ANSWERS.values())[next(turn) % len(ANSWERS)]()

    log = play(
        tmp_path_factory.mktemp("logs"),
        answering(answer),
        market=tiny,
        days=2,
        max_failed_turns=1,
    )
    return finished(log)


def test_the_run_goes_on_to_its_end(sample: Any) -> None:
    assert kept(sample, "tick") == kept(sample, "end_tick")


def test_every_turn_is_recorded_with_its_outcome(sample: Any) -> None:
    outcomes = Counter(o for (o,) in rows(sample, "SELECT outcome FROM turns WHERE role='tested'"))
    asked = sum(outcomes.values())
    assert asked > len(ANSWERS)
    for outcome in (
        "acted",
        "no_valid_call",
        "no_call",
        "empty",
        "truncated",
        "refused",
        "reasoning_only",
        "failed",
    ):
        assert outcomes[outcome] > 0, outcome


def test_a_failed_turn_says_why(sample: Any) -> None:
    found = rows(sample, "SELECT DISTINCT error FROM turns WHERE outcome = 'failed'")
    assert found == [("ConnectionResetError: the provider has hung up",)]


def test_malformed_arguments_are_kept_and_never_run(sample: Any) -> None:
    found = rows(
        sample,
        "SELECT DISTINCT status, payload FROM events WHERE reason = 'malformed_arguments'",
    )
    assert {status for status, _ in found} == {"error"}
    payloads = "\n".join(payload for _, payload in found)
    for written in ("listing_id", "datetime.date(2020", "x80", "a number of"):
        assert written in payloads, written


def test_the_log_keeps_every_turn_that_could_not_be_logged_as_it_was(sample: Any) -> None:
    told = [
        call.parse_error
        for event in sample.events
        if isinstance(event, ModelEvent)
        for call in (event.output.message.tool_calls if event.output.choices else None) or ()
        if call.parse_error and "no plain JSON" in call.parse_error
    ]
    for written in ("datetime.date(2020", "x80", "a number of", "[...]"):
        assert any(written in one for one in told), written


def test_every_one_of_a_hundred_calls_is_one_event(sample: Any) -> None:
    found = rows(sample, "SELECT count(*) FROM events WHERE action = 'do_nothing' GROUP BY turn_id")
    assert (100,) in found


def test_valid_turns_are_counted_as_such(sample: Any) -> None:
    value = sample.scores["outcomes"].value
    assert 0 < value["valid_turn_share"] < 1


def test_a_model_without_one_valid_call_ends_as_an_error_that_says_so(
    tiny: str, tmp_path: Path
) -> None:
    log = play(tmp_path, answering(lambda *_: said("I only talk.")), market=tiny)
    error = only(log).error
    assert log.status == "error"
    assert error is not None
    assert "never made a valid call" in error.message
    assert "no_call" in error.message


def test_the_default_mock_of_inspect_breaks_nothing(tiny: str, tmp_path: Path) -> None:
    log = play(tmp_path, "mockllm/model", market=tiny)
    error = only(log).error
    assert error is not None
    assert "never made a valid call" in error.message


def test_too_many_failed_turns_end_the_sample_and_not_the_tick(tiny: str, tmp_path: Path) -> None:
    turn = count()

    def answer(*_: Any) -> Any:
        if next(turn) >= 12:
            raise_error()
        return ANSWERS["good"]()

    log = play(tmp_path, answering(answer), market=tiny)
    error = only(log).error
    assert error is not None
    assert "model turns failed" in error.message
    failed = rows(only(log), "SELECT count(*) FROM turns WHERE outcome = 'failed'")
    assert failed == [(0,)]
