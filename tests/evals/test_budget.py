"""A budget ends a sample between two ticks; all attempts count, and a larger one goes on."""

from __future__ import annotations

import json
import math
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelCost,
    ModelInfo,
    ModelUsage,
    get_model,
    set_model_info,
)

from bazaarbench.errors import RecordError, SettingError
from bazaarbench.evals.logged import collect
from bazaarbench.evals.logs import resume_log, score_log
from bazaarbench.evals.lost_answers import LostAnswers
from bazaarbench.evals.spending import Account, Charge, budgets_of, usd_of
from tests.evals.runs import answering, call, finished, kept, only, play, rows, said

ROOT = Path(__file__).parents[2]
#: Per million tokens, so that the three tokens read and two written of ``said`` cost 2.3 cents.
COST = ModelCost(input=1000, output=10_000, input_cache_write=1250, input_cache_read=100)
CALL_USD = 0.023


def waiting(*_: Any) -> Any:
    return said("Decision note: I wait.", [call("do_nothing", {})])


@pytest.fixture
def priced() -> Model:
    set_model_info("mockllm/model", ModelInfo(cost=COST))
    return answering(waiting)


def spent(log: EvalLog) -> dict[str, Any]:
    told: dict[str, Any] = kept(only(log), "spent")
    return told


def usage_in_record(log: EvalLog) -> int:
    found = rows(only(log), "SELECT usage FROM turns WHERE tick > 36 AND requests > 0")
    return sum(json.loads(usage)["total_tokens"] for (usage,) in found)


def test_a_run_in_its_budget_plays_to_its_end_and_tells_its_exact_cost(
    priced: Model, tiny: str, tmp_path: Path
) -> None:
    log = play(tmp_path, priced, market=tiny, budget="1000")
    told = spent(log)
    [(calls,)] = rows(finished(log), "SELECT count(*) FROM turns WHERE tick > 36 AND requests = 1")
    assert kept(only(log), "tick") == 48
    assert told["calls"] == calls
    assert told["tokens"] == usage_in_record(log) == 5 * calls
    assert told["usd"] == pytest.approx(calls * CALL_USD)
    assert told["lost_calls"] == 0


@pytest.mark.parametrize(("budget", "most_calls"), [("0.2", 8), ("40 tokens", 8)])
def test_a_budget_ends_the_sample_at_a_tick_and_is_never_passed(
    priced: Model, tiny: str, tmp_path: Path, budget: str, most_calls: int
) -> None:
    log = play(tmp_path, priced, market=tiny, budget=budget)
    sample = only(log)
    assert log.status == "success"
    assert sample.error is None
    assert sample.limit is not None
    assert "--budget" in (sample.limit.reason or "")
    assert 36 < kept(sample, "tick") < 48
    assert 0 < spent(log)["calls"] <= most_calls
    last = rows(sample, "SELECT max(tick) FROM ticks")
    assert last == [(kept(sample, "tick"),)]


def test_a_stopped_sample_is_scored_as_far_as_it_got_and_no_whole_run(
    priced: Model, tiny: str, tmp_path: Path
) -> None:
    log = play(tmp_path, priced, market=tiny, budget="0.2")
    scores = only(log).scores
    assert scores is not None
    for scorer in ("record_checks", "outcomes"):
        assert (scores[scorer].metadata or {})["stopped"]["tick"] == kept(only(log), "tick")
    values = scores["outcomes"].as_dict()
    assert values["valid_turn_share_d"] == spent(log)["calls"]
    assert math.isnan(float(values["both_on_target"] or 0))
    assert math.isnan(float(values["earnings_usd"] or 0))
    assert log.results is not None
    metrics = {name for score in log.results.scores for name in score.metrics}
    assert "valid_turn_share[L1 part]" in metrics
    assert "valid_turn_share[L1]" not in metrics
    assert score_log(log.location) == 0
    again = only(read_eval_log(log.location)).scores
    assert again is not None
    assert again["outcomes"].metadata == scores["outcomes"].metadata
    assert str(again["outcomes"].value) == str(scores["outcomes"].value)
    assert [one.reason for one in collect([str(tmp_path)]).left_out] == [
        f"it was stopped at tick {kept(only(log), 'tick')} of 48: bazaarbench resume LOG goes on "
        "with it"
    ]


