"""Estimates: calls are counted and not guessed, prompts measured, money null where unknown."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bazaarbench import saved_states
from bazaarbench.agents.observation import Observer
from bazaarbench.agents.policy import Observation
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.cli import main
from bazaarbench.conditions import Condition
from bazaarbench.errors import SettingError
from bazaarbench.estimate import (
    FREE,
    Payer,
    Played,
    Tokens,
    Turns,
    drawn_turns,
    measured_prompts,
    precision,
    sample_estimate,
    tokens_of,
    waves,
)
from bazaarbench.estimate.prompts import PromptSizes
from bazaarbench.market.load import load
from bazaarbench.market.record import read_only
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from bazaarbench.model_settings import Prices
from bazaarbench.plugins import load as plugins
from bazaarbench.worlds import SHIPPED, WorldSpec, found_market

#: M §11.1, as measured by the study.
STUDY_BACKGROUND = range(4_500, 5_201)
STUDY_TESTED_MEAN, STUDY_BASE_MEAN = 56_769 / 45, 77_636 / 3
PRICES = Prices(input_usd=2, output_usd=10, cached_input_usd=0.2)


@pytest.fixture(scope="module")
def demo() -> Market:
    """The people of ``demo`` as they are founded; who acts when is decided by then."""
    from bazaarbench.catalogue import open_catalogue

    catalogue = open_catalogue("shipped", plugins().catalogues)
    return found_market(SHIPPED["demo"], PRESETS["paper"], catalogue)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small market after two days, with everything that was asked in it."""
    path = tmp_path_factory.mktemp("grown") / "small.db"
    saved_states.grow(WorldSpec(name="small", seed=5, agents=20, days=2), path)
    return path


def opened(path: Path) -> Market:
    with closing(read_only(path)) as connection:
        return load(connection)


def played(market: Market, **changed: Any) -> Played:
    about: dict[str, Any] = {
        "sample": "one",
        "market": market,
        "first_tick": 361,
        "last_tick": 444,
        "tested": tuple(range(1, 101, 5)),
        "evaluated": Payer("a/tested", PRICES),
        "background": Payer("a/background", None, "nobody has said its price"),
    }
    return Played(**{**about, **changed})


def counted(market: Market, **changed: Any) -> Any:
    tokens: Any = {"tested": 800, "background": 500}
    return sample_estimate(played(market, **changed), connections=20, output_tokens=tokens)


# ----------------------------------------------------------------------------------------- calls


def test_the_calls_of_a_continuation_are_those_that_the_study_measured(demo: Market) -> None:
    tested, background = counted(demo).roles
    assert background.calls in STUDY_BACKGROUND
    assert tested.calls == pytest.approx(STUDY_TESTED_MEAN, rel=0.05)


def test_the_calls_of_a_base_market_are_those_that_the_study_measured(demo: Market) -> None:
    [everybody] = counted(demo, tested=(), background=None, first_tick=1, last_tick=360).roles
    assert everybody.role == "all"
    assert everybody.calls == pytest.approx(STUDY_BASE_MEAN, rel=0.05)


def test_the_turns_of_a_played_market_are_exactly_those_foretold(grown: Path) -> None:
    market = opened(grown)
    rates = {agent.agent_id: agent.activity_permille for agent in market.agents.values()}
    turns = drawn_turns(market.seed, rates, range(1, 25))
    with closing(read_only(grown)) as connection:
        by_tick = connection.execute(
            "SELECT count(turns.turn_id) FROM ticks LEFT JOIN turns USING (tick) WHERE tick > 0 "
            "GROUP BY tick ORDER BY tick"
        ).fetchall()
        by_agent = connection.execute("SELECT agent_id, count(*) FROM turns GROUP BY 1").fetchall()
    assert turns.by_tick == tuple(count for (count,) in by_tick)
    assert {agent: count for agent, count in turns.by_agent.items() if count} == dict(by_agent)


def test_a_script_in_the_background_costs_no_call(demo: Market) -> None:
    model, script = counted(demo), counted(demo, background=None)
    assert [role.role for role in script.roles] == ["tested"]
    assert script.scripted_turns == model.roles[1].calls
    assert model.scripted_turns == 0


# --------------------------------------------------------------------------------------- prompts


def test_the_constant_prefix_of_an_agents_prompts_never_changes(grown: Path) -> None:
    """World and persona are the same bytes in all of an agent's turns; only what follows is new."""
    market = opened(grown)
    later = opened(grown)
    later.tick += 7
    for agent_id in (1, 2):
        first, second = (
            Observation(
                agent_id,
                one.tick,
                0,
                world_text(),
                persona_text_of(one.agents[agent_id]),
                Observer(one).observe(agent_id).data,
            ).messages
            for one in (market, later)
        )
        assert first[:2] == second[:2]
        assert first[2] != second[2]


def test_sizes_are_those_of_the_prompts_that_are_sent(grown: Path) -> None:
    market = opened(grown)
    sizes = measured_prompts(market, [1, 2], condition=None)
    assert sizes.world == len(world_text())
    assert sizes.persona[1] == len(persona_text_of(market.agents[1]))
    assert sizes.observation[2] == len(Observer(market).observe(2).text)
    assert sizes.prefix_tokens(1) > 1_024  # the least that providers keep in a cache
    assert measured_prompts(market, [1], condition=None, protocol="json").tools == 0


def test_a_condition_makes_the_prompt_of_tested_agents_longer_by_its_text(grown: Path) -> None:
    market = opened(grown)
    condition: Condition = plugins().conditions["L3"]
    plain = measured_prompts(market, [1], condition=None)
    longer = measured_prompts(market, [1], condition=condition)
    assert longer.persona[1] - plain.persona[1] == len(condition.text or "")
    assert longer.observation == plain.observation


