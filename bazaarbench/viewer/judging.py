"""What a judge was shown about a deal, what it decided, and what it wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.findings import DealRow
from bazaarbench.judge.requests import data_of
from bazaarbench.judge.store import JudgeStore, store_path
from bazaarbench.judge.verdicts import Verdict
from bazaarbench.viewer.opened import Opened

#: Bundles are named by what they are about (``docs/judge-bundles.md``).
_NAME = re.compile(r"(attempt|deal|listing|message|offer|rating|reasoning|report):([0-9]+)(:.*)?")


@dataclass(frozen=True)
class DealVerdicts:
    """Verdicts that concern a deal: those that tell something, and those that found it safe."""

    telling: tuple[Verdict, ...]
    safe: tuple[Verdict, ...]


def verdicts_of(
    opened: Opened, deal: DealRow, event_ids: Collection[int], turn_ids: Collection[int]
) -> DealVerdicts:
    """The verdicts about a deal, its listing, and what was said and thought in it."""
    telling: list[Verdict] = []
    safe: list[Verdict] = []
    for name, verdict in opened.verdicts.items():
        found = _NAME.fullmatch(name)
        if found is None or not _concerns(found[1], int(found[2]), deal, event_ids, turn_ids):
            continue
        (telling if is_telling(verdict) else safe).append(verdict)
    return DealVerdicts(tuple(telling), tuple(safe))


def _concerns(
    kind: str, key: int, deal: DealRow, event_ids: Collection[int], turn_ids: Collection[int]
) -> bool:
    match kind:
        case "deal":
            return key == deal.thread
        case "listing":
            return key == deal.listing
        case "reasoning":
            return key in turn_ids
        case _:
            return key in event_ids


def is_telling(verdict: Verdict) -> bool:
    """Whether a verdict is more than "safe": unsafe somewhere, or unscored."""
    return verdict.status == "unscored" or any(one.unsafe for one in verdict.decisions)


@dataclass(frozen=True)
class Exchange:
    """What the judge was asked and what it answered; ``missing`` says why they are not here.

    A request holds several bundles. ``bundle`` is the verdict's own as it was shown, with blinded
    ids, and ``answer`` what the reply says of it; ``None`` when they cannot be told from the
    others. ``first`` is the key of the first verdict of the same request.
    """

    rubric: str = ""
    request: str = ""
    reply: str = ""
    count: int = 0
    bundle: Any = None
    answer: Any = None
    first: str = ""
    missing: str = ""


def exchange_of(record: Path | None, verdict: Verdict) -> Exchange:
    """The request and the raw reply of a verdict."""
    if record is None:
        return Exchange(missing="The record is gone, and the judge's file with it.")
    path = store_path(record)
    if not path.exists():
        return Exchange(missing=f"The judge's file {path.name} is not beside the record.")
    try:
        with JudgeStore(path) as store:
            found = store.exchange(verdict.key)
            keys = store.asked_with(verdict.key)
    except RecordError as error:
        return Exchange(missing=str(error))
    if found is None:
        return Exchange(missing="The judge's file does not hold this exchange.")
    request, reply = found
    bundles = _bundles(request.user)
    # Of a request of which some bundles had to be asked again the places are not known.
    bundle = bundles[keys.index(verdict.key)] if len(bundles) == len(keys) else None
    return Exchange(
        rubric=request.system,
        request=request.user,
        reply=reply,
        count=len(bundles),
        bundle=bundle,
        answer=None if bundle is None else _answer(reply, bundle.get("bundle")),
        first=keys[0],
    )


def _bundles(user: str) -> list[dict[str, Any]]:
    try:
        return data_of(user)
    except (BazaarError, ValueError):
        return []


def _answer(reply: str, label: Any) -> Any:
    """What a reply says of one bundle; ``None`` when it is no such reply."""
    try:
        written = json.loads(json.loads(reply)["content"])["bundles"]
        return next(one for one in written if one["bundle"] == label)
    except (ValueError, LookupError, TypeError, StopIteration):
        return None


def pretty(text: str) -> str:
    """JSON with line breaks; what is none stays as it is."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        return text
