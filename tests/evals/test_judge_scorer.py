"""The scorer ``rubric_judge`` through Inspect: in an eval, later, again, killed, unbound."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from inspect_ai import eval, score
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import BatchConfig, GenerateConfig, Model, get_model
from inspect_ai.util import registry_info

from bazaarbench import plugins
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.judging_metrics import are_mixed
from bazaarbench.evals.logged import logged_of
from bazaarbench.judge import results, scripted
from bazaarbench.judge.store import JudgeStore, store_path
from bazaarbench.market.record import read_info
from bazaarbench.scorers.rubric_judge import rubric_judge
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.continuation import continuation
from tests.evals.runs import finished, kept, only, rows, said
from tests.servers.openai_server import Asked, Server, openai_server

RULES = "bazaarbench/judge-rules"


def judged_eval(
    log_dir: Path,
    tiny: str,
    *,
    judge: Any = RULES,
    settings: dict[str, Any] | None = None,
    **more: Any,
) -> EvalLog:
    """Have the task made inside of the eval, as the command line does: roles are known then."""
    [log] = eval(
        continuation,
        task_args={"days": 1, "market": tiny, **more, **(settings or {})},
        model="bazaarbench/crooked",
        model_roles={"judge": judge} if judge else None,
        log_dir=str(log_dir),
        display="none",
    )
    return log


@pytest.fixture(scope="module")
def log(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return judged_eval(tmp_path_factory.mktemp("logs"), tiny, condition="L1,L3")


@pytest.fixture(scope="module")
def unjudged(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A log of one sample under L3 with the scorer and without a judge: nobody has judged it.

    Tests that judge it do so with judges of their own, whose verdicts nobody else's are.
    """
    task = continuation(market=tiny, days=1, condition="L3")
    assert isinstance(task.scorer, list)
    task.scorer = [*task.scorer, rubric_judge()]
    folder = tmp_path_factory.mktemp("logs")
    [log] = eval(task, model="bazaarbench/crooked", log_dir=str(folder), display="none")
    return log


def reader(name: str, answer: Callable[..., Any]) -> Model:
    """A judge that is a function; its name is part of what its verdicts are kept by."""
    return get_model(f"mockllm/{name}", custom_outputs=answer)


def value_of(sample: EvalSample, name: str = "rubric_judge") -> dict[str, float]:
    assert sample.scores is not None
    value = sample.scores[name].value
    assert isinstance(value, dict)
    return {key: float(str(one)) for key, one in value.items()}


def record(sample: EvalSample) -> Path:
    return Path(kept(sample, "published"))


def test_a_bound_judge_scores_after_the_record(log: EvalLog) -> None:
    assert log.status == "success", log.error
    assert log.samples is not None
    for sample in log.samples:
        assert sample.scores is not None
        assert list(sample.scores) == ["record_checks", "outcomes", "rubric_judge"]


def test_every_sample_has_the_key_set_that_its_record_began_with(log: EvalLog) -> None:
    keys = results.rubric_keys(plugins.load().failure_types.values())
    for sample in log.samples or ():
        assert tuple(value_of(sample)) == keys
        info, _ = read_info(kept(sample, "location"))
        assert info.extra[results.JUDGE_KEYS] == list(keys)
    assert {"F4_S5", "F5text_S2", "F6_S3", "F1_S1", "merged_F2_S2", "F4_unscored"} <= set(keys)
    assert {"own_failure_linked", "either_failure_linked_unscored"} <= set(keys)


def test_keys_belong_to_one_scorer(log: EvalLog) -> None:
    sample = (log.samples or [])[0]
    names = [set(value_of(sample, n)) for n in ("record_checks", "outcomes", "rubric_judge")]
    assert not names[0] & names[2]
    assert not names[1] & names[2]


def test_what_the_crooked_script_writes_is_found_under_l3_alone(log: EvalLog) -> None:
    ordinary, adversarial = map(value_of, log.samples or ())
    assert ordinary["F5text_S3"] == 0
    assert adversarial["F5text_S3"] > 0
    assert ordinary["unscored_bundles"] == adversarial["unscored_bundles"] == 0


def test_a_scripted_judge_is_labelled_wherever_it_shows(log: EvalLog) -> None:
    for sample in log.samples or ():
        assert sample.scores is not None
        told = sample.scores["rubric_judge"]
        assert "never ranked" in str(told.explanation)
        assert told.metadata is not None
        assert "scripted judge" in told.metadata["judge"]["label"]
        assert "scripted judge" in str(
            results.load(results.results_path(record(sample))).judge.label
        )


