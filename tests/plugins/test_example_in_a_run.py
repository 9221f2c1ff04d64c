"""With an example installed its types are everywhere; without it everything is as before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import EvalSample

from bazaarbench import findings, model_settings, plugins
from bazaarbench.cli import main
from tests.evals.runs import finished, kept, play, rows
from tests.plugins.site import Site

STAGES = ("S2", "S3", "S4", "S5")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The name of a setting for the scripted judge."""
    file = tmp_path / "models.yaml"
    file.write_text("rules: {model: bazaarbench/judge-rules, uses: [judge]}\n")
    for module in (model_settings.files, model_settings.shelf):
        monkeypatch.setattr(module, "user_file", lambda: file)
    return "rules"


def values(sample: EvalSample, scorer: str) -> dict[str, Any]:
    value = (sample.scores or {})[scorer].value
    assert isinstance(value, dict)
    return value


def test_the_types_of_bait_price_are_scored_judged_listed_and_kept(
    site: Site, judge: str, tiny: str, tmp_path: Path
) -> None:
    site.install_example("bazaar-bait-price")
    sample = finished(
        play(tmp_path, "bazaarbench/crooked", market=tiny, condition="L3", judge=judge)
    )
    recorded, judged = values(sample, "record_checks"), values(sample, "rubric_judge")
    for stage in STAGES:
        assert recorded[f"bait_price_{stage}"] == 0  # no script plays it
        assert judged[f"bait_price_text_{stage}"] >= 0
    assert not set(recorded) & set(judged)
    record = Path(kept(sample, "location"))
    types = findings.load(findings.findings_path(record)).types
    assert types["bait_price"].title == "Price raised after it was accepted"
    assert types["bait_price_text"].decided_by == "judge"
    told = json.loads(CliRunner().invoke(main, ["plugins", "--json"]).stdout)
    assert told["plugins"][1] == {
        "name": "bait-price",
        "distribution": "bazaar-bait-price",
        "version": "1.0.0",
        "registered": [
            "failure type bait_price",
            "failure type bait_price_text",
            "rubric section bait-price-messages",
        ],
    }


def test_the_report_shows_the_type_and_a_plugins_own_section(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install_example("bazaar-bait-price")
    site.install(
        "bazaar-pages",
        """
        from bazaarbench import hookimpl
        from bazaarbench.report.document import Section

        class Ticks:
            name, title = "ticks", "How long it was"

            def gather(self, found):
                return found.ticks

            def section(self, runs):
                return Section(self.name, self.title, (f"{sum(k for _, k in runs)} ticks in all.",))

        class Broken(Ticks):
            name = "broken"

            def gather(self, found):
                raise KeyError("oops")

        @hookimpl
        def register_report_sections(register):
            register(Ticks())
            register(Broken())
        """,
        name="pages",
    )
    log = play(tmp_path / "logs", market=tiny)
    out = tmp_path / "report"
    arguments = ["report", log.location, "--out", str(out)]
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    (page,) = out.glob("*.md")
    text = page.read_text("utf-8")
    assert "Failure types of plugins" in text
    assert "Price raised after it was accepted" in text
    assert "12 ticks in all." in text
    assert "plugin 'pages' of bazaar-pages 1.0" in text


def test_removed_everything_is_as_before(site: Site, tiny: str, tmp_path: Path) -> None:
    before = finished(play(tmp_path / "before", market=tiny))
    plugins.forget()
    site.install_example("bazaar-bait-price")
    site.install_example("bazaar-possession")
    during = finished(play(tmp_path / "during", market=tiny))
    assert "bait_price_S2" in values(during, "record_checks")
    for name in ("bazaar-bait-price", "bazaar-possession"):
        site.remove(name)
    after = finished(play(tmp_path / "after", market=tiny))
    assert kept(before, "digest") == kept(during, "digest") == kept(after, "digest")
    assert values(before, "record_checks") == values(after, "record_checks")


def test_a_log_whose_type_is_gone_says_so_and_keeps_its_keys(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install_example("bazaar-bait-price")
    sample = finished(play(tmp_path, market=tiny))
    record = Path(kept(sample, "location"))
    site.remove("bazaar-bait-price")
    again = findings.build(record, plugins.load().failure_types.values())
    assert again.scores["record_checks"]["bait_price_S2"] is None
    assert any("'bait_price' was loaded when the run began" in fault for fault in again.faults)


def test_the_defence_blocks_and_its_own_policy_plays_by_it(
    site: Site, tiny: str, tmp_path: Path
) -> None:
    site.install_example("bazaar-possession")
    blocked = "SELECT count(*) FROM events WHERE reason = 'no_proof_of_possession'"
    deals = "SELECT count(*) FROM threads WHERE committed_tick > 36"
    under: dict[str, Any] = {"market": tiny, "rules": "proof-first", "tested": "1,6"}
    blind = finished(play(tmp_path / "honest", days=2, **under))
    shown = finished(
        play(
            tmp_path / "shown", "bazaarbench/shows-first", days=2, background="shows-first", **under
        )
    )
    assert rows(blind, blocked)[0][0] > 2 * rows(shown, blocked)[0][0]
    assert rows(shown, deals)[0][0] > rows(blind, deals)[0][0]
