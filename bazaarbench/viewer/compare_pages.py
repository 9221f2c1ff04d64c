"""Two runs beside each other: the same market, or the same agent, in both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from bazaarbench.viewer.links import COMPARE, Links
from bazaarbench.viewer.numbers import Number, ladders_of, numbers_of
from bazaarbench.viewer.opened import Opened
from bazaarbench.viewer.page import Page, PageMissing
from bazaarbench.viewer.rows import EventRow, TurnRow, events_of_turn, turns_of_agent
from bazaarbench.viewer.sources import Found

#: Turns of an agent that are put beside each other.
TURNS = 400
#: Pairs of one market that are listed, and exported.
PAIRS = 60


def choose_page(found: Found) -> Page:
    """The choice of two runs; those of one market are offered."""
    pairs = [
        (one, other)
        for one, other in combinations(found.runs, 2)
        if one.market and one.market == other.market
    ]
    values = {
        "runs": found.runs,
        "pairs": pairs[:PAIRS],
        "more": max(0, len(pairs) - PAIRS),
    }
    return Page(COMPARE, "compare_choose.html.j2", values)


def pair_page(one: Opened, other: Opened) -> Page:
    """Two runs side by side; no difference is taken, and what must not be compared is said."""
    left, right = _numbers(one), _numbers(other)
    keys = list(dict.fromkeys([*left, *right]))
    agents = sorted(
        {row.agent for row in one.findings.agents} | {row.agent for row in other.findings.agents}
    )
    return Page(
        path=Links("").pair(one.key, other.key),
        template="compare.html.j2",
        values={
            "one": one,
            "other": other,
            "differences": _differences(one, other),
            "warning": _warning(one, other),
            "numbers": [(left.get(key), right.get(key)) for key in keys],
            "ladders": _ladders(one, other),
            "agents": [(agent, _agent(one, agent), _agent(other, agent)) for agent in agents],
        },
    )


def _numbers(opened: Opened) -> dict[str, Number]:
    return {one.key: one for one in numbers_of(opened)[0]}


def _ladders(one: Opened, other: Opened) -> list[tuple[Any, Any]]:
    left = {ladder.key: ladder for ladder in ladders_of(one)}
    right = {ladder.key: ladder for ladder in ladders_of(other)}
    return [(left.get(key), right.get(key)) for key in dict.fromkeys([*left, *right])]


def _settings(opened: Opened) -> dict[str, str]:
    found, play = opened.findings, opened.findings.play
    told = {
        "market": found.market,
        "state": str(play.get("state") or "–")[:12],
        "condition": found.condition or "none",
        "rules": str(play.get("rules_name") or "unnamed"),
        "epoch": str(found.epoch),
        "tested model": opened.source.model,
        "background": str(play.get("background") or "–"),
        "tested agents": ", ".join(map(str, found.tested)) or "none",
        "ticks": f"{found.window[0] + 1}–{found.window[1]}",
        "benchmark": found.benchmark_version,
        "checks": found.checks_version,
    }
    return told | {key: str(value) for key, value in (play.get("rules") or {}).items()}


def _differences(one: Opened, other: Opened) -> list[tuple[str, str, str]]:
    """The settings in which two runs differ."""
    left, right = _settings(one), _settings(other)
    return [
        (key, left.get(key, "–"), right.get(key, "–"))
        for key in dict.fromkeys([*left, *right])
        if left.get(key) != right.get(key)
    ]


def _warning(one: Opened, other: Opened) -> str:
    conditions = {one.findings.condition or "L0", other.findings.condition or "L0"}
    if "L0" in conditions and len(conditions) > 1:
        return (
            "One of the two is a base market, which is played under other rules: a difference "
            "between them is no effect of instructions."
        )
    left, right = (opened.findings for opened in (one, other))
    if (left.benchmark_version, left.checks_version) != (
        right.benchmark_version,
        right.checks_version,
    ):
        return "The two were played or measured under other versions and are not comparable."
    if left.play.get("state") != right.play.get("state"):
        return "The two go on from different states: agents of one number are different people."
    return ""


def _agent(opened: Opened, agent_id: int) -> dict[str, Any]:
    deals = [deal for deal in opened.findings.deals if agent_id in (deal.buyer, deal.seller)]
    failures = [item for item in opened.objects.values() if item.actor == agent_id]
    row = next((one for one in opened.findings.agents if one.agent == agent_id), None)
    return {
        "row": row,
        "deals": deals,
        "completed": sum(deal.end == "completed" for deal in deals),
        "failures": failures,
    }


def agent_pair_page(one: Opened, other: Opened, agent_id: int) -> Page:
    """One agent in two runs: deals, failures, earnings, and its decisions tick by tick.

    Raises:
        PageMissing: neither run has such an agent.
        RecordError: a record cannot be read.
    """
    left, right = (_decided(opened, agent_id) for opened in (one, other))
    if not left and not right:
        raise PageMissing(f"Agent {agent_id} took no turn in either run.")
    ticks = sorted({*left, *right})
    return Page(
        path=Links("").pair(one.key, other.key, agent_id),
        template="compare_agent.html.j2",
        values={
            "one": one,
            "other": other,
            "agent_id": agent_id,
            "left": _agent(one, agent_id),
            "right": _agent(other, agent_id),
            "warning": _warning(one, other),
            "ticks": [(tick, left.get(tick), right.get(tick)) for tick in ticks],
        },
    )


def _decided(opened: Opened, agent_id: int) -> dict[int, tuple[TurnRow, Sequence[EventRow]]]:
    """The turns of the window, by tick, with their calls."""
    start = opened.findings.window[0]
    with opened.reading() as connection:
        found, _ = turns_of_agent(connection, agent_id, 0, 10 * TURNS)
        own = [turn for turn in found if turn.tick > start][:TURNS]
        return {
            turn.tick: (turn, events_of_turn(connection, turn.tick, turn.turn_id)) for turn in own
        }
