"""The folder of saved states: one folder a state, which is there whole or not at all.

A state is written in a hidden folder beside its place and takes it in one rename; a deleted one
leaves it in one rename. What is under way is told from states by the leading dot, which no name
has. Whoever puts or takes a state holds its lock, which the system frees when a process dies.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import yaml
from filelock import FileLock, Timeout

from bazaarbench import paths
from bazaarbench.errors import StateError
from bazaarbench.market.files import explained
from bazaarbench.saved_states.manifest import (
    MANIFEST_NAME,
    RECORD_NAME,
    SavedState,
    read_manifest,
    verify,
)
from bazaarbench.slug import slug
from bazaarbench.worlds import SHIPPED

#: A state that is being written, one that another is about to replace, and one being removed.
_BUILDING, _RETIRED, _DELETED = "building", "retired", "deleted"
#: What stands for every market where markets are named.
_EVERYTHING = "all"
_UNFIT = re.compile(r"[^a-z0-9._-]+")
#: Leaves room for a number behind it.
_LONGEST = 64


def folder_of(name: str) -> Path:
    """Where the state ``name`` lies, if it is there."""
    return paths.states_dir() / slug(name)


def check_new_name(name: str) -> str:
    """``name`` when a new state may have it.

    Raises:
        StateError: it is no file name that is the same on every system, or means something else.
    """
    if _means_something(name):
        raise StateError(
            f"{name!r} already means something where a market is named. Choose another."
        )
    if slug(name) != name:
        raise StateError(
            f"a saved state cannot be called {name!r:.100}: a name has lower-case letters, digits, "
            "'.', '_' and '-', begins and ends with a letter, a digit or '_', does not end like a "
            "digest, and has at most 80 characters."
        )
    if not _reads_as_itself(name):
        raise StateError(
            f"a saved state cannot be called {name!r}: '-T market={name}' would be read as a "
            f"number, a date, a truth value or nothing. Choose another, such as 'market-{name}'."
        )
    return name


def _means_something(name: str) -> bool:
    return name == _EVERYTHING or name in SHIPPED


def _fits(name: str) -> bool:
    return slug(name) == name and not _means_something(name) and _reads_as_itself(name)


def _reads_as_itself(name: str) -> bool:
    """Whether a setting of Inspect, which is YAML, comes out as the name that was written."""
    try:
        return str(yaml.safe_load(name)) == name
    except (yaml.YAMLError, ValueError):  # a date that there is not
        return False


def name_like(text: str) -> str:
    """A name that a new state may have, as near to ``text`` as can be."""
    name = _UNFIT.sub("-", text.lower())[:_LONGEST].strip(".-") or "market"
    nearest = (name, f"{name}-market", f"market-{name}")
    return next(one for one in nearest if _fits(one))


def check_free(name: str) -> str:
    """``name`` when no state has it, so that nobody works for a name that is taken.

    Raises:
        StateError: it is taken.
    """
    if folder_of(name).exists() or name in SHIPPED:
        raise _taken(name)
    return name


def free_name(name: str) -> str:
    """``name``, or with a number behind it the first that no state has."""
    taken = folder_of(name).exists() or name in SHIPPED
    number = 2
    chosen = name
    while taken:
        chosen = f"{name}-{number}"
        taken = folder_of(chosen).exists()
        number += 1
    return chosen


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Hold the right to put or take the state in ``folder``, and give it back.

    Waits for other processes. What a killed one has left is mended or swept away, here and, where
    nobody is at work, under the other names.
    """
    paths.made(folder.parent)
    with explained(folder, "lock"):
        for other in _left_behind(folder.parent) - {folder}:
            with suppress(Timeout), FileLock(_beside(other, "lock"), timeout=0):
                _sweep(other)
    with explained(folder, "lock"), FileLock(_beside(folder, "lock")):
        _mend(folder)
        _sweep(folder)
        yield folder


def _left_behind(states: Path) -> set[Path]:
    """The places of states that somebody is at work on, or was when the process died."""
    return {
        path.with_name(path.name[1:].removesuffix(f".{what}"))
        for what in (_BUILDING, _DELETED)
        for path in states.glob(f".*.{what}")
    }


def _sweep(folder: Path) -> None:
    for left in (_BUILDING, _DELETED):
        shutil.rmtree(_beside(folder, left), ignore_errors=True)