def test_verdicts_requests_and_replies_lie_beside_the_published_record(log: EvalLog) -> None:
    for sample in log.samples or ():
        judged = results.load(results.results_path(record(sample)))
        assert judged.scores["judged_bundles"] == len(judged.verdicts) > 0
        with JudgeStore(store_path(record(sample))) as store:
            for verdict in judged.verdicts:
                assert store.exchange(verdict.key) is not None


def test_the_judge_s_calls_leave_no_trace_in_the_transcript(log: EvalLog) -> None:
    for sample in log.samples or ():
        assert "Judging what an agent did" not in sample.model_dump_json()
        assert (sample.role_usage or {})["judge"].total_tokens > 0


def rescored(
    log: EvalLog,
    judge: Any = RULES,
    action: Literal["append", "overwrite"] = "overwrite",
    **options: Any,
) -> EvalLog:
    return score(
        log,
        rubric_judge(**options),
        model="none/none",
        model_roles={"judge": judge} if judge else None,
        action=action,
        display="none",
    )


def test_scoring_again_asks_nobody_and_gives_the_same_bytes(log: EvalLog) -> None:
    before = [results.results_path(record(sample)).read_bytes() for sample in log.samples or ()]
    again = rescored(log)
    for sample, first in zip(again.samples or (), log.samples or (), strict=True):
        assert sample.scores is not None
        assert ", 0 requests were sent for 0 tokens" in str(
            sample.scores["rubric_judge"].explanation
        )
        assert value_of(sample) == pytest.approx(value_of(first), nan_ok=True)
    after = [results.results_path(record(sample)).read_bytes() for sample in log.samples or ()]
    assert before == after


def test_not_blind_is_another_result_and_says_so(unjudged: EvalLog) -> None:
    told = only(rescored(unjudged, judge_blind=False)).scores
    assert told is not None
    assert "not blind" in str(told["rubric_judge"].explanation)
    assert (told["rubric_judge"].metadata or {})["judge"]["blind"] is False


def prompts_of(judge: list[str]) -> Callable[..., Any]:
    def answer(input: Any, *_: Any) -> Any:
        judge.append("\n".join(message.text for message in input))
        return said(scripted.answer(input[-1].text))

    return answer


def test_a_blind_judge_reads_neither_model_nor_condition_and_a_sighted_one_both(
    unjudged: EvalLog,
) -> None:
    for blind in (True, False):
        asked: list[str] = []
        rescored(unjudged, reader("reader", prompts_of(asked)), judge_blind=blind)
        text = "\n".join(asked)
        assert asked
        assert ("bazaarbench/crooked" in text) is not blind
        assert ("L3" in text) is not blind


def test_answers_that_are_none_are_unscored_and_never_clean(unjudged: EvalLog) -> None:
    log = rescored(unjudged, reader("talker", lambda *_: said("Looks fine.")))
    value = value_of(only(log))
    assert value["judged_bundles"] == 0
    assert value["unscored_bundles"] > 0
    for key in ("F4_S2", "F5text_S3", "F6_S5", "F1_S1"):
        assert math.isnan(value[key]), key
    assert value["F5text_unscored"] > 0
    told = only(log).scores
    assert told is not None
    assert (told["rubric_judge"].metadata or {})["unscored"] == {
        "invalid answer": value["unscored_bundles"]
    }
    assert value["own_failure_linked_unscored"] > 0


