"""The environment is made once, and again exactly when what it depends on has changed.

A stand-in interpreter writes down how it is called, so that nothing is installed here.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

STAND_IN = """#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
    *version_info*"(3, 11)"*) exit ${OLD:-0} ;;
    *version_info*) echo 3.11 ;;
    *ensurepip*) exit ${NO_VENV:-0} ;;
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    "-m pip install"*) exit ${PIP_FAILS:-0} ;;
esac
"""


class Project:
    """A copy of what the script reads, with a stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.calls = folder / "calls"
        self.python = folder / "python"
        for name in (
            "tools/venv.sh",
            "pyproject.toml",
            "constraints.txt",
            "bazaarbench/__init__.py",
        ):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        self.python.write_text(STAND_IN)
        self.python.chmod(0o755)

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": "/usr/bin:/bin", "CALLS": str(self.calls)}
        environment |= {"PYTHON": str(self.python)} | settings
        return subprocess.run(
            ["sh", str(self.folder / "tools" / "venv.sh"), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def work(self, *arguments: str) -> list[str]:
        """What a successful run did: "venv" and the packages that it installed, in order."""
        self.calls.write_text("")
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        calls = self.calls.read_text().splitlines()
        return [
            "venv" if call == "-m venv .venv" else call.split()[-1]
            for call in calls
            if call.startswith("-m ")
        ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_second_run_does_nothing(project: Project) -> None:
    assert project.work() == ["venv", "."]
    assert project.work() == []


def test_what_tests_need_holds_what_a_run_needs(project: Project) -> None:
    assert project.work("dev") == ["venv", ".[dev]"]
    assert project.work() == []
    assert project.work("dev") == []


def test_a_run_first_and_tests_later_install_once_more_into_the_same_environment(
    project: Project,
) -> None:
    project.work()
    assert project.work("dev") == [".[dev]"]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "bazaarbench/__init__.py"])
def test_a_change_of_what_is_installed_installs_again(project: Project, name: str) -> None:
    project.work("dev")
    (project.folder / name).write_text("changed")
    assert project.work("dev") == [".[dev]"]
    assert project.work("dev") == []


def test_a_project_that_was_moved_gets_a_new_environment(project: Project) -> None:
    project.work()
    project.folder = project.folder.rename(project.folder.with_name("moved"))
    assert project.work() == ["venv", "."]


def test_an_environment_whose_python_is_gone_is_made_anew(project: Project) -> None:
    project.work()
    (project.folder / ".venv" / "bin" / "python").unlink()
    assert project.work() == ["venv", "."]


def test_an_installation_that_failed_is_tried_again(project: Project) -> None:
    assert project.run(PIP_FAILS="1").returncode != 0
    assert project.work() == ["."]


def test_a_python_that_is_too_old_is_told_in_words(project: Project) -> None:
    done = project.run(OLD="1")
    assert done.returncode == 1
    assert "needs Python 3.11 or newer and found none" in done.stderr
    assert not (project.folder / ".venv").exists()


def test_a_python_without_the_venv_module_is_told_what_to_install(project: Project) -> None:
    done = project.run(NO_VENV="1")
    assert done.returncode == 1
    assert "apt-get install python3.11-venv" in done.stderr
    assert not (project.folder / ".venv").exists()
