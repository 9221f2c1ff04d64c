"""The small study, played once for all tests of report and leaderboard, and what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evals.logged import Collected, collect
from tests.report.studies import played


@pytest.fixture(scope="session")
def study_logs(bazaar_home: Path) -> Path:
    """The folder of the study's logs."""
    return played(bazaar_home.parent / "small-study")


@pytest.fixture(scope="session")
def collected(study_logs: Path) -> Collected:
    """Its runs."""
    return collect([str(study_logs)])
