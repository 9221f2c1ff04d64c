"""Keyed draws: every chance in a market is a hash of what it is about (SPEC §4.9).

A draw depends on its key alone, never on how many draws came before it, so the order of execution,
a resume or a fork cannot change it. All results are integers: no float decides an order.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b, blake2s
from typing import TypeVar

T = TypeVar("T")

_RANGE = 1 << 64


def draw(*key: object) -> int:
    """A 64-bit integer that depends on ``key`` alone; the parts are joined as text by ``|``."""
    text = "|".join(map(str, key)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def below(bound: int, *key: object) -> int:
    """An integer in ``0 … bound − 1``."""
    return draw(*key) * bound >> 64


def between(low: int, high: int, *key: object) -> int:
    """An integer in ``low … high``, both included."""
    return low + below(high - low + 1, *key)


def chance(permille: int, *key: object) -> bool:
    """True with probability ``permille`` ÷ 1000."""
    return below(1000, *key) < permille


def choice(options: Sequence[T], *key: object) -> T:
    """One of ``options``, each equally likely."""
    return options[below(len(options), *key)]


def shuffled(options: Sequence[T], *key: object) -> list[T]:
    """``options`` in an order that depends on ``key`` alone."""
    order = sorted(range(len(options)), key=lambda i: (draw(*key, i), i))
    return [options[i] for i in order]


def acts(seed: int, agent_id: int, tick: int, activity_permille: int) -> bool:
    """Whether an agent takes a turn in a tick: the same whatever the model (SPEC §4.9a).

    The draw is the released one (reference case 44), so an imported market keeps its rhythm.
    """
    text = f"llm-policy-activity:{seed + agent_id}:{agent_id}:{tick}".encode()
    value = int.from_bytes(blake2s(text, digest_size=8).digest(), "big")
    return value * 1000 <= activity_permille * _RANGE
