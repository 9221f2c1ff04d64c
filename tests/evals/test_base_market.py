"""A base market: one model plays everybody, nobody is tested, and the record is a saved state."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log

from bazaarbench import paths, saved_states
from bazaarbench.catalogue import Catalogue, load_shipped, write_catalogue
from bazaarbench.errors import RecordError
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.logs import resume_log
from bazaarbench.market.record import read_info, read_texts
from bazaarbench.tasks.base_market import base_market
from benchmarks.catalogue_load import write_sample
from tests.evals.runs import finished, kept, only, play, rows


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Any:
    [log] = eval(
        base_market(agents=15, days=1, seed=4, units="3-8", name="grown"),
        model="bazaarbench/honest",
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
    )
    return finished(log)


def grown(folder: Path, model: str = "bazaarbench/honest", **settings: Any) -> EvalLog:
    """Run ``base_market`` at a small size."""
    limit = settings.pop("token_limit", None)
    [log] = eval(
        base_market(**{"agents": 12, "days": 1, "seed": 4, **settings}),
        model=model,
        token_limit=limit,
        log_dir=str(folder),
        display="none",
    )
    return log


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A BAZAARBENCH_HOME without states."""
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_model_plays_everybody_and_nobody_is_tested(sample: Any) -> None:
    info, last_tick = read_info(kept(sample, "location"))
    assert (info.condition, info.tested, info.start_tick, last_tick) == ("L0", (), 0, 12)
    assert info.models == {"all": "bazaarbench/honest"}
    found = rows(sample, "SELECT DISTINCT role, model FROM turns")
    assert found == [("background", "bazaarbench/honest")]


def test_it_is_played_under_the_rules_of_base_markets(sample: Any) -> None:
    info, _ = read_info(kept(sample, "location"))
    assert info.rules.listing_inventory_check == "block"
    assert info.rules.meetup_ownership_check == "off"


def test_all_agents_deals_and_turns_are_counted(sample: Any) -> None:
    [(turns,)] = rows(sample, "SELECT count(*) FROM turns")
    assert sample.scores["outcomes"].value["valid_turn_share_d"] == turns


def test_its_calls_are_in_the_record_and_not_in_the_transcript(sample: Any) -> None:
    assert not [event for event in sample.events if isinstance(event, ModelEvent)]
    assert rows(sample, "SELECT count(*) FROM turns WHERE requests <> 1") == [(0,)]


def test_a_background_model_is_refused_also_when_the_task_was_made_before(tmp_path: Path) -> None:
    [log] = eval(
        base_market(agents=10, days=1),
        model="bazaarbench/honest",
        model_roles={"background": "bazaarbench/honest"},
        log_dir=str(tmp_path),
        display="none",
    )
    error = only(log).error
    assert error is not None
    assert "no background agents" in error.message


def test_its_record_can_be_continued(sample: Any, tmp_path: Path) -> None:
    after = finished(play(tmp_path, market=kept(sample, "location"), tested=[1]))
    assert kept(after, "tick") == 12 + 12


def test_it_becomes_a_saved_state_that_says_what_it_is(sample: Any) -> None:
    state = saved_states.resolve("grown")
    saved_states.verify_whole(state)
    manifest = state.manifest
    assert kept(sample, "saved_state") == "grown"
    assert manifest.digest == kept(sample, "digest")
    assert (manifest.tick, manifest.agents, manifest.seed) == (12, 15, 4)
    assert manifest.models == {"all": "bazaarbench/honest"}
    assert manifest.rules["listing_inventory_check"] == "block"
    assert manifest.world is not None
    assert manifest.world["units"] == [3, 8]
    assert manifest.catalogue_digest == load_shipped().digest
    info, _ = read_info(state.path)
    assert info.market_name == "grown"
    assert read_texts(state.path).path.exists()


def test_its_state_is_continued_by_name(sample: Any, tmp_path: Path) -> None:
    after = finished(play(tmp_path, market="grown", tested=[1, 6], condition="L2"))
    info, _ = read_info(kept(after, "location"))
    assert (info.market_name, info.start_tick) == ("grown", 12)
    assert info.parent_digest == kept(sample, "digest")
    # And every tick of it and of what it went on from can be had again.
    run = saved_states.resolve(kept(after, "location"))
    assert (
        saved_states.fork_state(run, "grown-at-its-end", at_tick=12).manifest.digest
        == info.parent_digest
    )


