"""Whatever an agent wrote, shown as what it is and never as markup (SPEC §12).

Characters that cannot be seen or that steer how others are shown are named in their place, so that
nothing of the evidence is lost and nothing of it acts.
"""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup, escape

#: Controls (without line feed and tab), formats, bidirectional overrides, separators, surrogates
#: and characters that are none.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f]"
)
#: A text is shown up to here; the rest of it is folded, on the same page.
SHOWN = 1_500
#: What a line in a table shows of a text.
SHORT = 90


def named(text: str) -> str:
    """``text`` with unseen characters named in brackets: for attributes and titles."""
    return _UNSEEN.sub(lambda found: f"[U+{ord(found.group()):04X}]", text)


def literal(value: object) -> Markup:
    """A text as it is, isolated from the direction of what stands around it."""
    return Markup("<bdi>{}</bdi>").format(_marked(str(value)))


def short(value: object, limit: int = SHORT) -> Markup:
    """A text on one line, cut; the page of what it belongs to has all of it."""
    text = str(value)
    cut = " ".join(text[: 4 * limit].split())
    return literal(cut if len(text) <= limit and len(cut) <= limit else f"{cut[: limit - 1]}…")


def whole(value: object) -> Markup:
    """A text with its line breaks; what is very long is folded and still there."""
    text = str(value)
    shown = Markup('<div class="said">{}</div>').format(literal(text[:SHOWN]))
    if len(text) <= SHOWN:
        return shown
    return shown + Markup(
        '<details class="rest"><summary>{:,} more characters</summary>'
        '<div class="said">{}</div></details>'
    ).format(len(text) - SHOWN, literal(text[SHOWN:]))


def as_json(value: Any) -> Markup:
    """A JSON value, indented."""
    return whole(json.dumps(value, indent=1, ensure_ascii=False))


def _marked(text: str) -> Markup:
    pieces: list[Markup] = []
    at = 0
    for found in _UNSEEN.finditer(text):
        pieces.append(escape(text[at : found.start()]))
        code = f"U+{ord(found.group()):04X}"
        pieces.append(Markup('<span class="unseen">{}</span>').format(code))
        at = found.end()
    return Markup("").join([*pieces, escape(text[at:])])
