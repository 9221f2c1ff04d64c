"""A set of written texts as one file (SPEC §3.4): JSON lines, the first of them about the set.

The digest covers what lands in a world: the agents' facts and texts. Who wrote them, when, and at
what cost stands beside it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bazaarbench.errors import BazaarError
from bazaarbench.personas.checks import Tally
from bazaarbench.personas.writing import Outcome, Spent
from bazaarbench.personas.written import Written

FORMAT: Final = "bazaarbench-persona-texts"
#: Changes when a reader of this version could not read the file.
VERSION: Final = 1

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PersonaTextsError(BazaarError):
    """Written texts that are missing, damaged, of another world, or not grounded enough."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Origin(_Frozen):
    """What the texts were written for: enough to tell a person which world they fit."""

    world: str
    seed: int
    agents: int
    units: tuple[int, int]
    quality: str
    catalogue: str
    catalogue_digest: Digest


class Header(_Frozen):
    """The first line."""

    format: Literal["bazaarbench-persona-texts"] = FORMAT
    version: Literal[1] = VERSION
    digest: Digest
    origin: Origin
    #: Models that wrote, as far as they are known by name, and the digest of what they were told.
    models: tuple[str, ...]
    prompts: str
    passed: int
    checks: int
    spent: Spent


class AgentTexts(_Frozen):
    """One further line: the texts of one agent and the digest of the facts behind them."""

    agent_id: Annotated[int, Field(ge=1)]
    facts: Digest
    texts: Written


@dataclass(frozen=True, slots=True)
class PersonaTexts:
    """A whole set, by agent id."""

    header: Header
    agents: dict[int, AgentTexts]

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over the agents' lines."""
        return self.header.digest


class TextsFile(_Frozen):
    """A file of written texts, pinned: ``digest`` is that of the set in it."""

    file: str
    digest: Digest

    @classmethod
    def pin(cls, path: Path) -> TextsFile:
        """The reference to the set that now stands at ``path``.

        Raises:
            PersonaTextsError: as ``read_texts``.
        """
        return cls(file=str(path), digest=read_texts(path).digest)

    def read(self) -> PersonaTexts:
        """The set.

        Raises:
            PersonaTextsError: as ``read_texts``, or the file holds another set by now.
        """
        texts = read_texts(Path(self.file))
        if texts.digest != self.digest:
            raise PersonaTextsError(
                f"the persona texts {self.file} are not those that were asked for: their digest is "
                f"{texts.digest[:12]}…, not {self.digest[:12]}…. Put the right file there."
            )
        return texts


def collected(outcomes: Sequence[Outcome], origin: Origin) -> PersonaTexts:
    """The set that some agents' outcomes make.

    Raises:
        PersonaTextsError: an agent was refused, or one is missing.
    """
    agents = [
        AgentTexts(agent_id=one.agent_id, facts=one.facts, texts=one.texts)
        for one in sorted(outcomes, key=lambda one: one.agent_id)
        if one.texts is not None
    ]
    if [one.agent_id for one in agents] != list(range(1, origin.agents + 1)):
        raise PersonaTextsError(
            f"texts of {len(agents)} of {origin.agents} agents are no whole set. Write those of "
            "the others first."
        )
    tally = sum((one.tally for one in outcomes), Tally(0, 0))
    header = Header(
        digest=_digest([_line(one) for one in agents]),
        origin=origin,
        models=tuple(sorted({one.model for one in outcomes})),
        prompts=", ".join(sorted({one.prompts for one in outcomes})),
        passed=tally.passed,
        checks=tally.checks,
        spent=sum((one.spent for one in outcomes), Spent()),
    )
    return PersonaTexts(header, {one.agent_id: one for one in agents})


def dumped(texts: PersonaTexts) -> str:
    """The set as the text of its file."""
    lines = [_line(texts.header), *map(_line, texts.agents.values())]
    return "\n".join(lines) + "\n"


def read_texts(path: Path) -> PersonaTexts:
    """The set in a file.

    Raises:
        PersonaTextsError: there is no such file, it is none of ours, it is newer than this
            version, or it was changed or cut.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is no text" if isinstance(error, ValueError) else error.strerror or error
        raise PersonaTextsError(
            f"the persona texts {path} cannot be read: {reason}. Give the personas.jsonl of a run "
            "of the task write_personas."
        ) from error
    _refuse_foreign(path, lines)
    try:
        header = Header.model_validate_json(lines[0])
        agents = [AgentTexts.model_validate_json(line) for line in lines[1:]]
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise PersonaTextsError(
            f"the persona texts {path} are damaged: {where or 'a line'}: {fault['msg']}. {_MEND}"
        ) from error
    found = _digest([_line(one) for one in agents])
    if found != header.digest or [a.agent_id for a in agents] != list(range(1, len(agents) + 1)):
        raise PersonaTextsError(
            f"the persona texts {path} are not what was written: the digest of their "
            f"{len(agents)} agents is {found[:12]}…, the first line says {header.digest[:12]}…. "
            f"{_MEND}"
        )
    return PersonaTexts(header, {one.agent_id: one for one in agents})


_MEND = "Fetch the file again, or write the texts again with the task write_personas."


def _refuse_foreign(path: Path, lines: Sequence[str]) -> None:
    try:
        first = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        first = None
    if not isinstance(first, dict) or first.get("format") != FORMAT:
        raise PersonaTextsError(
            f"{path} holds no persona texts: its first line must be a JSON object with the format "
            f"{FORMAT!r}. Give the personas.jsonl of a run of the task write_personas."
        )
    if first.get("version") != VERSION:
        raise PersonaTextsError(
            f"{path} is of version {first.get('version')!r} of its format and this BazaarBench "
            f"reads {VERSION}. Use the version that wrote it, or write the texts again."
        )


def _line(row: BaseModel) -> str:
    """A row as compact JSON with its keys in order: what is stored and hashed."""
    return json.dumps(
        row.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )


def _digest(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
