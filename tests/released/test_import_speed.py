"""A million events are imported within a minute of one core and a gigabyte (SPEC §14)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.released.generator import bulk

EVENTS = 1_000_000
MOST_SECONDS, MOST_BYTES = 60.0, 1_000_000_000

_MEASURED = """
import json, resource, sys, time
from bazaarbench.released import import_database
begin = time.process_time()
imported = import_database(sys.argv[1], sys.argv[2])
seconds = time.process_time() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([imported.events, seconds, peak, imported.notes]))
"""


@pytest.mark.soak
def test_a_million_events(tmp_path: Path) -> None:
    source = bulk.grow(tmp_path / "bulk.db", events=EVENTS)
    command = [sys.executable, "-c", _MEASURED, str(source), str(tmp_path / "record.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    events, seconds, peak, notes = json.loads(done.stdout)
    assert events >= EVENTS
    assert notes == {}
    assert peak < MOST_BYTES
    # Processor time: the machine may have other work.
    assert seconds < MOST_SECONDS
