"""A retry goes on from the last committed tick, and never starts again in silence (SPEC §13)."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval_retry
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model

from bazaarbench import paths
from bazaarbench.evals.deals import SOURCE
from bazaarbench.evals.logs import resume_log
from bazaarbench.market.record import Record
from tests.evals.runs import finished, kept, only, play, rows

#: After how many model calls the provider of the interrupted runs hangs up.
CALLS = 25


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our provider breaks down in the middle of a run."""
    from bazaarbench.evals.provider import ScriptAPI

    whole, calls = ScriptAPI.generate, count()

    async def generate(self: ScriptAPI, **asked: Any) -> Any:
        if next(calls) >= CALLS:
            raise ConnectionResetError("the provider has hung up")
        return await whole(self, **asked)

    monkeypatch.setattr(ScriptAPI, "generate", generate)


@pytest.fixture
def interrupted(
    tiny: str, tmp_path: Path, outage: None, monkeypatch: pytest.MonkeyPatch
) -> EvalLog:
    """A log whose sample broke down half way; the provider is well again."""
    log = play(tmp_path / "first", market=tiny, days=2)
    monkeypatch.undo()
    error = only(log).error
    assert error is not None
    assert "model turns failed" in error.message
    return log


def retried(log: EvalLog, folder: Path) -> EvalLog:
    [again] = eval_retry(log, log_dir=str(folder), display="none")
    return again


def deal_uuids(log: EvalLog) -> list[str | None]:
    return [e.uuid for e in only(log).events if isinstance(e, InfoEvent) and e.source == SOURCE]


def test_a_retry_ends_with_the_digest_of_an_uninterrupted_run(
    interrupted: EvalLog, tiny: str, tmp_path: Path
) -> None:
    stopped = kept(only(interrupted), "tick")
    assert 36 < stopped < 60
    again = retried(interrupted, tmp_path / "second")
    whole = finished(play(tmp_path / "whole", market=tiny, days=2))
    assert kept(finished(again), "digest") == kept(whole, "digest")
    [(turns,)] = rows(finished(again), "SELECT count(*) FROM turns WHERE tick > 36")
    assert kept(finished(again), "turns") == turns
    ticks = rows(finished(again), "SELECT tick, count(*) FROM ticks WHERE tick > 36 GROUP BY tick")
    assert ticks == [(tick, 1) for tick in range(37, 61)]


def test_a_retry_tells_the_earlier_deals_again_under_the_same_uuids(
    interrupted: EvalLog, tmp_path: Path
) -> None:
    again = retried(interrupted, tmp_path / "second")
    before, after = deal_uuids(interrupted), deal_uuids(again)
    assert set(before) <= set(after)
    assert len(set(after)) == len(after)


def test_the_record_keeps_the_usage_of_all_attempts(
    interrupted: EvalLog, tiny: str, tmp_path: Path
) -> None:
    again = finished(retried(interrupted, tmp_path / "second"))
    whole = finished(play(tmp_path / "whole", market=tiny, days=2))
    query = "SELECT tick, agent_id, usage, model FROM turns ORDER BY turn_id"
    assert rows(again, query) == rows(whole, query)


def test_a_retry_whose_record_is_gone_says_where_it_looked(
    interrupted: EvalLog, tmp_path: Path
) -> None:
    task_id = interrupted.eval.task_id
    shutil.rmtree(paths.records_dir() / task_id)
    shutil.rmtree(tmp_path / "first" / "records")
    again = retried(interrupted, tmp_path / "second")
    error = only(again).error
    assert error is not None
    for place in (str(paths.records_dir() / task_id), str(tmp_path / "second" / "records")):
        assert place in error.message


def test_a_retry_finds_the_record_beside_the_log(interrupted: EvalLog, tmp_path: Path) -> None:
    shutil.rmtree(paths.records_dir() / interrupted.eval.task_id)
    again = retried(interrupted, tmp_path / "first")
    assert kept(finished(again), "tick") == 60


def test_resume_works_in_the_logs_own_folder(
    interrupted: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(paths.records_dir() / interrupted.eval.task_id)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    assert resume_log(interrupted.location) == 0
    assert len(list((tmp_path / "first").glob("*.eval"))) == 2
    assert not list(elsewhere.iterdir())


def test_a_second_retry_at_the_same_time_is_refused(interrupted: EvalLog, tmp_path: Path) -> None:
    working = kept(only(interrupted), "location")
    with Record.open(working):
        again = retried(interrupted, tmp_path / "second")
    error = only(again).error
    assert error is not None
    assert working in error.message
    assert "writ" in error.message


def test_a_run_is_not_gone_on_with_under_other_prompts(
    interrupted: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bazaarbench.evals import session

    monkeypatch.setattr(session, "prompt_digests", lambda *_: {"world": "another"})
    again = retried(interrupted, tmp_path / "second")
    error = only(again).error
    assert error is not None
    assert "prompt_digests" in error.message


def test_a_fresh_eval_never_goes_on_with_another_evals_record(tiny: str, tmp_path: Path) -> None:
    first = finished(play(tmp_path, market=tiny))
    second = finished(play(tmp_path, market=tiny))
    assert kept(first, "location") != kept(second, "location")


def test_a_limit_of_inspect_stops_the_market_which_is_scored_as_far_as_it_got(
    tiny: str, tmp_path: Path
) -> None:
    from inspect_ai import eval

    from bazaarbench.tasks.continuation import continuation

    [log] = eval(
        continuation(market=tiny, days=2),
        model=get_model("bazaarbench/honest"),
        token_limit=40_000,
        log_dir=str(tmp_path),
        display="none",
    )
    sample = only(log)
    assert sample.error is None
    assert sample.limit is not None
    assert kept(sample, "tick") < 60
    assert sample.scores is not None
    score = sample.scores["outcomes"]
    assert score.metadata is not None
    assert score.metadata["stopped"] == {"tick": kept(sample, "tick"), "end_tick": 60}
    assert score.as_dict()["valid_turn_share"] == 1
