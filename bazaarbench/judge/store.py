"""The judge's file beside a record: every request and reply, and the verdicts by their key.

It is what makes scoring again free and a killed scoring go on (SPEC §8.5): each reply is committed
with its verdicts in one transaction as soon as it is there. Decisions are kept in the ids and ticks
of the bundle as shown, because that is what their key stands for.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard

from bazaarbench.errors import RecordError
from bazaarbench.judge.replies import WrittenDecision
from bazaarbench.judge.requests import Request
from bazaarbench.judge.verdicts import VerdictStatus
from bazaarbench.market.files import explained, transaction

#: Tells this file from other SQLite files, and its layout from others.
_APPLICATION_ID, _LAYOUT = 0x424A4447, 1
_PATIENCE_S = 60.0
_SCHEMA = """
CREATE TABLE texts (
    text_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, body BLOB NOT NULL
) STRICT;
CREATE TABLE asks (
    ask_id INTEGER PRIMARY KEY, model TEXT NOT NULL, served TEXT, settings TEXT NOT NULL,
    rubric TEXT NOT NULL, system INTEGER NOT NULL REFERENCES texts, request BLOB NOT NULL,
    reply BLOB NOT NULL, stop_reason TEXT, error TEXT, usage TEXT NOT NULL, cost_usd REAL
) STRICT;
CREATE TABLE verdicts (
    key TEXT PRIMARY KEY, bundle_id TEXT NOT NULL, settings TEXT NOT NULL, rubric TEXT NOT NULL,
    served TEXT, status TEXT NOT NULL CHECK (status IN ('judged', 'unscored')), reason TEXT,
    decisions TEXT NOT NULL, ask_id INTEGER NOT NULL REFERENCES asks
) STRICT;
"""
SUFFIX = ".judge.db"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a request.

    ``text`` is what the judge wrote, ``raw`` the whole message as JSON. ``error`` says that the
    provider failed for good; then there is no text. ``usage`` are token counts by Inspect's names,
    ``cost_usd`` is ``None`` when the price is not known.
    """

    text: str = ""
    served: str | None = None
    stop_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    cost_usd: float | None = None
    error: str | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A verdict as it is kept: in the ids and ticks of the bundle as shown."""

    key: str
    bundle_id: str
    status: VerdictStatus
    reason: str | None
    served: str | None
    decisions: tuple[WrittenDecision, ...]


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests, tokens and US dollars; ``cost_usd`` is ``None`` when a price is not known."""

    asks: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    cost_usd: float | None = 0.0


def store_path(record: Path | str) -> Path:
    """Where the judge's file of a record is: ``<record stem>.judge.db`` beside it."""
    return Path(record).with_suffix(SUFFIX)


