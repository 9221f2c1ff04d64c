"""Stored prompts asked again: what changed, with intervals, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bazaarbench.cli import main
from bazaarbench.errors import SettingError
from bazaarbench.evals.replaying import FAILED_THEN, Asked, replay
from bazaarbench.evals.replaying_compare import RELEVANT, Pair, changed
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.calls import ToolCall
from tests.evals.runs import answering, finished, kept, play, said


@pytest.fixture(scope="module")
def record(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day of a scripted tested model behind the real model path."""
    log = play(tmp_path_factory.mktemp("replay"), market=tiny, days=2)
    return Path(kept(finished(log), "location"))


def test_a_deterministic_model_decides_the_same_again(record: Path) -> None:
    before = record.read_bytes()
    found = replay(record, 20, Asked("bazaarbench/honest"))
    assert found.compared == found.chosen == 20
    assert found.turns > 20
    for share in found.shares.values():
        assert (share.changed, share.of, share.share) == (0, 20, 0)
        assert share.low == 0
        assert share.high is not None
        assert 0.1 < share.high < 0.2  # Wilson's, of 0 of 20
    assert found.relevant.changed == 0
    assert found.left_out == {}
    assert record.read_bytes() == before


def test_another_model_decides_otherwise(record: Path) -> None:
    found = replay(record, 20, Asked("bazaarbench/random"))
    assert found.shares["kinds"].changed > 5
    assert found.shares["kinds"].changed <= found.shares["actions"].changed
    assert found.shares["actions"].changed <= found.shares["words"].changed
    assert found.relevant.of >= found.relevant.changed > 0


def test_the_mock_of_inspect_can_be_asked(record: Path) -> None:
    found = replay(record, 5, Asked("mockllm/model"))
    assert found.shares["kinds"].share == 1
    assert found.usage["total_tokens"] > 0


def test_the_same_turns_are_drawn_for_the_same_seed(record: Path) -> None:
    first, again, other = (
        [pair.turn_id for pair in replay(record, 8, Asked("mockllm/model"), seed=seed).pairs]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_json_answers_and_failed_turns_are_understood(tiny: str, tmp_path: Path) -> None:
    turns: list[int] = []

    def answer(*_: Any) -> Any:
        turns.append(1)
        if len(turns) == 3:
            raise ConnectionResetError("gone")
        return said('Decision note: I wait.\n\n[{"action": "do_nothing", "arguments": {}}]')

    settings: dict[str, Any] = {"protocol": "json", "max_failed_turns": 1}
    log = play(tmp_path, answering(answer), market=tiny, **settings)
    found = replay(Path(kept(finished(log), "location")), 1000, Asked("mockllm/model"))
    assert found.left_out == {FAILED_THEN: 1}
    assert found.compared == found.turns - 1
    assert all(pair.before == (ToolCall("do_nothing", {}),) for pair in found.pairs)
    assert all(pair.after == () for pair in found.pairs)


def test_a_record_without_a_model_is_refused(tiny: str) -> None:
    with pytest.raises(SettingError, match="holds no turn"):
        replay(Path(tiny), 5, Asked("bazaarbench/honest"))


def test_a_name_that_is_no_model_is_refused(record: Path) -> None:
    with pytest.raises(SettingError, match="PROVIDER/NAME"):
        replay(record, 5, Asked("nobody"))


# ------------------------------------------------------------------------------------- comparing


def pair(before: list[ToolCall], after: list[ToolCall]) -> Pair:
    return Pair(1, 1, 1, tuple(before), tuple(after))


SAY = ToolCall("message", {"thread_id": 7, "body": "Is it still there?"})
SAY_OTHERWISE = ToolCall("message", {"thread_id": 7, "body": "Still available?"})
SAY_ELSEWHERE = ToolCall("message", {"thread_id": 8, "body": "Is it still there?"})
LOOK, ACCEPT = ToolCall("search", {"query": "lamp"}), ToolCall("accept_offer", {"offer_id": 3})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([SAY], [SAY], (0, 0, 0)),
        ([SAY], [SAY_OTHERWISE], (0, 0, 1)),
        ([SAY], [SAY_ELSEWHERE], (0, 1, 1)),
        ([SAY], [ACCEPT], (1, 1, 1)),
        ([SAY, ACCEPT], [ACCEPT, SAY], (1, 1, 1)),
        ([SAY], [], (1, 1, 1)),
        ([ToolCall("message", None)], [SAY], (0, 1, 1)),
    ],
)
def test_a_decision_is_compared_in_three_ways(
    before: list[ToolCall], after: list[ToolCall], expected: tuple[int, int, int]
) -> None:
    pairs = [pair(before, after)]
    assert tuple(changed(pairs, way).changed for way in ("kinds", "actions", "words")) == expected


def test_only_relevant_actions_count_for_a_failure_and_only_turns_that_have_one() -> None:
    pairs = [pair([LOOK], []), pair([LOOK, ACCEPT], [ACCEPT]), pair([ACCEPT], [LOOK])]
    found = changed(pairs, "actions", RELEVANT["F3"])
    assert (found.changed, found.of) == (1, 2)
    nothing = changed(pairs, "actions", RELEVANT["F1"])
    assert (nothing.changed, nothing.of, nothing.share, nothing.low) == (0, 0, None, None)


def test_every_relevant_action_is_one_of_the_platform() -> None:
    assert {name for names in RELEVANT.values() for name in names} <= set(ACTIONS)


# ----------------------------------------------------------------------------------- the command


def test_the_command_tells_shares_with_intervals(record: Path) -> None:
    arguments = ["replay", str(record), "--turns", "10", "--model", "bazaarbench/honest"]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert "10 of" in result.stdout
    assert "0/10 = 0.0%  [0.0%, 27.8%]" in result.stdout
    told = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert told["shares"]["actions"]["share"] == 0


def test_the_command_refuses_a_file_that_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "no.db"
    result = CliRunner().invoke(main, ["replay", str(path), "--model", "bazaarbench/honest"])
    assert result.exit_code == 2
    assert str(path) in result.stderr
