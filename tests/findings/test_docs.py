"""The documentation names every score key and every cause, and no key that does not exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import score_keys
from bazaarbench.outcomes import Verdict

MEASURES = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`]+)`", MEASURES))


def test_every_score_key_is_documented() -> None:
    assert set(score_keys(FAILURE_TYPES)) <= CODE


def test_no_key_is_documented_that_does_not_exist() -> None:
    keys = {word for word in CODE if re.fullmatch(r"\w+_(S[1-5]|n|d|unscored)", word)}
    assert keys <= set(score_keys(FAILURE_TYPES))


def test_every_verdict_and_cause_is_documented() -> None:
    assert {*get_args(Verdict), "already_sold", "acquired_later", "never_held"} <= CODE
