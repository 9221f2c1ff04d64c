"""Paths mean what they mean where the user stands, though Inspect has moved elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evals import launch
from bazaarbench.evals.launch import located


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the process was started; Inspect is in another."""
    folder = tmp_path / "user"
    folder.mkdir()
    (tmp_path / "tasks").mkdir()
    monkeypatch.setattr(launch, "_STARTED_IN", folder)
    monkeypatch.chdir(tmp_path / "tasks")
    return folder


def test_a_relative_path_is_looked_up_from_where_the_user_stands(user: Path) -> None:
    (user / "mine.yaml").touch()
    assert located("mine.yaml") == str(user / "mine.yaml")


def test_the_working_folder_comes_first(user: Path) -> None:
    (user / "mine.yaml").touch()
    (Path.cwd() / "mine.yaml").touch()
    assert located("mine.yaml") == str(Path.cwd() / "mine.yaml")


def test_an_absolute_path_is_itself(user: Path) -> None:
    (user / "mine.yaml").touch()
    assert located(str(user / "mine.yaml")) == str(user / "mine.yaml")


def test_what_stands_nowhere_is_left_as_it_was_written(user: Path) -> None:
    assert located("demo") == "demo"


def test_a_working_folder_that_is_gone_is_no_error(user: Path) -> None:
    gone = Path.cwd()
    gone.rmdir()
    (user / "mine.yaml").touch()
    assert located("mine.yaml") == str(user / "mine.yaml")


@pytest.mark.parametrize("text", ["x" * 300, "~nosuchuser/x"])
def test_what_cannot_be_a_path_is_left_as_it_was_written(text: str) -> None:
    assert located(text) == text
