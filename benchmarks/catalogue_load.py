"""Loading a file of the eBay sample's shape: seconds and peak memory (SPEC §3.1).

    python -m benchmarks.catalogue_load [--rows 30000] [--rounds 3]

The sample itself is not shipped, so a file of its shape is written first: 25 columns, the early
rows shifted, ranges, bare cents, inflated prices, ``NA``, non-ASCII titles, quoted commas, doubles.
The load is timed without tracing, and measured for memory in a round of its own.
"""

from __future__ import annotations

import csv
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import click

from bazaarbench.catalogue.csv_rows import COLUMNS, PLACE
from bazaarbench.catalogue.promptcloud import load
from bazaarbench.catalogue.tally import Mode
from bazaarbench.market.draws import below, choice
from benchmarks.machine import describe

#: Maker, model, what it is, typical price in cents.
_PRODUCTS = (
    ("Apple", "iPhone 8", "Smartphone", 24_000),
    ("Apple", "iPhone XS Max", "Smartphone", 61_000),
    ("Samsung", "Galaxy S9+", "Handy ohne Vertrag, geprüft", 29_900),
    ("Sony", "WH-1000XM3", "Cuffie senza fili – qualità", 22_000),
    ("Nintendo", "Switch Lite", "Handheld Console", 19_900),
    ("Fitbit", "Versa 2", "Smartwatch", 13_500),
    ("Canon", 'EOS M50 3" LCD', "Mirrorless Camera", 56_000),
    ("Philips", "Hue", "Starter Kit, 3 bulbs", 9_900),
    ("NA", "NA", "Wired Headphones 3.5mm with Mic", 1_200),
    ("Amazon", "Fire HD 8", "Tablet", 7_900),
)
_COLORS = ("Black", "Rose Gold", "Space Gray", "White, Silver", "Blue", "NA")
_MEMORY = ("32 GB", "64 GB", "128 GB", "256 GB", "NA")
#: Share of the rows, in permille, that lack the field Stock.
_SHIFTED_PERMILLE = 400


def write_sample(path: Path, rows: int) -> None:
    """Write a file of ``rows`` rows; the same number gives the same bytes."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number in range(rows):
            # A row in twenty repeats an earlier one.
            source = below(number, number, "double") if number and number % 20 == 0 else number
            writer.writerow(_row(source, shifted=number * 1000 < rows * _SHIFTED_PERMILLE))


def _row(number: int, *, shifted: bool) -> list[str]:
    maker, model, kind, cents = choice(_PRODUCTS, number, "product")
    color, memory = choice(_COLORS, number, "color"), choice(_MEMORY, number, "memory")
    parts = (maker, model, memory, color, kind, f"Ref {number}")
    stars = [below(40, number, "stars", place) for place in range(5)]
    values = {
        "Uniq Id": f"{number:032x}",
        "Crawl Timestamp": f"2020-0{6 if shifted else 7}-15 10:21:33 +0000",
        "Pageurl": f"https://www.ebay.com/p/{number}?iid=1",
        "Website": "ebay.com",
        "Title": " ".join(part for part in parts if part != "NA"),
        "Num Of Reviews": str(sum(stars) // 2),
        "Average Rating": f"4.{below(10, number, 'rating')}",
        "Number Of Ratings": str(sum(stars)),
        "Upc": "190198451736, 190198451743",
        "Manufacturer": maker,
        "Model Name": model,
        "Price": _price(number, cents * (800 + below(400, number, "price")) // 1000),
        "Stock": "true",
        "Carrier": choice(("Unlocked", "Verizon, AT&T", "NA"), number, "carrier"),
        "Color Category": color,
        "Internal Memory": memory,
        "Screen Size": "5.8 in",
        **dict(zip(COLUMNS[-5:], map(str, stars), strict=True)),
    }
    fields = [values.get(name, "NA") for name in COLUMNS]
    if shifted:
        del fields[PLACE["Stock"]]
    return fields


def _price(number: int, cents: int) -> str:
    kind = below(100, number, "form")
    if kind < 20:
        return "NA"
    if kind < 25:
        return str(cents)
    if kind < 28:
        return f"{cents * 14:,}.35"
    dollars = f"{cents // 100}.{cents % 100:02}"
    if kind < 32:
        return f"{dollars}-{cents // 80}.00"
    return f"${dollars}" if kind < 40 else dollars


def _modes() -> Iterator[Mode]:
    yield "clean"
    yield "strict"


@click.command()
@click.option("--rows", type=int, default=30_000, show_default=True)
@click.option("--rounds", type=int, default=3, show_default=True)
def main(rows: int, rounds: int) -> None:
    """Time both ways of loading."""
    click.echo(describe())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.csv"
        write_sample(path, rows)
        click.echo(f"{rows:,} rows, {path.stat().st_size / 1e6:.1f} MB")
        for mode in _modes():
            seconds = []
            for _ in range(rounds):
                start = time.process_time()
                loaded = load(path, mode)
                seconds.append(time.process_time() - start)
            report = loaded.report
            tracemalloc.start()
            load(path, mode)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            click.echo(
                f"{mode}: {min(seconds):.2f} s CPU (best of {rounds}), peak {peak / 1e6:.0f} MB; "
                f"{report.kept:,} kept, repaired {report.repaired}, dropped {report.dropped}"
            )


if __name__ == "__main__":
    main()
