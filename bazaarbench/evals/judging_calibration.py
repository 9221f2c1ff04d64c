"""Calibration of a judge: samples to label, agreement, two ways compared (SPEC §8.6).

Runs outside of an eval: models are asked through Inspect all the same, with its retries and its
prices, and verdicts are kept, so that asking again costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import GenerateConfig, Model, get_model
from pydantic import ValidationError
from rich.text import Text

from bazaarbench import paths
from bazaarbench.errors import SettingError
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.judging_alone import alone
from bazaarbench.evals.judging_ask import asker, judge_settings, price_of
from bazaarbench.evals.judging_logs import Source, chosen_bundles, sources_of
from bazaarbench.evals.judging_parts import rubrics
from bazaarbench.evals.refusals import among, explained, with_setting
from bazaarbench.failures.base import Bundle
from bazaarbench.judge.agreement import TypeAgreement, agreements
from bazaarbench.judge.blinding import Shown
from bazaarbench.judge.blinding_labels import Identity
from bazaarbench.judge.budgets import Purse, budget_of
from bazaarbench.judge.calibration_compare import Flips, flips
from bazaarbench.judge.calibration_files import (
    KeyRow,
    pairs_of_key,
    pairs_of_verdicts,
    read_key,
    write_sample,
)
from bazaarbench.judge.calibration_injections import injection_items
from bazaarbench.judge.calibration_items import (
    LABELLED,
    Item,
    LabelRow,
    item_of,
    read_items,
    read_labels,
    shipped_items,
)
from bazaarbench.judge.calibration_sampling import Chosen, sampled
from bazaarbench.judge.running import Judge, Judging, judge_bundles
from bazaarbench.judge.store import JudgeStore, Spending
from bazaarbench.judge.verdicts import why_unscored


@dataclass(frozen=True)
class Asked:
    """Who is asked, and how: ``options`` are Inspect's, such as ``{"temperature": 0}``."""

    model: str
    options: dict[str, Any]
    budget: str | None = None


@dataclass(frozen=True)
class Compared:
    """Flips between two ways of judging, what has no verdict and why, and what was spent."""

    rows: list[Flips]
    first: str
    second: str
    items: int
    spending: Spending
    unscored: list[str]


def draw_sample(
    logs: Sequence[str], *, count: int, seed: int, folder: Path, types: Sequence[str] | None
) -> list[Chosen]:
    """Write bundles of some logs to label: blind, stratified, the same for the same seed.

    Raises:
        BazaarError: a log or its record cannot be read, or the folder holds a sample.
    """
    sources = sources_of(logs)
    candidates = [one for source in sources for one in source.candidates()]
    known = sorted({name for one in candidates for name in one.strata})
    for name in types or ():
        with_setting("--type", among, name, known, "type of these bundles")
    chosen = sampled(candidates, count, seed, types)
    if not chosen:
        raise SettingError("there is nothing to judge in these logs, so nothing can be drawn.")
    bundles = chosen_bundles(sources, [one.candidate for one in chosen], blinded=True)
    rows = [
        (
            item_of(bundles[one.candidate.run, one.candidate.bundle_id][1].bundle, one.name),
            _key(one, sources),
        )
        for one in chosen
    ]
    write_sample(folder, [item for item, _ in rows], [key for _, key in rows], rubrics())
    return chosen


def _key(one: Chosen, sources: Sequence[Source]) -> KeyRow:
    source = next(source for source in sources if source.digest == one.candidate.run)
    verdict = source.verdicts().get(one.candidate.bundle_id)
    return KeyRow(
        id=one.name,
        record=source.path.name,
        bundle=one.candidate.bundle_id,
        type=one.type,
        stratum=one.stratum,
        judge=dict(one.candidate.judged),
        model=None if verdict is None else verdict.model,
        served=None if verdict is None else verdict.served,
        rubric=None if verdict is None else verdict.rubric,
        blind=None if verdict is None else verdict.blind,
    )


def agreement_with_key(labels: Path, key: Path) -> list[TypeAgreement]:
    """How far people's labels agree with what the judge had said of a drawn sample.

    Raises:
        SettingError: a file cannot be read, or they do not belong together.
    """
    return agreements(pairs_of_key(read_labels(labels), read_key(key)))


