"""What an agent sees at the beginning of a tick (SPEC §5.2, reference A §3).

Everything is read from the market's indexes, so an observation costs the same on the first day and
on the last. The sections stand in alphabetical order, which makes their plain JSON the canonical
one and puts what is due at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bazaarbench.agents.budget import BUDGET_CHARS, shorten
from bazaarbench.agents.dealings import LISTINGS_SHOWN, Dealings
from bazaarbench.agents.kept import EMPTY, Shown, shown
from bazaarbench.agents.policy import render
from bazaarbench.agents.rows import Rows
from bazaarbench.agents.told import told
from bazaarbench.agents.watch import Watch
from bazaarbench.market.state import Market

__all__ = ["LISTINGS_SHOWN", "Observed", "Observer", "observe"]

#: Limits of SPEC §5.2 and reference A §3.1; ``dealings.py`` has those of its own sections.
SOLD_SHOWN = 10

_STATUS = {status: Shown(status, f'"{status}"') for status in ("active", "banned")}


class Observed(NamedTuple):
    """An observation: its data, its text in pieces, and the messages that it shows first."""

    data: dict[str, Any]
    pieces: Sequence[str]
    shown_messages: tuple[int, ...]

    @property
    def text(self) -> str:
        """The observation as compact JSON; the pieces are put together only when asked for."""
        return "".join(self.pieces)


class Observer:
    """Makes the observations of one market; keeps rows from tick to tick."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self._watch = Watch(market)
        self._rows = Rows(market)
        self._dealings = Dealings(market)
        self._frame: list[str] = []
        self._frame_chars = 0
        self._told = shown(told(market.rules))

    def observe(self, agent_id: int) -> Observed:
        """What the agent sees now. Changes nothing in the market."""
        if self._watch.moved():
            changes = self._watch.changes()
            self._rows.start(changes)
            self._dealings.start(changes)
        sections, shown_messages = self._sections(agent_id)
        values, texts = zip(*sections.values(), strict=True)
        data = dict(zip(sections, values, strict=True))
        data["what_is_due"] = due = _due(data)
        if not self._frame:
            self._frame = _frame(data)
            self._frame_chars = sum(map(len, self._frame))
        texts = (*texts, render(due))
        pieces = self._frame.copy()
        pieces[1::2] = texts
        if self._frame_chars + sum(map(len, texts)) > BUDGET_CHARS:
            data, text = shorten(data, BUDGET_CHARS)
            pieces = [text]
            left = {row["message_id"] for row in data["incoming_messages"]}
            shown_messages = tuple(m for m in shown_messages if m in left)
        return Observed(data, pieces, shown_messages)

    def _sections(self, agent_id: int) -> tuple[dict[str, Shown], tuple[int, ...]]:
        """All sections but the last, in order, and the messages among them."""
        market, rows, dealings = self._market, self._rows, self._dealings
        going = dealings.going(agent_id)
        messages, shown_messages = dealings.messages(agent_id)
        sections = {
            "accepted_deals": going.deals,
            "account_status": _STATUS[market.agents[agent_id].status],
            "active_threads": going.threads,
            "agent_id": Shown(agent_id, str(agent_id)),
            "decision_notes": self._notes(agent_id),
            "discovery_results": rows.discoveries(agent_id),
            "feed": rows.feed(agent_id),
            "focus_thread": going.focus,
            "history": rows.history(agent_id),
            "incoming_messages": messages,
            "market_baselines": rows.baselines,
            "memories": rows.memories(agent_id),
            "offers_on_listings": dealings.offers(agent_id),
            "own_listings": going.listings,
            "own_units": rows.units(agent_id),
        }
        if self._told.data:
            sections["platform_rules"] = self._told
        sections["recent_sales"] = rows.sales
        sections["scheduled_exchanges"] = going.exchanges
        if market.rules.unit_status_shown == "on":
            sections["sold_units"] = shown(rows.sold_units(agent_id, SOLD_SHOWN))
        sections["tick"] = Shown(market.tick, str(market.tick))
        sections["time"] = rows.time
        sections["to_rate"] = dealings.to_rate(agent_id)
        return sections, shown_messages

    def _notes(self, agent_id: int) -> Shown:
        notes = self._market.notes.get(agent_id)
        if not notes:
            return EMPTY
        return shown([{"note": note, "tick": tick} for tick, note in reversed(notes)])


def observe(market: Market, agent_id: int) -> Observed:
    """What the agent sees now; for many observations of one market keep an ``Observer``."""
    return Observer(market).observe(agent_id)


def _frame(sections: Iterable[str]) -> list[str]:
    """The JSON object of an observation in pieces, every other one a place for a section's text."""
    pieces: list[str] = []
    for name in sections:
        pieces += [f'{"," if pieces else "{"}"{name}":', ""]
    return [*pieces, "}"]


def _due(data: dict[str, Any]) -> dict[str, list[int]]:
    """What waits for the agent, as ids, without advice (SPEC §5.2)."""
    tick = data["tick"]
    confirm, inspect = [], []
    on_arrival = "shipment_inspection" in data.get("platform_rules", ())
    for row in data["scheduled_exchanges"]:
        meetup = row["method"] == "meetup"
        if tick < (row["scheduled_tick"] if meetup else row["eta_tick"]) or row["you_confirmed"]:
            continue
        if row["role"] == "seller" or row["inspected_pct"] is not None:
            confirm.append(row["meetup_id"])
        elif row.get("inspection_outcome") is not None:
            continue  # nothing was there, so there is nothing to confirm
        elif meetup or on_arrival:
            inspect.append(row["meetup_id"])
        else:
            confirm.append(row["meetup_id"])
    answers = [row["offer_id"] for row in data["offers_on_listings"]]
    for row in data["active_threads"]:
        offer = row["last_pending_offer"]
        if offer is not None and offer["by"] == "them" and offer["offer_id"] not in answers:
            answers.append(offer["offer_id"])
    return {
        "answer_offers": answers,
        "confirm": confirm,
        "inspect": inspect,
        "rate": [row["thread_id"] for row in data["to_rate"]],
        "reply": list(dict.fromkeys(row["thread_id"] for row in data["incoming_messages"])),
        "schedule": [row["thread_id"] for row in data["accepted_deals"]],
    }
