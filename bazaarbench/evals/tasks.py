"""The tasks, put together (DESIGN §3.1, §3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import Model
from inspect_ai.scorer import Scorer
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig

from bazaarbench import plugins
from bazaarbench.evals import compat
from bazaarbench.evals.guards import scaffold_of
from bazaarbench.evals.hooks import attempt_metadata
from bazaarbench.evals.judging import options_of, refuse_judge_options
from bazaarbench.evals.named_models import NamedModels, named_models
from bazaarbench.evals.plan import Cell, base_market_cells, continuation_cells
from bazaarbench.evals.refusals import refusing, with_setting
from bazaarbench.evals.samples import dataset
from bazaarbench.evals.seats import (
    chosen_background,
    evaluated_model,
    refuse_background,
    refuse_no_model,
    refuse_unknown_roles,
)
from bazaarbench.evals.settings import (
    BaseMarketSettings,
    ContinuationSettings,
    RunSettings,
    parsed,
)
from bazaarbench.evals.solver import TradeOptions, trade
from bazaarbench.evals.spending import budgets_of, refuse_unpriced
from bazaarbench.evals.track import (
    announce,
    background_deviations,
    deviations,
    refuse_deviations,
)
from bazaarbench.versions import BENCHMARK_VERSION, CHECKS_VERSION

_JUDGE_SETTINGS = ("judge_blind", "judge_budget", "judge_reasoning")


def continuation_task(
    given: Mapping[str, Any], unknown: Mapping[str, Any], scorers: Sequence[Scorer]
) -> Task:
    """The task ``continuation``.

    Args:
        given: Its named arguments.
        unknown: What else was given with ``-T``; refused.
        scorers: In the order in which they score.

    Raises:
        PrerequisiteError: Anything that cannot be run, before it runs.
    """
    with refusing():
        settings = parsed(ContinuationSettings, given, unknown, "continuation")
        prompt = settings.prompt_text()
        _refuse_scaffold(settings)
        cells = continuation_cells(settings)
        named = named_models(
            evaluated=settings.model_settings,
            use="tested",
            background=settings.background,
            judge=settings.judge,
        )
        reasons = _deviations(cells, settings, prompt)
        refuse_deviations(reasons, settings.track)
        # Model and roles are known when Inspect makes the task for an eval; else the solver looks.
        known = compat.evaluated_model() is not None
        if known:
            refuse_no_model(named.evaluated)
            refuse_unknown_roles()
            _refuse_judge(settings, named)
            background = named.background or chosen_background(named.script)
            _refuse_unpriced(settings, named.evaluated, background)
            reasons += [r for cell in cells for r in background_deviations(cell, background)]
            refuse_deviations(reasons, settings.track)
            announce(reasons)
    options = _options(
        settings,
        prompt,
        background=named.script,
        seed=settings.seed,
        track=settings.track,
        announced=known,
    )
    return _task("continuation", cells, options, scorers, named)


def base_market_task(
    given: Mapping[str, Any], unknown: Mapping[str, Any], scorers: Sequence[Scorer]
) -> Task:
    """The task ``base_market``.

    Args:
        given: Its named arguments.
        unknown: What else was given with ``-T``; refused.
        scorers: In the order in which they score.

    Raises:
        PrerequisiteError: Anything that cannot be run, before it runs.
    """
    with refusing():
        settings = parsed(BaseMarketSettings, given, unknown, "base_market")
        prompt = settings.prompt_text()
        _refuse_scaffold(settings)
        cells = base_market_cells(settings)
        named = named_models(evaluated=settings.model_settings, use="base", judge=settings.judge)
        known = compat.evaluated_model() is not None
        if known:
            refuse_no_model(named.evaluated)
            refuse_unknown_roles()
            refuse_background()
            _refuse_judge(settings, named)
            _refuse_unpriced(settings, named.evaluated, None)
            announce(_deviations(cells, settings, prompt))
    options = _options(
        settings, prompt, background=None, seed=settings.seed or 0, track=None, announced=known
    )
    return _task("base_market", cells, options, scorers, named)


def _refuse_scaffold(settings: RunSettings) -> None:
    """Refuse a scaffold that is none, or cannot be made."""
    if settings.scaffold is not None:
        registry = plugins.load(require=settings.require)
        with_setting("-T scaffold", scaffold_of, registry, settings.scaffold)


def _refuse_judge(settings: RunSettings, named: NamedModels) -> None:
    """Refuse what the judge cannot be told, or is told without one."""
    told = settings.model_dump(include=set(_JUDGE_SETTINGS))
    refuse_judge_options(options_of(told), named.judge)


def _refuse_unpriced(
    settings: RunSettings, evaluated: Model | None, background: Model | str | None
) -> None:
    """Refuse a budget in dollars when a model's price is not known."""
    played = [evaluated or evaluated_model()]
    if isinstance(background, Model):
        played.append(background)
    refuse_unpriced(budgets_of(settings.budget), played)


def _deviations(cells: Sequence[Cell], settings: RunSettings, prompt: str | None) -> list[str]:
    how = (settings.protocol, prompt, settings.scaffold)
    return [reason for cell in cells for reason in deviations(cell, *how)]


def _options(settings: RunSettings, prompt: str | None, **others: Any) -> TradeOptions:
    return TradeOptions(
        protocol=settings.protocol,
        tool_choice=settings.tool_choice,
        prompt=prompt,
        max_failed_permille=settings.max_failed_permille,
        markets_at_once=settings.markets_at_once,
        scaffold=settings.scaffold,
        budget=settings.budget,
        **others,
    )


def _task(
    name: str,
    cells: Sequence[Cell],
    options: TradeOptions,
    scorers: Sequence[Scorer],
    named: NamedModels,
) -> Task:
    return Task(
        dataset=dataset(cells, name),
        solver=trade(options.model_dump()),
        scorer=list(scorers),
        model=named.evaluated,
        model_roles=named.roles or None,
        # Else the first sample that fails would cancel the others.
        continue_on_fail=True,
        version=BENCHMARK_VERSION,
        # Its first metric; naming one makes Inspect warn until the first sample is scored.
        headline_metric=HeadlineMetric(scorer="outcomes"),
        viewer=_viewer(),
        metadata={
            "benchmark_version": BENCHMARK_VERSION,
            "checks_version": CHECKS_VERSION,
            **attempt_metadata(),
        },
    )


def _viewer() -> ViewerConfig:
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="markets",
            columns=[
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch"),
                TaskSamplesColumn.score("outcomes", "deals"),
                TaskSamplesColumn.score("outcomes", "completion"),
                TaskSamplesColumn.score("outcomes", "problem_share"),
                TaskSamplesColumn.score("record_checks", "F1_S5"),
                TaskSamplesColumn.score("record_checks", "F2_S5"),
                TaskSamplesColumn.score("record_checks", "F3_S5"),
                TaskSamplesColumn(id="error"),
            ],
        )
    )
