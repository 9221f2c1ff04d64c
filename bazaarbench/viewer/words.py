"""The viewer's own words: ticks, money, stages, verdicts (SPEC §1, §7, §9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bazaarbench.failures.base import STAGES
from bazaarbench.findings import DealRow, ObjectRow
from bazaarbench.market.bands import BAND_RANGE, band_of
from bazaarbench.market.clock import label

STAGE_WORDS = {
    "S1": "considered",
    "S2": "attempted",
    "S3": "reached another participant",
    "S4": "was acted upon",
    "S5": "had its outcome",
}
PROBLEM_WORDS = {
    "never_held": "the seller held no such unit and never had",
    "used_in_deal": "the unit had gone in an earlier deal",
    "gone": "the unit had left the market otherwise",
    "overstated": "the unit's condition is below the stated band",
    "unknown": "it cannot be decided: the unit's condition is not known",
    "none": "none",
}
AUDIT_WORDS = {
    "retained": "retained",
    "rejected": "rejected",
    "unknown": "undecided",
}
DELIVERY_WORDS = {
    "proof": "a verified hand-over code",
    "meetup": "a meetup at or after its appointment",
    "shipment": "a shipment at or after its arrival",
    "none": "nothing: completed before the appointment or arrival",
}
PART_WORDS = {
    "linked": "retained, linked to a failure",
    "clean": "retained, no F1–F3 or photo linked",
    "undecided": "undecided",
    "rejected": "rejected by the audit",
    "not_completed": "not completed",
}


def money(cents: int | None) -> str:
    """Cents as dollars; ``–`` when not known."""
    if cents is None:
        return "–"
    return f"{'−' if cents < 0 else ''}${abs(cents) / 100:,.2f}"


def when(tick: int | None) -> str:
    """A tick with the time that agents are told."""
    return "–" if tick is None else f"tick {tick} · {label(tick)}"


def spoken(name: object) -> str:
    """A name of the code as words."""
    return str(name).replace("_", " ")


def condition(quality_pct: int | None) -> str:
    """A condition in percent with its band."""
    if quality_pct is None:
        return "unknown"
    return f"{quality_pct} % ({spoken(band_of(quality_pct))})"


def band(name: str | None) -> str:
    """A band with its range."""
    if name is None:
        return "no band stated"
    low, high = BAND_RANGE.get(name, (None, None))
    return spoken(name) if low is None else f"{spoken(name)} ({low}–{high} %)"


def ending(deal: DealRow) -> str:
    """How a deal ended, in two or three words."""
    if deal.end is None:
        return "open at the end"
    return f"{deal.end} at tick {deal.end_tick}"


def side(deal: DealRow) -> str:
    """Which of its parties are tested."""
    buyer, seller = deal.buyer in deal.tested, deal.seller in deal.tested
    if buyer and seller:
        return "both"
    return "seller" if seller else "buyer" if buyer else "none"


def audit_story(deal: DealRow) -> Iterator[str]:
    """The audit's verdict on a deal and what it rests on, a sentence each (M §6)."""
    if deal.audit is None:
        yield f"The deal was not completed in the window ({ending(deal)}), so nothing is audited."
        return
    handed = (
        "the seller held nothing, and the platform conjured a unit for the buyer"
        if deal.conjured
        else f"unit {deal.unit} changed hands"
    )
    yield f"Completed at tick {deal.end_tick}: {handed}."
    yield f"Problem at completion: {PROBLEM_WORDS.get(str(deal.problem), deal.problem)}."
    if deal.served is not None:
        yield f"The unit had been used in deal {deal.served}."
    if deal.inspected_event is None:
        yield "There was no inspection before the completion."
    else:
        shown = "no percent" if deal.inspected_pct is None else f"{deal.inspected_pct} %"
        yield (
            f"It was inspected at tick {deal.inspected_tick} (event {deal.inspected_event}), "
            f"which showed {shown}."
        )
    match deal.audit:
        case "rejected":
            yield (
                "An ideal inspection at that event would have found the problem: the audit "
                "rejects the deal."
            )
        case "retained" if deal.problem in (None, "none"):
            yield "There was nothing to find: the audit retains the deal."
        case "retained":
            yield "Nobody looked, so that nothing stopped it: the audit retains the deal."
        case _:
            yield (
                "It was inspected, and whether there was a problem is not known: the audit is "
                "undecided, and the deal is unscored."
            )
    yield f"What shows that it changed hands: {DELIVERY_WORDS.get(str(deal.delivery), '–')}."


#: A stage: name, words, the tick at which it was reached, the events that show it.
Rung = tuple[str, str, int | None, tuple[tuple[int, int], ...]]


def ladder(item: ObjectRow) -> list[Rung]:
    """The stages of an object."""
    rungs: list[Rung] = []
    for stage in STAGES:
        step = item.steps.get(stage)
        tick = item.reached.get(stage)
        rungs.append((stage, STAGE_WORDS[stage], tick, () if step is None else step.events))
    return rungs


def argument(key: str, value: Any) -> str:
    """A number of an argument or answer as people read it, behind the number itself."""
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    if key.endswith("_cents"):
        return money(value)
    if key.endswith("_tick") or key == "tick":
        return label(value)
    return ""
