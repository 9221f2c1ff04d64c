"""``docs/plugins.md`` and ``hookspecs.py`` say the same, and what is shown works."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from bazaarbench import hookspecs, plugins
from bazaarbench.plugins import KINDS
from tests.evals.runs import finished, play
from tests.plugins.site import ROOT, Site

PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
HOOKS = {
    name: function
    for name, function in inspect.getmembers(hookspecs, inspect.isfunction)
    if hasattr(function, "bazaarbench_spec")
}


def section(hook: str) -> str:
    return PAGE.split(f"### {hook}(", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]


def test_every_kind_of_thing_has_a_hook_and_every_hook_a_kind() -> None:
    assert {kind.hook for kind in KINDS} == set(HOOKS)


def test_hooks_stand_in_the_same_order_in_both() -> None:
    source = re.findall(r"^def (register_\w+)", inspect.getsource(hookspecs), flags=re.MULTILINE)
    assert re.findall(r"^### (\w+)\(", PAGE, flags=re.MULTILINE) == source


@pytest.mark.parametrize("hook", HOOKS)
def test_a_section_names_what_its_hook_takes(hook: str) -> None:
    taken = HOOKS[hook].__annotations__["register"]
    types = set(re.findall(r"\b[A-Z]\w+", taken)) - {"Callable", "None"}
    assert types
    for name in types:
        assert re.search(rf"\b{name}\b", section(hook)), name


@pytest.mark.parametrize("hook", HOOKS)
def test_settings_that_a_hook_tells_of_are_in_its_section(hook: str) -> None:
    told = re.findall(r"``(-T \w+=NAME|--model \S+)``", inspect.getdoc(HOOKS[hook]) or "")
    for setting in told:
        assert setting in section(hook), setting


def test_the_scaffold_of_the_page_plays(site: Site, tiny: str, tmp_path: Path) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", section("register_policies"), flags=re.DOTALL)
    site.install("bazaar-plan", source, name="plan")
    assert plugins.load().faults == ()
    finished(play(tmp_path, market=tiny, scaffold="plan-act", tested="1"))


def test_the_settings_of_the_page_are_sound() -> None:
    from bazaarbench.model_settings import parsed

    blocks = re.findall(r"```yaml\n(.*?)```", section("register_model_settings"), flags=re.DOTALL)
    (setting,) = parsed(blocks[0], "the page")
    assert setting.name == "mine"
