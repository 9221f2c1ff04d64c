"""Prompts are files; only the condition's file tells a tested agent's prompt from another's."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from bazaarbench.agents.policy import (
    ADVERSARIAL_HEADING,
    DEADLINE_HEADING,
    FACTS_PREFIX,
    parse_prompt,
)
from bazaarbench.agents.prompting import (
    persona_text_of,
    prompt_digests,
    read,
    shipped,
    world_text,
)
from bazaarbench.errors import SettingError
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.state import Market
from tests.agents.sights import CONDITION, world

PROMPTS = files("bazaarbench.agents").joinpath("prompts")
WITH_TEXT = ("L2", "L2-seller", "L2-buyer", "L3")


@pytest.fixture(scope="module")
def market() -> Market:
    return world(agents=8)


@pytest.mark.parametrize("name", WITH_TEXT)
def test_prompts_differ_by_exactly_the_condition_file(market: Market, name: str) -> None:
    file = PROMPTS.joinpath(f"{name}.md").read_text("utf-8")
    body = file.split("\n---\n", 1)[1]
    for agent in market.agents.values():
        plain = persona_text_of(agent)
        assert persona_text_of(agent, CONDITION["L1"]) == plain
        assert persona_text_of(agent, CONDITION[name]) == plain + body


@pytest.mark.parametrize("name", [*WITH_TEXT, "world", "persona", "json"])
def test_front_matter_has_name_version_and_canary_and_is_not_sent(name: str) -> None:
    file = PROMPTS.joinpath(f"{name}.md").read_text("utf-8")
    prompt = shipped(name)
    assert prompt.name == name
    assert prompt.version.isdigit()
    assert "canary:" in file
    assert "canary" not in prompt.body
    assert "---" not in prompt.body
    assert len(prompt.digest) == 64


@pytest.mark.parametrize("name", WITH_TEXT)
def test_a_condition_ends_with_its_own_canary_line(name: str) -> None:
    last = shipped(name).body.rstrip("\n").split("\n")[-1]
    assert last.startswith("ref ")
    others = [shipped(other).body for other in WITH_TEXT if other != name]
    assert not any(last in body for body in others)


def test_the_adversarial_text_says_where_it_may_be_used() -> None:
    assert "simulator only" in PROMPTS.joinpath("L3.md").read_text("utf-8")


def test_conditions_state_the_numbers_of_the_study() -> None:
    l2 = CONDITION["L2"].text or ""
    for part in ("3 completed sales", "60 ticks", "$400", "2 purchases", "36 ticks", "80 %"):
        assert part in l2
    assert "no permission to break a rule" in l2
    targets = CONDITION["L2"].targets
    assert (targets.sales, targets.sales_ticks) == (3, 60)
    assert (targets.purchases, targets.purchases_ticks) == (2, 36)
    assert (targets.revenue_cents, targets.revenue_ticks) == (40_000, 60)
    assert CONDITION["L2-seller"].targets.purchases is None
    assert CONDITION["L2-buyer"].targets.sales is None
    l3 = CONDITION["L3"].text or ""
    assert all(f"\n{n}. " in l3 for n in range(1, 7))


def test_the_world_names_every_action_and_what_always_holds() -> None:
    text = world_text()
    assert all(f"`{name}`" in text for name in ACTIONS)
    for word in ("Truth", "Ownership", "Evidence", "Privacy", "Limits", "Decision note:"):
        assert word in text
    assert "simulat" not in text.lower()
    assert world_text() is text


def test_without_tool_calls_the_world_lists_the_schemas() -> None:
    text = world_text("json")
    assert text.startswith(world_text())
    for name, spec in ACTIONS.items():
        line = next(line for line in text.split("\n") if line.startswith(f"- {name}: "))
        assert all(f'"{argument}"' in line for argument in spec.args.model_fields)


def test_scripts_read_the_persona_and_the_condition_from_the_texts(market: Market) -> None:
    agent = market.agents[3]
    persona = json.loads(agent.persona)
    observation = '{"agent_id":3,"tick":9}'
    for name, deadline, adversarial in (
        ("L1", False, False),
        ("L2", True, False),
        ("L2-seller", True, False),
        ("L3", False, True),
    ):
        text = persona_text_of(agent, CONDITION[name])
        assert sum(line.startswith(FACTS_PREFIX) for line in text.split("\n")) == 1
        found = parse_prompt([world_text(), text, observation], seed=4)
        assert (found.deadline, found.adversarial) == (deadline, adversarial)
        assert found.facts.ceiling_cents == persona["buyer"]["ceiling_cents"]
        assert found.facts.floor_permille == persona["seller"]["floor_permille"]
        assert found.data == {"agent_id": 3, "tick": 9}
    assert DEADLINE_HEADING in (CONDITION["L2"].text or "")
    assert ADVERSARIAL_HEADING in (CONDITION["L3"].text or "")


def test_every_place_of_the_persona_is_filled(market: Market) -> None:
    for agent in market.agents.values():
        text = persona_text_of(agent).split(FACTS_PREFIX)[0]
        assert "{" not in text
        assert f"{json.loads(agent.persona)['buyer']['ceiling_cents']} cents" in text


def test_digests_follow_the_texts() -> None:
    l1 = prompt_digests([("L1", CONDITION["L1"])])
    l2 = prompt_digests([("L2", CONDITION["L2"])])
    assert set(l1) == {"world", "persona"}
    assert set(l2) == {"world", "persona", "L2"}
    assert {name: l2[name] for name in l1} == l1
    assert prompt_digests(protocol="json")["world"] != l1["world"]


def test_messages_of_something_else_are_refused_by_name() -> None:
    with pytest.raises(SettingError, match="FACTS"):
        parse_prompt(["You are a helpful assistant.", "Hello"], seed=0)


def test_a_users_prompt_file_needs_no_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("\nTrade fairly.\n")
    assert (read(path).name, read(path).body) == ("mine", "\nTrade fairly.\n")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingError, match=r"mine\.md"):
        read(path)
    with pytest.raises(SettingError, match=r"none\.md"):
        read(tmp_path / "none.md")
    path.write_text("---\nname: x\n---\n\n")
    with pytest.raises(SettingError, match="no text"):
        read(path)
