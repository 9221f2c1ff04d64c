"""The packages in ``plugins/`` pass their own tests as if they were installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bazaarbench import hookspecs
from tests.plugins.site import EXAMPLES, ROOT, Site

NAMES = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())


def test_there_are_two() -> None:
    assert NAMES == ["bazaar-bait-price", "bazaar-possession"]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_passes_its_own_tests(site: Site, name: str, tmp_path: Path) -> None:
    site.install_example(name)
    paths = [str(site.folder), str(EXAMPLES / name), str(ROOT)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "bazaarbench.testing.plugin", str(EXAMPLES / name / "tests")),
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_range_of_versions_and_an_interface_are_stated(name: str) -> None:
    project = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text())["project"]
    (dependency,) = project["dependencies"]
    assert dependency == "bazaarbench>=0.1,<0.2"
    module = name.replace("-", "_")
    source = (EXAMPLES / name / module / "__init__.py").read_text()
    assert f"BAZAARBENCH_API = {hookspecs.API_VERSION}\n" in source
