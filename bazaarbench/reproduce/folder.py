"""A folder of released databases, imported and measured; what was measured before is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bazaarbench import findings, plugins
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.market.files import explained
from bazaarbench.market.record import read_info, read_only
from bazaarbench.market.texts import text_path
from bazaarbench.released import import_database
from bazaarbench.reproduce.study import MARKETS, MODELS, Cell, cell_texts, named
from bazaarbench.slug import slug
from bazaarbench.versions import CHECKS_VERSION

_DATABASES = ("*.db", "*.sqlite", "*.sqlite3")


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of one file: a run, or the reason why it is none.

    ``source`` is its path in the folder.
    """

    source: Path
    cell: Cell | None
    refused: str | None


def measure_folder(
    folder: Path,
    work: Path,
    *,
    workers: int = 1,
    on_file: Callable[[int, int], None] | None = None,
) -> list[Measured]:
    """Import and measure every database in a folder.

    Records and findings are kept in ``work`` and used again while the database is the same file
    (by size and time) and the checks have the same version.

    Args:
        folder: where the released databases are, at any depth; they are only read.
        work: where records and findings are to be; made when it does not exist.
        workers: processes; each holds one database.
        on_file: told after every file how many are done, of how many.

    Raises:
        RecordError: there is no database in ``folder``, or ``work`` cannot be written to.
    """
    found = {path for glob in _DATABASES for path in folder.rglob(glob)}
    sources = sorted(path for path in found if not path.is_relative_to(work))
    if not sources:
        raise RecordError(
            f"there is no database in {folder}. Put the released files there, unpacked "
            f"({', '.join(_DATABASES)})."
        )
    with explained(work, "write to"):
        work.mkdir(parents=True, exist_ok=True)
    names = [source.relative_to(folder) for source in sources]
    jobs = [(folder, name, work / f"{slug(str(name))}.db") for name in names]
    done = []
    for one in _run(jobs, workers):
        done.append(one)
        if on_file is not None:
            on_file(len(done), len(jobs))
    return done


def _run(jobs: list[tuple[Path, Path, Path]], workers: int) -> Iterable[Measured]:
    if workers == 1:
        yield from map(_measure, jobs)
        return
    # Not forked: the parent may have threads, of a progress bar for one.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_measure, jobs)


def _measure(job: tuple[Path, Path, Path]) -> Measured:
    folder, name, record = job
    try:
        with explained(record, "write"):
            _import_once(folder / name, record)
            return Measured(name, _cell(name, record), None)
    except BazaarError as error:
        return Measured(name, None, str(error))


def _import_once(source: Path, record: Path) -> None:
    """Import unless that was done before and the file is still the same."""
    stamp, seen = _stamp(source), record.with_suffix(".source")
    if record.exists() and seen.exists() and seen.read_text("utf-8") == stamp:
        return
    for old in (seen, record, text_path(record), findings.findings_path(record)):
        old.unlink(missing_ok=True)
    import_database(source, record)
    partial = seen.with_suffix(f".{os.getpid()}")
    partial.write_text(stamp, encoding="utf-8")
    os.replace(partial, seen)


def _stamp(source: Path) -> str:
    status = source.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _found(record: Path) -> findings.Findings:
    path = findings.findings_path(record)
    if path.exists():
        try:
            known = findings.load(path)
        except RecordError:
            known = None  # of another layout: measured again
        if known is not None and known.checks_version == CHECKS_VERSION:
            return known
    made = findings.build(record, plugins.load().failure_types.values())
    findings.write(made, record)
    return made


def _cell(source: Path, record: Path) -> Cell:
    info, _ = read_info(record)
    released: dict[str, Any] = info.extra["released"]
    described: dict[str, Any] = released["cell"]
    tested = bool(info.tested)
    name = [source.stem]
    served = [info.models[role] for role in ("tested", "background") if role in info.models]
    market = named(cell_texts(described, "base"), MARKETS) if tested else named(name, MARKETS)
    treated = cell_texts(described, "treatment") or served[:1]
    with closing(read_only(record)) as connection:
        calls = dict(
            connection.execute(
                "SELECT role, count(*) FROM turns WHERE tick > ? AND tick <= ? GROUP BY role",
                (info.start_tick, info.end_tick),
            ).fetchall()
        )
        (agents,) = connection.execute(
            "SELECT count(*) FROM agents WHERE activity_permille > 0"
        ).fetchone()
    return Cell(
        source=str(source),
        market=market or named(served[-1:] if not tested else name, MARKETS),
        condition=info.condition or "L0",
        model=named(treated, MODELS) if tested else None,
        findings=_found(record),
        calls=calls,
        agents=agents,
    )
