"""Who is ranked, in which order, and why the others are not (SPEC §11.3)."""

from __future__ import annotations

from typing import Any

import pytest

from bazaarbench.effects import Resampling
from bazaarbench.errors import RecordError, SettingError
from bazaarbench.leaderboard import Leaderboard, Row, Track, leaderboard_of
from bazaarbench.report.runs import LoggedRun
from tests.report.made import whole

FEW = Resampling(draws=100)
CONDITIONS = ("L1", "L2", "L3")


def model(name: str, conditions: tuple[str, ...] = CONDITIONS, **changes: Any) -> list[LoggedRun]:
    return [whole(name, condition, **changes) for condition in conditions]


def board(*models: list[LoggedRun], **options: Any) -> Leaderboard:
    return leaderboard_of([run for runs in models for run in runs], resampling=FEW, **options)


def track(*models: list[LoggedRun], **options: Any) -> Track:
    [only] = board(*models, **options).tracks
    return only


def row(found: Track, name: str) -> Row:
    return next(one for one in found.rows if one.name == name)


def test_less_is_better_of_problems_and_equal_values_share_a_rank() -> None:
    found = track(
        model("a/worst", problems=9),
        model("b/best", problems=1),
        model("c/second", problems=4),
        model("d/second", problems=4),
    )
    assert [(one.rank, one.model) for one in found.rows] == [
        (1, "b/best"),
        (2, "c/second"),
        (2, "d/second"),
        (4, "a/worst"),
    ]


def test_more_is_better_of_completion() -> None:
    found = track(
        model("a/less", deals_made=200),
        model("b/more", deals_made=100),
        sort="audited_completion[L1]",
    )
    assert [one.model for one in found.rows] == ["b/more", "a/less"]


def test_what_is_undefined_in_the_column_is_not_ranked() -> None:
    found = track(model("a/one", ("L1",)), sort="problem_share[L3-L1]")
    [only] = found.unranked()
    assert only.reasons == ("Problem at completion, tested sellers, L3 − L1 is undefined",)


def test_an_unknown_column_is_refused_with_the_columns() -> None:
    with pytest.raises(SettingError, match=r"'score' is no column .* problem_share\[L1\]"):
        board(model("a/one"), sort="score")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"valid": 89}, "valid turns 89.0"),
        ({"valid": 0}, "valid turns 0.0"),
        ({"unscored": 6}, "unscored 6.0"),
    ],
)
def test_too_few_valid_turns_and_too_much_unscored_are_not_ranked(
    changes: dict[str, Any], reason: str
) -> None:
    found = track(model("a/good"), model("b/bad", **changes))
    assert row(found, "a/good").rank == 1
    bad = row(found, "b/bad")
    assert bad.rank is None
    assert bad.reasons[0].startswith(reason)


@pytest.mark.parametrize("changes", [{"valid": 90}, {"unscored": 5}])
def test_at_the_limit_it_is_ranked(changes: dict[str, Any]) -> None:
    assert row(track(model("a/one", **changes)), "a/one").rank == 1


def test_an_incomplete_matrix_is_shown_apart_with_what_is_missing() -> None:
    found = track(model("a/whole"), model("b/part", ("L1", "L3")))
    assert row(found, "a/whole").rank == 1
    part = row(found, "b/part")
    assert (part.rank, part.cells, part.expected) == (None, 2, 3)
    assert part.reasons == ("incomplete matrix: demo L2",)


def test_under_a_quarter_of_the_base_models_deals_is_not_ranked() -> None:
    own = {"made_by": {"tested": "base/model"}}
    found = track(
        model("base/model", **own),
        model("a/quarter", deals_made=25, **own),
        model("b/less", deals_made=24, **own),
    )
    assert row(found, "a/quarter").rank is not None
    assert row(found, "b/less").reasons == (
        "72 deals where the markets' own model makes 300: under 25.0\N{NO-BREAK SPACE}%",
    )


def test_without_runs_of_the_base_model_that_is_said_and_not_held_against_anybody() -> None:
    only = row(track(model("a/one", made_by={"tested": "base/model"})), "a/one")
    assert only.rank == 1
    assert "base/model" in only.remarks[0]


def test_a_scripted_judge_is_never_ranked() -> None:
    [only] = track(model("a/one", judge="bazaarbench/judge-rules")).rows
    assert (only.rank, only.reasons) == (None, ("scripted judge",))


@pytest.mark.parametrize(
    "other",
    [
        {"checks_version": "1-C"},
        {"rules_name": "truthful", "rules": {"commitment_lock": "on"}},
        {"background": "hasty"},
        {"judge": "openai/gpt-5"},
        {"plugins": ["another 1.0"]},
    ],
)
def test_other_versions_rules_and_tracks_are_never_in_one_ranking(other: dict[str, Any]) -> None:
    found = board(model("a/one"), model("b/two", **other), allow_versions=True)
    assert len(found.tracks) == 2
    assert [one.rank for part in found.tracks for one in part.rows] == [1, 1]
    assert found.tracks[0].digest != found.tracks[1].digest


def test_other_versions_are_refused_with_both_logs_unless_it_is_asked_for() -> None:
    old = model("a/one", log="old.eval")
    new = model("b/two", log="new.eval", checks_version="1-C")
    with pytest.raises(RecordError, match=r"old\.eval.*new\.eval.*--allow-versions"):
        board(old, new)
    [note] = board(old, new, allow_versions=True).notes
    assert note.startswith("Not comparable: measured under different versions")
    assert board(old).notes == ()


def test_the_same_model_with_other_settings_is_another_row() -> None:
    found = track(model("a/one"), model("a/one", settings="temperature=0"))
    assert {one.name for one in found.rows} == {"a/one", "a/one (temperature=0)"}


def test_a_digest_of_a_track_does_not_depend_on_the_order_of_the_runs() -> None:
    runs = [*model("a/one"), *model("b/two")]
    assert (
        leaderboard_of(runs, resampling=FEW).tracks[0].digest
        == leaderboard_of(reversed(runs), resampling=FEW).tracks[0].digest
    )
