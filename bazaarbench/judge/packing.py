"""Several bundles in one request, under stated caps (reference M §5.3).

Only bundles with the same targets share a request: they are judged by the same rubric, and a
verdict depends on nothing that its bundle does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bazaarbench.failures.base import Bundle
from bazaarbench.judge.requests import as_data, shown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caps:
    """What one request holds at most; a single bundle that is larger goes alone.

    ``tokens`` are estimated: three bytes each. ``decisions`` are bundles times their targets.
    """

    bytes: int = 240_000
    tokens: int = 80_000
    bundles: int = 24
    decisions: int = 24


CAPS = Caps()


@dataclass(frozen=True, slots=True)
class Packed(Generic[T]):
    """A bundle in a pack, with what belongs to it."""

    bundle: Bundle
    about: T
    size: int


@dataclass(slots=True)
class Pack(Generic[T]):
    """The bundles of one request, all with the same targets, in their order."""

    targets: tuple[str, ...]
    members: list[Packed[T]] = field(default_factory=list)
    size: int = 0

    @property
    def decisions(self) -> int:
        """How many decisions are asked for."""
        return len(self.members) * len(self.targets)

    def takes(self, size: int, caps: Caps) -> bool:
        """Whether a further bundle of so many bytes fits."""
        if not self.members:
            return True
        total = self.size + size
        return (
            len(self.members) < caps.bundles
            and self.decisions + len(self.targets) <= caps.decisions
            and total <= caps.bytes
            and estimated_tokens(total) <= caps.tokens
        )


def estimated_tokens(size: int) -> int:
    """Tokens of so many bytes, estimated to the careful side."""
    return (size + 2) // 3


def packs(bundles: Iterable[tuple[Bundle, T]], caps: Caps = CAPS) -> list[Pack[T]]:
    """Pack bundles greedily in their order, those with the same targets together.

    Args:
        bundles: as they are shown, each with what belongs to it.
        caps: what one request holds.
    """
    full: list[Pack[T]] = []
    open_packs: dict[tuple[str, ...], Pack[T]] = {}
    for bundle, about in bundles:
        size = len(as_data(shown(bundle, "b00")).encode())
        pack = open_packs.get(bundle.targets)
        if pack is None or not pack.takes(size, caps):
            pack = open_packs[bundle.targets] = Pack(bundle.targets)
            full.append(pack)
        pack.members.append(Packed(bundle, about, size))
        pack.size += size
    return full
