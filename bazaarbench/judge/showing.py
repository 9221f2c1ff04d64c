"""The bundles of a record as a judge is shown them (SPEC §8.1–8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from hashlib import sha256

from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import Bundle, FailureType
from bazaarbench.judge.blinding import Shown, blind, unblinded
from bazaarbench.judge.bundles import Reasoning, bundles_of


def shown_bundles(
    evidence: Evidence,
    failure_types: Iterable[FailureType],
    *,
    digest: str,
    blinded: bool = True,
    reasoning: Reasoning = "tested",
    instructions: Iterable[str] = (),
    faults: MutableMapping[str, str] | None = None,
) -> Iterator[tuple[Bundle, Shown]]:
    """Every bundle with how it is shown; the same record always gives the same.

    Args:
        evidence: the record, read back.
        failure_types: all that are loaded.
        digest: the record's; labels are drawn by it, so that they are the same at every scoring
            and nobody who sees a bundle can know them.
        blinded: ``False`` for the study's way, with true ids and the name of the cell.
        reasoning: of whom recorded reasoning is shown.
        instructions: the texts of all conditions, so that blinding finds quotations of them.
        faults: takes what is wrong with what a plugin's type asks for.
    """
    key = sha256(f"blinding|{digest}".encode()).hexdigest()
    cell = _cell(evidence)
    bundles = bundles_of(
        evidence, failure_types, reasoning=reasoning, instructions=instructions, faults=faults
    )
    for bundle in bundles:
        yield bundle, blind(bundle, key=key) if blinded else unblinded(bundle, cell=cell)


def _cell(evidence: Evidence) -> str:
    """What the study called a cell: market, condition and the model that was tested."""
    info = evidence.info
    model = info.models.get("tested") or info.models.get("all") or ""
    return ":".join(part for part in (info.market_name, info.condition or "", model) if part)
