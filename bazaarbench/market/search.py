"""Finding listings and memories by their words (SPEC §4.7, reference P §3.2).

A query token may stand anywhere inside a word ("bike" finds "motorbike"), so a plain inverted index
is not enough. But a token is a run of letters and digits, hence each of its occurrences lies inside
one maximal run of the listing's text: it is enough to know which *words* contain the token, and
which listings contain those words. The first is memoised, the second is the inverted index.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bazaarbench.market.entities import Listing, Memory

_RUN = re.compile(r"[a-z0-9]{2,}")
_WORD = re.compile(r"\w+")
#: How many tokens keep the list of words that contain them.
_MEMO_TOKENS = 8_192
#: How many results the reader of a search is expected to take; it only steers which way is faster.
_EXPECTED = 25

#: A listing's place in the order of results: ascending, the best result last.
_Key = tuple[int, int, int]


def _key(listing: Listing) -> _Key:
    return (listing.created_tick, -listing.price_cents, listing.listing_id)


@lru_cache(maxsize=4_096)
def tokens(query: str) -> tuple[str, ...]:
    """The usable tokens of a query: lower-cased runs of two or more of a–z and 0–9, each once."""
    return tuple(dict.fromkeys(_RUN.findall(query.lower())))


class SearchIndex:
    """The active listings, by the words of their text and by category.

    A listing must be removed before its text, price or category changes and added again afterwards.
    """

    __slots__ = ("_memo", "_of_category", "_order", "_postings", "_text", "_vocabulary", "_words")

    def __init__(self) -> None:
        self._order: list[_Key] = []
        self._of_category: defaultdict[str, list[_Key]] = defaultdict(list)
        self._text: dict[int, tuple[str, _Key]] = {}
        self._words: dict[int, frozenset[str]] = {}
        self._postings: dict[str, set[int]] = {}
        # Words in order of first appearance: a memo entry only has to look at those added since.
        self._vocabulary: list[str] = []
        self._memo: dict[str, tuple[int, list[str]]] = {}

    def __len__(self) -> int:
        return len(self._order)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same listings; words that no listing has any more do not count."""
        if not isinstance(other, SearchIndex):
            return NotImplemented
        return self._contents() == other._contents()

    __hash__ = None  # type: ignore[assignment]

    def _contents(self) -> tuple[object, ...]:
        return (
            self._order,
            {category: keys for category, keys in self._of_category.items() if keys},
            self._text,
            {word: ids for word, ids in self._postings.items() if ids},
        )

    def add(self, listing: Listing) -> None:
        """Take an active listing."""
        listing_id, key = listing.listing_id, _key(listing)
        text = f"{listing.title} {listing.description} {listing.category}".lower()
        words = frozenset(_RUN.findall(text))
        insort(self._order, key)
        insort(self._of_category[listing.category], key)
        self._text[listing_id] = (text, key)
        self._words[listing_id] = words
        for word in words:
            posting = self._postings.get(word)
            if posting is None:
                posting = self._postings[word] = set()
                self._vocabulary.append(word)
            posting.add(listing_id)

    def remove(self, listing: Listing) -> None:
        """Drop a listing that was added with the same text, category and price."""
        listing_id, key = listing.listing_id, _key(listing)
        keys = self._of_category[listing.category]
        del self._order[bisect_left(self._order, key)]
        del keys[bisect_left(keys, key)]
        del self._text[listing_id]
        for word in self._words.pop(listing_id):
            self._postings[word].discard(listing_id)

    def search(self, query: str, *, category: str | None = None) -> Iterator[int]:
        """Active listings whose "title description category" holds every token of ``query``.

        Args:
            query: free text; without a usable token it filters nothing, so ``""`` with a category
                browses that category.
            category: exactly this category, case-sensitive; ``None`` or ``""`` filters nothing.

        Yields:
            Listing ids in the order of results: created_tick descending, price ascending, id
            descending. The reader may stop at its limit; it must not change a listing in between.
        """
        wanted = tokens(query)
        order = self._of_category.get(category, []) if category else self._order
        if not wanted or not order:
            return (key[2] for key in reversed(order))
        words_of = {token: self._words_with(token) for token in wanted}
        sizes = {token: sum(len(self._postings[w]) for w in words_of[token]) for token in wanted}
        rarest = min(wanted, key=lambda token: sizes[token])
        if self._scan_is_cheaper(list(sizes.values()), len(order)):
            return self._scan(order, wanted)
        others = tuple(token for token in wanted if token != rarest)
        return iter(self._collect(words_of[rarest], others, category))

    def _scan_is_cheaper(self, sizes: list[int], candidates: int) -> bool:
        """Whether reading newest first until the reader has enough beats collecting all matches.

        Both ways give the same ids in the same order; this only guesses which takes fewer steps.
        """
        matches = float(candidates)
        for size in sizes:
            matches *= min(1.0, size / len(self._order))
        return candidates * _EXPECTED < min(sizes) * matches

    def _scan(self, order: list[_Key], wanted: tuple[str, ...]) -> Iterator[int]:
        texts = self._text
        for key in reversed(order):
            text = texts[key[2]][0]
            if all(token in text for token in wanted):
                yield key[2]

    def _collect(
        self, words: Sequence[str], others: tuple[str, ...], category: str | None
    ) -> list[int]:
        found: set[int] = set()
        for word in words:
            found |= self._postings[word]
        keys: list[_Key] = []
        in_category = {key[2] for key in self._of_category[category]} if category else None
        for listing_id in found if in_category is None else found & in_category:
            text, key = self._text[listing_id]
            if all(token in text for token in others):
                keys.append(key)
        keys.sort(reverse=True)
        return [key[2] for key in keys]

    def _words_with(self, token: str) -> list[str]:
        """The words of the vocabulary that contain ``token``."""
        seen, words = self._memo.get(token, (0, []))
        if seen < len(self._vocabulary):
            words.extend(word for word in self._vocabulary[seen:] if token in word)
            if len(self._memo) >= _MEMO_TOKENS:
                self._memo.clear()
            self._memo[token] = (len(self._vocabulary), words)
        return words


