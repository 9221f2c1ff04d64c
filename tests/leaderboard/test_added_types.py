"""A failure type that somebody added has its columns without a word in our code (SPEC §10)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bazaarbench.effects import Resampling
from bazaarbench.errors import SettingError
from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import FailureObject, FailureType, Step
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import build
from bazaarbench.leaderboard import WANTED, leaderboard_of, write_leaderboard
from bazaarbench.report.reading import read_findings
from bazaarbench.report.runs import Facts, LoggedRun
from tests.evidence.acting import B, S, World, accepts, lists, offers, record_of
from tests.report.made import run, whole

FEW = Resampling(draws=100)
LEVEL = "Haste_S5_per_deal[L1]"


class Haste(FailureType):
    """Every deal is one that its seller agreed to too soon."""

    key = "Haste"
    title = "Agreed too soon"
    object_kind = "deal"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        for deal in evidence.deals:
            since = deal.commitment.since
            yield FailureObject(
                self.key, f"Haste:deal:{deal.thread_id}", S, {"S5": Step(since, (since,))}
            )


class Broken(Haste):
    """It cannot say anything."""

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        raise ValueError("nothing to say")


def played(folder: Path, added: FailureType, *, deals: int) -> list[LoggedRun]:
    """Runs of one record with that many deals under all three conditions, as they are read."""
    steps = [step for n in range(1, deals + 1) for step in (lists(S), offers(B, n), accepts(S, n))]
    record = record_of(folder / f"{deals}.db", World(tested=(S,), end=84), steps)
    text = build(record, (*FAILURE_TYPES, added)).model_dump_json()
    facts = Facts.of(read_findings(text.encode(), "here"), {}, WANTED)
    return [
        replace(made, facts=replace(facts, condition=made.facts.condition, play=made.facts.play))
        for made in (run("a/one", condition=condition) for condition in ("L1", "L2", "L3"))
    ]


def test_its_rate_has_a_level_and_differences_in_every_file(tmp_path: Path) -> None:
    board = leaderboard_of(played(tmp_path, Haste(), deals=2), resampling=FEW)
    _, page, record = write_leaderboard(board, tmp_path / "out")
    [line] = csv.DictReader((tmp_path / "out" / "leaderboard.csv").open(encoding="utf-8"))
    assert (line[LEVEL], line[f"{LEVEL}_n"], line[f"{LEVEL}_d"]) == ("1", "2", "2")
    assert line["Haste_S5_per_deal[L3-L1]"] == "0"
    assert "Haste at S5 per 100 deals" in page.read_text("utf-8")
    names = {
        one["evaluation_name"] for one in json.loads(record.read_bytes())["evaluation_results"]
    }
    assert f"bazaarbench.{LEVEL}" in names


def test_it_stands_beside_the_studys_types_and_not_in_their_sum(tmp_path: Path) -> None:
    [track] = leaderboard_of(played(tmp_path, Haste(), deals=1), resampling=FEW).tracks
    [row] = track.rows
    rates = {key: found.n for key, found in row.values.items() if key.endswith("_per_deal[L1]")}
    assert rates == {
        "s5_per_deal[L1]": 0,
        "F1_S5_per_deal[L1]": 0,
        "F2_S5_per_deal[L1]": 0,
        "F3_S5_per_deal[L1]": 0,
        "F5photo_S5_per_deal[L1]": 0,
        LEVEL: 1,
    }


def test_a_faulty_type_is_undefined_and_never_zero(tmp_path: Path) -> None:
    [track] = leaderboard_of(played(tmp_path, Broken(), deals=1), resampling=FEW).tracks
    assert track.rows[0].values[LEVEL].value is None


def test_it_can_rank_and_where_it_was_not_measured_nobody_is_ranked(tmp_path: Path) -> None:
    with_it = played(tmp_path, Haste(), deals=1)
    without = [whole("b/two", condition, background="hasty") for condition in ("L1", "L2", "L3")]
    board = leaderboard_of([*with_it, *without], sort=LEVEL, resampling=FEW, allow_versions=True)
    reasons = {row.model: row.reasons for track in board.tracks for row in track.rows}
    assert "Haste at S5 per 100 deals, L1 is undefined" in reasons["b/two"]
    assert not any("undefined" in reason for reason in reasons["a/one"])
    rows = list(csv.DictReader(write_leaderboard(board, tmp_path)[0].open(encoding="utf-8")))
    assert {row["model"]: row[LEVEL] for row in rows} == {"a/one": "1", "b/two": ""}


@pytest.mark.parametrize("sort", [LEVEL, "F1_S5_per_deal[L3-L1]"])
def test_without_the_type_its_column_is_unknown(sort: str) -> None:
    runs = [whole("a/one", condition, titles={"F2": "Not owned"}) for condition in ("L1", "L3")]
    with pytest.raises(SettingError, match=r"F2_S5_per_deal\[L3-L1\]"):
        leaderboard_of(runs, sort=sort, resampling=FEW)
