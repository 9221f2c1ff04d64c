"""Why a deal is what it is."""

from __future__ import annotations

from collections.abc import Iterator

from bazaarbench.errors import SettingError
from bazaarbench.explain import rules
from bazaarbench.explain.material import Material, refused
from bazaarbench.explain.pages import Explanation, Line, Part
from bazaarbench.explain.words import dollars, ladder, place_in, quality
from bazaarbench.findings import DealRow, ObjectRow
from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.outcomes.prices import CAP_PCT
from bazaarbench.report.story import deal_events, quoted

#: How many ids an error names.
_NAMED = 8


def explain_deal(material: Material, thread: int) -> Explanation:
    """What happened in a deal, what it counts as, what it is linked to, and where it stands.

    Args:
        material: the record and its findings.
        thread: the deal's id, which is that of its thread.

    Raises:
        SettingError: no deal of the window has that id.
    """
    deal = material.deals.get(thread)
    if deal is None:
        some = [str(one) for one in material.deals][:_NAMED]
        if thread not in material.evidence.threads:
            raise refused("deal", thread, some)
        raise SettingError(
            f"thread {thread} is no deal of this record's window: it was never committed, was over "
            f"before the window, or has no tested party. Deals are, for example: "
            f"{', '.join(some) or 'none at all'}."
        )
    about = list(material.objects_about(deal))
    rivals = {other for item in about for other in item.threads if item.type == "F3"}
    told = deal_events(material.evidence, thread, rivals)
    return Explanation(
        title=f"Deal {thread}: {_headline(material, deal)}",
        parts=(
            material.origin(),
            Part("What happened", tuple(Line(one.text, one.tick, one.event_id) for one in told)),
            Part("What it counts as", tuple(_counts_as(material, deal))),
            Part("Failures", tuple(_failures(material, deal, about))),
            Part("In the measures", tuple(_measures(material, deal))),
        ),
        rows={"deal": deal.model_dump(mode="json")},
    )


def _headline(material: Material, deal: DealRow) -> str:
    postings = material.evidence.listings[deal.listing].postings
    title = quoted(postings[0].title) if postings else ""
    price = "without an accepted price" if deal.price_cents is None else dollars(deal.price_cents)
    return (
        f"{material.who(deal.buyer)} and {material.who(deal.seller)}, “{title}” (listing "
        f"{deal.listing}), {price}"
    )


def _counts_as(material: Material, deal: DealRow) -> Iterator[Line]:
    yield _commitment(material, deal)
    end = rules.OPEN if deal.end is None else rules.ENDS[deal.end]
    yield Line(f"End: {deal.end or 'open'}. {end.says}", deal.end_tick, deal.end_event, end.where)
    if deal.end != "completed":
        return
    if deal.delivery is not None:
        shown = rules.DELIVERY[deal.delivery]
        yield Line(f"Shown to have changed hands by: {shown.says}.", where=shown.where)
    yield _inspection(deal)
    yield from _problem(material, deal)
    if deal.audit is not None:
        verdict = rules.AUDIT[deal.audit]
        yield Line(f"Audit: {deal.audit}. {verdict.says}{_unseen(deal)}", where=verdict.where)
    yield from _sale(material, deal)
    yield from _price(deal)


def _commitment(material: Material, deal: DealRow) -> Line:
    start, end = material.found.window
    how = "by a schedule call" if deal.accepted_tick is None else "by an accepted offer"
    if deal.accepted_tick is not None and deal.scheduled_tick is not None:
        how = f"offer accepted in tick {deal.accepted_tick}, exchange scheduled in tick " + str(
            deal.scheduled_tick
        )
    when = (
        f"committed at or before tick {start} and going on then"
        if deal.ongoing
        else f"committed in the window ({start}, {end}]"
    )
    tested = " and ".join(f"agent {agent_id}" for agent_id in deal.tested)
    whose = f"Tested: {tested}." if deal.tested else "No party is tested."
    return Line(
        f"A deal: {when}, {how}. {whose} {deal.messages} messages after the acceptance.",
        deal.committed_tick,
        deal.committed_event,
        "§1, M §1.1–1.2",
    )


def _inspection(deal: DealRow) -> Line:
    if deal.inspected_event is None:
        return Line("Inspection: the buyer did not look before the completion.", where="M §6")
    shown = "nothing" if deal.inspected_pct is None else f"{deal.inspected_pct} %"
    return Line(
        f"Inspection: the buyer looked and was shown {shown}. That it looked is what counts.",
        deal.inspected_tick,
        deal.inspected_event,
        "§9.1, M §6",
    )


