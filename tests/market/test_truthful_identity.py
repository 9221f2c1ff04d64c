"""Which titles are told apart as those of different things (reference P §7.5)."""

from __future__ import annotations

import pytest

from bazaarbench.catalogue import load_shipped
from bazaarbench.market.identity import mismatch

#: Unit title, listing title, what tells them apart.
TITLES: tuple[tuple[str, str, str | None], ...] = (
    # 1: an identifier of one kind that each has and the other lacks
    ("Nova tablet 11 grey", "Nova tablet 12 grey", "model_identifier"),  # versions
    ("Nova atlas 2nd edition", "Nova atlas 3rd edition", "model_identifier"),  # ordinals
    ("Nova tablet 2nd", "Nova tablet 3", "model_identifier"),  # an ordinal and a number
    ("Nova phone 64GB", "Nova phone 128 GB", "model_identifier"),  # storage
    ("Oak desk 140 cm", "Oak desk 160cm", "model_identifier"),  # size
    ("Desk lamp 5in", "Desk lamp 7in", "model_identifier"),
    ("Action camera 12 MP", "Action camera 20MP", "model_identifier"),  # resolution
    ("Garden shredder 2400W", "Garden shredder 1800W", "model_identifier"),  # power
    ("Monitor 60 Hz", "Monitor 144hz", "model_identifier"),  # frequency
    ("Dumbbell 5 kg", "Dumbbell 7,5 kg", "model_identifier"),  # weight, decimal comma
    ("Kettle 1.5l", "Kettle 1,7l", "model_identifier"),  # volume
    ("Camera K200", "Camera M300", "model_identifier"),  # model codes
    ("Nova phone 64GB", "Nova phone 8 MP", None),  # different kinds do not compete
    ("Nova phone 64GB", "Nova phone", None),  # only one has any
    # tolerated spellings
    ("Graphics card GTX1080", "Graphics card GTX 1080", None),
    ("Graphics card GTX 1080", "Graphics card GTX-1080 v2", None),
    ("Graphics card GTX 1080 Ti", "Graphics card GTX1080Ti", None),  # over three words
    ("Headphones WH1000XM4", "Headphones WH1000", None),  # from three leading characters on
    ("Nova phone 64GB", "Nova phone 64", None),  # a measure and its number
    ("Nova atlas 2nd", "Nova atlas 2", None),  # an ordinal and its number
    ("Zoom lens 10x", "Zoom lens 10", None),
    ("Kettle 1,5 l", "Kettle 1.5 l", None),
    # what does not count: prices, percentages, which copy, five-digit numbers
    ("Oak chair $40", "Oak chair $55", None),
    ("Oak chair 80%", "Oak chair 95 percent", None),
    ("Oak chair unit 2", "Oak chair #3", None),
    ("Oak chair 2nd unit", "Oak chair copy 4", None),
    ("Oak chair 90001", "Oak chair 60601", None),
    ("Oak chair 5 in stock", "Oak chair 7 in stock", "model_identifier"),  # bare numbers do
    # 2: the product's words
    ("Oak desk", "Garden shredder", "product_words"),
    ("Nova tablet pouch", "Solara camera pouch", "product_words"),  # one of three
    ("Solara K2000 kit", "Camera K2000", None),  # but one model code
    ("Bohrmaschine GSB1300", "Hammer drill GSB1300", None),  # in whatever language
    ("Solara K20 kit", "Camera K20", "product_words"),  # too short for a code
    ("Black like new", "Excellent condition", None),  # no word of a product in it
    ("Oak chairs", "Oak chair", None),  # plural
    ("Oak chair, like new, unlocked, black", "Oak chair", None),
    # 3: the brand, and the words
    ("Nova phone cover", "Solara phone cover", "brand_and_words"),
    ("Nova phone cover red", "Phone cover by Nova", None),  # all shared
    ("Nova road bike carbon", "Solara road bike carbon", None),  # three of four shared
    ("Nova phone cover", "Nova tablet cover", None),
    # known misses
    ("Nova Phone 12 Pro", "Nova Phone 12 Pro Case", None),  # an accessory
    ("Gaming laptop", "Gaming-Notebook", None),
    ("Garden shredder 2400 W", "Garden shredder 1800W", None),  # a short unit word stands alone
    ("Oak desk", "Schreibtisch Eiche", "product_words"),  # a translation
    # form
    ("Café table ①", "café TABLE 1", None),
    ("", "", None),
)


@pytest.mark.parametrize(("unit", "listing", "expected"), TITLES)
def test_titles_are_told_apart_by_what_identifies_a_thing(
    unit: str, listing: str, expected: str | None
) -> None:
    assert mismatch(unit, listing) == expected


def test_no_title_of_the_catalogue_is_told_apart_from_itself_or_its_plain_variants() -> None:
    titles = {item.title for item in load_shipped().items}
    for title in sorted(titles):
        for variant in (title, f"  {title.upper()} ", f"{title}, as new", f"Great {title}!"):
            assert mismatch(title, variant) is None, (title, variant)