def test_every_turn_but_the_first_reads_the_prefix_from_the_cache() -> None:
    sizes = PromptSizes(tools=300, world=400, persona={1: 40, 2: 80}, observation={1: 30, 2: 60})
    found = tokens_of(Turns({1: 3, 2: 2}, (2, 2, 1)), sizes, output_tokens=7)
    # Prefix of agent 1: 100 + 110, of agent 2: 100 + 120; all share 100 + 100.
    assert found.uncached == (210 + 3 * 10) + (20 + 2 * 20)
    assert found.cached == 2 * 210 + (2 * 220 - 20)
    assert found.input == 3 * 220 + 2 * 240
    assert found.output == 5 * 7


# -------------------------------------------------------------------------------- money and time


def test_money_has_a_price_for_cached_and_one_for_other_input() -> None:
    payer, tokens = Payer("a/b", PRICES), Tokens(cached=1_000_000, uncached=500_000, output=100_000)
    assert payer.usd(tokens) == pytest.approx(0.2 + 1 + 1)
    assert payer.usd(tokens, cache=False) == pytest.approx(2 + 1 + 1)


def test_money_is_null_with_the_reason_when_a_price_is_not_known(demo: Market) -> None:
    tested, background = counted(demo).roles
    assert tested.usd is not None
    assert tested.usd < tested.usd_without_cache
    assert background.usd is None
    assert background.payer.unknown
    assert Payer("bazaarbench/honest", FREE).usd(Tokens(1, 1, 1)) == 0


@pytest.mark.parametrize(
    ("connections", "expected"),
    [(1, 10 + 5), (4, 3 + 2), (100, 2)],
)
def test_a_tick_waits_for_its_busiest_model(connections: int, expected: int) -> None:
    assert waves([(3, 5), (10, 0)], connections) == expected


# ----------------------------------------------------------------------------------------- power


def test_a_smaller_difference_needs_more_epochs() -> None:
    large = precision("problem_share", 0.2, pairs=3, epochs=3, agents=20)
    small = precision("problem_share", 0.05, pairs=3, epochs=3, agents=20)
    assert large.least_epochs is not None
    assert small.least_epochs is not None
    assert large.least_epochs < small.least_epochs
    assert large.power > small.power
    assert large.detectable == pytest.approx(small.detectable, rel=0.25)


def test_a_difference_that_people_hide_is_found_by_no_number_of_epochs() -> None:
    assert precision("problem_share", 0.02, pairs=1, epochs=1, agents=20).cautious_epochs is None


@pytest.mark.parametrize(
    ("measure", "difference"), [("nothing", 0.1), ("problem_share", 0.0), ("problem_share", -0.2)]
)
def test_what_cannot_be_planned_for_is_refused(measure: str, difference: float) -> None:
    with pytest.raises(SettingError, match=r"--(power|measure)"):
        precision(measure, difference, pairs=1, epochs=1, agents=20)


# ----------------------------------------------------------------------------------- the command


def estimate(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["estimate", *arguments], catch_exceptions=False)


def test_the_command_counts_as_the_eval_will(grown: Path, bazaar_home: Path) -> None:
    bazaar_home.mkdir(exist_ok=True)
    settings = bazaar_home / "models.yaml"
    settings.write_text(
        "dear: {model: openai/a-model, prices: "
        "{input_usd: 2, output_usd: 10, cached_input_usd: 0.2}}\n"
    )
    try:
        arguments = ["-T", f"market={grown}", "-T", "condition=all", "-T", "days=2"]
        arguments += ["--model", "dear", "--epochs", "2"]
        result = estimate(*arguments, "--json")
        told = json.loads(result.stdout)
        text = estimate(*arguments, "--power", "0.1", "--measure", "completion").stdout
    finally:
        settings.unlink()
    assert [one["sample"] for one in told["samples"]] == [
        f"small-{condition}-paper" for condition in ("L1", "L2", "L3")
    ]
    rates = {a.agent_id: a.activity_permille for a in opened(grown).agents.values()}
    mine = {agent: rate for agent, rate in rates.items() if agent % 5 == 1}
    turns = drawn_turns(opened(grown).seed, mine, range(25, 49)).total
    assert all(one["roles"]["tested"]["calls"] == turns for one in told["samples"])
    assert told["total"]["calls"] == 3 * 2 * turns
    assert 0 < told["total"]["usd"] < told["total"]["roles"]["tested"]["usd_without_cache"]
    assert f"{6 * turns:,} calls to dear" in text
    assert "money: $" in text
    assert "epochs for 80 % power" in text


def test_without_a_price_the_command_says_so_and_prints_no_amount(grown: Path) -> None:
    arguments = ["-T", f"market={grown}", "-T", "days=1", "--model", "openai/gpt-5.5"]
    told = json.loads(estimate(*arguments, "--json").stdout)
    assert told["total"]["usd"] is None
    text = estimate(*arguments).stdout
    assert "the price of openai/gpt-5.5 is not known" in text
    assert "$" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-T", "conditon=L1", "--model", "bazaarbench/honest"], "Did you mean -T condition"),
        (["--model", "nobody"], "unknown model"),
        (["--model", "a/b", "--model-role", "backgruond=a/b"], "Did you mean background"),
        (["--model", "a/b", "--power", "0.1"], "belong together"),
        (["--model", "a/b", "-T", "condition"], "write NAME=VALUE"),
    ],
)
def test_what_the_eval_would_refuse_is_refused(arguments: list[str], message: str) -> None:
    result = estimate(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
