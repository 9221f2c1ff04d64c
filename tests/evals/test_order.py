"""The market is the same whatever the latency and the concurrency of the provider (SPEC §4.9)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import anyio
import pytest

from bazaarbench.evals.provider import ScriptAPI
from tests.evals.runs import finished, kept, play

SETTINGS = {"condition": "L3", "model": "bazaarbench/crooked", "tested": list(range(1, 21))}


@pytest.fixture(scope="module")
def expected(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    log = play(tmp_path_factory.mktemp("logs"), market=tiny, **SETTINGS)
    return str(kept(finished(log), "digest"))


@pytest.mark.parametrize("connections", [1, 32])
@pytest.mark.parametrize("late", [False, True])
def test_latency_and_concurrency_change_nothing(
    tiny: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: str,
    connections: int,
    late: bool,
) -> None:
    whole = ScriptAPI.generate
    clock = random.Random(connections)

    async def generate(self: ScriptAPI, **asked: Any) -> Any:
        if late:
            await anyio.sleep(clock.random() / 200)
        return await whole(self, **asked)

    monkeypatch.setattr(ScriptAPI, "generate", generate)
    log = play(tmp_path, market=tiny, max_connections=connections, **SETTINGS)
    assert kept(finished(log), "digest") == expected


def test_retries_of_the_provider_change_nothing(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str
) -> None:
    whole, failed = ScriptAPI.generate, set[str]()

    async def generate(self: ScriptAPI, **asked: Any) -> Any:
        seen = asked["input"][-1].text
        if len(seen) % 10 == 0 and seen not in failed:
            failed.add(seen)
            raise TimeoutError("busy")
        return await whole(self, **asked)

    monkeypatch.setattr(ScriptAPI, "generate", generate)
    monkeypatch.setattr(ScriptAPI, "should_retry", lambda self, error: type(error) is TimeoutError)
    monkeypatch.setattr(ScriptAPI, "retry_wait", lambda self: lambda state: 0)
    log = play(tmp_path, market=tiny, **SETTINGS)
    assert failed
    assert kept(finished(log), "digest") == expected
