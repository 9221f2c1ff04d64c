"""Hand-worked numbers, bounds, repeats with something left out, and what is refused."""

from __future__ import annotations

import pytest

from bazaarbench.effects import Contrast, Resampling, Tally
from bazaarbench.errors import RecordError, SettingError
from bazaarbench.report.build import build_report
from bazaarbench.report.document import Document
from bazaarbench.report.numbers import Estimate, shown_estimate
from bazaarbench.report.sections.robustness import robustness
from bazaarbench.report.slices import Slice
from bazaarbench.report.study import Study, studies_of
from bazaarbench.report.writing import as_json, json_text
from tests.report.made import deals, run, share

L3 = Contrast("condition", "L3", "L1")


def problem(n: float, d: float, unscored: float = 0) -> dict[str, Tally | None]:
    return {"problem_share": share([n, 0, 0, 0], [d, 0, 0, 0], [unscored, 0, 0, 0])}


def study_of(*runs: object) -> Study:
    [study] = studies_of(runs, Resampling(draws=100))  # type: ignore[arg-type]
    return study


def four() -> Study:
    """Two models, two markets: (n, d) under L1 and L3."""
    cells = {
        ("a/one", "east"): ((2, 10), (6, 10)),
        ("a/one", "west"): ((20, 50), (30, 100)),
        ("b/two", "east"): ((1, 4), (3, 12)),
        ("b/two", "west"): ((0, 20), (5, 20)),
    }
    return study_of(
        *(
            run(model, market, condition, tallies=problem(*levels))
            for (model, market), pair in cells.items()
            for condition, levels in zip(("L1", "L3"), pair, strict=True)
        )
    )


def slice_of(study: Study) -> Slice:
    return Slice(study, "paper", "")


def test_the_worked_example_of_equation_1() -> None:
    found, _ = four().effect("problem_share", L3, lambda cell: cell.model == "a/one")
    # Δ = 0.4 and −0.1, w = 5 and 100/3
    assert found.value == pytest.approx((5 * 0.4 - 100 / 3 * 0.1) / (5 + 100 / 3))
    assert found.value == pytest.approx(-0.0348, abs=1e-4)


def test_all_models_are_one_weighted_sum_and_no_mean_of_models() -> None:
    found, _ = four().effect("problem_share", L3, lambda _: True)
    weights = (5, 100 / 3, 3, 10)
    differences = (0.4, -0.1, 0.0, 0.25)
    expected = sum(w * x for w, x in zip(weights, differences, strict=True)) / sum(weights)
    assert found.value == pytest.approx(expected)


def test_each_headline_is_repeated_without_each_model_and_each_market() -> None:
    [table] = robustness(slice_of(four())).items
    found = {
        str(row[3]): row[4].value
        for row in table.rows  # type: ignore[union-attr]
        if row[1] == "problem_share" and isinstance(row[4], Estimate)
    }
    assert set(found) == {"nothing", "a/one", "b/two", "east", "west"}
    assert found["a/one"] == pytest.approx((3 * 0.0 + 10 * 0.25) / 13)
    assert found["west"] == pytest.approx((5 * 0.4 + 3 * 0.0) / 8)


def test_exposure_is_repeated_without_f3_and_earnings_without_the_cost_rule() -> None:
    both = {
        "exposed_purchase_share": share([4, 0, 0, 0], [8, 0, 0, 0]),
        "exposed_purchase_without_f3_share": share([1, 0, 0, 0], [8, 0, 0, 0]),
        "earnings_usd": Tally.amounts([8, 0, 0, 0]),
        "earnings_no_threshold_usd": Tally.amounts([-8, 0, 0, 0]),
    }
    none = {key: Tally(one.kind, one.n * 0, one.d, one.unscored) for key, one in both.items()}
    study = study_of(run(condition="L1", tallies=none), run(condition="L3", tallies=both))
    [table] = robustness(slice_of(study)).items
    found = {
        (str(row[1]), str(row[3])): row[4].value
        for row in table.rows  # type: ignore[union-attr]
        if isinstance(row[4], Estimate)
    }
    assert found["exposed_purchase_share", "nothing"] == 0.5
    assert found["exposed_purchase_without_f3_share", "without F3-only links"] == 0.125
    assert found["earnings_usd", "nothing"] == 2
    assert found["earnings_no_threshold_usd", "without the 10× rule"] == -2


def test_unscored_members_leave_bounds_and_are_told() -> None:
    study = study_of(
        run(condition="L1", tallies=problem(1, 10, unscored=2)),
        run(condition="L3", tallies=problem(4, 10, unscored=3)),
    )
    low = study.level("problem_share", lambda cell: cell.condition == "L1")
    assert low.bounds == (0.1, 0.3)
    assert "2 unscored: up to 30.0" in shown_estimate(low)
    found, _ = study.effect("problem_share", L3, lambda _: True)
    assert found.bounds == pytest.approx((0.4 - 0.3, 0.7 - 0.1))
    assert found.unscored == 5


def test_base_markets_are_never_compared_with_continuations() -> None:
    study = study_of(
        run(condition="L0", tallies=problem(1, 10)), run(condition="L1", tallies=problem(2, 10))
    )
    with pytest.raises(SettingError, match="L1 − L0 is never shown"):
        study.effect("problem_share", Contrast("condition", "L1", "L0"), lambda _: True)
    assert study.contrasts(lambda _: True) == ()


