"""Loading streams: its time grows with the file, its memory with what survives (SPEC §3.1)."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from bazaarbench.catalogue.promptcloud import load
from bazaarbench.catalogue.tally import Mode
from benchmarks.catalogue_load import write_sample
from tests.catalogue.samples import distinct, row, write


@pytest.mark.parametrize("mode", ["clean", "strict"])
def test_five_thousand_rows_take_a_fraction_of_a_second_and_little_memory(
    mode: Mode, tmp_path: Path
) -> None:
    """About 0.25 s and 14 MB; 30,000 rows are timed by ``benchmarks/catalogue_load.py``."""
    path = tmp_path / "ebay.csv"
    write_sample(path, 5_000)
    start = time.process_time()
    report = load(path, mode).report
    assert time.process_time() - start < 2
    assert report.rows == 5_000
    assert report.kept > 3_000
    assert (report.repaired.get("shifted", 0) > 1_000) is (mode == "clean")
    assert (report.dropped.get("duplicate", 0) > 100) is (mode == "clean")
    assert _peak(path, mode) < 30_000_000


@pytest.mark.parametrize("mode", ["clean", "strict"])
def test_rows_that_are_dropped_take_no_memory(mode: Mode, tmp_path: Path) -> None:
    def dropped(number: int) -> Path:
        rows = [distinct(place, Price="NA") for place in range(number)]
        return write(tmp_path / f"{number}.csv", row(), *rows)

    few, many = dropped(100), dropped(3_000)
    _peak(few, mode)
    assert _peak(many, mode) < _peak(few, mode) + 50_000


def _peak(path: Path, mode: Mode) -> int:
    tracemalloc.start()
    try:
        load(path, mode)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
