"""The figures, drawn with matplotlib; equal numbers give equal files.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; shapes
differ too.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazaarbench.report.measures import measure
from bazaarbench.report.slices import Slice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bazaarbench.report.runs import LoggedRun

COLOURS = ("#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_GREYS = {
    "clean": "#009E73",
    "linked": "#E69F00",
    "undecided": "#CCCCCC",
    "rejected": "#D55E00",
    "not_completed": "#56B4E9",
}
_STAGES = ("S2", "S3", "S4", "S5")
_LONGEST_LABEL = 34
_PANELS_A_ROW = 3

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "figure.facecolor": "white",
    "svg.hashsalt": "bazaarbench",
    "svg.fonttype": "none",
    # What agents and people call themselves is no mathematics.
    "text.parse_math": False,
}


def files_of(draw: Callable[[], Figure]) -> tuple[bytes, bytes]:
    """A figure as SVG and as PNG, without dates."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcParams.update(_STYLE)
        figure = draw()
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def _figure(width: float, height: float, **options: Any) -> Figure:
    """A figure of its own: pyplot would keep it, and open windows."""
    from matplotlib.figure import Figure as New

    return New(figsize=(width, height), layout="constrained", **options)


def effect_panels(part: Slice, keys: Sequence[str]) -> Figure:
    """A panel per share: a row per model, a point with its interval per condition."""
    rows = part.rows()
    height = 0.5 + 2 * (0.55 + 0.34 * len(rows))
    figure = _figure(10, height)
    axes = figure.subplots(2, 2, sharey=True).ravel()
    for panel, (axis, key) in enumerate(zip(axes, keys, strict=True)):
        _effect_panel(axis, part, key, rows)
        about = measure(key)
        axis.set_title(f"{about.source.removeprefix('Figure ')}  {about.title}")
        if panel >= len(axes) - 2:
            axis.set_xlabel("percent")
    handles: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside upper right",
            ncols=len(handles),
            frameon=False,
        )
    return figure