@contextmanager
def appearing(folder: Path, *, called: str, replace: bool = False) -> Iterator[Path]:
    """A folder to write a state into; it takes the place of ``folder`` when all went well.

    Args:
        folder: as ``locked`` gave it.
        called: the state's name.
        replace: whether an older state there, or a shipped name, is replaced.

    Raises:
        StateError: the name is taken, and it is not to be replaced.
    """
    if not replace and (folder.exists() or called in SHIPPED):
        raise _taken(called)
    workshop, retired = _beside(folder, _BUILDING), _beside(folder, _RETIRED)
    with explained(folder, "create"):
        workshop.mkdir()
        try:
            yield workshop
            _settle(workshop)
            if folder.exists():
                os.rename(folder, retired)
            os.rename(workshop, folder)
            _settle_folder(folder.parent)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    shutil.rmtree(retired, ignore_errors=True)


def _taken(name: str) -> StateError:
    return StateError(
        f"there is a market called {name!r} already. Choose another name, or delete that one "
        f"with 'bazaarbench market delete {name}'."
    )


def present(name: str) -> Path:
    """The folder of the state ``name``, damaged or whole.

    Raises:
        StateError: there is none.
    """
    folder = _folder(name)
    if not folder.exists():
        raise StateError(
            f"no saved state is called {name!r:.100}. 'bazaarbench market list' shows those that "
            "there are."
        )
    return folder


def delete(name: str) -> None:
    """Remove the state ``name``; a damaged one too.

    Raises:
        StateError: there is none.
    """
    folder = present(name)
    with locked(folder), explained(folder, "delete"):
        if folder.exists():
            leaving = _beside(folder, _DELETED)
            os.rename(folder, leaving)
            _settle_folder(folder.parent)
            shutil.rmtree(leaving)


def find(name: str) -> SavedState | None:
    """The state ``name``, its manifest compared with its record; ``None`` when there is none.

    Raises:
        StateError: it is damaged.
    """
    folder = _folder(name)
    return read_state(folder) if (folder / MANIFEST_NAME).exists() else None


def list_states() -> list[SavedState]:
    """All states that have been built or saved and can be read, by name."""
    found = (_read_or_fault(folder) for folder in _folders())
    states = [one for one in found if isinstance(one, SavedState)]
    return sorted(states, key=lambda state: state.name)


def damaged_states() -> dict[str, StateError]:
    """The folders of states that cannot be read, with what is wrong."""
    found = {folder.name: _read_or_fault(folder) for folder in _folders()}
    return {name: one for name, one in sorted(found.items()) if isinstance(one, StateError)}


def known() -> list[str]:
    """Names of shipped and saved states, sorted; a damaged one goes by its folder."""
    return sorted({*SHIPPED, *(state.name for state in list_states()), *damaged_states()})


def read_state(folder: Path) -> SavedState:
    """The state in a folder.

    Raises:
        StateError: its manifest or its record is damaged, or they do not belong together.
    """
    manifest = read_manifest(folder)
    state = SavedState(manifest.name, folder / RECORD_NAME, manifest)
    verify(state)
    return state


def _read_or_fault(folder: Path) -> SavedState | StateError:
    try:
        return read_state(folder)
    except StateError as error:
        return error


def _folder(name: str) -> Path:
    """The folder of a state by its name; a damaged one goes by its folder's."""
    folder = folder_of(name)
    _put_back(folder)
    if not folder.exists():
        return next((one for one in _folders() if one.name == name), folder)
    return folder


def _put_back(folder: Path) -> None:
    if not folder.exists() and _beside(folder, _RETIRED).exists():
        with locked(folder):
            pass


def _folders() -> list[Path]:
    """The folders of states; those of builds and imports that are under way are none yet."""
    states = paths.states_dir()
    for retired in states.glob(f".*.{_RETIRED}"):
        _put_back(retired.with_name(retired.name[1:].removesuffix(f".{_RETIRED}")))
    found = sorted(path.parent for path in states.glob(f"*/{MANIFEST_NAME}"))
    return [folder for folder in found if not folder.name.startswith(".")]


def _beside(folder: Path, what: str) -> Path:
    return folder.with_name(f".{folder.name}.{what}")


def _mend(folder: Path) -> None:
    """Put back what was about to be replaced when the process died."""
    retired = _beside(folder, _RETIRED)
    if not retired.exists():
        return
    if folder.exists():
        shutil.rmtree(retired)
    else:
        os.rename(retired, folder)


def _settle(workshop: Path) -> None:
    """Have the disk hold every file before the folder gets its name."""
    for path in workshop.iterdir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    _settle_folder(workshop)


def _settle_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder and does this by itself
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
