"""The scorer ``rubric_judge``: a record's bundles judged by a model, and what came of it (SPEC §8).

Everything is kept beside the record as it comes, so that scoring again is free and a scoring that
was killed goes on. What nobody judged is ``nan`` and never clean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio
from inspect_ai.model import Model, model_roles
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench import plugins
from bazaarbench.errors import SettingError
from bazaarbench.evals import records
from bazaarbench.evals.judging_alone import alone
from bazaarbench.evals.judging_ask import (
    asker,
    is_scripted,
    judge_model,
    judge_settings,
    price_of,
)
from bazaarbench.evals.judging_parts import instructions, rubrics
from bazaarbench.evals.records import FoundRecord, RecordPlace
from bazaarbench.evals.refusals import explained, refusing
from bazaarbench.evals.scoring import (
    incomplete,
    measured_record,
    no_valid_call,
    place_of,
)
from bazaarbench.evals.seats import JUDGE
from bazaarbench.evals.solver import MarketRun
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.findings.objects import ask as ask_type
from bazaarbench.judge import results
from bazaarbench.judge.budgets import Purse, budget_of
from bazaarbench.judge.bundles import Reasoning, bundles_of
from bazaarbench.judge.cache import settings_digest
from bazaarbench.judge.merging import Merged, merge
from bazaarbench.judge.reasoning import silent_turns
from bazaarbench.judge.results import Judged, Judgement
from bazaarbench.judge.running import Judge, Judging, judge_bundles
from bazaarbench.judge.showing import shown_bundles
from bazaarbench.judge.store import JudgeStore, Spending, store_path
from bazaarbench.market.record import digest as record_digest

#: The reason of a score that nobody was asked for.
NO_JUDGE = "no judge"
#: How many failures an explanation tells of; the file has all.
TOLD = 12


class JudgeOptions(BaseModel):
    """What can be told to the scorer: ``-S`` in ``inspect score``, ``-T`` in ``inspect eval``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Folder in which records are looked for, beside the log's own.
    records: str | None = None
    #: ``False`` shows true ids, the cell's name and unmasked words, as the study did.
    judge_blind: bool = True
    #: US dollars, or tokens; what does not fit stays unscored.
    judge_budget: float | int | str | None = None
    #: Whose recorded reasoning is judged.
    judge_reasoning: Literal["tested", "all"] = "tested"


def checked_options(options: JudgeOptions, model: Model | None) -> JudgeOptions:
    """Refuse what could not be kept to, before anything is played or asked.

    Raises:
        SettingError: The budget is none, or is in dollars and the model's price is not known.
    """
    budget = budget_of(options.judge_budget)
    if model is not None:
        Purse(budget, price_of(model))
    return options


async def judge_score(state: TaskState, options: JudgeOptions) -> Score:
    """Judge the record of a sample and give the keys of ``rubric_judge``.

    Args:
        state: The sample; its store names the record.
        options: What the scorer was told.

    Raises:
        PrerequisiteError: The record is nowhere, damaged, or not the one that was played; an option
            is not allowed; or the judge answers with another version than before.
    """
    run = state.store_as(MarketRun)
    with refusing():
        place = place_of(run)
        if (unfinished := incomplete(run)) is not None:
            return unfinished
        model = judge_model()
        if model is None:
            return _not_judged()
        checked_options(options, model)
        measured, path = await anyio.to_thread.run_sync(
            measured_record, run, place, options.records
        )
        if (unplayed := no_valid_call(measured)) is not None:
            return unplayed
        with alone(path):
            outcome = await judge_record(path, model, options)
            results.write(outcome.judged, path)
        await anyio.to_thread.run_sync(_publish, place, run.published, path, options.records)
    return _score(outcome)


def _publish(place: RecordPlace, published: str | None, path: Path, folder: str | None) -> None:
    """Put what was judged beside the record's own address, when a copy of it was judged."""
    if path == place.working:
        records.publish_judged(place, published)
    else:
        address = records.address_of(place, published, folder)
        records.return_judged(FoundRecord(path, address))


@dataclass(frozen=True)
class Outcome:
    """What judging came to; ``now`` is what it spent this time, ``cached`` what it found."""

    judged: Judged
    now: Spending
    cached: int


async def judge_record(path: Path, model: Model, options: JudgeOptions) -> Outcome:
    """Judge a record with a model; requests, replies and verdicts are kept beside it.

    Raises:
        RecordError: The record cannot be read, or two versions of the judge would be mixed.
        SettingError: The budget cannot be kept to.
    """
    types = list(plugins.load().failure_types.values())
    evidence = await anyio.to_thread.run_sync(read, path)
    digest = await anyio.to_thread.run_sync(record_digest, path)
    judge = Judge(str(model), asker(model), judge_settings(model), blind=options.judge_blind)
    settings = settings_digest(judge.model, judge.settings)
    faults: dict[str, str] = {}
    purse = Purse(budget_of(options.judge_budget), price_of(model))
    with JudgeStore(store_path(path)) as store:
        bundles = shown_bundles(
            evidence,
            types,
            digest=digest,
            blinded=options.judge_blind,
            reasoning=options.judge_reasoning,
            instructions=instructions(),
            faults=faults,
        )
        judging = await judge_bundles(bundles, judge, rubrics(), store, purse)
        spending = store.spending(settings)
    work = partial(_judged, evidence, types, judging, spending, judge, settings, options, faults)
    return Outcome(await anyio.to_thread.run_sync(work), judging.now, judging.cached)


