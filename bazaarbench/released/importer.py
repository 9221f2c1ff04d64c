"""From a released database to a record (SPEC §3.7)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bazaarbench.errors import RecordError
from bazaarbench.market.files import explained
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.texts import TextStore, text_path
from bazaarbench.released import rows
from bazaarbench.released.calls import Rebuilt
from bazaarbench.released.filling import Filling
from bazaarbench.released.foresight import foresee
from bazaarbench.released.lots import read_lots
from bazaarbench.released.people import read_people, read_plane
from bazaarbench.released.run import Run, read_run
from bazaarbench.released.sheets import new_record
from bazaarbench.released.source import Source, open_source
from bazaarbench.released.stock import Stock
from bazaarbench.released.tables import read_book
from bazaarbench.released.turns import Turns, inherited_calls

_RECORD = "record.db"
#: The released switches, as the run was recorded with them (reference P §1.3).
_MODES = (
    "inventory_validator_mode",
    "meetup_ownership_check_mode",
    "inspection_truth_mode",
    "commitment_lock_mode",
    "completion_integrity_mode",
    "shipment_inspection_mode",
    "require_handoff_proof",
    "disable_seller_inventory_guard",
    "disable_r20_nudge",
    "allow_cross_agent_notes",
)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made.

    ``agents`` are those that act. ``notes`` counts what could not be taken as it was, by kind.
    """

    path: Path
    info: RecordInfo
    last_tick: int
    agents: int
    events: int
    turns: int
    notes: Mapping[str, int]


def import_database(
    source: Path | str,
    target: Path | str,
    *,
    name: str | None = None,
    base: Path | str | None = None,
) -> Imported:
    """Import a released base market or continuation into a new record.

    The released file is only read; the record and its text side file appear whole or not at all.

    Args:
        source: a released database.
        target: the record to make; nothing may stand there.
        name: what the market is to be called; the file's own name without one.
        base: the base market of a continuation, to tell inherited model calls by their rows;
            without it they are told by their place.

    Raises:
        ReleasedError: a file is no released database, or one that cannot be imported.
        RecordError: ``target`` exists or cannot be written.
    """
    source, target = Path(source), Path(target)
    with open_source(source) as opened, _workshop(target) as workpiece:
        run = read_run(opened)
        inherited = inherited_calls(opened, run, None if base is None else Path(base))
        market = _market(opened, run)
        with (
            TextStore(workpiece) as texts,
            new_record(workpiece, source, target) as sheets,
        ):
            filling = Filling(market, Turns(opened, run, inherited, texts), sheets)
            filling.fill()
            info = _info(filling, name or source.stem)
            sheets.finish(info, filling.ticks())
    return Imported(
        path=target,
        info=info,
        last_tick=run.last_tick,
        agents=sum(not person.seeded for person in market.people.values()),
        events=filling.events_in.total(),
        turns=filling.turns_in.total(),
        notes=dict(sorted(market.book.notes.items())),
    )


@contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """Where to write the record; it and its texts move to ``target`` when all went well."""
    side = text_path(target)
    for path in (target, side):
        if path.exists():
            raise RecordError(f"{path} exists already. Delete it, or import to another place.")
    folder = target.with_name(f".{target.name}.{os.getpid()}.import")
    with explained(target, "create"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    try:
        workpiece = folder / _RECORD
        yield workpiece
        with explained(target, "create"):
            # The texts first: texts without a record harm nobody.
            if text_path(workpiece).exists():
                os.replace(text_path(workpiece), side)
            os.replace(workpiece, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _market(source: Source, run: Run) -> Rebuilt:
    plane, lots = read_plane(source), read_lots(source)
    people = read_people(source, plane, lots.agents)
    return Rebuilt(
        source=source,
        run=run,
        people=people,
        book=read_book(source, people, plane, lots),
        stock=Stock({agent_id: person.items for agent_id, person in people.items()}),
        foresight=foresee(source),
        leaks=rows.photo_leaks(source),
    )


def _info(filling: Filling, name: str) -> RecordInfo:
    market, turns = filling.market, filling.turns
    run, source = market.run, market.source
    return RecordInfo(
        market_name=name,
        seed=run.seed,
        rules=run.rules,
        start_tick=run.start_tick,
        end_tick=run.end_tick,
        condition=run.condition,
        tested=run.tested,
        # The model that served most of a role's calls.
        models={
            role: max(sorted(counts), key=counts.__getitem__)
            for role, counts in turns.models.items()
            if counts
        },
        imported=True,
        extra={
            "released": {
                "file": source.path.name,
                "cell": dict(run.cell),
                "modes": {key: source.meta[key] for key in _MODES if key in source.meta},
                "model_calls": {role: dict(counts) for role, counts in turns.models.items()},
                "inherited_calls_left_out": len(turns.inherited),
                "complete": run.last_tick >= run.end_tick,
                "log_cut_at": run.last_tick if run.cut else run.gap,
                "notes": dict(sorted(market.book.notes.items())),
            }
        },
    )
