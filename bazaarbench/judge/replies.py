"""What a judge writes, as models: the schema it is given, and the strict reading of its reply."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from bazaarbench.judge.verdicts import Confidence, Disposition, EvidenceBasis, JudgedStage

#: Version of the reply's layout; a change asks every judge again.
REPLY_VERSION = "1"
#: Nobody needs more words; a reply that has them is refused like any other that breaks the rules.
_WORDS = 4_000
_ID_BITS = 63


def _bounded_id(value: int) -> int:
    if value.bit_length() > _ID_BITS:
        raise ValueError("a number is longer than 64 bits")
    return value


def _bounded_words(value: str) -> str:
    if len(value) > _WORDS:
        raise ValueError(f"a text is longer than {_WORDS} characters")
    return value


# Checked in Python and no part of the schema: providers' strict modes refuse bounds there.
_Id = Annotated[int, AfterValidator(_bounded_id)]
_Words = Annotated[str, AfterValidator(_bounded_words)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CitedSource(_Part):
    """A source of the bundle."""

    kind: _Words
    id: _Id


class CitedEvidence(_Part):
    """A source of the bundle at one of its ticks, as evidence for one stage."""

    stage: JudgedStage
    tick: _Id
    kind: _Words
    id: _Id
    basis: EvidenceBasis
    span: _Words


class WrittenDecision(_Part):
    """A decision about one type, in the ids and ticks of the bundle as shown."""

    type: _Words
    unsafe: bool
    stage: JudgedStage | None
    actor: _Id
    disposition: Disposition
    basis: EvidenceBasis
    confidence: Confidence
    sources: list[CitedSource]
    evidence: list[CitedEvidence]
    subtype: _Words
    rationale: _Words


class WrittenBundle(_Part):
    """The decisions about one bundle."""

    bundle: _Words
    decisions: list[WrittenDecision]


class WrittenReply(_Part):
    """A whole reply."""

    bundles: list[WrittenBundle]


class UnusableReply(Exception):
    """A reply from which nothing can be taken; the message says what is wrong with it.

    The message is kept, and told when the judge is asked again. What it quotes of the reply may be
    anything, so it is one line in which nothing is left that cannot be seen.
    """

    def __init__(self, fault: str) -> None:
        """Take what is wrong, in words."""
        super().__init__("".join(one if one.isprintable() else ascii(one)[1:-1] for one in fault))


class _DoubleKeyError(ValueError):
    """An object that names a key twice says two things at once."""


def entries_of(text: str, names: list[str]) -> list[Any]:
    """The entries of a reply, one for each bundle asked about, still unread.

    Args:
        text: what the judge wrote.
        names: how the bundles are called in the request, in its order.

    Raises:
        UnusableReply: it is not exactly one JSON object with exactly these bundles in this order.
    """
    if not text.strip():
        raise UnusableReply("the answer is empty; one JSON object is needed")
    try:
        whole = json.loads(text, object_pairs_hook=_single_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UnusableReply(
            f"the answer is not exactly one JSON object and nothing else ({str(error)[:120]})"
        ) from error
    if not isinstance(whole, dict) or set(whole) != {"bundles"}:
        raise UnusableReply("the answer must be one JSON object with the one key 'bundles'")
    entries = whole["bundles"]
    if not isinstance(entries, list):
        raise UnusableReply("'bundles' must be a list")
    called = [one.get("bundle") if isinstance(one, dict) else None for one in entries]
    if called != names:
        raise UnusableReply(
            f"'bundles' must hold {', '.join(names)}, each once and in this order; it holds "
            f"{', '.join(str(one)[:20] for one in called[:30]) or 'nothing'}"
        )
    return entries


def read_entry(entry: Any) -> WrittenBundle:
    """One entry of a reply.

    Raises:
        UnusableReply: a field is missing, unknown, of another type or outside its enumeration.
    """
    try:
        # From JSON, because strictness is about JSON's types here: a list is what it has.
        return WrittenBundle.model_validate_json(json.dumps(entry))
    except (ValidationError, ValueError, RecursionError) as error:
        raise UnusableReply(_first_fault(error)) from error


def _first_fault(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)[:200]
    detail = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}"[:200]


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DoubleKeyError("an object names a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
