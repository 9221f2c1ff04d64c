"""The documentation of plugins says what the hooks are, and its example works as written."""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from pathlib import Path

import pytest

from bazaarbench import hookspecs, plugins

ROOT = Path(__file__).parents[2]
PLUGINS_MD = (ROOT / "docs" / "plugins.md").read_text()


def hooks() -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(inspect.signature(function).parameters)
        for name, function in inspect.getmembers(hookspecs, inspect.isfunction)
        if hasattr(function, "bazaarbench_spec")
    }


def code(language: str) -> str:
    """The first block in a language: the plugin in two files."""
    return str(re.findall(rf"```{language}\n(.*?)```", PLUGINS_MD, flags=re.DOTALL)[0])


def test_every_hook_is_documented_with_its_arguments_and_no_other() -> None:
    headings = re.findall(r"^### (\w+)\(([^)]*)\)$", PLUGINS_MD, flags=re.MULTILINE)
    documented = {name: tuple(filter(None, args.split(", "))) for name, args in headings}
    assert documented == hooks()


def test_every_hook_explains_itself_and_has_a_built_in() -> None:
    from bazaarbench import builtin

    for name in hooks():
        assert inspect.getdoc(getattr(hookspecs, name))
        assert hasattr(getattr(builtin, name), "bazaarbench_impl")


def test_every_module_that_the_documentation_names_has_what_it_says() -> None:
    names = re.findall(r"`(bazaarbench(?:\.\w+)+)\.(\w+)`", PLUGINS_MD)
    assert len(names) >= 6
    for module, name in names:
        __import__(module)
        assert hasattr(sys.modules[module], name), f"{module}.{name}"


def test_the_example_plugin_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tomllib.loads(code("toml"))["project"]
    ((name, module),) = project["entry-points"]["bazaarbench"].items()
    (tmp_path / f"{module}.py").write_text(code("python"))
    info = tmp_path / f"{module}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text(f"[bazaarbench]\n{name} = {module}\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = plugins.read(plugins.installed(), only=frozenset({name}))
    sys.modules.pop(module, None)
    assert registry.faults == ()
    assert registry.presets["trusting"].meetup_inspection == "optional"
    loaded = registry.plugins[1]
    line = f"{loaded.name}  ({loaded.distribution} {loaded.version})  loaded"
    assert f"{line}\n    {loaded.registered[0]}\n" in PLUGINS_MD


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    section = (ROOT / "README.md").read_text().split("## Set up")[1].split("\n## ")[0]
    commands = [
        line.split("#")[0].strip()
        for block in re.findall(r"```\n(.*?)```", section, flags=re.DOTALL)
        for line in block.splitlines()
    ]
    assert commands == ["make demo", "make test"]


def test_what_the_readme_links_to_is_there() -> None:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
