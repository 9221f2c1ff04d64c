"""What the layout promises: what is declared is what is used, and links lead where they should."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGE_FILES = sorted(
    path for folder in ("bazaarbench", "tasks", "scorers") for path in (ROOT / folder).rglob("*.py")
)


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def normal(name: str) -> str:
    return name.lower().replace("_", "-")


def declared_distributions(*extras: str) -> set[str]:
    cut = str.maketrans(dict.fromkeys("<>=!~;[", " "))
    project = PYPROJECT["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {normal(line.translate(cut).split()[0]) for line in lines}


def extras_of(path: Path) -> tuple[str, ...]:
    """The extras without which a file of the package cannot be imported."""
    return ("testing",) if path.parent.name == "testing" else ()


def test_every_package_that_is_imported_is_declared() -> None:
    owners = metadata.packages_distributions()
    undeclared = {
        (str(path.relative_to(ROOT)), module)
        for path in PACKAGE_FILES
        for module in imported_modules(path)
        if (top := module.split(".")[0]) not in sys.stdlib_module_names | {"bazaarbench"}
        and not declared_distributions(*extras_of(path))
        & {normal(one) for one in owners.get(top, [])}
    }
    assert undeclared == set()


def test_only_the_fixtures_for_plugins_need_pytest_and_nobody_needs_them() -> None:
    needed = {
        str(path.relative_to(ROOT))
        for path in PACKAGE_FILES
        for module in imported_modules(path)
        if module.split(".")[0] == "pytest" or module.startswith("bazaarbench.testing")
    }
    assert needed == {"bazaarbench/testing/plugin.py"}


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("scorers", ["bazaarbench.evals."]),
        ("tasks", ["bazaarbench.evals.", "bazaarbench.scorers."]),
    ],
)
def test_task_and_scorer_files_import_inspect_evals_and_scorers_alone(
    folder: str, allowed: list[str]
) -> None:
    files = sorted((ROOT / folder).glob("*.py"))
    assert files
    others = {
        (path.name, module)
        for path in files
        for module in imported_modules(path)
        if module.split(".")[0] not in sys.stdlib_module_names | {"inspect_ai"}
        and not f"{module}.".startswith(tuple(allowed))
    }
    assert others == set()


@pytest.mark.parametrize("folder", ["tasks", "scorers"])
def test_the_folders_at_the_top_are_packages_of_the_library(folder: str) -> None:
    link = ROOT / "bazaarbench" / folder
    assert link.is_symlink()
    assert link.resolve() == ROOT / folder
    assert (link / "__init__.py").is_file()


def first_level_modules() -> set[str]:
    found = {
        path.stem
        for path in (ROOT / "bazaarbench").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    return {f"bazaarbench.{name}" for name in found - {"__init__"}}


def contract(beginning: str) -> dict[str, list[str]]:
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    (found,) = [one for one in contracts if one["name"].startswith(beginning)]
    return dict(found)


def test_only_the_inspect_side_may_import_inspect() -> None:
    side = {"evals", "tasks", "scorers", "_registry", "cli"}
    held = set(contract("The market, what reads it")["source_modules"])
    assert held == first_level_modules() - {f"bazaarbench.{name}" for name in side}


def test_every_module_but_evals_is_closed_to_task_and_scorer_files() -> None:
    closed = set(contract("Task and scorer files")["forbidden_modules"])
    open_ones = {f"bazaarbench.{name}" for name in ("evals", "tasks", "scorers")}
    assert closed == first_level_modules() - open_ones


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, bazaarbench, bazaarbench.cli\n"
        "heavy = {'inspect_ai', 'numpy', 'scipy', 'rich.progress', 'pydantic', 'sqlite_utils'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
