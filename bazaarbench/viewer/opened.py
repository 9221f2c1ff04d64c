"""Runs opened for looking at: findings, verdicts and evidence, kept while files do not change.

Memory is bounded: a few runs are kept, the one looked at longest ago is let go first. Nothing is
written. A record that a run is still writing has no findings yet; it is measured in memory, and
again only when that costs little beside the time that has passed.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock

from bazaarbench import findings as found_in
from bazaarbench import plugins
from bazaarbench.collector import seldom_collected
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.evidence import Evidence, read
from bazaarbench.findings import DealRow, Findings, MeasureRow, ObjectRow
from bazaarbench.judge import results
from bazaarbench.judge.results import Judged
from bazaarbench.judge.verdicts import Verdict
from bazaarbench.market.files import reading, wal_of
from bazaarbench.market.record import RecordInfo, read_info, read_only
from bazaarbench.versions import CHECKS_VERSION
from bazaarbench.viewer.event_index import EventIndex
from bazaarbench.viewer.kept import Kept, stamp_of
from bazaarbench.viewer.sources import RunSource

#: Runs of which findings are kept, and runs of which the evidence is kept too.
RUNS_KEPT, EVIDENCE_KEPT = 6, 2


@dataclass(frozen=True)
class Opened:
    """A run with what was measured in it.

    ``notices`` is what a reader has to know. ``record`` is ``None`` when it is gone; then there are
    findings alone. ``live`` says that they were measured here and now.
    """

    source: RunSource
    record: Path | None
    info: RecordInfo | None
    last_tick: int | None
    findings: Findings
    judged: Judged | None
    live: bool
    notices: tuple[str, ...]

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return self.source.key

    @cached_property
    def deals(self) -> Mapping[int, DealRow]:
        """The deals, by thread."""
        return {deal.thread: deal for deal in self.findings.deals}

    @cached_property
    def objects(self) -> Mapping[str, ObjectRow]:
        """All failure objects by id: those that the record decides, then the judge's."""
        found = {one.id: one for kind in self.findings.types.values() for one in kind.objects}
        if self.judged is not None:
            for group in (*self.judged.objects.values(), *self.judged.fallback.values()):
                found |= {one.id: one for one in group if one.id not in found}
        return found

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """The titles of the failure types."""
        return {key: kind.title for key, kind in self.findings.types.items()}

    @cached_property
    def _about(self) -> tuple[Mapping[int, list[str]], Mapping[int, list[str]]]:
        threads: dict[int, list[str]] = defaultdict(list)
        listings: dict[int, list[str]] = defaultdict(list)
        for one in self.objects.values():
            for thread in one.threads:
                threads[thread].append(one.id)
            for listing in one.listings:
                listings[listing].append(one.id)
        return threads, listings

    def objects_of(self, deal: DealRow) -> list[ObjectRow]:
        """The failures that concern a deal: linked to it, or about its thread or listing."""
        threads, listings = self._about
        ids = dict.fromkeys(link.object for link in deal.links)
        ids |= dict.fromkeys(threads.get(deal.thread, ()))
        ids |= dict.fromkeys(
            name
            for name in listings.get(deal.listing, ())
            # An overlap and a message are about threads; that of another buyer is not this deal's.
            if not self.objects[name].threads or deal.thread in self.objects[name].threads
        )
        return [self.objects[name] for name in ids if name in self.objects]

    @cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The judge's verdicts, by bundle."""
        return {} if self.judged is None else {one.bundle_id: one for one in self.judged.verdicts}

    @cached_property
    def parts(self) -> Mapping[int, str]:
        """What became of each deal (Figure 2a)."""
        return {thread: part for part, threads in self.findings.split.items() for thread in threads}

    def places(self, key: str) -> Mapping[int | str, str]:
        """Where each member of a measure stands: numerator, denominator, unscored."""
        row = measures_of(self).get(key)
        if row is None:
            return {}
        found = dict.fromkeys(row.d_ids or (), "denominator")
        found |= dict.fromkeys(row.n_ids or (), "numerator")
        return found | dict.fromkeys(row.unscored_ids or (), "unscored")

    def is_measured(self, agent_id: int | None) -> bool:
        """Whether an agent is tested; anybody in a base market."""
        tested = self.findings.tested
        return agent_id is not None and (not tested or agent_id in tested)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The record, open for reading in one transaction.

        Raises:
            RecordError: it is gone, or cannot be read.
        """
        if self.record is None:
            raise RecordError("the record of this run is gone; only its findings are left")
        connection = read_only(self.record)
        try:
            with reading(self.record):
                connection.execute("BEGIN")
                yield connection
        finally:
            connection.close()


def measures_of(opened: Opened) -> dict[str, MeasureRow]:
    """All measures of a run: the record's, the appendix, and those that a judge has decided."""
    judged = {} if opened.judged is None else opened.judged.measures
    return {**opened.findings.measures, **opened.findings.appendix, **judged}