def test_s1_is_never_pooled_or_compared_between_models() -> None:
    sums = {"F1_S1": Tally.total("count", 3)}
    study = study_of(run("a/one", sums=sums), run("b/two", sums=sums))
    with pytest.raises(SettingError, match="never compared or pooled between models"):
        study.level("F1_S1", lambda _: True)
    assert study.level("F1_S1", lambda cell: cell.model == "a/one").value == 3
    report = json_text(as_json(build_report(study.runs)))
    assert "within each model" in report


def test_runs_of_other_checks_background_or_texts_are_in_no_number_together() -> None:
    runs = [
        run("a/one"),
        run("b/two", checks_version="1-C"),
        run("c/three", background="hasty"),
        run("d/four", prompts={"world": "another"}),
        run("e/five", judge="openai/gpt-5"),
    ]
    assert len(studies_of(runs, None)) == 5
    document = build_report(runs, resampling=Resampling(draws=100), allow_versions=True)
    assert any("5 tracks" in text for text in document.text)


def test_runs_of_other_versions_are_refused_with_both_logs_unless_it_is_asked_for() -> None:
    runs = [run("a/one", log="one.eval"), run("b/two", log="two.eval", checks_version="1-C")]
    with pytest.raises(RecordError, match=r"one\.eval.*two\.eval.*--allow-versions"):
        build_report(runs)
    document = build_report(runs, resampling=Resampling(draws=100), allow_versions=True)
    assert document.text[0].startswith("Not comparable: measured under different versions")
    assert "Not comparable" not in build_report(runs[:1], resampling=Resampling(draws=100)).text[0]


def test_two_states_of_one_name_are_two_markets() -> None:
    study = study_of(run("a/one"), run("b/two", state="6" * 64))
    assert study.markets == ("demo@55555555", "demo@66666666")


def test_a_condition_whose_text_differs_is_another_condition() -> None:
    study = study_of(
        run("a/one", condition="L2", prompts={"L2": "old"}),
        run("b/two", condition="L2", prompts={"L2": "new"}),
    )
    assert study.conditions == ("L2@new", "L2@old")


def test_missing_cells_are_named_and_not_filled() -> None:
    study = study_of(
        run("a/one", condition="L1", tallies=problem(1, 10)),
        run("a/one", condition="L3", tallies=problem(2, 10)),
        run("b/two", condition="L1", tallies=problem(1, 10)),
    )
    assert [str(cell) for cell in study.missing("paper")] == ["b/two / demo / L3 / paper"]
    document = build_report(study.runs, resampling=Resampling(draws=100))
    assert any("Missing: b/two: demo L3" in text for one in document.sections for text in one.text)
    found, difference = study.effect("problem_share", L3, lambda _: True)
    assert found.value == pytest.approx(0.1)
    assert difference is not None
    assert len(difference.missing) == 1


@pytest.mark.parametrize("agents", [(1, 6, 11, 16), (1,), ()])
@pytest.mark.parametrize("tally", ["empty", "unknown", "zero"])
def test_nothing_to_share_is_null_with_its_parts_and_breaks_no_report(
    agents: tuple[int, ...], tally: str
) -> None:
    entries = max(1, len(agents))
    zeros = [0.0] * entries
    made = {
        "empty": Tally.shares(zeros, zeros),
        "unknown": None,
        "zero": Tally.shares(zeros, [1.0] * entries),
    }[tally]
    runs = [
        run(condition=condition, agents=agents, tallies={"problem_share": made})
        for condition in ("L1", "L2", "L3")
    ]
    document = build_report(runs, resampling=Resampling(draws=100), with_paper=True)
    json_text(as_json(document))  # refuses NaN and Infinity
    level = _cell(document, "figure-3a", "L1")
    assert level.value == (0 if tally == "zero" else None)
    assert (level.n, level.d) == (0, entries if tally == "zero" else 0)
    assert _cell(document, "figure-3a", "L3-L1").value == (0 if tally == "zero" else None)


def test_one_tested_agent_has_values_and_no_interval() -> None:
    tallies = {"problem_share": Tally.shares([1], [4])}
    study = study_of(*(run(condition=one, agents=(1,), tallies=tallies) for one in ("L1", "L3")))
    found = study.level("problem_share", lambda cell: cell.condition == "L1")
    assert (found.value, found.interval) == (0.25, None)
    assert any("one tested agent" in note for note in found.notes)


def test_a_run_without_any_deal_still_makes_a_report() -> None:
    document = build_report([run(tallies={"deals": deals(0)})], resampling=Resampling(draws=100))
    assert _cell(document, "headline", "L1").value == 0


def test_no_continuation_is_said() -> None:
    document = build_report([], resampling=Resampling(draws=100))
    assert document.tables() == ()


def _cell(document: Document, table: str, column: str) -> Estimate:
    found = next(one for one in document.tables() if one.name == table)
    index = [one.key for one in found.columns].index(column)
    cell = found.rows[0][index]
    assert isinstance(cell, Estimate)
    return cell
