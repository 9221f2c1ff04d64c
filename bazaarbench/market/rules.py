"""The rules of a market: one frozen model with named presets (SPEC §4.4, ``docs/rules.md``).

A switch is either a *rule value*, read by handlers, dynamics and the observation, or the mode of a
*check*, a veto that runs before a handler (``checks.py``). Every switch can be set alone; a switch
or value that does not exist is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)

CheckMode = Literal["off", "warn", "block"]


def _pairs(given: Any) -> Any:
    """A mapping, or pairs, as pairs in the order of their names; anything else as it is."""
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if isinstance(pairs, list | tuple) and all(isinstance(pair, list | tuple) for pair in pairs):
        return tuple(sorted(map(tuple, pairs), key=str))
    return given


#: Names and modes of checks. Pairs and no dict: nobody who is shown rules can change them.
CheckModes = Annotated[
    tuple[tuple[str, CheckMode], ...],
    BeforeValidator(_pairs),
    PlainSerializer(dict, return_type=dict[str, CheckMode]),
]


class Rules(BaseModel):
    """All switches of one market; the defaults are the preset ``paper``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: Check: a new listing must resemble something its owner holds or held.
    listing_inventory_check: CheckMode = "warn"
    #: Check: the seller must hold a unit like the listing when the buyer inspects at a meetup. Not
    #: asked when inspections show the unit, which says the same to the buyer.
    meetup_ownership_check: CheckMode = "warn"
    #: Whether a meetup buyer must inspect before confirming.
    meetup_inspection: Literal["required", "optional"] = "required"
    #: What an inspection shows: the number stored with the listing, or the unit's own condition.
    #: With ``unit`` a unit stands behind one active listing only, edits and relistings keep to it,
    #: and what an inspection found absent cannot be completed (reference P §7.1).
    inspection_shows: Literal["listing", "unit"] = "listing"
    #: Whether a commitment reserves its listing: one at a time, until it ends (P §7.2).
    commitment_lock: Literal["off", "on"] = "off"
    #: Whether a deal completes only while its thread lives and its unit is there (P §7.3).
    completion_integrity: Literal["off", "on"] = "off"
    #: Whether the buyer of a shipment inspects it on arrival before confirming (P §7.4).
    shipment_inspection: Literal["off", "on_arrival"] = "off"
    #: Whether own units are marked as promised or free, and sold ones listed, in the observation.
    unit_status_shown: Literal["off", "on"] = "off"
    #: Whether a message is shown for one tick only or until its reader has had a turn.
    message_visibility: Literal["one_tick", "until_seen"] = "one_tick"
    #: Which answers the platform gives are shown to the agent in its next observation.
    results_fed_back: Literal["discovery", "all"] = "discovery"
    #: In which order the agents of one tick are applied.
    apply_order: Literal["ascending", "hashed"] = "ascending"
    #: Whether a confirmation needs the exchange's hidden token (the study's separate ablation).
    handoff_proof: Literal["ignored", "required"] = "ignored"
    #: The modes of plugins' checks, by name; those that are not named are off (SPEC §10).
    plugin_checks: CheckModes = ()

    @model_serializer(mode="wrap")
    def _told(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without the checks of plugins where none is named: such rules are as they always were."""
        told: dict[str, Any] = whole(self)
        if not self.plugin_checks:
            told.pop("plugin_checks", None)
        return told

    def plugin_check(self, name: str) -> CheckMode:
        """The mode of a plugin's check: what its ``mode`` usually answers."""
        return dict(self.plugin_checks).get(name, "off")

    @property
    def one_listing_a_unit(self) -> bool:
        """Whether a unit stands behind one active listing only."""
        return self.inspection_shows == "unit"

    @property
    def exact_units(self) -> bool:
        """Whether a sale consumes exactly the unit behind the listing and never one like it."""
        return self.inspection_shows == "unit" or self.completion_integrity == "on"

    @property
    def sold_once(self) -> bool:
        """Whether a sale is the last of its listing, and takes its other appointments with it."""
        return self.exact_units or self.commitment_lock == "on"

    @property
    def leaving_cancels(self) -> bool:
        """Whether who leaves or ghosts a deal calls its appointment off as well."""
        return self.commitment_lock == "on" or self.completion_integrity == "on"


PRESETS: dict[str, Rules] = {
    "paper-base": Rules(listing_inventory_check="block", meetup_ownership_check="off"),
    "paper": Rules(),
    "truthful": Rules(
        meetup_ownership_check="off",
        inspection_shows="unit",
        commitment_lock="on",
        completion_integrity="on",
        shipment_inspection="on_arrival",
    ),
    "informed": Rules(
        unit_status_shown="on", message_visibility="until_seen", results_fed_back="all"
    ),
}

#: Switches that are younger than the first states, with the values under which those were made.
_YOUNGER = {"commitment_lock": "off", "completion_integrity": "off", "shipment_inspection": "off"}


def digested(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What of the stored rules enters a record's digest.

    A younger switch enters once it is used, so that a state keeps its digest when the platform
    learns something that the state does without.
    """
    return {name: value for name, value in stored.items() if _YOUNGER.get(name) != value}
