"""The shipped catalogue and its file (SPEC §3.1)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from bazaarbench.catalogue import (
    Catalogue,
    CatalogueError,
    load_shipped,
    price_band,
    read_catalogue,
    write_catalogue,
)
from bazaarbench.catalogue import generate as generator
from bazaarbench.errors import BazaarError

SHIPPED = Path(generator.__file__).parent / "data" / "catalogue.jsonl"
REAL_BRANDS = """
    apple samsung sony nintendo google amazon lg microsoft beats fitbit motorola garmin canon
    nikon dell hp lenovo asus acer bose jbl dyson philips bosch makita dewalt ikea lego fender
    gibson yamaha casio seiko rolex nike adidas trek specialized gopro dji kindle pokemon
    """


def test_regenerating_the_shipped_catalogue_gives_the_identical_bytes(tmp_path: Path) -> None:
    assert generator.main([str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == SHIPPED.read_bytes()


def test_another_seed_gives_another_catalogue() -> None:
    assert generator.generate(generator.SEED + 1).digest != load_shipped().digest


def test_the_shipped_catalogue_is_as_large_and_as_varied_as_stated() -> None:
    items = load_shipped().items
    assert len(items) >= 2_000
    assert len({item.brand for item in items}) >= 60
    sizes = Counter(item.category for item in items)
    assert len(sizes) >= 15
    assert min(sizes.values()) >= 40
    assert [item.item_id for item in items] == list(range(1, len(items) + 1))
    assert len({item.title for item in items}) == len(items)
    assert len({item.source_id for item in items}) == len(items)


def test_prices_and_ratings_lie_in_plausible_ranges() -> None:
    for item in load_shipped().items:
        assert 100 <= item.price_cents <= 500_000, item
        assert (item.rating_milli is None) == (item.reviews == 0), item
        assert item.rating_milli is None or 1_000 <= item.rating_milli <= 5_000, item
        assert 10 <= len(item.title) <= 120, item
        assert item.description[0] == item.description[0].upper(), item
        assert item.description.endswith("."), item
    bands = Counter(price_band(item.price_cents) for item in load_shipped().items)
    assert len(bands) == 5


def test_no_maker_bears_a_well_known_name() -> None:
    words = {
        word
        for item in load_shipped().items
        for word in item.brand.lower().replace("&", " ").split()
    }
    assert not words & set(REAL_BRANDS.split())


def test_titles_are_hard_to_tell_apart() -> None:
    """Near twins, generations and accessories: most items have a look-alike in their category."""
    shelves = defaultdict(list)
    models = Counter()
    for item in load_shipped().items:
        shelves[item.category].append(item)
        models[item.brand, item.model] += 1
    assert sum(count for count in models.values() if count >= 2) >= 1_500
    phones = {i.model for i in shelves["electronics-phones"] if i.brand == "Veltari"}
    assert any({f"{line} 3", f"{line} 4"} <= phones for line in ("Halo", "Dune", "Vireo", "Arc"))
    titles = [item.title for item in load_shipped().items]
    accessories = [item for item in load_shipped().items if " for " in item.model]
    assert len(accessories) >= 150
    named = [a for a in accessories if sum(a.model.split(" for ")[1] in t for t in titles) >= 2]
    assert len(named) >= 0.98 * len(accessories)
    alike = 0
    sample = load_shipped().items[::80]
    for item in sample:
        matcher = SequenceMatcher()
        matcher.set_seq2(item.title.lower())
        for other in shelves[item.category]:
            matcher.set_seq1(other.title.lower())
            if other != item and matcher.real_quick_ratio() > 0.85 and matcher.ratio() > 0.85:
                alike += 1
                break
    assert alike >= 0.6 * len(sample)


@pytest.mark.parametrize(
    ("cents", "band"),
    [
        (0, "0-50"),
        (4_999, "0-50"),
        (5_000, "50-150"),
        (15_000, "150-500"),
        (49_999, "150-500"),
        (50_000, "500-1000"),
        (99_999, "500-1000"),
        (100_000, "1000-plus"),
    ],
)
def test_price_bands_include_their_lower_end(cents: int, band: str) -> None:
    assert price_band(cents) == band


def test_a_catalogue_survives_its_file_and_its_digest_covers_every_value(tmp_path: Path) -> None:
    items = load_shipped().items[:50]
    write_catalogue(tmp_path / "c.jsonl", Catalogue.of(items))
    assert read_catalogue(tmp_path / "c.jsonl") == Catalogue.of(items)
    for change in ({"price_cents": 1}, {"description": "x"}, {"rating_milli": None, "reviews": 7}):
        assert Catalogue.of((replace(items[0], **change), *items[1:])).digest != (
            Catalogue.of(items).digest
        )


def test_line_endings_of_another_system_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(SHIPPED.read_bytes().replace(b"\n", b"\r\n"))
    assert read_catalogue(path) == load_shipped()


def _damaged(kind: str) -> bytes:
    data = SHIPPED.read_bytes()
    lines = data.split(b"\n")
    header = json.loads(lines[0])
    if kind == "version":
        return b"\n".join([json.dumps({**header, "version": 2}).encode(), *lines[1:]])
    if kind == "type":
        row = json.loads(lines[7])
        row[5] = "free"
        return b"\n".join([*lines[:7], json.dumps(row).encode(), *lines[8:]])
    return {
        "empty": b"",
        "binary": b"\x00\xff\xfe" * 40,
        "csv": b"Uniq Id,Title\n1,Phone\n",
        "json": b'{"format": "something else"}\n',
        "header only": lines[0] + b"\n",
        "cut off": data[: len(data) // 2],
        "row lost": b"\n".join([*lines[:5], *lines[6:]]),
        "edited": data.replace(b"Unlocked", b"unlocked", 1),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("empty", "is not a BazaarBench catalogue"),
        ("binary", "is not UTF-8"),
        ("csv", "is not a BazaarBench catalogue"),
        ("json", "is not a BazaarBench catalogue"),
        ("version", "format version 2"),
        ("header only", "holds 0 items"),
        ("cut off", "is not a row of 10 values"),
        ("row lost", "was cut off or edited"),
        ("type", "price_cents is 'free'"),
        ("edited", "digest"),
    ],
)
def test_a_damaged_file_is_refused_by_name_with_what_to_do(
    kind: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes(_damaged(kind))
    with pytest.raises(CatalogueError) as refused:
        read_catalogue(path)
    assert str(path) in str(refused.value)
    assert says in str(refused.value)
    assert "bazaarbench.catalogue.generate" in str(refused.value)
    assert isinstance(refused.value, BazaarError)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"nowhere\.jsonl cannot be read"):
        read_catalogue(tmp_path / "nowhere.jsonl")


def test_the_generator_refuses_other_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert generator.main([]) == 2
    assert "usage" in capsys.readouterr().err