def test_a_name_that_is_taken_is_refused_before_the_first_tick(sample: Any, tmp_path: Path) -> None:
    error = only(grown(tmp_path, name="grown")).error
    assert error is not None
    assert "there is a market called 'grown' already" in error.message
    assert not list(paths.records_dir().glob("*/demo-*-12-*"))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "Not A Name"}, "lower-case letters"),
        ({"name": "demo"}, "already means something"),
        ({"units": "9-3"}, "units"),
        ({"units": "many"}, "units"),
        ({"quality": "mint"}, "quality"),
        ({"catalogue": "none"}, "No catalogue is called 'none'"),
        ({"catalogue": "promptcloud:none.csv"}, "cannot be read"),
    ],
)
def test_what_cannot_be_founded_is_refused_when_the_task_is_made(
    settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(PrerequisiteError, match=says):
        base_market(**settings)


def test_the_same_seed_gives_the_same_digest_and_another_catalogue_another(
    home: Path, tmp_path: Path
) -> None:
    write_sample(tmp_path / "ebay.csv", 600)
    items = load_shipped().items
    write_catalogue(tmp_path / "half.jsonl", Catalogue.of(items[: len(items) // 2]))
    digests = {
        name: kept(finished(grown(tmp_path / name, name=name, **settings)), "digest")
        for name, settings in {
            "one": {},
            "same": {"catalogue": "shipped"},
            "half": {"catalogue": str(tmp_path / "half.jsonl")},
            "ebay": {"catalogue": str(tmp_path / "ebay.csv")},
            "named": {"catalogue": f"promptcloud:{tmp_path / 'ebay.csv'}"},
            "spread": {"quality": "spread"},
            "units": {"units": "3-8"},
        }.items()
    }
    assert digests["one"] == digests["same"]
    assert digests["ebay"] == digests["named"]
    assert len(set(digests.values())) == 5
    manifests = {state.name: state.manifest for state in saved_states.list_states()}
    assert manifests.keys() == digests.keys()
    assert manifests["one"].catalogue_digest != manifests["half"].catalogue_digest
    assert manifests["ebay"].catalogue_digest == manifests["named"].catalogue_digest


def test_without_a_name_it_gets_one_that_says_what_it_is(home: Path, tmp_path: Path) -> None:
    log = grown(tmp_path, rules=["paper-base", "paper"])
    assert log.status == "success"
    assert [state.name for state in saved_states.list_states()] == [
        "honest-demo-paper-base-s4-12a1d",
        "honest-demo-paper-s4-12a1d",
    ]
    again = finished(grown(tmp_path))
    assert kept(again, "saved_state") == "honest-demo-paper-base-s4-12a1d"


def test_one_that_a_limit_stopped_is_no_state_until_it_is_resumed_to_its_end(
    home: Path, tmp_path: Path
) -> None:
    whole = finished(grown(tmp_path / "whole", name="whole", days=2))
    log = grown(tmp_path / "cut", name="cut", days=2, token_limit=300_000)
    assert only(log).limit is not None
    assert 0 < kept(only(log), "tick") < 24
    assert [state.name for state in saved_states.list_states()] == ["whole"]
    code = resume_log(log.location)
    attempts = 1
    while code == 0 and (latest := newest(tmp_path / "cut")) and not done(latest) and attempts < 9:
        code = resume_log(latest)
        attempts += 1
    assert code == 0
    assert saved_states.resolve("cut").manifest.digest == kept(whole, "digest")
    info = read_info(saved_states.resolve("cut").path)[0]
    assert info.market_name == "cut"


def test_one_that_was_killed_ends_with_the_same_digest(home: Path, tmp_path: Path) -> None:
    whole = finished(grown(tmp_path / "whole", name="whole", days=3))
    process = subprocess.Popen([sys.executable, "-c", START, str(tmp_path / "killed")])
    deadline = time.monotonic() + 120
    try:
        while last_tick() < 9:
            assert process.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline, "the run does not get on"
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    assert [state.name for state in saved_states.list_states()] == ["whole"]
    assert resume_log(newest(tmp_path / "killed")) == 0
    assert saved_states.resolve("killed").manifest.digest == kept(whole, "digest")


START = """
import sys
import bazaarbench._registry
from inspect_ai import eval
from bazaarbench.tasks.base_market import base_market
task = base_market(agents=12, days=3, seed=4, name="killed")
eval(task, model="bazaarbench/honest", log_dir=sys.argv[1], display="none")
"""


def last_tick() -> int:
    """The last tick of the one record that no log has finished."""
    found = []
    for path in paths.records_dir().glob("*/*.db"):
        if not path.name.endswith(".text.db"):
            with contextlib.suppress(RecordError):
                info, tick = read_info(path)
                found.append(tick if tick < info.end_tick else 0)
    return max(found, default=0)


def newest(folder: Path) -> str:
    return str(max(folder.glob("*.eval"), key=lambda path: path.stat().st_mtime_ns))


def done(path: str) -> bool:
    log = read_eval_log(path)
    return log.status == "success" and only(log).limit is None
