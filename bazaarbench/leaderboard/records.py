"""Rows as records of Every Eval Ever 0.3.0 (evaleval/every_eval_ever on GitHub)."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any

from bazaarbench.errors import BazaarError
from bazaarbench.leaderboard.columns import LeaderColumn
from bazaarbench.leaderboard.rows import Row, Track
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import Estimate
from bazaarbench.slug import slug

SCHEMA_VERSION = "0.3.0"
_COLLECTION = "bazaarbench"
_CONFIDENCE = 0.95
_UNITS = {
    "share": "proportion",
    "points": "proportion",
    "usd": "US dollars",
    "count": "deals",
    "rate": "per deal",
    "per100": "per deal",
}


def record_of(track: Track, row: Row) -> dict[str, Any]:
    """The record of one row. The same row has the same record, with the same ids, every time.

    Undefined numbers have no result: a record has no way to say them.

    Raises:
        BazaarError: it does not fit the schema, which is a defect of ours.
    """
    identity = {
        "model": row.model,
        "settings": row.settings,
        "track": track.digest,
        "runs": [row.cells, row.runs],
        "logs": row.created,
    }
    record = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{_COLLECTION}/{row.model}/{_digest(identity)}",
        "evaluation_timestamp": row.created,
        # When the record was made would change with every export: when it was measured does not.
        "retrieved_timestamp": str(int(datetime.fromisoformat(row.created).timestamp())),
        "source_metadata": {
            "source_name": "BazaarBench",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _track_details(track),
        },
        "eval_library": {
            "name": "inspect_ai",
            "version": row.versions.get("inspect_ai", "unknown"),
            "additional_details": {name: version for name, version in sorted(row.versions.items())},
        },
        "model_info": {
            "name": row.name,
            "id": row.model,
            "developer": developer_of(row.model),
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "settings": row.settings,
            },
        },
        "evaluation_results": [
            _result(track, row, column, estimate)
            for column in track.columns
            if (estimate := row.values[column.key]).value is not None
        ],
    }
    check(record)
    return record


def record_path(track: Track, row: Row) -> str:
    """Where the record stands below the leaderboard's folder, in the layout of its archive."""
    identity = json.dumps([row.model, row.settings, track.digest])
    name = uuid.UUID(bytes=hashlib.sha256(identity.encode()).digest()[:16], version=4)
    developer, _, model = row.model.rpartition("/")
    return f"data/{_COLLECTION}/{slug(developer or 'unknown')}/{slug(model)}/{name}.json"


def developer_of(model: str) -> str:
    """The first part of a model's name, which in Inspect is its provider."""
    return model.partition("/")[0] if "/" in model else "unknown"


def check(record: dict[str, Any]) -> None:
    """Validate a record against the schema that ships with the package.

    Raises:
        BazaarError: it does not fit.
    """
    from jsonschema import Draft7Validator  # type: ignore[import-untyped]

    faults = sorted(Draft7Validator(schema()).iter_errors(record), key=lambda one: list(one.path))
    if faults:
        where = "/".join(map(str, faults[0].path)) or "the record"
        raise BazaarError(
            f"a leaderboard record does not fit Every Eval Ever {SCHEMA_VERSION}: {where}: "
            f"{faults[0].message:.300}. This is a defect of BazaarBench; please report it."
        )


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema of a record."""
    name = f"every-eval-ever-{SCHEMA_VERSION}.schema.json"
    text = (files("bazaarbench.leaderboard") / "data" / name).read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _result(track: Track, row: Row, column: LeaderColumn, found: Estimate) -> dict[str, Any]:
    about = measure(column.measure)
    least, most = _limits(column)
    details = {
        name.removeprefix("_") or "value": json.dumps(value)
        for name, value in found.parts().items()
        if name not in ("", "_low", "_high") and value is not None
    }
    score: dict[str, Any] = {"score": found.value, "details": details}
    if found.interval is not None:
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": found.interval.low,
                "upper": found.interval.high,
                "confidence_level": _CONFIDENCE,
                "method": "percentile bootstrap over tested agents",
            },
        }
    return {
        "evaluation_result_id": f"{track.digest}/{column.key}",
        "evaluation_name": f"{_COLLECTION}.{column.key}",
        "source_data": {
            "dataset_name": "BazaarBench markets",
            "source_type": "other",
            "additional_details": {"markets": ", ".join(track.markets), "track": track.digest},
        },
        "evaluation_timestamp": row.created,
        "metric_config": {
            "evaluation_description": column.title,
            "metric_id": f"{_COLLECTION}.{column.measure}",
            "metric_name": about.title,
            "metric_kind": "difference" if column.contrast else "level",
            "metric_unit": _UNITS[column.unit],
            "lower_is_better": column.better == "low",
            "score_type": "continuous",
            "min_score": least,
            "max_score": most,
            "additional_details": {"better": column.better},
        },
        "score_details": score,
    }


def _limits(column: LeaderColumn) -> tuple[float | str, float | str]:
    if column.unit == "share":
        return 0, 1
    if column.unit == "points":
        return -1, 1
    if column.unit == "usd" or column.contrast is not None:
        return "-Infinity", "Infinity"
    return 0, "Infinity"


def _track_details(track: Track) -> dict[str, str]:
    told = {name: json.dumps(value, sort_keys=True) for name, value in track.about.items()}
    return {
        **told,
        "track": track.digest,
        "rules_name": track.rules,
        "markets": ", ".join(track.markets),
        "conditions": ", ".join(track.conditions),
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
