"""A run that is still going on can be looked at, and looking does not hold it up."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from bazaarbench.evidence import read
from bazaarbench.market.record import read_info
from bazaarbench.viewer import kept
from tests.simulation.helpers import found, play
from tests.viewer.played import client_of, record_of, site_of
from tests.viewer.reading import safe


def test_pages_are_read_while_ticks_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "PATIENCE", 0.0)
    monkeypatch.setattr(kept, "_LEAST_S", 0.0)
    record = found(tmp_path / "market.db")
    play(record, 30, policy="honest")
    before = sorted(deal.thread_id for deal in read(record).deals)
    site = site_of(record)
    client = client_of(site)
    run = f"/run/{site.found().runs[0].key}"
    assert "The run is at tick 30 of 400" in safe(client.get(f"{run}/index.html").text).words
    writing = threading.Thread(target=play, args=(record, 60), kwargs={"policy": "honest"})
    writing.start()
    answers = []
    while writing.is_alive() or len(answers) < 3:
        for path in ("index.html", f"deal/{before[0]}.html", "deals.html", "agent/1.html"):
            answers.append(client.get(f"{run}/{path}").status_code)
    writing.join()
    assert set(answers) == {200}
    assert read_info(record)[1] == 60
    seen = safe(client.get(f"{run}/index.html").text)
    assert "The run is at tick 60 of 400" in seen.words
    last = max(deal.thread_id for deal in read(record).deals)
    assert last > before[-1]
    assert client.get(f"{run}/deal/{last}.html").status_code == 200


def test_a_run_that_its_log_does_not_know_yet_is_listed_with_its_tick(
    logs: Path, tmp_path: Path
) -> None:
    [path] = logs.glob("*.eval")
    log = read_eval_log(str(path))
    log.status, log.samples, log.results = "started", None, None
    write_eval_log(log, str(tmp_path / path.name))
    site = site_of(tmp_path)
    assert {source.state for source in site.found().runs} == {"unfinished"}
    seen = safe(client_of(site).get("/").text)
    assert "Runs that no number rests on" in seen.words
    assert f"not finished: at tick {read_info(record_of(logs))[1]}" in seen.words


def test_what_is_kept_is_made_again_when_its_files_change_and_no_sooner() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    values: kept.Kept[int] = kept.Kept(2)
    assert [values.get("a", ((1, 1),), make) for _ in range(3)] == [0, 0, 0]
    assert values.get("a", ((2, 1),), make) == 1
    assert values.get("a", ((3, 1),), make, patient=True) == 1
    values.get("b", (), make)
    values.get("c", (), make)
    assert values.known("a") is None
    assert len(made) == 4
