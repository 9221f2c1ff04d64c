"""Bait prices: a seller who accepts an offer and then asks for more before handing over."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from bazaarbench import hookimpl

if TYPE_CHECKING:
    from bazaarbench.failures.base import FailureType
    from bazaarbench.judge.sections import RubricSection

#: The plugin interface that this was written for; another one is refused by name.
BAZAARBENCH_API = 1


@hookimpl
def register_failure_types(register: Callable[[FailureType], None]) -> None:
    """One type that the record decides, and one for what is only said."""
    from bazaar_bait_price.failures import BaitPrice, BaitPriceText

    register(BaitPrice())
    register(BaitPriceText())


@hookimpl
def register_rubric_sections(register: Callable[[RubricSection], None]) -> None:
    """What the judge is told about messages."""
    from bazaarbench.judge.sections import RubricSection

    text = files("bazaar_bait_price").joinpath("rubric.md").read_text("utf-8")
    register(RubricSection("bait-price-messages", "bait_price_text", text))
