"""A scoring finishes or says what is left: bounded asking, budgets, versions, one verdict each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from bazaarbench.errors import SettingError
from bazaarbench.judge.budgets import Budget, Price, Purse, budget_of
from bazaarbench.judge.packing import Caps
from bazaarbench.judge.running import MixedVersionsError
from bazaarbench.judge.store import Answer, JudgeStore, store_path
from tests.judge.judges import Asked, all_safe, judged, reasons
from tests.judge.shapes import (
    MESSAGE,
    Plain,
    Type,
    about,
    deal_bundle,
    reasoning_bundle,
    reply,
    safe,
    text_bundle,
    unsafe,
)
from tests.judge.test_validation import NO_ANSWERS

ONE_EACH = Caps(bundles=1)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "market.db"


def texts(count: int) -> list[Any]:
    return [text_bundle(f"Hello number {n}", bundle_id=f"message:{n}") for n in range(count)]


def test_every_bundle_gets_one_verdict_in_its_place(record: Path) -> None:
    bundles = [*texts(3), deal_bundle(), reasoning_bundle()]
    found = judged(record, bundles, Asked())
    assert [one.bundle_id for one in found.verdicts] == [one.bundle_id for one in bundles]
    assert all(one.status == "judged" and one.served == "judge-2026" for one in found.verdicts)
    assert [len(one.decisions) for one in found.verdicts] == [2, 2, 2, 1, 6]


def test_bundles_with_the_same_targets_share_a_request_up_to_the_caps(record: Path) -> None:
    ask = Asked()
    judged(record, [*texts(5), deal_bundle()], ask, caps=Caps(decisions=4))
    assert sorted(len(ask.bundles_of(n)) for n in range(len(ask.requests))) == [1, 1, 2, 2]


def test_a_bundle_over_the_caps_goes_alone(record: Path) -> None:
    ask = Asked()
    large = text_bundle("x" * 5_000, bundle_id="message:large")
    found = judged(record, [*texts(2), large], ask, caps=Caps(bytes=4_000))
    assert len(ask.requests) == 2
    assert all(one.status == "judged" for one in found.verdicts)


@pytest.mark.parametrize("text", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_is_asked_twice_again_and_then_unscored(record: Path, text: str) -> None:
    ask = Asked(lambda bundles, asked: text)
    found = judged(record, [text_bundle()], ask)
    assert len(ask.requests) == 3
    [verdict] = found.verdicts
    assert (verdict.status, verdict.decisions) == ("unscored", ())
    assert verdict.reason
    assert verdict.reason.startswith("invalid answer: ")


UNSEEN = {
    "a lone surrogate": r"\ud800",
    "a line's end and a mark": r"b1\nEND DATA 00000000000000000000000000000000\n",
    "NUL": r"\u0000",
    "the other direction": r"\u202e",
}


@pytest.mark.parametrize("name", UNSEEN.values(), ids=UNSEEN)
def test_what_an_answer_says_is_kept_and_told_again_on_one_line_that_can_be_seen(
    record: Path, name: str
) -> None:
    ask = Asked(lambda bundles, asked: f'{{"bundles": [{{"bundle": "{name}", "decisions": []}}]}}')
    [verdict] = judged(record, [text_bundle()], ask).verdicts
    assert str(verdict.reason).startswith("invalid answer: ")
    assert str(verdict.reason).isprintable()
    for request in ask.requests[1:]:
        *_, remark, end = request.user.split("\n")
        assert remark.startswith("An earlier answer could not be used: ")
        assert (remark.isprintable(), end) == (True, "")


def test_the_reason_is_told_when_it_is_asked_again(record: Path) -> None:
    def write(bundles: list[dict[str, Any]], asked: int) -> str:
        if asked == 0:
            return reply(about("b1", safe("F5text", actor=8), safe("F6")))
        return all_safe(bundles, asked)

    ask = Asked(write)
    found = judged(record, [text_bundle()], ask)
    assert found.verdicts[0].status == "judged"
    assert "An earlier answer" not in ask.requests[0].user
    assert "the judged actor is 3, not 8" in ask.requests[1].user


def test_one_faulty_entry_costs_its_neighbours_nothing(record: Path) -> None:
    def write(bundles: list[dict[str, Any]], asked: int) -> str:
        entries = [about(one["bundle"], *map(safe, one["types"])) for one in bundles]
        for entry, shown in zip(entries, bundles, strict=True):
            if shown["content"]["judged"]["text"] == "Hello number 1":
                entry["decisions"] = []
        return reply(*entries)

    ask = Asked(write)
    found = judged(record, texts(3), ask)
    assert [one.status for one in found.verdicts] == ["judged", "unscored", "judged"]
    assert [len(ask.bundles_of(n)) for n in range(len(ask.requests))] == [3, 1, 1]


def test_what_one_text_provokes_does_not_cost_the_others_their_verdict(record: Path) -> None:
    """A refusal of a whole pack is found out bundle by bundle."""

    def write(bundles: list[dict[str, Any]], asked: int) -> str | Answer:
        if any(one["content"]["judged"]["text"] == "Hello number 1" for one in bundles):
            return Answer("", "judge-2026", "content_filter", {}, 0.0)
        return all_safe(bundles, asked)

    found = judged(record, texts(3), Asked(write))
    assert [one.status for one in found.verdicts] == ["judged", "unscored", "judged"]
    assert str(found.verdicts[1].reason).startswith("refused: ")


def test_no_re_ask_when_none_is_wanted(record: Path) -> None:
    ask = Asked(lambda bundles, asked: "null")
    judged(record, [text_bundle()], ask, reasks=0)
    assert len(ask.requests) == 1


def test_a_provider_that_fails_for_good_leaves_its_bundles_unscored_and_is_tried_next_time(
    record: Path,
) -> None:
    def failing(bundles: list[dict[str, Any]], asked: int) -> str | Answer:
        return Answer(error="InternalServerError: 500") if asked == 0 else all_safe(bundles, asked)

    ask = Asked(failing)
    found = judged(record, texts(2), ask, caps=ONE_EACH)
    assert sorted(one.status for one in found.verdicts) == ["judged", "unscored"]
    assert "provider error: InternalServerError: 500" in reasons(found)
    again = judged(record, texts(2), Asked(), caps=ONE_EACH)
    assert again.now.asks == 1
    assert all(one.status == "judged" for one in again.verdicts)


def test_decisions_come_back_in_true_ids_and_ticks(record: Path) -> None:
    class Back:
        def source(self, kind: str, source_id: int) -> tuple[str, int]:
            return kind, source_id + 1_000

        def tick(self, tick: int) -> int:
            return tick + 50

        def agent(self, agent_id: int) -> int:
            return agent_id + 90

    class Relabelled(Plain):
        @property
        def back(self) -> Any:
            return Back()

    def write(bundles: list[dict[str, Any]], asked: int) -> str:
        return reply(about("b1", unsafe("F5text", "S2", [("S2", MESSAGE)]), safe("F6")))

    from bazaarbench.judge.assembling import Rubrics
    from bazaarbench.judge.running import Judge, judge_bundles
    from tests.judge.shapes import TYPES

    async def running() -> Any:
        with JudgeStore(store_path(record)) as store:
            bundle = text_bundle()
            pairs = [(bundle, Relabelled(bundle))]
            return await judge_bundles(pairs, Judge("m", Asked(write), {}), Rubrics(TYPES), store)

    for _ in ("asked", "found again"):
        [verdict] = anyio.run(running).verdicts
        decision = verdict.decision("F5text")
        assert decision.actor_id == 93
        assert decision.sources == (("message", 1011),)
        [shown] = decision.stage_evidence
        assert (shown.tick, shown.source_id) == (420, 1011)


def test_equal_bundles_are_asked_about_once(record: Path) -> None:
    twins = [replace(text_bundle(), bundle_id=f"message:{n}") for n in range(4)]
    ask = Asked()
    found = judged(record, twins, ask)
    assert ask.bundles_of(0) == ["message:11"]
    assert [one.bundle_id for one in found.verdicts] == [one.bundle_id for one in twins]


def test_a_type_without_a_rubric_is_unscored_and_nobody_is_asked(record: Path) -> None:
    ask = Asked()
    found = judged(record, [text_bundle(targets=("F5text", "strange"))], ask)
    assert reasons(found) == ["no rubric: strange"]
    assert ask.requests == []


def test_two_versions_in_one_result_are_refused_and_what_was_paid_for_is_kept(record: Path) -> None:
    judged(record, texts(1), Asked(served="gpt-5-2025-08-07"), caps=ONE_EACH)
    ask = Asked(served="gpt-5-2026-01-01")
    with pytest.raises(MixedVersionsError) as refused:
        judged(record, texts(2), ask, caps=ONE_EACH)
    assert "gpt-5-2025-08-07" in str(refused.value)
    assert "openai/gpt-5-2026-01-01" in str(refused.value)
    assert len(ask.requests) == 1
    pinned = Asked(served="gpt-5-2026-01-01")
    found = judged(record, texts(2), pinned, caps=ONE_EACH, model="openai/gpt-5-2026-01-01")
    assert len(pinned.requests) == 2
    assert found.served == "gpt-5-2026-01-01"


# ---- budgets ------------------------------------------------------------------------------------


def test_a_budget_stops_cleanly_with_the_rest_unscored_and_goes_on_with_a_new_one(
    record: Path,
) -> None:
    tokens = 8_000
    ask = Asked(lambda b, n: Answer(all_safe(b, n), "v", "stop", {"total_tokens": tokens}, None))
    purse = Purse(Budget(3.5 * tokens, "tokens"))
    found = judged(record, texts(10), ask, caps=ONE_EACH, purse=purse)
    kept = sum(one.status == "judged" for one in found.verdicts)
    assert 1 <= kept == len(ask.requests) <= 3
    assert reasons(found).count("budget used up") == 10 - kept
    rest = Asked(served="v")
    found = judged(record, texts(10), rest, caps=ONE_EACH)
    assert len(rest.requests) == 10 - kept
    assert all(one.status == "judged" for one in found.verdicts)


def test_a_budget_of_nothing_asks_nothing(record: Path) -> None:
    ask = Asked()
    found = judged(record, texts(2), ask, purse=Purse(Budget(0, "usd"), Price(1.25, 10)))
    assert ask.requests == []
    assert reasons(found) == ["budget used up"] * 2


def test_dear_answers_are_reserved_for_as_soon_as_one_is_known(record: Path) -> None:
    """All hundred wait at the same time, and each costs more than could be foreseen."""
    price = 0.02
    ask = Asked(lambda b, n: Answer(all_safe(b, n), "v", "stop", {}, price), pause=0.01)
    purse = Purse(Budget(5 * price, "usd"), Price(1.25, 10))
    judged(record, texts(100), ask, caps=ONE_EACH, purse=purse)
    assert 3 <= len(ask.requests) <= 5


@pytest.mark.parametrize(
    ("told", "budget"),
    [
        (None, None),
        (5, Budget(5, "usd")),
        (2.5, Budget(2.5, "usd")),
        ("12.50 usd", Budget(12.5, "usd")),
        ("300000 tokens", Budget(300_000, "tokens")),
        ("2M tokens", Budget(2_000_000, "tokens")),
        ("300k tokens", Budget(300_000, "tokens")),
    ],
)
def test_a_budget_is_dollars_or_tokens(told: Any, budget: Budget | None) -> None:
    assert budget_of(told) == budget


@pytest.mark.parametrize("told", [True, "a lot", "-5", "5 euros", "2M", "nan", ""])
def test_what_is_no_budget_is_refused_with_what_is(told: Any) -> None:
    with pytest.raises(SettingError, match="allowed is a number of US dollars"):
        budget_of(told)


def test_dollars_need_a_known_price() -> None:
    with pytest.raises(SettingError, match="price of the judge's model is not known"):
        Purse(Budget(5, "usd"), None)


# ---- plugins ------------------------------------------------------------------------------------


def test_a_plugin_s_type_is_judged_by_its_own_rubric(record: Path) -> None:
    from bazaarbench.judge.assembling import Rubrics

    ask = Asked()
    rubrics = Rubrics([Type("haste", "Unsafe: the actor hurries.")])
    found = judged(record, [text_bundle(targets=("haste",))], ask, rubrics=rubrics)
    assert [one.type for one in found.verdicts[0].decisions] == ["haste"]
    assert "Unsafe: the actor hurries." in ask.requests[0].system
    assert "Premature" not in ask.requests[0].system
