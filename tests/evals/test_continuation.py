"""A continuation through the real path of Inspect: what it leaves behind, and what it must not."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import InfoEvent, ModelEvent, SpanBeginEvent

from bazaarbench.conditions import CONDITIONS
from bazaarbench.evals.deals import SOURCE
from bazaarbench.market.digest import digest
from bazaarbench.market.record import read_info, read_texts
from tests.evals.runs import finished, kept, only, play, rows

TESTED = (1, 6, 11, 16)


@pytest.fixture(scope="module")
def log(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return play(tmp_path_factory.mktemp("logs"), market=tiny, condition="L1,L2,L3", days=2)


def test_every_condition_is_one_sample(log: Any) -> None:
    assert log.status == "success"
    assert [sample.id for sample in log.samples] == [
        "tiny-L1-paper",
        "tiny-L2-paper",
        "tiny-L3-paper",
    ]


def test_the_four_tested_agents_are_played_by_the_model_and_nobody_else(log: Any) -> None:
    for sample in log.samples:
        found = rows(sample, "SELECT DISTINCT agent_id FROM turns WHERE role = 'tested'")
        assert {agent_id for (agent_id,) in found} <= set(TESTED)
        assert found
        assert rows(
            sample, "SELECT DISTINCT model FROM turns WHERE tick > 36 AND role = 'scripted'"
        ) == [("honest",)]


def test_scores_are_flat_numbers_with_one_key_set(log: Any) -> None:
    for name in ("record_checks", "outcomes"):
        key_sets = {tuple(sample.scores[name].value) for sample in log.samples}
        assert len(key_sets) == 1
        for sample in log.samples:
            assert all(isinstance(v, int | float) for v in sample.scores[name].value.values())
    assert "F1_S2" in log.samples[0].scores["record_checks"].value
    assert {"completion", "completion_n", "completion_d", "deals", "valid_turn_share"} <= set(
        log.samples[0].scores["outcomes"].value
    )


def test_metrics_name_every_condition_and_the_differences_to_l1(log: Any) -> None:
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert metrics["outcomes"]["valid_turn_share[L1]"].value == 1
    for key in ("F1_S5[L1]", "F1_S5[L2]", "F1_S5[L3]", "F1_S5[L2-L1]", "F1_S5[L3-L1]"):
        assert key in metrics["record_checks"]


def test_the_headline_is_there(log: Any) -> None:
    assert log.results.headline.scorer == "outcomes"
    assert log.results.headline.metric == "completion[L1]"


def test_record_and_findings_lie_beside_the_log(log: Any) -> None:
    folder = Path(log.location).parent / "records" / log.eval.task_id
    for sample in log.samples:
        published = Path(kept(sample, "published"))
        assert published.parent == folder
        assert digest(published) == kept(sample, "digest")
        assert published.with_suffix(".findings.json").exists()


def test_the_store_holds_a_few_small_values(log: Any) -> None:
    for sample in log.samples:
        assert len(json.dumps(sample.store)) < 1500
        assert kept(sample, "tick") == kept(sample, "end_tick") == 36 + 24


def test_every_tick_is_one_span(log: Any) -> None:
    spans = [e for e in log.samples[0].events if isinstance(e, SpanBeginEvent) and e.type == "tick"]
    assert len(spans) == 24
    assert spans[0].name.startswith("tick 37 · Day ")


def test_every_settled_deal_is_one_event_with_a_known_uuid(log: Any) -> None:
    sample = log.samples[0]
    events = [e for e in sample.events if isinstance(e, InfoEvent) and e.source == SOURCE]
    deals = rows(
        sample,
        "SELECT thread_id FROM threads WHERE committed_tick IS NOT NULL AND ended_tick > 36 "
        "ORDER BY ended_tick, thread_id",
    )
    assert [event.data["deal"] for event in events] == [deal for (deal,) in deals]
    assert len({event.uuid for event in events}) == len(events) > 0


def test_only_tested_calls_are_in_the_transcript(log: Any) -> None:
    sample = log.samples[0]
    events = [event for event in sample.events if isinstance(event, ModelEvent)]
    [(turns,)] = rows(sample, "SELECT count(*) FROM turns WHERE role = 'tested'")
    assert len(events) == turns
    assert all(event.tools == [] and event.call is None for event in events)


def test_the_record_knows_its_run(log: Any) -> None:
    info, last_tick = read_info(kept(log.samples[1], "location"))
    assert (info.condition, info.tested, last_tick) == ("L2", TESTED, 60)
    assert info.models == {"tested": "bazaarbench/honest", "background": "honest"}
    assert info.extra["task_id"] == log.eval.task_id
    assert info.keys
    assert {"world", "persona", "L2"} <= set(info.prompt_digests)
    assert any("script" in reason for reason in info.extra["not_comparable"])


def prompts(sample: Any, tick: int) -> dict[int, list[str]]:
    """The texts that each model-played agent was sent at a tick."""
    with read_texts(kept(sample, "location")) as texts:
        return {
            agent_id: [texts.get(key) for key in json.loads(prompt)[0]]
            for agent_id, prompt in rows(
                sample, "SELECT agent_id, prompt FROM turns WHERE tick = ? AND requests = 1", tick
            )
        }


def test_tested_prompts_differ_by_exactly_the_appended_file(log: Any) -> None:
    text = {condition.name: condition.text or "" for condition in CONDITIONS}
    ordinary = prompts(log.samples[0], 37)
    assert set(ordinary) <= set(TESTED)
    for sample, condition in zip(log.samples[1:], ("L2", "L3"), strict=True):
        for agent_id, (world, persona, seen) in prompts(sample, 37).items():
            assert [world, persona, seen] == [
                ordinary[agent_id][0],
                ordinary[agent_id][1] + text[condition],
                ordinary[agent_id][2],
            ]


def test_scripted_prompts_are_the_same_under_every_condition(log: Any) -> None:
    seen = [
        rows(
            sample,
            "SELECT agent_id, observation FROM turns WHERE tick = 37 AND role = 'scripted' "
            "ORDER BY agent_id",
        )
        for sample in log.samples
    ]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0]


def test_usage_of_every_turn_is_in_the_record(log: Any) -> None:
    sample = log.samples[0]
    found = rows(sample, "SELECT usage FROM turns WHERE role = 'tested'")
    total = sum(json.loads(usage)["total_tokens"] for (usage,) in found)
    assert total == sample.model_usage["bazaarbench/honest"].total_tokens


def test_the_garbage_collector_is_given_back(tiny: str, tmp_path: Path) -> None:
    before = gc.get_threshold()
    finished(play(tmp_path, market=tiny))
    assert gc.get_threshold() == before


def test_epochs_have_records_and_seeds_of_their_own(tiny: str, tmp_path: Path) -> None:
    log = play(tmp_path, market=tiny, epochs=2)
    assert log.status == "success"
    infos = [read_info(kept(sample, "location"))[0] for sample in log.samples or []]
    assert [info.epoch for info in infos] == [1, 2]
    assert infos[0].policy_seed != infos[1].policy_seed
    assert infos[0].seed == infos[1].seed


def test_the_json_protocol_plays_the_same_market(tiny: str, tmp_path: Path) -> None:
    native = finished(play(tmp_path, market=tiny))
    written = finished(play(tmp_path, market=tiny, protocol="json"))
    assert kept(written, "digest") == kept(native, "digest")


def test_a_prompt_file_replaces_the_world_text_of_tested_agents(tiny: str, tmp_path: Path) -> None:
    file = tmp_path / "world.md"
    file.write_text("You trade on a market.\n")
    sample = finished(play(tmp_path, market=tiny, prompt=str(file)))
    sent = prompts(sample, 37)
    assert sent
    assert {texts[0] for texts in sent.values()} == {"You trade on a market.\n"}


def test_markets_may_be_played_at_the_same_time(tiny: str, tmp_path: Path) -> None:
    one = play(tmp_path, market=tiny, condition="L1,L3", model="bazaarbench/crooked")
    both = play(
        tmp_path, market=tiny, condition="L1,L3", model="bazaarbench/crooked", markets_at_once=2
    )
    digests = [[kept(s, "digest") for s in log.samples or []] for log in (one, both)]
    assert digests[0] == digests[1]
    assert digests[0][0] != digests[0][1]


def test_a_model_in_the_role_background_plays_the_others(tiny: str, tmp_path: Path) -> None:
    sample = finished(play(tmp_path, market=tiny, model_roles={"background": "bazaarbench/hasty"}))
    found = rows(sample, "SELECT DISTINCT role, model FROM turns WHERE tick > 36 ORDER BY role")
    assert found == [("background", "bazaarbench/hasty"), ("tested", "bazaarbench/honest")]
    assert sample.role_usage["background"].total_tokens > 0
    info, _ = read_info(kept(sample, "location"))
    assert info.models == {"tested": "bazaarbench/honest", "background": "bazaarbench/hasty"}


def test_a_script_plays_the_same_inline_and_behind_a_provider(tiny: str, tmp_path: Path) -> None:
    inline = finished(play(tmp_path, market=tiny, background="honest"))
    behind = finished(play(tmp_path, market=tiny, model_roles={"background": "bazaarbench/honest"}))
    assert kept(inline, "digest") == kept(behind, "digest")


def test_two_ways_to_say_who_plays_the_background_are_refused(tiny: str, tmp_path: Path) -> None:
    log = play(
        tmp_path,
        market=tiny,
        background="hasty",
        model_roles={"background": "bazaarbench/honest"},
    )
    error = only(log).error
    assert error is not None
    assert "give one of them" in error.message
