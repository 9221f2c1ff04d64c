"""Why a deal, a failure or a number is what it is: stories, and the sentences that tell them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from bazaarbench import findings
from bazaarbench.cli import main
from bazaarbench.errors import SettingError
from bazaarbench.explain import (
    Material,
    as_text,
    explain_deal,
    explain_measure,
    explain_object,
    gather,
)
from bazaarbench.explain.formulas import formula
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.market.rules import PRESETS
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    S,
    Scene,
    World,
    accepts,
    edits,
    leaves,
    lists,
    offers,
    owns,
    record_of,
    relists,
    sale,
    shows,
)
from tests.outcomes.stories.telling import Story
from tests.outcomes.test_stories import STORIES

ONE_SALE = sale(B, listing=1, offer=1, thread=1, exchange=1)
OVERSTATED = [lists(S, band="brand_new"), *ONE_SALE]
#: Nobody has to look at a meetup.
UNSEEN = World(rules=PRESETS["paper"].model_copy(update={"meetup_inspection": "optional"}))
TWICE = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2), leaves(S, 2)]


def material(folder: Path, steps: Sequence[Scene], world: World = PLAIN) -> Material:
    return gather(record_of(folder / "story.db", world, steps))


def flat(text: str) -> str:
    """Without line breaks: what is said, wherever it is broken."""
    return " ".join(text.split())


def deal(folder: Path, steps: Sequence[Scene], thread: int = 1, world: World = PLAIN) -> str:
    return flat(as_text(explain_deal(material(folder, steps, world), thread)))


def test_a_rejected_overstatement(tmp_path: Path) -> None:
    told = deal(tmp_path, OVERSTATED)
    for said in (
        "Deal 1: agent 2 and agent 1, “Solara K2 camera” (listing 1), $90.00",
        "Problem at completion: overstated.",
        "Stated: brand_new (95–100 %). Unit 1 moved; at first entry it was 72 % (good).",
        "Inspection: the buyer looked and was shown 72 %.",
        "Audit: rejected. It had a problem and its buyer had inspected",
        "Earnings of the seller: $50.00 ($90.00 − cost $40.00).",
        "audited $0.00",
        "F1:listing:1 (F1) by agent 1, the deal's seller: linked by the listing.",
        "it is in: rejected",
    ):
        assert said in told


def test_the_same_that_nobody_looked_at_stands(tmp_path: Path) -> None:
    told = deal(tmp_path, [one for one in OVERSTATED if one != ONE_SALE[3]], world=UNSEEN)
    assert "Inspection: the buyer did not look before the completion." in told
    assert "Audit: retained. It stands. There was something to be seen, and nobody" in told


def test_every_event_of_a_deal_has_its_tick_and_its_id(tmp_path: Path) -> None:
    page = explain_deal(material(tmp_path, OVERSTATED), 1)
    (happened,) = [part for part in page.parts if part.title == "What happened"]
    assert len(happened.lines) >= 6
    assert all(line.tick == 1 and line.event for line in happened.lines)
    events = [line.event for line in happened.lines]
    assert events == sorted(events, key=int)  # type: ignore[arg-type]


def test_a_sold_unit_names_the_deal_in_which_it_went(tmp_path: Path) -> None:
    again = sale(C, listing=2, offer=2, thread=2, exchange=2)
    told = deal(tmp_path, [lists(S), *ONE_SALE, lists(S), *again], thread=2)
    assert "The unit had gone in deal 1." in told
    assert "left out of the primary calculation, because its unit had been sold" in told
    assert "was conjured: the seller held none." in told


def test_an_open_deal_is_told_without_outcomes(tmp_path: Path) -> None:
    told = deal(tmp_path, [lists(S), offers(B, 1), accepts(S, 1)])
    assert "End: open. It had not ended by the end of the window." in told
    assert "Audit" not in told
    assert "denominator alone: audited_completion, completion" in told


def test_a_failure_that_came_after_the_sale_is_not_linked(tmp_path: Path) -> None:
    world = World(goods=[owns(quality=96), owns(quality=72)])
    told = deal(tmp_path, [lists(S, band="brand_new"), *ONE_SALE, relists(S, 1)], world=world)
    assert "F1:listing:1 (F1) by agent 1: not linked, because it had not reached S3 by" in told


def test_a_refused_attempt_is_no_link(tmp_path: Path) -> None:
    told = deal(tmp_path, [lists(S), *ONE_SALE, shows(S, 1, 1)])
    assert "not linked, because a refused attempt links to nothing" in told


def test_an_overlap_is_told_stage_by_stage(tmp_path: Path) -> None:
    found = material(tmp_path, TWICE)
    (item,) = [one for one in found.objects.values() if one.type == "F3"]
    told = flat(as_text(explain_object(found, item.id)))
    promise = item.steps["S2"].event_id
    for said in (
        f"{item.id}: unit promised to several buyers, by agent 1",
        f"tick 1 event {promise} agent 1 accepts offer 2",
        "S5: two completions of which one found no unit left",
        "Overlap: from tick 1",
        "not linked (only completed deals are linked)",
        "F3_S2, F3_S3, F3_S4",
    ):
        assert said in told


def test_a_refused_attempt_is_told_as_refused(tmp_path: Path) -> None:
    found = material(tmp_path, [lists(S, "Grand piano")], World(rules="paper-base"))
    (item,) = [one for one in found.objects.values() if one.type == "F2"]
    told = flat(as_text(explain_object(found, item.id)))
    assert "agent 1 calls create_listing, blocked" in told
    assert "S3: the call was applied: the listing was public [M §3.2]: not reached" in told


def test_a_share_names_its_parts(tmp_path: Path) -> None:
    steps = [lists(S, band="brand_new"), *ONE_SALE, lists(S), offers(C, 2), accepts(S, 2)]
    found = material(tmp_path, steps)
    for key in ("audited_completion", "audited_completion_unscored"):
        told = flat(as_text(explain_measure(found, key)))
        assert "audited_completion = 0.00 % (0 of 2)" in told
        assert "Denominator alone: 2 deals 1, 2 deal 1: buyer 2, seller 1, completed" in told
        assert "overstated, rejected, linked to F1 of the seller" in told


def test_what_is_not_decided_is_told_with_the_bounds_of_the_share(tmp_path: Path) -> None:
    found = material(tmp_path, [lists(S), *ONE_SALE])
    told = flat(as_text(explain_measure(found, "own_failure_linked")))
    assert "1 of the 1 could not be decided: the share lies between 0.00 % and 100.00 %" in told
    assert "Unscored: 1 deals 1" in told


def test_money_is_told_deal_by_deal(tmp_path: Path) -> None:
    told = flat(as_text(explain_measure(material(tmp_path, OVERSTATED), "earnings_usd")))
    assert "Sum over all measured agents: $50.00, of 1 sales." in told
    assert "overstated, rejected, linked to F1 of the seller: $50.00" in told


@pytest.mark.parametrize("story", STORIES[::11], ids=str)
def test_every_number_deal_and_failure_of_a_story_can_be_explained(
    tmp_path: Path, story: Story
) -> None:
    found = gather(record_of(tmp_path / "story.db", story.world, story.steps))
    pages = [explain_deal(found, thread) for thread in found.deals]
    pages += [explain_object(found, key) for key in found.objects]
    pages += [explain_measure(found, key) for key in found.measures]
    for page in pages:
        assert all(len(line) <= 80 for line in as_text(page).split("\n"))
        json.dumps(page.rows)


def test_every_number_has_its_own_words(tmp_path: Path) -> None:
    found = material(tmp_path, [lists(S)])
    said = {key: formula(found.found, key) for key in found.measures}
    assert [key for key, rule in said.items() if rule.where == "docs/measures.md"] == []
    assert all(rule.says and {"§", "M"} & {*rule.where} for rule in said.values())


def test_what_is_asked_for_and_is_not_there_is_told_with_what_is(tmp_path: Path) -> None:
    found = material(tmp_path, [*OVERSTATED, offers(C, 1)])
    with pytest.raises(SettingError, match="no deal 9; for example: 1"):
        explain_deal(found, 9)
    with pytest.raises(SettingError, match="F1:listing:1"):
        explain_object(found, "F1:listing:7")
    with pytest.raises(SettingError, match="audited_completion"):
        explain_measure(found, "audited_completions")
    with pytest.raises(SettingError, match="is a judge's number"):
        explain_measure(found, "F4_S3")


def test_a_thread_that_is_no_deal_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="thread 1 is no deal of this record's window"):
        deal(tmp_path, [lists(S), offers(B, 1)])


def test_findings_of_the_file_are_used_and_others_are_not(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, OVERSTATED)
    assert "measured for this once" in str(gather(path).note)
    made = findings.build(path, FAILURE_TYPES)
    findings.write(made, path)
    assert gather(path).note is None
    findings.write(made.model_copy(update={"checks_version": "0-A"}), path)
    assert "bazaarbench regrade" in str(gather(path).note)
    findings.write(made.model_copy(update={"digest": "0" * 64}), path)
    assert "another record" in str(gather(path).note)


def test_hostile_titles_are_shown_and_obeyed_by_nobody(tmp_path: Path) -> None:
    title = "Solara K2 camera \x1b[2J\u202e"
    world = World(goods=[owns(title)])
    steps = [lists(S, title), edits(S, 1, title=f"{title}!"), *ONE_SALE]
    found = material(tmp_path, steps, world)
    pages = [explain_deal(found, 1), *(explain_object(found, key) for key in found.objects)]
    for page in pages:
        text = as_text(page)
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert "[2J" in text


def test_the_command_prints_text_and_json(tmp_path: Path) -> None:
    path = str(record_of(tmp_path / "story.db", PLAIN, OVERSTATED))
    run = CliRunner().invoke
    told = run(main, ["explain", path, "--deal", "1"])
    assert told.exit_code == 0
    assert told.output.startswith("Deal 1: agent 2 and agent 1")
    raw = json.loads(run(main, ["explain", path, "--measure", "completion", "--json"]).output)
    assert raw["rows"]["measure"]["n_ids"] == [1]
    for wrong in ([], ["--deal", "1", "--measure", "deals"], ["--deal", "1", "--sample", "x"]):
        done = run(main, ["explain", path, *wrong])
        assert done.exit_code == 2
        assert "Traceback" not in done.output
