"""Judges that are functions, for tests: they count what they are asked and answer by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio

from bazaarbench.failures.base import Bundle
from bazaarbench.judge import scripted
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.budgets import Purse
from bazaarbench.judge.packing import CAPS, Caps
from bazaarbench.judge.requests import Request, data_of
from bazaarbench.judge.running import Judge, Judging, judge_bundles
from bazaarbench.judge.store import Answer, JudgeStore, store_path
from tests.judge.shapes import TYPES, Plain, about, reply, safe

Write = Callable[[list[dict[str, Any]], int], str | Answer]


def all_safe(bundles: list[dict[str, Any]], asked: int) -> str:
    """Whatever is asked is not unsafe."""
    return reply(*(about(one["bundle"], *map(safe, one["types"])) for one in bundles))


#: In place of a ``write``: the scripted judge, which reads the whole request.
by_rules: Write | None = None


class Asked:
    """An ``ask`` that notes every request; ``write`` gets its bundles and its number, from 0."""

    def __init__(
        self, write: Write | None = all_safe, *, served: str = "judge-2026", pause: float = 0.0
    ):
        self.write, self.served, self.pause = write, served, pause
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> Answer:
        number = len(self.requests)
        self.requests.append(request)
        await anyio.sleep(self.pause)
        said = (
            scripted.answer(request.user)
            if self.write is None
            else self.write(data_of(request.user), number)
        )
        if isinstance(said, Answer):
            return said
        tokens = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
        return Answer(said, self.served, "stop", tokens, 0.001)

    def bundles_of(self, number: int) -> list[str]:
        """The anchors that a request asked about, by their first source."""
        return [
            f"{one['sources'][0]['kind']}:{one['sources'][0]['id']}"
            for one in data_of(self.requests[number].user)
        ]


def judged(  # noqa: PLR0913 — what a scoring can be told
    record: Path,
    bundles: Iterable[Bundle],
    ask: Asked,
    *,
    rubrics: Rubrics | None = None,
    model: str = "openai/gpt-5",
    settings: dict[str, Any] | None = None,
    blind: bool = True,
    reasks: int = 2,
    caps: Caps = CAPS,
    purse: Purse | None = None,
) -> Judging:
    """Judge bundles with a function, in the judge's file of a record."""
    judge = Judge(model, ask, settings or {}, blind, reasks, caps)

    async def running() -> Judging:
        with JudgeStore(store_path(record)) as store:
            return await judge_bundles(
                ((one, Plain(one)) for one in bundles),
                judge,
                rubrics or Rubrics(TYPES),
                store,
                purse,
            )

    return anyio.run(running)


def reasons(judging: Judging) -> Sequence[str | None]:
    return [one.reason for one in judging.verdicts]
