"""Stories about which threads are deals of a window and how they end (reference M §1)."""

from __future__ import annotations

from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    World,
    accepts,
    calls_off,
    confirms,
    counters,
    edits,
    ghosts,
    inspects,
    leaves,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
    writes,
)
from tests.outcomes.stories.telling import Story

PROMISED: list[Step] = [lists(S), offers(B, 1), accepts(S, 1)]
BOTH_PROMISED: list[Step] = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)]
SOLD: list[Step] = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]
#: The exchange of B's deal, so that it can still be confirmed after the deal ended otherwise.
SENT: list[Step] = [*PROMISED, ships(S, 1)]
BOTH_CONFIRM: list[Step] = [confirms(S, 1), confirms(B, 1)]


def seven_days(*tested: int, start: int = 5, end: int = 89) -> World:
    return World(tested=tested or (S,), start=start, end=end)


BEGINNINGS = [
    Story("an accepted offer is a deal, and goes on while nothing ends it", PROMISED,
          ends=["1 open"]),
    Story("an offer alone is none", [lists(S), offers(B, 1)], ends=[]),
    Story("a message is none", [lists(S), writes(B, listing=1)], ends=[]),
    Story("a refused acceptance commits nobody", [lists(S), offers(B, 1), accepts(B, 1)], ends=[]),
    Story("the buyer accepts what the seller counters",
          [lists(S), offers(B, 1), counters(S, 1, 9_500), accepts(B, 2)], ends=["1 open"]),
    Story("two buyers of one listing have two deals", BOTH_PROMISED, ends=["1 open", "2 open"]),
    Story("one buyer of two listings has two deals",
          [lists(S), lists(S), offers(B, 1), offers(B, 2), accepts(S, 1), accepts(S, 2)],
          ends=["1 open", "2 open"]),
    Story("an initial listing can be sold in a deal",
          [*sale(B, listing=1, offer=1, thread=1, exchange=1)], World(listed=[1]),
          ends=["1 completed 1"]),
]  # fmt: skip

ENDS = [
    Story("both confirm: completed", SOLD, ends=["1 completed 1"]),
    Story("one confirmation completes nothing", [*SENT, confirms(S, 1)], ends=["1 open"]),
    Story("the buyer may confirm first", [*SENT, confirms(B, 1), 3, confirms(S, 1)],
          ends=["1 completed 3"]),
    Story("the meetup is called off", [*PROMISED, meets(S, 1, 4), 2, calls_off(B, 1)],
          ends=["1 cancelled 2"]),
    Story("the shipment is called off by its seller", [*SENT, 3, calls_off(S, 1)],
          ends=["1 cancelled 3"]),
    Story("the buyer leaves", [*PROMISED, 2, leaves(B, 1)], ends=["1 cancelled 2"]),
    Story("the seller leaves", [*PROMISED, 2, leaves(S, 1)], ends=["1 cancelled 2"]),
    Story("one falls silent", [*PROMISED, 2, ghosts(B, 1)], ends=["1 ghosted 2"]),
    Story("sold elsewhere: all deals of the listing are cancelled",
          [*BOTH_PROMISED, 2, marks_sold(S, 1)], ends=["1 cancelled 2", "2 cancelled 2"]),
    Story("one deal completes: its sister on the listing is cancelled in the same tick",
          [*BOTH_PROMISED, ships(S, 1), 4, *BOTH_CONFIRM],
          ends=["1 completed 4", "2 cancelled 4"]),
    Story("a cancelled sister still completes through its exchange",
          [*BOTH_PROMISED, ships(S, 1), ships(S, 2), 4, *BOTH_CONFIRM, 6, confirms(S, 2),
           confirms(C, 2)],
          ends=["1 completed 4", "2 completed 6"]),
    Story("a deal that was left is completed through its exchange",
          [*SENT, leaves(B, 1), 3, *BOTH_CONFIRM], ends=["1 completed 3"]),
    Story("so is one that was ghosted", [*SENT, ghosts(S, 1), 3, *BOTH_CONFIRM],
          ends=["1 completed 3"]),
    Story("of two ends the first counts", [*PROMISED, 2, ghosts(B, 1), 3, marks_sold(S, 1)],
          ends=["1 ghosted 2"]),
    Story("a sale on another listing of the same unit ends nothing here",
          [*SOLD, lists(S), offers(C, 2), accepts(S, 2)], ends=["1 completed 1", "2 open"]),
    Story("a deal that begins after its listing was put up again is not ended by the first sale",
          [*SOLD, relists(S, 1), offers(C, 1), accepts(S, 2)], ends=["1 completed 1", "2 open"]),
    Story("an offer that nobody accepted is no deal that a sale could cancel",
          [lists(S), offers(C, 1), *sale(B, listing=1, offer=2, thread=2, exchange=1)],
          ends=["2 completed 1"]),
    Story("three sales of three listings in one tick",
          [lists(S), lists(S), lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1),
           *sale(C, listing=2, offer=2, thread=2, exchange=2),
           *sale(D, listing=3, offer=3, thread=3, exchange=3)],
          World(goods=[owns(), owns(), owns()]),
          ends=["1 completed 1", "2 completed 1", "3 completed 1"]),
]  # fmt: skip

