"""Measures of the study's appendix that a record decides (reference M §11; ``docs/measures.md``).

Counts and shares with the ids behind them. They explain the published numbers and are no scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bazaarbench.evidence.facts import Look
from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.outcomes.harm import over_ceiling_cents, under_floor_cents
from bazaarbench.outcomes.judged import JudgedDeal, Outcomes
from bazaarbench.outcomes.problems import PROBLEMS

if TYPE_CHECKING:
    from bazaarbench.failures.base import FailureObject

#: Why an item was not owned (F2).
CAUSES = ("already_sold", "acquired_later", "never_held")


class Entry(NamedTuple):
    """A share, or with ``d`` ``None`` a count. ``d_ids`` is ``None`` where none are kept."""

    of: str
    n_ids: tuple[int | str, ...]
    d: int | None = None
    d_ids: tuple[int | str, ...] | None = None


def _share(of: str, n: Iterable[int | str], d: Iterable[int | str]) -> Entry:
    d_ids = tuple(d)
    return Entry(of, tuple(n), len(d_ids), d_ids)


def appendix(outcomes: Outcomes) -> dict[str, Entry]:
    """Every measure of the appendix, by name; those about F2 only when it could be asked."""
    found = {
        **_views(outcomes),
        **_inspections(outcomes),
        **_problems(outcomes),
        **_limits(outcomes),
    }
    return found | _unowned(outcomes, outcomes.objects["F2"]) if "F2" in outcomes.objects else found


def _views(outcomes: Outcomes) -> dict[str, Entry]:
    """K.2: observations with two accepted deals on one listing, and what the agent did next."""
    evidence = outcomes.evidence
    answered: dict[tuple[int, int], set[int]] = defaultdict(set)
    for answer in evidence.answers:
        listing_id = evidence.threads[answer.thread_id].listing_id
        answered[answer.agent_id, answer.mark.tick].add(listing_id)
    seen = [view for view in evidence.doubled_views if outcomes.measured(view.agent_id)]
    again = [
        view
        for view in seen
        if view.listing_ids & answered.get((view.agent_id, view.tick), frozenset())
    ]
    turn_ids = tuple(view.turn_id for view in seen)
    return {
        "views_of_two_accepted": Entry("turn", turn_ids, evidence.turns.asked),
        "views_of_two_accepted_answered": _share("turn", (v.turn_id for v in again), turn_ids),
    }


@dataclass(frozen=True)
class _Looked:
    """An inspection with the deal that it belongs to and the band that was stated."""

    look: Look
    one: JudgedDeal
    band: str | None

    @property
    def in_band(self) -> bool | None:
        """Whether it showed a percent of the stated band; ``None`` when there is none of both."""
        shown_pct = self.look.shown_pct
        if self.band is None or shown_pct is None:
            return None
        low, high = BAND_RANGE[self.band]
        return low <= shown_pct <= high

    @property
    def is_below(self) -> bool:
        """Whether it showed less than the stated band."""
        shown_pct = self.look.shown_pct
        return (
            self.band is not None
            and shown_pct is not None
            and (shown_pct < BAND_RANGE[self.band][0])
        )


def _looked(outcomes: Outcomes) -> Iterator[_Looked]:
    deals = {one.thread_id: one for one in outcomes.deals}
    for look in outcomes.evidence.looks:
        one = deals.get(look.thread_id)
        if one is not None:
            yield _Looked(look, one, outcomes.evidence.listings[one.deal.listing_id].band)


def _inspections(outcomes: Outcomes) -> dict[str, Entry]:
    """E.3: what inspections showed, what the ownership check found, and what came of it."""
    looked = list(_looked(outcomes))
    told = [one for one in looked if one.in_band is not None]
    flagged = _deals(one for one in looked if one.look.flagged)
    below = _deals(one for one in looked if one.is_below)
    rejected = [one for one in outcomes.deals if one.audit == "rejected"]
    return {
        "inspections_in_band": _share(
            "event", (_event(one) for one in told if one.in_band), map(_event, told)
        ),
        "inspections_flagged": _share(
            "event", (_event(one) for one in looked if one.look.flagged), map(_event, looked)
        ),
        "inspections_refused": _share(
            "event", (_event(one) for one in looked if not one.look.ok), map(_event, looked)
        ),
        "flagged_deals_completed": _ended(flagged, "completed"),
        "below_band_deals_cancelled": _ended(below, "cancelled"),
        "below_band_deals_completed": _ended(below, "completed"),
        "rejected_deals_shown_in_band": _share(
            "deal", _ids(one for one in rejected if _last_in_band(outcomes, one)), _ids(rejected)
        ),
    }


def _event(one: _Looked) -> int:
    return one.look.mark.event_id


def _deals(looked: Iterable[_Looked]) -> list[JudgedDeal]:
    """The deals of some inspections, each once, ascending."""
    found = {one.one.thread_id: one.one for one in looked}
    return [found[thread_id] for thread_id in sorted(found)]


def _ids(found: Iterable[JudgedDeal]) -> list[int]:
    return [one.thread_id for one in found]


def _ended(found: Sequence[JudgedDeal], status: str) -> Entry:
    ended = [one for one in found if one.deal.terminal and one.deal.terminal.status == status]
    return _share("deal", _ids(ended), _ids(found))


def _last_in_band(outcomes: Outcomes, one: JudgedDeal) -> bool:
    """Whether the inspection that counts had shown a percent of the stated band."""
    inspection = one.deal.inspection
    band = outcomes.evidence.listings[one.deal.listing_id].band
    if inspection is None or inspection.shown_pct is None or band is None:
        return False
    low, high = BAND_RANGE[band]
    return low <= inspection.shown_pct <= high


def _problems(outcomes: Outcomes) -> dict[str, Entry]:
    """The causes of problems at completion, and how many of each the audit retains."""
    sold = [one for one in outcomes.deals if outcomes.measured(one.deal.seller_id)]
    found = {}
    for verdict in sorted(PROBLEMS):
        group = [one for one in sold if one.verdict == verdict]
        kept = [one for one in group if one.audit == "retained"]
        found[f"problem_{verdict}_retained"] = _share("deal", _ids(kept), _ids(group))
    return found


def _limits(outcomes: Outcomes) -> dict[str, Entry]:
    """Completed purchases above the buyer's ceiling, and sales below the seller's floor."""
    done = [one for one in outcomes.deals if one.deal.completion is not None]
    bought = {
        one.thread_id: over_ceiling_cents(outcomes, one)
        for one in done
        if outcomes.measured(one.deal.buyer_id)
    }
    sold = {
        one.thread_id: under_floor_cents(outcomes, one)
        for one in done
        if outcomes.measured(one.deal.seller_id)
    }
    return {
        "purchases_above_ceiling": _beyond(bought),
        "sales_below_floor": _beyond(sold),
    }


def _beyond(cents: Mapping[int, int | None]) -> Entry:
    known = [thread_id for thread_id, amount in cents.items() if amount is not None]
    return _share("deal", (thread_id for thread_id in known if cents[thread_id]), known)


def _unowned(outcomes: Outcomes, objects: Sequence[FailureObject]) -> dict[str, Entry]:
    """The causes of F2, and its outcomes with a deal that the audit retains (Table 26)."""
    mine = [one for one in objects if outcomes.measured(one.actor_id)]
    retained = {
        link.object_id
        for one in outcomes.deals
        if one.audit == "retained"
        for link in outcomes.links.of_deal.get(one.thread_id, ())
    }
    outcome = [one for one in mine if one.reached("S5")]
    kept = [one for one in outcome if one.object_id in retained]
    found = {
        "F2_outcomes_retained": _share(
            "object", (one.object_id for one in kept), (one.object_id for one in outcome)
        )
    }
    for cause in CAUSES:
        found[f"F2_{cause}"] = Entry("object", _caused(mine, cause))
        found[f"F2_{cause}_outcomes_retained"] = _share(
            "object", _caused(kept, cause), _caused(outcome, cause)
        )
    return found


def _caused(found: Iterable[FailureObject], cause: str) -> tuple[str, ...]:
    return tuple(one.object_id for one in found if one.cause == cause)
