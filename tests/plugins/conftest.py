"""A site for distributions, and a small saved state that is continued."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evals.conftest import tiny
from tests.plugins.site import Site, a_site

__all__ = ["site", "tiny"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    with a_site(folder, monkeypatch) as installed:
        yield installed
