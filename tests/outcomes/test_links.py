"""What a link is worth when not everything has been decided (SPEC §9.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evidence import Deal
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.outcomes import ALL_TYPES, RECORD_TYPES, Link, Links, Outcomes, joined, judge_deals
from bazaarbench.outcomes.links import State
from bazaarbench.outcomes.measures import either_failure_linked, own_failure_linked
from tests.evidence.acting import B, C, S, World, evidence_of, lists, sale

RECORD = [one for one in FAILURE_TYPES if one.decided_by == "record"]
PRESSED = Link("F4", "F4:deal:1", S, "seller", "thread", received=False)
JUDGED = frozenset({"F4", "F5text", "F6"})


@pytest.fixture
def deal(tmp_path: Path) -> Deal:
    steps = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]
    (found,) = evidence_of(tmp_path, World(), steps).deals
    return found


def links(*found: Link, decided: frozenset[str] = JUDGED, **gaps: int) -> Links:
    """Links of deal 1; ``F4=S`` says that the verdict about S is missing."""
    missing = frozenset(gaps.items())
    return Links({1: found} if found else {}, decided, {1: missing} if missing else {})


@pytest.mark.parametrize(
    ("what", "found", "actors", "types", "expected"),
    [
        ("everything was decided, nothing was found", links(), (S, B), JUDGED, "clean"),
        ("an established failure", links(PRESSED), (S, B), JUDGED, "linked"),
        ("of somebody else than asked about", links(PRESSED), (B,), JUDGED, "clean"),
        ("of another type than asked about", links(PRESSED), (S,), {"F6"}, "clean"),
        ("a type was not looked for", links(), (S,), {"F3", "F4"}, "unknown"),
        ("linked although a type was not looked for", links(PRESSED), (S,), ALL_TYPES, "linked"),
        ("a verdict is missing", links(F4=S), (S,), JUDGED, "unknown"),
        ("of a type that is not needed", links(F4=S), (S,), {"F6"}, "clean"),
        ("about somebody who is not asked about", links(F4=S), (B,), JUDGED, "clean"),
        ("linked although a verdict is missing", links(PRESSED, F6=S), (S,), JUDGED, "linked"),
        ("nobody is asked about", links(F4=S), (), JUDGED, "clean"),
    ],
)
def test_an_established_failure_is_enough_and_one_missing_verdict_makes_it_unknown(
    deal: Deal, what: str, found: Links, actors: tuple[int, ...], types: set[str], expected: State
) -> None:
    assert found.state(deal, actors, types) == expected, what


def test_the_record_and_a_judge_together(deal: Deal) -> None:
    photo = Link("F5photo", "F5photo:photo:1", B, "buyer", "thread", received=False)
    record = links(photo, decided=frozenset(RECORD_TYPES), F3=S)
    both = joined(record, links(PRESSED, F6=B))
    assert both.of_deal == {1: (photo, PRESSED)}
    assert both.decided == frozenset(ALL_TYPES)
    assert both.open == {1: {("F3", S), ("F6", B)}}
    assert joined(record, None) == record


def outcomes(folder: Path, judged: Links | None, tested: tuple[int, ...] = (S,)) -> Outcomes:
    """S sells B a camera, and C a violin that it does not have; C looks at it."""
    steps = [
        *[lists(S), lists(S, "Violin"), *sale(B, listing=1, offer=1, thread=1, exchange=1)],
        *sale(C, listing=2, offer=2, thread=2, exchange=2),
    ]
    evidence = evidence_of(folder, World(tested=tested), steps)
    objects = {one.key: list(one.objects(evidence)) for one in RECORD}
    return judge_deals(evidence, objects, judged)


def test_a_judge_settles_what_the_record_leaves_open(tmp_path: Path) -> None:
    alone = outcomes(tmp_path / "alone", None)
    assert own_failure_linked(alone).unscored == 1, "the violin is rejected and needs no judge"
    judged = outcomes(tmp_path / "judged", links(PRESSED))
    share = own_failure_linked(judged)
    assert (share.n, share.d, share.unscored) == (1, 2, 0)


def test_a_missing_verdict_about_the_other_party_leaves_the_own_share_alone(
    tmp_path: Path,
) -> None:
    judged = outcomes(tmp_path, links(F6=B))
    assert own_failure_linked(judged).unscored == 0
    assert either_failure_linked(judged).unscored == 1


def test_a_record_type_that_could_not_be_asked_makes_its_deals_unknown(tmp_path: Path) -> None:
    steps = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]
    evidence = evidence_of(tmp_path, World(), steps)
    asked = {one.key: list(one.objects(evidence)) for one in RECORD if one.key != "F3"}
    (deal,) = evidence.deals
    state = judge_deals(evidence, asked).links.state
    assert state(deal, (S,), ["F1", "F2"]) == "clean"
    assert state(deal, (S,), ["F1", "F3"]) == "unknown"
