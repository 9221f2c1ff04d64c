"""The record behind a sample of a log, for ``bazaarbench explain``."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.log import (
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)

from bazaarbench.errors import BazaarError, RecordError, SettingError
from bazaarbench.evals.records import RecordPlace, find_scored, folder_of
from bazaarbench.market.record import digest


def record_of_sample(log: str, sample: str | None, epoch: int | None) -> Path:
    """The record that a sample of a log played.

    Args:
        log: path or URL of the log.
        sample: the sample's id; not needed when the log has one.
        epoch: which epoch of it, from 1; not needed when there is one.

    Raises:
        BazaarError: it is no log, or the record is gone.
        SettingError: the log has no such sample, or more than one.
    """
    try:
        header = read_eval_log(log, header_only=True)
        summaries = read_eval_log_sample_summaries(log)
    # Inspect's reader and the zip, JSON and compression beneath it have no error in common:
    # whatever one of them raises about this file, the file cannot be read.
    except Exception as error:
        raise BazaarError(
            f"{log} cannot be read as a log of Inspect ({error}). Give the path of an .eval file, "
            "or of a record (.db)."
        ) from error
    known = sorted((str(one.id), one.epoch) for one in summaries)
    chosen = [
        (name, number)
        for name, number in known
        if sample in (None, name) and epoch in (None, number)
    ]
    if len(chosen) != 1:
        listed = "\n  ".join(f"--sample {name} --epoch {number}" for name, number in known)
        what = "several samples fit" if chosen else "it has no such sample"
        raise SettingError(f"which sample of {log}? {what}. It has:\n  {listed or 'none'}")
    ((name, number),) = chosen
    folder = folder_of(log)
    place = RecordPlace(header.eval.task_id, name, number, folder)
    path = find_scored(place, None, folder)
    _refuse_another(path, log, name, number)
    return path


def _refuse_another(path: Path, log: str, sample: str, epoch: int) -> None:
    """Refuse a record that lies in the place of the one that the sample played."""
    kept = read_eval_log_sample(log, sample, epoch, exclude_fields={"events", "messages"})
    played = kept.store.get("MarketRun:digest")
    found = digest(path)
    if played and found != played:
        raise RecordError(
            f"{path} is not the record that this sample played: its digest is {found[:12]}… and "
            f"the log says {played[:12]}…. Put the right file there, or give its path alone."
        )
