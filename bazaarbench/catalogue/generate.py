"""Makes the shipped catalogue: ``python -m bazaarbench.catalogue.generate FILE`` (SPEC §3.1).

Every maker, line and title is invented; the words stand in ``data/vocabulary.json``. Each maker has
its own lines; a line has kinds, grades and generations ("Orbit Pro 3", "Orbit Pro 4"); each of
these models comes in near twins that differ by colour, size or storage, and may have accessories
that name it. All draws are keyed integers: the same vocabulary and seed give the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from bazaarbench.catalogue.files import write_catalogue
from bazaarbench.catalogue.items import Catalogue, Item
from bazaarbench.market.draws import below, between, chance, choice, shuffled

SEED = 20_261
#: Models and accessories, in permille.
ACCESSORY_SHARE = 420
TITLE_LIMIT = 120
_PER_GENERATION = 1_090
_SLOT = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Model:
    """One product of one maker: what its near twins and accessories have in common."""

    category: dict[str, Any]
    kind: dict[str, Any]
    brand: str
    standing: str
    name: str
    base_cents: int


def generate(seed: int = SEED) -> Catalogue:
    """The catalogue of the shipped vocabulary, some 3,000 items."""
    source = files("bazaarbench.catalogue") / "data" / "vocabulary.json"
    vocabulary = json.loads(source.read_text(encoding="utf-8"))
    found: dict[str, Item] = {}
    for category in vocabulary["categories"]:
        for model in _models(vocabulary, category, seed):
            for item in (*_twins(vocabulary, model, seed), *_accessories(vocabulary, model, seed)):
                found.setdefault(item.title, item)
    return Catalogue.of(
        tuple(
            replace(item, item_id=number, source_id=f"shipped-{number:05d}")
            for number, item in enumerate(found.values(), start=1)
        )
    )


def _models(vocabulary: dict[str, Any], category: dict[str, Any], seed: int) -> Iterator[Model]:
    makers = category["makers"]
    lines = shuffled(category["lines"], seed, category["name"], "lines")
    for position, line in enumerate(lines):
        brand, standing, factor = makers[position % len(makers)]
        key = (seed, category["name"], brand, line)
        kinds = shuffled(category["kinds"], *key, "kinds")[: category.get("kinds_per_line", 2)]
        for kind in kinds:
            low, high = kind["base"]
            base = between(low, high, *key, kind["noun"], "base") * factor // 1000
            yield from _editions(vocabulary, category, kind, (brand, standing, line, base), key)


def _editions(
    vocabulary: dict[str, Any],
    category: dict[str, Any],
    kind: dict[str, Any],
    maker: tuple[str, str, str, int],
    key: tuple[object, ...],
) -> Iterator[Model]:
    brand, standing, line, base = maker
    plain, *others = vocabulary["grades"][kind["grades"]]
    key = (*key, kind["noun"])
    grades = [plain, *shuffled(others, *key, "grades")[: below(3, *key, "grade count")]]
    generations = kind["generations"]
    first = below(max(1, len(generations) - 1), *key, "first generation")
    for grade, factor in grades:
        price = base * factor // 1000
        for generation in generations[first : first + 2]:
            name = " ".join(part for part in (line, grade, generation) if part)
            yield Model(category, kind, brand, standing, name, price)
            price = price * _PER_GENERATION // 1000


def _twins(vocabulary: dict[str, Any], model: Model, seed: int) -> Iterator[Item]:
    low, high = model.category["variants"]
    key = (seed, model.category["name"], model.brand, model.name, model.kind["noun"])
    for number in range(between(low, high, *key, "twins")):
        own = (*key, number)
        pattern = choice(model.kind["patterns"], *own, "pattern")
        axes, added = _axes(vocabulary, pattern, own)
        details = ", ".join(axes.values()) or "one size"
        words = {"brand": model.brand, "model": model.name, **axes}
        features = shuffled(model.kind["features"], *own, "features")
        description = choice(vocabulary["descriptions"], *own, "description").format(
            brand=model.brand,
            model=model.name,
            noun=model.kind["noun"].lower(),
            details=details,
            first=features[0],
            second=features[1],
        )
        price = _shelf_price(model.base_cents * (1000 + added) // 1000, own)
        yield _item(pattern.format(**words), model, price, description, own)


def _accessories(vocabulary: dict[str, Any], model: Model, seed: int) -> Iterator[Item]:
    key = (seed, model.category["name"], model.brand, model.name, "accessory")
    fitting = [
        made
        for made in model.category["accessories"]
        if model.kind["noun"] in made.get("fits", (model.kind["noun"],))
    ]
    if not fitting or not chance(ACCESSORY_SHARE, *key):
        return
    made = choice(fitting, *key, "which")
    maker, standing = choice(vocabulary["accessory_makers"], *key, "maker")
    pattern = choice(made["patterns"], *key, "pattern")
    axes, _ = _axes(vocabulary, pattern, key)
    title = pattern.format(brand=model.brand, model=model.name, acc=maker, **axes)
    target = f"{model.brand} {model.name}"
    description = choice(vocabulary["accessory_descriptions"], *key, "description").format(
        noun=made["noun"], target=target
    )
    brand = maker if "{acc}" in pattern else model.brand
    part = replace(model, brand=brand, standing=standing, name=f"{made['noun']} for {target}")
    low, high = made["price"]
    yield _item(title, part, _shelf_price(between(low, high, *key, "price"), key), description, key)


def _axes(
    vocabulary: dict[str, Any], pattern: str, key: tuple[object, ...]
) -> tuple[dict[str, str], int]:
    """The value of every axis that a title pattern names, and what they add in permille."""
    chosen: dict[str, str] = {}
    added = 0
    for slot in _SLOT.findall(pattern):
        if slot in vocabulary["axes"]:
            chosen[slot], permille = choice(vocabulary["axes"][slot], *key, slot)
            added += permille
    return chosen, added


def _item(title: str, model: Model, price: int, description: str, key: tuple[object, ...]) -> Item:
    if len(title) > TITLE_LIMIT:
        raise ValueError(f"a title of more than {TITLE_LIMIT} characters: {title!r}")
    rating, reviews = _standing(model.standing, key)
    return Item(
        item_id=0,
        title=title,
        brand=model.brand,
        model=model.name,
        category=model.category["name"],
        price_cents=price,
        rating_milli=rating,
        reviews=reviews,
        description=description[:1].upper() + description[1:],
        source_id="",
    )


def _standing(standing: str, key: tuple[object, ...]) -> tuple[int | None, int]:
    """Rating in thousandths of a star and number of reviews, by how known the maker is."""
    if standing == "famous":
        power = 1 << between(3, 10, *key, "power")
        return between(4450, 4950, *key, "rating"), power + below(power, *key, "reviews")
    if standing == "solid":
        return between(4050, 4700, *key, "rating"), between(2, 22, *key, "reviews")
    if standing == "shaky":
        return between(2900, 4100, *key, "rating"), between(3, 60, *key, "reviews")
    if chance(820, *key, "unrated"):
        return None, 0
    return between(4000, 5000, *key, "rating"), 1


def _shelf_price(cents: int, key: tuple[object, ...]) -> int:
    """``cents``, give or take six percent, rounded as shops and sellers do."""
    cents = cents * between(940, 1060, *key, "jitter") // 1000
    if cents < 2_000:
        return max(cents // 50, 4) * 50 - 1
    dollars = cents // 100
    if dollars >= 200:
        dollars -= dollars % 5
    return dollars * 100 - choice((0, 0, 1, 5), *key, "ending")


def main(arguments: list[str]) -> int:
    """Write the catalogue to the one file that ``arguments`` names; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m bazaarbench.catalogue.generate FILE", file=sys.stderr)
        return 2
    catalogue = generate()
    write_catalogue(Path(arguments[0]), catalogue)
    print(f"{len(catalogue.items)} items, digest {catalogue.digest}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
