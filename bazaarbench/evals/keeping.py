"""A finished base market becomes a saved state, which continuations start from (SPEC §3.5)."""

from __future__ import annotations

import re
from pathlib import Path

from rich import get_console

from bazaarbench import saved_states
from bazaarbench.errors import StateError
from bazaarbench.evals.plan import Cell
from bazaarbench.evals.records import RecordPlace
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.saved_states import SavedState


def keep_market(cell: Cell, place: RecordPlace, model: str, digest: str) -> SavedState:
    """Register the finished record of a base market, once, and say under which name.

    When another state has taken the name since the run began, the market is kept under that name
    with a number: nobody plays thirty days again for a name.

    Args:
        cell: What was played.
        place: Where its record lies, closed.
        model: Who played it.
        digest: The record's.

    Raises:
        StateError: It cannot be written.
    """
    wanted = _name(cell, place, model)
    state = _kept_before(wanted, digest)
    while state is None:
        state = _kept(place.working, saved_states.free_name(wanted))
    text = (
        f"saved state {state.name}: {state.path}\n"
        f"  inspect eval bazaarbench/continuation --model … -T market={state.name}"
    )
    get_console().print(text, markup=False, highlight=False, soft_wrap=True)
    return state


def _kept(record: Path, name: str) -> SavedState | None:
    """The new state, or nothing when somebody has taken the name at this moment."""
    try:
        return saved_states.keep(record, name)
    except StateError:
        if not saved_states.folder_of(name).exists():
            raise
        return None


def _name(cell: Cell, place: RecordPlace, model: str) -> str:
    """The name that was asked for, or one that says what the market is; one for each epoch."""
    if cell.name is not None:
        name = cell.name
    else:
        seed = (cell.world or {}).get("seed", 0)
        days = cell.end_tick // TICKS_PER_DAY
        shape = f"{cell.market}-{cell.rules}-s{seed}-{cell.agents}a{days}d"
        name = saved_states.name_like(f"{model.rsplit('/', 1)[-1]}-{shape}")
    return name if place.epoch == 1 else f"{name}-e{place.epoch}"


def _kept_before(name: str, digest: str) -> SavedState | None:
    """The state that an earlier attempt at the same run has left, under ``name`` or a number."""
    same_name = re.compile(re.escape(name) + r"(-\d+)?")
    for state in saved_states.list_states():
        if same_name.fullmatch(state.name) and state.manifest.digest == digest:
            return state
    return None
