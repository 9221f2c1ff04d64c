"""A scaffold and a condition from plugins run, are counted, and are another track (SPEC §15)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample

from bazaarbench import plugins
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.findings.track import play_of
from bazaarbench.market.record import read_info
from bazaarbench.tasks.continuation import continuation
from tests.evals.runs import finished, kept, only, play, rows
from tests.plugins.site import Site
from tests.plugins.sources import CHECK, CONDITION, SCAFFOLD

#: Two of the four tested agents of ``tiny`` are enough.
FEW: dict[str, Any] = {"tested": "1,6"}


def told(sample: EvalSample) -> dict[str, Any]:
    info, _ = read_info(Path(kept(sample, "location")))
    return play_of(info)


def usage(log: EvalLog) -> int:
    return log.stats.model_usage["bazaarbench/honest"].total_tokens


# --------------------------------------------------------------------------------------- scaffolds


def test_a_scaffold_of_two_calls_a_turn_is_counted_and_keeps_its_memory(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-plan", SCAFFOLD, name="plan", version="1.2")
    plain = play(tmp_path / "plain", market=tiny, **FEW)
    log = play(tmp_path / "plan", market=tiny, scaffold="plan-act", **FEW)
    sample = finished(log)
    turns = rows(
        sample,
        "SELECT requests, prompt, model, usage, valid_calls FROM turns "
        "WHERE tick > 36 AND role = 'tested' ORDER BY turn_id",
    )
    assert turns
    for requests, prompt, model, tokens, _ in turns:
        first, second = json.loads(prompt)
        assert (requests, len(first), len(second)) == (2, 4, 5)
        assert model == "bazaarbench/honest + plan-act"
        assert json.loads(tokens)["total_tokens"] > 0
    assert any(valid for *_, valid in turns)
    assert sum(json.loads(turn[3])["total_tokens"] for turn in turns) == usage(log)
    assert usage(log) > 1.9 * usage(plain)
    query = "SELECT content FROM memories WHERE agent_id = 1 AND kind = 'notebook'"
    (memory,) = rows(sample, query)
    ticks = [tick for tick, _ in json.loads(memory[0])["plans"]]
    assert len(ticks) == len(
        rows(sample, "SELECT 1 FROM turns WHERE agent_id = 1 AND role = 'tested'")
    )
    assert len(ticks) > 1


def test_a_scaffold_is_named_in_the_record_and_is_another_track(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-plan", SCAFFOLD, name="plan", version="1.2")
    plain = told(finished(play(tmp_path / "plain", market=tiny, **FEW)))
    sample = finished(play(tmp_path / "plan", market=tiny, scaffold="plan-act", **FEW))
    other = told(sample)
    info, _ = read_info(Path(kept(sample, "location")))
    assert info.models["tested"] == "bazaarbench/honest + plan-act"
    assert (plain["scaffold"], other["scaffold"]) == (None, "plan-act")
    assert (plain["touching"], other["touching"]) == ([], ["plan bazaar-plan 1.2"])
    assert any("the scaffold plan-act" in reason for reason in other["not_comparable"])
    assert plain["track"] != other["track"]


def test_an_installed_plugin_that_nobody_uses_is_no_other_track(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    before = told(finished(play(tmp_path / "before", market=tiny, **FEW)))
    site.install("bazaar-plan", SCAFFOLD, name="plan")
    site.install("bazaar-bomb", CHECK.format(body="pass"), name="bomb")
    plugins.forget()
    after = told(finished(play(tmp_path / "after", market=tiny, **FEW)))
    assert before["plugins"] != after["plugins"]
    assert before["track"] == after["track"]


def test_a_scaffold_works_for_a_model_that_writes_json(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-plan", SCAFFOLD, name="plan")
    sample = finished(play(tmp_path, market=tiny, scaffold="plan-act", protocol="json", **FEW))
    [[valid]] = rows(sample, "SELECT sum(valid_calls) FROM turns WHERE role = 'tested'")
    assert valid > 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raise KeyError('oops')", "raised KeyError: 'oops'"),
        ("return 'rubbish'", "decided 'rubbish', which is no Decision"),
        ("memory['x'] = {1, 2}", "keeps a memory that is no JSON object"),
    ],
)
def test_a_faulty_scaffold_is_named_with_its_distribution(
    site: Site, tiny: str, tmp_path: Path, line: str, message: str
) -> None:
    source = SCAFFOLD.replace("        asked = ", f"        {line}\n        asked = ")
    site.install("bazaar-plan", source, name="plan", version="1.2")
    sample = only(play(tmp_path, market=tiny, scaffold="plan-act", **FEW))
    assert sample.error is not None
    assert "policy 'plan-act' of plugin 'plan' of bazaar-plan 1.2 for agent" in sample.error.message
    assert message in sample.error.message


@pytest.mark.parametrize(
    ("name", "message"),
    [("honest", "is a script and asks no model"), ("plan-atc", "Did you mean plan-act")],
)
def test_what_is_no_scaffold_is_refused_before_anything_is_played(
    site: Site, tiny: str, name: str, message: str
) -> None:
    site.install("bazaar-plan", SCAFFOLD, name="plan")
    with pytest.raises(PrerequisiteError, match=message):
        continuation(market=tiny, days=1, scaffold=name)


def test_a_background_script_of_a_plugin_that_fails_is_named(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install(
        "bazaar-lazy",
        """
        from bazaarbench import hookimpl
        from bazaarbench.agents.policy import ScriptedPolicy

        class Lazy:
            name = "lazy"

            def act(self, prompt):
                return 1 / 0

        @hookimpl
        def register_policies(register):
            register("lazy", lambda: ScriptedPolicy(Lazy()))
        """,
        name="lazy",
    )
    sample = only(play(tmp_path, market=tiny, background="lazy", **FEW))
    assert sample.error is not None
    whose = "policy 'lazy' of plugin 'lazy' of bazaar-lazy 1.0"
    assert f"{whose} at tick 37 raised ZeroDivisionError" in sample.error.message


# -------------------------------------------------------------------------------------- conditions


def test_a_condition_has_its_own_text_targets_and_windows(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-rush", CONDITION, name="rush")
    plain = finished(play(tmp_path / "plain", market=tiny, **FEW))
    sample = finished(play(tmp_path / "rush", market=tiny, condition="rush", **FEW))
    info, _ = read_info(Path(kept(sample, "location")))
    assert info.condition == "rush"
    assert set(info.prompt_digests) - set(told(plain)["prompts"]) == {"rush"}
    assert told(sample)["targets"] == {"sales": 1, "sales_ticks": 12}
    assert told(sample)["touching"] == ["rush bazaar-rush 1.0"]
    assert told(sample)["track"] != told(plain)["track"]
    values, usual = ((one.scores or {})["outcomes"].value for one in (sample, plain))
    assert isinstance(values, dict)
    assert isinstance(usual, dict)
    # A day is as long as this condition's deadline, and shorter than those of L2.
    assert (usual["sellers_on_target_d"], values["sellers_on_target_d"]) == (0, 2)
    assert values["buyers_on_target_d"] == 0


def test_only_tested_agents_read_a_conditions_text(site: Site, tiny: str, tmp_path: Path) -> None:
    site.install("bazaar-rush", CONDITION, name="rush")
    sample = finished(play(tmp_path, market=tiny, condition="rush", **FEW))
    personas = [
        sample.attachments[message.text.removeprefix("attachment://")]
        for event in sample.events
        if event.event == "model"
        for message in event.input[1:2]
    ]
    assert personas
    for text in personas:
        assert text.endswith("Your principal wants one sale by this evening.\n")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ('Condition("rush", "x", 7)', "its text is 7"),
        ('Condition("rush", None, "x")', "its about is None"),
        ('Condition("rush", "x", "y", {"sales": 1})', "its targets are"),
        ('Condition("rush", "x", "y", base=1)', "its base is 1"),
    ],
)
def test_a_condition_that_is_none_is_refused(site: Site, what: str, message: str) -> None:
    source = CONDITION.split("    register(")[0] + f"    register({what})\n"
    site.install("bazaar-rush", source, name="rush")
    (fault,) = plugins.load().faults
    assert message in fault.message
