"""A faulty plugin is named with its distribution and harms nothing else (SPEC §10)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample

from bazaarbench import findings, plugins
from bazaarbench.errors import PluginError, RecordError, SettingError
from bazaarbench.evals import session
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.plan import named_rules
from bazaarbench.market.digest import digest
from bazaarbench.market.record import Record, read_info
from bazaarbench.market.rules import Rules
from bazaarbench.tasks.continuation import continuation
from tests.evals.runs import finished, kept, only, play, rows
from tests.market.rows import founded, info_of
from tests.plugins.site import Site
from tests.plugins.sources import CHECK, FAILURE_TYPE

BROKEN = {
    "import": "raise RuntimeError('broken')",
    "hook": "from bazaarbench import hookimpl\n"
    "@hookimpl\ndef register_checks(register):\n    raise RuntimeError('broken')\n",
    "rubbish": "from bazaarbench import hookimpl\n"
    "@hookimpl\ndef register_conditions(register):\n    register('broken')\n",
    "taken name": "from bazaarbench import hookimpl\nfrom bazaarbench.market.rules import Rules\n"
    "@hookimpl\ndef register_presets(register):\n    register('paper', Rules())\n",
    "interface": "BAZAARBENCH_API = 99",
}


def check(body: str) -> str:
    return CHECK.format(body=body)


def failure_type(body: str) -> str:
    return FAILURE_TYPE.format(body=body)


def score(sample: EvalSample, scorer: str) -> dict[str, Any]:
    value = (sample.scores or {})[scorer].value
    assert isinstance(value, dict)
    return value


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory, tiny: str) -> EvalSample:
    """A day without any plugin."""
    plugins.forget()
    return finished(play(tmp_path_factory.mktemp("usual"), market=tiny))


# ------------------------------------------------------------------------ faults before the run


def test_a_market_is_played_as_usual_beside_broken_plugins(
    site: Site, usual: EvalSample, tiny: str, tmp_path: Path
) -> None:
    for number, source in enumerate(BROKEN.values()):
        site.install(f"bazaar-bad{number}", source, name=f"bad{number}")
    sample = finished(play(tmp_path, market=tiny))
    assert kept(sample, "digest") == kept(usual, "digest")
    assert score(sample, "record_checks") == score(usual, "record_checks")
    assert {fault.distribution for fault in plugins.load().faults} == {
        f"bazaar-bad{number}" for number in range(len(BROKEN))
    }


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_plugin_that_is_required_stops_the_run_before_it_begins(
    site: Site, tiny: str, what: str
) -> None:
    site.install("bazaar-bad", BROKEN[what], name="bad")
    with pytest.raises(PrerequisiteError, match=r"'bad' of bazaar-bad"):
        continuation(market=tiny, days=1, require="bad")


def test_rules_cannot_turn_on_a_check_that_is_not_there(site: Site, tmp_path: Path) -> None:
    site.install("bazaar-bomb", check("pass"), name="bomb")
    file = tmp_path / "mine.yaml"
    file.write_text("preset: truthful\nplugin_checks: {bomb: off}\n")
    (mine,) = named_rules([str(file)], plugins.load())
    assert mine.rules.plugin_check("bomb") == "off"
    file.write_text("plugin_checks: {bmob: block}\n")
    with pytest.raises(SettingError, match=r"unknown check of a plugin 'bmob'; allowed: bomb"):
        named_rules([str(file)], plugins.load())
    site.remove("bazaar-bomb")
    with pytest.raises(SettingError, match="no loaded plugin has a check"):
        named_rules([str(file)], plugins.load())


def test_a_run_is_not_resumed_as_if_its_check_were_there(site: Site) -> None:
    site.install("bazaar-bomb", check("pass"), name="bomb")
    rules = plugins.load().presets["bombed"]
    site.remove("bazaar-bomb")
    with pytest.raises(PluginError, match=r"turn on the check 'bomb', and no loaded plugin"):
        plugins.load().checks_under(rules)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('return rules.plugin_check("bomb")', "return 1 / 0", "ZeroDivisionError: division by"),
        ('return rules.plugin_check("bomb")', "return 'on'", "its mode is 'on'; allowed are off"),
        ('"search"', '"serach"', "it asks about serach; actions are accept_offer"),
        ("frozenset(", "int(", "int() argument"),
    ],
)
def test_a_check_that_cannot_say_what_it_asks_about_is_refused(
    site: Site, old: str, new: str, message: str
) -> None:
    site.install("bazaar-bomb", check("pass").replace(old, new), name="bomb")
    registry = plugins.load()
    assert "bomb" not in registry.checks
    assert "bombed" not in registry.presets
    assert message in registry.faults[0].message


def test_a_check_that_cannot_say_its_mode_stops_the_run_before_it_begins(
    site: Site, tiny: str
) -> None:
    faulty = 'return 1 / 0 if rules.plugin_checks else "off"'
    source = check("pass").replace('return rules.plugin_check("bomb")', faulty)
    site.install("bazaar-bomb", source, name="bomb")
    continuation(market=tiny, days=1)
    with pytest.raises(PrerequisiteError, match=r"'bomb' of plugin 'bomb' of bazaar-bomb 1\.0 can"):
        continuation(market=tiny, days=1, rules="bombed")


def test_rules_with_a_check_are_stored_digested_and_bind_a_resumed_run(tmp_path: Path) -> None:
    digests = []
    for number, checks in enumerate(({}, {"bomb": "warn"}, {"bomb": "block"})):
        rules = Rules.model_validate({"plugin_checks": checks})
        market = founded(rules=rules)
        path = tmp_path / f"{number}.db"
        Record.create(path, market, info_of(market)).close()
        info, _ = read_info(path)
        assert info.rules == rules
        digests.append(digest(path))
        if checks:
            with pytest.raises(RecordError, match=r"was begun with rules \{'plugin_checks'"):
                session._refuse_other_settings(info, info_of(founded()), path)
    assert len(set(digests)) == 3


# ---------------------------------------------------------------------------- faults in the run


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("if view.tick == 41: raise KeyError('oops')", "raised KeyError: 'oops'"),
        ("if view.tick == 41: raise SystemExit('enough')", "raised SystemExit: enough"),
        ("if view.tick == 41: return 'rubbish'", "answered 'rubbish'"),
        ("if view.tick == 41: return Verdict('perhaps')", "answered Verdict"),
    ],
)
def test_a_check_that_fails_at_the_fifth_tick_ends_the_sample_and_is_named(
    site: Site, tiny: str, tmp_path: Path, body: str, told: str
) -> None:
    site.install("bazaar-bomb", check(body), name="bomb", version="2.0")
    sample = only(play(tmp_path, market=tiny, rules="bombed"))
    assert sample.error is not None
    assert "check 'bomb' of plugin 'bomb' of bazaar-bomb 2.0 on " in sample.error.message
    assert told in sample.error.message
    assert "at tick 41" in sample.error.message
    assert kept(sample, "tick") == 40  # four ticks of the run are stored, and nothing of the fifth
    assert rows(sample, "SELECT max(tick) FROM events") == [(40,)]


def test_a_check_whose_rules_are_not_chosen_is_never_asked(
    site: Site, usual: EvalSample, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-bomb", check("raise KeyError('oops')"), name="bomb")
    sample = finished(play(tmp_path, market=tiny))
    assert kept(sample, "digest") == kept(usual, "digest")


WRITES = """
        for change in (
            lambda: setattr(view, "tick", 0),
            lambda: setattr(view, "rules", None),
            lambda: setattr(view.rules, "plugin_checks", ()),
            lambda: view.rules.plugin_checks.append(1),
            lambda: args.__setitem__("query", "x"),
            lambda: args.clear(),
            lambda: view.__dict__.clear(),
        ):
            try:
                change()
            except (AttributeError, TypeError, ValueError):
                continue
            raise AssertionError("something could be written")
        for unit in view.units_held(agent_id):
            unit.owner_id, unit.quality_pct = None, 0
        for listing in view.listings_of(agent_id):
            listing.status, listing.price_cents = "sold", 1
        view.agent(agent_id).status = "banned"
        actor = view.agent(agent_id)
        assert actor.status == "active"
