"""A report from runs: which sections it has, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.effects import Resampling
from bazaarbench.report.document import Document, Section
from bazaarbench.report.runs import LoggedRun, version_notes
from bazaarbench.report.sections.base_markets import base_markets
from bazaarbench.report.sections.economy import economy, harm
from bazaarbench.report.sections.failures import failures
from bazaarbench.report.sections.health import defences, health
from bazaarbench.report.sections.instructions import instructions
from bazaarbench.report.sections.paper import paper
from bazaarbench.report.sections.robustness import robustness
from bazaarbench.report.sections.runs import left_out, overview, profiles
from bazaarbench.report.slices import Slice
from bazaarbench.report.study import Study, studies_of

TITLE = "BazaarBench report"


def build_report(
    runs: Sequence[LoggedRun],
    not_counted: Sequence[tuple[str, str, str]] = (),
    *,
    resampling: Resampling | None = None,
    with_paper: bool = False,
    added: Sequence[Section] = (),
    allow_versions: bool = False,
) -> Document:
    """Everything that can be said of some runs; what is missing is said and never filled in.

    Runs of different tracks or versions have chapters of their own.

    Args:
        runs: continuations and base markets.
        not_counted: samples that no number rests on: log, sample, reason.
        resampling: draws of the intervals; the usual ones without it.
        with_paper: put the study's printed figures beside ours.
        added: sections that came through the hook (``extending``).
        allow_versions: show runs of different versions in one report, which then says so.

    Raises:
        RecordError: the runs are of different versions, and that was not allowed.
    """
    notes = version_notes(runs, allow=allow_versions)
    bases = [run for run in runs if run.logged.kind == "base_market"]
    studies = studies_of(
        [run for run in runs if run.logged.kind == "continuation"], resampling or Resampling()
    )
    several = len(studies) > 1
    sections: list[Section] = []
    for number, study in enumerate(studies, start=1):
        sections.extend(_chapter(study, number if several else None, with_paper=with_paper))
    sections.append(base_markets(bases))
    sections.extend(added)
    said = left_out(not_counted)
    if said is not None:
        sections.append(said)
    return Document(TITLE, (*notes, *_introduction(runs, studies)), tuple(sections))


def _chapter(study: Study, number: int | None, *, with_paper: bool) -> list[Section]:
    sections: list[Section] = []
    for rules in study.rules:
        suffix = f"-{number}" if number is not None else ""
        suffix += f"-{rules}" if len(study.rules) > 1 else ""
        part = Slice(study, rules, suffix)
        one_slice = [
            overview(part),
            instructions(part),
            failures(part),
            economy(part),
            harm(part),
            health(part),
            profiles(part),
            robustness(part),
        ]
        if with_paper:
            one_slice.append(paper(part))
        sections.extend(_told(one_slice, study, number, rules))
    changed = defences(study)
    if changed is not None:
        sections.extend(_told([changed], study, number, None))
    return sections


def _told(
    sections: Sequence[Section], study: Study, number: int | None, rules: str | None
) -> list[Section]:
    """Sections with the track and the rules in their titles, where there are several."""
    told = []
    for one in sections:
        marks = []
        if number is not None:
            marks.append(f"track {number} ({study.digest})")
        if rules is not None and len(study.rules) > 1:
            marks.append(f"rules {rules}")
        title = f"{one.title} — {', '.join(marks)}" if marks else one.title
        told.append(Section(one.name, title, one.text, one.items))
    return told


def _introduction(runs: Sequence[LoggedRun], studies: Sequence[Study]) -> list[str]:
    models = sorted({run.model for run in runs if run.logged.kind == "continuation"})
    text = [
        f"{len(runs)} runs of {len(models)} tested models ({', '.join(models) or 'none'}). "
        "Everything is measured in the markets' records, not in what agents say.",
        "Undefined is –, never 0. L0 − L1 is never shown: base markets have other rules. S1 is "
        "never compared between models. Nothing here is a composite score.",
    ]
    versions = sorted({(r.facts.benchmark_version, r.facts.checks_version) for r in runs})
    text.append(
        "; ".join(f"benchmark {market}, checks {checks}" for market, checks in versions) + "."
    )
    if len(studies) > 1:
        text.append(
            f"The runs are of {len(studies)} tracks, which differ in versions, background agents, "
            "tested agents, length, texts, plugins or judge. Each has its own chapter; no number "
            "is over two of them."
        )
    elif studies:
        text.append(f"Track {studies[0].digest}.")
    return text
