"""A section of the rubric that is registered by name (SPEC §8.3, §10)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RubricSection:
    """A text about one failure type, its plugin's own or another's, in the judge's rubric.

    A failure type brings its own text in ``FailureType.rubric``; a section adds to it without a
    change of that type: a finer rule, more examples. ``name`` is unique. ``text`` is Markdown and
    may begin with a front matter that says its version. Sections about one type stand behind what
    the type says, in the order of their names.
    """

    name: str
    failure_type: str
    text: str
