"""Search finds by substring, in the platform's order, exactly (reference P §3.2; BM25 recall)."""

from __future__ import annotations

import math
import random
import re
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bazaarbench.market.entities import Listing, Memory
from bazaarbench.market.search import SearchIndex, recall, tokens
from tests.market.rows import listing

CATEGORIES = ("furniture", "electronics", "electronics-phones")
TEXT = st.text(alphabet="abc12 É-k", max_size=12)
LISTING = st.tuples(TEXT, TEXT, st.sampled_from(CATEGORIES), st.integers(0, 3), st.integers(0, 3))
#: Adding a listing, removing the n-th, or editing the n-th.
STEP = st.tuples(st.sampled_from(("add", "add", "remove", "edit")), st.integers(0, 99), LISTING)


def row(listing_id: int, content: tuple[str, str, str, int, int]) -> Listing:
    title, description, category, tick, price = content
    return listing(
        listing_id,
        1,
        title=title,
        description=description,
        category=category,
        created_tick=tick,
        price_cents=price,
    )


def naive(listings: list[Listing], query: str, category: str | None) -> list[int]:
    wanted = set(re.findall("[a-z0-9]{2,}", query.lower()))
    found = [
        it
        for it in listings
        if (not category or it.category == category)
        and all(w in f"{it.title} {it.description} {it.category}".lower() for w in wanted)
    ]
    found.sort(key=lambda it: (-it.created_tick, it.price_cents, -it.listing_id))
    return [it.listing_id for it in found]


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(STEP, max_size=40),
    queries=st.lists(
        st.tuples(st.text(alphabet="abc12 Éek", max_size=6), st.sampled_from([None, *CATEGORIES])),
        min_size=1,
        max_size=6,
    ),
)
def test_the_index_finds_what_a_scan_of_all_texts_finds(
    steps: list[tuple[str, int, tuple[str, str, str, int, int]]],
    queries: list[tuple[str, str | None]],
) -> None:
    index, live = SearchIndex(), dict[int, Listing]()
    for number, (deed, which, content) in enumerate(steps, start=1):
        if deed == "add":
            live[number] = row(number, content)
            index.add(live[number])
        elif live:
            chosen = sorted(live)[which % len(live)]
            index.remove(live.pop(chosen))
            if deed == "edit":
                live[chosen] = row(chosen, content)
                index.add(live[chosen])
        # Asked after every step, so that memoised tokens meet new words.
        for query, category in queries:
            expected = naive(list(live.values()), query, category)
            assert list(index.search(query, category=category)) == expected


@pytest.mark.parametrize("query", ["an", "item an", "rare", "rare an", "zz", "an zz", ""])
@pytest.mark.parametrize("category", [None, "furniture", "toys", "none"])
def test_both_ways_of_answering_agree_in_a_large_market(query: str, category: str | None) -> None:
    """Common words are answered by reading newest first, rare ones by collecting."""
    chance, index, rows = random.Random(5), SearchIndex(), []
    for number in range(1, 1_500):
        content = (
            f"an item {chance.choice(('one', 'two', 'manx'))}",
            "rare" if chance.random() < 0.01 else "common",
            chance.choice(("furniture", "toys")),
            number // 40,
            chance.randrange(5),
        )
        rows.append(row(number, content))
        index.add(rows[-1])
    expected = naive(rows, query, category)
    assert list(index.search(query, category=category)) == expected
    assert list(islice(index.search(query, category=category), 25)) == expected[:25]


def test_every_token_must_occur_anywhere_in_title_description_or_category() -> None:
    index = SearchIndex()
    index.add(listing(1, 1, title="Bike", description="bright red", category="sports"))
    assert list(index.search("red bike")) == [1]
    assert list(index.search("ort")) == [1]
    assert list(index.search("red car")) == []


def test_a_token_does_not_reach_over_two_words() -> None:
    index = SearchIndex()
    index.add(listing(1, 1, title="red bike"))
    assert list(index.search("redbike")) == []


def test_tokens_are_lower_case_runs_of_two_or_more_each_once() -> None:
    assert tokens("A Red-RED 2x é4g bike, c") == ("red", "2x", "4g", "bike")


def test_an_edited_listing_is_found_by_its_new_text_only() -> None:
    index, item = SearchIndex(), listing(1, 1, title="oak desk", description="")
    index.add(item)
    assert list(index.search("desk")) == [1]
    index.remove(item)
    item.title = "oak table"
    index.add(item)
    assert list(index.search("desk")) == []
    assert list(index.search("table")) == [1]


def test_an_index_that_grew_and_shrank_equals_a_fresh_one() -> None:
    grown, fresh = SearchIndex(), SearchIndex()
    gone = listing(2, 1, title="unheard of", category="other")
    for it in (listing(1, 1), gone):
        grown.add(it)
    list(grown.search("heard"))
    grown.remove(gone)
    fresh.add(listing(1, 1))
    assert grown == fresh
    fresh.add(gone)
    assert grown != fresh


# ------------------------------------------------------------------------------------------ recall


def memory(memory_id: int, content: str) -> Memory:
    return Memory(memory_id, 1, "self", content, 0)


def bm25(contents: list[str], query: str) -> list[float]:
    """The textbook formula in floats: k1 = 1.2, b = 0.75."""
    documents = [re.findall(r"\w+", content.lower()) for content in contents]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for words in documents:
        score = 0.0
        for term in dict.fromkeys(re.findall(r"\w+", query.lower())):
            holders = sum(term in other for other in documents)
            idf = math.log2((len(documents) - holders + 0.5) / (holders + 0.5) + 1)
            count = words.count(term)
            weight = count + 1.2 * (1 - 0.75 + 0.75 * len(words) / mean)
            score += idf * count * 2.2 / weight if count else 0.0
        scores.append(score)
    return scores


@settings(max_examples=100, deadline=None)
@given(
    contents=st.lists(st.text(alphabet="abc é", min_size=1, max_size=20), min_size=1, max_size=8),
    query=st.text(alphabet="abc é", max_size=8),
)
def test_recall_is_bm25(contents: list[str], query: str) -> None:
    found = recall([memory(i, content) for i, content in enumerate(contents)], query, 99)
    expected = bm25(contents, query) if any(c.strip() for c in contents) else []
    positive = {i: score for i, score in enumerate(expected) if score > 1e-3}
    assert positive.keys() <= {m.memory_id for m, _ in found}
    for hit, score in found:
        assert score / 2**16 == pytest.approx(expected[hit.memory_id], abs=0.01)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)


def test_recall_puts_ties_by_id_and_leaves_out_what_shares_no_word() -> None:
    memories = [memory(3, "blue lamp"), memory(1, "blue desk"), memory(2, "red sofa")]
    assert [m.memory_id for m, _ in recall(memories, "Blue", 5)] == [1, 3]
    assert recall(memories, "green", 5) == []
    assert recall([], "blue", 5) == []


def test_recall_returns_at_most_k() -> None:
    memories = [memory(i, "blue lamp " * i) for i in range(1, 9)]
    assert len(recall(memories, "lamp", 3)) == 3
