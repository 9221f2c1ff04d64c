"""The page of ``bazaarbench market show``: one state on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bazaarbench.saved_states import SavedState
    from bazaarbench.saved_states.summary import Summary

_BAR = 24
_CATEGORIES_SHOWN = 20
_WIDTH = 100


def print_page(state: SavedState, summary: Summary, *, verified: bool) -> None:
    """Print the page on standard output."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
    console.print(render(state, summary, verified=verified))


def render(state: SavedState, summary: Summary, *, verified: bool) -> RenderableType:
    """The page for a terminal. What a market holds is untrusted: nothing is read as markup.

    Args:
        state: the state.
        summary: its numbers.
        verified: whether its whole record was compared with its manifest.
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        Text(f"{state.name}: {state.manifest.agents} agents, {summary.clock}", style="bold"),
        _facts(state, summary, verified),
        Text("For sale, by price in dollars"),
        _bars(summary.prices),
        Text("For sale, by category"),
        _bars(_largest(summary.categories)),
    )


def _facts(state: SavedState, summary: Summary, verified: bool) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    manifest, run = state.manifest, summary.run
    played = f"{run['condition'] or 'no condition'}, {run['tested'] or 'no'} tested agents"
    imported = ", imported" if run["imported"] else ""
    rows = {
        "tick": f"{manifest.tick} (run: {_span(run['ticks'])}, {played}{imported})",
        "agents": _listed(summary.agents),
        "tiers": _listed(summary.tiers),
        "units": _listed(summary.units),
        "listings": _listed(summary.listings),
        "deals": f"{sum(summary.deals.values()):,}: {_listed(summary.deals)}",
        "exchanges": _listed(summary.methods),
        "calls": f"{_listed(summary.events)}, in {summary.turns:,} turns",
        "rules": ", ".join(f"{name} {value}" for name, value in manifest.rules.items()),
        "models": ", ".join(f"{role} {name}" for role, name in manifest.models.items()) or "none",
        "seed": str(manifest.seed),
        "digest": manifest.digest + (" (the record's, compared)" if verified else ""),
        "personas": manifest.personas_digest,
        "catalogue": " ".join(
            part or "not known" for part in (manifest.catalogue, manifest.catalogue_digest)
        ),
        "versions": f"benchmark {manifest.benchmark_version}, BazaarBench "
        f"{manifest.bazaarbench_version}, record schema {manifest.schema_version}",
        "record": f"{state.path} ({manifest.record_bytes:,} bytes)",
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table


def _bars(counts: Mapping[str, int]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    most = max(counts.values(), default=0)
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, number in counts.items():
        table.add_row(Text(f"  {name}"), f"{number:,}", "█" * -(-number * _BAR // (most or 1)))
    return table


def _largest(counts: Mapping[str, int]) -> dict[str, int]:
    """The categories that fit on the page, and the others together."""
    shown = dict(list(counts.items())[:_CATEGORIES_SHOWN])
    others = sum(counts.values()) - sum(shown.values())
    return shown | ({f"{len(counts) - len(shown)} others": others} if others else {})


def _span(ticks: list[int]) -> str:
    return f"{ticks[0]} to {ticks[1]}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "none"
