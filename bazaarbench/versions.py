"""The two versions that every record, score and export carries (SPEC §15).

They follow the ``N-X`` scheme of inspect_evals: ``N`` changes when results stop being comparable,
``X`` when an interface changes and the numbers do not.
"""

from __future__ import annotations

#: Market semantics and prompts.
BENCHMARK_VERSION = "1-A"
#: Measurement: evidence, failure types, outcomes.
CHECKS_VERSION = "1-B"
