"""One damaged state is told of and stands in no other's way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from bazaarbench import saved_states
from bazaarbench.cli import main
from bazaarbench.errors import StateError
from bazaarbench.saved_states import MANIFEST_NAME, RECORD_NAME, Manifest
from tests.market.rows import made


@pytest.fixture
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the whole state ``whole`` and the damaged one ``broken``."""
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path))
    folder = tmp_path / "states"
    for name in ("whole", "broken"):
        made(folder / name / RECORD_NAME)
    manifest = Manifest(
        **{"name": "whole", "benchmark_version": "1-x", "tick": 3, "agents": 6, "seed": 7},
        **{"rules": {}, "models": {}, "digest": "0" * 64, "world": None},
    )
    (folder / "whole" / MANIFEST_NAME).write_text(manifest.model_dump_json(), encoding="utf-8")
    (folder / "broken" / MANIFEST_NAME).write_bytes(b"\xff{")
    return folder


def test_a_damaged_manifest_is_refused_for_its_own_name_alone(states: Path) -> None:
    assert saved_states.resolve("whole").manifest.tick == 3
    assert saved_states.resolve(str(states / "broken" / RECORD_NAME)).manifest.tick == 3
    with pytest.raises(StateError, match=r"states/broken has no readable manifest\.json"):
        saved_states.resolve("broken")
    with pytest.raises(StateError, match=r"Known markets: broken, .*whole"):
        saved_states.resolve("neither")


def test_the_list_shows_what_is_damaged(states: Path) -> None:
    listed = CliRunner().invoke(main, ["market", "list"]).output
    assert "whole                tick 3" in listed
    assert "broken               damaged: the saved state in" in listed


@pytest.mark.parametrize("name", ["whole.building", "whole.retired", ".whole.importing"])
def test_the_folder_of_a_build_that_was_killed_is_no_state(states: Path, name: str) -> None:
    shutil.copytree(states / "whole", states / name)
    (states / name / MANIFEST_NAME).write_text("{", encoding="utf-8")
    assert [state.name for state in saved_states.list_states()] == ["whole"]
    assert list(saved_states.damaged_states()) == ["broken"]


@pytest.mark.parametrize("market", ["x" * 300, "~nosuchuser/x", "nul\0"])
def test_what_cannot_be_a_path_is_an_unknown_market(states: Path, market: str) -> None:
    with pytest.raises(StateError, match="no market is called"):
        saved_states.resolve(market)