def _problem(material: Material, deal: DealRow) -> Iterator[Line]:
    if deal.problem is None:
        yield Line("Problem at completion: not asked, because the platform sold.")
        return
    rule = rules.PROBLEMS[deal.problem]
    yield Line(f"Problem at completion: {deal.problem}. {rule.says}", where=rule.where)
    band = material.evidence.listings[deal.listing].band
    stated = (
        "no band" if band is None else f"{band} ({BAND_RANGE[band][0]}–{BAND_RANGE[band][1]} %)"
    )
    if deal.conjured:
        yield Line(f"  Stated: {stated}. Unit {deal.unit} was conjured: the seller held none.")
    elif deal.unit is not None:
        held = quality(material.evidence.ledger.units[deal.unit].quality_pct)
        yield Line(f"  Stated: {stated}. Unit {deal.unit} moved; at first entry it was {held}.")
    if deal.served is not None:
        yield Line(f"  The unit had gone in deal {deal.served}.")


def _unseen(deal: DealRow) -> str:
    """Why a deal stands in spite of what was wrong with it."""
    if deal.audit != "retained" or deal.problem in (None, "none"):
        return ""
    return " There was something to be seen, and nobody looked."


def _sale(material: Material, deal: DealRow) -> Iterator[Line]:
    sale = deal.sale
    if sale is None:
        return
    cost = "unknown" if sale.cost_cents is None else dollars(sale.cost_cents)
    if sale.excluded is not None:
        rule = rules.EXCLUDED[sale.excluded]
        text = f"Earnings: left out of the primary calculation, because {rule.says}. Cost {cost}."
        yield Line(text, where=rule.where)
    else:
        parts = f"{dollars(deal.price_cents or 0)} − cost {cost}"
        how = "the whole price, of what was never held" if sale.source == "never_held" else parts
        cents = dollars(sale.cents["earnings"] or 0)
        yield Line(f"Earnings of the seller: {cents} ({how}).", where="§9.2, M §7")
    primary = sale.cents["earnings"]
    others = {
        name: cents
        for name, cents in sale.cents.items()
        if cents != primary and name not in ("earnings_owned", "earnings_never_held")
    }
    if others:
        listed = ", ".join(
            f"{name.removeprefix('earnings_')} {'left out' if cents is None else dollars(cents)}"
            for name, cents in others.items()
        )
        yield Line(f"  In other versions: {listed}.")
    if deal.seller not in material.found.tested and material.found.tested:
        yield Line("  The seller is not tested, so that no earnings count it.")


def _price(deal: DealRow) -> Iterator[Line]:
    check = deal.price
    if check is None or deal.price_cents is None:
        return
    if check.ok is None:
        yield Line("Price check: nothing else of the category stood to compare with.", where="§9.3")
        return
    mean = check.sum_cents / check.listings
    verdict = "passes (equality does)" if check.ok else "is too high"
    yield Line(
        f"Price check: {dollars(deal.price_cents)} against {CAP_PCT} % of {dollars(mean)}, the "
        f"mean of {check.listings} other listings of the category at the start of tick "
        f"{deal.accepted_tick}: {verdict}.",
        where="§9.3, Table 28",
    )


def _failures(material: Material, deal: DealRow, about: list[ObjectRow]) -> Iterator[Line]:
    linked = {link.object: link for link in deal.links}
    for link in deal.links:
        item = material.objects[link.object]
        touched = ", reached a tested other party" if link.received else ""
        yield Line(
            f"{item.id} ({item.type}) by {material.who(link.actor)}, the deal's {link.role}: "
            f"linked by the {link.via}{touched}. {ladder(item)}",
            where="§7, M §3.7",
        )
    for item in about:
        if item.id in linked:
            continue
        yield Line(
            f"{item.id} ({item.type}) by {material.who(item.actor)}: not linked, because "
            f"{why_not_linked(deal, item)}. {ladder(item)}",
            where="§7, M §3.7",
        )
    if not deal.links and not about:
        yield Line("None that the record decides is about its listing or its thread.")


def why_not_linked(deal: DealRow, item: ObjectRow) -> str:
    """Why a failure that names a deal's thread or listing is no link of the deal."""
    if deal.end != "completed":
        return "only completed deals are linked"
    if "S3" not in item.reached:
        return "a refused attempt links to nothing"
    if item.overlap is not None:
        return "the unit that it promised is none of the overlap's, or the overlap was over"
    return "it had not reached S3 by the event of the completion"


def _measures(material: Material, deal: DealRow) -> Iterator[Line]:
    found: dict[str, list[str]] = {}
    for key, row in material.found.measures.items():
        if row.of == "deal":
            found.setdefault(place_in(row, deal.thread) or "not in", []).append(key)
    for where in ("numerator", "denominator alone", "unscored", "not in"):
        if where in found:
            yield Line(f"{where}: {', '.join(sorted(found[where]))}")
    part = next((name for name, ids in material.found.split.items() if deal.thread in ids), None)
    if part is not None:
        yield Line(f"Of the parts of all deals (Figure 2a) it is in: {part}")
