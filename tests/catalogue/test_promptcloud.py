"""The eBay sample: which rows survive and what becomes of them (reference A §1.2–1.3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bazaarbench.catalogue import CatalogueError, Item
from bazaarbench.catalogue.csv_rows import COLUMNS
from bazaarbench.catalogue.promptcloud import Loaded, load
from bazaarbench.catalogue.tally import DROPPED, Mode
from tests.catalogue.samples import distinct, row, shifted, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ebay.csv"


def only(loaded: Loaded) -> Item:
    (item,) = loaded.catalogue.items
    return item


def reasons(file: Path, mode: Mode, *rows: list[str]) -> dict[str, int]:
    """Why rows are dropped when an unlike row stands beside them, so that something is left."""
    unlike = distinct(999_999, Title="Garden hose", Manufacturer="Hoser", Price="30.00")
    report = load(write(file, unlike, *rows), mode).report
    assert report.rows == len(rows) + 1 == report.kept + sum(report.dropped.values())
    return report.dropped


def test_strict_takes_a_row_as_the_study_did(file: Path) -> None:
    item = only(load(write(file, row(Title=" Apple  iPhone\t8\u2003Gr\u00fcn ")), "strict"))
    assert item.title == "Apple iPhone 8 Grün"
    assert (item.item_id, item.brand, item.model) == (1, "Apple", "Apple iPhone 8")
    assert (item.price_cents, item.rating_milli, item.reviews) == (18_995, 4_600, 12)
    assert item.category == "electronics-phones"
    assert item.source_id == "0" * 32
    assert "Stock: true." in item.description
    assert "Average rating: 4.6." in item.description


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"Title": "T" * 130}, "title", "T" * 120),
        ({"Manufacturer": "M" * 90}, "brand", "M" * 80),
        ({"Model_Name": "N" * 110}, "model", "N" * 100),
        ({"Manufacturer": "NA"}, "brand", "NA"),
        ({"Model_Name": "", "Model_Num": "A1905"}, "model", "A1905"),
        ({"Model_Name": "", "Model_Num": " ", "Sku": "S-1"}, "model", "S-1"),
        ({"Model_Name": "NA", "Model_Num": "A1905"}, "model", "NA"),
        ({"Title": "NA"}, "title", "NA"),
        ({"Title": "Hub", "Model_Name": "", "Color_Category": "Rose Gold"}, "category", "jewelry"),
        ({"Title": "Hub", "Model_Name": "X", "Stock": "iPhone"}, "category", "electronics-phones"),
        ({"Title": "Hub", "Model_Name": "X"}, "category", "home-goods"),
        ({"Average_Rating": "NA"}, "rating_milli", None),
        ({"Average_Rating": "0"}, "rating_milli", None),
        ({"Average_Rating": "nan"}, "rating_milli", None),
        ({"Average_Rating": "5.0"}, "rating_milli", 5_000),
        ({"Num_Of_Reviews": "1,234"}, "reviews", 1_234),
        ({"Num_Of_Reviews": ""}, "reviews", 0),
        ({"Uniq_Id": ""}, "source_id", "line-2"),
    ],
)
def test_strict_normalises_a_field_as_the_reference_says(
    changes: dict[str, str], field: str, value: object, file: Path
) -> None:
    item = only(load(write(file, row(**changes)), "strict"))
    assert getattr(item, field) == value


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Title": ""}, "no_title"),
        ({"Title": " \t "}, "no_title"),
        ({"Price": "NA"}, "no_price"),
        ({"Price": ""}, "no_price"),
        ({"Price": "call"}, "bad_price"),
        ({"Price": "0"}, "bad_price"),
        ({"Price": "0.99"}, "below_range"),
        ({"Price": "5000.01"}, "above_range"),
        ({"Price": "8198"}, "above_range"),
        ({"Price": "8581395.35"}, "above_range"),
        ({"Price": "500001"}, "above_range"),
    ],
)
@pytest.mark.parametrize("mode", ["strict", "clean"])
def test_a_row_without_title_or_price_in_range_is_dropped_with_the_reason(
    changes: dict[str, str], reason: str, mode: Mode, file: Path
) -> None:
    assert reasons(file, mode, distinct(1, **changes)) == {reason: 1}


@pytest.mark.parametrize("price", ["1", "1.00", "5000", "500000", "4999.99-5000.01", "25061"])
def test_strict_keeps_every_title_with_a_price_in_range(price: str, file: Path) -> None:
    assert reasons(file, "strict", distinct(1, Price=price)) == {}


def test_strict_keeps_doubles_shifted_rows_and_unit_errors(file: Path) -> None:
    rows = [row(), row(), shifted(row()), row(Price="3687"), row()[:14], [*row(), "", "more"]]
    loaded = load(write(file, *rows), "strict")
    assert loaded.report.kept == len(rows)
    # The carrier stands where the stock should: the study's loader did not notice.
    assert "Stock: Verizon, AT&T." in loaded.catalogue.items[2].description
    assert loaded.report.repaired == {}


def test_clean_moves_shifted_rows_back_and_counts_them(file: Path) -> None:
    padded = [*shifted(distinct(2, Carrier="Unlocked", Color_Category="Blue")), ""]
    missing = shifted(distinct(3, Carrier="NA"))
    loaded = load(write(file, shifted(row()), padded, missing, distinct(4)), "clean")
    assert loaded.report.repaired == {"shifted": 3}
    first, second, third, fourth = loaded.catalogue.items
    assert first.description == (
        "Apple iPhone 8. Color: Gray. Storage: 64 GB. Screen: 4.7 in. Carrier: Verizon, AT&T."
    )
    assert "Color: Blue." in second.description
    assert "Carrier: Unlocked." in second.description
    assert "Carrier" not in third.description
    assert fourth.description == first.description


def test_clean_counts_all_stars_of_a_shifted_row(file: Path) -> None:
    loaded = load(write(file, shifted(row(Number_Of_Ratings="NA", Num_Of_Reviews="3"))), "clean")
    assert only(loaded).reviews == 31


def test_clean_drops_rows_of_other_lengths_and_says_so(file: Path) -> None:
    assert reasons(file, "clean", row()[:23], [*distinct(1), ""], ["x"]) == {"fields": 3}


@pytest.mark.parametrize(
    "same",
    [
        {"Uniq_Id": "0" * 32},
        {"Pageurl": "https://www.ebay.com/p/1?iid=77"},
        {"Title": "APPLE IPHONE-8 (64GB) space gray!"},
    ],
)
def test_clean_keeps_the_first_of_rows_with_one_id_page_or_title(
    same: dict[str, str], file: Path
) -> None:
    rows = [row(), distinct(1, Price="150.00", **same)]
    loaded = load(write(file, *rows), "clean")
    assert only(loaded).price_cents == 18_995
    assert loaded.report.dropped == {"duplicate": 1}


def test_a_missing_id_or_page_makes_no_duplicates(file: Path) -> None:
    rows = [distinct(number, Uniq_Id="NA", Pageurl="") for number in range(3)]
    loaded = load(write(file, *rows), "clean")
    assert [item.source_id for item in loaded.catalogue.items] == ["line-2", "line-3", "line-4"]


def test_the_double_of_a_dropped_row_is_kept(file: Path) -> None:
    loaded = load(write(file, row(Price="NA"), row(Price="3687"), row()), "clean")
    assert only(loaded).price_cents == 18_995
    assert loaded.report.dropped == {"no_price": 1, "unit_error": 1}


def peers(*prices: str) -> list[list[str]]:
    return [distinct(number, Price=price) for number, price in enumerate(prices)]


EARBUDS = peers("22.00", "28.00", "25.50", "19.99", "24.00", "26.00", "28.00", "30.00")


@pytest.mark.parametrize(
    ("price", "dropped"),
    [
        ("140.00", False),  # five times the upper quartile, 28 dollars
        ("140.01", True),
        ("1496.53", True),
        ("$1387.25", True),
        ("138725", True),  # cents, and still no price of earbuds
        ("3687", True),
        ("36", False),
        ("649", True),
        ("2.00", False),  # a part may begin like the whole
    ],
)
def test_a_price_of_many_times_that_of_like_items_is_a_unit_error(
    price: str, dropped: bool, file: Path
) -> None:
    found = reasons(file, "clean", *EARBUDS, distinct(50, Price=price))
    assert found == ({"unit_error": 1} if dropped else {})


def test_a_bare_integer_of_thousands_needs_like_items_that_confirm_it(file: Path) -> None:
    whole = distinct(50, Price="1299")
    assert reasons(file, "clean", whole) == {"unit_error": 1}
    assert reasons(file, "clean", *peers(*["899.00"] * 5), whole) == {}
    assert reasons(file, "clean", *peers(*["899"] * 5), whole) == {"unit_error": 1}
    assert reasons(file, "clean", distinct(50, Price="999")) == {}
    assert reasons(file, "clean", distinct(50, Price="$1299")) == {}


def test_without_enough_like_titles_maker_and_category_are_compared(file: Path) -> None:
    names = ("One", "Two", "Three", "Four", "Five")
    rows = [
        distinct(number, Title=f"{name} wired headphones", Manufacturer="NA", Price="15.00")
        for number, name in enumerate(names)
    ]
    odd = {"Title": "Six wired headphones", "Manufacturer": "NA"}
    assert reasons(file, "clean", *rows, distinct(9, Price="300.00", **odd)) == {}
    assert reasons(file, "clean", *rows, distinct(9, Price="300.01", **odd)) == {"unit_error": 1}
    known = odd | {"Manufacturer": "Sennheiser"}
    assert reasons(file, "clean", *rows, distinct(9, Price="1496.53", **known)) == {}


@pytest.mark.parametrize(
    ("changes", "brand", "model"),
    [
        ({}, "Apple", "iPhone 8"),
        ({"Model_Name": "iPhone 8"}, "Apple", "iPhone 8"),
        ({"Model_Name": "NA", "Model_Num": "A1905"}, "Apple", ""),
        ({"Model_Name": "Apple iPhone 8 64GB Space Gray"}, "Apple", ""),
        ({"Model_Name": "N" * 61}, "Apple", ""),
        ({"Manufacturer": "APPLE"}, "Apple", "iPhone 8"),
        ({"Manufacturer": "NA"}, "Apple", "iPhone 8"),
        ({"Manufacturer": "Does Not Apply"}, "Apple", "iPhone 8"),
        ({"Manufacturer": "Apple iPhone 8 64GB Space Gray"}, "Apple", "iPhone 8"),
        ({"Manufacturer": "NA", "Title": "Pear Phone"}, "", "Apple iPhone 8"),
        ({"Manufacturer": "Pear", "Title": "Pear Phone"}, "Pear", "Apple iPhone 8"),
    ],
)
def test_clean_mends_makers_and_models(
    changes: dict[str, str], brand: str, model: str, file: Path
) -> None:
    others = [distinct(number) for number in range(1, 4)]
    item = load(write(file, row(**changes), *others), "clean").catalogue.items[0]
    assert (item.brand, item.model) == (brand, model)


def test_what_was_mended_is_counted(file: Path) -> None:
    loaded = load(
        write(
            file,
            *(distinct(number) for number in range(3)),
            distinct(3, Manufacturer="NA"),
            distinct(4, Model_Name="Apple iPhone 8 64GB Gray no 4"),
            distinct(5, Price="18995"),
            distinct(6, Price="150-200"),
            distinct(7, Title="Something", Manufacturer="Nobody"),
        ),
        "clean",
    )
    assert loaded.report.repaired == {"cents": 1, "range": 1, "maker": 1, "model": 1}
    assert loaded.report.by_default == 1


def test_examples_of_dropped_rows_are_few_and_name_their_lines(file: Path) -> None:
    rows = [distinct(number, Price="NA") for number in range(9)]
    report = load(write(file, distinct(99), *rows), "clean").report
    assert [one.line for one in report.examples["no_price"]] == [3, 4, 5]
    assert report.dropped == {"no_price": 9}


def test_quoted_commas_quotes_and_line_breaks_are_part_of_a_field(file: Path) -> None:
    title = 'Laptop 15.6" "Pro",\n 8 GB'
    for mode in ("strict", "clean"):
        assert only(load(write(file, row(Title=title)), mode)).title == 'Laptop 15.6" "Pro", 8 GB'


@pytest.mark.parametrize("mode", ["strict", "clean"])
def test_a_quote_that_is_not_doubled_is_read_where_nothing_is_lost_by_it(
    mode: Mode, file: Path
) -> None:
    data = write(file, row(), distinct(2, Title="Laptop, 8 GB"), distinct(3)).read_bytes()
    file.write_bytes(data.replace(b'"Laptop, 8 GB"', b'"Laptop" 15.6, 8 GB'))
    with pytest.raises(CatalogueError, match="line 3 is not proper CSV"):
        load(file, mode)
    file.write_bytes(data.replace(b'"Laptop, 8 GB"', b'"Laptop" 15.6'))
    loaded = load(file, mode)
    assert loaded.catalogue.items[1].title == "Laptop 15.6"
    assert loaded.report.kept == 3
    assert loaded.report.repaired == {"quotes": 1}


def test_titles_keep_their_script_and_lose_control_characters(file: Path) -> None:
    title = "Kopfhörer \x1b[31mrot\x07 – größer 日本"
    assert only(load(write(file, row(Title=title)), "clean")).title == (
        "Kopfhörer [31mrot – größer 日本"
    )


def test_a_byte_order_mark_and_other_line_ends_do_no_harm(file: Path) -> None:
    expected = load(write(file, row(), distinct(1)), "clean").catalogue
    data = file.read_bytes()
    file.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\r\n", b"\n") + b"\n\n")
    assert load(file, "clean").catalogue == expected


def test_the_same_file_gives_the_same_digest_and_another_another(file: Path) -> None:
    digests = {
        load(write(file, row(), distinct(2, Price=price)), mode).catalogue.digest
        for mode in ("strict", "clean", "clean")
        for price in ("15.00", "16.00", "15.00")
    }
    assert len(digests) == 4


FIELD = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.sampled_from(["NA", "", "true", "3687", "25061", "12.50", "1-2", "$7", '"', "Apple"]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(FIELD, min_size=20, max_size=27), max_size=12))
@pytest.mark.parametrize("mode", ["strict", "clean"])
def test_every_row_is_accounted_for_whatever_it_holds(
    rows: list[list[str]], mode: Mode, file: Path
) -> None:
    loaded = load(write(file, row(), *rows), mode)
    report, items = loaded.report, loaded.catalogue.items
    assert report.rows == len(rows) + 1
    assert report.rows == report.kept + sum(report.dropped.values())
    assert report.kept == len(items)
    assert report.dropped.keys() <= DROPPED.keys()
    assert [item.item_id for item in items] == list(range(1, len(items) + 1))
    for item in items:
        assert item.title
        assert 100 <= item.price_cents <= 500_000
        assert item.rating_milli is None or 1_000 <= item.rating_milli <= 5_000
        assert item.reviews >= 0
    if mode == "clean":
        assert len({item.source_id for item in items}) == len(items)
        assert len({item.title.casefold() for item in items}) == len(items)


def test_the_columns_are_those_of_the_sample() -> None:
    assert len(COLUMNS) == 25
    assert COLUMNS.index("Title") < COLUMNS.index("Price") < COLUMNS.index("Stock")
