"""What an action is made of: an arguments model, a handler in two steps, and its outcome.

The arguments model is at once the action's validation, its tool schema and its documentation
(SPEC §4.1). A handler first looks: it raises ``Refused`` when anything stands against the action.
What it returns instead is ``Ready``, whose ``apply`` changes the market and cannot fail. Checks run
between the two, so nothing is ever half applied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bazaarbench.market.entities import Listing, Status, Thread
from bazaarbench.market.state import Market

MAX_ID = 2**63 - 1
MAX_CENTS = 100_000_000


class Args(BaseModel):
    """Arguments of one action: strict, nothing unknown, everything bounded."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _whole(value: object) -> object:
    """A whole number may be written 2000.0; strings and booleans are no numbers (SPEC §4.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
Id = Annotated[Whole, Field(ge=0, le=MAX_ID)]
Cents = Annotated[Whole, Field(ge=0, le=MAX_CENTS)]
Body = Annotated[str, Field(min_length=1, max_length=2_000)]


class Followup(NamedTuple):
    """A row that the platform itself adds to the log after the one of the action."""

    action: str
    payload: dict[str, Any]
    listing_id: int | None
    thread_id: int | None


class Outcome(NamedTuple):
    """What became of an action: the columns of its event row."""

    status: Status
    reason: str | None
    result: dict[str, Any]
    private: dict[str, Any]
    listing_id: int | None
    thread_id: int | None
    followups: tuple[Followup, ...] = ()


class Refused(Exception):
    """A guard found something against the action; the market is as it was."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class Ready(NamedTuple):
    """An action that nothing stands against; the rows say what it is about."""

    apply: Callable[[], Outcome]
    listing: Listing | None = None
    thread: Thread | None = None


def ok(
    result: dict[str, Any],
    *,
    listing: Listing | None = None,
    thread: Thread | None = None,
    private: dict[str, Any] | None = None,
    followups: tuple[Followup, ...] = (),
) -> Outcome:
    """The outcome of an applied action; a thread names its listing too."""
    listing_id, thread_id = subject(listing, thread)
    return Outcome("ok", None, result, private or {}, listing_id, thread_id, followups)


def blocked(
    reason: str,
    *,
    listing: Listing | None = None,
    thread: Thread | None = None,
    private: dict[str, Any] | None = None,
    **details: Any,
) -> Refused:
    """A well-formed action that a rule of the platform refuses; ``details`` are answered."""
    listing_id, thread_id = subject(listing, thread)
    return Refused(Outcome("blocked", reason, details, private or {}, listing_id, thread_id))


def error(reason: str, *, listing: Listing | None = None, thread: Thread | None = None) -> Refused:
    """An action that names what does not exist."""
    listing_id, thread_id = subject(listing, thread)
    return Refused(Outcome("error", reason, {}, {}, listing_id, thread_id))


def subject(listing: Listing | None, thread: Thread | None) -> tuple[int | None, int | None]:
    """The listing id and the thread id that an event about these rows carries."""
    if listing is not None:
        return listing.listing_id, None if thread is None else thread.thread_id
    return (None, None) if thread is None else (thread.listing_id, thread.thread_id)


A = TypeVar("A", bound=Args)
Handler = Callable[[Market, int, A], Ready]


@dataclass(frozen=True, slots=True)
class ActionSpec(Generic[A]):
    """One of the actions that an agent can take.

    ``facts`` is what the record keeps of a refused attempt, beside its reason.
    """

    name: str
    family: str
    description: str
    args: type[A]
    handler: Handler[A]
    facts: Callable[[Market, int, A], dict[str, Any]] | None = None

    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments, as tool parameters."""
        schema = self.args.model_json_schema()
        _drop_titles(schema)
        schema.setdefault("properties", {})
        schema.pop("description", None)
        return schema


def _drop_titles(part: Any) -> None:
    """Remove the titles that pydantic derives from field names: they say nothing new."""
    if isinstance(part, dict):
        # A property that is itself called "title" is a schema, not a text.
        if isinstance(part.get("title"), str):
            del part["title"]
        for inner in part.values():
            _drop_titles(inner)
    elif isinstance(part, list):
        for inner in part:
            _drop_titles(inner)
