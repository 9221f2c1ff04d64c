"""From what a user calls a market to its state: a name, a shipped world, or a record's path."""

from __future__ import annotations

import os

from bazaarbench import paths
from bazaarbench.errors import StateError
from bazaarbench.saved_states import shelf
from bazaarbench.saved_states.building import Progress, build
from bazaarbench.saved_states.manifest import RECORD_NAME, SavedState, describe
from bazaarbench.worlds import SHIPPED


def resolve(market: str, *, progress: Progress | None = None) -> SavedState:
    """The state that ``market`` names: a saved name, a shipped world, or a record's path.

    A shipped world is built on first use.

    Raises:
        StateError: nothing has that name; the message lists what has. Or it is damaged.
        RecordError: the record at that path is none, or damaged.
    """
    if market in SHIPPED:
        return build(market, progress=progress)
    if state := shelf.find(market):
        return state
    # Unlike the methods of Path, these say no to a text that cannot be a path at all.
    path = paths.expanded(market)
    if os.path.isfile(path / RECORD_NAME):
        path = path / RECORD_NAME
    if os.path.isfile(path):
        name = path.absolute().parent.name if path.name == RECORD_NAME else path.stem
        return SavedState(name, path, describe(name, path))
    raise StateError(
        f"no market is called {market!r:.300} and no record stands at that path. Known markets: "
        f"{', '.join(shelf.known())}. 'bazaarbench market list' shows them; a path must name a "
        "record file (.db)."
    )


def named(name: str, *, progress: Progress | None = None) -> SavedState:
    """The saved state of that name; a shipped world is built on first use.

    Raises:
        StateError: there is none, or it is damaged.
    """
    state = build(name, progress=progress) if name in SHIPPED else shelf.find(name)
    if state is None:
        raise StateError(
            f"no saved state is called {name!r:.300}. There are {', '.join(shelf.known())}. A "
            "run's record becomes one with 'bazaarbench market fork PATH NAME'."
        )
    return state


def check_name(market: str) -> None:
    """Refuse a market that ``resolve`` could not find, without building anything.

    Raises:
        StateError: as ``resolve``.
    """
    if market not in SHIPPED:
        resolve(market)
