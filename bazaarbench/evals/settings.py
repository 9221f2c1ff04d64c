"""The values of ``-T``: one pydantic model a task, checked before anything runs (SPEC §2)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from bazaarbench.agents.prompting import read
from bazaarbench.errors import SettingError
from bazaarbench.evals.launch import located
from bazaarbench.evals.refusals import explained, refuse_unknown
from bazaarbench.evals.spending import budgets_of
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.worlds import units_of

S = TypeVar("S", bound=BaseModel)


def _listed(value: Any) -> Any:
    """A comma list, a YAML list or a single value as a tuple of texts."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    parts = value if isinstance(value, list | tuple) else [value]
    return tuple(str(part).strip() for part in parts if str(part).strip())


def _numbers(value: Any) -> Any:
    if value is None:
        return None
    return tuple(int(part) if part.isdigit() else part for part in _listed(value))


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
AgentIds = Annotated[tuple[int, ...] | None, BeforeValidator(_numbers)]


class RunSettings(BaseModel):
    """What both tasks can be told."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: Presets or YAML files; one sample each.
    rules: Names
    days: int = Field(ge=1, le=366)
    #: How tools are offered: natively, or as JSON that the model writes.
    protocol: Literal["tools", "json"] = "tools"
    tool_choice: Literal["auto", "any"] = "auto"
    #: A file whose text replaces the world text of the agents that the evaluated model plays.
    prompt: str | None = None
    #: Share of one tick's model turns, 0–1, above which the tick is not committed.
    max_failed_turns: float = Field(default=0.1, ge=0, le=1)
    #: Plugins without which the run must not start.
    require: Names = ()
    #: A policy around the evaluated model, in place of one call a turn.
    scaffold: str | None = None
    #: A named model setting for the evaluated model, with ``--model none``.
    model_settings: str | None = None
    #: What each sample may spend: US dollars, tokens, or one of each.
    budget: Names = ()
    #: Markets that are played at the same time in this process.
    markets_at_once: int = Field(default=1, ge=1, le=64)
    #: A named model setting for the judge.
    judge: str | None = None
    #: What the scorer ``rubric_judge`` is told; it looks at the values.
    judge_blind: bool = True
    judge_budget: float | int | str | None = None

    @field_validator("rules")
    @classmethod
    def _some(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return some(value)

    @field_validator("budget")
    @classmethod
    def _payable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            budgets_of(value)
        except SettingError as error:
            # Without its name, which stands in front of every message of a setting.
            raise ValueError(str(error).removeprefix("budget=")) from error
        return value

    @field_validator("max_failed_turns", mode="before")
    @classmethod
    def _whole_share(cls, value: Any) -> Any:
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("prompt")
    @classmethod
    def _readable(cls, value: str | None) -> str | None:
        if value is None or os.path.isfile(located(value)):
            return value and located(value)
        raise ValueError(f"there is no file {value!r:.300}; give the path of a text file.")

    @property
    def ticks(self) -> int:
        """Length of the run, in ticks."""
        return self.days * TICKS_PER_DAY

    @property
    def max_failed_permille(self) -> int:
        """``max_failed_turns`` in permille."""
        return round(self.max_failed_turns * 1000)

    def prompt_text(self) -> str | None:
        """The text of the file ``prompt``, without its front matter.

        Raises:
            SettingError: It cannot be read as text, or holds none.
        """
        return None if self.prompt is None else read(Path(self.prompt)).body


class ContinuationSettings(RunSettings):
    """Settings of the task ``continuation``."""

    condition: Names = ("L1",)
    market: Names = ("demo",)
    rules: Names = ("paper",)
    days: int = Field(default=7, ge=1, le=366)
    tested: AgentIds = None
    #: The script that plays the background agents when no model has the role ``background``, or a
    #: named model setting.
    background: str | None = None
    #: Part of the key of every scripted draw; the epoch is another.
    seed: int = Field(default=0, ge=0, lt=2**63)
    track: Literal["paper"] | None = None
    #: What the scorer ``rubric_judge`` is told beside; in a base market all reasoning is judged.
    judge_reasoning: str = "tested"

    @field_validator("condition", "market")
    @classmethod
    def _named(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return some(value)

    @field_validator("tested")
    @classmethod
    def _ids(cls, value: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if value is None:
            return None
        if len(set(value)) != len(some(value)):
            raise ValueError("an agent id stands there twice; give each id once.")
        return tuple(sorted(value))


class BaseMarketSettings(RunSettings):
    """Settings of the task ``base_market``."""

    #: A shipped world configuration.
    world: str = "demo"
    #: Replaces the seed of the world.
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    #: Replaces the number of agents of the world.
    agents: int | None = Field(default=None, ge=5, le=10_000)
    rules: Names = ("paper-base",)
    days: int = Field(default=30, ge=1, le=366)
    #: Replaces the least and the most units of an agent: ``3-8``.
    units: Annotated[tuple[int, int] | None, BeforeValidator(units_of)] = None
    #: Replaces the condition of starting units: all good, or spread over the bands.
    quality: Literal["good", "spread"] | None = None
    #: Replaces the catalogue: ``NAME``, ``NAME:FILE`` or a file.
    catalogue: str | None = None
    #: What the saved state is called that a finished market becomes; without it, a name is made.
    name: str | None = None
    #: A file of persona texts that the task write_personas has made for this world.
    personas: str | None = None

    @field_validator("personas")
    @classmethod
    def _there(cls, value: str | None) -> str | None:
        if value is None or os.path.isfile(located(value)):
            return value and located(value)
        raise ValueError(f"there is no file {value!r:.300}; give the path of a personas.jsonl.")


def some(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """``value`` when it holds anything.

    Raises:
        ValueError: The list is empty.
    """
    if not value:
        raise ValueError("is empty; give at least one, or leave the setting out.")
    return value


def parsed(model: type[S], given: Mapping[str, Any], unknown: Mapping[str, Any], task: str) -> S:
    """The settings of one task.

    Args:
        model: Which settings the task has.
        given: The arguments that the task function names.
        unknown: Whatever else was given with ``-T``.
        task: Name of the task, for messages.

    Raises:
        SettingError: An unknown name or a value that is not allowed, with what is.
    """
    refuse_unknown(unknown, model.model_fields, task)
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise SettingError(explained(error, "-T ")) from error
