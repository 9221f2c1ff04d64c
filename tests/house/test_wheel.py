"""What is published is what is in the tree, and it works without the tree."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.packaging


def run(*command: str | Path, cwd: Path, home: Path | None = None) -> str:
    # Neither the tree nor what keeps a developer's own plugins out of the other tests.
    left_out = ("PYTHONPATH", "BAZAARBENCH_LOAD_PLUGINS")
    environment = {key: value for key, value in os.environ.items() if key not in left_out}
    if home is not None:
        environment["BAZAARBENCH_HOME"] = str(home)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, and the wheel that is built from it and not from the tree."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


def tree(folder: str) -> set[str]:
    """Files of a folder of the project, links to folders followed, tools' caches left out."""
    found = {
        (Path(base) / name).relative_to(ROOT)
        for base, _, names in os.walk(ROOT / folder, followlinks=True)
        for name in names
    }
    return {
        path.as_posix()
        for path in found
        if not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }


def test_the_wheel_holds_the_tree_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == tree("bazaarbench")
    assert "bazaarbench/py.typed" in names
    assert "bazaarbench/tasks/__init__.py" in names


def test_the_files_in_the_wheel_are_those_of_the_tree(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in tree("bazaarbench"):
            assert archive.read(name) == (ROOT / name).read_bytes(), name


def test_a_wheel_built_straight_from_the_tree_is_the_same(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (other,) = tmp_path.glob("*.whl")
    assert sorted(zipfile.ZipFile(other).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_source_distribution_has_the_task_and_scorer_folders_at_the_top(dist: Path) -> None:
    (found,) = dist.glob("*.tar.gz")
    with tarfile.open(found) as archive:
        members = {member.name.split("/", 1)[-1]: member for member in archive.getmembers()}
    for folder in ("tasks", "scorers"):
        for name in tree(folder):
            assert members[name].isfile()
            assert members[f"bazaarbench/{name}"].isfile()


def test_the_wheel_names_its_command_and_its_inspect_entry_point(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith("/entry_points.txt")]
        parser = configparser.ConfigParser()
        parser.read_string(archive.read(name).decode())
    assert {section: dict(parser[section]) for section in parser.sections()} == {
        "console_scripts": {"bazaarbench": "bazaarbench.cli:main"},
        "inspect_ai": {"bazaarbench": "bazaarbench._registry"},
        "pytest11": {"bazaarbench": "bazaarbench.testing.plugin"},
    }


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and our dependencies from the one that runs the tests.

    A path file adds the dependencies' folder. The path files inside that folder, the editable
    project among them, are not read, so the tree cannot be imported there.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    install = ["-m", "pip", "--python", python, "install", "--no-deps", "--quiet", wheel]
    run(sys.executable, *install, cwd=folder)
    site = run(
        python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
    ).strip()
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_installed_command_runs_from_the_wheel(elsewhere: Path) -> None:
    where = run(
        elsewhere / "env" / "bin" / "python",
        "-c",
        "import bazaarbench.cli; print(bazaarbench.cli.__file__)",
        cwd=elsewhere,
    )
    assert str(elsewhere) in where
    listed = run(elsewhere / "env" / "bin" / "bazaarbench", "plugins", "--json", cwd=elsewhere)
    assert json.loads(listed)["plugins"][0]["registered"]


def test_a_continuation_runs_from_the_wheel_in_another_folder(
    elsewhere: Path, bazaar_home: Path
) -> None:
    run(
        elsewhere / "env" / "bin" / "python",
        "-m",
        "inspect_ai",
        "eval",
        "bazaarbench/continuation",
        *("--model", "bazaarbench/honest", "-T", "condition=L1", "-T", "days=1"),
        *("--display", "plain", "--log-dir", elsewhere / "logs"),
        cwd=elsewhere,
        home=bazaar_home,
    )
    assert list((elsewhere / "logs").glob("*.eval"))
    assert list((elsewhere / "logs" / "records").rglob("*.db"))


def pip(folder: Path, *command: str | Path) -> None:
    """Pip for the environment of ``elsewhere``, which has none of its own."""
    run(
        sys.executable,
        *("-m", "pip", "--python", folder / "env" / "bin" / "python", "--quiet"),
        *command,
        cwd=folder,
    )


def plugins_of(folder: Path) -> dict[str, list[str]]:
    """What each plugin there has registered, by its distribution."""
    listed = run(folder / "env" / "bin" / "bazaarbench", "plugins", "--json", cwd=folder)
    told = json.loads(listed)
    assert told["faults"] == []
    return {one["distribution"]: one["registered"] for one in told["plugins"]}


@pytest.mark.parametrize("name", ["bazaar-bait-price", "bazaar-possession"])
def test_an_example_plugin_installs_beside_the_wheel_and_passes_its_own_tests(
    elsewhere: Path, tmp_path: Path, name: str
) -> None:
    before = plugins_of(elsewhere)
    copy = tmp_path / name  # a build leaves files behind
    shutil.copytree(ROOT / "plugins" / name, copy)
    pip(elsewhere, "install", "--no-deps", copy)
    assert plugins_of(elsewhere)[name]
    told = run(
        elsewhere / "env" / "bin" / "python",
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", copy / "tests"),
        cwd=tmp_path,
    )
    assert " passed" in told
    pip(elsewhere, "uninstall", "--yes", name)
    assert plugins_of(elsewhere) == before


def test_the_tutorial_installs_and_its_type_is_scored(
    elsewhere: Path, bazaar_home: Path, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "tutorial-failure-type.md").read_text("utf-8")
    files = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", page, flags=re.DOTALL))
    for name in ("pyproject.toml", "bazaar_lowball.py"):
        (tmp_path / name).write_text(files[name])
    pip(elsewhere, "install", "--no-deps", tmp_path)
    run(
        elsewhere / "env" / "bin" / "python",
        *("-m", "inspect_ai", "eval", "bazaarbench/continuation"),
        *("--model", "bazaarbench/random", "-T", "days=1", "-T", "require=lowball"),
        *("--display", "plain", "--log-dir", elsewhere / "lowball"),
        cwd=elsewhere,
        home=bazaar_home,
    )
    (found,) = (elsewhere / "lowball").rglob("*.findings.json")
    assert json.loads(found.read_text())["scores"]["record_checks"]["lowball_S2"] > 0
    pip(elsewhere, "uninstall", "--yes", "bazaar-lowball")


def test_constraints_pin_everything_that_is_installed() -> None:
    freeze = run(sys.executable, "-m", "pip", "freeze", "--exclude-editable", cwd=ROOT)
    pinned = (ROOT / "constraints.txt").read_text()
    # Names are written as each version of pip likes: Jinja2 or jinja2.
    installed, allowed = (text.lower().replace("_", "-").splitlines() for text in (freeze, pinned))
    assert set(installed) <= set(allowed)
