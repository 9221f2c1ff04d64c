"""The page on markets names every field of the manifest and every command."""

from __future__ import annotations

import re
from pathlib import Path

from bazaarbench.cli.market import market
from bazaarbench.saved_states import Manifest
from bazaarbench.worlds import SHIPPED

PAGE = (Path(__file__).parents[2] / "docs" / "markets.md").read_text(encoding="utf-8")


def test_every_field_of_the_manifest_is_told_and_no_other() -> None:
    table = PAGE.split("### The manifest", 1)[1]
    told = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE)))
    assert sorted(told) == sorted(Manifest.model_fields)


def test_every_command_and_every_shipped_world_is_told() -> None:
    for name in market.commands:
        assert re.search(rf"market {name}\b", PAGE), name
    for name in SHIPPED:
        assert f"`{name}`" in PAGE
