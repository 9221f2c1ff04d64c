"""A record in which everything that an agent could have written is hostile."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from bazaarbench.findings import findings_path
from bazaarbench.judge.results import results_path
from tests.viewer.played import edit_json

HOSTILE = (
    "<script>document.title='ran'</script>",
    "</script></style></textarea></title>",
    "<style>body{display:none}</style>",
    "<img src=x onerror=\"document.title='ran'\">",
    "<svg/onload=document.title='ran'>",
    '"><a href="javascript:document.title=1">click</a>',
    "' onmouseover='document.title=1",
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "![](http://elsewhere.example/x.png)",
    "<link rel=stylesheet href=//elsewhere.example/x.css>",
    "<meta http-equiv=refresh content='0;url=http://elsewhere.example'>",
    "{{7*7}} {% raw %} ${7*7} <%= 7*7 %>",
    "]]><!--<x",
    "&lt;b&gt; &amp; &#60;",
    "safe\u202egnp.exe\u2066x\u2069",
    "zero\u200bwidth\ufeff",
    "nul\x00and\x1b[31mescape\x07",
)
#: Half a character, as a provider's broken stream may leave it; only JSON can hold it.
SURROGATE = "half\ud83d"
MEGABYTE = 1_000_000
ALL = " | ".join(HOSTILE)


def spoil(record: Path) -> None:
    """Put hostile texts wherever an agent, a persona or a judge can write; facts stay."""
    connection = sqlite3.connect(record)
    rows = connection.execute("SELECT event_id, payload, result FROM events").fetchall()
    for event_id, payload, result in rows:
        changed = (json.dumps(_spoilt(json.loads(one or "{}"))) for one in (payload, result))
        connection.execute(
            "UPDATE events SET payload = ?, result = ? WHERE event_id = ?", (*changed, event_id)
        )
    connection.execute("UPDATE listings SET title = ?, description = ?", (ALL, ALL))
    connection.execute("UPDATE units SET title = ?, description = ?", (ALL, ALL))
    connection.execute("UPDATE agents SET display_name = ?, street = ?, device = ?", (ALL,) * 3)
    connection.execute("UPDATE agents SET user_name = ? || agent_id", (ALL,))
    goal = {"title": ALL, "ceiling_cents": 5_000}
    persona = json.dumps({"style": ALL + SURROGATE, "profession": ALL, ALL: [ALL], "buyer": goal})
    connection.execute("UPDATE agents SET persona = ?", (persona,))
    connection.execute(
        "UPDATE turns SET note = ?, reasoning = ?, text = ?, error = ?, model = ?, "
        "stop_reason = ?, usage = ?",
        (ALL, ALL, "M" * MEGABYTE, ALL, ALL, ALL, json.dumps({ALL: ALL})),
    )
    connection.execute("UPDATE exchanges SET location = ?", (ALL,))
    connection.commit()
    connection.close()
    edit_json(findings_path(record), _spoil_findings)
    edit_json(results_path(record), _spoil_verdicts)


def _spoilt(value: Any, key: str = "") -> Any:
    """The same with hostile texts; what is looked up by its word stays."""
    if isinstance(value, dict):
        return {name: _spoilt(one, name) for name, one in value.items()} | {f"x{ALL}": SURROGATE}
    if isinstance(value, list):
        return [_spoilt(one) for one in value]
    plain = {"stated_quality_band", "status", "privacy_mode", "delivery_method", "payment_method"}
    return ALL + SURROGATE if isinstance(value, str) and key not in plain else value


def _spoil_findings(found: dict[str, Any]) -> None:
    found["faults"] = [ALL]
    found["play"]["rules_name"] = ALL
    found["play"]["not_comparable"] = [ALL]
    for kind in found["types"].values():
        kind["title"] = ALL
        for one in kind["objects"]:
            one["cause"] = ALL
            one["facts"] = {ALL: ALL}


def _spoil_verdicts(judged: dict[str, Any]) -> None:
    for verdict in judged["verdicts"]:
        for one in verdict["decisions"]:
            one["rationale"] = ALL
            one["subtype"] = ALL
