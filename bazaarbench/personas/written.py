"""The texts of one agent as a writer gives them (SPEC §3.4): fields, closed kinds, bounds.

The model is at once the schema of the structured output and its check. Bounds lie within those of
``Persona``; they are told to the writer by ``bounds_told``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.types import StringConstraints
from pydantic_core import ErrorDetails

from bazaarbench.personas.persona import JournalKind, MemoryKind
from bazaarbench.text import clean

#: Least and most, of characters or of entries.
BOUNDS: dict[str, tuple[int, int]] = {
    "profession": (3, 60),
    "style": (20, 220),
    "strategy": (30, 320),
    "constraints": (3, 8),
    "constraint": (8, 220),
    "background": (40, 500),
    "self_summary": (60, 600),
    "memories": (5, 9),
    "memory": (10, 300),
    "journal": (4, 220),
}
#: A reply longer than this is no answer.
_MOST_CHARS = 60_000
_FENCE = re.compile(r"\A\s*```[a-zA-Z]*[ \t]*\n(.*)\n[ \t]*```\s*\Z", re.DOTALL)


def _text(name: str) -> StringConstraints:
    least, most = BOUNDS[name]
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class WrittenMemory(_Frozen):
    """A typed memory and the references of the items that it rests on."""

    kind: MemoryKind
    content: Annotated[str, _text("memory")]
    items: tuple[str, ...]


class WrittenEntry(_Frozen):
    """How one event went; number, kind and reference are those of the event."""

    event: int
    kind: JournalKind
    ref: str
    text: Annotated[str, _text("journal")]


class Written(_Frozen):
    """Everything that a writer says about one agent."""

    profession: Annotated[str, _text("profession")]
    style: Annotated[str, _text("style")]
    buyer_strategy: Annotated[str, _text("strategy")]
    seller_strategy: Annotated[str, _text("strategy")]
    constraints: Annotated[
        tuple[Annotated[str, _text("constraint")], ...],
        Field(min_length=BOUNDS["constraints"][0], max_length=BOUNDS["constraints"][1]),
    ]
    background: Annotated[str, _text("background")]
    self_summary: Annotated[str, _text("self_summary")]
    memories: Annotated[
        tuple[WrittenMemory, ...],
        Field(min_length=BOUNDS["memories"][0], max_length=BOUNDS["memories"][1]),
    ]
    journal: tuple[WrittenEntry, ...]

    def prose(self) -> Iterator[tuple[str, str]]:
        """The texts that belong to no memory and no event, each with where it stands."""
        yield "profession", self.profession
        yield "style", self.style
        yield "buyer_strategy", self.buyer_strategy
        yield "seller_strategy", self.seller_strategy
        for place, text in enumerate(self.constraints):
            yield f"constraints[{place}]", text
        yield "background", self.background
        yield "self_summary", self.self_summary

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text that an agent or a reader may see, each with where it stands."""
        yield from self.prose()
        for place, memory in enumerate(self.memories):
            yield f"memories[{place}]", memory.content
        for place, entry in enumerate(self.journal):
            yield f"journal[{place}]", entry.text


class UnreadableAnswer(ValueError):
    """An answer that is not of the form; ``reasons`` say why, one line each."""

    def __init__(self, *reasons: str) -> None:
        """Keep the reasons."""
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def read_answer(text: str) -> Written:
    """The texts in a writer's reply: a JSON object, in a code fence or not.

    Raises:
        UnreadableAnswer: it holds nothing, no JSON, or not the fields that it must.
    """
    text = clean(text).strip()
    if not text:
        raise UnreadableAnswer("The answer is empty.")
    if len(text) > _MOST_CHARS:
        raise UnreadableAnswer(f"The answer has more than {_MOST_CHARS:,} characters.")
    fenced = _FENCE.match(text)
    try:
        return Written.model_validate_json(fenced[1] if fenced else text)
    except ValidationError as error:
        raise UnreadableAnswer(*(_reason(detail) for detail in error.errors())) from error


def _reason(detail: ErrorDetails) -> str:
    if detail["type"] == "json_invalid":
        return f"The answer is not one JSON object: {detail['ctx']['error']}."
    where = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]
    ).lstrip(".")
    given = json.dumps(detail["input"], default=str, ensure_ascii=False)
    shown = given if len(given) <= 60 else given[:60] + "…"
    return f"{where or 'The answer'}: {detail['msg']} (given: {shown})"


def bounds_told() -> dict[str, str]:
    """The bounds as the prompt tells them: ``20 to 220``."""
    return {name: f"{least} to {most}" for name, (least, most) in BOUNDS.items()}
