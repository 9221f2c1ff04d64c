"""How a world names its catalogue: through the hook, with a path where a file is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.catalogue import Catalogue, CatalogueError, load_shipped, open_catalogue
from bazaarbench.catalogue.promptcloud import load
from bazaarbench.market.digest import digest
from bazaarbench.market.rules import PRESETS
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.worlds import WorldSpec, found_market
from benchmarks.catalogue_load import write_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "ebay: sample.csv"
    write_sample(path, 600)
    return path


def opened(source: str) -> Catalogue:
    return open_catalogue(source, load_plugins().catalogues)


def test_built_in_catalogues_are_found_through_the_hook(sample: Path) -> None:
    assert opened("shipped") is load_shipped()
    assert opened(f"promptcloud:{sample}") == load(sample, "clean").catalogue
    assert opened(f"promptcloud-strict:{sample}") == load(sample, "strict").catalogue


def test_a_path_may_be_relative_or_begin_at_home(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample.parent)
    monkeypatch.setenv("HOME", str(sample.parent))
    expected = load(sample, "clean").catalogue
    assert opened(f"promptcloud:{sample.name}") == expected
    assert opened(f"promptcloud:~/{sample.name}") == expected


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("ebay", "No catalogue is called 'ebay'. There are: shipped, promptcloud:FILE"),
        ("ebay:x.csv", "No catalogue is called 'ebay'"),
        ("", "No catalogue is called ''"),
        ("promptcloud", "'promptcloud:FILE'"),
        ("promptcloud:", "'promptcloud:FILE'"),
        ("promptcloud-strict", "'promptcloud-strict:FILE'"),
        ("shipped:x.csv", "is not read from a file"),
        ("promptcloud:/nowhere/x.csv", "/nowhere/x.csv cannot be read"),
    ],
)
def test_a_wrong_name_is_refused_with_what_is_allowed(source: str, says: str) -> None:
    with pytest.raises(CatalogueError, match=says):
        opened(source)


@pytest.mark.parametrize("name", ["promptcloud", "promptcloud-strict"])
def test_a_world_of_the_sample_is_founded_and_its_facts_hold(name: str, sample: Path) -> None:
    spec = WorldSpec(name="ebay", seed=4, agents=60, catalogue=f"{name}:{sample}")
    catalogue = opened(spec.catalogue)
    market = found_market(spec, PRESETS["paper-base"], catalogue)
    titles = {item.title for item in catalogue.items}
    assert len(market.agents) == 60
    assert {unit.title for unit in market.units.values()} <= titles
    again = found_market(spec, PRESETS["paper-base"], catalogue)
    assert again.new_events == market.new_events


def test_a_world_names_its_catalogue_and_another_gives_another_digest(
    sample: Path, tmp_path: Path
) -> None:
    digests = []
    for number, source in enumerate(["shipped", f"promptcloud:{sample}", f"promptcloud:{sample}"]):
        path = tmp_path / f"{number}.db"
        grow(WorldSpec(name="x", seed=4, agents=20, days=1, catalogue=source), path)
        digests.append(digest(path))
    assert digests[0] != digests[1] == digests[2]
