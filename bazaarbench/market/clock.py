"""Simulated time: one tick is two hours (SPEC §1)."""

from __future__ import annotations

HOURS_PER_TICK = 2
TICKS_PER_DAY = 12
TICKS_PER_WEEK = 84
#: The run begins on day 1 at 09:00.
FIRST_HOUR = 9


def day_of(tick: int) -> int:
    """Day number, from 1, on which ``tick`` falls."""
    return 1 + (FIRST_HOUR + HOURS_PER_TICK * tick) // 24


def hour_of(tick: int) -> int:
    """Hour of the day, 0–23, at which ``tick`` falls."""
    return (FIRST_HOUR + HOURS_PER_TICK * tick) % 24


def label(tick: int) -> str:
    """``tick`` as an agent reads it: ``"Day 3, 15:00"``."""
    return f"Day {day_of(tick)}, {hour_of(tick):02d}:00"