@lru_cache(maxsize=65_536)
def _term_counts(text: str) -> tuple[Counter[str], int]:
    counts = Counter(_WORD.findall(text.lower()))
    return counts, counts.total()


@lru_cache(maxsize=65_536)
def _log2_fixed(numerator: int, denominator: int) -> int:
    """``log2(numerator / denominator)`` for a ratio of at least 1, in units of 2⁻¹⁶, rounded down.

    Integer arithmetic only, so that the order of recalled memories is the same on every machine.
    """
    mantissa = (numerator << 32) // denominator
    shift = mantissa.bit_length() - 33
    mantissa = mantissa >> shift if shift >= 0 else mantissa << -shift
    result = shift
    for _ in range(16):
        mantissa = mantissa * mantissa >> 32
        result <<= 1
        if mantissa >> 33:
            result |= 1
            mantissa >>= 1
    return result


def recall(memories: Sequence[Memory], query: str, k: int) -> list[tuple[Memory, int]]:
    """The ``k`` memories that fit a query best, by BM25 (k1 = 1.2, b = 0.75) over ``memories``.

    Returns:
        Pairs of memory and score (an integer, in units of 2⁻¹⁶), best first, ties by ascending id.
        Memories that share no word with the query are not returned.
    """
    terms = dict.fromkeys(_WORD.findall(query.lower()))
    counted = [(memory, *_term_counts(memory.content)) for memory in memories]
    n, total = len(counted), sum(length for _, _, length in counted)
    scores: defaultdict[int, int] = defaultdict(int)
    for term in terms:
        holders = [
            (i, counts[term], length)
            for i, (_, counts, length) in enumerate(counted)
            if term in counts
        ]
        # idf = log((n − f + ½) ÷ (f + ½) + 1) = log((2n + 2) ÷ (2f + 1))
        idf = _log2_fixed(2 * n + 2, 2 * len(holders) + 1)
        for i, count, length in holders:
            # count · (k1 + 1) ÷ (count + k1 · (1 − b + b · length ÷ mean length)), times 20 · total
            bottom = 20 * count * total + 6 * total + 18 * length * n
            scores[i] += idf * 44 * count * total // bottom
    ranked = sorted(scores, key=lambda i: (-scores[i], counted[i][0].memory_id))
    return [(counted[i][0], scores[i]) for i in ranked[:k]]
