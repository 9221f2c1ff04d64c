"""Importing a handmade database, and looking at what came of it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.market.record import read_only
from bazaarbench.released import Imported, import_database
from tests.released.handmade import Handmade


@dataclass(frozen=True)
class Outcome:
    """An import with its evidence."""

    imported: Imported
    evidence: Evidence
    connection: sqlite3.Connection

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> tuple[Any, ...]:
        (row,) = self.rows(query, *values)
        return row

    def private(self, event_id: int) -> dict[str, Any]:
        (text,) = self.row("SELECT private FROM events WHERE event_id = ?", event_id)
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def failures(self) -> list[str]:
        """Type, object and stage of every failure, and the cause where it has one."""
        return [
            f"{found.object_id} {found.stage}" + (f" {found.cause}" if found.cause else "")
            for one in FAILURE_TYPES
            for found in one.objects(self.evidence)
        ]

    @property
    def sales(self) -> list[tuple[int, int, bool]]:
        """Event, unit and whether it was conjured, of every completion, in order."""
        done = [c.completion for c in self.evidence.commitments.values() if c.completion]
        return sorted((one.mark.event_id, one.unit_id, one.conjured) for one in done)

    def ledger(self) -> list[tuple[Any, ...]]:
        """The holdings as the evidence replays them."""
        return sorted(
            (
                span.unit_id,
                span.agent_id,
                span.how,
                *span.start,
                span.cost_cents,
                span.thread_id,
                *(span.end or (None, None)),
                span.ended_how,
                span.sold_cents,
            )
            for span in self.evidence.ledger.spans
        )

    def holdings(self) -> list[tuple[Any, ...]]:
        """The holdings as the record's table has them."""
        query = (
            "SELECT unit_id, agent_id, how, from_tick, from_event, cost_cents, thread_id, "
            "to_tick, to_event, ended_how, sold_cents FROM holdings"
        )
        return sorted(self.rows(query))


def imports(database: Handmade, folder: Path, **options: Any) -> Outcome:
    """Write a database, import it, and read the record; both ledgers must agree."""
    source = database.write(folder / "released.db")
    target = folder / "record.db"
    imported = import_database(source, target, **options)
    outcome = Outcome(imported, read(target), read_only(target))
    assert outcome.ledger() == outcome.holdings()
    return outcome
