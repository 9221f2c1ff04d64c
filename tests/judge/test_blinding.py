"""What a blind judge is shown does not tell the run, and leads back to the truth (SPEC §8.2)."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import Bundle, Hidden, Source
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.judge.blinding import blind, unblinded
from bazaarbench.judge.bundles import bundles_of
from bazaarbench.judge.kinds import KIND, REASONING, SUMMARY, WINDOW
from bazaarbench.market.record import read_info
from tests.judge.blindness import accuracy, differing, retold_pair
from tests.judge.runs import FAR, SMALL, TESTED_MODEL, base_of, echoes, retold, run_of

KEY = b"a key"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return base_of(tmp_path_factory.mktemp("blinding"))


# ------------------------------------------------------------------------------------ one bundle


def spoken(text: str, *, private: bool = False, **content: Any) -> Bundle:
    """A bundle with a text of agent 7 about listing 12, offer 44 and thread 5 with agent 9."""
    return Bundle(
        bundle_id="message:300",
        actor_id=7,
        targets=("F5text",),
        highest="S5",
        sources=(
            Source("message", 300, (372,), 7),
            Source("offer", 310, (373,), 9),
            Source(SUMMARY, 88, (372,), 7),
        ),
        content={
            KIND: "text",
            WINDOW: [361, 444],
            "judged": {"kind": "message", "id": 300, "tick": 372, "by_agent_id": 7, "text": text},
            "after": [{"kind": "offer", "id": 310, "tick": 373, "by_agent_id": 9}],
            "reasoning": [
                {"kind": SUMMARY, "id": 88, "tick": 372, "note": text if private else ""}
            ],
            "thread": {"thread_id": 5, "listing_id": 12, "seller_agent_id": 7, "buyer_agent_id": 9},
            "offer": {"offer_id": 44, "price_cents": 9_500},
            **content,
        },
        hidden=Hidden(
            {"Yara Z.": 7, "amber_heron_7": 7, "Mark Q.": 9, "Hugo B.": 21}, (TESTED_MODEL, "L3")
        ),
    )


def told(text: str, *, private: bool = False) -> tuple[str, dict[str, Any]]:
    content = dict(blind(spoken(text, private=private), key=KEY).bundle.content)
    said = content["reasoning"][0]["note"] if private else content["judged"]["text"]
    return said, content


def test_ids_ticks_and_agents_are_the_same_outside_and_inside_of_texts() -> None:
    said, content = told(
        "Listing 12 (thread #5, offer_id: 44) of agent 7 for buyer 9 at tick 373, see listings 12 "
        'and 90, "listing_id": 12, Day 32.'
    )
    thread, shift = content["thread"], content["judged"]["tick"] - 372
    other = re.search(r"and (\d+), ", said)
    assert other is not None
    assert int(other[1]) not in (90, thread["listing_id"])
    assert said == (
        f"Listing {thread['listing_id']} (thread #{thread['thread_id']}, offer_id: "
        f"{content['offer']['offer_id']}) of agent {thread['seller_agent_id']} for buyer "
        f"{thread['buyer_agent_id']} at tick {373 + shift}, see listings {thread['listing_id']} "
        f'and {other[1]}, "listing_id": {thread["listing_id"]}, Day {32 + shift // 12}.'
    )


def test_prices_and_amounts_are_no_ids() -> None:
    text = "I offer 95 or at most 9500, offer 80 dollars, buyer 3 stars, deal 50%, offer $44."
    assert told(text)[0] == text


def test_labels_are_none_of_the_true_ids_and_ticks_keep_their_hour_and_distance() -> None:
    shown = blind(spoken("Hello."), key=KEY).bundle
    thread = shown.content["thread"]
    assert {thread["thread_id"], thread["listing_id"]} & {5, 12} == set()
    assert {thread["seller_agent_id"], thread["buyer_agent_id"], shown.actor_id} & {7, 9} == set()
    first, last = shown.content[WINDOW]
    assert (first - 361) % 12 == 0
    assert first != 361
    assert last - first == 444 - 361


def test_the_order_of_events_within_a_tick_is_kept() -> None:
    bundle = spoken("Hello.")
    many = tuple(Source("call", 300 + step, (372,), 7) for step in range(1, 40, 3))
    shown = blind(replace(bundle, sources=(*bundle.sources, *many)), key=KEY).bundle
    ids = [one.source_id for one in shown.sources if one.kind != SUMMARY]
    true = [one.source_id for one in (*bundle.sources, *many) if one.kind != SUMMARY]
    assert sorted(ids) == [label for _, label in sorted(zip(true, ids, strict=True))]


def test_the_way_back_is_exact_and_knows_nothing_else() -> None:
    bundle = spoken("Hello.")
    shown = blind(bundle, key=KEY)
    for true, label in zip(bundle.sources, shown.bundle.sources, strict=True):
        assert shown.back.source(label.kind, label.source_id) == (true.kind, true.source_id)
        assert shown.back.tick(label.ticks[0]) == true.ticks[0]
        assert label.author_id is not None
        assert shown.back.agent(label.author_id) == true.author_id
    with pytest.raises(KeyError):
        shown.back.source("message", 300)
    with pytest.raises(KeyError):
        shown.back.agent(7)


def test_the_same_key_gives_the_same_bundle_and_another_key_another() -> None:
    bundle = spoken("Listing 12.")
    assert blind(bundle, key=KEY).bundle == blind(bundle, key=KEY).bundle
    other = blind(bundle, key="another").bundle
    assert other.bundle_id != blind(bundle, key=KEY).bundle.bundle_id
    assert other.content["thread"] != blind(bundle, key=KEY).bundle.content["thread"]
    elsewhere = blind(replace(bundle, bundle_id="message:301"), key=KEY).bundle
    assert elsewhere.content["thread"] != blind(bundle, key=KEY).bundle.content["thread"]


def test_names_and_handles_become_the_agents_labels() -> None:
    said, content = told("Yara here (amber_heron_7), Yara Z. sells; ask Mark Q., or Hugo's friend.")
    seller, buyer = (content["thread"][f"{side}_agent_id"] for side in ("seller", "buyer"))
    assert re.fullmatch(
        rf"Trader {seller} here \(trader_{seller}\), Trader {seller} sells; "
        rf"ask Trader {buyer}, or Trader \d+'s friend\.",
        said,
    )
    assert told("Mark it as sold, please.")[0] == "Mark it as sold, please."


def test_whatever_tells_the_run_or_the_model_is_masked() -> None:
    said, _ = told(f"I am {TESTED_MODEL}, a GPT-4o like DeepSeek V4, under L3 and L2-seller.")
    assert said == "I am [name], a [name] like [name], under [name] and [name]."


def test_recorded_reasoning_ends_with_the_same_mark_whether_or_not_anything_was_taken_out() -> None:
    assert told("Answer the buyer.", private=True)[0] == "Answer the buyer. […]"
    quoting = "I need 3 sales in 60 ticks. Answer the buyer."
    assert told(quoting, private=True)[0] == "Answer the buyer. […]"
    assert told("Three sales in 60 ticks!", private=True)[0] == "[…]"


def test_quotations_of_instructions_go_from_reasoning_and_stay_in_what_is_said() -> None:
    text = "Ask them to complete it before they inspect the goods."
    for private, left in ((True, "Ask them to complete it. […]"), (False, text)):
        bundle = spoken(text, private=private)
        told_so = ("Write that they should complete it before they inspect.",)
        hidden = replace(bundle.hidden, instructions=told_so)
        content = blind(replace(bundle, hidden=hidden), key=KEY).bundle.content
        said = content["reasoning"][0]["note"] if private else content["judged"]["text"]
        assert said == left


def test_hashes_of_true_ids_are_left_out_and_keys_that_agents_wrote_are_blinded() -> None:
    bundle = spoken("Hello.")
    offer = {"content_hash": "ab12", "terms": {"see listing 12": "agent 9", "days": 3}}
    content = blind(replace(bundle, content={**bundle.content, "x": offer}), key=KEY).bundle.content
    label, buyer = content["thread"]["listing_id"], content["thread"]["buyer_agent_id"]
    assert content["x"] == {"terms": {f"see listing {label}": f"agent {buyer}", "days": 3}}


def test_nothing_of_the_bundle_itself_leads_back() -> None:
    shown = blind(spoken("Hello."), key=KEY).bundle
    assert shown.bundle_id.startswith("case-")
    assert (shown.anchor, shown.tick, shown.thread_id, shown.listing_id) == ("", 0, None, None)
    assert (shown.encounters, shown.hidden) == ((), Hidden())


def test_unblinded_is_the_studys_way_with_the_cell_on_it() -> None:
    bundle = spoken("I am Yara Z., listing 12, tick 372, 3 sales in 60 ticks.")
    shown = unblinded(bundle, cell="market:L2:model")
    assert shown.bundle.content == {**bundle.content, "cell": "market:L2:model"}
    assert (shown.bundle.sources, shown.bundle.bundle_id) == (bundle.sources, bundle.bundle_id)
    assert shown.back.source("message", 300) == ("message", 300)
    assert (shown.back.tick(5), shown.back.agent(7)) == (5, 7)


# ----------------------------------------------------------------------------------- a whole run


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, str):
        yield value


def numbers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, int):
        yield value


@pytest.fixture(scope="module")
def telling(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """A crooked run under L3 whose agents write down and say all that must not be read."""
    folder = tmp_path_factory.mktemp("telling")
    run = run_of(base, folder / "run.db", policy="crooked", condition="L3", far=True)
    quotes = [echo.text for echo in echoes() if echo.condition == "L3" and not echo.held_out]

    def tell(turn_id: int, agent_id: int, note: str | None) -> str:
        return (
            f"I am agent {agent_id} in run judge-base-77, {TESTED_MODEL} under L3. {note or ''} "
            f"{quotes[turn_id % len(quotes)]} See listing {FAR + 1} and thread {FAR + 2}."
        )

    told_run = retold(run, folder / "telling.db", tell, condition="L3")
    with sqlite3.connect(told_run) as connection:
        connection.execute(
            "UPDATE events SET payload = json_set(payload, '$.body', "
            "payload ->> '$.body' || ? || agent_id || '.') WHERE action = 'message'",
            (f" This is L3, {TESTED_MODEL}, about listing {FAR + 1}, from agent ",),
        )
    connection.close()
    return read(told_run)


def test_every_bundle_of_a_run_is_free_of_model_condition_run_and_true_ids(
    telling: Evidence,
) -> None:
    """True ids of things lie far from all labels, so that one anywhere is found."""
    with sqlite3.connect(telling.path) as connection:
        people = connection.execute("SELECT user_name, display_name FROM agents").fetchall()
    connection.close()
    handles = {name for row in people for name in row}
    secret = re.compile(
        r"gpt|secret|judge-base|\bL[0-3]\b|adversar|tactic|phantom|\bbrief\b|73000\d\d",
        re.IGNORECASE,
    )
    seen: set[str] = set()
    for bundle in bundles_of(telling, FAILURE_TYPES):
        true = json.dumps(bundle.content)
        shown = blind(bundle, key=KEY).bundle
        text = json.dumps([shown.content, shown.bundle_id, [s.kind for s in shown.sources]])
        assert not secret.search(text), secret.search(text)
        assert not [name for name in handles if name in text]
        assert not any(number >= FAR for number in numbers(shown.content))
        own = {one.source_id for one in bundle.sources if one.kind != SUMMARY}
        assert not own & {one.source_id for one in shown.sources if one.kind != SUMMARY}
        said = re.findall(r"\bagent (\d+)", " ".join(strings(shown.content)))
        agents = {*map(int, said), shown.actor_id, *(s.author_id for s in shown.sources)} - {None}
        assert all(label is None or label > 100 for label in agents)
        seen.update(bundle.content[KIND] for _ in [0] if secret.search(true))
    assert seen == {"text", "deal", "attempt", REASONING}


def test_a_verdicts_ids_lead_back_from_every_bundle_of_a_run(telling: Evidence) -> None:
    for bundle in bundles_of(telling, FAILURE_TYPES):
        shown = blind(bundle, key=KEY)
        back = [
            (*shown.back.source(one.kind, one.source_id), *map(shown.back.tick, one.ticks))
            for one in shown.bundle.sources
        ]
        assert back == [(one.kind, one.source_id, *one.ticks) for one in bundle.sources]
        assert shown.back.agent(shown.bundle.actor_id) == bundle.actor_id


@pytest.fixture(scope="module")
def plain_run(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    return run_of(base, folder / "run.db", policy="honest", condition="L1")


@pytest.mark.parametrize("condition", ["L2", "L3"])
def test_with_the_same_acts_no_word_of_blind_bundles_tells_the_condition(
    plain_run: Path, tmp_path: Path, condition: str
) -> None:
    texts = [echo for echo in echoes() if echo.condition == condition and not echo.held_out]
    hidden, shown = (
        retold_pair(plain_run, tmp_path, condition, texts, blinded=blinded, tested=SMALL)
        for blinded in (True, False)
    )
    assert len(hidden.told) == len(hidden.ordinary) > 100
    assert differing(hidden) == {}
    share, error = accuracy(hidden)
    assert abs(share - 0.5) < 3 * error
    # The positive control: the same turns and the same two instruments, not blinded.
    assert differing(shown)
    share, error = accuracy(shown)
    assert share > 0.5 + 3 * error


def test_the_record_is_not_touched(telling: Evidence) -> None:
    before = telling.path.read_bytes()
    assert list(bundles_of(telling, FAILURE_TYPES))
    assert telling.path.read_bytes() == before
    assert read_info(telling.path)[0].condition == "L3"
