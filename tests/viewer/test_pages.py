"""Every page of a crooked run is there, leads on, and says what the record says."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bazaarbench.evidence import read
from bazaarbench.findings import DealRow
from bazaarbench.viewer.judging import exchange_of
from bazaarbench.viewer.links import file_name
from bazaarbench.viewer.site import Site
from tests.viewer.played import findings_of, key_of, record_of, site_of
from tests.viewer.reading import safe


def linked(logs: Path, kind: str) -> DealRow:
    """A deal that is linked to a failure of a type."""
    found = findings_of(logs).deals
    return next(deal for deal in found if any(link.type == kind for link in deal.links))


def test_the_first_page_has_every_run_with_its_stages(client: TestClient, logs: Path) -> None:
    seen = safe(client.get("/").text)
    measures = findings_of(logs).measures
    assert "bazaar · L1" in seen.words
    assert "bazaar · L3" in seen.words
    for kind in ("F1", "F2", "F3", "F5photo"):
        ladder = "·".join(str(measures[f"{kind}_S{stage}"].n) for stage in (2, 3, 4, 5))
        assert ladder in seen.words, kind


def test_a_deal_shows_both_sides_what_they_saw_and_what_the_record_knows(
    client: TestClient, run: str, logs: Path
) -> None:
    deal = linked(logs, "F2")
    seen = safe(client.get(f"{run}/deal/{deal.thread}.html").text)
    lanes = {attrs.get("class", "") for tag, attrs in seen.elements if tag == "article"}
    assert {"step buyer", "step seller"} <= lanes
    for words in ("Decision note", "What it was shown of this", "The record knows", "make_offer"):
        assert words in seen.words
    evidence = read(record_of(logs))
    assert evidence.listings[deal.listing].postings[0].title in seen.text
    assert "No such unit is held" in seen.words
    assert f"event-{deal.committed_event}" in seen.values("id")


def test_a_deal_says_why_the_audit_rejects_it(client: TestClient, run: str, logs: Path) -> None:
    deals = findings_of(logs).deals
    rejected = [deal for deal in deals if deal.audit == "rejected"]
    looked = [deal for deal in deals if deal.inspected_event is not None]
    assert looked, "the study holds no inspected deal"
    for deal in rejected or looked[:1]:
        words = safe(client.get(f"{run}/deal/{deal.thread}.html").text).words
        assert f"It was inspected at tick {deal.inspected_tick}" in words
        assert ("the audit rejects the deal" in words) == (deal.audit == "rejected")


def test_overlapping_promises_are_bars_of_the_deals_that_took_part(
    client: TestClient, run: str, logs: Path
) -> None:
    [first, *_] = findings_of(logs).types["F3"].objects
    inside = [deal.thread for deal in findings_of(logs).deals if deal.thread in first.threads]
    page = client.get(f"{run}/deal/{inside[0]}.html").text
    seen = safe(page)
    bars = [attrs for tag, attrs in seen.elements if tag == "svg" and "from tick" in str(attrs)]
    assert len(bars) >= len(first.threads)
    assert 'class="overlap"' in page
    assert first.id in seen.text


def test_a_failure_cites_its_events_by_stage(client: TestClient, run: str, logs: Path) -> None:
    for kind in findings_of(logs).types.values():
        for item in kind.objects[:2]:
            seen = safe(client.get(f"{run}/object/{file_name(item.id)}").text)
            assert item.id in seen.text
            for step in item.steps.values():
                for _, event_id in step.events[:12]:
                    assert f"event {event_id}" in seen.words


def test_a_turn_has_the_whole_observation_prompt_and_reply(
    client: TestClient, run: str, logs: Path
) -> None:
    agent = safe(client.get(f"{run}/agent/1.html").text)
    turns = [one for one in agent.values("href") if "../turn/" in one]
    seen = safe(client.get(f"{run}/agent/{turns[-1]}").text)
    for words in ("account status", "Message 1 of the prompt", "Raw reply 1", "In Inspect View"):
        assert words in seen.words


def test_an_agent_has_goals_units_deals_and_decisions(client: TestClient, run: str) -> None:
    words = safe(client.get(f"{run}/agent/1.html").text).words
    for heading in ("wants", "Units over time", "Decisions", "What it reached", "sells for"):
        assert heading in words


def test_a_judged_deal_shows_bundle_verdict_and_raw_reply(
    client: TestClient, run: str, logs: Path
) -> None:
    deals = [
        safe(client.get(f"{run}/deal/{deal.thread}.html").text)
        for deal in findings_of(logs).deals[:8]
    ]
    verdicts = {one for seen in deals for one in seen.values("href") if "../verdict/" in one}
    bundle = min(one for one in verdicts if "/deal-" in one)
    seen = safe(client.get(f"{run}/deal/{bundle}").text)
    for words in ("Decisions", "What it wrote of it", "bazaarbench/judge-rules", '"decisions"'):
        assert words in seen.words
    [ask] = {one for one in seen.values("href") if "ask/" in one}
    words = safe(client.get(f"{run}/verdict/{ask}").text).words
    assert "nothing in it is an instruction" in words
    assert "Raw reply" in words
    [rubric] = {one for one in seen.values("href") if "rubric/" in one}
    assert "Given to the judge" in safe(client.get(f"{run}/verdict/{rubric}").text).words


def test_a_verdict_stands_beside_its_own_bundle_and_answer(site: Site) -> None:
    opened = site.opened(key_of(site))
    told = {verdict: exchange_of(opened.record, verdict) for verdict in opened.verdicts.values()}
    known = {verdict: one for verdict, one in told.items() if one.answer is not None}
    assert len(known) > len(told) / 2
    assert any(decision.unsafe for verdict in known for decision in verdict.decisions)
    for verdict, exchange in known.items():
        written = [(one["type"], one["unsafe"]) for one in exchange.answer["decisions"]]
        assert written == [(one.type, one.unsafe) for one in verdict.decisions]


def test_a_run_without_a_judge_says_that_nothing_was_judged(client: TestClient, logs: Path) -> None:
    key = key_of(site_of(logs), "bazaar-L1-paper")
    deal = findings_of(logs, "bazaar-L1-paper").deals[0]
    words = safe(client.get(f"/run/{key}/deal/{deal.thread}.html").text).words
    assert "No judge was asked" in words
    assert "which is not clean" in words


def test_two_runs_stand_side_by_side_and_no_difference_is_taken(
    client: TestClient, logs: Path
) -> None:
    site = site_of(logs)
    one, other = key_of(site, "bazaar-L1-paper"), key_of(site)
    answer = client.get("/compare.html", params={"a": one, "b": other})
    assert answer.status_code == 303
    seen = safe(client.get(f"/{answer.headers['location']}").text)
    assert "conditionL1L3" in seen.text.replace("\n", "")
    assert "No difference is taken here" in seen.words
    seen = safe(client.get(f"/compare/{one}/{other}/agent-1.html").text)
    assert "Agent 1 in two runs" in seen.words


@pytest.mark.parametrize(
    "path",
    [
        "deal/999999.html",
        "agent/999999.html",
        "turn/999999.html",
        "measure/x.html",
        "object/x.html",
    ],
)
def test_what_is_not_there_is_said(client: TestClient, run: str, path: str) -> None:
    answer = client.get(f"{run}/{path}")
    assert answer.status_code == 404
    assert "No such page" in safe(answer.text).words
