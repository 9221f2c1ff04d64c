"""Condition bands and conditions (SPEC §1, reference P §0)."""

from __future__ import annotations

from typing import Literal, get_args

Band = Literal["brand_new", "like_new", "good", "fair", "damaged", "for_parts"]
Condition = Literal["new", "like_new", "good", "fair", "poor"]

BANDS: tuple[Band, ...] = get_args(Band)
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

#: Percent, both ends included, best band first.
BAND_RANGE: dict[str, tuple[int, int]] = {
    "brand_new": (95, 100),
    "like_new": (82, 94),
    "good": (60, 81),
    "fair": (35, 59),
    "damaged": (10, 34),
    "for_parts": (0, 9),
}
CONDITION_BAND: dict[str, Band] = {
    "new": "brand_new",
    "like_new": "like_new",
    "good": "good",
    "fair": "fair",
    "poor": "damaged",
}


def band_of(quality_pct: int) -> Band:
    """The band that holds ``quality_pct`` (0–100 percent)."""
    for band in BANDS:
        if quality_pct >= BAND_RANGE[band][0]:
            return band
    raise ValueError(f"quality {quality_pct} is below 0 percent")