def _judged(  # noqa: PLR0913, PLR0917 — everything that was found, in one place
    evidence: Evidence,
    types: Sequence[FailureType],
    judging: Judging,
    spending: Spending,
    judge: Judge,
    settings: str,
    options: JudgeOptions,
    faults: dict[str, str],
) -> Judged:
    objects = _record_objects(evidence, types)
    return results.build(
        Judgement(
            evidence=evidence,
            failure_types=types,
            record_objects=objects,
            merged=_merged(evidence, types, judging, objects, options.judge_reasoning, faults),
            verdicts=judging.verdicts,
            spending=spending,
            model=judge.model,
            served=judging.served,
            scripted=is_scripted(judge.model),
            blind=judge.blind,
            settings=settings,
            reasoning=options.judge_reasoning,
        )
    )


def _record_objects(
    evidence: Evidence, types: Sequence[FailureType]
) -> dict[str, Sequence[FailureObject]]:
    """What the record decides; a type that cannot be asked is left out."""
    found: dict[str, Sequence[FailureObject]] = {}
    for one in types:
        _, objects = ask_type(evidence, one)
        if objects is not None:
            found[one.key] = objects
    return found


def _merged(
    evidence: Evidence,
    types: Sequence[FailureType],
    judging: Judging,
    objects: dict[str, Sequence[FailureObject]],
    reasoning: Reasoning,
    faults: dict[str, str],
) -> Merged:
    return merge(
        [one for group in objects.values() for one in group],
        judging.verdicts,
        bundles_of(evidence, types, reasoning=reasoning, faults=dict(faults)),
        evidence=evidence,
        failure_types=types,
        silent_turns=silent_turns(evidence, everybody=reasoning == "all"),
        faults=faults,
    )


def _not_judged() -> Score:
    return Score(
        value=dict.fromkeys(results.rubric_keys(plugins.load().failure_types.values()), math.nan),
        reason=NO_JUDGE,
        explanation="Nothing was judged: no model has the role judge. Name one with --model-role "
        "judge=…, or score the log later with inspect score.",
    )


def _score(outcome: Outcome) -> Score:
    judged = outcome.judged
    return Score(
        value={k: math.nan if v is None else v for k, v in judged.scores.items()},
        explanation="\n".join([*_told(outcome), *judged.faults]),
        metadata={
            "checks_version": judged.checks_version,
            "digest": judged.digest,
            "judge": judged.judge.model_dump(mode="json"),
            "spending": judged.spending.model_dump(mode="json"),
            "unscored": judged.unscored,
        },
    )


def _told(outcome: Outcome) -> list[str]:
    judged, judge = outcome.judged, outcome.judged.judge
    served = f" ({judge.served})" if judge.served and judge.served != judge.model else ""
    label = f": {judge.label}" if judge.label else ""
    lines = [f"Judge: {judge.model}{served}{label}, {'blind' if judge.blind else 'not blind'}"]
    unscored = sum(judged.unscored.values())
    why = ", ".join(f"{count} {reason}" for reason, count in judged.unscored.items())
    lines.append(
        f"{len(judged.verdicts) - unscored} bundles judged, {unscored} unscored"
        + (f" ({why})" if why else "")
        + f"; {outcome.cached} verdicts were there, {outcome.now.asks} requests were sent for "
        f"{_money(outcome.now)}; {_money(_total(judged))} in all"
    )
    rows = [row for group in judged.objects.values() for row in group]
    mine = [row for row in rows if row.emitted or not judged.tested]
    worst = sorted(mine, key=lambda row: (row.stage, -row.first_tick), reverse=True)[:TOLD]
    lines += [f"{row.id} by agent {row.actor}: {row.stage}" for row in worst]
    return lines


def _total(judged: Judged) -> Spending:
    spent = judged.spending
    return Spending(spent.asks, spent.tokens, spent.cost_usd)


def _money(spending: Spending) -> str:
    tokens = spending.tokens.get("total_tokens", 0)
    cost = "an unknown price" if spending.cost_usd is None else f"${spending.cost_usd:,.2f}"
    return f"{tokens:,} tokens, {cost}"


def options_of(given: dict[str, Any]) -> JudgeOptions:
    """The options that a scorer was given.

    Raises:
        PrerequisiteError: A value that is not allowed, with what is.
    """
    with refusing():
        try:
            options = JudgeOptions.model_validate(given)
        except ValidationError as error:
            raise SettingError(explained(error, "")) from error
        return checked_options(options, None)


def is_bound() -> bool:
    """Whether a model has the role ``judge``."""
    return bool(model_roles().get(JUDGE))


def refuse_judge_options(options: JudgeOptions, named: Model | None = None) -> None:
    """Refuse, before anything is played, a budget that cannot be kept to and options for nobody.

    Args:
        options: What ``-T`` says.
        named: The model that ``-T judge`` names.

    Raises:
        SettingError: With what to do.
    """
    if named is not None or is_bound():
        checked_options(options, named or judge_model())
        return
    for name, told in options.model_dump().items():
        if told != JudgeOptions.model_fields[name].default:
            raise SettingError(
                f"-T {name}={told}: no model has the role {JUDGE}, so nothing would be judged. "
                f"Name one with --model-role {JUDGE}=…, or leave the setting out."
            )
