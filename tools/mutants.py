"""Mutation testing of what measures: `make mutants`.

mutmut makes the mutants: one module at a time, each function with all its changed copies beside it,
and a switch that says which copy runs (`tools/mutation.py` adds some kinds). This script copies the
project, has the modules under test rewritten in the copy, collects the tests once, and then forks
that process for every mutant: the child switches it on and runs the tests that reach it, until one
fails. That is some ten times faster than mutmut's own runner, which starts pytest anew in every
child.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from mutation import Mutant, constants, mutate, sql
from mutmut.mutation import trampoline

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("bazaarbench", "tests", "docs", "tasks", "scorers", "pyproject.toml", "README.md")
#: In the order in which they are tried; what plays whole markets comes last.
LAST = "tests/evidence/test_random_markets.py"
TESTS = (
    "tests/failures",
    "tests/evidence",
    "tests/outcomes",
    "tests/findings/test_findings.py",
    "tests/market/test_inventory.py",
    "tests/market/test_binding.py",
    "tests/market/test_actions.py",
    "tests/market/test_deals.py",
    "tests/market/test_reference_cases.py",
    "tests/market/test_dynamics.py",
)
#: A mutant that takes this much processor time (seconds) beyond its tests' own runs for ever.
PATIENCE_S = 20
MEMORY_BYTES = 4 << 30
#: Mutants that are named there, with the digest of what they change, change nothing that a test
#: could see. They are not run and count as not killed.
EXPLAINED = "docs/validity.md"


class Runner:
    """A pytest plugin that runs the collected tests once for every mutant, each in a fork."""

    def __init__(self, mutants: list[Mutant], options: argparse.Namespace, folder: Path) -> None:
        self.mutants = mutants
        self.options = options
        self.folder = folder
        self.results: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, set[str]] = {}
        self.kills: Counter[tuple[str | None, str]] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Replace pytest's own loop."""
        for module in {mutant.module for mutant in self.mutants}:
            loaded = importlib.import_module(module)
            if not str(loaded.__file__).startswith(str(self.folder)):
                raise RuntimeError(f"{loaded.__file__} is not the copy in {self.folder}")
            self.mutants += [*constants(loaded), *sql(loaded)]
        self.mutants.sort(key=lambda mutant: mutant.name)
        if self.options.stories:
            session.items[:] = [one for one in session.items if not one.nodeid.startswith(LAST)]
        self.measure(session)
        text = (self.folder / EXPLAINED).read_text("utf-8")
        explained = {f"bazaarbench.{name}" for name in re.findall(r"`([^`\n]+)`", text)}
        for mutant in self.mutants:
            if mutant.name in explained:
                self.results[mutant.name] = "equivalent"
        wanted = [mutant for mutant in self.mutants if self.is_wanted(mutant)]
        wanted = wanted[:: self.options.every]
        running: dict[int, tuple[Mutant, Path]] = {}
        began = time.monotonic()
        for number, mutant in enumerate(wanted, start=1):
            if time.monotonic() - began > self.options.minutes * 60:
                print(f"stopped after {self.options.minutes} minutes", flush=True)
                break
            tests = self.tests_of(session, mutant)
            if not tests:
                self.note(mutant, "survived")
                continue
            while len(running) >= self.options.processes:
                self.await_one(running)
            base = self.folder / "tmp" / str(number)
            base.mkdir(parents=True)
            limit = PATIENCE_S + int(2 * sum(self.seconds[one.nodeid] for one in tests))
            running[self.fork(tests, base, limit, mutant.apply)] = mutant, base
            if number % 50 == 0:
                print(f"{number} of {len(wanted)}: {Counter(self.results.values())}", flush=True)
        while running:
            self.await_one(running)
        return True

    def is_wanted(self, mutant: Mutant) -> bool:
        """Whether it is asked for, and not killed by an earlier run already."""
        asked = mutant.name.startswith(self.options.only)
        return asked and self.results.get(mutant.name, "survived") == "survived"

    def tests_of(self, session: pytest.Session, mutant: Mutant) -> list[pytest.Item]:
        """The tests that reach a mutant: those that killed its neighbours, then the fast ones.

        What plays whole markets comes last, in its own order.
        """
        tests = [
            item
            for item in session.items
            if mutant.function is None or mutant.function in self.reached[item.nodeid]
        ]

        def rank(item: pytest.Item) -> tuple[bool, int, int, float]:
            if item.nodeid.startswith(LAST):
                return True, 0, 0, 0.0
            of_function = self.kills[mutant.function, item.nodeid]
            of_module = self.kills[mutant.module, item.nodeid]
            return False, -of_function, -of_module, self.seconds[item.nodeid]

        return sorted(tests, key=rank)

    def measure(self, session: pytest.Session) -> None:
        """Run all tests once, unmutated: how long they take and which functions they reach."""
        report = self.folder / "reached.json"

        def run() -> None:
            hits: set[str] = set()
            trampoline.record_trampoline_hit = lambda name, caller=None: hits.add(name)
            trampoline.set_mutant_under_test("stats")
            found = {}
            for item, following in zip(session.items, [*session.items[1:], None], strict=True):
                hits.clear()
                began = time.process_time()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                found[item.nodeid] = (time.process_time() - began, sorted(hits))
            report.write_text(json.dumps(found), "utf-8")

        base = self.folder / "tmp" / "clean"
        base.mkdir(parents=True)
        pid = self.fork_around(session, base, 3_600, run)
        if os.waitpid(pid, 0)[1] != 0:
            raise RuntimeError("the tests fail without any mutant")
        found = json.loads(report.read_text("utf-8"))
        self.seconds = {test: seconds for test, (seconds, _) in found.items()}
        self.reached = {test: set(names) for test, (_, names) in found.items()}
        # Only the first test of each market reads it; the others look at what it read.
        shared = [test for test in self.reached if test.startswith(LAST)]
        everything = set().union(*(self.reached[test] for test in shared))
        self.reached.update(dict.fromkeys(shared, everything))
        self.results = dict(self.options.known)
        shutil.rmtree(base)

    def fork(
        self, tests: list[pytest.Item], base: Path, limit: int, apply: Callable[[], None]
    ) -> int:
        """Run some tests with a mutant in a child; it ends with 1 at the first failure."""

        def run() -> None:
            apply()
            for item, following in zip(tests, [*tests[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

        return self.fork_around(tests[0].session, base, limit, run)

    @staticmethod
    def fork_around(
        session: pytest.Session, base: Path, limit: int, run: Callable[[], None]
    ) -> int:
        """Fork; the child's files lie in a folder of its own and its processor time is limited."""
        pid = os.fork()
        if pid:
            return pid
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        session.config._tmp_path_factory._basetemp = base  # type: ignore[attr-defined]
        session.config.pluginmanager.register(_FirstFailure(base / "killer"))
        try:
            run()
        except BaseException as error:
            # Whatever happens to a mutant, the child must not go on as a second parent.
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)

    def await_one(self, running: dict[int, tuple[Mutant, Path]]) -> None:
        """Wait for a child and note what became of its mutant."""
        pid, status = os.wait()
        mutant, base = running.pop(pid)
        if os.WIFSIGNALED(status):
            self.note(mutant, "timeout")
        else:
            self.note(mutant, "killed" if os.WEXITSTATUS(status) else "survived")
        killer = base / "killer"
        if killer.exists():
            self.kills.update((key, killer.read_text("utf-8")) for key in _keys(mutant))
        shutil.rmtree(base, ignore_errors=True)

    def note(self, mutant: Mutant, result: str) -> None:
        """Keep a result, in the file too."""
        self.results[mutant.name] = result
        if result == "survived":
            print(f"survived: {mutant.name}\n{mutant.shown}", flush=True)
        self.options.results.write_text(json.dumps(self.results, indent=0), "utf-8")


def _keys(mutant: Mutant) -> set[str | None]:
    return {mutant.function, mutant.module}


class _FirstFailure:
    def __init__(self, note: Path) -> None:
        self.note = note

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note.write_text(report.nodeid, "utf-8")
            os._exit(1)


# ---------------------------------------------------------------------------------------- table


def table(runner: Runner) -> str:
    """The figures for each module, as Markdown."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in runner.mutants:
        result = runner.results.get(mutant.name, "not run")
        for row in (mutant.module.removeprefix("bazaarbench."), "all"):
            counts[row][result] += 1
    columns = ("killed", "timeout", "equivalent", "survived", "not run")
    lines = [
        "| module | mutants | killed | never ended | equivalent | survived | not run | share |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in sorted(counts, key=lambda name: (name == "all", name)):
        one = counts[row]
        dead, run = one["killed"] + one["timeout"], one.total() - one["not run"]
        share = f"{100 * dead / run:.1f} %" if run else "–"
        figures = " | ".join(str(one[column]) for column in columns)
        lines.append(f"| `{row}` | {one.total()} | {figures} | {share} |")
    return "\n".join(lines)


def main() -> None:
    """Make the mutants in a copy, run them, print survivors and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", default=["bazaarbench."], help="beginnings of names")
    parser.add_argument("--every", type=int, default=1, help="a sample: every n-th mutant")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=120, help="wall time")
    parser.add_argument("--results", type=Path, default=ROOT / "logs" / "mutants.json")
    parser.add_argument("--stories", action="store_true", help="without the random markets")
    parser.add_argument("--again", action="store_true", help="only what survived in the results")
    options = parser.parse_args()
    options.only, options.results = tuple(options.only), options.results.resolve()
    again = options.again and options.results.exists()
    options.known = json.loads(options.results.read_text("utf-8")) if again else {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name).resolve()
        for part in COPIED:
            source = ROOT / part
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, folder / part, symlinks=True, ignore=ignored)
            else:
                shutil.copy2(source, folder / part)
        with (folder / "pyproject.toml").open("a", encoding="utf-8") as settings:
            settings.write('\n[tool.mutmut]\nsource_paths = ["bazaarbench"]\n')
        os.chdir(folder)  # mutmut reads its settings from the folder that it is called in
        runner = Runner(mutate(folder), options, folder)
        sys.path.insert(0, str(folder))
        chosen = [test for test in TESTS if (folder / test).exists()]
        quiet = ["-q", "-s", "--tb=no", "--no-header", "--assert=plain"]
        plugins = ["-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={folder}/tmp/base"]
        code = pytest.main([*quiet, *plugins, *chosen], plugins=[runner])
        os.chdir(ROOT)
    print(table(runner))
    sys.exit(int(code) if code in (2, 3, 4) else 0)


if __name__ == "__main__":
    main()
