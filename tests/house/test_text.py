"""Only lone surrogates and NUL are removed, at every depth."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from bazaarbench.text import clean, clean_json

any_text = st.text(st.characters(categories=None), max_size=30)
surrogates = st.text(st.sampled_from("a\0\ud83d\ude00\udfff\ud800€😀"), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text | surrogates,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(surrogates, inner, max_size=3),
    max_leaves=12,
)


@given(any_text | surrogates)
@example("\ud83d\0\ude00")
def test_cleaned_text_can_be_stored(value: str) -> None:
    cleaned = clean(value)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_storable_text_is_left_alone(value: str) -> None:
    assert clean(value) == value


def test_a_lone_surrogate_goes_and_its_neighbours_stay() -> None:
    assert clean("a\ud800b\0c\udc00\n\t\x1b\ufffe é") == "abc\n\t\x1b\ufffe é"


def test_a_character_cut_in_two_is_put_together() -> None:
    assert clean("1 \ud83d\ude00 2 \ud83d 3") == "1 😀 2  3"


@given(json_values)
def test_every_string_and_key_of_a_json_value_is_cleaned(value: Any) -> None:
    cleaned, changed = clean_json(value)
    text = json.dumps(cleaned, ensure_ascii=False)
    text.encode("utf-8")
    assert "\\u0000" not in text
    assert changed == (cleaned != value)


def test_the_value_that_was_given_stays_as_it_was() -> None:
    value = {"a\0": ["b\0", {"c": "d\ud800"}]}
    assert clean_json(value) == ({"a": ["b", {"c": "d"}]}, True)
    assert value == {"a\0": ["b\0", {"c": "d\ud800"}]}


def test_of_two_keys_that_become_equal_the_later_wins() -> None:
    assert clean_json({"a": 1, "a\0": 2}) == ({"a": 2}, True)


def test_nesting_deeper_than_the_stack_is_cleaned() -> None:
    value: list[Any] = ["\0"]
    for _ in range(100_000):
        value = [value]
    cleaned, changed = clean_json(value)
    assert changed
    while isinstance(cleaned, list):
        cleaned = cleaned[0]
    assert cleaned == ""
