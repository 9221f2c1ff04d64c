"""What cannot be run is refused before anything runs, with what is allowed and no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.evals.runs import refusal


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"condition": "L9"}, "allowed: L1, L2"),
        ({"condition": "L0"}, "unknown condition"),
        ({"conditon": "L3"}, "Did you mean -T condition="),
        ({"condition": "L1,L1"}, "stands there twice"),
        ({"market": "nowhere"}, "Known markets: demo"),
        ({"rules": "papr"}, "Did you mean paper?"),
        ({"rules": "missing.yaml"}, "cannot be read"),
        ({"background": "honesty"}, "Did you mean honest?"),
        ({"require": "no-such-plugin"}, "not installed"),
    ],
)
def test_unknown_names_are_refused_with_what_is_allowed(
    arguments: dict[str, Any], told: str, tiny: str
) -> None:
    assert told in refusal("continuation", **{"market": tiny, **arguments})


def test_tested_agents_that_the_market_does_not_have_are_refused(tiny: str) -> None:
    assert "its agents are 1 to 20" in refusal("continuation", market=tiny, tested=[1, 21])


def test_an_unknown_policy_is_refused_with_those_there_are() -> None:
    told = refusal("continuation", model="bazaarbench/nobody")
    assert "--model bazaarbench/nobody" in told
    assert "crooked, hasty, honest" in told


def test_the_paper_track_names_everything_that_differs(tiny: str) -> None:
    told = refusal("continuation", market=tiny, track="paper", days=2, protocol="json")
    for part in ("days are 2", "20 agents", "4 agents are tested", "protocol is json"):
        assert part in told


def test_both_ways_to_say_who_plays_the_background_are_refused(tiny: str) -> None:
    told = refusal(
        "continuation",
        market=tiny,
        background="honest",
        model_roles={"background": "bazaarbench/honest"},
    )
    assert "-T background=honest and --model-role background=" in told


def test_a_base_market_refuses_background_models() -> None:
    told = refusal("base_market", agents=10, model_roles={"background": "bazaarbench/honest"})
    assert "no background agents" in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("inspection_shows: everything", "inspection_shows"),
        ("no_such_switch: 1", "unknown switch"),
        ("preset: nothing", "unknown preset"),
        ("- a list", "must hold switches"),
        ("{", "cannot be read"),
    ],
)
def test_a_rules_file_that_is_none_is_refused(
    tmp_path: Path, tiny: str, content: str, told: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    assert told in refusal("continuation", market=tiny, rules=str(file))
