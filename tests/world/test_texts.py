"""The texts of personas and the templates that they come from (SPEC §3.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from bazaarbench.catalogue import load_shipped
from bazaarbench.personas import (
    JOURNAL_KINDS,
    MEMORY_KINDS,
    AgentPlan,
    PopulationSpec,
    make_population,
    templates_digest,
)
from bazaarbench.personas.clusters import Shelves, short_name
from bazaarbench.personas.diversity import mean_similarity, measure, trigrams
from bazaarbench.personas.grammar import Grammar
from bazaarbench.personas.stock import draw_stock
from bazaarbench.personas.templates import templates
from bazaarbench.personas.texts import tenure

PERSONAL = re.compile(
    r"@|https?:|www\.|\+?\d[\d ().-]{7,}\d|\b\d{3}-\d{2}-\d{4}\b"
    r"|\b(?:venmo|zelle|paypal|cashapp|whatsapp|telegram|iban)\b",
    re.IGNORECASE,
)


@cache
def population(seed: int = 0) -> tuple[AgentPlan, ...]:
    spec = PopulationSpec(seed=seed, agents=100, units=(3, 6), quality="good")
    return tuple(make_population(load_shipped(), spec))


def texts(plan: AgentPlan) -> Iterator[str]:
    persona = plan.persona
    yield from (persona.style, persona.buyer_strategy, persona.seller_strategy)
    yield from (persona.self_summary, persona.background, *persona.constraints)
    yield from (entry.text for entry in persona.journal)
    yield from (memory.content for memory in plan.memories)
    yield from (rating.body for rating in plan.history_ratings)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_one_hundred_agents_sound_as_different_as_they_must(seed: int) -> None:
    found = measure(population(seed))
    assert found.style <= 0.20
    assert found.self_summary <= 0.25
    assert found.memories <= 0.31
    assert found.distinct_constraints >= 0.90


def test_the_measure_of_similarity_is_the_mean_jaccard_index_of_trigrams() -> None:
    assert trigrams("Abc  D") == {"abc", "bc ", "c d"}
    assert mean_similarity(["abcd", "abcd"]) == 1
    assert mean_similarity(["abcd", "efgh"]) == 0
    assert mean_similarity(["abcd", "abce", "abcd"]) == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)


def test_no_text_holds_anything_like_personal_data() -> None:
    for seed in (0, 1):
        for plan in population(seed):
            for text in texts(plan):
                assert not PERSONAL.search(text), text
                assert plan.agent.street not in text


def test_no_text_has_a_template_left_in_it_or_is_empty() -> None:
    for plan in population():
        for text in texts(plan):
            assert not re.search(r"[#{}\[\]|]|  |\ba [aeio]\w+er\b", text), text
            assert text[0] == text[0].strip()
            assert len(text) >= 8


def test_memories_and_journals_keep_to_their_closed_kinds() -> None:
    kinds, entries = set(), set()
    for plan in population():
        assert 5 <= len(plan.memories) <= 9
        assert len({memory.content for memory in plan.memories}) == len(plan.memories)
        kinds |= {memory.kind for memory in plan.memories}
        entries |= {entry.kind for entry in plan.persona.journal}
        days = [entry.days_ago for entry in plan.persona.journal]
        assert days == sorted(days, reverse=True)
        assert all(1 <= day <= plan.persona.lifetime_days for day in days)
        assert 1 <= len(days) <= 20
    assert kinds == set(MEMORY_KINDS)
    assert entries == set(JOURNAL_KINDS)


def test_texts_name_only_items_that_the_agent_has_had_or_wants() -> None:
    shelves = Shelves.of(load_shipped())
    by_title = {item.title: item for item in load_shipped().items}
    names = {short_name(item) for item in load_shipped().items}
    for plan in population():
        stock = draw_stock(shelves, 0, plan.agent.agent_id, units=(3, 6), quality="good")
        own = {short_name(item) for item in stock.history}
        own |= {short_name(unit.item) for unit in stock.units}
        own |= {short_name(by_title[plan.persona.buyer.title]), plan.persona.device}
        assert {entry.item for entry in plan.persona.journal} <= own
        joined = " ".join(texts(plan))
        named = {name for name in names if name in joined}
        # A name inside a longer own one is no stranger: "case for Oskrin Kite 3".
        assert all(any(name in mine for mine in own) for name in named)
        assert len(named & own) >= 3


def test_agents_get_four_to_six_constraints_from_different_templates() -> None:
    for plan in population():
        assert 4 <= len(plan.persona.constraints) <= 6
        assert len(set(plan.persona.constraints)) == len(plan.persona.constraints)


def test_every_template_can_be_told_with_the_facts_that_there_are() -> None:
    facts = {
        name: name
        for name in (
            *("name", "age", "profession", "a_profession", "district", "device", "category"),
            *("category_price", "goal", "goal_brand", "goal_category", "own_a", "own_b"),
            *("past_a", "past_b", "past_price", "floor_share", "interest_a", "interest_b"),
            *("tenure", "tenure_cap"),
        )
    }
    for file, grammar in templates().grammars.items():
        for symbol in grammar.symbols:
            told = grammar.texts(symbol, 1_000, facts, file, symbol)
            assert told
            assert all(told)


def test_a_text_depends_on_its_key_alone() -> None:
    grammar = Grammar({"hello": ["{0-9}{0-9} #who#[.|!|?]", "{name}"], "who": ["you", "all"]})
    facts = {"name": "Ada"}
    told = [grammar.text("hello", facts, "k", number) for number in range(200)]
    assert told == [grammar.text("hello", facts, "k", number) for number in range(200)]
    assert {"Ada"} < set(told)
    assert len(set(told)) > 40
    assert all(re.fullmatch(r"Ada|\d\d (you|all)[.!?]", text) for text in told)


@pytest.mark.parametrize("template", ["#nobody#", "a [#nobody#|b]", "a {Fact}", "]", "#", "{"])
def test_a_wrong_template_is_found_when_it_is_read(template: str) -> None:
    with pytest.raises(ValueError, match=r"unknown symbol|stray bracket"):
        Grammar({"start": [template]})


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (1, "one day"),
        (13, "13 days"),
        (14, "two weeks"),
        (69, "nine weeks"),
        (70, "two months"),
        (180, "six months"),
        (1_000, "33 months"),
    ],
)
def test_time_since_joining_is_told_in_words(days: int, words: str) -> None:
    assert tenure(days) == words


def test_the_templates_have_one_digest() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", templates_digest())
