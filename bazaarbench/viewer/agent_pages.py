"""Pages of an agent and of one of its turns."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from bazaarbench.market.texts import TextStore
from bazaarbench.viewer.deal_page import texts_of
from bazaarbench.viewer.inspect_links import turn_link
from bazaarbench.viewer.links import Links
from bazaarbench.viewer.opened import Opened
from bazaarbench.viewer.page import Page, PageMissing
from bazaarbench.viewer.rows import (
    TurnRow,
    events_of_turn,
    neighbours,
    table_rows,
    turns,
    turns_of_agent,
)
from bazaarbench.viewer.timeline import text_of

#: Turns on one part of an agent's decisions.
TURNS = 60


def agent_page(opened: Opened, agent_id: int, part: int) -> Page:
    """An agent: who it is, what it held, traded and failed in, and what it decided.

    Raises:
        PageMissing: there is no such agent, or no such part.
        RecordError: the record cannot be read.
    """
    with opened.reading() as connection:
        rows = table_rows(connection, "agents", "agent_id = ?", (agent_id,))
        if not rows:
            raise PageMissing(f"Run {opened.source.name} has no agent {agent_id}.")
        decided, count = turns_of_agent(connection, agent_id, (part - 1) * TURNS, TURNS)
        if part > 1 and not decided:
            raise PageMissing(f"Agent {agent_id} has {count} turns; there is no part {part}.")
        said = {
            turn.turn_id: events_of_turn(connection, turn.tick, turn.turn_id) for turn in decided
        }
        holdings = _holdings(connection, agent_id)
    found = opened.findings
    deals = [deal for deal in found.deals if agent_id in (deal.buyer, deal.seller)]
    failures = [one for one in opened.objects.values() if one.actor == agent_id]
    return Page(
        path=Links("", opened.key).agent_part(agent_id, part),
        template="agent.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "agent": rows[0],
            "persona": _persona(rows[0]["persona"]),
            "row": next((one for one in found.agents if one.agent == agent_id), None),
            "deals": deals,
            "failures": failures,
            "touched": [one for one in opened.objects.values() if agent_id in one.counterparties],
            "holdings": holdings,
            "turns": decided,
            "said": said,
            "at_page": part,
            "pages": max(1, -(-count // TURNS)),
            "count": count,
        },
    )


def _persona(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {"text": text}
    return found if isinstance(found, dict) else {"text": found}


def _holdings(connection: sqlite3.Connection, agent_id: int) -> list[dict[str, Any]]:
    held = table_rows(connection, "holdings", "agent_id = ?", (agent_id,))
    ids = sorted({row["unit_id"] for row in held})
    units = {
        row["unit_id"]: row
        for start in range(0, len(ids), 500)
        for row in table_rows(
            connection,
            "units",
            f"unit_id IN ({','.join('?' * len(ids[start : start + 500]))})",
            ids[start : start + 500],
        )
    }
    return [{**row, "unit": units.get(row["unit_id"], {})} for row in held]


def turn_page(opened: Opened, turn_id: int, inspect_view: str | None) -> Page:
    """A turn: everything that an agent was shown, said and called.

    Raises:
        PageMissing: there is no such turn.
        RecordError: the record cannot be read.
    """
    with opened.reading() as connection, texts_of(opened) as texts:
        turn = turns(connection, [turn_id]).get(turn_id)
        if turn is None:
            raise PageMissing(f"Run {opened.source.name} has no turn {turn_id}.")
        before, after = neighbours(connection, turn)
        return Page(
            path=f"run/{opened.key}/turn/{turn_id}.html",
            template="turn.html.j2",
            key=opened.key,
            values={
                "opened": opened,
                "turn": turn,
                "calls": events_of_turn(connection, turn.tick, turn.turn_id),
                "before": before,
                "after": after,
                "observation": _observation(texts, turn),
                "prompts": _texts(texts, turn.prompt, leave_out=turn.observation),
                "replies": _texts(texts, turn.reply, leave_out=None),
                "usage": json.loads(turn.usage) if turn.usage else {},
                "inspect": turn_link(opened.source, inspect_view, turn),
            },
        )


def _observation(texts: TextStore | None, turn: TurnRow) -> dict[str, Any]:
    """The observation by its sections; ``missing`` says why there is none."""
    text, why = text_of(texts, turn.observation)
    if text is None:
        return {"missing": why, "sections": [], "text": ""}
    try:
        seen = json.loads(text)
    except ValueError:
        seen = None
    sections = list(seen.items()) if isinstance(seen, dict) else []
    return {"missing": "", "sections": sections, "text": "" if sections else text}


def _texts(
    texts: TextStore | None, digests: str | None, leave_out: str | None
) -> list[tuple[str, str]]:
    """Texts that a column names, each once, with why it is missing instead where it is."""
    if not digests:
        return []
    flat: list[str] = []
    for one in json.loads(digests):
        flat += one if isinstance(one, list) else [one]
    found = []
    for digest in dict.fromkeys(flat):
        if digest != leave_out:
            text, why = text_of(texts, digest)
            found.append((text or "", why))
    return found
