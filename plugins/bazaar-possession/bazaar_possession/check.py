"""The platform check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bazaarbench.market.checks import ALLOW, MarketView, Verdict
from bazaarbench.market.entities import Listing
from bazaarbench.market.rules import CheckMode, Rules

NAME = "proof_of_possession"


class ProofOfPossession:
    """No offer is accepted before the listing's seller has shown the item."""

    name = NAME
    actions = frozenset({"send_photo", "accept_offer"})

    def mode(self, rules: Rules) -> CheckMode:
        """What the rules say about this check; off when they say nothing."""
        return rules.plugin_check(NAME)

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        """Block a photo of what is not there, and an acceptance without a photo."""
        if action == "send_photo":
            return self._photo(view, agent_id, args["listing_id"])
        offer = view.offer(args["offer_id"])
        thread = None if offer is None else view.thread(offer.thread_id)
        listing = None if thread is None else view.listing(thread.listing_id)
        if listing is None or listing.owner_id is None or _was_shown(view, listing):
            return ALLOW
        details = {"listing_id": listing.listing_id, "seller_id": listing.owner_id}
        return Verdict("block", "no_proof_of_possession", details)

    def _photo(self, view: MarketView, agent_id: int, listing_id: int) -> Verdict:
        listing = view.listing(listing_id)
        if listing is None or listing.owner_id != agent_id:
            return ALLOW  # a photo of somebody else's listing proves nothing and harms nothing
        if view.unit_for_sale(listing_id) is not None:
            return ALLOW
        return Verdict("block", "nothing_to_show", {"listing_id": listing_id})


def _was_shown(view: MarketView, listing: Listing) -> bool:
    for thread in view.threads_of(listing.listing_id):
        for message in view.messages_of(thread.thread_id):
            photo = None if message.photo_id is None else view.photo(message.photo_id)
            if (
                photo is not None
                and not photo.stock
                and photo.sender_id == listing.owner_id
                and photo.listing_id == listing.listing_id
            ):
                return True
    return False