def _effect_panel(
    axis: Axes, part: Slice, key: str, rows: Sequence[tuple[str, str | None]]
) -> None:
    shift = 0.62 / max(1, len(part.conditions))
    for index, condition in enumerate(part.conditions):
        offset = (index - (len(part.conditions) - 1) / 2) * shift
        places, values, below, above = [], [], [], []
        for row, (_, model) in enumerate(rows):
            found = part.level(key, condition, model)
            if found.value is None:
                continue
            low, high = found.interval or (found.value, found.value)
            places.append(row + offset)
            values.append(100 * found.value)
            below.append(max(0.0, 100 * (found.value - low)))
            above.append(max(0.0, 100 * (high - found.value)))
        if not values:
            continue
        axis.errorbar(
            values,
            places,
            xerr=[below, above],
            fmt=MARKERS[index % len(MARKERS)],
            color=COLOURS[index % len(COLOURS)],
            markersize=5,
            linewidth=1.4,
            label=condition,
            # A share of 0 stands on the axis and is to be seen whole.
            clip_on=False,
            zorder=3,
        )
    axis.set_yticks(range(len(rows)), [_short(name) for name, _ in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    if axis.get_legend_handles_labels()[0]:
        axis.set_xlim(left=0)
    else:
        axis.set_xticks([])
        axis.text(0.5, 0.5, "undefined", transform=axis.transAxes, ha="center", color="#777777")
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.tick_params(axis="y", length=0)


def radar(part: Slice, keys: Sequence[str]) -> Figure:
    """A radar per model and condition: an axis per type, a line per stage, shared scale."""
    panels = [(model, condition) for model in part.models for condition in part.conditions]
    wide = max(1, len(part.conditions) if len(part.conditions) <= _PANELS_A_ROW else _PANELS_A_ROW)
    high = max(1, math.ceil(len(panels) / wide))
    figure = _figure(3.3 * wide, 3.3 * high + 0.5)
    values = {
        panel: {
            stage: [_radius(part, key, stage, *panel) for key in keys] for stage in _lines(part)
        }
        for panel in panels
    }
    known = [
        one
        for panel in values.values()
        for line in panel.values()
        for one in line
        if one is not None
    ]
    reach = max([1.0, *known]) * 1.08
    angles = [2 * math.pi * index / max(1, len(keys)) for index in range(len(keys))]
    handles: dict[str, Any] = {}
    for index, panel in enumerate(panels, start=1):
        axis = figure.add_subplot(high, wide, index, projection="polar")
        for number, (stage, line) in enumerate(values[panel].items()):
            if all(one is None for one in line):
                continue
            # What is not known (no S1 of photos) leaves a gap in the line.
            closed = [math.nan if one is None else one for one in (*line, *line[:1])]
            (handle,) = axis.plot(
                [*angles, angles[0]],
                closed,
                color=COLOURS[number % len(COLOURS)],
                # Earlier stages are wider, so that equal counts do not hide each other.
                linewidth=_widths(number),
                linestyle="--" if stage == "S1" else "-",
                marker="o",
                markersize=1.2 + _widths(number),
            )
            handles.setdefault(stage, handle)
        _radar_axis(axis, angles, keys, reach)
        axis.set_title(f"{_short(panel[0])} · {panel[1]}", fontsize=9, loc="center", pad=12)
    if handles:
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower center",
            ncols=len(handles),
            frameon=False,
        )
    return figure


def _widths(number: int) -> float:
    return max(1.1, 3.6 - 0.8 * number)


def _lines(part: Slice) -> tuple[str, ...]:
    judged = any(key.endswith("_S1") for key in part.study.keys)
    return ("S1", *_STAGES) if judged else _STAGES


def _radius(part: Slice, key: str, stage: str, model: str, condition: str) -> float | None:
    name = f"{key}_{stage}"
    if part.study.resampled(name) is None:
        return None
    count = part.level(name, condition, model).value
    return None if count is None else math.log10(1 + count)


def _radar_axis(axis: Any, angles: Sequence[float], keys: Sequence[str], reach: float) -> None:
    axis.set_theta_offset(math.pi / 2)
    axis.set_theta_direction(-1)
    axis.set_xticks(list(angles), list(keys), fontsize=8)
    for label, angle in zip(axis.get_xticklabels(), angles, strict=True):
        side = math.sin(angle)
        label.set_horizontalalignment(
            "center" if abs(side) < 0.3 else "left" if side > 0 else "right"
        )
    axis.set_ylim(0, reach)
    ticks = [count for count in (1, 10, 100, 1000, 10000) if math.log10(1 + count) <= reach]
    axis.set_yticks([math.log10(1 + one) for one in ticks], [f"{one}" for one in ticks], fontsize=7)
    axis.set_rlabel_position(20)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.spines["polar"].set_color("#cccccc")


def deal_parts(named: Sequence[tuple[str, LoggedRun]], parts: Mapping[str, str]) -> Figure:
    """A bar per run, divided by what became of its deals."""
    figure = _figure(9, 1.2 + 0.45 * len(named))
    axis = figure.subplots()
    for row, (_, run) in enumerate(named):
        whole = sum(run.facts.split.values())
        left = 0.0
        for part, title in parts.items():
            width = 100 * run.facts.split.get(part, 0) / whole if whole else 0.0
            axis.barh(
                row,
                width,
                left=left,
                color=_GREYS[part],
                edgecolor="white",
                height=0.66,
                label=title if row == 0 else None,
            )
            if width >= 6:
                middle = left + width / 2
                axis.text(middle, row, f"{width:.0f}", ha="center", va="center", fontsize=8)
            left += width
    axis.set_yticks(range(len(named)), [_short(name) for name, _ in named])
    axis.set_ylim(len(named) - 0.5, -0.5)
    axis.set_xlim(0, 100)
    axis.set_xlabel("percent of committed deals")
    axis.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return figure


def failures_over_time(named: Sequence[tuple[str, LoggedRun]]) -> Figure:
    """Failure objects at S5, cumulative by day: a line per run."""
    figure = _figure(7, 3.6)
    axis = figure.subplots()
    for index, (name, run) in enumerate(named):
        start, end = run.facts.window
        last = max(1, math.ceil((end - start) / 12))
        days = sorted(day for found in run.facts.outcome_days.values() for day in found)
        counts = [sum(day <= limit for day in days) for limit in range(last + 1)]
        axis.step(
            range(last + 1),
            counts,
            where="post",
            color=COLOURS[index % len(COLOURS)],
            linewidth=1.6,
            label=_short(name),
        )
    axis.set_xlabel("day")
    axis.set_ylabel("failures at S5")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.legend(frameon=False, fontsize=8)
    return figure


def _short(name: str) -> str:
    """A label that fits beside an axis; what SVG and fonts cannot hold is replaced."""
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in name)
    if len(printable) <= _LONGEST_LABEL:
        return printable
    return f"…{printable[-_LONGEST_LABEL + 1 :]}"
