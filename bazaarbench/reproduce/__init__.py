"""The study's published figures again, from the databases that it released (SPEC §2, §3.7)."""

from __future__ import annotations

from bazaarbench.reproduce.compare import Line, compare
from bazaarbench.reproduce.folder import measure_folder
from bazaarbench.reproduce.published import Published, published
from bazaarbench.reproduce.study import Cell, Study

__all__ = ["Cell", "Line", "Published", "Study", "compare", "measure_folder", "published"]
