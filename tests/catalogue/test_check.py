"""``bazaarbench catalogue check``: what a file holds, in words and as JSON (SPEC §2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bazaarbench.catalogue import Catalogue, CatalogueError, load_shipped, write_catalogue
from bazaarbench.catalogue.check import Checked, check_file, print_check
from bazaarbench.catalogue.tally import DROPPED, REPAIRED
from tests.catalogue.samples import distinct, shifted, write


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return write(
        tmp_path / "ebay.csv",
        *(shifted(distinct(number)) for number in range(3)),
        distinct(1, Price="20.00"),
        distinct(5, Price="3687", Title="[red]Wired[/red] earbuds"),
        distinct(6, Price="NA"),
        distinct(7, Title="Oak dining table", Manufacturer="NA", Price="25.00"),
        distinct(8, Title="Thing", Manufacturer="NA", Model_Name="Y", Price="49.99"),
        distinct(9, Title="Rare thing", Manufacturer="NA", Price="5000.00", Average_Rating="NA"),
    )


def shown(checked: Checked, capsys: pytest.CaptureFixture[str]) -> str:
    print_check(checked)
    return capsys.readouterr().out


def test_it_says_what_was_read_repaired_dropped_and_why(
    sample: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    text = shown(check_file(sample), capsys)
    assert "clean: 9 rows read, 6 kept, 3 dropped" in text
    assert f"3   {REPAIRED['shifted']}" in text
    for reason in ("no_price", "unit_error", "duplicate"):
        assert f"1   {DROPPED[reason]}" in text
    assert "line 6: 3687, [red]Wired[/red] earbuds" in text
    assert "Category by default, since no word tells it: 2" in text
    assert "Prices from $25.00 to $5,000.00, median $189.95" in text
    assert "study" not in text


def test_its_json_holds_the_same_and_both_histograms_add_up(sample: Path) -> None:
    found = json.loads(json.dumps(check_file(sample).as_json()))
    report, catalogue = found["report"], found["catalogue"]
    assert found["path"] == str(sample)
    assert (report["mode"], report["rows"], report["kept"]) == ("clean", 9, 6)
    assert report["dropped"] == {"no_price": 1, "unit_error": 1, "duplicate": 1}
    assert report["repaired"] == {"shifted": 3}
    assert report["examples"]["no_price"] == [
        {"line": 7, "price": "NA", "title": "Apple iPhone 8 64GB Gray no 6"}
    ]
    assert (catalogue["items"], catalogue["rated"], catalogue["titles"]) == (6, 5, 6)
    assert catalogue["prices"] == {
        "least": 2_500,
        "median": 18_995,
        "mean": (3 * 18_995 + 2_500 + 4_999 + 500_000) // 6,
        "p90": 500_000,
        "most": 500_000,
    }
    filled = {name: count for name, count in catalogue["histogram"].items() if count}
    assert filled == {"25-50": 2, "150-250": 3, "2000-plus": 1}
    assert list(catalogue["categories"].items()) == [
        ("electronics-phones", 3),
        ("home-goods", 2),
        ("furniture", 1),
    ]
    assert catalogue["makers"] == {"": 3, "apple": 3}
    assert catalogue["digest"] == check_file(sample).summary.digest
    assert found["published"] is None


def test_strict_is_shown_beside_the_figures_of_the_study(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = check_file(sample, "strict")
    assert checked.published is not None
    assert checked.published["items"] == 20_367
    assert sum(checked.published["categories"].values()) == 20_367
    text = shown(checked, capsys)
    assert "strict: 9 rows read, 8 kept, 1 dropped" in text
    assert "20,367" in text
    assert "5,303" in text


def test_a_catalogue_in_our_own_format_is_known_by_its_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalogue = Catalogue.of(load_shipped().items[:60])
    write_catalogue(tmp_path / "own.jsonl", catalogue)
    checked = check_file(tmp_path / "own.jsonl")
    assert checked.report is None
    assert checked.summary.digest == catalogue.digest
    assert "60 items" in shown(checked, capsys)
    assert checked.as_json()["report"] is None


def test_other_files_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    for path, says in (
        (tmp_path / "x.json", "not a BazaarBench catalogue"),
        (tmp_path / "nowhere.csv", "cannot be read"),
        (tmp_path, "cannot be read"),
        (write(tmp_path / "empty.csv"), "Nothing is left"),
    ):
        with pytest.raises(CatalogueError, match=says) as refused:
            check_file(path)
        assert str(path) in str(refused.value)
