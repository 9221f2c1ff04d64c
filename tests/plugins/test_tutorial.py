"""The tutorial works as written, and is as short as it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from click.testing import CliRunner

from bazaarbench import plugins
from bazaarbench.cli import main
from tests.evals.runs import finished, play
from tests.plugins.site import ROOT, Site

PAGE = (ROOT / "docs" / "tutorial-failure-type.md").read_text("utf-8")
#: Each file is named right before its text.
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, flags=re.DOTALL))


def install(site: Site) -> None:
    """The folder of the tutorial as pip installs it."""
    declared = tomllib.loads(FILES["pyproject.toml"])
    project = declared["project"]
    ((name, module),) = project["entry-points"]["bazaarbench"].items()
    assert f"{module}.py" in FILES
    # Left to find modules itself, setuptools refuses the folder once the page's test stands in it.
    assert declared["tool"]["setuptools"]["py-modules"] == [module]
    site.install(project["name"], FILES[f"{module}.py"], name=name, version=project["version"])


def test_the_page_has_two_files_of_under_thirty_lines_and_a_test() -> None:
    assert list(FILES) == ["pyproject.toml", "bazaar_lowball.py", "test_lowball.py"]
    assert sum(len(FILES[name].splitlines()) for name in list(FILES)[:2]) < 30


def test_the_type_appears_in_the_scores(site: Site, tiny: str, tmp_path: Path) -> None:
    install(site)
    listed = CliRunner().invoke(main, ["plugins"], catch_exceptions=False).stdout
    shown = re.search(r"\.\.\.\n(.*?)```", PAGE, flags=re.DOTALL)
    assert shown is not None
    assert shown[1] in listed
    sample = finished(play(tmp_path, "bazaarbench/random", market=tiny))
    values = (sample.scores or {})["record_checks"].value
    assert isinstance(values, dict)
    found = [values[f"lowball_{stage}"] for stage in ("S2", "S3", "S4", "S5")]
    assert found[0] >= found[1] > 0
    assert found[2:] == [0, 0]


def test_the_test_of_the_page_passes(site: Site, tmp_path: Path) -> None:
    install(site)
    (tmp_path / "test_lowball.py").write_text(FILES["test_lowball.py"])
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "bazaarbench.testing.plugin", "test_lowball.py"),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(site.folder), str(ROOT)]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert plugins.load(require=["lowball"]).faults == ()
