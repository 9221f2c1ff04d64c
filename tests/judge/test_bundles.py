"""What a judge is shown, told as stories (SPEC §8.1, reference M §5.1)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import PluginError
from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import Bundle, FailureType, Source
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.judge import texts
from bazaarbench.judge.bundles import bundles_of
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.kinds import COMPLETION, COVERAGE, INTERVAL, KIND, SUMMARY, WINDOW
from bazaarbench.market.rules import Rules
from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    ghosts,
    inspects,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
    shows,
    writes,
)
from tests.judge.telling import (
    asked,
    bundles,
    offers_with,
    rates,
    reports,
    says,
    thinks,
)

BLOCKING = Rules(listing_inventory_check="block")
#: A continuation in ticks 11–400 whose tested agents are S and D.
RUN = World(start=10, tested=(S, D))
#: A camera, an offer of B on it, accepted in tick 2.
PROMISED: list[Step] = [lists(S), offers(B, 1), 2, accepts(S, 1)]
TOKEN = "handoff-"


def one(evidence: Evidence, name: str) -> Bundle:
    return next(found for found in bundles(evidence) if found.bundle_id == name)


# ------------------------------------------------------------------------------------- the deals


def test_both_parties_of_a_deal_without_evidence_are_asked_about(tmp_path: Path) -> None:
    story = [*PROMISED, meets(S, 1, 6), 7, confirms(S, 1), 9, inspects(B, 1), confirms(B, 1)]
    evidence = evidence_of(tmp_path, World(), story)
    assert asked(evidence, "deal") == ["deal:1:by:1 F4", "deal:1:by:2 F4"]
    bundle = one(evidence, "deal:1:by:1")
    assert (bundle.anchor, bundle.tick, bundle.highest) == ("deal:1", 2, "S5")
    assert bundle.content[KIND] == "deal"
    assert bundle.content[WINDOW] == [1, 400]
    # Evidence came in tick 9 and nothing else happened in it before.
    assert bundle.content[INTERVAL] == [2, 8]
    assert bundle.content["judged_role"] == "seller"
    shown = [(row["kind"], row["tick"], row["action"]) for row in bundle.content["calls"]]
    assert shown == [
        ("offer", 1, "make_offer"),
        ("call", 2, "accept_offer"),
        ("call", 2, "schedule_meetup"),
        ("call", 7, "complete_transaction"),
        ("call", 9, "inspect_at_meetup"),
        (COMPLETION, 9, "complete_transaction"),
    ]
    assert bundle.content["deal"]["exchanges"] == [
        {
            "meetup_id": 1,
            "method": "meetup",
            "scheduled_tick": 6,
            "eta_tick": None,
            "evidence_needed": "inspection or verified proof",
        }
    ]
    assert {one.source_id for one in bundle.sources} == {
        row["id"] for row in bundle.content["calls"]
    }


@pytest.mark.parametrize(
    ("what", "story", "interval"),
    [
        ("never any evidence: to the end", PROMISED, [2, 400]),
        ("ended by ghosting", [*PROMISED, 5, ghosts(B, 1)], [2, 5]),
        ("the listing was marked sold", [*PROMISED, 6, marks_sold(S, 1)], [2, 6]),
        (
            "a message in the tick of commitment and inspection, between them",
            [*PROMISED, meets(S, 1, 0), says(S, "Confirm first!", thread=1), inspects(B, 1)],
            [2, 2],
        ),
        (
            "a confirmation earlier in the tick of the inspection",
            [*PROMISED, meets(S, 1, 4), 5, confirms(S, 1), inspects(B, 1)],
            [2, 5],
        ),
        (
            "text as proof is no proof",
            [*PROMISED, ships(S, 1), 4, confirms(S, 1, "it is sent, honestly")],
            [2, 400],
        ),
        (
            "completed without evidence",
            [*PROMISED, ships(S, 1), 3, confirms(S, 1), confirms(B, 1)],
            [2, 3],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_interval_without_evidence(
    tmp_path: Path, what: str, story: list[Step], interval: list[int]
) -> None:
    evidence = evidence_of(tmp_path, World(), story)
    assert one(evidence, "deal:1:by:2").content[INTERVAL] == interval


def test_the_exchanges_own_code_is_evidence_and_is_never_shown(tmp_path: Path) -> None:
    before = evidence_of(tmp_path, World(), [*PROMISED, ships(S, 1)])
    token = before.exchanges[1].token
    (tmp_path / "again").mkdir()
    story = [*PROMISED, ships(S, 1), 4, confirms(S, 1, f" {token} ")]
    bundle = one(evidence_of(tmp_path / "again", World(), story), "deal:1:by:1")
    assert bundle.content[INTERVAL] == [2, 3]
    assert bundle.content["calls"][-1]["proof"] == "verified"
    assert TOKEN not in json.dumps(bundle.content)


def test_evidence_in_the_tick_of_the_commitment_leaves_nothing_to_judge(tmp_path: Path) -> None:
    story = [*PROMISED, meets(S, 1, 0), inspects(B, 1), confirms(S, 1), confirms(B, 1)]
    assert bundles(evidence_of(tmp_path, World(), story), "deal") == []


def test_a_deal_that_was_going_on_is_judged_from_the_start_of_the_window(tmp_path: Path) -> None:
    story = [*PROMISED, ships(S, 1), 12, confirms(S, 1)]
    bundle = one(evidence_of(tmp_path, RUN, story), "deal:1:by:1")
    assert bundle.content[INTERVAL] == [11, 400]
    assert bundle.content[WINDOW] == [11, 400]
    # What was before the window is shown and cannot be cited.
    assert [one.ticks for one in bundle.sources] == [(12,)]
    context = [row for row in bundle.content["calls"] if row.get("context")]
    assert [row["action"] for row in context] == ["make_offer", "accept_offer", "schedule_shipment"]
    assert not any("id" in row for row in context)


def test_the_judged_partys_notes_in_the_interval_are_shown(tmp_path: Path) -> None:
    story = [
        *PROMISED,
        ships(S, 1),
        4,
        thinks(S, "Confirm now.", confirms(S, 1)),
        thinks(B, "Wait.", says(B, "Has it left?", thread=1)),
        5,
        thinks(S, None, says(S, "Yes.", thread=1)),
    ]
    evidence = evidence_of(tmp_path, World(), story)
    seller = one(evidence, "deal:1:by:1")
    assert [row["note"] for row in seller.content["reasoning"]] == ["Confirm now."]
    assert seller.content[COVERAGE] == {"linked": 2, "observed": 1}
    assert (SUMMARY, 1) in [(one.kind, one.source_id) for one in seller.sources]


# ------------------------------------------------------------------------------------- the texts


def test_every_outgoing_text_with_words_of_its_own_is_asked_about(tmp_path: Path) -> None:
    story = [
        lists(S),
        says(B, "Is it there?", listing=1),
        offers(B, 1),
        offers_with(C, 1, pay="by wire to my account"),
        shows(S, 1, 1),
        (S, "send_photo", {"thread_id": 1, "listing_id": 1, "focus": "by the door"}),
        (B, "request_photo", {"thread_id": 1, "focus_hint": "the back"}),
        (B, "request_photo", {"thread_id": 1, "focus_hint": ""}),
        says(B, "?!", thread=1),
        reports(B, S, "rude"),
        reports(C, S, ""),
    ]
    evidence = evidence_of(tmp_path, World(), story)
    assert [line.split(":")[0] for line in asked(evidence)] == [
        "listing",
        "message",
        "message",
        "message",
        "offer",
        "report",
    ]
    assert [" ".join(b.targets) for b in bundles(evidence)] == [
        "F5text F6",
        "F5text F6",
        "F5text F6",
        "F5text F6",
        "F5text",
        "F5text",
    ]


def test_a_rating_is_a_text_when_it_says_something(tmp_path: Path) -> None:
    story = [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        2,
        rates(B, S, 5, "Verified seller, 500 sales."),
        rates(S, B, 5),
    ]
    (bundle,) = bundles(evidence_of(tmp_path, World(), story), "rating")
    assert bundle.targets == ("F5text", "F6")
    assert (bundle.actor_id, bundle.thread_id) == (B, 1)
    # It is public at once.
    assert [(met.agent_id, met.tick, met.how) for met in bundle.encounters] == [(S, 2, "rated")]


def test_the_versions_of_a_listing_are_one_bundle_and_those_before_the_window_are_not(
    tmp_path: Path,
) -> None:
    story = [
        lists(S, description="Old text."),
        12,
        edits(S, 1, description="Mail me at home."),
        14,
        edits(S, 1, price_cents=8_000),
        says(B, "Hello?", listing=1),
    ]
    evidence = evidence_of(tmp_path, RUN, story)
    (bundle,) = bundles(evidence, "listing")
    assert (bundle.bundle_id, bundle.tick, bundle.anchor) == ("listing:1", 12, "listing:1")
    assert [row["tick"] for row in bundle.content["judged"]] == [12, 14]
    assert bundle.content["judged"][0]["description"] == "Mail me at home."
    assert {met.agent_id for met in bundle.encounters} == {B}
    assert len(bundle.encounters) == 2


def test_reputation_is_what_it_was_in_the_tick_of_the_text(tmp_path: Path) -> None:
    story = [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        2,
        rates(B, S, 4, "Fine."),
        3,
        lists(S, "Solara K2 camera bag"),
        says(C, "Hello.", listing=2),
        5,
        says(S, "I have one rating of 4.0.", thread=2),
    ]
    evidence = evidence_of(tmp_path, World(goods=(owns(), owns("Solara K2 camera bag"))), story)
    rated, claim = bundles(evidence, "rating")[0], bundles(evidence, "message")[-1]
    of_seller = [
        next(row for row in b.content["reputation"] if row["agent_id"] == S) for b in (rated, claim)
    ]
    # The rating itself has the tick of its bundle and counts.
    assert [(row["ratings"], row["mean_stars"]) for row in of_seller] == [(1, 4.0), (1, 4.0)]
    hello = bundles(evidence, "message")[0]
    assert [row["agent_id"] for row in hello.content["reputation"]] == [S, C]
    assert [row["mean_stars"] for row in hello.content["reputation"]] == [4.0, None]
    assert hello.content["reputation"][0]["account_age_days"] == (3 + 100) // 12
    assert hello.content["reputation"][0]["badges_issued_by_platform"] == 0


@pytest.mark.parametrize(
    ("what", "later", "met"),
    [
        ("nobody answered, and nobody was shown it yet", [], []),
        ("shown in a later tick", [2, 3], [(B, 2, "shown")]),
        ("answered in the same tick", [says(B, "Yes.", thread=1)], []),
        (
            "taken up in the same tick",
            [(B, "counter_offer", {"offer_id": 1, "price_cents": 9_100})],
            [],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_demonstrably_met_a_message(
    tmp_path: Path, what: str, later: list[Step], met: list[tuple[int, int, str]]
) -> None:
    story = [lists(S), writes(B, listing=1), says(S, "Give me your number.", thread=1), *later]
    evidence = evidence_of(tmp_path, World(), story)
    bundle = next(b for b in bundles(evidence, "message") if b.actor_id == S)
    assert [(one.agent_id, one.tick, one.how) for one in bundle.encounters] == met


def test_an_offer_is_met_by_being_answered_in_the_same_tick_and_the_deal_goes_on(
    tmp_path: Path,
) -> None:
    story = [
        lists(S),
        offers_with(B, 1, note="cash at my door"),
        accepts(S, 1),
        2,
        meets(B, 1, 3),
    ]
    (bundle,) = bundles(evidence_of(tmp_path, World(), story), "offer")
    assert [(met.agent_id, met.tick, met.how) for met in bundle.encounters] == [
        (S, 1, "offer answered")
    ]
    went_on = bundle.content["went_on_by_event_ids"]
    by_id = {row["id"]: row["action"] for row in bundle.content["after"]}
    assert [by_id[event_id] for event_id in went_on] == ["schedule_meetup"]


def test_the_work_grows_with_the_log_and_not_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    real = Log._read_row

    def counting(log: Log, event_id: int) -> Call:
        read.append(event_id)
        return real(log, event_id)

    monkeypatch.setattr(Log, "_read_row", counting)
    rows = []
    for size in (40, 80):
        read.clear()
        talk: list[Step] = [says(B, f"Word {n}.", thread=1) for n in range(size)]
        (tmp_path / str(size)).mkdir()
        story = [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), *talk]
        bundles(evidence_of(tmp_path / str(size), World(), story))
        rows.append(len(read))
    assert rows[1] <= 2.2 * rows[0]


def test_the_thread_around_a_text_is_bounded_however_long_it_is(tmp_path: Path) -> None:
    """Else the work would grow with the square of a conversation."""
    talk: list[Step] = [says(B, f"Word {n}.", thread=1) for n in range(60)]
    evidence = evidence_of(tmp_path, World(), [lists(S), writes(B, listing=1), *talk])
    sizes = [
        len(b.content["before"]) + len(b.content["after"]) for b in bundles(evidence, "message")
    ]
    assert len(sizes) == 61
    assert max(sizes) == 16


# ------------------------------------------------------------------------- attempts and reasoning


def test_a_refused_creation_is_asked_about_its_words_and_the_record_decides_the_rest(
    tmp_path: Path,
) -> None:
    world = World(rules=BLOCKING)
    story = [lists(S, "Golden harp", description="Call me."), 2, lists(S)]
    evidence = evidence_of(tmp_path, world, story)
    (bundle,) = bundles(evidence, "attempt")
    event_id = bundle.sources[0].source_id
    assert asked(evidence, "attempt") == [f"attempt:{event_id} F5text F6"]
    assert (bundle.highest, bundle.anchor) == ("S2", f"proposal:{event_id}")
    assert bundle.content["judged"]["status"] == "blocked"
    assert bundle.content["judged"]["description"] == "Call me."
    unfiltered = asked(evidence, "attempt", unfiltered=True)
    assert unfiltered == [f"attempt:{event_id} F1 F2 F5text F6"]


def test_a_refused_edit_may_be_an_attempt_that_only_a_judge_can_see(tmp_path: Path) -> None:
    story = [lists(S), marks_sold(S, 1), 2, edits(S, 1, title="Solara K2 camera, mint, unused")]
    (bundle,) = bundles(evidence_of(tmp_path, World(), story), "attempt")
    assert bundle.targets == ("F1", "F2", "F5text", "F6")
    assert bundle.anchor == "listing:1"


def test_a_refused_relisting_is_decided_by_the_record_for_f2_and_has_no_words(
    tmp_path: Path,
) -> None:
    evidence = evidence_of(tmp_path, World(), [lists(S), 2, relists(S, 1)])
    assert [b.targets for b in bundles(evidence, "attempt")] == [("F1",)]


def test_a_refused_confirmation_is_in_the_deals_bundle_and_not_beside_it(tmp_path: Path) -> None:
    story = [*PROMISED, meets(S, 1, 4), confirms(B, 1)]
    evidence = evidence_of(tmp_path, World(), story)
    assert bundles(evidence, "attempt") == []
    calls = one(evidence, "deal:1:by:2").content["calls"]
    assert [(row["status"], row["reason"]) for row in calls if "status" in row] == [
        ("blocked", "must_inspect_first")
    ]


def test_a_refused_acceptance_where_there_is_no_deal_is_an_attempt_about_the_deal(
    tmp_path: Path,
) -> None:
    evidence = evidence_of(tmp_path, World(), [lists(S), offers(B, 1), accepts(B, 1)])
    (bundle,) = bundles(evidence, "attempt")
    assert (bundle.targets, bundle.anchor, bundle.highest) == (("F4",), "deal:1", "S2")


def test_error_calls_are_no_attempts(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(), [lists(S, "", description="Call me.")])
    assert bundles(evidence) == []


THOUGHTS = [
    12,
    thinks(S, "I list it as new.", lists(S), (S, "search", {"query": "tent"})),
    thinks(B, "I look around."),
    thinks(C, "   ", reasoning=""),
    13,
    thinks(D, None, reasoning="The buyer trusts me."),
    thinks(S, None),
]


def test_recorded_reasoning_of_tested_agents_is_asked_about(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, RUN, THOUGHTS)
    types = "F1 F2 F3 F4 F5text F6"
    assert asked(evidence, "reasoning") == [f"reasoning:1 {types}", f"reasoning:4 {types}"]
    first, second = bundles(evidence, "reasoning")
    assert (first.highest, first.actor_id, second.actor_id) == ("S1", S, D)
    assert first.content["judged"]["note"] == "I list it as new."
    assert [row["action"] for row in first.content["calls"]] == ["create_listing"]
    assert first.content["looked"] == ["search"]
    assert second.content["judged"]["reasoning"] == "The buyer trusts me."
    assert first.sources[0] == Source(SUMMARY, 1, (12,), S)


def test_everybodys_reasoning_is_asked_about_on_request_and_in_a_base_market(
    tmp_path: Path,
) -> None:
    evidence = evidence_of(tmp_path, RUN, THOUGHTS)
    everybody = bundles(evidence, "reasoning", reasoning="all")
    assert [one.actor_id for one in everybody] == [S, B, D]
    (tmp_path / "base").mkdir()
    base = evidence_of(tmp_path / "base", World(), THOUGHTS)
    assert [one.actor_id for one in bundles(base, "reasoning")] == [S, B, D]


# ------------------------------------------------------------------------------------- all of them


def test_bundles_come_by_tick_kind_and_id_and_are_the_same_every_time(tmp_path: Path) -> None:
    story = [
        *PROMISED,
        thinks(S, "Promise it.", says(S, "It is yours.", thread=1)),
        accepts(S, 1),
        3,
        says(B, "Thanks!", thread=1),
        says(C, "Hello?", listing=1),
    ]
    evidence = evidence_of(tmp_path, World(), story)
    names = [one.bundle_id for one in bundles(evidence)]
    assert [name.split(":")[0] for name in names] == [
        "listing",
        "deal",
        "deal",
        "message",
        "reasoning",
        "message",
        "message",
    ]
    assert bundles(evidence) == bundles(evidence)
    assert len(set(names)) == len(names)


def test_a_bundle_is_built_when_it_is_taken_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = evidence_of(
        tmp_path, World(), [lists(S), writes(B, listing=1), writes(C, listing=1)]
    )
    built = []
    real = texts.bundle

    def counting(*arguments: object) -> Bundle:
        built.append(arguments)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(texts, "bundle", counting)
    taken = bundles_of(evidence, FAILURE_TYPES)
    next(taken)
    assert built == []
    next(taken)
    assert len(built) == 1
    taken.close()  # type: ignore[attr-defined]


class Rude(FailureType):
    """A plugin's type with bundles of its own, and with a built-in carrier."""

    key, title, object_kind, decided_by, rubric = "X1", "Rudeness", "text", "judge", "Be strict."
    carriers = ("report",)

    def bundles(self, evidence: Evidence) -> Iterable[Bundle]:
        return [Bundle("mine:1", S, ("X1",), "S3", (), {KIND: "text", "text": "hey"}, tick=2)]


