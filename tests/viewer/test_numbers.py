"""Every number on a page is the report's, and every deal stands where the number has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bazaarbench.evals.logged import collect
from bazaarbench.findings import Findings, MeasureRow
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import published, shown
from bazaarbench.report.study import studies_of
from bazaarbench.viewer.links import file_name
from bazaarbench.viewer.opened import Opened, measures_of
from bazaarbench.viewer.reasons import FIRST, memberships, place_in
from bazaarbench.viewer.site import Site
from tests.viewer.played import findings_of, key_of
from tests.viewer.reading import safe


@pytest.fixture(scope="session")
def opened(site: Site) -> Opened:
    return site.opened(key_of(site))


@pytest.fixture(scope="session")
def found(logs: Path) -> Findings:
    return findings_of(logs)


def plain(text: str) -> str:
    """A text with ordinary spaces, as ``words`` has them."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def table_rows(html: str) -> dict[str, str]:
    """The text of every row by the key of its measure."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    texts = [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).strip() for row in rows]
    keys = [re.search(r'<code class="key">([^<]*)<', row) for row in rows]
    return {key[1]: text for key, text in zip(keys, texts, strict=True) if key}


def test_what_is_unscored_stands_beside_a_share_that_is_compared(
    client: TestClient, site: Site
) -> None:
    keys = [one.key for one in site.found().runs][:2]
    lines = client.get(f"/compare/{'/'.join(keys)}/index.html").text.split("<tr>")
    sides = [measures_of(site.opened(key)) for key in keys]
    partly = [key for key in FIRST if any(side[key].unscored for side in sides if key in side)]
    assert partly, "the study has shares that nobody could decide fully"
    for key in partly:
        [line] = [one for one in lines if f">{measure(key).title}<" in one]
        for name, side in zip("AB", sides, strict=True):
            told = f"{name}: {side[key].unscored} unscored"
            assert (told in line) is bool(side[key].unscored), (key, line)


def test_the_measures_of_a_run_are_those_of_the_findings(
    client: TestClient, run: str, found: Findings, opened: Opened
) -> None:
    rows = table_rows(client.get(f"{run}/index.html").text)
    judged = {} if opened.judged is None else opened.judged.measures
    for key, row in {**found.measures, **judged}.items():
        if re.fullmatch(r"F\w+_S[2-5]", key):
            continue
        value = plain(shown(published(row.value), measure(key).unit))
        assert f" {value} " in f" {rows[key]} ", key
        if row.d is not None:
            assert f" {row.n} / {row.d} " in f" {rows[key]} ", key


def test_the_matrix_has_the_levels_of_the_report(client: TestClient, logs: Path) -> None:
    words = safe(client.get("/").text).words
    [study] = studies_of(collect([str(logs)]).runs, None)
    for cell in study.cells:
        for key in ("deals", "audited_completion", "problem_share", "valid_turn_share"):
            level = study.level(key, lambda one, cell=cell: one == cell)
            assert plain(shown(level.value, level.unit)) in words, (cell, key)
            if level.d is not None:
                assert f"({level.n:.0f}/{level.d:.0f})" in words


def test_behind_each_number_are_exactly_its_members(
    client: TestClient, run: str, found: Findings
) -> None:
    for key in ("audited_completion", "problem_share", "own_record_linked", "earnings_usd"):
        row = found.measures[key]
        html = client.get(f"{run}/measure/{file_name(key)}").text
        sections = {
            re.sub(r"<.*", "", part).strip(): set(
                map(int, re.findall(r'<th scope="row"><a href="\.\./deal/([0-9]+)\.html"', part))
            )
            for part in html.split("<h2>")[1:]
        }
        n, d, u = (set(ids or ()) for ids in (row.n_ids, row.d_ids, row.unscored_ids))
        assert sections.get("Numerator", set()) == n
        assert sections.get("Unscored", set()) == u
        assert sections.get("In the denominator only", set()) == d - n - u


def test_a_deal_is_told_its_place_in_each_measure(
    client: TestClient, run: str, opened: Opened
) -> None:
    deal = opened.findings.deals[0]
    words = safe(client.get(f"{run}/deal/{deal.thread}.html").text).words
    for one in memberships(opened, deal):
        assert one.title in words
        assert one.reason
        assert one.reason in words


def reasons_of(opened: Opened, key: str, place: str) -> list[str]:
    return [
        one.reason
        for deal in opened.findings.deals
        for one in memberships(opened, deal)
        if one.key == key and one.place == place
    ]


@pytest.mark.parametrize(
    ("key", "place", "words"),
    [
        ("completion", "numerator", "both sides confirmed"),
        ("audited_completion", "numerator", "retained"),
        ("problem_share", "out", "is not tested"),
        ("problem_share", "numerator", "completed; problem: the "),
        ("retained_problem_share", "out", "is not tested"),
        ("retained_problem_share", "numerator", "retained: not inspected, problem: "),
        ("own_record_linked", "numerator", "retained and linked to F"),
        ("exposed_purchase_share", "numerator", "linked to its seller's F"),
        ("price_ok_share", "numerator", "is at most 80 %"),
        ("price_ok_share", "denominator", "is more than 80 %"),
        ("earnings_usd", "numerator", "adds "),
        ("earnings_usd", "denominator", "left out: "),
    ],
)
def test_a_reason_fits_the_place(opened: Opened, key: str, place: str, words: str) -> None:
    for reason in reasons_of(opened, key, place):
        assert words in reason


def test_no_reason_of_the_outside_is_given_inside(opened: Opened) -> None:
    for key in ("problem_share", "own_record_linked", "price_ok_share", "earnings_usd"):
        for place in ("numerator", "denominator", "unscored"):
            for reason in reasons_of(opened, key, place):
                assert "is not tested" not in reason
                assert reason


def test_a_place_is_by_the_ids_alone() -> None:
    row = MeasureRow(of="deal", value=0.5, n_ids=(1,), d_ids=(1, 2, 3), unscored_ids=(3,))
    assert [place_in(row, thread) for thread in (1, 2, 3, 4)] == [
        "numerator",
        "denominator",
        "unscored",
        "out",
    ]
