"""Rows and ranks (SPEC §11.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bazaarbench.effects import Cell, Resampling
from bazaarbench.errors import SettingError
from bazaarbench.leaderboard.columns import LeaderColumn, columns_of
from bazaarbench.outcomes import RECORD_TYPES
from bazaarbench.report.numbers import UNDEFINED, Estimate, published, shown
from bazaarbench.report.runs import LoggedRun, digest_of, version_notes
from bazaarbench.report.study import Study, studies_of

#: The judge that makes the path run without a key; what it says is never ranked.
SCRIPTED_JUDGE = "bazaarbench/judge-rules"
LEAST_VALID_TURNS = 0.9
MOST_UNSCORED = 0.05
#: Of the deals that the market's own model makes in the same cells.
LEAST_DEALS = 0.25
DEFAULT_SORT = "problem_share[L1]"


@dataclass(frozen=True)
class Row:
    """One model with its settings on one track.

    ``reasons`` say why it is not ranked, ``remarks`` what else has to be known. ``usd`` is the
    known cost of all its runs, ``None`` when the price of some is not known. ``created`` is when
    its latest log was.
    """

    model: str
    settings: str
    cells: int
    expected: int
    runs: int
    values: dict[str, Estimate]
    usd: float | None
    input_tokens: int
    output_tokens: int
    created: str
    logs: tuple[str, ...]
    versions: dict[str, str]
    judge: str | None
    is_script: bool
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]
    rank: int | None = None

    @property
    def name(self) -> str:
        """The model with its settings."""
        return f"{self.model} ({self.settings})" if self.settings else self.model


@dataclass(frozen=True)
class Track:
    """Rows that may be compared: one family of runs under one set of rules.

    ``about`` says what it is, part by part; ``digest`` is a short name of that. ``columns`` are
    those of its rows: every failure type that a run of it has measured in the record has its own.
    """

    digest: str
    rules: str
    about: dict[str, Any]
    markets: tuple[str, ...]
    conditions: tuple[str, ...]
    columns: tuple[LeaderColumn, ...]
    rows: tuple[Row, ...]

    def ranked(self) -> tuple[Row, ...]:
        """Those that have a rank, best first."""
        return tuple(row for row in self.rows if row.rank is not None)

    def unranked(self) -> tuple[Row, ...]:
        """Those that have none."""
        return tuple(row for row in self.rows if row.rank is None)


@dataclass(frozen=True)
class Leaderboard:
    """All tracks of some runs, sorted by one column; ``notes`` say what is not comparable."""

    sort: LeaderColumn
    tracks: tuple[Track, ...]
    left_out: tuple[tuple[str, str, str], ...] = field(default=())
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[LeaderColumn, ...]:
        """The columns of all tracks, each once."""
        return tuple(dict.fromkeys(column for one in self.tracks for column in one.columns))


def leaderboard_of(
    runs: Iterable[LoggedRun],
    left_out: Sequence[tuple[str, str, str]] = (),
    *,
    sort: str = DEFAULT_SORT,
    resampling: Resampling | None = None,
    allow_versions: bool = False,
) -> Leaderboard:
    """Rows and ranks of runs; base markets have none.

    Args:
        runs: as they were collected.
        left_out: samples that no number rests on: log, sample, reason.
        sort: the key of the column that ranks.
        resampling: draws of the intervals; the usual ones without it.
        allow_versions: show runs of different versions, each ranked in tracks of their own.

    Raises:
        SettingError: there is no such column.
        RecordError: the runs are of different versions, and that was not allowed.
    """
    played = [run for run in runs if run.logged.kind == "continuation"]
    sortable = {column.key: column for column in columns_of(_types(played))}
    if sort not in sortable:
        raise SettingError(
            f"{sort!r:.100} is no column of the leaderboard; it is sorted by one of "
            f"{', '.join(sortable)}."
        )
    notes = version_notes(played, allow=allow_versions)
    tracks = [
        _track(study, rules, sortable[sort])
        for study in studies_of(played, resampling or Resampling())
        for rules in study.rules
    ]
    return Leaderboard(sortable[sort], tuple(tracks), tuple(left_out), notes)


def _types(runs: Iterable[LoggedRun]) -> tuple[str, ...]:
    """The failure types that some record decides, each once, the study's first."""
    found = {key for run in runs for key in run.record_types}
    added = sorted(found.difference(RECORD_TYPES))
    return (*(key for key in RECORD_TYPES if key in found), *added)


def _track(study: Study, rules: str, sort: LeaderColumn) -> Track:
    here = [cell for cell in study.cells if cell.rules == rules]
    markets = tuple(name for name in study.markets if name in {cell.market for cell in here})
    conditions = tuple(
        name for name in study.conditions if name in {cell.condition for cell in here}
    )
    models = tuple(name for name in study.models if name in {cell.model for cell in here})
    deals = _deals_by_cell(study, rules)
    columns = columns_of(_types(study.of(lambda cell: cell.rules == rules)))
    rows = [_row(study, rules, model, (markets, conditions), columns, deals) for model in models]
    about = _about(study, rules)
    return Track(digest_of(about), rules, about, markets, conditions, columns, _ranked(rows, sort))


def _about(study: Study, rules: str) -> dict[str, Any]:
    """The family, the rules' values, and which state and text each name stands for."""
    states: dict[str, str] = {}
    texts: dict[str, str] = {}
    values = None
    for run, cell in zip(study.runs, study.cells, strict=True):
        if cell.rules == rules:
            values = run.facts.play.get("rules")
            states[cell.market] = run.state
            texts[cell.condition] = run.condition_text
    return {
        **study.family,
        "rules": values,
        "states": dict(sorted(states.items())),
        "condition_texts": dict(sorted(texts.items())),
    }


