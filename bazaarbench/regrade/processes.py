"""Doing the same to many records at once, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from bazaarbench.errors import BazaarError

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


def in_processes(
    work: Callable[[_Job], _Result],
    jobs: Sequence[_Job],
    workers: int,
    on_done: Callable[[int, int], None] | None = None,
) -> list[_Result]:
    """The results of some jobs, in their order.

    Args:
        work: a function of a module; it does not share anything with other jobs.
        jobs: what it is called with.
        workers: how many processes; with one, or a single job, this one does the work.
        on_done: told after every job how many are done, of how many.

    Raises:
        BazaarError: a process was ended from outside.
    """
    results = []
    for result in _results(work, jobs, min(workers, len(jobs))):
        results.append(result)
        if on_done is not None:
            on_done(len(results), len(jobs))
    return results


def _results(
    work: Callable[[_Job], _Result], jobs: Sequence[_Job], workers: int
) -> Iterator[_Result]:
    if workers <= 1:
        yield from map(work, jobs)
        return
    # Not forked: the parent may have threads, of a progress bar for one.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(work, jobs)
        except BrokenProcessPool as error:
            raise BazaarError(
                "a process that measured was ended from outside, perhaps for want of memory. What "
                "is not measured again is as it was; run again with --workers 1."
            ) from error
