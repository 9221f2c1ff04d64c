"""The command line helps, refuses in words and speaks JSON where a machine reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bazaarbench import __version__, plugins, saved_states
from bazaarbench.cli import main
from tests.market.rows import made


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


@pytest.fixture
def empty_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path))
    return tmp_path


def keep_state(home: Path, name: str) -> saved_states.SavedState:
    """A saved state as ``saved_states.build`` leaves it."""
    folder = home / "states" / name
    record = folder / saved_states.RECORD_NAME
    made(record)
    saved_states.write_manifest(folder, name)
    return saved_states.SavedState(name, record, saved_states.describe(name, record))


def test_without_arguments_it_says_what_there_is_and_where_to_start() -> None:
    result = run()
    assert result.exit_code == 0
    for command in (*main.commands, "inspect eval bazaarbench/continuation"):
        assert command in result.stdout


def test_it_tells_its_version() -> None:
    assert run("--version").stdout == f"bazaarbench, version {__version__}\n"


def test_an_unknown_command_is_refused_with_exit_code_2() -> None:
    result = run("markte")
    assert result.exit_code == 2
    assert "markte" in result.stderr


def test_a_fault_that_people_can_mend_is_a_message_without_traceback(empty_home: Path) -> None:
    result = run("market", "show", "nowhere")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "no market is called 'nowhere'" in result.stderr
    assert "demo" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_defect_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_states, "known", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("market", "list")


def test_plugins_lists_what_is_loaded_and_what_each_registered() -> None:
    lines = run("plugins").stdout.splitlines()
    assert lines[0] == f"bazaarbench  (bazaarbench {__version__})  loaded"
    assert "    preset paper" in lines
    assert "    policy honest" in lines


def test_plugins_shows_what_was_refused_and_what_is_switched_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def explode() -> object:
        raise RuntimeError("broken")

    candidates = [
        plugins.Candidate("bad", "bazaar-bad", "1.0", explode),
        plugins.Candidate("quiet", "bazaar-quiet", "2.0", object),
        plugins.Candidate("off", "bazaar-off", "3.0", explode),
    ]
    registry = plugins.read(candidates, only=frozenset({"bad", "quiet"}))
    monkeypatch.setattr(plugins, "load", lambda: registry)
    text = run("plugins").stdout
    assert "bad  (bazaar-bad)  refused\n    import: RuntimeError: broken" in text
    assert "quiet  (bazaar-quiet 2.0)  loaded\n    nothing" in text
    assert "off  (bazaar-off 3.0)  switched off" in text
    value = json.loads(run("plugins", "--json").stdout)
    assert [one["plugin"] for one in value["faults"]] == ["bad"]
    assert [one["name"] for one in value["switched_off"]] == ["off"]
    assert "preset paper" in value["plugins"][0]["registered"]


def test_market_list_shows_built_and_shipped_markets(empty_home: Path) -> None:
    digest = keep_state(empty_home, "mine").manifest.digest
    lines = run("market", "list").stdout.splitlines()
    assert any(line.startswith("demo") and "not built yet" in line for line in lines)
    assert any(line.startswith("mine") and digest[:12] in line for line in lines)
    value = {one["name"]: one for one in json.loads(run("market", "list", "--json").stdout)}
    assert value["demo"] == {"name": "demo", "built": False}
    assert value["mine"]["manifest"]["digest"] == digest
    assert Path(value["mine"]["path"]).is_file()


def test_market_show_prints_the_manifest_as_json(empty_home: Path) -> None:
    state = keep_state(empty_home, "mine")
    result = run("market", "show", "mine", "--json")
    assert json.loads(result.stdout)["manifest"] == state.manifest.model_dump(mode="json")


@pytest.mark.parametrize("force", [False, True])
def test_market_build_tells_where_the_state_is_and_its_digest(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    asked = []

    def build(
        name: str, *, force: bool, progress: saved_states.Progress
    ) -> saved_states.SavedState:
        asked.append(force)
        progress(1, 2)
        return keep_state(empty_home, name)

    monkeypatch.setattr(saved_states, "build", build)
    result = run("market", "build", "demo", *(["--force"] if force else []))
    assert asked == [force]
    assert f"digest {saved_states.resolve('demo').manifest.digest}" in result.stdout
    assert str(empty_home / "states" / "demo") in result.stdout


def test_market_build_of_an_unknown_world_says_which_there_are(empty_home: Path) -> None:
    result = run("market", "build", "atlantis")
    assert result.exit_code == 2
    assert "demo" in result.stderr
    assert list(empty_home.iterdir()) == []


@pytest.mark.parametrize("command", ["resume", "score"])
def test_resume_and_score_refuse_a_log_that_is_not_there(command: str, tmp_path: Path) -> None:
    result = run(command, str(tmp_path / "none.eval"))
    assert result.exit_code == 2
    assert "none.eval" in result.stderr
    assert "Traceback" not in result.stderr