def test_a_larger_budget_goes_on_to_the_end_of_an_undisturbed_run(
    priced: Model, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Inspect makes the model anew for a retry, by its name.
    monkeypatch.setattr("inspect_ai.model._providers.mockllm.MockLLM.generate", _waits)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    first = play(tmp_path / "run", "mockllm/model", market=tiny, budget="0.2")
    before = spent(first)["calls"]
    assert resume_log(first.location, "5, 2M tokens") == 0
    [second] = [one for one in (tmp_path / "run").glob("*.eval") if str(one) != first.location]
    again = read_eval_log(str(second))
    whole = play(tmp_path / "whole", "mockllm/model", market=tiny)
    assert kept(finished(again), "digest") == kept(finished(whole), "digest")
    assert spent(again) == spent(whole)
    assert spent(again)["calls"] > before


async def _waits(*_: Any, **__: Any) -> Any:
    return waiting()


def test_what_an_outage_lost_is_in_the_totals(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count()

    async def hangs_up(*_: Any, **__: Any) -> Any:
        if next(calls) == 20:
            raise ConnectionResetError("the provider has hung up")
        return waiting()

    monkeypatch.setattr("inspect_ai.model._providers.mockllm.MockLLM.generate", hangs_up)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    set_model_info("mockllm/model", ModelInfo(cost=COST))
    first = play(tmp_path, "mockllm/model", market=tiny, max_failed_turns=0, max_connections=1)
    assert "model turns failed" in str(only(first).error)
    told = spent(first)
    assert told["lost_calls"] > 0
    assert resume_log(first.location) == 0
    [second] = [one for one in tmp_path.glob("*.eval") if str(one) != first.location]
    again = read_eval_log(str(second))
    assert spent(again)["lost_calls"] == told["lost_calls"]
    assert spent(again)["tokens"] == usage_in_record(again) + 5 * told["lost_calls"]
    # Every call that was answered, in both attempts: the mock has counted them.
    assert spent(again)["calls"] == next(calls) - 1


def test_dollars_need_prices_before_anything_is_played(tiny: str, tmp_path: Path) -> None:
    set_model_info("mockllm/unpriced", ModelInfo())
    from inspect_ai import eval

    from bazaarbench.evals.compat import PrerequisiteError

    with pytest.raises(PrerequisiteError, match="price of mockllm/unpriced is not known"):
        eval(
            f"{ROOT}/tasks/continuation.py@continuation",
            model="mockllm/unpriced",
            task_args={"market": tiny, "budget": 5},
            log_dir=str(tmp_path),
            display="none",
        )
    assert not list(tmp_path.rglob("*.db"))


def test_a_script_costs_nothing_and_its_dollars_are_never_used_up(
    tiny: str, tmp_path: Path
) -> None:
    log = play(tmp_path, get_model("bazaarbench/honest"), market=tiny, budget=0.01)
    assert kept(finished(log), "tick") == 48
    assert spent(log)["usd"] == 0
    assert spent(log)["tokens"] > 0


@pytest.mark.parametrize("told", ["none", "-1", "0", "5 pounds", "2M"])
def test_a_budget_that_is_none_says_what_is_allowed(told: str) -> None:
    with pytest.raises(SettingError, match="2M tokens"):
        budgets_of([told])


def test_two_budgets_of_one_kind_are_refused() -> None:
    with pytest.raises(SettingError, match="two amounts in usd"):
        budgets_of(["5", "6 usd"])


def test_cached_tokens_are_paid_at_their_own_price() -> None:
    usage = ModelUsage(
        input_tokens=100,
        output_tokens=10,
        total_tokens=1310,
        input_tokens_cache_write=200,
        input_tokens_cache_read=1000,
    )
    told = {k: v for k, v in usage.model_dump(exclude_none=True).items() if isinstance(v, int)}
    assert usd_of(told, COST) == pytest.approx(0.1 + 0.1 + 0.25 + 0.1)
    assert usd_of(told, None) is None


def test_a_tick_is_begun_only_when_one_like_the_dearest_would_fit() -> None:
    account = Account({"tested": COST}, budgets_of(["100 tokens"]))
    for tokens in (10, 40, 9):
        assert account.reached() is None
        account.add_tick([Charge("tested", 1, {"total_tokens": tokens})])
    assert account.reached() is None  # 59 + 40 fit
    account.add_tick([Charge("tested", 1, {"total_tokens": 2})])
    assert account.reached() is not None


async def test_answers_of_a_killed_tick_stay_and_committed_ones_go(tmp_path: Path) -> None:
    from bazaarbench.agents.policy import Reply

    record = tmp_path / "run.db"

    async def answers(_: Any) -> Reply:
        return Reply(usage={"total_tokens": 5})

    def notes(last_tick: int) -> LostAnswers:
        return LostAnswers(record, last_tick)

    first = notes(10)
    ask = first.noting("tested", lambda: 11, answers)
    await ask([])
    first.committed()
    ask = first.noting("tested", lambda: 12, answers)
    await ask([])
    await ask([])
    # Killed here: nothing is closed, and the last line is cut off.
    with first.path.open("ab") as file:
        file.write(b'{"role": "tes')
    second = notes(11)
    assert [charge.calls for charge in second.charges] == [1, 1]
    await second.noting("tested", lambda: 12, answers)([])
    # Killed between the commit of tick 12 and crossing it out.
    third = notes(12)
    assert len(third.charges) == 2
    third.close()
    assert len(notes(12).charges) == 2


def test_a_damaged_file_of_lost_answers_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.lost.jsonl").write_text("nonsense\n")
    with pytest.raises(RecordError, match=r"run\.lost\.jsonl"):
        LostAnswers(tmp_path / "run.db", 3)


def test_options_of_a_model_do_not_change_its_price() -> None:
    from bazaarbench.evals.spending import cost_of

    set_model_info("mockllm/model", ModelInfo(cost=COST))
    assert cost_of(get_model("mockllm/model", config=GenerateConfig(temperature=1))) == COST
