"""Distributions on the import path as pip would have installed them, without pip."""

from __future__ import annotations

import importlib
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bazaarbench import plugins

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "plugins"


class Site:
    """A folder on the import path."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.patch = patch
        self.modules: list[str] = []

    def install(
        self, distribution: str, source: str, *, name: str | None = None, version: str = "1.0"
    ) -> None:
        """One distribution with one plugin, whose module is named after the distribution."""
        module = distribution.replace("-", "_")
        (self.folder / f"{module}.py").write_text(textwrap.dedent(source))
        self._describe(distribution, version, name or distribution, module)

    def install_example(self, distribution: str) -> None:
        """One of the packages in ``plugins/``, from its source."""
        project = tomllib.loads((EXAMPLES / distribution / "pyproject.toml").read_text())["project"]
        ((name, module),) = project["entry-points"]["bazaarbench"].items()
        self.patch.syspath_prepend(EXAMPLES / distribution)
        self._describe(distribution, project["version"], name, module)

    def remove(self, distribution: str) -> None:
        """Take a distribution away again."""
        for info in self.folder.glob(f"{distribution.replace('-', '_')}-*.dist-info"):
            for file in info.iterdir():
                file.unlink()
            info.rmdir()
        importlib.invalidate_caches()
        plugins.forget()

    def _describe(self, distribution: str, version: str, name: str, module: str) -> None:
        self.modules.append(module)
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(f"[bazaarbench]\n{name} = {module}\n")
        # Finders know a folder by the time of its last change, which is too coarse for a test.
        importlib.invalidate_caches()


@contextmanager
def a_site(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site whose plugins are loaded, and forgotten afterwards."""
    patch.syspath_prepend(folder)
    patch.delenv(plugins.SWITCH)
    plugins.forget()
    installed = Site(folder, patch)
    yield installed
    plugins.forget()
    for module in list(sys.modules):
        if module.split(".")[0] in installed.modules:
            del sys.modules[module]
