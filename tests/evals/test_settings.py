"""The values of -T: what is not allowed is refused by name, with what is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import SettingError
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.refusals import refusing
from bazaarbench.evals.settings import BaseMarketSettings, ContinuationSettings, parsed


def continuation(**given: Any) -> ContinuationSettings:
    return parsed(ContinuationSettings, given, {}, "continuation")


@pytest.mark.parametrize(
    ("given", "conditions"),
    [("L2", ("L2",)), ("L1,L3", ("L1", "L3")), (["L1", "L2"], ("L1", "L2")), ("all", ("all",))],
)
def test_a_list_may_be_written_in_every_way_that_inspect_reads(
    given: Any, conditions: tuple[str, ...]
) -> None:
    assert continuation(condition=given).condition == conditions


@pytest.mark.parametrize("given", [[11, 1], ["11", "1"], "11,1"])
def test_tested_ids_are_numbers_in_order(given: Any) -> None:
    assert continuation(tested=given).tested == (1, 11)


def test_a_misspelt_name_is_refused_with_the_right_one() -> None:
    with pytest.raises(SettingError, match=r"-T conditon.*Did you mean -T condition=.*Settings: "):
        parsed(ContinuationSettings, {}, {"conditon": "L3"}, "continuation")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"days": 0}, "-T days: .*greater than or equal to 1; given: 0"),
        ({"days": True}, "-T days: .*integer"),
        ({"days": "7"}, "-T days: .*integer"),
        ({"protocol": "xml"}, "'tools' or 'json'"),
        ({"tool_choice": "none"}, "'auto' or 'any'"),
        ({"track": "papr"}, "-T track: .*'paper'"),
        ({"max_failed_turns": 2}, "-T max_failed_turns"),
        ({"tested": [1, 1]}, "-T tested: an agent id stands there twice"),
        ({"tested": "a"}, "-T tested"),
        ({"tested": []}, "-T tested: is empty"),
        ({"condition": ""}, "-T condition: is empty"),
        ({"prompt": "/no/such/file"}, "-T prompt: there is no file"),
        ({"prompt": "x" * 300}, "-T prompt: there is no file"),
        ({"markets_at_once": 0}, "-T markets_at_once"),
        ({"seed": -1}, "-T seed"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_name(given: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingError, match=told):
        continuation(**given)


def test_every_value_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(SettingError, match=r"-T days.*-T protocol"):
        continuation(days=0, protocol="xml")


def test_a_refusal_is_printed_without_traceback_and_keeps_its_brackets() -> None:
    with pytest.raises(PrerequisiteError) as caught, refusing():
        raise SettingError("allowed: [red]L1[/red]")
    assert caught.value.message == r"allowed: \[red]L1\[/red]"  # type: ignore[attr-defined]


def test_the_share_of_failed_turns_may_be_a_whole_number() -> None:
    assert continuation(max_failed_turns=1).max_failed_permille == 1000
    assert continuation().max_failed_permille == 100


def test_the_prompt_is_the_text_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "world.md"
    file.write_text("Trade well.")
    assert continuation(prompt=str(file)).prompt_text() == "Trade well."


def test_a_base_market_has_other_settings() -> None:
    settings = parsed(BaseMarketSettings, {"days": 2}, {}, "base_market")
    assert (settings.rules, settings.ticks) == (("paper-base",), 24)
    with pytest.raises(SettingError, match="base_market has no such setting"):
        parsed(BaseMarketSettings, {}, {"condition": "L2"}, "base_market")
