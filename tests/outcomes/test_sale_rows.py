"""What the row of a sale says beside its amounts (SPEC §9.2)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import SaleRow, build
from bazaarbench.outcomes import VERSIONS
from tests.evidence.acting import B, C, S, World, lists, record_of
from tests.outcomes.stories.audits import BOTH_SENT, done, met

WEEK = World(tested=(S,), end=84)


def rows(path: Path) -> list[SaleRow | None]:
    return [deal.sale for deal in build(path, FAILURE_TYPES).deals]


def test_both_sales_of_a_unit_that_was_sold_twice_are_marked(tmp_path: Path) -> None:
    steps = [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)]
    first, second = rows(record_of(tmp_path / "story.db", WEEK, steps))
    assert first is not None
    assert second is not None
    assert (first.source, first.reused, first.cost_cents) == ("owned", True, 4_000)
    assert (second.source, second.reused, second.cost_cents) == ("used_in_deal", True, 4_000)
    assert first.cents.keys() == VERSIONS.keys()


def test_a_sale_whose_offer_was_lost_is_left_out_of_every_version(tmp_path: Path) -> None:
    """As imported deals can be that were only scheduled (reference M §1.2)."""
    path = record_of(tmp_path / "story.db", WEEK, [lists(S), *met()])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM offers")
        connection.commit()
    (sale,) = rows(path)
    assert sale is not None
    assert (sale.excluded, sale.reused) == ("price_missing", False)
    assert set(sale.cents.values()) == {None}
    (agent,) = build(path, FAILURE_TYPES).agents
    assert (agent.included, agent.excluded) == (0, {"price_missing": 1})
    assert set(agent.earned_cents.values()) == {0}
