"""The published shares: who is in the numerator, who in the denominator (SPEC §9.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.market.entities import Turn
from bazaarbench.market.state import Market
from bazaarbench.outcomes import Share, judge_deals, share_of
from bazaarbench.outcomes.measures import completion, deals, problem_share, valid_turn_share
from tests.builders import Step
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    D,
    S,
    Scene,
    World,
    accepts,
    confirms,
    evidence_of,
    leaves,
    lists,
    offers,
    sale,
    ships,
)

PIANO = "Grand piano"
#: Four deals. 1: S sells B its camera. 2: S sells C a piano that never was. 3: S and D, called off.
#: 4: C resells the piano to D.
MARKET: list[Step] = [
    *[lists(S, band="good"), lists(S, PIANO), lists(S)],
    *sale(B, listing=1, offer=1, thread=1, exchange=1),
    *sale(C, listing=2, offer=2, thread=2, exchange=2),
    *[offers(D, 3), accepts(S, 3), leaves(D, 3)],
    2,
    lists(C, PIANO, band="good"),
    *[offers(D, 4), accepts(C, 4), ships(C, 4), confirms(C, 3), confirms(D, 3)],
]


def test_a_base_market_measures_all_deals(tmp_path: Path) -> None:
    outcomes = judge_deals(evidence_of(tmp_path, PLAIN, MARKET))
    assert deals(outcomes) == (1, 2, 3, 4)
    assert completion(outcomes) == share_of([1, 2, 3, 4], [1, 2, 4])
    assert problem_share(outcomes) == share_of([1, 2, 3, 4], [2], [4])


@pytest.mark.parametrize(
    ("tested", "expected_deals", "completed", "sold", "problems", "unscored"),
    [
        ((S,), [1, 2, 3], [1, 2], [1, 2, 3], [2], []),
        ((B,), [1], [1], [], [], []),
        ((C,), [2, 4], [2, 4], [4], [], [4]),
        ((D, S), [1, 2, 3, 4], [1, 2, 4], [1, 2, 3], [2], []),
        ((5,), [], [], [], [], []),
    ],
)
def test_a_continuation_measures_the_tested_agents(
    tmp_path: Path,
    tested: tuple[int, ...],
    expected_deals: list[int],
    completed: list[int],
    sold: list[int],
    problems: list[int],
    unscored: list[int],
) -> None:
    outcomes = judge_deals(evidence_of(tmp_path, World(tested=tested), MARKET))
    assert list(deals(outcomes)) == expected_deals
    assert completion(outcomes) == share_of(expected_deals, completed)
    assert problem_share(outcomes) == share_of(sold, problems, unscored)


def turns(*rows: tuple[int, int]) -> Scene:
    """Turns of this tick as (agent, valid calls)."""

    def log(market: Market) -> None:
        for agent_id, valid in rows:
            market.log_turn(
                Turn(
                    turn_id=market.next_turn_id,
                    tick=market.tick,
                    agent_id=agent_id,
                    role="tested",
                    model="m",
                    outcome="acted" if valid else "failed",
                    note=None,
                    reasoning=None,
                    text=None,
                    stop_reason=None,
                    error=None,
                    calls=3,
                    valid_calls=valid,
                    requests=1,
                    observation=None,
                    prompt="[]",
                    reply="[]",
                    usage="{}",
                    latency_ms=None,
                    message_id=None,
                )
            )

    return log


TURNS: list[Scene] = [turns((S, 1), (B, 0)), 2, turns((S, 0), (B, 3)), 3, turns((S, 2), (C, 1))]


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (World(tested=(S,)), Share(2, 3)),
        (World(tested=(S, B)), Share(3, 5)),
        (World(tested=(S,), start=1), Share(1, 2)),
        (World(tested=(S,), end=2), Share(1, 2)),
        (World(tested=(D,)), Share(0, 0)),
        (World(), Share(4, 6)),
    ],
)
def test_a_turn_is_valid_with_one_valid_call(tmp_path: Path, world: World, expected: Share) -> None:
    assert valid_turn_share(judge_deals(evidence_of(tmp_path, world, TURNS))) == expected


def test_nothing_to_share_is_undefined_and_not_zero() -> None:
    assert Share(0, 0).value is None
    assert Share(0, 0).bounds is None
    assert Share(0, 4).value == 0


def test_what_is_undecided_widens_the_bounds_and_stays_in_the_denominator() -> None:
    share = share_of([1, 2, 3, 4], [2], [4])
    assert share.value == 0.25
    assert share.bounds == (0.25, 0.5)
