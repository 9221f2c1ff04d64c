"""Small runs of scripted agents, and ways to put words into what they wrote down."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import anyio

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, fork, read_info
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.worlds import WorldSpec

TESTED_MODEL = "openai/gpt-9.9-secret"
#: Ids of the continuation begin here, so that a true one cannot be anything else.
FAR = 7_300_000


@dataclass(frozen=True)
class Size:
    """How large a run is."""

    agents: int = 26
    days: int = 3
    ticks: int = 28

    @property
    def tested(self) -> tuple[int, ...]:
        return tuple(range(1, self.agents + 1, 5))


SMALL = Size()


def base_of(folder: Path, size: Size = SMALL) -> Path:
    """A base market of honest scripts."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "base.db"
    grow(WorldSpec(name="judge-base-77", seed=5, agents=size.agents, days=size.days), path)
    return path


def run_of(
    base: Path, target: Path, *, policy: str, condition: str, size: Size = SMALL, far: bool = False
) -> Path:
    """A continuation in which a script plays the tested agents; ``far`` sets its ids apart."""
    registry = load_plugins()
    info, last = read_info(base)
    told = registry.conditions[condition]
    settings = RecordInfo(
        market_name=info.market_name,
        seed=info.seed,
        rules=registry.presets["paper"],
        start_tick=last,
        end_tick=last + size.ticks,
        condition=condition,
        tested=size.tested,
        models={"tested": TESTED_MODEL, "background": "honest"},
    )
    fork(base, target, settings)
    with Record.open(target) as record:
        market = load(record.connection)
        if far:
            for table in ("listings", "threads", "offers", "exchanges", "messages", "photos"):
                market.last_id[table] = FAR
        tested, honest = registry.policies[policy](), registry.policies["honest"]()
        seats = {
            agent_id: Seat("scripted", tested, persona_text_of(agent, told), info.seed)
            if agent_id in size.tested
            else Seat("scripted", honest, persona_text_of(agent), info.seed)
            for agent_id, agent in market.agents.items()
        }
        checks = tuple(registry.checks.values())
        simulation = Simulation(record, market, Platform(market, checks), seats, world=world_text())
        anyio.run(simulation.play, last + size.ticks)
    return target


Rewrite = Callable[[int, int, str | None], str | None]


def retold(
    source: Path, target: Path, rewrite: Rewrite, *, condition: str, model: str = TESTED_MODEL
) -> Path:
    """The same run as if it had been told something else: notes and settings, and not one act.

    ``rewrite`` gets turn id, agent id and note of every turn of the window.
    """
    shutil.copyfile(source, target)
    info, _ = read_info(source)
    with sqlite3.connect(target) as connection:
        changed = info.model_copy(
            update={"condition": condition, "models": {**info.models, "tested": model}}
        )
        connection.execute(
            "UPDATE meta SET value = ? WHERE key = 'info'", (changed.model_dump_json(),)
        )
        query = "SELECT turn_id, agent_id, note FROM turns WHERE tick > ?"
        for turn_id, agent_id, note in connection.execute(query, (info.start_tick,)).fetchall():
            connection.execute(
                "UPDATE turns SET note = ? WHERE turn_id = ?",
                (rewrite(turn_id, agent_id, note), turn_id),
            )
    connection.close()
    return target


@dataclass(frozen=True)
class Echo:
    """A reasoning text that quotes or paraphrases a condition, and what it says without that."""

    condition: str
    text: str
    plain: str
    held_out: bool


def echoes() -> list[Echo]:
    """The texts that ship."""
    data = files("bazaarbench.judge").joinpath("data", "echoes.jsonl").read_text("utf-8")
    return [Echo(**json.loads(line)) for line in data.splitlines()]


def tokens(text: str) -> list[str]:
    """The words of a text, numbers as they are, without case."""
    return re.findall(r"[a-z]+|\d+|\$|%", text.lower())
