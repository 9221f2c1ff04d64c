"""A data folder of its own for every test that puts states on the shelf."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The BAZAARBENCH_HOME of one test."""
    home = tmp_path / "home"
    monkeypatch.setenv("BAZAARBENCH_HOME", str(home))
    return home
