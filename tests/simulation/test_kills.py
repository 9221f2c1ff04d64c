"""Killed at any moment, a run goes on from its last committed tick and ends the same (SPEC §13)."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

from bazaarbench.market.digest import digest
from bazaarbench.market.record import read_info
from bazaarbench.truth import read, truth_path
from tests.simulation.helpers import found, play

TICKS = 240
KILLS = 25


def test_25_kills_leave_the_digest_of_an_uninterrupted_run(tmp_path: Path) -> None:
    whole = found(tmp_path / "whole.db")
    play(whole, TICKS, policy="crooked")
    path = found(tmp_path / "killed.db")
    chance = random.Random(20261129)
    context = multiprocessing.get_context("fork")
    kills = interrupted = 0
    while kills < KILLS:
        before = read_info(path)[1]
        playing = context.Event()
        options = {"policy": "crooked", "playing": playing}
        child = context.Process(target=play, args=(path, TICKS), kwargs=options)
        child.start()
        # Four of five kills fall into running ticks, the others anywhere from the start on.
        if kills % 5:
            assert playing.wait(60)
        time.sleep(chance.uniform(0, 0.15))
        if child.is_alive() and child.pid is not None:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        child.join()
        after = read_info(path)[1]
        assert before <= after <= TICKS
        interrupted += before < after < TICKS
        if after == TICKS:
            path = found(tmp_path / f"killed{kills}.db")
    play(path, TICKS, policy="crooked")
    assert interrupted >= KILLS // 2, "too few kills fell into a running market to mean much"
    assert digest(path) == digest(whole)
    assert read(truth_path(path)) == read(truth_path(whole))
