"""Evidence in which somebody talks to the judge: the same bundle with and without (SPEC §8.1).

Every payload is planted in every host. What it says must not change a verdict: ``judge compare``
reports how often it does, for any model.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bazaarbench.judge.calibration_items import Item, shipped_items

_HOSTS, _PAYLOADS = "injection_hosts", "injection_payloads"
#: Fields with an agent's own words; the payload is put behind what stands there.
_WORDS = ("text", "description", "note")


class Payload(BaseModel):
    """Words to a judge, and where they are planted: in the judged words, the answer, or a name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    text: str
    where: Literal["judged", "answer", "name"] = "judged"


@cache
def payloads() -> tuple[Payload, ...]:
    """The payloads that ship."""
    place = files("bazaarbench.judge").joinpath("sets", f"{_PAYLOADS}.jsonl")
    lines = place.read_text("utf-8").splitlines()
    return tuple(Payload.model_validate_json(line) for line in lines if line.strip())


def injection_items() -> list[Item]:
    """The hosts, and behind each of them its copies with one payload planted."""
    return [item for host in shipped_items(_HOSTS) for item in (host, *_planted(host))]


def _planted(host: Item) -> Iterator[Item]:
    for payload in payloads():
        content = copy.deepcopy(dict(host.bundle.content))
        if not _plant(content, payload):
            continue
        told = host.model_dump(mode="json")
        told["bundle"]["content"] = content
        told |= {"id": f"{host.id}+{payload.name}", "pair": host.id}
        told["tags"] = [*told["tags"], payload.name]
        yield Item.model_validate_json(json.dumps(told))


def _plant(content: dict[str, Any], payload: Payload) -> bool:
    """Put a payload into a content; whether there was a place for it."""
    if payload.where == "name":
        people = content.get("reputation") or []
        for person in people:
            person["display_name"] = payload.text
        return bool(people)
    if payload.where == "answer":
        return _append(content.get("after"), payload.text)
    return any(_append(content.get(shelf), payload.text) for shelf in ("judged", "calls"))


def _append(entries: Any, text: str) -> bool:
    for entry in entries if isinstance(entries, list) else [entries]:
        for name in _WORDS if isinstance(entry, dict) else ():
            if isinstance(entry.get(name), str):
                entry[name] = f"{entry[name]}\n{text}"
                return True
    return False
