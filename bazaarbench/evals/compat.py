"""The private Inspect names that the recipe of DESIGN §3.3 uses, in one place.

Each is looked up by name, so that a release that moves one costs time and memory and nothing else:
``tests/evals/test_compat.py`` fails then, and says which.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inspect_ai.event import InfoEvent, ModelEvent
from inspect_ai.log import Transcript, transcript
from inspect_ai.model import Model
from pydantic import JsonValue

#: What is looked up, as module and attribute.
PRIVATE_NAMES: dict[str, tuple[str, str]] = {
    "PrerequisiteError": ("inspect_ai._util.error", "PrerequisiteError"),
    "init_transcript": ("inspect_ai.log._transcript", "init_transcript"),
    "Transcript._event": ("inspect_ai.log._transcript", "Transcript._event"),
    "active_model": ("inspect_ai.model._model", "active_model"),
    "sample_active": ("inspect_ai.log._samples", "sample_active"),
    "suspend_store_events": ("inspect_ai.util._store", "suspend_store_events"),
}


def private(name: str) -> Any:
    """One of ``PRIVATE_NAMES``, or ``None`` when this release of Inspect has moved it."""
    module, path = PRIVATE_NAMES[name]
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


class _PlainPrerequisiteError(Exception):
    """Stands in for Inspect's own, whose message the command line prints without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


PrerequisiteError: type[Exception] = private("PrerequisiteError") or _PlainPrerequisiteError
_init_transcript: Callable[[Transcript], None] | None = private("init_transcript")
_append_event: Callable[[Transcript, Any], None] | None = private("Transcript._event")
_active_model: Callable[[], Model | None] | None = private("active_model")
_sample_active: Callable[[], Any] | None = private("sample_active")
_suspend_store_events: Callable[[], AbstractContextManager[None]] | None = private(
    "suspend_store_events"
)


def evaluated_model() -> Model | None:
    """The model of the eval that a task is being made for.

    ``None`` when the task is made before its eval, in a user's own code, so that neither the model
    nor the roles are known yet; or when Inspect does not tell.
    """
    return _active_model() if _active_model else None


@dataclass(frozen=True)
class RunningSample:
    """Where the sample of this coroutine is running."""

    eval_id: str
    log_location: str


def running_sample() -> RunningSample | None:
    """The running sample; ``None`` outside of one, or when Inspect does not tell."""
    sample = _sample_active() if _sample_active else None
    if sample is None:
        return None
    return RunningSample(eval_id=sample.eval_id, log_location=sample.log_location)


def suspended_store_events() -> AbstractContextManager[None]:
    """Keep spans from copying the whole store at their start and end."""
    return _suspend_store_events() if _suspend_store_events else contextlib.nullcontext()


def add_info_event(data: JsonValue, *, source: str, uuid: str) -> None:
    """Add an info event to the transcript, under a uuid that links can name beforehand."""
    if _append_event is None:
        transcript().info(data, source=source)
        return
    _append_event(transcript(), InfoEvent(source=source, data=data, uuid=uuid))


@contextlib.contextmanager
def own_transcript(slim: Callable[[ModelEvent], bool] | None) -> Iterator[None]:
    """Give the model call inside a throw-away transcript.

    A call's event carries every tool's schema and is written three times while it runs. Afterwards
    the sample's transcript gets every event that is none of a model call (a limit, an error), and
    the model event when ``slim`` keeps it.

    Args:
        slim: Takes out of the model event what is not to be kept, and says whether the rest is.
    """
    if _init_transcript is None or _append_event is None:
        yield
        return
    main = transcript()
    own = Transcript(log_model_api=False)
    _init_transcript(own)
    try:
        yield
    finally:
        _init_transcript(main)
        for event in own.events:
            if isinstance(event, ModelEvent) and not (slim and slim(event)):
                continue
            _append_event(main, event)
