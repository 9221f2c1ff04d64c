"""``bazaarbench market …`` as people use it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bazaarbench import saved_states
from bazaarbench.cli import main
from bazaarbench.evals import writing
from bazaarbench.saved_states import MANIFEST_NAME
from bazaarbench.worlds import SHIPPED
from tests.released.generator import bulk
from tests.saved_states.states import contents, found, play, shelf, tiny


def market(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(main, ["market", *arguments], input=answer, catch_exceptions=False)


def refused(*arguments: str) -> str:
    result = market(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


def test_a_market_of_ones_own_is_built_from_options() -> None:
    options = ["--agents", "6", "--days", "1", "--units", "3-8", "--quality", "spread"]
    value = json.loads(market("build", "mine", *options, "--seed", "4", "--json").stdout)
    world = value["manifest"]["world"]
    assert (world["units"], world["quality"], world["seed"]) == ([3, 8], "spread", 4)
    assert value["manifest"]["catalogue"] == "shipped"
    assert len(value["manifest"]["catalogue_digest"]) == 64


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--units", "8-3"], "units 8-3"),
        (["--units", "many"], "units: "),
        (["--agents", "1"], "agents: "),
        (["--quality", "mint"], "quality: "),
        (["--policy", "none"], "no policy is called 'none'"),
        (["--rules", "none"], "no preset of rules is called 'none'"),
        (["--world", "none"], "no world is called 'none'"),
        (["--catalogue", "none"], "No catalogue is called 'none'"),
        (["--personas", "none"], "none"),
        (["--seed", "1", "--force"], "--force"),
        ([], "Give an option"),
    ],
)
def test_an_option_that_is_not_allowed_is_refused_with_what_is(
    options: list[str], says: str
) -> None:
    assert says in refused("build", "mine", *options)
    assert shelf() == []


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("one", [], "already"),
        ("two", ["--policy", "none"], "no policy"),
        ("two", ["--rules", "none"], "no preset"),
    ],
)
def test_what_is_refused_is_refused_before_a_model_is_paid_to_write(
    monkeypatch: pytest.MonkeyPatch, name: str, options: list[str], says: str
) -> None:
    def written(*_: object) -> None:
        pytest.fail("a model was asked")

    monkeypatch.setattr(writing, "have_written", written)
    tiny("one")
    assert says in refused("build", name, "--agents", "6", "--writer", "openai/x", *options)


@pytest.mark.parametrize("model", ["nonsense", "no-such-provider/x"])
def test_a_writer_that_there_is_not_is_refused(model: str) -> None:
    assert f"--writer {model}" in refused("build", "mine", "--agents", "6", "--writer", model)
    assert shelf() == []


def test_the_list_shows_what_is_there_and_what_is_damaged() -> None:
    state = tiny("whole")
    (tiny("broken").path.parent / MANIFEST_NAME).write_bytes(b"\xff{")
    for name in (".whole.building", ".whole.retired", ".whole.deleted"):
        shutil.copytree(state.path.parent, state.path.parent.with_name(name))
    lines = market("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted([*SHIPPED, "broken", "whole"])
    assert any(line.startswith("whole                tick 12, 6 agents") for line in lines)
    assert any(
        line.startswith("broken               damaged: the saved state in") for line in lines
    )


def test_the_page_tells_on_one_screen_what_a_market_holds() -> None:
    state = tiny("one", days=4)
    page = market("show", "one", "--verify").stdout
    assert len(page.splitlines()) < 60
    summary = json.loads(market("show", "one", "--json").stdout)["summary"]
    assert sum(summary["deals"].values()) > 0
    assert sum(summary["prices"].values()) == summary["listings"]["active"]
    assert sum(summary["categories"].values()) == summary["listings"]["active"]
    for fact in (
        "6 agents, Day 5, 09:00",
        state.manifest.digest,
        f"{summary['deals']['completed']} completed",
        "listing_inventory_check block",
        "scripted honest",
        "150-500",
        "record schema",
    ):
        assert fact in page


def test_show_verify_refuses_what_was_changed() -> None:
    state = tiny("one")
    text = (state.path.parent / MANIFEST_NAME).read_text()
    (state.path.parent / MANIFEST_NAME).write_text(text.replace(state.manifest.digest, "0" * 64))
    assert market("show", "one").exit_code == 0
    assert "digest is" in refused("show", "one", "--verify")


def test_a_runs_record_is_forked_at_a_tick_by_its_path(tmp_path: Path) -> None:
    path = found(tmp_path / "run.db")
    digests = play(path, 12, "honest", ticks=(7,))
    assert digests[7] in market("fork", str(path), "half", "--at-tick", "7").stdout
    assert digests[12] in market("fork", str(path), "whole").stdout
    assert "holds the ticks 0 to 12" in refused("fork", str(path), "late", "--at-tick", "13")
    assert "lower-case" in refused("fork", str(path), "Not A Name")
    assert "already" in refused("fork", "half", "whole")
    assert shelf() == ["half", "whole"]


def test_export_delete_import_is_one_round(tmp_path: Path) -> None:
    state, file = tiny("one"), tmp_path / "one.bazaar"
    before = contents(state.path.parent)
    assert market("export", "one", str(file)).exit_code == 0
    assert market("delete", "one", "--yes").stdout == "one is deleted.\n"
    assert state.manifest.digest in market("import", str(file)).stdout
    assert contents(state.path.parent) == before
    assert "already" in refused("import", str(file))
    assert market("import", str(file), "--name", "two").exit_code == 0
    assert "exists already" in refused("export", "one", str(file))


def test_delete_asks_and_says_who_needs_the_texts() -> None:
    saved_states.fork_state(tiny("one"), "two")
    result = market("delete", "one", answer="n\n")
    assert result.exit_code == 1
    assert "two will lose the texts" in result.output
    assert shelf() == ["one", "two"]
    assert market("delete", "one", answer="y\n").exit_code == 0
    assert shelf() == ["two"]
    assert "no saved state is called 'one'" in refused("delete", "one", "--yes")
    assert "no saved state is called 'one'" in refused("delete", "one")


@pytest.mark.parametrize("command", [["export", "x", "FILE"], ["delete", "x", "--yes"]])
def test_what_is_not_there_is_refused_with_what_is(command: list[str], tmp_path: Path) -> None:
    arguments = [str(tmp_path / "f") if one == "FILE" else one for one in command]
    assert "no saved state is called 'x'" in refused(*arguments)
    assert not (tmp_path / "f").exists()


def test_import_knows_what_a_file_is(tmp_path: Path) -> None:
    state = tiny("one")
    assert "market fork" in refused("import", str(state.path))
    assert "cannot read" in refused("import", str(tmp_path / "none"))
    (tmp_path / "text").write_text("hello")
    assert "text" in refused("import", str(tmp_path / "text"))
    assert shelf() == ["one"]


def test_released_databases_are_imported_under_names_and_told_how_to_go_on(tmp_path: Path) -> None:
    base, run = bulk.grow_pair(tmp_path, events=2_000, agents=20, ticks=(24, 12), seed=6)
    told = market("import", str(base), "--name", "seed-a").stdout
    assert "-T market=seed-a" in told
    told = market("import", str(run), "--base", str(base)).stdout
    name = saved_states.name_like(run.stem)
    assert f"bazaarbench regrade {saved_states.resolve(name).path}" in told
    assert "tested agents" in told
    assert "imported" in market("show", "seed-a").stdout
    file = tmp_path / "seed-a.bazaar"
    state = saved_states.resolve("seed-a")
    before = contents(state.path.parent)
    market("export", "seed-a", str(file))
    market("delete", "seed-a", "--yes")
    market("import", str(file))
    assert contents(state.path.parent) == before
