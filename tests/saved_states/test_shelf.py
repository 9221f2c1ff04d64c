"""States by name: whole or absent, told of when damaged, in nobody's way."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from bazaarbench import saved_states
from bazaarbench.errors import BazaarError, StateError
from bazaarbench.saved_states import MANIFEST_NAME, RECORD_NAME
from bazaarbench.worlds import SHIPPED, WorldSpec
from tests.saved_states.states import contents, shelf, tiny

NAMES = ["a", "gpt-5.5", "x_1", "0", "x" * 80]
NO_NAMES = [
    "",
    "A",
    "a b",
    "a/b",
    "../a",
    "/tmp/a",
    ".a",
    "a.",
    "-a",
    "a,b",
    "all",
    "demo",
    "con",
    "nul.db",
    "é",
    "a\0",
    "a\nb",
    "\udce9",
    "x" * 81,
    "x-0123456789",
    "[red]",
    # Read by Inspect's settings as something else than the text.
    "true",
    "null",
    "off",
    "010",
    "1_000",
    "1.50",
    "2026-13-45",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_a_file_name_everywhere_is_taken_as_it_is(name: str) -> None:
    assert saved_states.check_new_name(name) == name
    assert saved_states.folder_of(name).name == name


@pytest.mark.parametrize("name", NO_NAMES)
def test_any_other_name_is_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(StateError, match=r"lower-case letters|already means|would be read as"):
        saved_states.check_new_name(name)


@pytest.mark.parametrize("text", [*NAMES, *NO_NAMES, *SHIPPED])
def test_a_name_like_any_text_is_one_that_a_state_may_have(text: str) -> None:
    saved_states.check_new_name(saved_states.name_like(text))


def test_a_state_holds_its_record_and_texts_and_nothing_of_its_making() -> None:
    state = tiny("one")
    assert sorted(contents(state.path.parent)) == [
        "manifest.json",
        "record.db",
        "record.text.db",
        "record.truth.jsonl",
    ]
    assert saved_states.find("one") == state
    assert saved_states.list_states() == [state]
    assert shelf() == ["one"]


def test_a_taken_name_is_refused_and_what_is_there_stays(tmp_path: Path) -> None:
    state = tiny("one")
    before = contents(state.path.parent)
    for attempt in (
        lambda: tiny("one", seed=2),
        lambda: saved_states.fork_state(state, "one"),
        lambda: saved_states.keep(state.path, "one"),
    ):
        with pytest.raises(StateError, match="there is a market called 'one' already"):
            attempt()
    assert contents(state.path.parent) == before
    assert saved_states.free_name("one") == "one-2"
    assert saved_states.free_name("two") == "two"


def test_a_deleted_state_is_gone_and_its_name_is_free() -> None:
    state = tiny("one")
    saved_states.delete("one")
    assert saved_states.find("one") is None
    assert shelf() == []
    assert tiny("one") == state
    with pytest.raises(StateError, match="no saved state is called 'two'"):
        saved_states.delete("two")


def rewritten(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


DAMAGE = {
    "no manifest is readable": lambda f: (f / MANIFEST_NAME).write_bytes(b"\xff{"),
    "a field is missing": lambda f: rewritten(f / MANIFEST_NAME, '"seed": 1,', ""),
    "a field is of a newer version": lambda f: rewritten(
        f / MANIFEST_NAME, '"seed": 1,', '"seed": 1, "colour": 1,'
    ),
    "the record is missing": lambda f: (f / RECORD_NAME).unlink(),
    "the record is cut off": lambda f: os.truncate(f / RECORD_NAME, 5_000),
    "the record is another file": lambda f: (f / RECORD_NAME).write_bytes(b"x" * 9_000),
    "the seed is another": lambda f: rewritten(f / MANIFEST_NAME, '"seed": 1', '"seed": 2'),
    "the tick is another": lambda f: rewritten(f / MANIFEST_NAME, '"tick": 12', '"tick": 11'),
    "the rules are others": lambda f: rewritten(f / MANIFEST_NAME, '"block"', '"warn"'),
    "the models are others": lambda f: rewritten(f / MANIFEST_NAME, '"honest"', '"gpt"'),
    "the world is another": lambda f: rewritten(f / MANIFEST_NAME, '"good"', '"spread"'),
    "the catalogue is another": lambda f: rewritten(f / MANIFEST_NAME, '"shipped"', '"mine"'),
    "the size is another": lambda f: rewritten(f / MANIFEST_NAME, '"record_bytes": ', "0"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_state_is_refused_by_its_name_alone_and_can_be_deleted(
    damage: Callable[[Path], object],
) -> None:
    whole, broken = tiny("whole"), tiny("broken")
    damage(broken.path.parent)
    with pytest.raises(StateError, match="broken") as refusal:
        saved_states.resolve("broken")
    assert "'bazaarbench market delete broken'" in str(refusal.value)
    assert saved_states.list_states() == [whole]
    assert list(saved_states.damaged_states()) == ["broken"]
    assert "broken" in saved_states.known()
    saved_states.delete("broken")
    assert shelf() == ["whole"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE listings SET view_count = view_count + 1 WHERE listing_id = 1",
        "UPDATE agents SET street = upper(street) WHERE agent_id = 1",
    ],
)
def test_a_changed_row_is_found_by_whole_verification_alone(change: str) -> None:
    state = tiny("one")
    with closing(sqlite3.connect(state.path, isolation_level=None)) as record:
        record.execute(change)
    assert saved_states.find("one") == state
    with pytest.raises(StateError, match="digest"):
        saved_states.verify_whole(state)


def test_a_shipped_market_that_is_damaged_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SHIPPED["demo"].model_copy(update={"name": "quick", "agents": 6, "days": 1})
    monkeypatch.setitem(SHIPPED, "quick", spec)
    state = saved_states.build("quick")
    (state.path.parent / MANIFEST_NAME).write_text("{}")
    assert saved_states.resolve("quick") == state


def test_what_was_about_to_be_replaced_when_the_process_died_is_put_back() -> None:
    state = tiny("one")
    os.rename(state.path.parent, state.path.parent.with_name(".one.retired"))
    assert saved_states.resolve("one") == state
    assert shelf() == ["one"]
    os.rename(state.path.parent, state.path.parent.with_name(".one.retired"))
    assert saved_states.list_states() == [state]


@pytest.mark.parametrize("market", ["x" * 300, "~nosuchuser/x", "nul\0", "../x", "[red]"])
def test_what_cannot_be_a_name_is_an_unknown_market(market: str) -> None:
    for ask in (saved_states.resolve, saved_states.named, saved_states.delete):
        with pytest.raises(BazaarError, match=r"no (market|saved state) is called"):
            ask(market)


def test_a_world_that_names_what_does_not_exist_is_refused() -> None:
    for wrong in ({"policy": "none"}, {"rules": "none"}, {"catalogue": "none"}):
        with pytest.raises(BazaarError, match="'none'"):
            saved_states.build_world(WorldSpec(name="x", seed=0, agents=5, days=1, **wrong))
    assert shelf() == []


def test_a_number_of_agents_that_is_not_the_records_is_found_by_whole_verification() -> None:
    state = tiny("one")
    rewritten(state.path.parent / MANIFEST_NAME, '"agents": 6', '"agents": 8')
    with pytest.raises(StateError, match="agents"):
        saved_states.verify_whole(saved_states.resolve("one"))


def test_what_a_killed_process_left_under_a_name_nobody_uses_again_is_swept_up() -> None:
    tiny("one")
    states = saved_states.folder_of("one").parent
    for left in (".lost.building", ".lost.deleted", ".busy.building"):
        (states / left).mkdir()
        (states / left / RECORD_NAME).write_bytes(b"x")
    with FileLock(states / ".busy.lock"):
        saved_states.delete("one")
    assert shelf() == [".busy.building"]
