"""The played study and who asks for its pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bazaarbench.viewer.site import Site
from tests.viewer.played import client_of, key_of, played, site_of


@pytest.fixture(scope="session")
def logs(bazaar_home: Path) -> Path:
    """The folder of the study's log."""
    return played(bazaar_home.parent / "viewer-study")


@pytest.fixture(scope="session")
def site(logs: Path) -> Site:
    """All its pages."""
    return site_of(logs)


@pytest.fixture(scope="session")
def client(site: Site) -> TestClient:
    """Who asks for them."""
    return client_of(site)


@pytest.fixture(scope="session")
def run(site: Site) -> str:
    """The address of the crooked run under L3."""
    return f"/run/{key_of(site)}"
