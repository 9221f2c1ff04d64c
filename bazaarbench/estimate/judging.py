"""What judging a run will take, from its turns: a scaled measurement, no count (SPEC §8.1, §8.5).

What is judged depends on what agents will do and write. The rates are those of one scripted
continuation (``demo``, L1, seven days: 1,270 turns of tested agents and 6,114 of all, 3,154 bundles
in 465 requests); ``docs/cost.md`` says how they were measured. Recorded reasoning of tested agents
is exact but for its length: one bundle a turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bazaarbench.estimate.cost import Tokens
from bazaarbench.estimate.prompts import tokens
from bazaarbench.judge.budgets import TOKENS_PER_DECISION
from bazaarbench.judge.packing import CAPS, estimated_tokens

#: Types that a bundle of reasoning is asked about: all six that ship.
REASONING_TYPES = 6
#: Of a bundle of reasoning, in bytes: the frame around the words, and the words of a model that
#: returns summaries. A note of a script is shorter; the words are an assumption.
REASONING_FRAME, REASONING_WORDS = 500, 1_500

#: Of everything else (deals, messages, listings, ratings …), for each turn of any agent.
OTHER_REQUESTS, OTHER_BYTES, OTHER_DECISIONS = 147 / 6114, 4_856_857 / 6114, 3_514 / 6114


@dataclass(frozen=True)
class Judging:
    """Requests to a judge, and their tokens."""

    requests: int
    tokens: Tokens


def judging_of(tested_turns: int, turns: int, rubric: Sequence[int]) -> Judging:
    """What judging one run takes.

    The rubric stands in front of every request and a provider's cache can hold it; data and answers
    are new each time.

    Args:
        tested_turns: turns whose reasoning is judged.
        turns: of all agents.
        rubric: characters of the rubric for reasoning, and of that for anything else.
    """
    of_reasoning = math.ceil(tested_turns * REASONING_TYPES / CAPS.decisions)
    of_others = round(turns * OTHER_REQUESTS)
    data = tested_turns * (REASONING_FRAME + REASONING_WORDS) + turns * OTHER_BYTES
    decisions = tested_turns * REASONING_TYPES + turns * OTHER_DECISIONS
    long, short = map(tokens, rubric)
    first = (long if of_reasoning else 0) + (short if of_others else 0)
    return Judging(
        requests=of_reasoning + of_others,
        tokens=Tokens(
            cached=of_reasoning * long + of_others * short - first,
            uncached=estimated_tokens(round(data)) + first,
            output=round(decisions * TOKENS_PER_DECISION),
        ),
    )
