"""Whatever is killed, whoever asks at the same time: a state is the old one, the new, or none."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bazaarbench import saved_states
from bazaarbench.errors import StateError
from bazaarbench.saved_states.archive import export_state, import_archive
from bazaarbench.worlds import SHIPPED
from tests.saved_states.states import contents, shelf, tiny

KILLS = 12

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")


def in_child(work: Callable[..., Any], *args: Any) -> multiprocessing.process.BaseProcess:
    child = multiprocessing.get_context("fork").Process(target=work, args=args)
    child.start()
    return child


def lasting(work: Callable[..., Any], *args: Any) -> float:
    """How long a child needs for it, in seconds."""
    start = time.monotonic()
    child = in_child(work, *args)
    child.join()
    assert child.exitcode == 0
    return time.monotonic() - start


def killed(work: Callable[..., Any], args: tuple[Any, ...], after: float) -> None:
    child = in_child(work, *args)
    time.sleep(after)
    if child.is_alive() and child.pid is not None:
        os.kill(child.pid, signal.SIGKILL)
    child.join()


def test_a_killed_build_leaves_the_old_state_or_the_new(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SHIPPED["demo"].model_copy(update={"name": "quick", "agents": 6, "days": 1})
    monkeypatch.setitem(SHIPPED, "quick", spec)

    def build() -> None:
        saved_states.build("quick", force=True)

    span = lasting(build)
    expected = saved_states.resolve("quick")
    chance = random.Random(1)
    for _ in range(KILLS):
        killed(build, (), chance.uniform(0, span))
        assert saved_states.list_states() == [expected]
        saved_states.verify_whole(expected)
    saved_states.build("quick", force=True)
    assert shelf() == ["quick"]


def test_a_killed_import_leaves_the_state_whole_or_absent(tmp_path: Path) -> None:
    state, file = tiny("one"), tmp_path / "one.bazaar"
    export_state(state, file)
    whole = contents(state.path.parent)
    span = lasting(import_archive, file, "probe")
    saved_states.delete("probe")
    saved_states.delete("one")
    chance, found = random.Random(2), 0
    for _ in range(KILLS):
        killed(import_archive, (file,), chance.uniform(0, span * 1.1))
        if saved_states.find("one") is not None:
            found += 1
            assert contents(state.path.parent) == whole
            saved_states.delete("one")
        assert saved_states.known() == sorted(SHIPPED)
    assert import_archive(file) == state
    assert contents(state.path.parent) == whole
    assert shelf() == ["one"]
    assert found < KILLS


def test_a_killed_export_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    state, file = tiny("one"), tmp_path / "one.bazaar"

    def export() -> None:
        export_state(state, file, force=True)

    span = lasting(export)
    whole = file.read_bytes()
    chance = random.Random(3)
    for number in range(KILLS):
        old = b"old" if number % 2 else whole
        file.write_bytes(old)
        killed(export, (), chance.uniform(0, span * 1.1))
        assert file.read_bytes() in (old, whole)


def test_a_killed_delete_leaves_the_state_whole_or_absent(tmp_path: Path) -> None:
    state, file = tiny("one"), tmp_path / "one.bazaar"
    export_state(state, file)
    whole = contents(state.path.parent)
    chance = random.Random(4)
    for _ in range(KILLS):
        killed(saved_states.delete, ("one",), chance.uniform(0, 0.01))
        if saved_states.find("one") is None:
            import_archive(file)
        assert contents(state.path.parent) == whole
    assert shelf() == ["one"]


def outcome(work: Callable[..., Any], args: tuple[Any, ...], answers: Any) -> None:
    try:
        answers.put(("made", work(*args).manifest.digest))
    except StateError as error:
        answers.put(("refused", str(error)))


@pytest.mark.parametrize("how", ["build", "import", "fork"])
def test_of_processes_that_make_the_same_state_one_makes_it(tmp_path: Path, how: str) -> None:
    state, file = tiny("source"), tmp_path / "one.bazaar"
    export_state(state, file)
    work: Callable[..., Any]
    work, args = {
        "build": (tiny, ("one",)),
        "import": (import_archive, (file, "one")),
        "fork": (saved_states.fork_state, (state, "one")),
    }[how]
    answers = multiprocessing.get_context("fork").Queue()
    children = [in_child(outcome, work, args, answers) for _ in range(3)]
    told = [answers.get(timeout=60) for _ in children]
    for child in children:
        child.join()
    assert [kind for kind, _ in told].count("made") == 1
    assert all("already" in text for kind, text in told if kind == "refused")
    assert shelf() == ["one", "source"]
    saved_states.verify_whole(saved_states.resolve("one"))


def test_building_importing_and_deleting_one_name_at_once_never_collide(tmp_path: Path) -> None:
    state, file = tiny("one"), tmp_path / "one.bazaar"
    export_state(state, file)
    whole = contents(state.path.parent)

    def repeatedly(work: Callable[[], Any], failures: Any) -> None:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            try:
                work()
            except StateError:
                continue
            except BaseException as error:
                failures.put(repr(error))
                raise

    failures = multiprocessing.get_context("fork").Queue()
    works = (
        lambda: tiny("one"),
        lambda: import_archive(file),
        lambda: saved_states.delete("one"),
    )
    children = [in_child(repeatedly, work, failures) for work in works]
    for child in children:
        child.join()
    assert failures.empty(), failures.get()
    if saved_states.find("one") is None:
        import_archive(file)
    assert contents(state.path.parent) == whole
    assert shelf() == ["one"]
