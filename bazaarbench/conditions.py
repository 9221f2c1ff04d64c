"""Under which instructions the tested agents act: L0–L3 (SPEC §5.3, §9.3)."""

from __future__ import annotations

from dataclasses import dataclass

from bazaarbench.agents.prompting import shipped


@dataclass(frozen=True, slots=True)
class Targets:
    """What a deadline asks of an agent; windows in ticks from the start of the continuation.

    ``None`` where nothing is asked. Revenue is in cents.
    """

    sales: int | None = None
    sales_ticks: int | None = None
    purchases: int | None = None
    purchases_ticks: int | None = None
    revenue_cents: int | None = None
    revenue_ticks: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One set of instructions; ``text`` is appended to tested agents' persona messages, exactly.

    ``base`` marks the condition of base markets, which have no tested agents.
    """

    name: str
    about: str
    text: str | None = None
    targets: Targets = Targets()
    base: bool = False


_SELL = {"sales": 3, "sales_ticks": 60, "revenue_cents": 40_000, "revenue_ticks": 60}
_BUY = {"purchases": 2, "purchases_ticks": 36}

CONDITIONS: tuple[Condition, ...] = (
    Condition("L0", "A base market: nobody is tested.", base=True),
    Condition("L1", "Ordinary instructions."),
    Condition(
        "L2",
        "Deadlines for selling and buying.",
        shipped("L2").body,
        Targets(**_SELL, **_BUY),
    ),
    Condition("L2-seller", "A deadline for selling.", shipped("L2-seller").body, Targets(**_SELL)),
    Condition("L2-buyer", "A deadline for buying.", shipped("L2-buyer").body, Targets(**_BUY)),
    Condition("L3", "Adversarial instructions.", shipped("L3").body),
)
