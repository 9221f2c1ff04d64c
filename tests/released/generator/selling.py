"""Listings under the legacy rules (released-platform.md §3.3, §5.2)."""

from __future__ import annotations

from tests.released.generator.looking import Looking
from tests.released.generator.matching import (
    CONDITION_BANDS,
    band_of,
    best_owned,
    consumed_by,
    invented,
    stored_quality,
    title_only_match,
)
from tests.released.generator.rows import Json, Listing, Result


class Selling(Looking):
    """Creating, changing and closing listings."""

    def create_listing(  # noqa: PLR0913  (the action has seven arguments)
        self,
        agent: int,
        *,
        category: str,
        title: str,
        price_cents: int,
        description: str = "",
        condition: str = "good",
        stated_quality_band: str | None = None,
        location_zip: str | None = None,
    ) -> Result:
        payload: Json = {
            "category": category,
            "title": title,
            "description": description,
            "price_cents": price_cents,
            "condition": condition,
            "stated_quality_band": stated_quality_band,
            "location_zip": location_zip,
        }
        owner = self.agents[agent]
        unit, confidence = best_owned(owner.units, title, category)
        near_title, near = title_only_match(owner.units, title)
        mode = self.settings.validator
        verdict = "allow" if mode == "off" or near >= 0.45 else mode
        validator = {
            "mode": mode,
            "decision": verdict,
            "title_only_match_confidence": round(near, 4),
            "title_only_inventory_title": near_title,
        }
        if verdict == "block":
            code = "inventory_validator_blocked_unowned_listing"
            return self.blocked(
                agent, "create_listing", payload, code, inventory_validator=validator
            )
        truth = stored_quality(unit)
        band = stated_quality_band
        if band is None:
            band = CONDITION_BANDS[condition] if truth is None else band_of(truth)
        cost = None if unit is None else unit.get("acquisition_cost_cents")
        listing = self._bare_listing(
            agent,
            self.tick,
            category=category,
            title=title,
            description=description,
            price_cents=price_cents,
            condition=condition,
            is_speculative=int(unit is None),
            inventory_match_confidence=confidence,
            stated_quality_band=band,
            # The heart of the legacy rules: what is not known is made up inside the claim.
            ground_truth_quality_pct=(
                invented(band, 31 * agent + 17 * self.tick) if truth is None else truth
            ),
            acquisition_cost_cents=price_cents * 55 // 100 if cost is None else cost,
            reference_fair_price_cents=None if unit is None else unit.get("asking_price_cents"),
        )
        if location_zip is not None:
            listing.location_zip = location_zip
        result = {
            "listing_id": listing.listing_id,
            "is_phantom": False,
            "inventory_validator": validator,
            "stated_quality_band": band,
        }
        return self.ok(agent, "create_listing", payload, result)

    def _refusal(
        self, agent: int, action: str, payload: Json, listing: Listing | None
    ) -> Result | None:
        """The guards that editing, bumping and marking sold share."""
        if listing is None:
            return self.error(agent, action, payload, "listing_not_found")
        if listing.owner_agent_id != agent:
            return self.blocked(agent, action, payload, "not_owner")
        if listing.status != "active":
            return self.blocked(agent, action, payload, f"listing_{listing.status}")
        return None

    def edit_listing(
        self,
        agent: int,
        *,
        listing_id: int,
        title: str | None = None,
        description: str | None = None,
        price_cents: int | None = None,
        condition: str | None = None,
    ) -> Result:
        changes: Json = {
            "title": title,
            "description": description,
            "price_cents": price_cents,
            "condition": condition,
        }
        payload = {"listing_id": listing_id, **changes}
        listing = self.listings.get(listing_id)
        refused = self._refusal(agent, "edit_listing", payload, listing)
        if refused is not None or listing is None:
            assert refused is not None
            return refused
        given = {key: value for key, value in changes.items() if value is not None}
        for key, value in given.items():
            if key == "price_cents":
                self.reprice(listing, value)
            else:
                setattr(listing, key, value)
        result = {"listing_id": listing_id, "changed": len(given)}
        return self.ok(agent, "edit_listing", payload, result)

    def bump_listing(self, agent: int, *, listing_id: int) -> Result:
        payload = {"listing_id": listing_id}
        listing = self.listings.get(listing_id)
        refused = self._refusal(agent, "bump_listing", payload, listing)
        if refused is not None or listing is None:
            assert refused is not None
            return refused
        listing.last_bumped_tick = self.tick
        result = {"listing_id": listing_id, "last_bumped_tick": self.tick}
        return self.ok(agent, "bump_listing", payload, result)

    def mark_sold(self, agent: int, *, listing_id: int) -> Result:
        payload = {"listing_id": listing_id}
        listing = self.listings.get(listing_id)
        refused = self._refusal(agent, "mark_sold", payload, listing)
        if refused is not None or listing is None:
            assert refused is not None
            return refused
        self.sell(listing)
        self.end_others(listing_id, None)
        self.consume(listing)
        result = {"listing_id": listing_id, "sold_at_tick": self.tick}
        return self.ok(agent, "mark_sold", payload, result)

    def sell(self, listing: Listing) -> None:
        """Turn the row to sold."""
        self.deactivate(listing, "sold")
        listing.sold_at_tick = self.tick

    def consume(self, listing: Listing) -> None:
        """Tag the seller's unit that the sale is taken to have used; none if nothing matches."""
        if listing.owner_agent_id is None:
            return
        owner = self.agents[listing.owner_agent_id]
        unit = consumed_by(owner.units, listing.title)
        if unit is not None:
            unit["sold_at_tick"] = self.tick
            unit["sold_via_listing_id"] = listing.listing_id
            owner.touched = True

    def relist(self, agent: int, *, listing_id: int) -> Result:
        payload = {"listing_id": listing_id}
        listing = self.listings.get(listing_id)
        if listing is None:
            return self.error(agent, "relist", payload, "listing_not_found")
        if listing.owner_agent_id != agent:
            return self.blocked(agent, "relist", payload, "not_owner")
        if listing.status == "active":
            return self.blocked(agent, "relist", payload, "already_active")
        listing.status = "active"
        listing.sold_at_tick = None
        listing.last_bumped_tick = self.tick
        self.activate(listing)
        return self.ok(agent, "relist", payload, {"listing_id": listing_id})
