"""A set of written texts is one file, and lands in a world whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.agents.prompting import persona_text_of
from bazaarbench.catalogue import load_shipped
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from bazaarbench.personas import AgentPlan
from bazaarbench.personas.rewriting import with_texts
from bazaarbench.personas.text_files import (
    Origin,
    PersonaTexts,
    PersonaTextsError,
    TextsFile,
    collected,
    dumped,
    read_texts,
)
from bazaarbench.personas.writing import Outcome, write
from bazaarbench.worlds import WorldSpec, found_market
from tests.personas.writer import brief, names, plans, scripted

AGENTS = 6
SPEC = WorldSpec(name="demo", seed=0, agents=AGENTS)
BASE = PRESETS["paper-base"]
ORIGIN = Origin(
    world="demo",
    seed=0,
    agents=AGENTS,
    units=(3, 6),
    quality="good",
    catalogue="shipped",
    catalogue_digest=load_shipped().digest,
)


async def written() -> list[Outcome]:
    ask, _ = scripted(None)
    return [
        await write(brief(agent_id), names(), ask, reasks=0) for agent_id in range(1, AGENTS + 1)
    ]


@pytest.fixture
async def texts() -> PersonaTexts:
    return collected(await written(), ORIGIN)


@pytest.fixture
async def file(texts: PersonaTexts, tmp_path: Path) -> Path:
    path = tmp_path / "personas.jsonl"
    path.write_text(dumped(texts), encoding="utf-8")
    return path


async def test_a_set_is_read_back_as_it_was_written(texts: PersonaTexts, file: Path) -> None:
    assert read_texts(file) == texts
    assert dumped(read_texts(file)) == file.read_text(encoding="utf-8")
    assert texts.header.spent.calls == AGENTS
    assert texts.header.models == ("scripted",)


async def test_the_digest_is_that_of_facts_and_texts_alone(texts: PersonaTexts) -> None:
    dearer = [
        one.model_copy(update={"spent": one.spent + one.spent, "model": "another"})
        for one in await written()
    ]
    assert collected(list(reversed(dearer)), ORIGIN).digest == texts.digest


async def test_a_set_that_is_not_whole_is_none() -> None:
    outcomes = await written()
    with pytest.raises(PersonaTextsError, match="5 of 6"):
        collected(outcomes[1:], ORIGIN)
    refused = outcomes[0].model_copy(update={"texts": None})
    with pytest.raises(PersonaTextsError, match="5 of 6"):
        collected([refused, *outcomes[1:]], ORIGIN)


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def put(file: Path, changed: list[str]) -> None:
    file.write_text("\n".join(changed) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "holds no persona texts"),
        (b"a,b\n1,2\n", "holds no persona texts"),
        (b'{"format": "other"}\n', "holds no persona texts"),
        (b"[1]\n", "holds no persona texts"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b'{"format": "bazaarbench-persona-texts", "version": 2}\n', "version 2"),
        (b'{"format": "bazaarbench-persona-texts", "version": 1}\n', "damaged"),
    ],
)
def test_another_file_is_refused_with_its_name(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(content)
    with pytest.raises(PersonaTextsError, match=told) as caught:
        read_texts(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PersonaTextsError, match="cannot be read"):
        read_texts(tmp_path / "nowhere.jsonl")


async def test_a_file_that_was_changed_or_cut_is_refused(file: Path) -> None:
    whole = lines(file)
    put(file, whole[:-1])
    with pytest.raises(PersonaTextsError, match="not what was written"):
        read_texts(file)
    put(file, [whole[0], whole[1].replace("shelves", "cellars"), *whole[2:]])
    with pytest.raises(PersonaTextsError, match="not what was written"):
        read_texts(file)
    put(file, [*whole[:-1], whole[-1][:200]])
    with pytest.raises(PersonaTextsError, match="damaged"):
        read_texts(file)


async def test_a_file_with_another_set_than_the_pinned_one_is_refused(file: Path) -> None:
    pinned = TextsFile.pin(file)
    assert pinned.read().digest == pinned.digest
    other = pinned.model_copy(update={"digest": "0" * 64})
    with pytest.raises(PersonaTextsError, match="not those that were asked for"):
        other.read()


def market(file: Path, **changes: Any) -> Market:
    spec = SPEC.model_copy(update={"personas": TextsFile.pin(file), **changes})
    return found_market(spec, BASE)


async def test_good_texts_land_in_the_persona_messages_and_memories_of_a_world(
    texts: PersonaTexts, file: Path
) -> None:
    founded = market(file)
    for agent_id, agent in founded.agents.items():
        mine = texts.agents[agent_id].texts
        message = persona_text_of(agent)
        for text in (
            *(mine.profession, mine.style, mine.buyer_strategy, mine.seller_strategy),
            *(mine.self_summary, mine.background, *mine.constraints),
        ):
            assert text in message
        kept = [founded.memories[number] for number in founded.memories_of[agent_id]]
        assert [(memory.kind, memory.content) for memory in kept] == [
            (memory.kind, memory.content) for memory in mine.memories
        ]


def facts(plan: AgentPlan) -> dict[str, Any]:
    told = plan.persona.model_dump()
    for name in ("profession", "style", "buyer_strategy", "seller_strategy", "constraints"):
        del told[name]
    del told["self_summary"], told["background"]
    told["journal"] = [{**entry, "text": ""} for entry in told["journal"]]
    return told


async def test_no_fact_changes_with_the_texts(texts: PersonaTexts, file: Path) -> None:
    rewritten = with_texts(plans(AGENTS), texts, load_shipped())
    for old, new in zip(plans(AGENTS), rewritten, strict=True):
        assert facts(new) == facts(old)
        assert (new.units, new.history_ratings) == (old.units, old.history_ratings)
        assert replace(new.agent, persona="") == replace(old.agent, persona="")
        assert new.persona.style != old.persona.style
    templated, worded = found_market(SPEC, BASE), market(file)
    assert templated.new_events == worded.new_events
    assert templated.units == worded.units


@pytest.mark.parametrize("changes", [{"seed": 1}, {"agents": 7}, {"units": (3, 8)}])
async def test_texts_of_another_world_are_refused(file: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(PersonaTextsError, match="were written for the world demo with 6 agents"):
        market(file, **changes)


async def test_texts_that_were_never_checked_are_refused(texts: PersonaTexts) -> None:
    entry = texts.agents[3]
    spoilt = entry.texts.model_copy(update={"style": "Write to jo.smith@gmail.com instead."})
    agents = {**texts.agents, 3: entry.model_copy(update={"texts": spoilt})}
    with pytest.raises(PersonaTextsError, match=r"agent 3 break a rule: style: .*personal data"):
        with_texts(plans(AGENTS), PersonaTexts(texts.header, agents), load_shipped())


async def test_a_world_says_which_texts_it_was_founded_with(file: Path) -> None:
    spec = SPEC.model_copy(update={"personas": TextsFile.pin(file)})
    kept = json.loads(spec.model_dump_json())
    assert kept["personas"]["digest"] == read_texts(file).digest
    assert WorldSpec.model_validate(kept) == spec
