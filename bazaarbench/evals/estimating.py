"""An estimate of an eval, from the same settings that start it (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from inspect_ai.model import get_model_info

from bazaarbench import plugins, saved_states
from bazaarbench.conditions import Condition
from bazaarbench.errors import SettingError
from bazaarbench.estimate import (
    FREE,
    Payer,
    Played,
    Precision,
    SampleEstimate,
    precision,
    sample_estimate,
)
from bazaarbench.evals.judging_parts import rubrics
from bazaarbench.evals.named_models import shelf
from bazaarbench.evals.plan import Cell, base_market_cells, continuation_cells
from bazaarbench.evals.provider import PROVIDER
from bazaarbench.evals.refusals import among
from bazaarbench.evals.seats import BACKGROUND, DEFAULT_BACKGROUND, JUDGE, KNOWN_ROLES, world_for
from bazaarbench.evals.settings import (
    BaseMarketSettings,
    ContinuationSettings,
    RunSettings,
    parsed,
)
from bazaarbench.market.load import load
from bazaarbench.market.record import read_only
from bazaarbench.market.state import Market
from bazaarbench.model_settings import Prices
from bazaarbench.worlds import WorldSpec, found_market

S = TypeVar("S", bound=RunSettings)

#: What is assumed of a model's answer unless it is said: tokens, reasoning included, and seconds.
OUTPUT_TOKENS, SECONDS = 800, 20.0


@dataclass(frozen=True)
class Wanted:
    """What is to be estimated; ``settings`` and ``roles`` are those of ``-T`` and ``--model-role``.

    ``difference`` and ``measure`` ask how many epochs are needed.
    """

    task: Literal["continuation", "base_market"]
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    epochs: int = 1
    connections: int = 20
    output_tokens: int = OUTPUT_TOKENS
    seconds: float = SECONDS
    difference: float | None = None
    measure: str | None = None


@dataclass(frozen=True)
class Estimated:
    """The estimates of all samples, one epoch each, and what was assumed for them."""

    samples: tuple[SampleEstimate, ...]
    wanted: Wanted
    precision: Precision | None
    background: str | None


def estimated(wanted: Wanted) -> Estimated:
    """Estimate an eval. A shipped market that is not there yet is built.

    Raises:
        SettingError: What the eval itself would refuse, or an option is not allowed.
        StateError: An unknown market.
    """
    if (wanted.difference is None) != (wanted.measure is None):
        raise SettingError("--power and --measure belong together; give both.")
    for role in wanted.roles:
        among(role, KNOWN_ROLES, "model role")
    settings = _settings(wanted)
    # Before the cells: a market that is not there yet takes a while to build.
    who = _Who.of(wanted, settings)
    cells = (
        continuation_cells(settings)
        if isinstance(settings, ContinuationSettings)
        else base_market_cells(settings)
    )
    markets: dict[str, Market] = {}
    samples = tuple(
        sample_estimate(
            _played(cell, settings, who, markets),
            connections=wanted.connections,
            output_tokens={"tested": wanted.output_tokens, "background": wanted.output_tokens},
        )
        for cell in cells
    )
    return Estimated(samples, wanted, _precision(wanted, cells), who.told)


def _settings(wanted: Wanted) -> ContinuationSettings | BaseMarketSettings:
    if wanted.task == "continuation":
        return _parsed(ContinuationSettings, wanted)
    return _parsed(BaseMarketSettings, wanted)


def _parsed(model: type[S], wanted: Wanted) -> S:
    given = {key: value for key, value in wanted.settings.items() if key in model.model_fields}
    unknown = {key: value for key, value in wanted.settings.items() if key not in given}
    return parsed(model, given, unknown, wanted.task)


@dataclass(frozen=True)
class _Who:
    evaluated: Payer
    background: Payer | None
    judge: Payer | None
    #: Who plays the background agents, in words; ``None`` in a base market.
    told: str | None

    @classmethod
    def of(cls, wanted: Wanted, settings: RunSettings) -> _Who:
        evaluated = payer_of(settings.model_settings or wanted.model)
        if not isinstance(settings, ContinuationSettings):
            return cls(evaluated, None, None, None)
        judge = settings.judge or wanted.roles.get(JUDGE)
        script = settings.background
        role = wanted.roles.get(BACKGROUND)
        if role is not None and script is not None:
            raise SettingError(
                f"-T background={script} and --model-role {BACKGROUND}={role} both say who plays "
                "the background agents; give one of them."
            )
        registry = plugins.load()
        if role is None and script is not None and script not in registry.policies:
            among(script, [*registry.policies, *shelf(registry)], "policy or model setting")
            role = script
        return cls(
            evaluated,
            None if role is None else payer_of(role),
            None if judge is None else payer_of(judge),
            role or script or DEFAULT_BACKGROUND,
        )


def payer_of(name: str) -> Payer:
    """A model as Inspect names it, or a named setting, with its prices where they are known.

    Raises:
        SettingError: It is neither.
    """
    known = shelf(plugins.load())
    if name in known:
        setting = known[name].setting
        model, prices = setting.model, setting.prices
    else:
        model, prices = name, _priced_elsewhere(name)
    if "/" not in model:
        raise SettingError(
            f"unknown model {name!r}: write PROVIDER/NAME, such as openai/gpt-5.5, or a named "
            f"setting: {', '.join(known)}."
        )
    if model.startswith(f"{PROVIDER}/"):
        return Payer(name, FREE)
    if prices is None:
        prices = _of_inspect(model)
    if prices is not None:
        return Payer(name, prices)
    return Payer(
        name,
        None,
        f"the price of {model} is not known: give it in a model setting ('bazaarbench models' says "
        "where yours stand)",
    )


def _priced_elsewhere(model: str) -> Prices | None:
    """Prices that a named setting has for the same model."""
    settings = (one.setting for one in shelf(plugins.load()).values())
    return next((one.prices for one in settings if one.model == model and one.prices), None)


def _of_inspect(model: str) -> Prices | None:
    """Prices that Inspect knows, by ``set_model_cost`` or a release that has them."""
    info = get_model_info(model)
    cost = None if info is None else info.cost
    if cost is None:
        return None
    return Prices(
        input_usd=cost.input, output_usd=cost.output, cached_input_usd=cost.input_cache_read
    )


def _played(cell: Cell, settings: RunSettings, who: _Who, markets: dict[str, Market]) -> Played:
    registry = plugins.load()
    condition: Condition = registry.conditions[cell.condition]
    market = _market(cell, markets)
    market.rules = cell.parsed_rules()
    rubric = rubrics()
    types = tuple(registry.failure_types)
    texts = tuple(key for key in types if key in ("F5text", "F6"))
    return Played(
        sample=cell.sample_id,
        market=market,
        first_tick=cell.start_tick + 1,
        last_tick=cell.end_tick,
        tested=cell.tested,
        evaluated=who.evaluated,
        background=who.background,
        judge=who.judge,
        rubric=(len(rubric.of(_judged(types)).text), len(rubric.of(texts).text)),
        condition=condition,
        protocol=settings.protocol,
        world=world_for(settings.protocol, settings.prompt_text()),
    )


def _judged(types: tuple[str, ...]) -> tuple[str, ...]:
    """The types that reasoning is judged about; photos show themselves."""
    missing = set(rubrics().missing(types))
    return tuple(key for key in types if key not in missing)


def _market(cell: Cell, markets: dict[str, Market]) -> Market:
    """The market that a cell begins with, read or founded once."""
    key = cell.market
    if key not in markets:
        if cell.world is not None:
            spec = WorldSpec.model_validate(cell.world)
            catalogue, _ = saved_states.opened_catalogue(spec, plugins.load())
            markets[key] = found_market(spec, cell.parsed_rules(), catalogue)
        else:
            state = saved_states.resolve(str(cell.state))
            with closing(read_only(state.path)) as connection:
                markets[key] = load(connection)
    return markets[key]


def _precision(wanted: Wanted, cells: list[Cell]) -> Precision | None:
    if wanted.difference is None or wanted.measure is None:
        return None
    tested = [len(cell.tested) for cell in cells if cell.tested]
    if not tested:
        raise SettingError("--power compares conditions; a base market has none to compare.")
    return precision(
        wanted.measure,
        wanted.difference,
        pairs=len({cell.market for cell in cells}),
        epochs=wanted.epochs,
        agents=min(tested),
    )
