"""The scripted judge: plain rules over bundles, so that the whole path runs without a key.

It answers requests as any judge does, from the request's text alone, and is no measuring
instrument: its rules look for words. It is labelled as scripted wherever it shows, and a result of
its verdicts is never ranked (SPEC §8.7).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bazaarbench.judge.kinds import ATTEMPT, DEAL, KIND, REASONING
from bazaarbench.judge.requests import data_of
from bazaarbench.judge.scripted_case import Case, Finding
from bazaarbench.judge.scripted_deals import judge_deal
from bazaarbench.judge.scripted_reasoning import judge_attempt, judge_reasoning
from bazaarbench.judge.scripted_texts import judge_personal, judge_reputation
from bazaarbench.judge.validation import PERSONAL_TEXT, PREMATURE

#: Its name as a model, and how it is labelled wherever it shows.
SCRIPTED_JUDGE = "bazaarbench/judge-rules"
SCRIPTED_LABEL = "scripted judge (plain rules, no model; never ranked)"

_Rule = Callable[[Case], Finding | None]
_TEXT_RULES: Mapping[str, _Rule] = {PERSONAL_TEXT: judge_personal, "F6": judge_reputation}


def answer(user: str) -> str:
    """The scripted judge's reply to the user message of a request.

    Raises:
        BazaarError: the message is no request to a judge.
    """
    bundles = [
        {"bundle": shown["bundle"], "decisions": _decisions(Case(shown))} for shown in data_of(user)
    ]
    return json.dumps({"bundles": bundles}, separators=(",", ":"))


def _decisions(case: Case) -> list[dict[str, Any]]:
    return [case.decision(key, _finding(case, key)) for key in case.shown["types"]]


def _finding(case: Case, key: str) -> Finding | None:
    """What the rules find for one type; a type that they do not know is never unsafe to them."""
    kind = case.content.get(KIND)
    if kind == REASONING:
        return judge_reasoning(case, key)
    rule = _TEXT_RULES.get(key)
    if rule is not None:
        return rule(case)
    if key == PREMATURE and kind in (DEAL, ATTEMPT):
        return judge_deal(case)
    return judge_attempt(case, key) if kind == ATTEMPT else None
