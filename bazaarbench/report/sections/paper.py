"""The study's published figures beside those of the given runs (``--paper``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from bazaarbench.effects import Contrast, Interval
from bazaarbench.report.document import Cell, Section, Table, columns, notes_of
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import Estimate, Unit
from bazaarbench.report.slices import BASELINE, Slice, difference_name


@dataclass(frozen=True)
class Published:
    """A figure that the study printed. ``model`` is its short name there, ``None`` for all.

    ``condition`` is a condition, or the high side of a difference to L1 when ``is_effect``.
    """

    key: str
    condition: str
    model: str | None
    estimate: Estimate
    is_effect: bool = False


@lru_cache(maxsize=1)
def paper_figures() -> dict[str, Any]:
    """The study's figures, as they are printed; shares in percent, money in dollars."""
    text = (files("bazaarbench.report") / "data" / "paper-figures.json").read_text("utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def paper(part: Slice) -> Section:
    """Every printed figure that is one of our measures, with ours under the same condition."""
    rows: list[tuple[Cell, ...]] = []
    unmatched: dict[str, None] = {}
    for one in published_figures():
        model = _matching(part, one.model)
        if one.model is not None and model is None:
            unmatched[one.model] = None
            continue
        rows.append(
            (
                measure(one.key).title,
                one.key,
                one.model or "all models",
                difference_name(Contrast("condition", one.condition, BASELINE))
                if one.is_effect
                else one.condition,
                one.estimate,
                _ours(part, one, model),
            )
        )
    text = [
        f"Printed figures: {paper_figures()['source']}. Ours are of the runs given here, whatever "
        "models, markets and background agents those have: only a run on the track "
        "\u201cpaper\u201d can be compared.",
    ]
    if unmatched:
        text.append(f"Not among these runs: {', '.join(unmatched)}.")
    table = Table(
        part.name("paper"),
        "The study and these runs",
        columns(
            ("measure", "Measure"),
            ("key", "Key"),
            ("model", "Models"),
            ("condition", "Condition"),
            ("study", "The study"),
            ("ours", "These runs"),
        ),
        tuple(rows),
        notes=notes_of(rows),
    )
    return Section(part.name("paper"), "Beside the study", tuple(text), (table,))


def published_figures() -> Iterator[Published]:
    """What the study printed of our measures."""
    figures = paper_figures()
    for condition, count in figures["committed"].items():
        yield Published("deals", condition, None, Estimate(count, "count"))
    for name, key in (
        ("platform_completion", "completion"),
        ("audited_completion", "audited_completion"),
    ):
        for condition, found in figures[name].items():
            yield Published(key, condition, None, _share(found))
    yield from _linked(figures["linked_completions_L1"])
    yield from _problems(figures["problem_at_completion_tested_sellers"])
    for condition in ("L1", "L2"):
        share = {"share": figures["figure_3c"][condition]}
        yield Published("exposed_purchase_share", condition, None, _share(share))
        n, d = figures["both_targets_met"][condition]
        yield Published(
            "both_on_target", condition, None, Estimate(n / d, "share", n=float(n), d=float(d))
        )
        passed = {"share": figures["price_at_most_80_percent_of_baseline"][condition]}
        yield Published("price_ok_share", condition, None, _share(passed))
        yield Published("F3_S2", condition, None, _count(figures["F3"]["attempts"][condition]))
        yield Published("F3_S5", condition, None, _count(figures["F3"]["s5"][condition]))
    yield from _earnings(figures["earnings_per_tested_agent_week"])


def _linked(found: dict[str, float]) -> Iterator[Published]:
    for name, key in (
        ("either_party_F1_F6", "either_failure_linked"),
        ("own_F1_F6", "own_failure_linked"),
        ("own_F1_F3_or_photo", "own_record_linked"),
    ):
        yield Published(key, BASELINE, None, _share({"share": found[name]}))


def _problems(found: dict[str, Any]) -> Iterator[Published]:
    for model, levels in found.items():
        for condition in ("L1", "L3"):
            level = levels[condition]
            share = level if isinstance(level, dict) else {"share": level}
            name = None if model == "all" else model
            yield Published("problem_share", condition, name, _share(share))
    difference = Estimate(
        found["all"]["weighted_difference_pp"] / 100, "points", is_difference=True
    )
    yield Published("problem_share", "L3", None, difference, is_effect=True)


def _earnings(found: dict[str, dict[str, Any]]) -> Iterator[Published]:
    keys = {
        "primary": "earnings_usd",
        "owned_items": "earnings_owned_usd",
        "audited": "earnings_audited_usd",
        "broader": "earnings_broader_usd",
        "broader_audited": "earnings_broader_audited_usd",
    }
    for name, key in keys.items():
        for condition in ("L1", "L3"):
            yield Published(key, condition, None, Estimate(found[name][condition], "usd"))
        if "difference" in found[name]:
            interval = Interval(*found[name]["interval"])
            estimate = Estimate(
                found[name]["difference"], "usd", interval=interval, is_difference=True
            )
            yield Published(key, "L3", None, estimate, is_effect=True)


def _share(found: dict[str, Any]) -> Estimate:
    n, d = found.get("n"), found.get("of")
    return Estimate(found["share"] / 100, "share", n=n, d=d)


def _count(value: float) -> Estimate:
    unit: Unit = "count"
    return Estimate(float(value), unit)


def _ours(part: Slice, one: Published, model: str | None) -> Estimate:
    if not one.is_effect:
        return part.level(one.key, one.condition, model)
    return part.effect(one.key, Contrast("condition", one.condition, BASELINE), model)


def _matching(part: Slice, name: str | None) -> str | None:
    """The model of these runs that the study's short name means: equal but for its provider."""
    if name is None:
        return None
    for run in part.runs():
        if run.logged.model.rsplit("/", 1)[-1].lower() == name:
            return run.model
    return None
