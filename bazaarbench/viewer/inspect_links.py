"""Links into Inspect View, which shows the same run as a transcript of messages (DESIGN §3.5)."""

from __future__ import annotations

from urllib.parse import quote

from bazaarbench.findings import DealRow
from bazaarbench.viewer.rows import TurnRow
from bazaarbench.viewer.sources import RunSource


def deal_link(source: RunSource, base: str | None, deal: DealRow) -> str | None:
    """The event of a settled deal in Inspect's transcript; ``None`` when there is none."""
    if deal.end is None or source.deal_event is None:
        return None
    return _link(source, base, f"event={quote(source.deal_event(deal.thread), safe='')}")


def turn_link(source: RunSource, base: str | None, turn: TurnRow) -> str | None:
    """The message of a turn; background agents' turns are not in the transcript."""
    if turn.message_id is None or turn.role != "tested":
        return None
    return _link(source, base, f"message={quote(turn.message_id, safe='')}")


def _link(source: RunSource, base: str | None, query: str) -> str | None:
    if base is None or source.log is None or source.sample_uuid is None:
        return None
    log = quote(source.log.replace("\\", "/").rsplit("/", 1)[-1], safe="")
    uuid = quote(source.sample_uuid, safe="")
    return f"{base.rstrip('/')}/#/logs/{log}/samples/sample_uuid/{uuid}/transcript?{query}"
