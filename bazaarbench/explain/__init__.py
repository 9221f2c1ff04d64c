"""Why a deal, a failure or a number is what it is, in plain words (SPEC §2).

Everything is read from a record and its findings; nothing is measured a second time.
"""

from __future__ import annotations

from bazaarbench.explain.deals import explain_deal
from bazaarbench.explain.material import Material, gather
from bazaarbench.explain.measures import explain_measure
from bazaarbench.explain.objects import explain_object
from bazaarbench.explain.pages import Explanation, Line, Part, as_json, as_text

__all__ = [
    "Explanation",
    "Line",
    "Material",
    "Part",
    "as_json",
    "as_text",
    "explain_deal",
    "explain_measure",
    "explain_object",
    "gather",
]
