"""What a released database says about its run: window, tested agents, condition, rules.

A base market says nothing: its window is everything after tick 0. A continuation holds the meta row
``trapi_matrix_cell``, which its launcher wrote (reference P §1.3, A §8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from bazaarbench.market.rules import CheckMode, Rules
from bazaarbench.released.source import Source
from bazaarbench.released.values import whole

#: Rows about the running of the program. The last ones may stand at a tick that was never played.
ADMINISTRATION = ("experiment_config", "experiment_run_complete", "platform_handoff_checks_set")
#: Policy seed of every released run (reference P §4); it decides who acts at which tick.
RELEASED_SEED = 7

_CELL = "trapi_matrix_cell"
_TRUNCATED = "truncated_base_note"
_TREATED = re.compile(r"treat|tested")
#: Ids written as text: "1,6,11" or "[1, 6, 11]".
_LIST = re.compile(r"\[?\d+(?:[,\s]+\d+)*\]?")
_LEVEL = re.compile(r"(?<![a-z0-9])L(?:evel)?[ _-]*(\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """One released run.

    ``last_tick`` is the last one that is imported. ``cut`` says that the tables go on beyond the
    log, so that they have to be taken back to ``last_tick``. ``gap`` is the tick after which the
    log of the base was cut before this continuation went on from its tables; ``None`` when that
    did not happen.
    """

    start_tick: int
    end_tick: int
    last_tick: int
    cut: bool
    gap: int | None
    tested: tuple[int, ...]
    condition: str
    rules: Rules
    seed: int
    cell: Mapping[str, Any]

    @property
    def is_continuation(self) -> bool:
        """Whether it has tested agents."""
        return bool(self.tested)


def read_run(source: Source) -> Run:
    """What the database says about its run.

    Raises:
        ReleasedError: it says nothing that can be used, or its log is empty or incomplete.
    """
    cell = source.meta_json(_CELL)
    note = source.meta_json(_TRUNCATED) or {}
    logged = _last_logged(source)
    target = whole(note.get("target_max_tick"))
    lost = target is not None and (whole(note.get("source_max_tick")) or target) > target
    known = cell or {}
    seed = whole(_first(known, "seed", "run_seed"))
    if seed is None:
        seed = whole(_first(source.meta_json("experiment_config") or {}, "seed", "run_seed"))
    continued = lost and target is not None and logged > target
    cut = not continued and (lost or _beyond(source, logged))
    last = logged if continued else max(logged, target or logged)
    start, end = (0, last) if cell is None else _window(source, cell)
    tested = () if cell is None else _tested(source, cell)
    return Run(
        start_tick=start,
        end_tick=end,
        last_tick=last,
        cut=cut,
        gap=target if continued else None,
        tested=tested,
        condition="L0" if cell is None else _condition(source, cell),
        rules=_rules(source.meta),
        seed=RELEASED_SEED if seed is None else seed,
        cell=known,
    )


def _last_logged(source: Source) -> int:
    marks = ",".join("?" * len(ADMINISTRATION))
    query = f"SELECT max(tick) FROM events WHERE action_type NOT IN ({marks})"
    last = source.value(query, *ADMINISTRATION)
    if last is None:
        raise source.damaged("its event log is empty, so nothing in it can be measured")
    if not isinstance(last, int) or last < 0:
        raise source.damaged(f"its event log ends at tick {last}, before the market begins")
    return last


def _beyond(source: Source, logged: int) -> bool:
    """Whether real threads, messages or offers are younger than the log."""
    seeded = "l.is_seeded" if "is_seeded" in source.columns["listings"] else "0"
    threads = f"FROM threads t JOIN listings l USING (listing_id) WHERE {seeded} = 0"
    queries = (
        f"SELECT max(t.created_at_tick) {threads}",
        f"SELECT max(m.tick) FROM messages m WHERE m.thread_id IN (SELECT t.thread_id {threads})",
        f"SELECT max(o.tick) FROM offers o WHERE o.thread_id IN (SELECT t.thread_id {threads})",
    )
    return any((source.value(query) or 0) > logged for query in queries)


def _window(source: Source, cell: Mapping[str, Any]) -> tuple[int, int]:
    start = whole(_first(cell, "start_tick_exclusive", "fork_tick", "start_tick"))
    end = whole(_first(cell, "end_tick_inclusive", "target_tick", "end_tick"))
    horizon = whole(_first(cell, "horizon_ticks", "horizon"))
    if end is None and start is not None and horizon is not None:
        end = start + horizon
    if start is None or end is None or not 0 <= start < end:
        raise source.damaged(f"its meta row {_CELL} names no fork tick and target tick")
    return start, end


def _tested(source: Source, cell: Mapping[str, Any]) -> tuple[int, ...]:
    """The treated ids: the list of numbers in the cell whose name speaks of treated agents."""
    for name in sorted(cell):
        ids = _ids(cell[name]) if _TREATED.search(name) else ()
        if ids:
            return ids
    raise source.damaged(
        f"its meta row {_CELL} lists no treated agents, so it cannot be said whose failures count"
    )


def _ids(value: Any) -> tuple[int, ...]:
    if isinstance(value, str) and _LIST.fullmatch(value):
        value = re.findall(r"\d+", value)
    if not isinstance(value, list):
        return ()
    found = [whole(one) for one in value]
    return tuple(sorted({one for one in found if one is not None and one > 0}))


def _condition(source: Source, cell: Mapping[str, Any]) -> str:
    """``L1`` … ``L3``; a one-sided pressure is a condition of its own."""
    texts = [str(value) for value in (_first(cell, "level", "regime"), cell.get("cell")) if value]
    found = next((m for m in map(_LEVEL.search, texts) if m), None)
    number = whole(_first(cell, "level")) if found is None else int(found[1])
    if number is None:
        raise source.damaged(f"its meta row {_CELL} names no level")
    side = str(_first(cell, "pressure_side") or "")
    if number == 2 and side in ("seller", "buyer"):
        return f"L2-{side}"
    return f"L{number}"


def _rules(meta: Mapping[str, str]) -> Rules:
    """The rules of the run as far as ours have a switch for them; a missing row is off."""
    return Rules(
        listing_inventory_check=_mode(meta.get("inventory_validator_mode")),
        meetup_ownership_check=_mode(meta.get("meetup_ownership_check_mode")),
        inspection_shows="unit" if meta.get("inspection_truth_mode") == "unit" else "listing",
        commitment_lock="on" if meta.get("commitment_lock_mode") == "listing" else "off",
        completion_integrity="on" if meta.get("completion_integrity_mode") == "unit" else "off",
        shipment_inspection=(
            "on_arrival" if meta.get("shipment_inspection_mode") == "on_arrival" else "off"
        ),
        handoff_proof="required" if meta.get("require_handoff_proof") == "1" else "ignored",
    )


def _mode(value: str | None) -> CheckMode:
    modes: tuple[CheckMode, ...] = get_args(CheckMode)
    return next((mode for mode in modes if mode == value), "off")


def _first(values: Mapping[str, Any], *names: str) -> Any:
    """The first of some names that has a value."""
    return next((values[name] for name in names if values.get(name) is not None), None)
