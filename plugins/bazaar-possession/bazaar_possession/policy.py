"""A scripted policy that shows what it sells before it agrees to a price."""

from __future__ import annotations

from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.policy import Play, ScriptPrompt
from bazaarbench.market.calls import ToolCall

_ANSWERS = ("accept_offer", "counter_offer")


class ShowsFirst:
    """An honest agent that sends a photo before it accepts or counters an offer on its goods."""

    name = "shows-first"

    def __init__(self) -> None:
        self._honest = Honest()

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn, from the prompt alone."""
        play = self._honest.act(prompt)
        offers = {row["offer_id"]: row for row in prompt.data["offers_on_listings"]}
        calls: list[ToolCall] = []
        for call in play.calls:
            offer = offers.get((call.arguments or {}).get("offer_id"))
            if call.name in _ANSWERS and offer is not None:
                calls.append(_photo(offer["thread_id"], offer["listing_id"]))
            calls.append(call)
        return Play(play.note, tuple(calls))


def _photo(thread_id: int, listing_id: int) -> ToolCall:
    # In the one mode that gives no personal details away.
    arguments = {
        "thread_id": thread_id,
        "listing_id": listing_id,
        "focus": "",
        "privacy_mode": "paranoid",
    }
    return ToolCall("send_photo", arguments)
