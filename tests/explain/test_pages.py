"""An explanation fits a terminal of 80 columns and cannot steer it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bazaarbench.explain import Explanation, Line, Part, as_json, as_text


def page(*lines: Line) -> Explanation:
    return Explanation("Title", (Part("Part", lines),))


@given(st.text(), st.text(), st.one_of(st.none(), st.integers(1, 10**7)))
def test_no_line_is_wider_and_no_character_is_obeyed(
    text: str, where: str, tick: int | None
) -> None:
    told = as_text(page(Line(text, tick, tick, where)))
    assert all(cell_len(line) <= 80 for line in told.split("\n"))
    assert all(letter.isprintable() or letter == "\n" for letter in told)


def test_what_steers_a_terminal_is_shown() -> None:
    told = as_text(page(Line("a \x1b[31mred\x07 \u202eword")))
    assert r"a \x1b[31mred\x07 \u202eword" in told


@pytest.mark.parametrize("word", ["x" * 300, "物" * 300])
def test_a_word_that_is_wider_than_a_line_is_broken_and_whole(word: str) -> None:
    told = as_text(page(Line(f"before {word} after", 12, 34)))
    assert told.replace("\n", "").replace(" ", "").count(word[0]) == 300
    assert "before" in told
    assert "after" in told


def test_lines_of_an_event_hang_below_its_place() -> None:
    told = as_text(page(Line("word " * 30, 361, 88231, "§7"))).split("\n")
    assert told[3].startswith("  tick 361  event 88231  word")
    assert told[4].startswith(" " * 25 + "word")
    assert told[-1].endswith("[§7]")


def test_json_holds_everything_that_the_text_says() -> None:
    raw = as_json(page(Line("Said.", 3, 4, "§7")))
    assert raw["parts"] == [
        {"title": "Part", "lines": [{"text": "Said.", "tick": 3, "event": 4, "where": "§7"}]}
    ]