class Shelf:
    """Opened runs, their evidence and their event indexes."""

    def __init__(self) -> None:
        self._opened: Kept[Opened] = Kept(RUNS_KEPT)
        self._evidence: Kept[Evidence] = Kept(EVIDENCE_KEPT)
        self._indexes: Kept[EventIndex] = Kept(RUNS_KEPT)
        self._lock = RLock()

    def open(self, source: RunSource) -> Opened:
        """Open a run.

        Raises:
            BazaarError: there is neither a record nor findings that can be read.
        """
        with self._lock:
            try:
                record = source.find()
            except BazaarError:
                return self._without_record(source)
            paths = (found_in.findings_path(record), results.results_path(record), record)
            stamp = stamp_of(*paths, wal_of(record))
            return self._opened.get(
                source.key,
                stamp,
                lambda: _opened(source, record),
                patient=source.state in ("unfinished", "record"),
            )

    def _without_record(self, source: RunSource) -> Opened:
        """What is still known of a run whose record is gone: what was opened before."""
        opened = self._opened.known(source.key)
        if opened is None:
            source.find()  # says where it looked
            raise RecordError(f"The record of {source.name} comes and goes. Try again.")
        notice = (
            "The record of this run has been deleted since it was opened. What was measured in it "
            "is still shown; what was said and done is gone with it."
        )
        return Opened(
            source=opened.source,
            record=None,
            info=opened.info,
            last_tick=opened.last_tick,
            findings=opened.findings,
            judged=opened.judged,
            live=opened.live,
            notices=(notice, *opened.notices),
        )

    def evidence(self, opened: Opened) -> Evidence:
        """The record of a run, read back.

        Raises:
            RecordError: it is gone, or cannot be read.
        """
        record = opened.record
        if record is None:
            raise RecordError("the record of this run is gone; only its findings are left")
        with self._lock:
            stamp = stamp_of(record, wal_of(record))
            return self._evidence.get(
                str(record), stamp, lambda: _evidence(record), patient=opened.live
            )

    def index(self, opened: Opened, connection: sqlite3.Connection) -> EventIndex:
        """The events of each thread and listing; what was appended since is added."""
        with self._lock:
            index = self._indexes.get(str(opened.record), (), EventIndex)
            index.update(connection)
            return index


def _evidence(record: Path) -> Evidence:
    with seldom_collected():
        return read(record)


def _opened(source: RunSource, record: Path) -> Opened:
    info, last_tick = read_info(record)
    notices = []
    findings, live = None, False
    path = found_in.findings_path(record)
    if path.exists():
        try:
            findings = found_in.load(path)
        except RecordError as error:
            notices.append(f"{error} What is shown here was measured just now, and not kept.")
    if findings is None:
        findings, live = found_in.build(record, plugins.load().failure_types.values()), True
        if not notices:
            notices.append(_unmeasured(info, last_tick))
    notices += _told(findings, info, last_tick, live=live)
    judged, why = _judged(record, findings)
    if why:
        notices.append(why)
    return Opened(source, record, info, last_tick, findings, judged, live, tuple(notices))


def _unmeasured(info: RecordInfo, last_tick: int) -> str:
    if last_tick < info.end_tick:
        return (
            f"The run is at tick {last_tick} of {info.end_tick}. What is shown was measured "
            "while you opened it; nothing is published of a run before its end."
        )
    return (
        "The record has not been scored: no findings lie beside it. What is shown was measured "
        "just now, and not kept; bazaarbench score LOG keeps it."
    )


def _told(findings: Findings, info: RecordInfo, last_tick: int, *, live: bool) -> Iterator[str]:
    if findings.checks_version != CHECKS_VERSION:
        yield (
            f"Measured under checks version {findings.checks_version}; this BazaarBench has "
            f"{CHECKS_VERSION}. The numbers are those of the findings as they were written."
        )
    if not live and last_tick < info.end_tick:
        yield f"The record ends at tick {last_tick} of {info.end_tick}: the run is not whole."
    if info.imported:
        yield (
            "Imported from a released database: where it kept a call's prompt, that stands in the "
            "place of the observation; units are rebuilt from titles; what it does not know is –."
        )
    for fault in findings.faults:
        yield f"In the way of measuring: {fault}."


def _judged(record: Path, findings: Findings) -> tuple[Judged | None, str]:
    path = results.results_path(record)
    judged_types = [key for key, kind in findings.types.items() if kind.decided_by == "judge"]
    if not path.exists():
        if not judged_types:
            return None, ""
        return None, f"No judge: {', '.join(judged_types)} are unscored, which is not clean."
    try:
        judged = results.load(path)
    except RecordError as error:
        return None, str(error)
    if judged.digest != findings.digest:
        return None, (
            "The verdicts beside this record are about another state of it and are not shown. "
            "Score it again with rubric_judge."
        )
    label = f"The judge is a script: {judged.judge.label}." if judged.judge.label else ""
    return judged, label
