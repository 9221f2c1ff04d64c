"""What a judge is shown of a record: all bundles, in one order, built one at a time (SPEC §8.1).

Nothing is left out by its words: every deal in which evidence was missing for a while, every
outgoing text, every refused call that could be an attempt, every recorded reasoning of tested
agents. The work grows with the log and not faster.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge as merge_sorted
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from bazaarbench.errors import PluginError
from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import STAGES, Bundle, Carrier, FailureType
from bazaarbench.judge import attempts, bundles_deals, reasoning, texts, texts_listings
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.hidden import hidden_of
from bazaarbench.judge.kinds import WINDOW

#: Whose reasoning is judged.
Reasoning = Literal["tested", "all"]
#: Kinds of bundles in the order in which they come within a tick; a plugin's own come last.
_ORDER = ("attempt", "deal", "listing", "message", "offer", "rating", "reasoning", "report", "own")
_Key = tuple[int, int, int, int]
_Plan = tuple[_Key, Callable[[], Bundle | list[Bundle]]]


def bundles_of(
    evidence: Evidence,
    failure_types: Iterable[FailureType],
    *,
    reasoning: Reasoning = "tested",
    instructions: Iterable[str] = (),
    faults: MutableMapping[str, str] | None = None,
    unfiltered: bool = False,
) -> Iterator[Bundle]:
    """All bundles of a record, by the tick of what is judged, its kind and its id.

    In a base market, where nobody is tested, the reasoning of all is taken.

    Args:
        evidence: the record, read back.
        failure_types: all that are loaded, in the order in which they are shown.
        reasoning: of whom recorded reasoning is judged.
        instructions: the texts of all conditions, so that blinding finds quotations of them.
        faults: takes what is wrong with what a plugin's type asks for, by failure type, which is
            then not asked about; without it the fault is raised.
        unfiltered: also ask about refused calls that the record alone decides; their verdicts
            change nothing.

    Raises:
        PluginError: what a plugin's type asks for is faulty, and ``faults`` is not given.
        RecordError: the record cannot be read.
    """
    wants: list[_Wants] = []
    own: list[Bundle] = []
    for one in failure_types:
        try:
            wants.append(_Wants.of(evidence, one, unfiltered))
            own += _own_bundles(evidence, one, {bundle.bundle_id for bundle in own})
        # Third parties' code, which may raise anything or leave the program: its type becomes
        # unscored and the fault is named, everything else stands (SPEC §10).
        except (Exception, SystemExit) as fault:
            wants = [want for want in wants if want.key != one.key]
            own = [bundle for bundle in own if one.key not in bundle.targets]
            message = f"failure type {one.key!r}: {type(fault).__name__}: {fault}"
            if faults is None:
                raise PluginError(f"{message}. Mend or remove the plugin.") from fault
            faults[one.key] = message
    asked = _Asked.of(evidence, wants, reasoning)
    with Log(evidence) as log:
        hidden = hidden_of(evidence, log, tuple(instructions))
        plans = merge_sorted(_planned(log, asked), _own_plans(own), key=lambda plan: plan[0])
        for _, build in plans:
            built = build()
            for bundle in built if isinstance(built, list) else [built]:
                yield replace(bundle, hidden=hidden)


class _Wants(NamedTuple):
    """What one failure type wants to have judged."""

    key: str
    carriers: tuple[Carrier, ...]
    attempts: tuple[str, ...]
    decided: frozenset[int]
    s1_key: str | None

    @classmethod
    def of(cls, evidence: Evidence, one: FailureType, unfiltered: bool) -> _Wants:
        unknown = set(one.carriers) - set(get_args(Carrier))
        if unknown:
            raise ValueError(
                f"its carriers name {', '.join(sorted(map(str, unknown)))}; allowed are "
                f"{', '.join(get_args(Carrier))}"
            )
        decided = one.decided(evidence) if one.attempts and not unfiltered else frozenset()
        return cls(one.key, tuple(one.carriers), tuple(one.attempts), decided, one.s1_key)


@dataclass(frozen=True)
class _Asked:
    """Which failure types are asked about which things."""

    carriers: Mapping[Carrier, tuple[str, ...]]
    attempts: Mapping[str, tuple[str, ...]]
    decided: Mapping[str, frozenset[int]]
    deal_targets: frozenset[str]
    text_targets: frozenset[str]
    reasoning: tuple[str, ...]
    thinkers: frozenset[int] | None

    @classmethod
    def of(cls, evidence: Evidence, wants: Sequence[_Wants], reasoning: Reasoning) -> _Asked:
        carriers: dict[Carrier, list[str]] = defaultdict(list)
        attempts: dict[str, list[str]] = defaultdict(list)
        considered: dict[str, str] = {}
        for one in wants:
            for carrier in one.carriers:
                carriers[carrier].append(one.key)
            for action in one.attempts:
                attempts[action].append(one.key)
            if one.s1_key is not None:
                considered.setdefault(one.s1_key, one.key)
        everybody = reasoning == "all" or not evidence.tested
        return cls(
            carriers={carrier: tuple(keys) for carrier, keys in carriers.items()},
            attempts={action: tuple(keys) for action, keys in attempts.items()},
            decided={one.key: one.decided for one in wants},
            deal_targets=frozenset(carriers["deal"]),
            text_targets=frozenset(
                key for carrier, keys in carriers.items() if carrier != "deal" for key in keys
            ),
            reasoning=tuple(considered.values()),
            thinkers=None if everybody else evidence.tested,
        )

    def thinks(self, agent_id: int) -> bool:
        """Whether an agent's recorded reasoning is judged."""
        return self.thinkers is None or agent_id in self.thinkers