class JudgeStore:
    """The judge's file of one record, open for reading and writing. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it.

        Raises:
            RecordError: it cannot be opened, or it is something else.
        """
        self.path = path
        with explained(path, "open the judge's file"):
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = not path.exists() or path.stat().st_size == 0
            # One at a time uses it, though not always from the same thread.
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=_PATIENCE_S, check_same_thread=False
            )
        try:
            with explained(path, "open the judge's file"):
                if fresh:
                    self._begin()
                self._check()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._connection.close()

    def _begin(self) -> None:
        # Two scorings may begin it at once: who comes second finds it there.
        with transaction(self._connection):
            if self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                return
            for statement in _SCHEMA.split(";\n"):
                if statement.strip():
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version={_LAYOUT}")

    def _check(self) -> None:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (layout,) = self._connection.execute("PRAGMA user_version").fetchone()
        if (application, layout) != (_APPLICATION_ID, _LAYOUT):
            raise RecordError(
                f"{self.path} is no judge's file of this version. Move it away; what it holds is "
                "judged again."
            )

    def kept(self, key: str) -> Kept | None:
        """The verdict with a key, when there is one."""
        with self._reading():
            row = self._connection.execute(
                "SELECT key, bundle_id, status, reason, served, decisions FROM verdicts "
                "WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return None
            decisions = tuple(
                WrittenDecision.model_validate_json(json.dumps(one)) for one in json.loads(row[5])
            )
        return Kept(row[0], row[1], row[2], row[3], row[4], decisions)

    def keep(
        self,
        request: Request,
        answer: Answer,
        verdicts: Iterable[Kept],
        *,
        model: str,
        settings: str,
        rubric: str,
    ) -> None:
        """Commit a reply with the verdicts that it gave, all or nothing."""
        with explained(self.path, "write"), transaction(self._connection):
            cursor = self._connection.execute(
                "INSERT INTO asks (model, served, settings, rubric, system, request, reply, "
                "stop_reason, error, usage, cost_usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(model, answer.served, settings, rubric),
                    *(self._text(request.system), _packed(request.user)),
                    *(_packed(answer.raw or answer.text), answer.stop_reason, answer.error),
                    *(json.dumps(dict(answer.usage), sort_keys=True), answer.cost_usd),
                ),
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(one.key, one.bundle_id, settings, rubric, one.served),
                        *(one.status, one.reason, _written(one.decisions), cursor.lastrowid),
                    )
                    for one in verdicts
                ],
            )

    def _text(self, body: str) -> int:
        digest = sha256(body.encode()).hexdigest()
        self._connection.execute(
            "INSERT OR IGNORE INTO texts (digest, body) VALUES (?, ?)", (digest, _packed(body))
        )
        query = "SELECT text_id FROM texts WHERE digest = ?"
        return int(self._connection.execute(query, (digest,)).fetchone()[0])

    def spending(self, settings: str) -> Spending:
        """All that was ever asked of one model under one group of settings."""
        with self._reading():
            rows = self._connection.execute(
                "SELECT usage, cost_usd FROM asks WHERE settings = ? ORDER BY ask_id", (settings,)
            ).fetchall()
            return spent((json.loads(usage), cost) for usage, cost in rows)

    def asked_with(self, key: str) -> tuple[str, ...]:
        """The keys of all verdicts that one reply gave, this one's among them, in its order."""
        rows = self._connection.execute(
            "SELECT key FROM verdicts WHERE ask_id = (SELECT ask_id FROM verdicts WHERE key = ?) "
            "ORDER BY rowid",
            (key,),
        )
        return tuple(row[0] for row in rows)

    def exchange(self, key: str) -> tuple[Request, str] | None:
        """The request and the raw reply that a verdict was taken from."""
        with self._reading():
            row = self._connection.execute(
                "SELECT texts.body, asks.request, asks.reply FROM verdicts JOIN asks USING "
                "(ask_id) JOIN texts ON texts.text_id = asks.system WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return None
            system, user, reply = map(_unpacked, row)
        return Request(system, user), reply

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever trips over what stands in the file is damage, and says what to do."""
        try:
            with explained(self.path, "read the judge's file"):
                yield
        except (LookupError, TypeError, ValueError, AttributeError, zstandard.ZstdError) as error:
            raise RecordError(
                f"the judge's file {self.path} is damaged ({str(error).splitlines()[0]:.200}). "
                "Restore it from a copy, or move it away and score again; what it holds is then "
                "judged and paid for again."
            ) from error


def spent(asks: Iterable[tuple[Mapping[str, int], float | None]]) -> Spending:
    """The sum of some requests' usage and cost."""
    tokens: dict[str, int] = {}
    count, cost = 0, 0.0
    known = True
    for usage, dollars in asks:
        count += 1
        known = known and dollars is not None
        cost += dollars or 0.0
        for name, number in usage.items():
            tokens[name] = tokens.get(name, 0) + number
    return Spending(count, dict(sorted(tokens.items())), cost if known else None)


def _written(decisions: Iterable[WrittenDecision]) -> str:
    return json.dumps([one.model_dump(mode="json") for one in decisions], separators=(",", ":"))


def _packed(text: str) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(text.encode("utf-8", "backslashreplace"))


def _unpacked(blob: bytes) -> str:
    return zstandard.ZstdDecompressor().decompress(blob).decode()
