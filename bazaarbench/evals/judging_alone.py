"""One scoring at a time: two of one record would pay for the same verdicts twice (SPEC §8.5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from bazaarbench import paths
from bazaarbench.errors import RecordError


@contextmanager
def alone(judged: Path) -> Iterator[None]:
    """Judge while nobody else does.

    The lock lies in the data folder and not beside the file, which may be on a disk that has no
    locks; it ends with its process, however that ends.

    Args:
        judged: The record, or the judge's file, that verdicts are kept beside or in.

    Raises:
        RecordError: Another scoring is at it.
    """
    name = sha256(str(judged.resolve()).encode()).hexdigest()[:32]
    lock = FileLock(paths.made(paths.home() / "judge") / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise RecordError(
            f"{judged} is being judged by another scoring. Wait until that has finished and score "
            "again: what it has paid for is kept, and costs nothing then."
        ) from error
    try:
        yield
    finally:
        lock.release()