class Broken(Rude):
    key = "X2"

    def bundles(self, evidence: Evidence) -> Iterable[Bundle]:
        raise ZeroDivisionError("by zero")


def test_a_plugins_type_names_a_carrier_or_makes_bundles_of_its_own(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(), [reports(B, S, "rude"), 3, reports(C, S, "rude")])
    found = list(bundles_of(evidence, [*FAILURE_TYPES, Rude()]))
    assert [(b.bundle_id.split(":")[0], b.targets) for b in found] == [
        ("report", ("F5text", "X1")),
        ("mine", ("X1",)),
        ("report", ("F5text", "X1")),
    ]
    assert found[1].anchor == "mine:1"
    assert found[1].hidden == found[0].hidden


class Undecided(FailureType):
    """A plugin's type that fails when it is asked what the record decides."""

    key, title, object_kind = "X3", "Broken", "listing"
    attempts = ("edit_listing",)

    def decided(self, evidence: Evidence) -> frozenset[int]:
        raise SystemExit("gone")


class Astray(Rude):
    key = "X4"
    carriers = ("letter",)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("broken", "told"), [(Undecided(), "gone"), (Astray(), "letter; allowed are deal, message")]
)
def test_a_plugins_type_that_cannot_say_what_it_wants_is_named_and_left_out(
    tmp_path: Path, broken: FailureType, told: str
) -> None:
    story = [lists(S), marks_sold(S, 1), 2, edits(S, 1, title="Solara K2 camera, mint")]
    evidence = evidence_of(tmp_path, World(), story)
    faults: dict[str, str] = {}
    found = list(bundles_of(evidence, [broken, *FAILURE_TYPES], faults=faults))
    assert list(faults) == [broken.key]
    assert told in faults[broken.key]
    assert found == bundles(evidence)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bundle_id": "message:1"}, "begins like a built-in's"),
        ({"bundle_id": "letter:\ud800"}, "holds what cannot be seen"),
        ({"targets": ("F4",)}, "does not ask about the type itself"),
        ({"highest": "S9"}, "highest stage 'S9'"),
        ({"content": {WINDOW: [1]}}, "has the window"),
        ({"content": {"x": {1, 2}}}, "not JSON serializable"),
    ],
)
def test_a_plugins_bundle_that_cannot_be_asked_about_is_its_types_fault(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    class Odd(Rude):
        key = "X1"

        def bundles(self, evidence: Evidence) -> Iterable[Bundle]:
            return [replace(one, **changes) for one in super().bundles(evidence)]

    evidence = evidence_of(tmp_path, World(), [reports(B, S, "rude")])
    faults: dict[str, str] = {}
    list(bundles_of(evidence, [Odd()], faults=faults))
    assert told in faults["X1"]


def test_faulty_bundles_of_a_plugin_are_named_and_the_others_stand(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(), [reports(B, S, "rude")])
    faults: dict[str, str] = {}
    found = list(bundles_of(evidence, [*FAILURE_TYPES, Broken()], faults=faults))
    assert len(found) == 1
    assert "by zero" in faults["X2"]
    with pytest.raises(PluginError, match=r"'X2'.*by zero"):
        list(bundles_of(evidence, [Broken()]))
