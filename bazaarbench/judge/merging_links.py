"""The links of deals to what a judge found, and where a missing verdict leaves them open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bazaarbench.evidence import Evidence
from bazaarbench.judge.merging_rows import Merged, Unscored
from bazaarbench.outcomes.links import Links, find_links


def judged_links(evidence: Evidence, merged: Merged) -> Links:
    """Link the completed deals of a record to the judged failures (reference M §3.7).

    A deal is open for a type and an actor when a verdict is missing that could have linked it: on
    its thread or listing, about something not after its completion. A refused call reaches nobody,
    so its missing verdict leaves nothing open.
    """
    links = find_links(evidence, evidence.deals, merged.judged)
    return Links(links.of_deal, links.decided, _open(evidence, merged))


def _open(evidence: Evidence, merged: Merged) -> dict[int, frozenset[tuple[str, int]]]:
    missing = [one for one in merged.unscored if one.highest > "S2" and one.type in merged.judged]
    by_thread = _grouped((one.thread_id, one) for one in missing)
    by_listing = _grouped((one.listing_id, one) for one in missing if one.thread_id is None)
    found = {}
    for deal in evidence.deals:
        if deal.completion is None:
            continue
        about = [*by_thread[deal.thread_id], *by_listing[deal.listing_id]]
        gaps = {(one.type, one.actor_id) for one in about if one.tick <= deal.completion.mark.tick}
        if gaps:
            found[deal.thread_id] = frozenset(gaps)
    return found


def _grouped(pairs: Iterable[tuple[int | None, Unscored]]) -> defaultdict[int, list[Unscored]]:
    groups: defaultdict[int, list[Unscored]] = defaultdict(list)
    for key, one in pairs:
        if key is not None:
            groups[key].append(one)
    return groups
