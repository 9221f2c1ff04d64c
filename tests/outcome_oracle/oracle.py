"""An independent, slow and plain reading of a record's outcomes.

Written from SPEC and M (``released-analysis.md``) alone, without the measuring code, its tests or
its documentation, on top of the earlier oracle of deals and failures (``tests/oracle``), to be
compared with the measuring code number by number. READINGS.md says how it reads what the two texts
leave open.
"""

from __future__ import annotations

from pathlib import Path

from tests.oracle import log, replay
from tests.oracle.failures import Past, overstated, photos, unowned
from tests.oracle.overlap import overcommitted
from tests.oracle.replay import Completion
from tests.oracle.shapes import Deal, Pos
from tests.outcome_oracle.history import accepted_price, asking_price, read_extra
from tests.outcome_oracle.items import audit_of, basis_of, inspected_pct, item_of, served
from tests.outcome_oracle.keys import numbers
from tests.outcome_oracle.links import Linker
from tests.outcome_oracle.money import sale_of
from tests.outcome_oracle.shapes import Audit, DealOutcome, Link, Outcomes, Part
from tests.outcome_oracle.targets import price_check, targets_of


def run(path: str | Path) -> Outcomes:
    """Read the record at ``path`` and say what came of the deals of its window."""
    record, extra = log.read(path), read_extra(path)
    ended, first_ends = replay.terminals(record)
    past = Past(
        record=record,
        completions=replay.completions(record),
        holdings=replay.holdings(record),
        bindings=replay.bindings(record),
    )
    failures = [
        *overstated(past),
        *unowned(past),
        *overcommitted(past, ended, first_ends),
        *photos(past),
    ]
    base_market = not record.tested
    tested = extra.agents if base_market else record.tested
    # M §8.1: a base market's set is all deals, a continuation's those with a tested party.
    evaluated = [
        deal
        for deal in replay.deals(record, ended).values()
        if deal.included and (base_market or deal.tested_parties)
    ]
    linker, reused = Linker(past, failures), _reused(past)
    deals = [_outcome(past, linker, deal, set(tested), reused) for deal in evaluated]
    turns = [t for t in extra.turns if record.in_window(t[0]) and t[1] in tested]
    outcomes = Outcomes(
        start_tick=record.start,
        end_tick=record.end,
        tested=tested,
        base_market=base_market,
        deals={d.deal.thread_id: d for d in deals},
        targets={agent: targets_of(agent, record.start, deals) for agent in tested},
        prices={
            d.deal.thread_id: price_check(record, d.deal, d.price_cents)
            for d in deals
            if d.deal.buyer_id in tested
            and d.price_cents is not None
            and d.deal.accept_tick is not None
        },
        turns=(sum(valid > 0 for _, _, valid in turns), len(turns)),
        numbers={},
        warnings=record.warnings,
    )
    outcomes.numbers.update(numbers(outcomes))
    return outcomes


def _reused(past: Past) -> set[Pos]:
    """The completions whose unit their seller used once more in the window (SPEC §9.2)."""
    found = set()
    for sale in past.completions:
        counted = past.record.listings[sale.listing_id].counted
        if counted and past.record.in_window(sale.pos.tick):
            earlier = served(past, sale)
            if earlier is not None:
                found |= {earlier, sale.pos}
    return found


def _outcome(
    past: Past, linker: Linker, deal: Deal, tested: set[int], reused: set[Pos]
) -> DealOutcome:
    price = accepted_price(past.record, deal.thread_id)
    done = _completion(past, deal)
    if done is None:
        return DealOutcome(
            deal=deal,
            price_cents=price,
            asking_cents=None,
            basis=None,
            inspection=None,
            inspected_pct=None,
            item=None,
            audit=None,
            audit_reasons=(),
            part="not_completed",
            links=(),
            sale=None,
        )
    item = item_of(past, done)
    audit, reasons = audit_of(item.problem, done.inspection)
    links = linker.links_of(deal, done.pos)
    return DealOutcome(
        deal=deal,
        price_cents=price,
        asking_cents=asking_price(past.record, deal.listing_id, done.pos),
        basis=basis_of(done),
        inspection=done.inspection,
        inspected_pct=inspected_pct(past, done),
        item=item,
        audit=audit,
        audit_reasons=reasons,
        part=_part(audit, links),
        links=links,
        sale=sale_of(deal, price, item, audit, of_reused_unit=done.pos in reused)
        if deal.seller_id in tested
        else None,
    )


def _completion(past: Past, deal: Deal) -> Completion | None:
    """The completion that ended the deal (M §1.3); it lies in the window."""
    for done in past.completions:
        if done.thread_id == deal.thread_id and done.pos == deal.terminal:
            return done
    return None


def _part(audit: Audit, links: tuple[Link, ...]) -> Part:
    """Figure 2a's four parts (M §8.1), as far as the record alone tells who failed."""
    if audit == "rejected":
        return "rejected"
    if audit == "unknown":
        return "unknown"
    return "retained_linked" if links else "retained_unlinked"
