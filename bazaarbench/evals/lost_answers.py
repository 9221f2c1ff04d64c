"""Answers of ticks that were never committed: paid for, and in no record (SPEC §13).

Every answer of a model is noted in a file beside the record as it comes, and crossed out when its
tick is committed, because the record has it then. What is left when a run ends early stays: the
tick will be asked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bazaarbench.agents.policy import Generate, Message, Reply
from bazaarbench.errors import RecordError
from bazaarbench.evals.records import LOST
from bazaarbench.evals.spending import Charge
from bazaarbench.market.files import explained


class LostAnswers:
    """The file of one record; it is there only while something is in it."""

    def __init__(self, record: Path, last_tick: int) -> None:
        """Read what earlier attempts left.

        Args:
            record: the record's path.
            last_tick: its last committed tick; later ticks' answers are lost.

        Raises:
            RecordError: the file cannot be read or written.
        """
        self.path = record.with_suffix(LOST)
        self._file: int | None = None
        #: Answers of the tick that is being played.
        self.waiting: list[Charge] = []
        try:
            self.charges, whole = self._left(last_tick)
            self._kept = len(whole)
            if self.path.exists():
                _replace(self.path, whole)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise RecordError(
                f"{self.path} cannot be used: {error}. It only says what answers cost whose tick "
                "was not committed; move it away to go on without them in the totals."
            ) from error

    def _left(self, last_tick: int) -> tuple[list[Charge], bytes]:
        """The answers that no record has, and the lines of the file that say so."""
        if not self.path.exists():
            return [], b""
        charges, kept = [], []
        # The last line of a killed run may be cut off; what was not written whole is not known.
        for line in self.path.read_bytes().split(b"\n")[:-1]:
            told: dict[str, Any] = json.loads(line)
            if not told.get("lost") and told["tick"] <= last_tick:
                continue
            kept.append(json.dumps({**told, "lost": True}, sort_keys=True).encode() + b"\n")
            charges.append(Charge(told["role"], 1, told["usage"]))
        return charges, b"".join(kept)

    def noting(self, role: str, tick: Callable[[], int], generate: Generate) -> Generate:
        """A policy's way to its model, with every answer noted.

        Args:
            role: whose calls these are.
            tick: the market's tick.
            generate: asks the model.
        """

        async def noted(messages: Sequence[Message]) -> Reply:
            reply = await generate(messages)
            if reply.usage:
                self._note(tick(), role, reply.usage)
            return reply

        return noted

    def _note(self, tick: int, role: str, usage: Mapping[str, int]) -> None:
        line = {"role": role, "tick": tick, "usage": dict(usage)}
        self.waiting.append(Charge(role, 1, dict(usage)))
        with explained(self.path, "write"):
            if self._file is None:
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            os.write(self._file, json.dumps(line, sort_keys=True).encode() + b"\n")

    def committed(self) -> None:
        """The record has this tick's answers now."""
        self.waiting.clear()
        if self._file is not None:
            os.ftruncate(self._file, self._kept)

    def close(self) -> None:
        """Let go of the file; an empty one is removed."""
        if self._file is None:
            return
        os.close(self._file)
        self._file = None
        if not self.path.stat().st_size:
            self.path.unlink()


def _replace(path: Path, content: bytes) -> None:
    if not content:
        path.unlink()
        return
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(content)
    os.replace(partial, path)
