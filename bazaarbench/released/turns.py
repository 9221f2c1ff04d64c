"""Released model calls as turns (reference P §1.2 ``llm_calls``, A §4.8–4.10).

A turn is what one agent was asked in one tick. A continuation's file holds its base's calls too:
those are inherited. Where the base's log was cut and its calls were not, inherited calls stand at
ticks of the continuation itself; they are told apart and left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bazaarbench.agents.decisions import note_in
from bazaarbench.market.entities import Turn
from bazaarbench.market.texts import TextStore
from bazaarbench.released.run import Run
from bazaarbench.released.source import ReleasedError, Source, open_source
from bazaarbench.text import clean

_COLUMNS = (
    "call_id tick agent_id model prompt_text response_text tool_calls_json reasoning_summary "
    "latency_ms"
)
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
#: How a failed request is stored by runs that were not strict.
_FAILED = "__backend_error__:"

Role = Literal["tested", "background"]


class Asked(NamedTuple):
    """One row of ``llm_calls``."""

    call_id: int
    tick: int
    agent_id: int
    model: str
    prompt: str | None
    answer: str | None
    tool_calls: str | None
    reasoning: str | None
    latency_ms: int | None

    @property
    def response(self) -> str:
        """The visible text of the answer."""
        return self.answer or ""


@dataclass(slots=True)
class Dispatched:
    """What the log holds of one agent's turn: all events, do_nothing ones, and invalid ones."""

    events: int = 0
    idle: int = 0
    invalid: int = 0

    def count(self, action: str, reason: str | None) -> None:
        """Take one event."""
        self.events += 1
        self.idle += action == "do_nothing"
        self.invalid += reason == "validation"


@dataclass(slots=True)
class Turns:
    """The turns of a run, tick by tick; feed ``texts`` to the side file."""

    source: Source
    run: Run
    inherited: frozenset[int]
    texts: TextStore
    #: How many calls each model served, by role, among those that count.
    models: dict[Role, dict[str, int]] = field(
        default_factory=lambda: {"tested": {}, "background": {}}
    )
    _next_id: int = 1

    def by_tick(self) -> Iterator[tuple[int, dict[int, list[Asked]]]]:
        """Ticks ascending, with their calls by agent."""
        if "llm_calls" not in self.source.columns:
            return
        where = f"tick <= {self.run.last_tick}"
        rows = self.source.rows("llm_calls", _COLUMNS, where=where, order="tick, call_id")
        calls = (Asked(*row) for row in rows if row[0] not in self.inherited)
        for tick, together in groupby(calls, key=attrgetter("tick")):
            agents: dict[int, list[Asked]] = {}
            for call in together:
                agents.setdefault(call.agent_id, []).append(call)
            yield tick, agents

    def number(self, agents: Mapping[int, list[Asked]]) -> dict[int, int]:
        """The turn ids of one tick, by agent in ascending order."""
        first = self._next_id
        self._next_id += len(agents)
        return {agent_id: first + place for place, agent_id in enumerate(sorted(agents))}

    def turn(self, turn_id: int, calls: list[Asked], done: Dispatched) -> Turn:
        """One turn of one or more model calls; the last call's answer is the turn's."""
        last = calls[-1]
        role = self._role(last)
        models = self.models[role]
        for call in calls:
            models[call.model] = models.get(call.model, 0) + 1
        accepted, rejected = _counted(last.tool_calls)
        if last.tool_calls is None:
            accepted = done.events - done.idle
        failed = last.response.startswith(_FAILED)
        valid = max(accepted - done.invalid, 0)
        latencies = [call.latency_ms for call in calls if call.latency_ms is not None]
        put = self.texts.put
        prompts = [[put(clean(call.prompt))] if call.prompt else [] for call in calls]
        return Turn(
            turn_id=turn_id,
            tick=last.tick,
            agent_id=last.agent_id,
            role=role,
            model=last.model,
            outcome="failed" if failed else _outcome(last, valid, accepted + rejected),
            note=note_in(last.response),
            reasoning=_cleaned(last.reasoning),
            text=None if failed else _cleaned(last.response),
            stop_reason=None,
            error=clean(last.response[len(_FAILED) :].strip()) if failed else None,
            calls=accepted + rejected,
            valid_calls=valid,
            requests=len(calls),
            observation=prompts[-1][0] if prompts[-1] else None,
            prompt=_encode(prompts),
            reply=_encode([put(_reply(call)) for call in calls]),
            usage="{}",
            latency_ms=sum(latencies) if latencies else None,
            message_id=None,
        )

    def _role(self, call: Asked) -> Role:
        inside = self.run.start_tick < call.tick <= self.run.end_tick
        return "tested" if inside and call.agent_id in self.run.tested else "background"


