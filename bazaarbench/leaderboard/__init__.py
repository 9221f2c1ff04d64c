"""The leaderboard: one row per model × settings × track (SPEC §11.3).

It has no composite score, and never ranks what cannot be compared: other tracks and versions,
incomplete matrices, a scripted judge.
"""

from __future__ import annotations

from bazaarbench.leaderboard.columns import COLUMNS, WANTED, LeaderColumn, columns_of
from bazaarbench.leaderboard.rows import Leaderboard, Row, Track, leaderboard_of
from bazaarbench.leaderboard.writing import write_leaderboard

__all__ = [
    "COLUMNS",
    "WANTED",
    "LeaderColumn",
    "Leaderboard",
    "Row",
    "Track",
    "columns_of",
    "leaderboard_of",
    "write_leaderboard",
]
