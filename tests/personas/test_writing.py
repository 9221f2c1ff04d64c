"""One agent's texts are asked for, sent back with the reasons, and taken or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bazaarbench.personas.briefs import brief_of
from bazaarbench.personas.checks import UNREADABLE_CHECKS
from bazaarbench.personas.writing import (
    Message,
    Outcome,
    Reply,
    Spent,
    opening,
    prompts_digest,
    write,
)
from bazaarbench.personas.writing_report import in_words, report
from tests.personas.writer import Spoil, brief, names, plans, scripted


def phone(made: dict[str, Any]) -> None:
    made["memories"][0]["content"] = "Call +44 20 7123 4567 about the box."


def wrong_reference(made: dict[str, Any]) -> None:
    made["memories"][0]["items"] = ["own-77"]


def unknown_kind(made: dict[str, Any]) -> None:
    made["memories"][0]["kind"] = "gossip"


BAD: list[tuple[str, str | Spoil, str]] = [
    ("wrong item reference", wrong_reference, "own-77"),
    ("a telephone number", phone, "personal data (phone)"),
    ("an unknown memory kind", unknown_kind, "memories[0].kind"),
    ("bad JSON", '{"profession": ', "not one JSON object"),
    ("nothing", "", "The answer is empty."),
    ("a refusal", "I'm sorry, I can't help with that.", "not one JSON object"),
]


async def run(*replies: str | Spoil | None, reasks: int = 2) -> tuple[Outcome, list[list[Message]]]:
    ask, asked = scripted(*replies)
    return await write(brief(), names(), ask, reasks=reasks), asked


@pytest.mark.parametrize(("bad", "told"), [(b, t) for _, b, t in BAD], ids=[n for n, _, _ in BAD])
async def test_a_bad_answer_is_sent_back_with_the_reason_and_a_good_one_then_taken(
    bad: str | Spoil, told: str
) -> None:
    outcome, asked = await run(bad, None)
    assert outcome.texts is not None
    assert len(asked) == 2
    assert told in asked[1][-1].content
    assert told in " ".join(outcome.sent_back[0])
    assert asked[1][:2] == asked[0]


@pytest.mark.parametrize(("bad", "told"), [(b, t) for _, b, t in BAD], ids=[n for n, _, _ in BAD])
@pytest.mark.parametrize("reasks", [0, 2])
async def test_a_bad_writer_is_asked_the_stated_number_of_times_and_then_refused_with_reasons(
    bad: str | Spoil, told: str, reasks: int
) -> None:
    outcome, asked = await run(bad, reasks=reasks)
    assert len(asked) == 1 + reasks
    assert outcome.texts is None
    assert len(outcome.sent_back) == 1 + reasks
    assert all(told in " ".join(reasons) for reasons in outcome.sent_back)
    assert outcome.spent == Spent(
        calls=1 + reasks,
        input_tokens=10 * (1 + reasks),
        output_tokens=5 * (1 + reasks),
        usd=0.25 * (1 + reasks),
    )


async def test_the_conversation_holds_the_last_answer_alone() -> None:
    _, asked = await run("first", "second", "third")
    roles = [[message.role for message in messages] for messages in asked]
    assert roles == [
        ["system", "user"],
        ["system", "user", "assistant", "user"],
        ["system", "user", "assistant", "user"],
    ]
    assert asked[2][2].content == "second"


async def test_a_content_filter_is_a_reason_whatever_the_text() -> None:
    async def ask(messages: object) -> Reply:
        return Reply("", "m", Spent(calls=1), "The writer refused (content filter).")

    outcome = await write(brief(), names(), ask, reasks=1)
    assert outcome.sent_back == (("The writer refused (content filter).",),) * 2
    assert (outcome.passed, outcome.checks) == (0, UNREADABLE_CHECKS)


async def test_what_the_provider_raises_is_no_refusal() -> None:
    async def ask(messages: object) -> Reply:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        await write(brief(), names(), ask, reasks=2)


def test_the_prompt_holds_the_facts_and_no_hidden_one() -> None:
    plan = plans()[0]
    told = opening(brief_of(plan))[1].content
    for unit in plan.units:
        assert f"{unit.quality_pct} percent" not in told
        assert str(unit.cost_cents) not in told
    assert plan.agent.street not in told
    assert plan.agent.zip not in told
    facts = json.loads(told)
    assert [item["ref"] for item in facts["items"]][-1] == "goal-1"
    assert len(facts["events"]) == len(plan.persona.journal)
    past = {item["ref"]: item["name"] for item in facts["items"] if item["ref"].startswith("past")}
    assert [past[event["ref"]] for event in facts["events"]] == [
        entry.item for entry in plan.persona.journal
    ]


def test_no_bound_is_left_open_in_the_prompt() -> None:
    system = opening(brief())[0].content
    assert "{" not in system
    assert "bad_experience" in system
    assert "canary" not in system


def test_facts_and_not_hints_make_the_digest_of_a_brief() -> None:
    about = brief()
    assert about.model_copy(update={"manner_hint": "Loud."}).digest == about.digest
    assert about.model_copy(update={"ceiling_cents": 1}).digest != about.digest


def test_the_prompts_have_one_digest() -> None:
    assert prompts_digest() == prompts_digest()
    assert len(prompts_digest()) == 64


async def outcomes(*bad: int) -> list[Outcome]:
    found = []
    for agent_id in range(1, 7):
        ask, _ = scripted(phone if agent_id in bad else None)
        found.append(await write(brief(agent_id), names(), ask, reasks=1))
    return found


async def test_a_report_counts_what_was_taken_refused_and_spent() -> None:
    figures = report(await outcomes(2, 5), 6)
    assert (figures["agents"], figures["written"]) == (6, 4)
    assert list(figures["refused"]) == [2, 5]
    assert figures["sent_back_for"] == {"memories": 4}
    assert figures["spent"] == {"calls": 8, "input_tokens": 80, "output_tokens": 40, "usd": 2.0}
    grounded = figures["groundedness"]
    assert grounded["all"] == grounded["passed"] / grounded["checks"] < 1
    assert grounded["by_agent"][1] == 1 > grounded["by_agent"][2]
    assert set(figures["diversity"]["missed"]) == {"self_summary", "memories"}
    words = in_words(figures)
    assert "4 of 6 agents are written, 2 refused" in words
    assert "8 calls, 80 tokens read, 40 written, $2.00" in words
    assert "## Agent 5 was refused" in words
    assert "missed" in words
    json.dumps(figures)


async def test_a_report_says_what_it_does_not_know() -> None:
    figures = report([], 6)
    assert figures["groundedness"]["all"] is None
    assert figures["diversity"] is None
    assert "Groundedness unknown" in in_words(figures)
    unpriced = [one.model_copy(update={"spent": Spent(usd=None)}) for one in await outcomes()]
    assert report(unpriced, 6)["spent"]["usd"] is None
    assert "the price is not known" in in_words(report(unpriced, 6))
