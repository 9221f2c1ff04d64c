"""The records that logs name, and the bundles in them, for the judge's calibration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

from bazaarbench import plugins
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.evals.judging_parts import instructions
from bazaarbench.evals.records import RecordPlace, find_scored, folder_of
from bazaarbench.evidence import read
from bazaarbench.failures.base import Bundle
from bazaarbench.judge import results
from bazaarbench.judge.blinding import Shown
from bazaarbench.judge.calibration_sampling import Candidate, candidate
from bazaarbench.judge.showing import shown_bundles
from bazaarbench.judge.verdicts import Verdict
from bazaarbench.market.record import digest


@dataclass(frozen=True)
class Source:
    """A record that bundles are drawn from, by its digest."""

    path: Path
    digest: str

    def shown(self, *, blinded: bool) -> Iterator[tuple[Bundle, Shown]]:
        """All its bundles."""
        types = plugins.load().failure_types.values()
        evidence = read(self.path)
        return shown_bundles(
            evidence,
            types,
            digest=self.digest,
            blinded=blinded,
            instructions=instructions(),
            faults={},
        )

    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts beside it, by bundle; none when nobody has judged it."""
        path = results.results_path(self.path)
        if not path.exists():
            return {}
        return {one.bundle_id: one for one in results.load(path).verdicts}

    def candidates(self) -> list[Candidate]:
        """Its bundles, without their content."""
        verdicts = self.verdicts()
        return [
            candidate(self.digest, bundle, verdicts.get(bundle.bundle_id))
            for bundle, _ in self.shown(blinded=False)
        ]


def sources_of(paths: Sequence[str]) -> list[Source]:
    """The records of some logs; a record's own path stands for itself. Each record once.

    Raises:
        BazaarError: a path is neither, or a record is gone.
    """
    found: dict[str, Source] = {}
    for path in paths:
        for record in [Path(path)] if path.endswith(".db") else _of_log(path):
            name = digest(record)
            found.setdefault(name, Source(record, name))
    if not found:
        raise BazaarError(f"no finished sample in {', '.join(paths)}: there is nothing to judge.")
    return list(found.values())


def _of_log(path: str) -> Iterable[Path]:
    try:
        log = read_eval_log(path, header_only=True)
        samples = read_eval_log_sample_summaries(path)
    # Inspect's reader and the zip, JSON and compression beneath it have no error in common:
    # whatever one of them raises about this file, the file cannot be read.
    except Exception as error:
        raise BazaarError(
            f"{path} cannot be read as a log of Inspect ({error}). Give the path of an .eval file, "
            "or of a record."
        ) from error
    for sample in samples:
        if sample.error is None:
            place = RecordPlace(log.eval.task_id, str(sample.id), sample.epoch, folder_of(path))
            yield find_scored(place, None, folder_of(path))


def chosen_bundles(
    sources: Iterable[Source], wanted: Iterable[Candidate], *, blinded: bool
) -> dict[tuple[str, str], tuple[Bundle, Shown]]:
    """Some bundles as they are shown, by record digest and bundle id.

    Raises:
        RecordError: a bundle is not in its record.
    """
    left = {(one.run, one.bundle_id) for one in wanted}
    found: dict[tuple[str, str], tuple[Bundle, Shown]] = {}
    for source in sources:
        if not any(run == source.digest for run, _ in left):
            continue
        for bundle, shown in source.shown(blinded=blinded):
            key = (source.digest, bundle.bundle_id)
            if key in left:
                found[key] = (bundle, shown)
    missing = sorted(left - set(found))
    if missing:
        raise RecordError(f"the bundle {missing[0][1]} is not in its record.")
    return found