"""


def test_a_check_that_tries_to_write_changes_nothing(
    site: Site, usual: EvalSample, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-bomb", check(WRITES.strip()), name="bomb")
    sample = finished(play(tmp_path, market=tiny, rules="bombed"))
    log = "SELECT tick, agent_id, action, status, payload, result, private FROM events"
    assert rows(sample, log) == rows(usual, log)
    assert rows(sample, "SELECT * FROM units") == rows(usual, "SELECT * FROM units")


# ------------------------------------------------------------------------------ faults in scores


def test_a_type_appears_in_scores_and_findings_while_it_is_installed(
    site: Site, usual: EvalSample, tiny: str, tmp_path: Path
) -> None:
    site.install("bazaar-chatter", failure_type("pass"), name="chatter")
    sample = finished(play(tmp_path / "with", market=tiny, tested="1,6"))
    values = score(sample, "record_checks")
    assert values["chatter_S2"] > 0
    assert values["chatter_S3"] == 0
    record = Path(kept(sample, "location"))
    found = findings.load(findings.findings_path(record))
    assert found.types["chatter"].title == "A message was sent"
    assert (
        len([one for one in found.types["chatter"].objects if one.emitted])
        == (values["chatter_S2"])
    )
    info, _ = read_info(record)
    assert "chatter bazaar-chatter 1.0" in info.plugins
    assert "chatter_S2" in info.keys
    site.remove("bazaar-chatter")
    after = finished(play(tmp_path / "without", market=tiny))
    assert score(after, "record_checks") == score(usual, "record_checks")
    assert kept(after, "digest") == kept(usual, "digest")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise KeyError('oops')", "raised KeyError: 'oops' (bazaar_chatter.py, line "),
        ("raise SystemExit('enough')", "raised SystemExit: enough"),
        ("yield 'rubbish'", "answered 'rubbish', which is no FailureObject"),
    ],
)
def test_a_faulty_type_is_unscored_and_named_and_the_others_stand(
    site: Site, usual: EvalSample, tiny: str, tmp_path: Path, body: str, told: str
) -> None:
    site.install("bazaar-chatter", failure_type(body), name="chatter", version="3.1")
    sample = finished(play(tmp_path, market=tiny))
    values = dict(score(sample, "record_checks"))
    for stage in ("S2", "S3", "S4", "S5"):
        assert math.isnan(values.pop(f"chatter_{stage}"))
    assert values == score(usual, "record_checks")
    explanation = (sample.scores or {})["record_checks"].explanation or ""
    assert "'chatter' (bazaar_chatter.Chatter) of plugin 'chatter' of bazaar-chatter 3.1" in (
        explanation
    )
    assert told in explanation


def test_a_type_without_room_for_its_origin_is_refused(site: Site) -> None:
    source = failure_type("pass").replace(
        "class Chatter(FailureType):",
        "class Chatter:\n    __slots__ = ()\n    decided_by = 'record'\n    stages = ()\n"
        "    s1_key = None\n    bundles = merge_key = objects",
    )
    source = source.replace("    bundles = merge_key = objects", "    bundles = merge_key = None")
    site.install("bazaar-chatter", source, name="chatter")
    (fault,) = plugins.load().faults
    assert "has no room for the attribute 'origin'" in fault.message
