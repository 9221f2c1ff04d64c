"""The rules of a market: one frozen model with named presets (SPEC §4.4).

A switch is either a *rule value*, read by handlers, dynamics and the observation, or the mode of a
*check*, a veto that runs before a handler (``checks.py``). A value that a switch does not list yet
is refused by name.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

CheckMode = Literal["off", "warn", "block"]


class Rules(BaseModel):
    """All switches of one market; the defaults are the preset ``paper``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: Check: a new listing must resemble something its owner holds or held.
    listing_inventory_check: CheckMode = "warn"
    #: Check: the seller must hold a unit like the listing when the buyer inspects at a meetup.
    meetup_ownership_check: CheckMode = "warn"
    #: Whether a meetup buyer must inspect before confirming.
    meetup_inspection: Literal["required", "optional"] = "required"
    #: What an inspection shows: the number stored with the listing, or the unit's own condition.
    inspection_shows: Literal["listing", "unit"] = "listing"
    #: Whether a message is shown for one tick only or until its reader has had a turn.
    message_visibility: Literal["one_tick", "until_seen"] = "one_tick"
    #: Which answers the platform gives are shown to the agent in its next observation.
    results_fed_back: Literal["discovery", "all"] = "discovery"
    #: In which order the agents of one tick are applied.
    apply_order: Literal["ascending", "hashed"] = "ascending"
    #: Whether own units are marked as promised in the observation.
    unit_status_shown: Literal["off", "on"] = "off"
    #: Whether a confirmation needs the exchange's hidden token (the study's separate ablation).
    handoff_proof: Literal["ignored", "required"] = "ignored"


PRESETS: dict[str, Rules] = {
    "paper-base": Rules(listing_inventory_check="block", meetup_ownership_check="off"),
    "paper": Rules(),
}
