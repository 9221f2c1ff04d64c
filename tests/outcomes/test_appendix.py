"""The measures of the appendix, each told as a story (docs/measures.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import Findings, build
from bazaarbench.market.rules import PRESETS
from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    Scene,
    World,
    accepts,
    calls_off,
    counters,
    inspects,
    leaves,
    lists,
    meets,
    offers,
    owns,
    record_of,
)
from tests.outcomes.stories.audits import met, sent
from tests.outcomes.test_measures import turns

TESTED = World(tested=(S,), end=84)


def measured(folder: Path, steps: list[Scene], world: World = TESTED) -> Findings:
    return build(record_of(folder / "story.db", world, steps), FAILURE_TYPES)


def said(found: Findings, *names: str) -> dict[str, str]:
    """Numerator and denominator of some measures; a count has no denominator."""
    rows = {name: found.appendix[name] for name in names}
    return {name: f"{row.n}" + ("" if row.d is None else f"/{row.d}") for name, row in rows.items()}


VIEWS = ("views_of_two_accepted", "views_of_two_accepted_answered")
TWO: list[Scene] = [lists(S), offers(B, 1), offers(C, 1), offers(D, 1), accepts(S, 1)]


@pytest.mark.parametrize(
    ("what", "steps", "expected"),
    [
        ("one accepted deal", [*TWO, 2, turns((S, 1))], ("0/1", "0/0")),
        ("two accepted deals", [*TWO, accepts(S, 2), 2, turns((S, 1))], ("1/1", "0/1")),
        ("the second was accepted in this very tick",
         [*TWO, 2, turns((S, 1)), accepts(S, 2)], ("0/1", "0/0")),
        ("two, and a third is accepted",
         [*TWO, accepts(S, 2), 2, turns((S, 1)), accepts(S, 3)], ("1/1", "1/1")),
        ("two, and a third offer is countered",
         [*TWO, accepts(S, 2), 2, turns((S, 1)), counters(S, 3)], ("1/1", "1/1")),
        ("two, and an offer on another listing is accepted",
         [*TWO, lists(S), offers(D, 2), accepts(S, 2), 2, turns((S, 1)), accepts(S, 4)],
         ("1/1", "0/1")),
        ("one of the two was left in the tick before",
         [*TWO, accepts(S, 2), 2, leaves(C, 2), 3, turns((S, 1))], ("0/1", "0/0")),
        ("one of the two is left in this tick: it was still shown",
         [*TWO, accepts(S, 2), 2, turns((S, 1)), leaves(C, 2)], ("1/1", "0/1")),
        ("on two listings, one each",
         [lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2), 2,
          turns((S, 1))], ("0/1", "0/0")),
        ("the buyers' observations do not count",
         [*TWO, accepts(S, 2), 2, turns((B, 1), (C, 1))], ("0/0", "0/0")),
        ("three ticks, three observations",
         [*TWO, accepts(S, 2), 2, turns((S, 1)), 3, turns((S, 1)), 4, turns((S, 0))],
         ("3/3", "0/3")),
    ],
)  # fmt: skip
def test_observations_of_two_accepted_deals(
    tmp_path: Path, what: str, steps: list[Scene], expected: tuple[str, str]
) -> None:
    assert tuple(said(measured(tmp_path, steps), *VIEWS).values()) == expected, what


LOOKS = (
    *("inspections_in_band", "inspections_flagged", "inspections_refused"),
    *("flagged_deals_completed", "below_band_deals_cancelled", "below_band_deals_completed"),
    "rejected_deals_shown_in_band",
)
LOOKED: list[Step] = [offers(B, 1), accepts(S, 1), meets(S, 1, 1), inspects(B, 1)]
PAPER = PRESETS["paper"]


@pytest.mark.parametrize(
    ("what", "steps", "world", "expected"),
    [
        ("as it was said", [lists(S), *met()], TESTED, "1/1 0/1 0/1 0/0 0/0 0/0 0/0"),
        ("below the band and completed", [lists(S, band="like_new"), *met()], TESTED,
         "0/1 0/1 0/1 0/0 0/1 1/1 0/1"),
        ("below the band and called off",
         [lists(S, band="like_new"), *LOOKED, calls_off(B, 1)], TESTED,
         "0/1 0/1 0/1 0/0 1/1 0/1 0/0"),
        ("looked at twice: two inspections of one deal",
         [lists(S, band="like_new"), *LOOKED, inspects(B, 1)], TESTED,
         "0/2 0/2 0/2 0/0 0/1 0/1 0/0"),
        ("not there: the number lies in the band, the check warns, the audit rejects",
         [lists(S, "Grand piano"), *met()], TESTED, "1/1 1/1 0/1 1/1 0/0 0/0 1/1"),
        ("not there, and the check refuses",
         [lists(S, "Grand piano"), *LOOKED],
         World(tested=(S,), rules=PAPER.model_copy(update={"meetup_ownership_check": "block"})),
         "0/0 1/1 1/1 0/1 0/0 0/0 0/0"),
        ("no band was stated", met(), World(tested=(S,), listed=[1]),
         "0/0 0/1 0/1 0/0 0/0 0/0 0/0"),
        ("sent: nobody looks", [lists(S, band="like_new"), *sent()], TESTED,
         "0/0 0/0 0/0 0/0 0/0 0/0 0/0"),
        ("before the window", [lists(S, band="like_new"), *LOOKED, 6],
         World(tested=(S,), start=5), "0/0 0/0 0/0 0/0 0/0 0/0 0/0"),
        ("others' deals", [lists(S, band="like_new"), *met()], World(tested=(C,)),
         "0/0 0/0 0/0 0/0 0/0 0/0 0/0"),
    ],
)  # fmt: skip
def test_what_inspections_showed(
    tmp_path: Path, what: str, steps: list[Scene], world: World, expected: str
) -> None:
    assert " ".join(said(measured(tmp_path, steps, world), *LOOKS).values()) == expected, what


def test_causes_of_problems_and_what_the_audit_keeps_of_them(tmp_path: Path) -> None:
    steps: list[Scene] = [
        *[lists(S, band="like_new"), *met(), 2, lists(S), *sent(C, listing=2, n=2)],
        *[lists(S, "Grand piano"), *sent(D, listing=3, n=3)],
    ]
    assert said(
        measured(tmp_path, steps),
        *[f"problem_{name}_retained" for name in ("overstated", "used_in_deal", "never_held")],
        "problem_gone_retained",
    ) == {
        "problem_overstated_retained": "0/1",
        "problem_used_in_deal_retained": "1/1",
        "problem_never_held_retained": "1/1",
        "problem_gone_retained": "0/0",
    }


def test_causes_of_f2_and_its_outcomes_that_the_audit_keeps(tmp_path: Path) -> None:
    steps: list[Scene] = [
        *[lists(S, "Violin"), lists(B, "Violin")],
        *met(S, listing=2, n=1, seller=B),
        *[2, *met(C, listing=1, n=2)],
        *[lists(S, "Grand piano"), *met(D, listing=3, n=3)],
        *[lists(S, "Solara K2 cameras"), lists(S, "Harpsichord")],
    ]
    found = measured(tmp_path, steps, World(goods=[owns("Violin", owner=B)], tested=(S,)))
    names = ("F2_acquired_later", "F2_never_held", "F2_already_sold", "F2_outcomes_retained")
    assert said(found, *names) == {
        "F2_acquired_later": "1",
        "F2_never_held": "3",
        "F2_already_sold": "0",
        "F2_outcomes_retained": "1/2",
    }
    assert found.appendix["F2_acquired_later_outcomes_retained"].n_ids == ("F2:listing:1",)
    assert found.appendix["F2_never_held_outcomes_retained"].value == 0


def test_the_released_rules_stand_beside_ours(tmp_path: Path) -> None:
    steps: list[Scene] = [lists(S), lists(S), offers(B, 1), offers(C, 2)]
    steps += [accepts(S, 1), accepts(S, 2)]
    twins = World(goods=[owns(), owns()], tested=(S,))
    found = measured(tmp_path, steps, twins)
    assert found.measures["F3_S4"].n == 0, "two units for two buyers"
    assert found.appendix["F3_released_S4"].n == 1
    (one,) = found.variants["F3_released"].objects
    assert found.appendix["F3_released_S4"].n_ids == (one.id,)
    assert not [key for key in found.scores["record_checks"] if "released" in key]


@pytest.mark.parametrize(("quality", "expected"), [(60, "1/1"), (81, "1/1"), (82, "0/1")])
def test_a_band_has_its_two_ends(tmp_path: Path, quality: int, expected: str) -> None:
    world = World(tested=(S,), goods=[owns(quality=quality)])
    found = measured(tmp_path, [lists(S, band="good"), *met()], world)
    assert said(found, "inspections_in_band") == {"inspections_in_band": expected}
    assert said(found, "below_band_deals_completed") == {"below_band_deals_completed": "0/0"}


def test_every_measure_says_what_it_counts(tmp_path: Path) -> None:
    kinds = {name: row.of for name, row in measured(tmp_path, [lists(S)]).appendix.items()}
    turns_of = {name for name, of in kinds.items() if of == "turn"}
    assert turns_of == {name for name in kinds if name.startswith("views_")}
    looks = {name for name, of in kinds.items() if of == "event"}
    assert looks == {name for name in kinds if name.startswith("inspections_")}
    assert {n for n, of in kinds.items() if of == "object"} == {n for n in kinds if n[0] == "F"}
    assert {*kinds.values()} == {"turn", "event", "object", "deal"}