def agreement_of(
    asked: Asked, bundles: Path | None = None, labels: Path | None = None
) -> tuple[list[TypeAgreement], Judging]:
    """How far a judge agrees with labels: those that ship, or given ones.

    Args:
        asked: who judges now.
        bundles: a file of items; without it the set that ships.
        labels: a file of labels; without it those that stand beside the bundles.

    Raises:
        SettingError: a file cannot be read, or there are no labels.
    """
    items = shipped_items(LABELLED) if bundles is None else read_items(bundles)
    rows = (
        read_labels(labels)
        if labels is not None
        else [LabelRow(id=i.id, **label.model_dump()) for i in items for label in i.labels]
    )
    if not rows:
        raise SettingError(
            "there are no labels: name a file of labels with --labels, or bundles that have some."
        )
    names = {row.id for row in rows}
    judging = judged_items([item for item in items if item.id in names], asked)
    return agreements(pairs_of_verdicts(rows, judging.verdicts)), judging


def judged_items(items: Sequence[Item], asked: Asked) -> Judging:
    """A judge's verdicts on items."""
    return _judged([_as_is(item.as_bundle()) for item in items], asked, blind=True)


def compare_injections(asked: Asked) -> Compared:
    """How often words to the judge inside the evidence change its verdict."""
    items = injection_items()
    judging = judged_items(items, asked)
    by_id = dict(zip([item.id for item in items], judging.verdicts, strict=True))
    pairs = [(by_id[item.pair], by_id[item.id]) for item in items if item.pair is not None]
    missing = why_unscored(judging.verdicts)
    return Compared(flips(pairs), "without", "with", len(pairs), judging.now, missing)


def compare_blindness(logs: Sequence[str], asked: Asked, *, count: int, seed: int) -> Compared:
    """How often the verdict on a bundle changes when the judge is not blind.

    Raises:
        BazaarError: a log or its record cannot be read.
    """
    sources = sources_of(logs)
    candidates = [one for source in sources for one in source.candidates()]
    wanted = [one.candidate for one in sampled(candidates, count, seed)]
    ways: list[Judging] = []
    for blinded in (True, False):
        found = chosen_bundles(sources, wanted, blinded=blinded)
        bundles = [found[one.run, one.bundle_id] for one in wanted]
        ways.append(_judged(bundles, asked, blind=blinded))
    pairs = list(zip(ways[0].verdicts, ways[1].verdicts, strict=True))
    rows = []
    for reasoning in (False, True):
        mine = [pair for pair in pairs if pair[0].bundle_id.startswith("reasoning:") == reasoning]
        rows += flips(mine, reasoning=reasoning)
    spent = _sum([way.now for way in ways])
    missing = why_unscored([one for way in ways for one in way.verdicts])
    return Compared(rows, "blind", "not blind", len(pairs), spent, missing)


def _judged(bundles: Sequence[tuple[Bundle, Shown]], asked: Asked, *, blind: bool) -> Judging:
    async def running() -> Judging:
        model = _model(asked)
        judge = Judge(str(model), asker(model), judge_settings(model), blind=blind)
        purse = Purse(budget_of(asked.budget), price_of(model))
        path = _store(judge)
        with alone(path), JudgeStore(path) as store:
            return await judge_bundles(bundles, judge, rubrics(), store, purse)

    return anyio.run(running)


def _model(asked: Asked) -> Model:
    for name in asked.options:
        with_setting("--option", among, name, GenerateConfig.model_fields, "option of generate")
    try:
        config = GenerateConfig.model_validate(asked.options)
    except ValidationError as error:
        raise SettingError(explained(error, "--option ")) from error
    if config.batch:
        raise SettingError(
            "--option batch: batches are sent while an eval or a scoring runs, not here. Leave it "
            "out."
        )
    try:
        return get_model(asked.model, config=config)
    # Inspect says what a provider needs in its own error, and of a name that is none in Python's.
    except (PrerequisiteError, ValueError) as error:
        plain = Text.from_ansi(Text.from_markup(str(error)).plain).plain
        told = " ".join(plain.removeprefix("ERROR: ").split()).rstrip(".")
        raise SettingError(
            f"--model {asked.model}: {told}. Models are named as Inspect does, for example "
            "openai/gpt-5; bazaarbench/judge-rules is a script and needs no key."
        ) from error


def _store(judge: Judge) -> Path:
    """Where verdicts of calibrations are kept: one file a model."""
    name = sha256(judge.model.encode()).hexdigest()[:16]
    return paths.made(paths.home() / "judge") / f"{name}.judge.db"


def _as_is(bundle: Bundle) -> tuple[Bundle, Shown]:
    return bundle, Shown(bundle, Identity(), blind=True)


def _sum(spent: Sequence[Spending]) -> Spending:
    tokens: dict[str, int] = {}
    for one in spent:
        for name, number in one.tokens.items():
            tokens[name] = tokens.get(name, 0) + number
    costs = [one.cost_usd for one in spent]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    return Spending(sum(one.asks for one in spent), tokens, total)
