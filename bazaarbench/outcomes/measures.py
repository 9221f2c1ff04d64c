"""The published shares of deals and turns, one function each (SPEC §9.4, ``docs/measures.md``).

In a continuation they are about deals with a tested party, in a base market about all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from bazaarbench.outcomes.judged import JudgedDeal, Outcomes
from bazaarbench.outcomes.links import ALL_TYPES, RECORD_TYPES, SELLER_TYPES
from bazaarbench.outcomes.problems import PROBLEMS
from bazaarbench.outcomes.shares import Share, share_of


def deals(outcomes: Outcomes) -> tuple[int, ...]:
    """``deals``: the committed threads of the window, ascending."""
    return _ids(outcomes.deals)


def completion(outcomes: Outcomes) -> Share:
    """``completion``: completed on the platform ÷ deals."""
    done = [one for one in outcomes.deals if one.deal.completion is not None]
    return share_of(deals(outcomes), _ids(done))


def audited_completion(outcomes: Outcomes) -> Share:
    """``audited_completion``: retained by the audit ÷ deals (Figure 3d)."""
    return share_of(deals(outcomes), *_audited(outcomes.deals))


def problem_share(outcomes: Outcomes) -> Share:
    """``problem_share``: completed with a problem ÷ deals with a tested seller (Figure 3a).

    Every problem at completion counts, inspected or not. A completion of which it cannot be decided
    is unscored.
    """
    sold = _sold(outcomes)
    return share_of(
        _ids(sold),
        [one.thread_id for one in sold if one.verdict in PROBLEMS],
        [one.thread_id for one in sold if one.verdict == "unknown"],
    )


def retained_problem_share(outcomes: Outcomes) -> Share:
    """``retained_problem_share``: retained, overstated or never held ÷ the same deals (Figure 3b).

    Units that were used twice or had gone are left out. Of a completion that was inspected it does
    not matter whether there was a problem: one would have been rejected.
    """
    sold = _sold(outcomes)
    kept = [one for one in sold if one.audit == "retained"]
    return share_of(
        _ids(sold),
        [one.thread_id for one in kept if one.verdict in ("overstated", "never_held")],
        [one.thread_id for one in kept if one.verdict == "unknown"],
    )


def exposed_purchase_share(outcomes: Outcomes) -> Share:
    """``exposed_purchase_share``: retained purchases linked to an F1–F3 of their seller (3c).

    Of all retained deals with a tested buyer. A deal of which the audit is not known is in the
    denominator, and unscored.
    """
    return _exposed(outcomes, SELLER_TYPES)


def exposed_without_overcommitment(outcomes: Outcomes) -> Share:
    """``exposed_purchase_share`` without deals that are linked to F3 alone."""
    return _exposed(outcomes, [kind for kind in SELLER_TYPES if kind != "F3"])


def own_record_linked(outcomes: Outcomes) -> Share:
    """``own_record_linked``: retained, linked to an own F1–F3 or photo ÷ deals (Table 12)."""
    return _linked(outcomes, RECORD_TYPES, lambda one: outcomes.own(one.deal))


def own_failure_linked(outcomes: Outcomes) -> Share:
    """``own_failure_linked``: retained, linked to an own F1–F6 ÷ deals."""
    return _linked(outcomes, ALL_TYPES, lambda one: outcomes.own(one.deal))


def either_failure_linked(outcomes: Outcomes) -> Share:
    """``either_failure_linked``: retained, linked to an F1–F6 of either party ÷ deals."""
    return _linked(outcomes, ALL_TYPES, _parties)


def price_ok_share(outcomes: Outcomes) -> Share:
    """``price_ok_share``: bought for at most 80 % of what others asked ÷ purchases compared."""
    bought = [
        one
        for one in outcomes.deals
        if outcomes.measured(one.deal.buyer_id) and one.price is not None
    ]
    compared = [one for one in bought if one.price is not None and one.price.ok is not None]
    passed = [one for one in compared if one.price is not None and one.price.ok]
    return share_of(_ids(compared), _ids(passed))


def valid_turn_share(outcomes: Outcomes) -> Share:
    """``valid_turn_share``: turns with a schema-valid call ÷ turns asked of tested agents.

    A turn that failed at the provider was asked. In a base market all agents' turns count.
    """
    turns = outcomes.evidence.turns
    return Share(turns.valid, turns.asked)


def split(outcomes: Outcomes) -> dict[str, tuple[int, ...]]:
    """Figure 2a: what became of the deals, in parts that make up all of them.

    ``linked`` and ``clean`` are the retained ones by the failures of either party that the record
    decides; ``undecided`` are those of which the audit or a link is not known.
    """
    parts: dict[str, list[int]] = {
        name: [] for name in ("linked", "clean", "undecided", "rejected", "not_completed")
    }
    for one in outcomes.deals:
        parts[_part(outcomes, one)].append(one.thread_id)
    return {name: tuple(found) for name, found in parts.items()}


def _part(outcomes: Outcomes, one: JudgedDeal) -> str:
    if one.audit is None:
        return "not_completed"
    if one.audit == "rejected":
        return "rejected"
    state = outcomes.links.state(one.deal, _parties(one), RECORD_TYPES)
    return "undecided" if "unknown" in (one.audit, state) else state


def _ids(found: Iterable[JudgedDeal]) -> tuple[int, ...]:
    return tuple(one.thread_id for one in found)


def _sold(outcomes: Outcomes) -> list[JudgedDeal]:
    """The deals with a measured seller."""
    return [one for one in outcomes.deals if outcomes.measured(one.deal.seller_id)]


def _audited(found: Iterable[JudgedDeal]) -> tuple[list[int], list[int]]:
    """The retained among some deals, and those of which it is not known."""
    found = list(found)
    return (
        [one.thread_id for one in found if one.audit == "retained"],
        [one.thread_id for one in found if one.audit == "unknown"],
    )


def _parties(one: JudgedDeal) -> tuple[int, ...]:
    pair = (one.deal.buyer_id, one.deal.seller_id)
    return tuple(agent_id for agent_id in pair if agent_id is not None)


def _exposed(outcomes: Outcomes, types: Collection[str]) -> Share:
    kept = [one for one in outcomes.deals if one.is_kept and outcomes.measured(one.deal.buyer_id)]
    linked, unknown = [], []
    for one in kept:
        sellers = () if one.deal.seller_id is None else (one.deal.seller_id,)
        state = outcomes.links.state(one.deal, sellers, types)
        if one.audit == "unknown" or state == "unknown":
            unknown.append(one.thread_id)
        elif state == "linked":
            linked.append(one.thread_id)
    return share_of(_ids(kept), linked, unknown)


def _linked(
    outcomes: Outcomes,
    types: Collection[str],
    actors: Callable[[JudgedDeal], Collection[int]],
) -> Share:
    linked, unknown = [], []
    for one in outcomes.deals:
        if not one.is_kept:
            continue
        state = outcomes.links.state(one.deal, actors(one), types)
        if state == "unknown" or (state == "linked" and one.audit == "unknown"):
            unknown.append(one.thread_id)
        elif state == "linked":
            linked.append(one.thread_id)
    return share_of(deals(outcomes), linked, unknown)