def test_a_named_judge_keeps_to_a_budget_and_the_next_scoring_by_it_goes_on(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    setting = f"mine:\n  about: A judge.\n  model: {RULES}\n  uses: [judge]\n"
    (tmp_path / "home" / "models.yaml").write_text(setting)
    told_so = {"condition": "L3", "judge_budget": "60k tokens"}
    log = judged_eval(tmp_path / "logs", tiny, judge=None, **told_so, settings={"judge": "mine"})
    value = value_of(finished(log))
    assert value["judged_bundles"] > 0
    assert value["unscored_bundles"] > 0
    told = only(log).scores
    assert told is not None
    assert "budget used up" in str(told["rubric_judge"].explanation)
    # Without a role the judge that the log names goes on.
    again = value_of(only(rescored(log, judge=None)))
    assert again["unscored_bundles"] == 0
    assert again["judged_bundles"] == value["judged_bundles"] + value["unscored_bundles"]


def test_without_a_judge_the_task_has_no_such_score(tiny: str) -> None:
    scorers = continuation(market=tiny, days=1).scorer
    assert isinstance(scorers, list)
    names = [registry_info(one).name for one in scorers]
    assert [name.removeprefix("bazaarbench/") for name in names] == ["record_checks", "outcomes"]


def test_in_an_eval_without_the_role_nothing_is_judged_and_nothing_is_clean(
    unjudged: EvalLog,
) -> None:
    told = (finished(unjudged).scores or {})["rubric_judge"]
    assert told.reason == "no judge"
    assert isinstance(told.value, dict)
    assert all(math.isnan(float(str(one))) for one in told.value.values())


def test_inspect_score_asks_gpt_5_by_default_and_says_what_it_needs(
    unjudged: EvalLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY"):
        score(unjudged, rubric_judge(), model="none/none", display="none")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a budget that is none": ({"judge_budget": "much"}, "judge_budget"),
    "reasoning of nobody": ({"judge_reasoning": "mine"}, "judge_reasoning"),
    "blind in words": ({"judge_blind": "perhaps"}, "judge_blind"),
}


@pytest.mark.parametrize(("options", "named"), REFUSED.values(), ids=REFUSED)
def test_options_that_are_not_allowed_are_refused_by_name(
    options: dict[str, Any], named: str
) -> None:
    with pytest.raises(PrerequisiteError, match=named):
        rubric_judge(**options)


def test_options_for_a_judge_that_is_not_there_are_refused_before_anything_is_played(
    tiny: str, tmp_path: Path
) -> None:
    with pytest.raises(PrerequisiteError, match="no model has the role judge"):
        judged_eval(tmp_path, tiny, judge=None, judge_budget=5)


@pytest.mark.parametrize("judge", [None, RULES])
def test_values_that_are_not_allowed_are_refused_before_anything_is_played(
    judge: str | None, tiny: str, tmp_path: Path
) -> None:
    with pytest.raises(PrerequisiteError, match="judge_reasoning"):
        judged_eval(tmp_path, tiny, judge=judge, judge_reasoning="mine")


def test_dollars_without_a_price_are_refused_before_anything_is_played(
    tiny: str, tmp_path: Path
) -> None:
    judge: Model = get_model("mockllm/unknown-price", config=GenerateConfig())
    with pytest.raises(PrerequisiteError, match="price of the judge"):
        judged_eval(tmp_path, tiny, judge=judge, judge_budget=5)
    assert not list(tmp_path.rglob("*.db"))


def test_a_bound_judge_judges_everybody_in_a_base_market(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    [log] = eval(
        base_market,
        task_args={"days": 1, "agents": 8, "name": "judged"},
        model="bazaarbench/honest",
        model_roles={"judge": RULES},
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    value = value_of(finished(log))
    assert value["unscored_bundles"] == 0
    # Nobody is tested, so the reasoning of all is judged.
    assert value["F4_S1_d"] == rows(only(log), "SELECT count(*) FROM turns WHERE note <> ''")[0][0]
    assert "F4_S1_d[L0]" in {
        name
        for one in log.results.scores
        for name in one.metrics  # type: ignore[union-attr]
    }


# ---- killed -------------------------------------------------------------------------------------

KILLED = """
import sys, time
from inspect_ai import score
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model
import bazaarbench._registry
from bazaarbench.judge import scripted
from bazaarbench.scorers.rubric_judge import rubric_judge
from tests.evals.runs import said

def answer(input, *_):
    time.sleep(0.01)
    print("asked", flush=True)
    return said(scripted.answer(input[-1].text))

judge = get_model("mockllm/killed", custom_outputs=answer)
score(read_eval_log(sys.argv[1]), rubric_judge(), model="none/none", model_roles={"judge": judge},
      action="overwrite", display="none")
"""
ROOT = Path(__file__).parents[2]


def counted(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def test_a_scoring_that_is_killed_goes_on_and_pays_for_nothing_twice(unjudged: EvalLog) -> None:
    kept_store = store_path(kept(only(unjudged), "location"))
    first = subprocess.Popen(
        [sys.executable, "-c", KILLED, unjudged.location],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert first.stdout is not None
    paid = 0
    for line in first.stdout:
        paid += line.startswith("asked")
        if paid == 5:
            first.send_signal(signal.SIGKILL)
            break
    first.wait()
    before, held = counted(kept_store, "asks"), counted(kept_store, "verdicts")
    asked: list[list[str]] = [[], []]
    second, third = (
        value_of(only(rescored(unjudged, reader("killed", prompts_of(prompts)))))
        for prompts in asked
    )
    assert len(asked[0]) == counted(kept_store, "asks") - before > 0
    assert asked[1] == []
    # Every verdict was asked for once: what the killed process had kept was not paid for again.
    assert (
        counted(kept_store, "verdicts") - held + killed_verdicts(kept_store, before)
        == (second["judged_bundles"])
    )
    assert second == third


def killed_verdicts(path: Path, before: int) -> int:
    """How many verdicts the killed judge had given by then, of all that lie in the file."""
    query = (
        "SELECT count(*) FROM verdicts JOIN asks USING (ask_id) "
        "WHERE model = 'mockllm/killed' AND ask_id <= ?"
    )
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute(query, (before,)).fetchone()
    return int(count)


# ---- a provider ---------------------------------------------------------------------------------


def behind(server: Server, **config: Any) -> Model:
    return get_model(
        "openai/gpt-5",
        base_url=server.url,
        api_key="test-key",
        memoize=False,
        config=GenerateConfig(max_retries=6, **config),
    )


def test_batches_are_asked_for_through_the_role_s_configuration_and_are_the_same_judge(
    unjudged: EvalLog,
) -> None:
    def by_rules(asked: Asked) -> str:
        return scripted.answer(asked.user)

    with openai_server(by_rules) as server:
        batch = BatchConfig(size=1_000, send_delay=0.5, tick=0.1)
        first = rescored(unjudged, behind(server, batch=batch))
        # An answer that did not come would be asked for again below; this says why it did not.
        assert value_of(only(first))["unscored_bundles"] == 0, only(first).scores
        asked = len(server.asked)
        assert sum(server.batches) == asked > 1
        assert len(server.batches) < asked
        again = rescored(unjudged, behind(server))
        assert len(server.asked) == asked
    assert value_of(only(first)) == value_of(only(again))
    scores = only(first).scores
    assert scores is not None
    about = (scores["rubric_judge"].metadata or {})["judge"]
    assert (about["served"], about["label"]) == ("gpt-5-2025-08-07", None)


def test_two_versions_of_a_judge_in_one_sample_are_refused(unjudged: EvalLog) -> None:
    """What its provider serves under one name changes in the middle."""

    def by_rules(asked: Asked) -> str:
        server.served = "gpt-5-2025-08-07" if asked.number < 3 else "gpt-5-2026-01-01"
        return scripted.answer(asked.user)

    with openai_server(by_rules) as server:
        with pytest.raises(PrerequisiteError, match="two versions cannot stand in one result"):
            rescored(unjudged, behind(server, max_connections=1, reasoning_effort="low"))
        assert len(server.asked) > 3


def test_of_two_judges_of_a_log_reports_name_the_one_whose_values_they_take(
    unjudged: EvalLog,
) -> None:
    first = rescored(unjudged, reader("talker", lambda *_: said("Looks fine.")))
    both = only(rescored(first, reader("later", prompts_of([])), action="append"))
    assert list(both.scores or {}) == ["rubric_judge", "rubric_judge1"]
    logged = logged_of(first, both.summary())
    assert str(logged.judge).startswith("mockllm/later")
    assert logged.scores["judged_bundles"] == value_of(both, "rubric_judge1")["judged_bundles"] > 0


# ---- mixing -------------------------------------------------------------------------------------


def told(**changes: Any) -> dict[str, Any]:
    return {
        "model": "openai/gpt-5",
        "served": "gpt-5-2025-08-07",
        "blind": True,
        "settings": "s",
        "reasoning": "tested",
        "rubrics": {"F4": "a", "F5text,F6": "b"},
        **changes,
    }


def test_samples_of_one_judge_may_stand_in_one_result() -> None:
    assert not are_mixed([told(), told(rubrics={"F4": "a"}), told(rubrics={})])


@pytest.mark.parametrize(
    "changes",
    [
        {"served": "gpt-5-2026-01-01"},
        {"model": "openai/gpt-6"},
        {"blind": False},
        {"settings": "t"},
        {"reasoning": "all"},
        {"rubrics": {"F4": "z"}},
    ],
)
def test_different_judges_rubrics_or_ways_are_never_pooled(changes: dict[str, Any]) -> None:
    assert are_mixed([told(), told(**changes)])
