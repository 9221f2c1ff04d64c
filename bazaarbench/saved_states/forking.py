"""Forks: a state under another name, or an earlier tick of a record as a state (SPEC §3.7)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bazaarbench import paths
from bazaarbench.errors import StateError
from bazaarbench.market.files import explained, reading, transaction
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo, write_meta
from bazaarbench.market.record import Record, copy, read_info, read_only, read_texts
from bazaarbench.market.rules import Rules
from bazaarbench.market.texts import text_path
from bazaarbench.saved_states import shelf
from bazaarbench.saved_states.building import WRITERS_TRACES, Progress, write_manifest
from bazaarbench.saved_states.foundation import FOUNDING_TICK, refound
from bazaarbench.saved_states.manifest import RECORD_NAME, SavedState
from bazaarbench.saved_states.replay import play_again
from bazaarbench.truth import truth_path

#: Where a record's settings keep those of the records it was forked from, oldest first.
_BEFORE = "before"


def ancestry(info: RecordInfo) -> list[dict[str, Any]]:
    """What the settings of a run that continues a record keep of it: all runs so far.

    With them, every earlier tick can be told again under the rules of its own time.
    """
    own = info.model_dump(mode="json")
    before = own["extra"].pop(_BEFORE, [])
    return [*before, own]


def fork_state(
    source: SavedState,
    name: str,
    *,
    at_tick: int | None = None,
    progress: Progress | None = None,
) -> SavedState:
    """A new state that is what ``source`` is, or what it was after an earlier tick.

    The texts of the turns stay where they are; the new state names their files.

    Args:
        source: a saved state or, by its path, a run's record.
        name: the new state's.
        at_tick: the tick after which; the last one without it.
        progress: told after every tick that is told again.

    Raises:
        StateError: the name is taken, the record has no such tick, or its log cannot be told again.
        RecordError: the record is damaged, or the state cannot be written.
    """
    shelf.check_new_name(name)
    last = source.manifest.tick
    tick = last if at_tick is None else at_tick
    runs = _runs(source.path)
    if not runs[0].start_tick <= tick <= last:
        raise StateError(
            f"{source.path} holds the ticks {runs[0].start_tick} to {last}: it cannot be forked at "
            f"tick {tick}."
        )
    with shelf.locked(shelf.folder_of(name)) as folder:
        with shelf.appearing(folder, called=name) as workshop:
            record = workshop / RECORD_NAME
            known = None
            if tick == last:
                copy(source.path, record)
                last, known = read_info(record)[1], _digest_of_copy(source)
            if at_tick is None or tick == last:
                run = runs[-1].model_copy(update={"end_tick": min(runs[-1].end_tick, last)})
            else:  # earlier; or the source was written on while it was copied
                record.unlink(missing_ok=True)
                known, run = None, _tell_again(source.path, record, runs, tick, progress)
            _name(
                source.path,
                record,
                folder / RECORD_NAME,
                run.model_copy(update={"market_name": name}),
            )
            write_manifest(workshop, name, digest=known)
        return shelf.read_state(folder)


def _digest_of_copy(source: SavedState) -> str | None:
    """The digest that a copy has, unless a run may be writing: a record that is no state."""
    is_state = source.path == shelf.folder_of(source.name) / RECORD_NAME
    return source.manifest.digest if is_state else None


def keep(source: Path, name: str) -> SavedState:
    """Register a finished record as a state of its own, with its texts and what was planted.

    Raises:
        StateError: the name is taken or none that a state may have.
        RecordError: the record is damaged, or the state cannot be written.
    """
    shelf.check_new_name(name)
    with shelf.locked(shelf.folder_of(name)) as folder:
        with shelf.appearing(folder, called=name) as workshop:
            record = workshop / RECORD_NAME
            copy(source, record)
            for beside in (text_path, truth_path):
                if beside(source).exists():
                    with explained(beside(source), "copy"):
                        shutil.copyfile(beside(source), beside(record))
            info, _ = read_info(record)
            named = info.model_copy(update={"market_name": name})
            _name(source, record, folder / RECORD_NAME, named)
            write_manifest(workshop, name)
        return shelf.read_state(folder)


def texts_needed_by(name: str) -> list[str]:
    """The saved states that refer to texts which lie with the state ``name``."""
    folder = shelf.folder_of(name)
    lies_in = (folder.relative_to(paths.home()).as_posix() + "/", f"{folder.as_posix()}/")
    needed = []
    for state in shelf.list_states():
        with read_texts(state.path) as texts:
            if any(parent.startswith(lies_in) for parent in texts.parents):
                needed.append(state.name)
    return [one for one in needed if one != name]


def _runs(path: Path) -> list[RecordInfo]:
    """The settings of a record's runs, oldest first: those it was forked from, and its own."""
    with reading(path):
        info, _ = read_info(path)
        before = [
            RecordInfo.model_validate_json(json.dumps(one)) for one in info.extra.get(_BEFORE, [])
        ]
    return [*before, info]


def _tell_again(
    source: Path, target: Path, runs: list[RecordInfo], tick: int, progress: Progress | None
) -> RecordInfo:
    """Make the record at ``target`` what ``source`` was after ``tick``; its run's settings."""
    ends = [*(run.start_tick for run in runs[1:]), runs[-1].end_tick]
    own = next(run for run, end in zip(runs, ends, strict=True) if tick <= end)

    def rules_of(one: int) -> Rules:
        return next(run.rules for run, end in zip(runs, ends, strict=True) if one <= end)

    first = _begin_again(source, target, runs, tick)
    with Record.open(target) as record:
        market = load(record.connection)
        if tick > first:
            play_again(source, record, market, tick, rules_of, progress)
    for trace in WRITERS_TRACES:
        target.with_name(target.name + trace).unlink(missing_ok=True)
    return own.model_copy(update={"end_tick": tick})


def _begin_again(source: Path, target: Path, runs: list[RecordInfo], tick: int) -> int:
    """Put the earliest state that the log can be played from at ``target``; its last tick."""
    imported = max((number for number, run in enumerate(runs) if run.imported), default=None)
    if imported is None:
        with closing(read_only(source)) as connection, reading(source):
            market = refound(connection, runs[0])
        # The run's own settings are written when it is complete.
        Record.create(target, market, runs[0].model_copy(update={"extra": {}})).close()
        return FOUNDING_TICK
    if imported == len(runs) - 1 or tick < runs[imported + 1].start_tick:
        raise StateError(
            f"tick {tick} of {source} was played on the released platform, whose calls cannot be "
            "played again here. An imported market can be forked at its last tick and after it."
        )
    following = runs[imported + 1]
    for state in shelf.list_states():
        if state.manifest.digest == following.parent_digest:
            copy(state.path, target)
            return following.start_tick
    raise StateError(
        f"{source} goes on from the imported market {following.market_name!r}, which is not here "
        f"(digest {str(following.parent_digest)[:12]}…) and is needed to tell tick {tick} again. "
        "Import it with 'bazaarbench market import', or fork the record at its last tick."
    )


def _name(source: Path, record: Path, target: Path, info: RecordInfo) -> None:
    """Give a record that is going to lie at ``target`` its settings and its texts' files."""
    with read_texts(source) as texts:
        parents = texts.inherited_by(target)
    if text_path(record).exists():
        parents = parents[1:]  # the nearest are the source's own, which are here
    with (
        explained(target, "create"),
        closing(sqlite3.connect(record, isolation_level=None)) as connection,
        transaction(connection),
    ):
        write_meta(connection, info, parents)
