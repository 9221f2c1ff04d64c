"""The data folder is where the user says, and asking for it creates nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench import paths, saved_states
from bazaarbench.errors import StateError


def test_the_environment_names_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "data"))
    assert paths.home() == tmp_path / "data"
    assert paths.states_dir() == tmp_path / "data" / "states"
    assert paths.records_dir() == tmp_path / "data" / "records"
    assert not (tmp_path / "data").exists()


def test_a_relative_folder_means_the_one_at_the_time_of_asking(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAZAARBENCH_HOME", "data")
    assert paths.home() == tmp_path / "data"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_choice_it_is_the_platforms_own_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str | None
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    if value is None:
        monkeypatch.delenv("BAZAARBENCH_HOME", raising=False)
    else:
        monkeypatch.setenv("BAZAARBENCH_HOME", value)
    home = paths.home()
    assert home.name == "bazaarbench"
    assert tmp_path in home.parents


def test_a_data_folder_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "file"))
    with pytest.raises(StateError, match=r"file/states cannot be used: .*BAZAARBENCH_HOME"):
        saved_states.build("demo")


def test_nobodys_home_is_a_path_like_any_other() -> None:
    assert paths.expanded("~nosuchuser/x") == Path("~nosuchuser/x")


def test_a_data_folder_in_nobodys_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", "~nosuchuser/x")
    with pytest.raises(StateError, match=r"BAZAARBENCH_HOME is '~nosuchuser/x'"):
        paths.home()
