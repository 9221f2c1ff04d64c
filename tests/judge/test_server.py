"""Against a real server through the ``openai`` provider the judge finishes or reports, always."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai.model import GenerateConfig, get_model

from bazaarbench.evals.judging_ask import asker, judge_settings
from bazaarbench.judge import scripted
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.packing import Caps
from bazaarbench.judge.running import Judge, Judging, judge_bundles
from bazaarbench.judge.store import JudgeStore, store_path
from tests.judge.shapes import TYPES, Plain, deal_bundle, reasoning_bundle, text_bundle
from tests.servers.openai_server import (
    BROKEN,
    TOO_MANY,
    Asked,
    Behaviour,
    Cut,
    Failure,
    Filtered,
    Refusal,
    Server,
    Slow,
    Truncated,
    openai_server,
)

BUNDLES = [
    text_bundle(
        "What is your phone number?", "My number is 555 201 3344 12.", bundle_id="message:1"
    ),
    text_bundle("Fine, see you there.", bundle_id="message:2"),
    deal_bundle(),
    reasoning_bundle(),
]
#: No test here may wait longer for anything, in seconds.
PATIENCE = 25


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries at once: how long Inspect waits between them is not what is tested."""
    from inspect_ai.model import ModelAPI
    from tenacity import wait_none

    monkeypatch.setattr(ModelAPI, "retry_wait", lambda self: wait_none(), raising=True)


def by_rules(asked: Asked) -> str:
    return scripted.answer(asked.user)


def judged(
    server: Server, record: Path, bundles: list[Any] = BUNDLES, *, responses: bool, **config: Any
) -> Judging:
    """Judge bundles with the model behind a server; never longer than the patience."""
    options = {"max_retries": 2, "attempt_timeout": 10, **config}

    async def running() -> Judging:
        model = get_model(
            "openai/gpt-5",
            base_url=server.url,
            api_key="test-key",
            memoize=False,
            responses_api=responses,
            # The library's own retries, beside Inspect's, only make these tests slow.
            max_retries=0,
            config=GenerateConfig(**options),
        )
        judge = Judge(str(model), asker(model), judge_settings(model), caps=Caps(bundles=2))
        with anyio.fail_after(PATIENCE), JudgeStore(store_path(record)) as store:
            pairs = ((one, Plain(one)) for one in bundles)
            return await judge_bundles(pairs, judge, Rubrics(TYPES), store)

    return anyio.run(running)


@pytest.fixture(params=[True, False], ids=["responses", "completions"])
def responses(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def first(*behaviours: Behaviour) -> Callable[[Asked], Behaviour]:
    """Misbehave for the first requests, then answer by rules."""

    def behave(asked: Asked) -> Behaviour:
        return behaviours[asked.number] if asked.number < len(behaviours) else by_rules(asked)

    return behave


def always(behaviour: Behaviour) -> Callable[[Asked], Behaviour]:
    return lambda asked: behaviour


def statuses(judging: Judging) -> list[str]:
    return [one.status for one in judging.verdicts]


def test_structured_answers_are_taken_with_version_and_usage(
    tmp_path: Path, responses: bool
) -> None:
    with openai_server(by_rules) as server:
        found = judged(server, tmp_path / "m.db", responses=responses)
    assert statuses(found) == ["judged"] * 4
    assert found.served == "gpt-5-2025-08-07"
    assert found.now.asks == len(server.asked) == 3
    assert found.now.tokens["total_tokens"] == 3_300
    decision = found.verdicts[0].decision("F5text")
    assert decision is not None
    assert decision.stage == "S5"


def test_the_schema_is_sent_in_strict_mode(tmp_path: Path, responses: bool) -> None:
    with openai_server(by_rules) as server:
        judged(server, tmp_path / "m.db", BUNDLES[:1], responses=responses)
    told = server.asked[0].schema
    assert told["strict"] is True
    assert told["schema"]["additionalProperties"] is False
    assert told["schema"]["required"] == ["bundles"]
    unsupported = {"minLength", "maxLength", "minimum", "maximum", "pattern", "default"}
    assert not unsupported & set(_keys(told["schema"]))


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in _keys(one))]
    return [key for one in value for key in _keys(one)] if isinstance(value, list) else []


