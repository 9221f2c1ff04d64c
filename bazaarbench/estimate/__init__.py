"""What a run will take before it is started: calls, tokens, money, time, epochs (SPEC §2).

Calls are counted from the activity draws, prompts are measured in the saved state; what nobody can
know before (the length of answers, what there will be to judge) is an assumption and says so
(``docs/cost.md``). Knows no Inspect.
"""

from __future__ import annotations

from bazaarbench.estimate.cost import FREE, Payer, Tokens, tokens_of
from bazaarbench.estimate.pace import waves
from bazaarbench.estimate.precision import KNOWN, Precision, precision
from bazaarbench.estimate.prompts import PromptSizes, measured_prompts
from bazaarbench.estimate.sample import Played, Role, RoleEstimate, SampleEstimate, sample_estimate
from bazaarbench.estimate.turns import Turns, drawn_turns

__all__ = [
    "FREE",
    "KNOWN",
    "Payer",
    "Played",
    "Precision",
    "PromptSizes",
    "Role",
    "RoleEstimate",
    "SampleEstimate",
    "Tokens",
    "Turns",
    "drawn_turns",
    "measured_prompts",
    "precision",
    "sample_estimate",
    "tokens_of",
    "waves",
]
