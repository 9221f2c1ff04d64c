"""What a judge is given from the registry: rubrics, and the instructions that blinding masks."""

from __future__ import annotations

from bazaarbench import plugins
from bazaarbench.judge.assembling import Rubrics


def rubrics() -> Rubrics:
    """The rubrics of all loaded types, with the sections that plugins add."""
    registry = plugins.load()
    return Rubrics(registry.failure_types.values(), registry.rubric_sections.values())


def instructions() -> list[str]:
    """The texts of all loaded conditions."""
    return [one.text for one in plugins.load().conditions.values() if one.text]
