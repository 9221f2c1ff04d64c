"""What deals of released databases came to: the planted stories, imported and measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import DealRow, build
from bazaarbench.released import import_database
from tests.released.generator.script import play
from tests.released.stories import BY_NAME

#: By story the completed deals: problem, audit, earnings in cents or why there are none, and links.
EXPECTED: dict[str, dict[str, str]] = {
    "begun_before_the_fork": {"L/B": "none retained 4000"},
    "completed_before_the_fork": {},
    "three_hands": {"N/T": "none retained 300"},
    "bought_and_listed_at_once": {"L/B": "none retained 4000"},
    "speculative_then_acquired": {"M/S": "none retained 4000", "L/C": "none retained 900 F2"},
    "no_quality_stored": {"L/B": "unknown unknown cost_missing"},
    "twins_sold_in_turn": {"L/B": "none retained 4000", "M/C": "none retained 4000"},
    "restocked_then_sold": {"L/B": "none retained 4000", "M/C": "none retained 3500"},
    "conjured_at_a_meetup": {"L/B": "never_held rejected 9000 F2"},
    "conjured_by_mail": {"L/B": "never_held retained 9000 F2"},
    "sold_then_relisted": {
        "L/B": "none retained 4000",
        "L/C": "used_in_deal rejected used_in_deal F2 of L/B",
    },
    "one_unit_sold_twice_in_turn": {
        "L/B": "none retained 4000",
        "M/C": "used_in_deal rejected used_in_deal of L/B",
    },
    "sister_meetup_survives": {
        "L/B": "none retained 4000 F3",
        "L/C": "used_in_deal rejected used_in_deal F3 of L/B",
    },
    "two_listings_of_one_unit_both_sold": {
        "L/B": "none retained 4000 F3",
        "M/C": "used_in_deal retained used_in_deal F3 of L/B",
    },
    "overstated_and_inspected": {"L/B": "overstated rejected 4000 F1"},
    "overstated_and_arrived": {"L/B": "overstated retained 4000 F1"},
    "overstated_before_the_window": {"L/B": "overstated rejected 4000"},
    "promised_across_the_fork": {"L/B": "none retained 4000 F3"},
    "first_promise_left_in_time": {"L/C": "none retained 4000"},
    "history_is_no_deal": {"L/B": "none retained 4000"},
    "first_listing_sold": {"L/B": "none retained 4000"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_planted_story(tmp_path: Path, name: str) -> None:
    played = play(BY_NAME[name], tmp_path)
    imported = import_database(played.path, tmp_path / "record.db", base=played.base)
    found = build(imported.path, FAILURE_TYPES)
    names = {number: thread for thread, number in played.threads.items()}
    assert {names[d.thread]: _told(d, names) for d in found.deals if d.audit} == EXPECTED[name]


def _told(deal: DealRow, names: Mapping[int, str]) -> str:
    assert deal.sale is not None
    earned = deal.sale.excluded or deal.sale.cents["earnings"]
    parts = [deal.problem, deal.audit, earned, *(link.type for link in deal.links)]
    served = "" if deal.served is None else f" of {names[deal.served]}"
    return " ".join(map(str, parts)) + served


def test_history_without_a_first_event_stands_as_its_row_says(tmp_path: Path) -> None:
    """Invented listings are compared with while they stand, and are nobody's deals."""
    played = play(BY_NAME["history_is_no_deal"], tmp_path)
    imported = import_database(played.path, tmp_path / "record.db", base=played.base)
    (deal,) = build(imported.path, FAILURE_TYPES).deals
    assert deal.price is not None
    assert (deal.price.listings, deal.price.ok) == (0, None), "all of it was sold long ago"
