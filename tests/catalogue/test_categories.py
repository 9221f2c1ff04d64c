"""Which category words tell: the study's way with its traps, and ours without them."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bazaarbench.catalogue.categories import clean_category, strict_category
from bazaarbench.personas.people import category_words


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Apple iPhone 8 Rose Gold", "electronics-phones"),
        ("Samsung Galaxy Tab A", "electronics-phones"),
        ("Digital camera", "electronics-cameras"),
        ("Speaker, Rose Gold", "electronics-audio"),
        ("Decora wall switch", "electronics-gaming"),
        ("Coaxial splitter", "collectibles-sports"),
        ("Power bank, Rose Gold", "jewelry"),
        ("Apple Watch Series 4", "jewelry"),
        ("Car/charger", "vehicles-cars"),
        ("Carbon filter", None),
        ("Portable fan", "furniture"),
        ("Education software", "pets"),
        ("Router", None),
    ],
)
def test_strict_takes_the_first_rule_with_a_substring(text: str, category: str | None) -> None:
    assert strict_category(text) == category


@pytest.mark.parametrize(
    ("title", "category"),
    [
        ("Apple iPhone 8 Rose Gold", "electronics-phones"),
        ("Samsung Galaxy Tab A 10.1", "electronics-tablets"),
        ("Samsung Galaxy Watch 46mm", "electronics-wearables"),
        ("Samsung Galaxy Buds", "electronics-audio"),
        ("Decora Wall Switch, White", "home-goods"),
        ("Nintendo Switch Lite, Gray", "electronics-gaming"),
        ("Coaxial Cable Splitter", "electronics"),
        ("Power Bank 10000mAh Rose Gold", "electronics"),
        ("Apple Watch Series 4 GPS + Cellular", "electronics-wearables"),
        ("Ring Video Doorbell 2", "electronics"),
        ("Sterling Silver Ring, size 7", "jewelry"),
        ("Portable Bluetooth Speakers", "electronics-audio"),
        ("Wireless Earbuds for iPhone", "electronics-audio"),
        ("iPhone XS case, watch band look", "electronics-phones"),
        ("Turntable with Bluetooth", "electronics-audio"),
        ("Coffee Table, walnut", "furniture"),
        ("Kopfhörer kabellos", "electronics-audio"),
        ("Cat6 patch", None),
        ("Education software", None),
    ],
)
def test_clean_takes_the_phrase_that_begins_first_and_whole_words(
    title: str, category: str | None
) -> None:
    assert clean_category(title, "") == category


def test_the_maker_decides_only_where_no_word_does() -> None:
    assert clean_category("Versa 2 Special Edition", "Fitbit") == "electronics-wearables"
    assert clean_category("Wireless Charger", "Fitbit") == "electronics"
    assert clean_category("Versa 2 Special Edition", "Nobody") is None


def test_personas_have_words_for_every_category() -> None:
    data = json.loads((files("bazaarbench.catalogue") / "data" / "categories.json").read_text())
    named = {category for category, _ in data["strict"]} | {*data["clean"], *data["makers"]}
    assert len(data["strict"]) == 23
    assert all("-" not in category_words(category) for category in named)
