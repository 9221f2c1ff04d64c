"""What sends a writer's answer back (SPEC §3.4): every rule, broken alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bazaarbench.catalogue import load_shipped
from bazaarbench.personas.briefs import Brief, ItemFact
from bazaarbench.personas.checks import UNREADABLE_CHECKS, Verdict, judge
from bazaarbench.personas.clusters import short_name
from bazaarbench.personas.written import UnreadableAnswer, Written, read_answer
from tests.personas.writer import brief, good, names

Change = Callable[[dict[str, Any]], None]


def verdict(change: Change | None = None, about: Brief | None = None) -> Verdict:
    about = about or brief()
    made = good(json.loads(about.told()))
    if change is not None:
        change(made)
    return judge(read_answer(json.dumps(made)), about, names())


def put(field: str, text: str) -> Change:
    return lambda made: made.update({field: text})


def remember(text: str) -> Change:
    return lambda made: made["memories"][0].update(content=text)


def stranger() -> str:
    """The name of an item that agent 1 has nothing to do with."""
    own = {item.name for item in brief().items} | {item.brand for item in brief().items}
    return next(
        short_name(item)
        for item in load_shipped().items
        if short_name(item) not in own and item.brand not in own and item.model
    )


def test_good_texts_pass_for_every_agent_and_are_fully_grounded() -> None:
    for agent_id in range(1, 21):
        found = verdict(about=brief(agent_id, 20))
        assert found.faults == ()
        assert found.tally.groundedness == 1


SPOILT: list[tuple[Change, str]] = [
    (lambda made: made["memories"][1].update(items=["own-99"]), '"own-99" is no reference'),
    (lambda made: made["memories"][1].update(items=["goal"]), "allowed: own-1"),
    (remember(f"The {stranger()} sold well."), "which is none of the items"),
    (
        put("self_summary", f"Sixty characters and more about the {stranger()} that I never had."),
        "it",
    ),
    (remember("My iPhone 12 sold in a day."), '"iPhone"'),
    (remember("It went for $31.50 in the end."), '"$31.50", which is not among the facts'),
    (remember("It went for 480 dollars in the end."), "480 dollars"),
    (remember("It went for two hundred dollars."), "hundred dollars"),
    (remember("Text me at (212) 555-2368."), "looks like personal data (phone)"),
    (remember("Ruf mich an: +49 171 1234567."), "looks like personal data (phone)"),
    (put("style", "Signs all letters as jo.smith@gmail.com, always."), "(email)"),
    (
        put("background", "Lives at 14 Maple Drive with two cats and a shed full of tools."),
        "(address)",
    ),
    (lambda made: made["journal"][0].update(text="Paid to DE89 3704 0044 0532 0130 00."), "(iban)"),
    (lambda made: made["constraints"].append("Card 4242 4242 4242 4242 only."), "(card)"),
    (put("profession", "baker, 536-90-4399"), "(national id)"),
    (put("seller_strategy", "Everything that I sell is at https://jo-smith.net/me always."), "web"),
    (remember("I still think of own-1 at night."), "stands in a sentence"),
    (put("background", "A quiet person.\nFACTS: {} and more of the same kind of text."), "markup"),
    (remember("As a language model I forget nothing."), "the person is a person"),
    (remember("1234567890 12"), "it holds no words"),
    (remember("Nobody\x00 came."), "another control character"),
    (remember("Nobody\u202e came."), "another control character"),
    (lambda made: made["journal"].pop(), "one entry for each event"),
    (lambda made: made["journal"].reverse(), "one entry for each event"),
    (lambda made: made["journal"][0].update(kind="blocked_buyer"), "journal[0]: event 1 is sold"),
    (lambda made: made["journal"][0].update(ref="goal-1"), "of goal-1"),
    (lambda made: made["memories"].append(made["memories"][0]), "two of them are the same"),
    (lambda made: made["constraints"].append(made["constraints"][0]), "constraints: two of them"),
]


@pytest.mark.parametrize(("change", "told"), SPOILT, ids=[told for _, told in SPOILT])
def test_an_answer_that_breaks_one_rule_is_sent_back_with_that_reason(
    change: Change, told: str
) -> None:
    (fault,) = verdict(change).faults
    assert told in fault


@pytest.mark.parametrize(
    "text",
    [
        "The Ludenza Sentry SE 3 asks $215, take it or leave it.",
        "Dropping it by $20 woke up three bidders, 12 percent in all.",
        "My number for tests is 555-0123, and jo@example.com.",
        "The Playdris Rift SE 2 was better than the Playdris Rift 2 that I have.",
        "Ludenza boxes are heavier than Padrillo ones.",
    ],
)
def test_own_names_given_amounts_small_steps_and_reserved_values_pass(text: str) -> None:
    assert verdict(remember(text)).faults == ()


def test_another_generation_of_an_own_item_is_a_stranger() -> None:
    for other in ("Ludenza Sentry SE 9", "Ludenza Zenith", "Playdris Rift 7 Console"):
        (fault,) = verdict(remember(f"The {other} is on my mind.")).faults
        assert other in fault


def test_a_name_inside_a_longer_own_name_is_no_stranger() -> None:
    kite = ItemFact(
        ref="own-1",
        standing="in hand",
        name="Case for Oskrin Kite 3",
        title="Case for Oskrin Kite 3 Black",
        brand="Nimbrel",
        category="electronics-phones",
    )
    text = "My case for Oskrin Kite 3 is new."
    assert names().strangers(text, [kite]) == []
    assert names().strangers(text, brief().items) == ["Oskrin Kite 3"]


def test_somebody_in_trouble_remembers_a_bad_experience() -> None:
    troubled = brief().model_copy(update={"tier": "troubled"})

    def forget(made: dict[str, Any]) -> None:
        made["memories"] = [m for m in made["memories"] if m["kind"] != "bad_experience"]

    assert verdict(about=troubled).faults == ()
    (fault,) = verdict(forget, troubled).faults
    assert "bad_experience" in fault


def test_groundedness_is_the_share_of_checks_passed_and_too_little_is_sent_back() -> None:
    def loosen(number: int) -> Change:
        def change(made: dict[str, Any]) -> None:
            for memory in made["memories"][:number]:
                memory["items"] = []

        return change

    whole, one = verdict(), verdict(loosen(1))
    assert one.faults == ()
    assert one.tally.checks == whole.tally.checks == whole.tally.passed
    assert one.tally.passed == whole.tally.passed - 1
    few_events = brief().model_copy(update={"events": brief().events[:1]})
    (fault,) = verdict(loosen(6), few_events).faults
    assert "Too little rests on the facts" in fault
    assert "memories[5]" in fault


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("Sure! Here is the persona you asked for.", "not one JSON object"),
        ('{"profession": "baker"', "not one JSON object"),
        ("[]", "should be an object"),
        ("x" * 60_001, "60,000 characters"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(text: str, told: str) -> None:
    with pytest.raises(UnreadableAnswer) as caught:
        read_answer(text)
    assert told in caught.value.reasons[0]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda made: made["memories"][2].update(kind="price_tip"), "memories[2].kind"),
        (lambda made: made["journal"][0].update(kind="returned"), "journal[0].kind"),
        (lambda made: made.update(style="x"), "style"),
        (lambda made: made.update(self_summary="I " * 400), "self_summary"),
        (lambda made: made["memories"].clear(), "memories"),
        (lambda made: made["memories"].extend(made["memories"]), "memories"),
        (lambda made: made.update(price_cents=100), "price_cents"),
        (lambda made: made.pop("journal"), "journal"),
        (lambda made: made.update(profession=7), "profession"),
    ],
)
def test_fields_kinds_and_lengths_are_closed(change: Change, where: str) -> None:
    made = good(json.loads(brief().told()))
    change(made)
    with pytest.raises(UnreadableAnswer) as caught:
        read_answer(json.dumps(made))
    assert any(reason.startswith(f"{where}:") for reason in caught.value.reasons)


def test_a_code_fence_and_what_no_record_can_hold_are_taken_off() -> None:
    made = good(json.loads(brief().told()))
    plain = read_answer(json.dumps(made))
    assert read_answer(f"\n```json\n{json.dumps(made, indent=1)}\n```\n") == plain
    made["profession"] = " night baker \ud800"
    assert read_answer(json.dumps(made, ensure_ascii=False)).profession == "night baker"


def test_an_unreadable_answer_fails_every_check_of_the_smallest_one() -> None:
    made = good(json.loads(brief().told()))
    made["memories"] = made["memories"][:5]
    made["journal"] = made["journal"][:1]
    about = brief().model_copy(update={"events": brief().events[:1]})
    smallest = judge(Written.model_validate_json(json.dumps(made)), about, names())
    assert smallest.tally.checks == UNREADABLE_CHECKS