def test_the_key_is_sent_and_kept_nowhere(tmp_path: Path) -> None:
    with openai_server(by_rules) as server:
        judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True)
    assert "test-key" in server.asked[0].headers["authorization"]
    assert b"test-key" not in store_path(tmp_path / "m.db").read_bytes()


def impatient(behaviour: Behaviour) -> dict[str, int]:
    """Options under which a slow answer is too slow."""
    return {"attempt_timeout": 1} if isinstance(behaviour, Slow) else {}


PASSING: dict[str, Behaviour] = {
    "429 with Retry-After": TOO_MANY,
    "500": BROKEN,
    "503": Failure(503),
    "cut connection": Cut(40),
    "a connection cut at once": Cut(0),
    "too slow": Slow(1.3, "late"),
}


@pytest.mark.parametrize("behaviour", PASSING.values(), ids=PASSING)
def test_what_passes_is_waited_for(tmp_path: Path, behaviour: Behaviour) -> None:
    with openai_server(first(behaviour)) as server:
        found = judged(
            server, tmp_path / "m.db", BUNDLES[:1], responses=True, **impatient(behaviour)
        )
    assert statuses(found) == ["judged"]
    assert len(server.asked) == 2


LASTING: dict[str, Behaviour] = {
    "RateLimitError": TOO_MANY,
    "InternalServerError": BROKEN,
    "APIConnectionError": Cut(40),
    "AttemptTimeoutError": Slow(1.3, "late"),
}


@pytest.mark.parametrize(("name", "behaviour"), LASTING.items(), ids=LASTING)
def test_what_lasts_is_reported_with_its_name_and_tried_at_the_next_scoring(
    tmp_path: Path, name: str, behaviour: Behaviour
) -> None:
    began = time.monotonic()
    with openai_server(always(behaviour)) as server:
        found = judged(
            server,
            tmp_path / "m.db",
            BUNDLES[:1],
            responses=True,
            max_retries=1,
            **impatient(behaviour),
        )
    assert statuses(found) == ["unscored"]
    assert str(found.verdicts[0].reason).startswith(f"provider error: {name}")
    assert time.monotonic() - began < PATIENCE
    with openai_server(by_rules) as server:
        found = judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True)
    assert statuses(found) == ["judged"]


@pytest.mark.parametrize("behaviour", [Filtered(), Refusal()], ids=["filter", "refusal"])
def test_a_refusal_is_unscored_and_no_verdict(
    tmp_path: Path, behaviour: Behaviour, responses: bool
) -> None:
    with openai_server(always(behaviour)) as server:
        found = judged(server, tmp_path / "m.db", BUNDLES[:1], responses=responses)
    assert statuses(found) == ["unscored"]
    assert str(found.verdicts[0].reason).startswith("refused: ")
    assert len(server.asked) == 3


def test_an_answer_that_was_cut_off_is_asked_for_bundle_by_bundle(
    tmp_path: Path, responses: bool
) -> None:
    with openai_server(first(Truncated('{"bundles": [{"bun'))) as server:
        found = judged(server, tmp_path / "m.db", BUNDLES[:2], responses=responses)
    assert statuses(found) == ["judged", "judged"]
    assert len(server.asked) == 3


def test_a_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with openai_server(by_rules) as server:
        pass
    found = judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True, max_retries=1)
    assert statuses(found) == ["unscored"]
    assert "Connection" in str(found.verdicts[0].reason)


def test_a_request_that_the_server_will_never_take_is_reported_at_once(tmp_path: Path) -> None:
    with openai_server(always(Failure(401, "invalid_api_key", "Bad key."))) as server:
        found = judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True)
    assert len(server.asked) == 1
    assert "Bad key" in str(found.verdicts[0].reason)


def test_another_address_or_option_is_another_judge_and_how_it_is_sent_is_not(
    tmp_path: Path,
) -> None:
    with openai_server(by_rules) as server:
        judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True)
        judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True, max_connections=3)
        assert len(server.asked) == 1
        judged(server, tmp_path / "m.db", BUNDLES[:1], responses=True, reasoning_effort="low")
        assert len(server.asked) == 2