WINDOW = [
    Story("accepted in the start tick: it was going on", [lists(S), offers(B, 1), 5, accepts(S, 1)],
          seven_days(), ends=["1 open (ongoing)"]),
    Story("accepted one tick later: it began in the window",
          [lists(S), offers(B, 1), 6, accepts(S, 1)], seven_days(), ends=["1 open"]),
    Story("ended in the start tick: no deal of the window", [*PROMISED, 5, leaves(B, 1)],
          seven_days(), ends=[]),
    Story("ended one tick later: it was going on", [*PROMISED, 6, leaves(B, 1)], seven_days(),
          ends=["1 cancelled 6 (ongoing)"]),
    Story("completed in the start tick: no deal of the window", [*SENT, 5, *BOTH_CONFIRM],
          seven_days(), ends=[]),
    Story("completed in the last tick", [*SENT, 8, *BOTH_CONFIRM], seven_days(end=8),
          ends=["1 completed 8 (ongoing)"]),
    Story("completed after the last tick: open", [*SENT, 9, *BOTH_CONFIRM], seven_days(end=8),
          ends=["1 open (ongoing)"]),
    Story("accepted in the last tick", [lists(S), offers(B, 1), 8, accepts(S, 1)],
          seven_days(end=8), ends=["1 open"]),
    Story("accepted after the last tick: no deal", [lists(S), offers(B, 1), 9, accepts(S, 1)],
          seven_days(end=8), ends=[]),
    Story("accepted before and scheduled within the window", [*PROMISED, 7, ships(S, 1)],
          seven_days(), ends=["1 open (ongoing)"]),
    Story("left before the window, completed in it all the same",
          [*SENT, 3, leaves(B, 1), 7, *BOTH_CONFIRM], seven_days(),
          ends=["1 completed 7 (ongoing)"]),
    Story("a base market begins before its first tick and has all deals",
          [*SOLD, 2, lists(C, "Grand piano"), offers(D, 2), accepts(C, 2)],
          ends=["1 completed 1", "2 open"]),
    Story("neither party is tested", PROMISED, seven_days(D, start=0), ends=[]),
    Story("the buyer is tested", PROMISED, seven_days(B, start=0), ends=["1 open"]),
    Story("both are tested: still one deal", PROMISED, seven_days(S, B, start=0), ends=["1 open"],
          shares={"completion": "0/1"}),
]  # fmt: skip

#: These are about single facts of a deal, which ``test_facts.py`` reads.
FACTS: list[tuple[str, list[Step], dict[str, object]]] = [
    ("met at the appointment", [*PROMISED, meets(S, 1, 3), 3, inspects(B, 1), *BOTH_CONFIRM],
     {"delivery": "meetup", "timely": True, "inspected_tick": 3, "method": "meetup"}),
    ("a shipment confirmed on its day", [*SENT, 7, *BOTH_CONFIRM],
     {"delivery": "shipment", "timely": True, "inspected_event": None}),
    ("a shipment confirmed a tick too early", [*SENT, 6, *BOTH_CONFIRM],
     {"delivery": "none", "timely": False}),
    ("the last of two inspections before the completion counts",
     [*PROMISED, meets(S, 1, 3), 3, inspects(B, 1), 4, inspects(B, 1), *BOTH_CONFIRM],
     {"inspected_tick": 4}),
    ("an inspection between the two confirmations counts",
     [*PROMISED, meets(S, 1, 3), confirms(S, 1), 3, inspects(B, 1), confirms(B, 1)],
     {"inspected_tick": 3, "end_tick": 3}),
    ("the asking price that stood at the completion",
     [*SENT, edits(S, 1, price_cents=7_700), 3, *BOTH_CONFIRM],
     {"asking_cents": 7_700, "price_cents": 9_000}),
    ("not that of an edit after it", [*SENT, 3, *BOTH_CONFIRM, relists(S, 1),
                                      edits(S, 1, price_cents=7_700)],
     {"asking_cents": 10_000}),
    ("messages after the tick of acceptance and until the end count",
     [lists(S), writes(B, listing=1), offers(B, 1), accepts(S, 1), writes(B, thread=1), 2,
      writes(S, thread=1), (S, "request_photo", {"thread_id": 1, "focus_hint": ""}), 3,
      writes(B, thread=1), leaves(B, 1), 4],
     {"messages": 3}),
    ("offers are no messages",
     [lists(S), offers(B, 1), 2, counters(S, 1), accepts(B, 2), 3], {"messages": 0}),
]  # fmt: skip

STORIES = (*BEGINNINGS, *ENDS, *WINDOW)
