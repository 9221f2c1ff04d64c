"""Every failure object with its evidence, one JSON a line (SPEC §11.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bazaarbench.errors import SettingError
from bazaarbench.market.files import appearing, explained
from bazaarbench.report.reading import ReadFindings
from bazaarbench.report.runs import Logged


def write_failures(found: Iterable[tuple[Logged, ReadFindings, bytes]], target: Path) -> int:
    """Write a line for each failure object; the file appears whole.

    Args:
        found: runs with their findings, parsed and as they are.
        target: the file.

    Returns:
        How many objects there are.

    Raises:
        RecordError: the file cannot be written.
        SettingError: its folder does not exist.
    """
    check_folder(target)
    count = 0
    with (
        explained(target, "write"),
        appearing(target) as workpiece,
        workpiece.open("w", encoding="ascii") as lines,
    ):
        for logged, findings, data in found:
            for line in failure_lines(logged, findings, data):
                lines.write(json.dumps(line, sort_keys=True, allow_nan=False) + "\n")
                count += 1
    return count


def check_folder(target: Path) -> None:
    """Refuse a file whose folder does not exist, before anything long is begun.

    Raises:
        SettingError: it does not.
    """
    if not target.parent.is_dir():
        raise SettingError(f"{target.parent} is no folder. Make it, or choose another --jsonl.")


def failure_lines(logged: Logged, findings: ReadFindings, data: bytes) -> Iterator[dict[str, Any]]:
    """The failure objects of one run, each as the findings have it, with where it was found.

    ``evidence`` are its event ids by stage, in the order of the record.
    """
    run = {
        "log": logged.log,
        "task_id": logged.task_id,
        "sample_id": logged.sample_id,
        "epoch": logged.epoch,
        "model": logged.model,
        "settings": logged.settings,
        "market": findings.market,
        "condition": findings.condition,
        "rules": findings.play.get("rules_name"),
        "digest": findings.digest,
        "benchmark_version": findings.benchmark_version,
        "checks_version": findings.checks_version,
    }
    kinds: dict[str, Any] = json.loads(data)["types"]
    for key, kind in kinds.items():
        for one in kind["objects"]:
            evidence = {
                stage: [event_id for _, event_id in step["events"]]
                for stage, step in one["steps"].items()
            }
            yield {
                "run": run,
                "type": key,
                "title": kind["title"],
                "decided_by": kind["decided_by"],
                "object": one,
                "evidence": evidence,
            }