def _planned(log: Log, asked: _Asked) -> Iterator[_Plan]:
    """The bundles of the built-in kinds, tick by tick; what builds each is called later."""
    window = log.evidence.window
    deals = bundles_deals.missing(log) if asked.deal_targets else ()
    open_deals = {one.deal.thread_id for one in deals}
    deals_of = {tick: list(found) for tick, found in groupby(deals, lambda one: one.first_tick)}
    listings_of = _listings_by_tick(log) if "listing" in asked.carriers else {}
    for tick in range(window.start + 1, window.end + 1):
        calls = log.tick(tick)
        plans = [plan for call in calls for plan in _of_call(log, asked, call, open_deals)]
        plans += _of_deals(log, asked, deals_of.get(tick, ()))
        plans += _of_listings(log, asked, tick, listings_of.get(tick, {}))
        plans += _of_turns(log, asked, tick, calls)
        yield from sorted(plans, key=lambda plan: plan[0])


def _key(tick: int, kind: str, *ids: int) -> _Key:
    first, second = (*ids, 0)[:2]
    return tick, _ORDER.index(kind), first, second


def _of_call(log: Log, asked: _Asked, call: Call, open_deals: set[int]) -> Iterator[_Plan]:
    carrier = texts.carrier_of(call)
    if carrier is not None and (targets := asked.carriers.get(carrier)):
        yield (
            _key(call.tick, carrier, call.event_id),
            partial(texts.bundle, log, call, targets),
        )
    if call.status == "blocked":
        refused = _refused_targets(asked, call, open_deals)
        if refused:
            yield (
                _key(call.tick, "attempt", call.event_id),
                partial(attempts.bundles, log, call, refused, asked.deal_targets),
            )


def _refused_targets(asked: _Asked, call: Call, open_deals: set[int]) -> tuple[str, ...]:
    """The types that a refused call could be an attempt at, and that nothing else decides.

    A deal's own bundle shows its refused calls as well, and what has no words is no text.
    """
    left_out = set(asked.deal_targets if call.thread_id in open_deals else ())
    if not texts.has_words(call):
        left_out |= asked.text_targets
    return tuple(
        key
        for key in asked.attempts.get(call.action, ())
        if key not in left_out and call.event_id not in asked.decided.get(key, ())
    )


