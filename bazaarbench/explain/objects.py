"""Why a failure object is what it is, and how far it got."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from bazaarbench.explain import rules
from bazaarbench.explain.deals import why_not_linked
from bazaarbench.explain.material import Material, refused
from bazaarbench.explain.pages import Explanation, Line, Part
from bazaarbench.explain.words import deal_in_brief, ids, place_in, quality
from bazaarbench.failures.base import STAGES
from bazaarbench.findings import ObjectRow, TypeRow
from bazaarbench.report.story import events_told, quoted

#: How many events of a stage are told; JSON has all.
TOLD = 12
_NAMED = 6


def explain_object(material: Material, object_id: str) -> Explanation:
    """What a failure object is, each stage with its rule and its events, its links, its numbers.

    Args:
        material: the record and its findings.
        object_id: as in the findings, such as ``F1:listing:12``.

    Raises:
        SettingError: the record has no such object.
    """
    item = material.objects.get(object_id)
    if item is None:
        near = difflib.get_close_matches(object_id, material.objects, _NAMED, 0.5)
        raise refused("failure object", repr(object_id), near or list(material.objects)[:_NAMED])
    kind = material.found.types.get(item.type) or material.found.variants[item.type]
    stages = [_stage(material, item, stage) for stage in STAGES if stage in kind.stages]
    return Explanation(
        title=f"{item.id}: {kind.title.lower()}, by {material.who(item.actor)}",
        parts=(
            material.origin(),
            Part("What it is about", tuple(_about(material, item, kind))),
            *stages,
            Part("Deals", tuple(_deals(material, item))),
            Part("In the measures", tuple(_measures(material, item))),
        ),
        rows={"object": item.model_dump(mode="json")},
    )


def _about(material: Material, item: ObjectRow, kind: TypeRow) -> Iterator[Line]:
    yield Line(f"Type {kind.key}, {kind.title.lower()}; its object is: {kind.object_kind}.")
    if item.cause is not None:
        says = rules.CAUSES.get(item.cause, item.cause.replace("_", " "))
        yield Line(f"Cause: {item.cause}: {says}.", where="M §3.2")
    for listing_id in item.listings:
        listing = material.evidence.listings[listing_id]
        title = quoted(listing.postings[0].title) if listing.postings else ""
        band = listing.band or "no band"
        yield Line(f"Listing {listing_id} of {material.who(listing.owner_id)}: “{title}”, {band}.")
    for unit_id in item.units:
        unit = material.evidence.ledger.units[unit_id]
        held = quality(unit.quality_pct)
        yield Line(f"Unit {unit_id}, “{quoted(unit.title)}”: at first entry {held}.")
    if item.overlap is not None:
        (start, first), end = item.overlap
        until = "the end of the window" if end is None else f"tick {end[0]} (event {end[1]})"
        yield Line(f"Overlap: from tick {start} (event {first}) to {until}.", where="M §3.3")
    if item.facts:
        told = ", ".join(f"{name} {quoted(str(value))}" for name, value in item.facts.items())
        yield Line(f"Facts: {told}.")
    touched = ids(item.counterparties)
    tested = f"; tested among them: {ids(item.received)}" if item.received else ""
    yield Line(f"Whom it demonstrably touched: agents {touched}{tested}.", where="§7")
    if item.basis is not None:
        direct = "a direct observation" if item.basis == "direct" else "the timing of the exchange"
        yield Line(f"Its outcome rests on {direct}.")
    if item.inherited:
        yield Line("The same object had already failed before the window.")


def _stage(material: Material, item: ObjectRow, stage: str) -> Part:
    rule = rules.stage_rule(item.type, stage)
    step = item.steps.get(stage)  # type: ignore[call-overload]
    at = item.reached.get(stage)  # type: ignore[call-overload]
    title = f"{stage}: {rule.says}  [{rule.where}]"
    if step is None:
        if at is None:
            return Part(f"{title}: not reached", ())
        higher = f"Reached in tick {at}, by events of a higher stage."
        return Part(title, (Line(higher),))
    told = events_told(material.evidence, [event_id for _, event_id in step.events[:TOLD]])
    lines = [Line(one.text, one.tick, one.event_id) for one in told]
    more = len(step.events) - len(lines)
    if more > 0:
        lines.append(Line(f"and {more} more (--json names all)"))
    return Part(title, tuple(lines))


def _deals(material: Material, item: ObjectRow) -> Iterator[Line]:
    linked = [one for one in material.found.deals if any(x.object == item.id for x in one.links)]
    for deal in linked:
        yield Line(f"linked: {deal_in_brief(deal)}", where="M §3.7")
    names = {one.thread for one in linked}
    for thread in item.threads:
        if thread in names:
            continue
        if thread not in material.deals:
            yield Line(f"thread {thread}: no deal of the window with a tested party.")
            continue
        named = material.deals[thread]
        yield Line(f"not linked ({why_not_linked(named, item)}): {deal_in_brief(named)}")
    if not linked and not item.threads:
        yield Line("None.")


def _measures(material: Material, item: ObjectRow) -> Iterator[Line]:
    counted = sorted(
        key
        for key, row in material.measures.items()
        if row.of == "object" and place_in(row, item.id) is not None
    )
    yield Line(f"in: {', '.join(counted) or 'none'}")
    if material.found.tested and not item.emitted:
        yield Line(
            "Scores count what tested agents emitted. Its actor is not tested: it counts as "
            f"received by {ids(item.received)}, and in the market as a whole."
        )
