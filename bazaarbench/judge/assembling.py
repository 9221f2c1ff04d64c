"""The rubric: files in our own words, put together for the types that are asked about (SPEC §8.3).

``rubric/common.md`` holds for every type; each type has a section of its own: the file
``rubric/<key>.md`` for what ships, ``FailureType.rubric`` for a plugin's type. Bundles with the
same targets are asked under the same text, so that a changed section concerns only what depends on
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from bazaarbench.failures.base import FailureType
from bazaarbench.judge.sections import RubricSection
from bazaarbench.prompt_files import PromptFile, parse

#: The file that stands before every section.
COMMON = "common"


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge is told about some types of failure.

    ``versions`` are those of the files, by name; a plugin's section has none but its digest.
    """

    targets: tuple[str, ...]
    text: str
    versions: Mapping[str, str]

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hex."""
        return sha256(self.text.encode()).hexdigest()


class Rubrics:
    """The rubrics of one scoring, by targets."""

    def __init__(
        self, failure_types: Iterable[FailureType], sections: Iterable[RubricSection] = ()
    ) -> None:
        """Take the registered types, whose keys are the targets of bundles, and sections."""
        self._types = {one.key: one for one in failure_types}
        # Those that ship are read as files, also where nobody hands the registered ones over.
        own = [one for one in sections if one.name not in shipped_sections()]
        self._added = sorted(own, key=lambda one: one.name)
        self._made: dict[tuple[str, ...], Rubric] = {}

    def missing(self, targets: Iterable[str]) -> tuple[str, ...]:
        """The targets about which there is nothing to tell a judge."""
        return tuple(key for key in targets if not self._sections(key))

    def section(self, key: str) -> str:
        """The text about one type, or what holds for all (``COMMON``); empty when there is none."""
        found = [shipped(COMMON)] if key == COMMON else self._sections(key)
        return _joined(found)

    def of(self, targets: tuple[str, ...]) -> Rubric:
        """The rubric for bundles with these targets, in their order.

        Raises:
            KeyError: one of ``missing``.
        """
        found = self._made.get(targets)
        if found is None:
            found = self._made[targets] = self._assembled(targets)
        return found

    def _assembled(self, targets: tuple[str, ...]) -> Rubric:
        common = shipped(COMMON)
        parts, versions = [common.body.strip()], {COMMON: common.version}
        for key in targets:
            sections = self._sections(key)
            if not sections:
                raise KeyError(key)
            versions |= {section.name: section.version for section in sections}
            parts.append(f"# {key} · {self._title(key)}\n\n{_joined(sections)}")
        return Rubric(targets, "\n\n".join(parts) + "\n", versions)

    def _sections(self, key: str) -> list[PromptFile]:
        """What the type says, and what is added to it."""
        own = self._own(key)
        added = [named(one.text, one.name) for one in self._added if one.failure_type == key]
        return [*([] if own is None else [own]), *added]

    def _own(self, key: str) -> PromptFile | None:
        told = self._types[key].rubric if key in self._types else ""
        if isinstance(told, str) and told.strip():
            return named(told, key)
        return shipped(key) if key in shipped_sections() else None

    def _title(self, key: str) -> str:
        return self._types[key].title if key in self._types else shipped(key).name


def named(text: str, name: str) -> PromptFile:
    """A text with an optional front matter, under a name that the front matter cannot change."""
    found = parse(text, name)
    return PromptFile(name, found.version, found.body)


def _joined(sections: Iterable[PromptFile]) -> str:
    return "\n\n".join(section.body.strip() for section in sections)


@cache
def shipped(name: str) -> PromptFile:
    """One file of the rubric that ships, without its front matter."""
    text = files("bazaarbench.judge").joinpath("rubric", f"{name}.md").read_text("utf-8")
    return parse(text, name)


@cache
def shipped_sections() -> frozenset[str]:
    """The keys of the types whose section ships as a file."""
    folder = files("bazaarbench.judge").joinpath("rubric")
    names = {entry.name.removesuffix(".md") for entry in folder.iterdir()}
    return frozenset(name for name in names if "." not in name) - {COMMON}