def _of_deals(log: Log, asked: _Asked, found: Sequence[bundles_deals.Missing]) -> Iterator[_Plan]:
    targets = asked.carriers.get("deal", ())
    for one in found:
        for party in one.parties:
            yield (
                _key(one.first_tick, "deal", one.deal.thread_id, party),
                partial(bundles_deals.bundle, log, one, party, targets),
            )


def _listings_by_tick(log: Log) -> dict[int, dict[int, list[int]]]:
    """The listings with a version in the window, by the tick of the first; their versions."""
    found: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for listing in log.evidence.listings.values():
        event_ids = texts_listings.versions(log, listing)
        if event_ids:
            first = next(p.mark for p in listing.postings if p.mark.event_id == event_ids[0])
            found[first.tick][listing.listing_id] = event_ids
    return found


def _of_listings(
    log: Log, asked: _Asked, tick: int, found: Mapping[int, list[int]]
) -> Iterator[_Plan]:
    targets = asked.carriers.get("listing", ())
    for listing_id, event_ids in found.items():
        listing = log.evidence.listings[listing_id]
        yield (
            _key(tick, "listing", listing_id),
            partial(texts_listings.bundle, log, listing, event_ids, targets),
        )


def _of_turns(log: Log, asked: _Asked, tick: int, calls: Sequence[Call]) -> Iterator[_Plan]:
    if not asked.reasoning:
        return
    of_turn: dict[int | None, list[Call]] = defaultdict(list)
    for call in calls:
        of_turn[call.turn_id].append(call)
    for thought in log.thoughts(tick):
        if thought.observed and asked.thinks(thought.agent_id):
            acts = of_turn.get(thought.turn_id, [])
            yield (
                _key(tick, "reasoning", thought.turn_id),
                partial(reasoning.bundle, log, thought, acts, asked.reasoning),
            )


def _own_plans(own: Iterable[Bundle]) -> list[_Plan]:
    """What plugins want to have judged beside the built-in kinds."""
    ordered = sorted(own, key=lambda bundle: (bundle.tick, bundle.bundle_id))
    return [
        (_key(bundle.tick, "own", place), partial(_itself, bundle))
        for place, bundle in enumerate(ordered)
    ]


def _itself(bundle: Bundle) -> Bundle:
    return bundle


def _own_bundles(evidence: Evidence, one: FailureType, taken: Collection[str]) -> list[Bundle]:
    """What a plugin's type wants to have judged by bundles of its own.

    Raises:
        TypeError: something that it answers is no bundle.
        ValueError: a bundle that could not be asked about, or told from another.
    """
    found: dict[str, Bundle] = {}
    for bundle in one.bundles(evidence):
        if not isinstance(bundle, Bundle):
            raise TypeError(f"answered {bundle!r:.200}, which is no Bundle")
        name = bundle.bundle_id
        if name in found or name in taken or name.partition(":")[0] in _ORDER:
            raise ValueError(f"the bundle id {name!r:.80} is taken, or begins like a built-in's")
        if not name.isprintable():
            raise ValueError(f"the bundle id {name!r:.80} holds what cannot be seen")
        if one.key not in bundle.targets:
            raise ValueError(f"bundle {name!r:.80} does not ask about the type itself")
        if bundle.highest not in ("S1", *STAGES):
            raise ValueError(f"bundle {name!r:.80} has the highest stage {bundle.highest!r:.40}")
        window = bundle.content.get(WINDOW, [1, 1])
        if not (isinstance(window, list) and [type(tick) for tick in window] == [int, int]):
            raise ValueError(f"bundle {name!r:.80} has the window {window!r:.80}")
        json.dumps(bundle.content, allow_nan=False)
        found[name] = replace(bundle, anchor=bundle.anchor or name)
    return list(found.values())
