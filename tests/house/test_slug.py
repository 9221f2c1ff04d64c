"""One function turns names into file names: safe, never empty, never shared."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bazaarbench.slug import slug

any_name = st.text(st.characters(categories=None), max_size=200) | st.text("aA.-/: b", max_size=9)
DEVICES = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))}


@given(any_name, st.integers(24, 100))
@example("..", 80)
@example("../../etc/passwd", 80)
@example("CON.txt", 80)
@example("lpt1", 24)
@example("-rf", 80)
def test_a_slug_is_a_safe_file_name(name: str, limit: int) -> None:
    made = slug(name, limit=limit)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", made)
    assert len(made) <= limit
    assert made.split(".")[0].lower() not in DEVICES
    assert not made.endswith(".")


@given(any_name, any_name)
@example("L2", "l2")
@example("a b", "a-b")
@example("a/b", "a:b")
@example("é", "e\u0301")
@example("", " ")
@example("x" * 200, "x" * 201)
def test_different_names_have_different_slugs_in_any_case(one: str, other: str) -> None:
    assume(one != other)
    assert slug(one).lower() != slug(other).lower()


@given(any_name)
def test_a_name_cannot_pose_as_the_slug_of_another(name: str) -> None:
    made = slug(name)
    assert made == name or slug(made) != made


@pytest.mark.parametrize("name", ["demo", "market-3.db", "a_b", "0"])
def test_a_plain_name_is_its_own_slug(name: str) -> None:
    assert slug(name) == name


def test_a_changed_name_stays_readable() -> None:
    assert re.fullmatch(r"demo-L2-paper-[0-9a-f]{10}", slug("demo/L2 paper"))


def test_a_limit_without_room_for_the_digest_is_refused() -> None:
    with pytest.raises(ValueError, match="24"):
        slug("demo", limit=23)
