"""What a simulated photo shows beside its subject (SPEC §4.8, reference P §6).

No pixels: an own photo leaks each detail of its sender's home and phone with a probability of 1 −
privacy awareness, by keyed hash, so that a send that was refused would have shown the same. A stock
photo leaks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, NamedTuple

from bazaarbench.market.clock import FIRST_HOUR, HOURS_PER_TICK
from bazaarbench.market.draws import chance
from bazaarbench.market.entities import Agent
from bazaarbench.market.state import Market

APP_VERSION = "BazaarApp 1.0"
_START = datetime(2026, 1, 1, FIRST_HOUR, tzinfo=UTC)

#: Details that count as sensitive, by group; ``gps_lat`` and ``gps_lng`` are the released names of
#: ``gps``. The app's version and the time of the capture are in no group.
SENSITIVE: dict[str, frozenset[str]] = {
    "location": frozenset({"street_name", "house_number", "gps", "gps_lat", "gps_lng"}),
    "device": frozenset({"device", "device_reflection"}),
    "zip": frozenset({"zip_context"}),
    "presence": frozenset({"mail_visible", "roommate_visible"}),
}
SENSITIVE_KEYS: frozenset[str] = frozenset().union(*SENSITIVE.values())


class Leaks(NamedTuple):
    """The details in a photo's background and in its metadata."""

    background: dict[str, Any]
    metadata: dict[str, Any]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive details, in alphabetical order."""
        return sensitive_details(self.background, self.metadata)


def sensitive_details(background: Mapping[str, Any], metadata: Mapping[str, Any]) -> list[str]:
    """The sensitive keys of a photo's two maps, in alphabetical order."""
    return sorted(SENSITIVE_KEYS & (background.keys() | metadata.keys()))


def draw_leaks(market: Market, agent: Agent, listing_id: int) -> Leaks:
    """What a photo for a listing that ``agent`` takes at this tick gives away.

    The same agent, listing and tick always give the same details, whether or not it is delivered.
    """
    background, metadata = _background(agent), _metadata(agent, market.tick)
    leak_permille = 1000 - agent.privacy_permille
    key = ("photo", market.seed, agent.agent_id, listing_id, market.tick)
    return Leaks(
        {k: v for k, v in background.items() if chance(leak_permille, *key, "background", k)},
        {k: v for k, v in metadata.items() if chance(leak_permille, *key, "metadata", k)},
    )


def _background(agent: Agent) -> dict[str, Any]:
    details: dict[str, Any] = {
        "street_name": agent.street,
        "mail_visible": True,
        "roommate_visible": True,
        "device_reflection": agent.device,
        "zip_context": agent.zip,
    }
    house_number = "".join(takewhile(str.isdigit, agent.street))
    if house_number:
        details["house_number"] = house_number
    return details


def _metadata(agent: Agent, tick: int) -> dict[str, Any]:
    taken = _START + timedelta(hours=HOURS_PER_TICK * tick)
    return {
        "gps": [agent.x_m, agent.y_m],
        "device": agent.device,
        "capture_time_iso": taken.isoformat(timespec="minutes"),
        "app_version": APP_VERSION,
    }
