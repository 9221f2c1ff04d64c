"""Filters, paging and CSV of the tables; every filter can be taken back by its address."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from bazaarbench.findings import DealRow, Findings
from bazaarbench.market.record import read_only
from bazaarbench.viewer import tables
from bazaarbench.viewer.words import side
from tests.viewer.played import findings_of, record_of
from tests.viewer.reading import safe


@pytest.fixture(scope="session")
def found(logs: Path) -> Findings:
    return findings_of(logs)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(tables, "ON_PAGE", 7)
    return 7


def shown(client: TestClient, address: str) -> list[int]:
    html = client.get(address).text
    safe(html)
    return [int(one) for one in re.findall(r'<th scope="row"><a href="deal/([0-9]+)\.html"', html)]


def wanted(found: Findings, test: object) -> list[int]:
    assert callable(test)
    return [deal.thread for deal in found.deals if test(deal)]


@pytest.mark.parametrize(
    ("query", "test"),
    [
        ({"audit": "retained"}, lambda deal: deal.audit == "retained"),
        ({"problem": "never_held"}, lambda deal: deal.problem == "never_held"),
        ({"side": "seller"}, lambda deal: side(deal) == "seller"),
        ({"side": "both"}, lambda deal: side(deal) == "both"),
        ({"delivery": "shipment"}, lambda deal: deal.delivery == "shipment"),
        ({"end": "open"}, lambda deal: deal.end is None),
        ({"agent": "1"}, lambda deal: 1 in (deal.buyer, deal.seller)),
        ({"min": "50"}, lambda deal: (deal.price_cents or 0) >= 5000),
        ({"max": "49.99"}, lambda deal: deal.price_cents is not None and deal.price_cents <= 4999),
        (
            {"audit": "retained", "side": "seller", "max": "100"},
            lambda deal: (
                deal.audit == "retained" and side(deal) == "seller" and deal.price_cents <= 10_000
            ),
        ),
    ],
)
def test_a_filter_leaves_exactly_the_deals_that_pass(
    client: TestClient, run: str, found: Findings, query: dict[str, str], test: object
) -> None:
    expected = wanted(found, test)
    assert shown(client, f"{run}/deals.html?{urlencode(query)}")[:50] == expected[:50]
    text = client.get(f"{run}/deals.csv?{urlencode(query)}").text
    assert [int(row["deal"]) for row in csv.DictReader(io.StringIO(text))] == expected


def test_a_text_finds_titles_and_what_was_said(
    client: TestClient, run: str, found: Findings, logs: Path
) -> None:
    connection = read_only(record_of(logs))
    threads = [deal.thread for deal in found.deals]
    marks = ",".join(map(str, threads))
    query = (
        "SELECT thread_id, json_extract(payload, '$.body') FROM events WHERE action = 'message' "
        f"AND thread_id IN ({marks}) ORDER BY event_id LIMIT 1"
    )
    thread, body = connection.execute(query).fetchone()
    connection.close()
    assert thread in shown(client, f"{run}/deals.html?{urlencode({'q': body[:40].upper()})}")
    assert shown(client, f"{run}/deals.html?q=nobody+ever+said+this") == []
    assert shown(client, f"{run}/deals.html?{urlencode({'q': '%_%'})}") == []


def test_a_failure_type_and_stage_filter_together(
    client: TestClient, run: str, found: Findings
) -> None:
    objects = {one.id: one for one in found.types["F2"].objects}
    linked = {
        deal.thread
        for deal in found.deals
        if any(link.object in objects and objects[link.object].stage == "S5" for link in deal.links)
    }
    assert linked <= set(shown(client, f"{run}/deals.html?type=F2&stage=S5"))


def test_pages_divide_the_table_and_lose_nothing(
    client: TestClient, run: str, found: Findings, small_pages: int
) -> None:
    everything: list[int] = []
    address = "deals.html?end=completed"
    while True:
        everything += shown(client, f"{run}/{address}")
        html = client.get(f"{run}/{address}").text
        following = re.search(r'<a rel="next" href="([^"]*)"', html)
        if following is None:
            break
        address = following[1].replace("&amp;", "&")
        assert "end=completed" in address
    assert everything == wanted(found, lambda deal: deal.end == "completed")


@pytest.mark.parametrize(
    "query", ["audit=nonsense", "page=-3", "page=99999", "min=%00", "agent=x", "q=%ff", "type="]
)
def test_a_value_that_is_not_allowed_filters_nothing_and_breaks_nothing(
    client: TestClient, run: str, query: str
) -> None:
    answer = client.get(f"{run}/deals.html?{query}")
    assert answer.status_code == 200
    safe(answer.text)


def test_the_csv_is_saved_and_no_cell_begins_like_a_formula(
    client: TestClient, run: str, found: Findings
) -> None:
    answer = client.get(f"{run}/objects.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="objects.csv"'
    rows = list(csv.reader(io.StringIO(answer.text)))
    record_objects = sum(len(kind.objects) for kind in found.types.values())
    assert len(rows) - 1 >= record_objects
    line = tables.DealLine(_deal(found), '=HYPERLINK("x")\n', (), "seller", "clean")
    [_, told] = csv.reader(io.StringIO(tables.deals_csv([line])))
    assert told[2] == '\'=HYPERLINK("x")\n'
    assert told[7] == str(line.deal.price_cents)


def _deal(found: Findings) -> DealRow:
    return found.deals[0]


def test_the_members_of_a_number_can_be_listed(
    client: TestClient, run: str, found: Findings
) -> None:
    row = found.measures["problem_share"]
    for place, ids in (("numerator", row.n_ids), ("", row.d_ids)):
        query = urlencode({"measure": "problem_share", "place": place})
        assert set(shown(client, f"{run}/deals.html?{query}")) == set(ids or ())


def test_failures_filter_by_whose_they_are(client: TestClient, run: str, found: Findings) -> None:
    text = client.get(f"{run}/objects.csv?type=F2&whose=tested").text
    ids = [row["object"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(ids) == sorted(one.id for one in found.types["F2"].objects if one.emitted)
