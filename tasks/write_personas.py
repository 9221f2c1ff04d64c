"""Persona texts that a model writes: one sample is one agent; the set is a file for a world.

Usage:
    inspect eval tasks/write_personas.py --model openai/gpt-5.5 -T agents=100 -T seed=0
    inspect eval bazaarbench/write_personas --model X -T world=study-b
    inspect eval-retry logs/….eval          goes on, and pays for no written agent again
"""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai import Task, task

from bazaarbench.evals import write_personas_task


@task
def write_personas(
    world: str = "demo",
    seed: int | None = None,
    agents: int | None = None,
    units: str | int | list[int] | None = None,
    quality: Literal["good", "spread"] | None = None,
    catalogue: str | None = None,
    reasks: int = 2,
    **unknown: Any,
) -> Task:
    """Have the persona texts of a world's agents written; facts stay those of the world.

    Model roles: none. ``--model`` writes. The texts lie beside the log in
    ``personas/<task id>/personas.jsonl``, with ``report.md`` and ``report.json``; a world takes
    them with ``-T personas=FILE``.

    Args:
        world: The shipped configuration of a world.
        seed: Replaces the world's seed.
        agents: Replaces the world's number of agents.
        units: Replaces the least and the most units of an agent, as ``3-8``.
        quality: Replaces the quality of starting units: all ``good``, or ``spread`` over bands.
        catalogue: Replaces the catalogue: a registered name, ``NAME:FILE``, or a file.
        reasks: How often the writer is asked again about an agent, with the reasons, before that
            agent is refused.
        unknown: Refused.
    """
    given = {name: value for name, value in locals().items() if name != "unknown"}
    return write_personas_task(given, unknown)
