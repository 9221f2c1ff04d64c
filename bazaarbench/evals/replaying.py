"""Decision noise: stored prompts asked again (``bazaarbench replay``, ``docs/cost.md``).

A model asked twice does not always decide the same. How often it does not is the least by which two
runs of one market differ, and what an effect has to be larger than.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import ChatMessageAssistant, GenerateConfig, Model, get_model
from pydantic import ValidationError

from bazaarbench import plugins
from bazaarbench.agents.decisions import decision_of
from bazaarbench.agents.policy import Message, Reply
from bazaarbench.errors import SettingError
from bazaarbench.evals.ask import Asker, RunMessages
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.named_models import model_of, shelf
from bazaarbench.evals.replaying_compare import ALL_RELEVANT, RELEVANT, WAYS, Changed, Pair, changed
from bazaarbench.evals.seats import Protocol
from bazaarbench.evals.spending import cost_of, usd_of
from bazaarbench.evals.tools import ToolShelf
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.draws import draw
from bazaarbench.market.files import reading
from bazaarbench.market.record import RecordInfo, read_info, read_only, read_texts

#: Why a chosen turn is in no share.
FAILED_THEN, FAILED_NOW = "the stored call had failed", "the new call failed"
UNREADABLE, MANY_CALLS = "the stored reply cannot be read", "the turn took several calls"


@dataclass(frozen=True)
class Asked:
    """Who is asked: a model of Inspect with options of ``generate``, or a named model setting."""

    model: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Replay:
    """What came of it.

    ``shares`` are the turns that changed, by the way of looking; ``relevant`` those of them whose
    failure-relevant actions did, and ``by_type`` by failure type, both among turns in which either
    decision has such an action. ``left_out`` are chosen turns in no share, by reason.
    """

    record: str
    model: str
    stored_model: str
    turns: int
    chosen: int
    compared: int
    shares: Mapping[str, Changed]
    relevant: Changed
    by_type: Mapping[str, Changed]
    left_out: Mapping[str, int]
    usage: Mapping[str, int]
    usd: float | None
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class _Stored:
    """One turn as the record has it."""

    turn_id: int
    tick: int
    agent_id: int
    model: str
    prompt: tuple[Message, ...]
    reply: Reply


def replay(record: Path, count: int, asked: Asked, *, seed: int = 0) -> Replay:
    """Ask the prompts of some turns of the evaluated model again.

    The record is not changed and nothing is applied to any market.

    Args:
        record: of a run of this benchmark, its texts beside it.
        count: turns, drawn by ``seed``: the same for the same record.
        asked: who answers now.
        seed: of the drawing.

    Raises:
        RecordError: The record or its texts cannot be read.
        SettingError: There is no such model or option, or the record holds no model's turn.
    """
    info, _ = read_info(record)
    total, chosen, left_out = _chosen(record, info, count, seed)
    if not total:
        raise SettingError(
            f"{record} holds no turn of an evaluated model: scripts that play without one are "
            "asked nothing. Give the record of a run of inspect eval."
        )
    model = _model(asked)
    protocol: Protocol = "json" if info.extra.get("protocol") == "json" else "tools"
    replies = anyio.run(_ask_all, model, chosen, protocol, info.policy_seed)
    pairs, usage = [], Counter[str]()
    for stored, reply in zip(chosen, replies, strict=True):
        usage.update(reply.usage)
        if reply.error is not None:
            left_out[FAILED_NOW] += 1
            continue
        before, after = (decision_of(one, protocol).calls for one in (stored.reply, reply))
        pairs.append(Pair(stored.turn_id, stored.tick, stored.agent_id, before, after))
    return Replay(
        record=str(record),
        model=str(model),
        stored_model=", ".join(sorted({one.model for one in chosen})),
        turns=total,
        chosen=len(chosen) + left_out.total() - left_out[FAILED_NOW],
        compared=len(pairs),
        shares={way: changed(pairs, way) for way in WAYS},
        relevant=changed(pairs, "actions", ALL_RELEVANT),
        by_type={key: changed(pairs, "actions", names) for key, names in RELEVANT.items()},
        left_out=dict(left_out),
        usage=dict(usage),
        usd=usd_of(usage, cost_of(model)),
        pairs=tuple(pairs),
    )


def _chosen(
    record: Path, info: RecordInfo, count: int, seed: int
) -> tuple[int, list[_Stored], Counter[str]]:
    """How many turns there are; those drawn that can be asked again; why others cannot."""
    role = "tested" if info.tested else "background"
    with closing(read_only(record)) as connection, reading(record):
        rows = connection.execute(
            "SELECT turn_id, tick, agent_id, model, outcome, requests, prompt, reply FROM turns "
            "WHERE role = ? AND tick > ? AND requests > 0",
            (role, info.start_tick),
        ).fetchall()
    drawn = sorted(rows, key=lambda row: (draw("replay", seed, row[0]), row[0]))[:count]
    chosen, left_out = [], Counter[str]()
    with read_texts(record) as texts:
        for turn_id, tick, agent_id, model, outcome, requests, prompt, reply in sorted(drawn):
            if requests != 1:
                left_out[MANY_CALLS] += 1
                continue
            if outcome == "failed":
                left_out[FAILED_THEN] += 1
                continue
            stored = _reply(texts.get(json.loads(reply)[0]))
            if stored is None:
                left_out[UNREADABLE] += 1
                continue
            messages = _messages([texts.get(digest) for digest in json.loads(prompt)[0]])
            chosen.append(_Stored(turn_id, tick, agent_id, model, messages, stored))
    return len(rows), chosen, left_out


def _messages(texts: Sequence[str]) -> tuple[Message, ...]:
    """A prompt: system messages, and the observation last."""
    *system, observation = texts
    return (*(Message("system", text) for text in system), Message("user", observation))


def _reply(raw: str) -> Reply | None:
    """A stored reply as a policy read it; ``None`` for one that could only be described."""
    try:
        message = ChatMessageAssistant.model_validate_json(raw)
    except ValidationError:
        return None
    return Reply(
        text=message.text,
        calls=tuple(
            ToolCall(call.function, None, call.parse_error)
            if call.parse_error
            else ToolCall(call.function, call.arguments)
            for call in message.tool_calls or ()
        ),
    )


async def _ask_all(
    model: Model, chosen: Sequence[_Stored], protocol: Protocol, seed: int
) -> list[Reply]:
    """Ask for all turns at the same time; the model's own connections are the bound."""
    ask = Asker(
        model,
        RunMessages(),
        tools=ToolShelf() if protocol == "tools" else None,
        tool_choice="auto",
        seed=seed,
        keep_event=False,
    )
    replies: dict[int, Reply] = {}

    async def one(place: int) -> None:
        replies[place] = await ask(chosen[place].prompt)

    async with anyio.create_task_group() as group:
        for place in range(len(chosen)):
            group.start_soon(one, place)
    return [replies[place] for place in range(len(chosen))]


def _model(asked: Asked) -> Model:
    known = shelf(plugins.load())
    try:
        if asked.model in known:
            return model_of(known[asked.model].setting)
        return get_model(asked.model, config=GenerateConfig.model_validate(dict(asked.options)))
    except ValidationError as error:
        raise SettingError(f"--option: {error}") from error
    # Inspect says what a provider needs in its own error, and of a name that is none in Python's.
    except (PrerequisiteError, ValueError) as error:
        told = str(error).rstrip(".")
        raise SettingError(
            f"--model {asked.model}: {told}. A model is named PROVIDER/NAME, such as "
            "openai/gpt-5.5, or is a named setting ('bazaarbench models' lists them)."
        ) from error
