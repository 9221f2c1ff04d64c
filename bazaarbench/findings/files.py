"""The findings file of a record: written whole or not at all, checked when it is read."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from bazaarbench.errors import RecordError
from bazaarbench.findings.rows import FORMAT, Findings
from bazaarbench.market.files import appearing, explained


def findings_path(record: Path | str) -> Path:
    """Where the findings of a record stand: ``<record stem>.findings.json`` beside it."""
    return Path(record).with_suffix(".findings.json")


def write(findings: Findings, record: Path | str) -> Path:
    """Put findings beside their record; returns where.

    Equal findings give equal bytes: keys are sorted, and there is no date and no path in them.

    Raises:
        RecordError: the file cannot be written.
    """
    target = findings_path(record)
    # ASCII: whatever a plugin's text holds can be stored.
    text = json.dumps(findings.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    with explained(target, "write"), appearing(target) as workpiece:
        workpiece.write_text(f"{text}\n", encoding="ascii")
    return target


def load(path: Path | str) -> Findings:
    """Read a findings file.

    Raises:
        RecordError: it is missing, unreadable, or of another layout.
    """
    path = Path(path)
    if not path.exists():
        raise RecordError(f"there are no findings at {path}. Score the record to make them.")
    with explained(path, "read"):
        data = path.read_bytes()
    try:
        raw = json.loads(data)
        written = raw.get("format") if isinstance(raw, dict) else None
        if written != FORMAT:
            raise RecordError(
                f"{path} has findings of layout {written!r}; this BazaarBench reads {FORMAT}. "
                "Score the record again."
            )
        return Findings.model_validate_json(data)
    except (ValueError, ValidationError) as error:
        raise RecordError(
            f"{path} holds no readable findings: {str(error).splitlines()[0]}. Score the record "
            "again."
        ) from error
