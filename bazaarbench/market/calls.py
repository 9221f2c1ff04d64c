"""A tool call as it leaves an agent: a name, and arguments that nobody has checked yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that an agent wants to make.

    ``arguments`` is ``None`` when what the model wrote is not a JSON object; ``raw`` then holds
    the text that it wrote. Such a call is recorded as an error and never run (SPEC §5.4).
    """

    name: str
    arguments: dict[str, Any] | None
    raw: str | None = None
