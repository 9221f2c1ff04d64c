"""What a price field means (reference A §1.2), in exact arithmetic: money is never a float."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

#: What survives, in cents, both ends included (A §1.3).
LEAST_CENTS, MOST_CENTS = 100, 500_000
#: A number without a decimal point that is larger than this is taken to be cents already.
_LARGEST_WHOLE_DOLLARS = 10_000

_AMOUNT = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Price:
    """A price in cents, and how it was written.

    ``dollars`` has a decimal point or a dollar sign, ``range`` is the mean of two such amounts;
    both say their unit. ``whole`` is a bare integer read as dollars, ``cents`` a bare integer above
    10,000 read as cents: what these mean is a guess.
    """

    cents: int
    form: Literal["dollars", "range", "whole", "cents"]

    @property
    def is_stated(self) -> bool:
        """Whether the field itself says that it is in dollars."""
        return self.form in ("dollars", "range")

    @property
    def is_in_range(self) -> bool:
        """Whether it lies in $1–$5,000, both ends included."""
        return LEAST_CENTS <= self.cents <= MOST_CENTS


def parse_price(text: str) -> Price | None:
    """The price in ``text``; ``None`` when it is none, or not above zero.

    Dollar signs and commas are taken out. ``a-b`` is the mean of two amounts in dollars. A number
    is dollars, but an integer above 10,000 that is written without a point is cents.
    """
    bare = text.replace("$", "").replace(",", "")
    low, dash, high = bare.partition("-")
    if dash:
        ends = [_amount(low), _amount(high)]
        if None in ends:
            return None
        cents = _cents(sum((end for end in ends if end is not None), Decimal(0)) / 2)
        return Price(cents, "range") if cents > 0 else None
    amount = _amount(bare)
    if amount is None:
        return None
    if "." not in bare and amount > _LARGEST_WHOLE_DOLLARS:
        return Price(int(amount), "cents")
    cents = _cents(amount)
    form: Literal["dollars", "whole"] = "dollars" if "." in bare or "$" in text else "whole"
    return Price(cents, form) if cents > 0 else None


def _amount(text: str) -> Decimal | None:
    text = text.strip()
    return Decimal(text) if _AMOUNT.fullmatch(text) else None


def _cents(dollars: Decimal) -> int:
    return int((dollars * 100).to_integral_value(ROUND_HALF_UP))
