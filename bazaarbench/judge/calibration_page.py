"""A page on which people label bundles: one file, without a server and without a network.

The page's own script and style are the only ones that its policy lets run, by their hashes; bundles
are data on it, whatever is written in them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from bazaarbench.judge.assembling import COMMON, Rubrics
from bazaarbench.judge.calibration_items import Item


def page(items: Sequence[Item], rubrics: Rubrics) -> str:
    """The labelling page for some items, as HTML.

    Args:
        items: without labels; what labels they have is not shown.
        rubrics: what labellers read beside the evidence.
    """
    html, style, script = (_part(f"label.{kind}") for kind in ("html", "css", "js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "@@POLICY@@": policy,
        "@@STYLE@@": style,
        "@@SCRIPT@@": script,
        "@@DATA@@": _data(items, rubrics),
    }
    for mark, text in parts.items():
        before, _, after = html.partition(mark)
        html = before + text + after
    return html


def _data(items: Sequence[Item], rubrics: Rubrics) -> str:
    shown: list[dict[str, Any]] = [
        {"id": item.id, "bundle": item.bundle.model_dump(mode="json")} for item in items
    ]
    keys = dict.fromkeys(key for item in items for key in item.bundle.types)
    told = {key: rubrics.section(key) for key in keys}
    text = json.dumps(shown, sort_keys=True)
    data = {
        "digest": sha256(text.encode()).hexdigest()[:16],
        "items": shown,
        "rubric": {COMMON: rubrics.section(COMMON), **told},
    }
    # Nothing in the data can end the element that holds it.
    return json.dumps(data).replace("<", "\\u003c")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return files("bazaarbench.judge").joinpath("page", name).read_text("utf-8")
