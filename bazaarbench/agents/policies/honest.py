"""An agent that keeps every rule and every promise.

It is what background agents play and what every record measure must find clean. Where being clean
cannot be seen from the observation alone it is made so by construction: ``Stock`` says how promises
are kept, ``Stock.safe_band`` how conditions are stated, ``exchanges`` on what evidence a deal is
confirmed. Photos are sent only in the mode ``paranoid``; a conversation is left only before it is
a deal, a deal is ended by ``cancel_meetup``, which ends its exchange too.
"""

from __future__ import annotations

from bazaarbench.agents.policies.buying import ask_for_photo, bargain, look_around, look_for
from bazaarbench.agents.policies.desk import Desk
from bazaarbench.agents.policies.exchanges import keep_agreements
from bazaarbench.agents.policies.selling import (
    answer_messages,
    answer_offers,
    freshen,
    keep_on_offer,
    sell_again,
    tend_threads,
)
from bazaarbench.agents.policy import Play, ScriptPrompt

_LIST_PERMILLE = 200
_FRESHEN_PERMILLE = 60
_LOOK_PERMILLE = 175
_AROUND_PERMILLE = 90
_MAX_WAIT_TICKS = 32


class Honest:
    """Keeps every rule, under every condition."""

    name = "honest"

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn."""
        desk = Desk(prompt)
        play_by_the_rules(desk)
        return desk.play()


def play_by_the_rules(desk: Desk, *, release: bool = True) -> None:
    """A whole honest turn, after whatever the desk holds already.

    Args:
        desk: the turn.
        release: see ``keep_agreements``.
    """
    if desk.data["account_status"] != "active":
        rest(desk)
        return
    keep_agreements(desk, release=release)
    if desk.data["to_rate"]:
        sell_again(desk)
    if desk.data["offers_on_listings"]:
        answer_offers(desk)
    trade(desk)


def trade(desk: Desk) -> None:
    """What an honest agent does besides its agreements and the offers on its listings."""
    if desk.data["incoming_messages"]:
        answer_messages(desk)
    if desk.data["active_threads"]:
        bargain(desk)
        tend_threads(desk)
    if not desk.busy:
        take_initiative(desk)
    if not desk.calls:
        rest(desk)


def take_initiative(desk: Desk) -> None:
    """Something new: list, look for a purchase, or look around."""
    if desk.roll(1000) < _LIST_PERMILLE:
        keep_on_offer(desk)
    if desk.roll(1000) < _FRESHEN_PERMILLE:
        freshen(desk)
    if desk.roll(1000) < _LOOK_PERMILLE and not desk.busy:
        if not look_for(desk):
            look_around(desk)
    elif desk.data["active_threads"]:
        ask_for_photo(desk)
    if not desk.calls and desk.roll(1000) < _AROUND_PERMILLE:
        look_around(desk)


def rest(desk: Desk) -> None:
    """Nothing to do: wait for the next appointment, or just pass."""
    upcoming = [
        due - desk.tick
        for row in desk.data["scheduled_exchanges"]
        if (due := row["eta_tick"] if row["method"] == "ship" else row["scheduled_tick"])
        > desk.tick
    ]
    if upcoming:
        desk.do("wait", "Wait for the appointment", ticks=min(*upcoming, _MAX_WAIT_TICKS))
    else:
        desk.do("do_nothing", "Nothing serves the goals now")