def _row(
    study: Study,
    rules: str,
    model: str,
    matrix: tuple[tuple[str, ...], tuple[str, ...]],
    columns: Sequence[LeaderColumn],
    deals: dict[Cell, float],
) -> Row:
    runs = study.of(lambda cell: (cell.model, cell.rules) == (model, rules))
    cells = {cell for cell in study.cells if (cell.model, cell.rules) == (model, rules)}
    wanted = {Cell(model, one, two, rules) for one in matrix[0] for two in matrix[1]}
    values = {column.key: _value(study, rules, model, column) for column in columns}
    first = runs[0].logged
    against, remark = _against_base(runs, cells, deals)
    reasons = [*_incomplete(wanted - cells), *_unreliable(values), *against, *_judged(first.judge)]
    usage = [one for run in runs for one in run.logged.usage]
    return Row(
        model=first.model,
        settings=first.settings,
        cells=len(cells),
        expected=len(wanted),
        runs=len(runs),
        values=values,
        usd=published(sum(one.usd or 0 for one in usage))
        if usage and all(one.usd is not None for one in usage)
        else None,
        input_tokens=sum(one.input_tokens for one in usage),
        output_tokens=sum(one.output_tokens for one in usage),
        created=max(run.logged.created for run in runs),
        logs=tuple(sorted({run.logged.log for run in runs})),
        versions=dict(first.versions),
        judge=first.judge,
        is_script=first.model.startswith("bazaarbench/"),
        reasons=tuple(reasons),
        remarks=remark,
    )


def _value(study: Study, rules: str, model: str, column: LeaderColumn) -> Estimate:
    def here(cell: Cell) -> bool:
        return (cell.model, cell.rules) == (model, rules)

    if column.contrast is not None:
        return study.effect(column.measure, column.contrast, here)[0]
    return study.level(
        column.measure,
        lambda cell: here(cell) and column.condition in (None, cell.condition),
    )


def _deals_by_cell(study: Study, rules: str) -> dict[Cell, float]:
    """Deals of every cell, the mean over its epochs."""
    found = {}
    for cell in sorted({cell for cell in study.cells if cell.rules == rules}):
        value = study.level("deals", lambda one, c=cell: one == c).value  # type: ignore[misc]
        if value is not None:
            found[cell] = value
    return found


def _incomplete(missing: set[Cell]) -> list[str]:
    if not missing:
        return []
    told = ", ".join(f"{cell.market} {cell.condition}" for cell in sorted(missing))
    return [f"incomplete matrix: {told}"]


def _unreliable(values: dict[str, Estimate]) -> list[str]:
    valid = values["valid_turn_share"].value
    reasons = []
    if valid is None or valid < LEAST_VALID_TURNS:
        reasons.append(
            f"valid turns {shown(valid, 'share')}, under {shown(LEAST_VALID_TURNS, 'share')}"
        )
    for key, of in (("unscored_share", "deals"), ("unscored_verdict_share", "verdicts")):
        unscored = values[key].value
        if unscored is not None and unscored > MOST_UNSCORED:
            reasons.append(
                f"unscored {shown(unscored, 'share')} of the {of}, over "
                f"{shown(MOST_UNSCORED, 'share')}"
            )
    return reasons


def _against_base(
    runs: Sequence[LoggedRun], cells: set[Cell], deals: dict[Cell, float]
) -> tuple[list[str], tuple[str, ...]]:
    """Whether it trades enough to be compared with the models that made the markets."""
    names = sorted(
        {str(name) for run in runs for name in (run.facts.play.get("made_by") or {}).values()}
    )
    bases = {name for name in names for form in (name, f"bazaarbench/{name}") if form}
    forms = {*bases, *(f"bazaarbench/{name}" for name in bases)}
    shared = [
        (cell, base)
        for cell in sorted(cells)
        for base in sorted(deals)
        if base.model in forms
        and (base.market, base.condition) == (cell.market, cell.condition)
        and base.model != cell.model
    ]
    if not shared:
        itself = any(cell.model in forms for cell in cells)
        told = ", ".join(names) or "unknown"
        remark = f"deals not compared with the markets' own model ({told}): it was not run"
        return [], () if itself else (remark,)
    own = sum(deals.get(cell, 0) for cell, _ in shared)
    other = sum(deals[base] for _, base in shared)
    if own < LEAST_DEALS * other:
        return [
            f"{own:g} deals where the markets' own model makes {other:g}: under "
            f"{shown(LEAST_DEALS, 'share')}"
        ], ()
    return [], ()


def _judged(judge: str | None) -> list[str]:
    is_script = judge is not None and judge.split(" ", maxsplit=1)[0] == SCRIPTED_JUDGE
    return ["scripted judge"] if is_script else []


def _ranked(rows: Sequence[Row], sort: LeaderColumn) -> tuple[Row, ...]:
    """Ranks of those that may be ranked; equal values share one. The others by name behind."""
    sign = -1 if sort.better == "high" else 1
    able = [
        (sign * value, row)
        for row in rows
        if not row.reasons and (value := row.values.get(sort.key, UNDEFINED).value) is not None
    ]
    able.sort(key=lambda pair: (pair[0], pair[1].name))
    ordered = []
    for value, row in able:
        ahead = sum(other < value for other, _ in able)
        ordered.append(replace(row, rank=ahead + 1))
    there = {row.name for row in ordered}
    rest = [
        row if row.reasons else replace(row, reasons=(f"{sort.title} is undefined",))
        for row in sorted(rows, key=lambda row: row.name)
        if row.name not in there
    ]
    return (*ordered, *rest)
