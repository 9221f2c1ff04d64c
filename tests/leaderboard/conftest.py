"""The small study of ``tests/report``, played once in a test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evals.logged import Collected, collect
from bazaarbench.leaderboard import WANTED
from tests.report.studies import played


@pytest.fixture(scope="session")
def study_logs(bazaar_home: Path) -> Path:
    """The folder of the study's logs."""
    return played(bazaar_home.parent / "small-study")


@pytest.fixture(scope="session")
def collected(study_logs: Path) -> Collected:
    """Its runs, with what a leaderboard needs."""
    return collect([str(study_logs)], wanted=WANTED)