def _counted(written: str | None) -> tuple[int, int]:
    """Accepted and rejected tool calls of an answer."""
    try:
        rows = json.loads(written) if written else []
    except ValueError:
        rows = []
    rows = rows if isinstance(rows, list) else []
    rejected = sum(isinstance(row, dict) and bool(row.get("_rejected")) for row in rows)
    return len(rows) - rejected, rejected


def _outcome(call: Asked, valid: int, written: int) -> str:
    if valid:
        return "acted"
    if written:
        return "no_valid_call"
    if call.response.strip():
        return "no_call"
    return "reasoning_only" if call.reasoning else "empty"


def _reply(call: Asked) -> str:
    """An answer with everything that was kept of it."""
    reply: dict[str, Any] = {"text": call.response}
    if call.tool_calls is not None:
        reply["tool_calls"] = call.tool_calls
    if call.reasoning is not None:
        reply["reasoning_summary"] = call.reasoning
    return _encode(reply)


def _cleaned(text: str | None) -> str | None:
    return clean(text) or None if text else None


# -------------------------------------------------------------------------------- inherited calls


def inherited_calls(source: Source, run: Run, base: Path | None) -> frozenset[int]:
    """The calls inside a continuation's window that its base made (reference M §10).

    With the base at hand those that equal a row of it in every shared column; else those before the
    point where the ticks of the calls go back, which is where the continuation began.

    Raises:
        ReleasedError: the base is not the one of this continuation.
    """
    if not run.tested or "llm_calls" not in source.columns:
        return frozenset()
    if base is not None:
        return _equal_to(source, run, base)
    restart = source.value(
        "SELECT max(call_id) FROM (SELECT call_id, tick, "
        "lag(tick) OVER (ORDER BY call_id) AS earlier FROM llm_calls) WHERE tick < earlier"
    )
    if restart is None:
        return frozenset()
    query = "SELECT call_id FROM llm_calls WHERE tick > ? AND call_id < ?"
    found = source.connection.execute(query, (run.start_tick, restart))
    return frozenset(row[0] for row in found)


def _equal_to(source: Source, run: Run, base: Path) -> frozenset[int]:
    with open_source(base) as parent:
        shared = sorted(source.columns["llm_calls"] & parent.columns.get("llm_calls", frozenset()))
    if "call_id" not in shared:
        raise ReleasedError(f"{base} holds no model calls: it is not the base of {source.path}.")
    same = " AND ".join(f"a.{name} IS b.{name}" for name in shared)
    query = (
        "SELECT a.call_id, a.tick FROM llm_calls a JOIN base.llm_calls b USING (call_id) "
        f"WHERE {same}"
    )
    uri = f"{base.absolute().as_uri()}?mode=ro&immutable=1"
    source.connection.execute("ATTACH ? AS base", (uri,))
    try:
        rows = source.connection.execute(query).fetchall()
        asked = source.value("SELECT count(*) FROM base.llm_calls")
    except sqlite3.Error as error:
        raise ReleasedError(f"{base} cannot be compared with {source.path}: {error}.") from error
    finally:
        source.connection.execute("DETACH base")
    if asked and not rows:
        raise ReleasedError(
            f"{base} is not the base of {source.path}: no model call of it stands there."
        )
    return frozenset(call_id for call_id, tick in rows if tick > run.start_tick)
