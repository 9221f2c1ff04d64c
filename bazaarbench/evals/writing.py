"""The task ``write_personas``: one sample is one agent, whose texts a model writes (SPEC §3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, get_model
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bazaarbench import plugins
from bazaarbench.catalogue import Catalogue, open_catalogue
from bazaarbench.evals import compat
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.hooks import attempt_metadata
from bazaarbench.evals.plan import located_catalogue, world_of
from bazaarbench.evals.records import folder_of
from bazaarbench.evals.refusals import refusing
from bazaarbench.evals.settings import parsed
from bazaarbench.evals.writer import writer
from bazaarbench.evals.writing_score import written_texts
from bazaarbench.evals.writing_shelf import FOLDER, TEXTS_NAME, WritingError
from bazaarbench.evals.writing_solver import WriteOptions, write_texts
from bazaarbench.personas import make_population
from bazaarbench.personas.briefs import Brief, brief_of
from bazaarbench.personas.text_files import Origin, TextsFile
from bazaarbench.personas.writing import DEFAULT_REASKS, opening
from bazaarbench.versions import BENCHMARK_VERSION
from bazaarbench.worlds import WorldSpec, population_of, units_of


class WriterSettings(BaseModel):
    """Settings of the task ``write_personas``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: A shipped world configuration.
    world: str = "demo"
    #: Replaces the seed of the world.
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    #: Replaces the number of agents of the world.
    agents: int | None = Field(default=None, ge=2, le=9_999)
    #: Replaces the least and the most units of an agent: ``3-8``.
    units: Annotated[tuple[int, int] | None, BeforeValidator(units_of)] = None
    quality: Literal["good", "spread"] | None = None
    #: Replaces the catalogue: ``NAME``, ``NAME:FILE`` or a file.
    catalogue: str | None = None
    #: How often the writer is asked again about an agent before that agent is refused.
    reasks: int = Field(default=DEFAULT_REASKS, ge=0, le=20)


def write_personas_task(given: Mapping[str, Any], unknown: Mapping[str, Any]) -> Task:
    """The task ``write_personas``.

    Args:
        given: Its named arguments.
        unknown: What else was given with ``-T``; refused.

    Raises:
        PrerequisiteError: Anything that cannot be run, before it runs.
    """
    with refusing():
        settings = parsed(WriterSettings, given, unknown, "write_personas")
        if compat.evaluated_model() is not None:
            writer()
        world = world_of(
            settings.world,
            seed=settings.seed,
            agents=settings.agents,
            units=settings.units,
            quality=settings.quality,
            catalogue=settings.catalogue and located_catalogue(settings.catalogue),
        )
        catalogue = open_catalogue(world.catalogue, plugins.load().catalogues)
        plans = make_population(catalogue, population_of(world))
    options = WriteOptions(origin=_origin(world, catalogue), reasks=settings.reasks)
    return Task(
        dataset=MemoryDataset(list(_samples(map(brief_of, plans))), name="write_personas"),
        solver=write_texts(options.model_dump()),
        scorer=written_texts(),
        # An agent that is refused ends as an error of its sample and must not cancel the others.
        continue_on_fail=True,
        version=BENCHMARK_VERSION,
        metadata={"benchmark_version": BENCHMARK_VERSION, **attempt_metadata()},
    )


def have_written(world: WorldSpec, model: str, log_dir: str) -> TextsFile:
    """Run the task for a world, as ``inspect eval`` does, and give the set that it leaves.

    Args:
        world: Whose agents are written.
        model: As ``--model`` takes it.
        log_dir: Where the log goes, a local folder; the texts lie beside it.

    Raises:
        WritingError: There is no such model, or some agents are not written; then the message says
            how to go on with the log.
    """
    arguments = {
        "seed": world.seed,
        "agents": world.agents,
        "units": "-".join(map(str, world.units)),
        "quality": world.quality,
        "catalogue": world.catalogue,
    }
    try:
        # What else keeps a model from being made, a missing key for one, Inspect says by itself.
        with suppress(PrerequisiteError):
            get_model(model)
    except ValueError as error:
        raise WritingError(
            f"--writer {model:.100}: there is no such model ({error}) Name it as --model of "
            "'inspect eval' does, for example openai/gpt-5.5."
        ) from error
    # By its name, as a retry has to find the task again.
    [log] = eval("bazaarbench/write_personas", model=model, task_args=arguments, log_dir=log_dir)
    texts = Path(folder_of(log.location)) / FOLDER / log.eval.task_id / TEXTS_NAME
    if log.status != "success" or not texts.is_file():
        raise WritingError(
            f"the persona texts for the world {world.name} are not whole: the run ended with "
            f"{log.status!r}. 'bazaarbench resume {log.location}' asks for the missing agents "
            f"alone; the set is then {texts}."
        )
    return TextsFile.pin(texts)


def _origin(world: WorldSpec, catalogue: Catalogue) -> Origin:
    return Origin(
        world=world.name,
        seed=world.seed,
        agents=world.agents,
        units=world.units,
        quality=world.quality,
        catalogue=world.catalogue,
        catalogue_digest=catalogue.digest,
    )


def _samples(briefs: Iterator[Brief]) -> Iterator[Sample]:
    for brief in briefs:
        yield Sample(
            id=f"agent-{brief.agent_id:04}",
            input=_messages(brief),
            metadata={"brief": brief.model_dump_json()},
        )


def _messages(brief: Brief) -> list[ChatMessage]:
    system, user = opening(brief)
    return [ChatMessageSystem(content=system.content), ChatMessageUser(content=user.content)]
