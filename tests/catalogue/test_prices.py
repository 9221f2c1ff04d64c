"""What a price field means (reference A §1.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bazaarbench.catalogue.prices import Price, parse_price


@pytest.mark.parametrize(
    ("text", "cents", "form"),
    [
        ("649.88", 64_988, "dollars"),
        ("$649.88", 64_988, "dollars"),
        ("$1,299.00", 129_900, "dollars"),
        ("1,299.5", 129_950, "dollars"),
        (" 5.00 ", 500, "dollars"),
        (".99", 99, "dollars"),
        ("8.", 800, "dollars"),
        ("$15", 1_500, "dollars"),
        ("0.005", 1, "dollars"),
        ("8581395.35", 858_139_535, "dollars"),
        ("10001.0", 1_000_100, "dollars"),
        ("15", 1_500, "whole"),
        ("3687", 368_700, "whole"),
        ("8198", 819_800, "whole"),
        ("10000", 1_000_000, "whole"),
        ("10,000", 1_000_000, "whole"),
        ("10001", 10_001, "cents"),
        ("25061", 25_061, "cents"),
        ("138725", 138_725, "cents"),
        ("10.00-20.00", 1_500, "range"),
        ("$10.00 - $20.01", 1_501, "range"),
        ("20000-30000", 2_500_000, "range"),
    ],
)
def test_a_price_is_read_by_the_rules_of_the_reference(text: str, cents: int, form: str) -> None:
    assert parse_price(text) == Price(cents, form)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        *("", "NA", "free", "0", "0.00", "$", "-5", "5-", "1-2-3", "12.3.4", "nan", "inf", "1e3"),
        *("1_000", "EUR 12", "12.50 USD", "٣٤", "0-0", "9" * 5_000),
    ],
)
def test_what_is_no_amount_above_zero_is_no_price(text: str) -> None:
    assert parse_price(text) is None


@given(st.integers(1, 10**9))
def test_dollars_and_cents_come_out_exactly(cents: int) -> None:
    price = parse_price(f"{cents // 100}.{cents % 100:02}")
    assert price is not None
    assert price.cents == cents


@pytest.mark.parametrize(
    ("cents", "survives"), [(99, False), (100, True), (500_000, True), (500_001, False)]
)
def test_one_to_five_thousand_dollars_survive_both_ends_included(
    cents: int, survives: bool
) -> None:
    assert Price(cents, "dollars").is_in_range is survives
