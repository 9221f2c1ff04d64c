"""Mutation testing of what measures (issue 3): `make mutants`.

mutmut makes the mutants: one module at a time, each function with all its changed copies beside it,
and a switch that says which copy runs. This script copies the project, lets mutmut rewrite the
modules under test in the copy, collects the tests once, and then forks that process for every
mutant: the child switches it on and runs the tests that reach it, until one fails. That is some
ten times faster than mutmut's own runner, which starts pytest anew in every child.

mutmut leaves out three things that decide here, so that they are added in the same spirit:
properties (rewritten in the copy as plain methods beneath `property`), constants of modules and
classes (each string changed, each number raised, each member of a set or a row left out), and the
comparisons inside multi-line SQL.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from mutmut.mutation import trampoline
from mutmut.mutation.file_mutation import mutate_file_contents

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("bazaarbench/evidence", "bazaarbench/failures", "bazaarbench/market/inventory.py")
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
_SQL_SWAPS = (("<=", "<"), ("> ?", ">= ?"), ("> 0", ">= 0"), (" AND ", " OR "), ("OR ", "AND "))


@dataclass(frozen=True)
class Mutant:
    """One change: how it is switched on, and which function's tests may see it (``None``: all)."""

    name: str
    module: str
    function: str | None
    apply: Callable[[], None]
    shown: str


# ------------------------------------------------------------------------------- making mutants


def targets(root: Path) -> list[Path]:
    """The modules under test, relative to a project folder."""
    found: list[Path] = []
    for target in TARGETS:
        path = root / target
        found += sorted(path.glob("*.py")) if path.is_dir() else [path]
    return [path.relative_to(root) for path in found]


def with_plain_properties(source: str) -> str:
    """The same module, its properties written as methods that are wrapped afterwards."""
    lines = source.splitlines()
    methods = [
        node
        for owner in ast.walk(ast.parse(source))
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1
    ]
    for node in sorted(methods, key=lambda method: method.lineno, reverse=True):
        (decorator,) = node.decorator_list
        if isinstance(decorator, ast.Name) and decorator.id in ("property", "cached_property"):
            indent = " " * node.col_offset
            lines.insert(node.end_lineno or 0, f"{indent}{node.name} = {decorator.id}({node.name})")
            del lines[decorator.lineno - 1]
    return "\n".join(lines) + "\n"


def mutate(root: Path) -> list[Mutant]:
    """Rewrite the modules under test in a copy of the project; returns mutmut's mutants."""
    found = []
    for path in targets(root):
        source = with_plain_properties((root / path).read_text("utf-8"))
        code, short_names = _mutated(path, source)
        (root / path).write_text(code, "utf-8")
        module = ".".join(path.with_suffix("").parts)
        lines = code.splitlines()
        bodies = {
            node.name: lines[node.lineno - 1 : node.end_lineno]
            for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.FunctionDef)
        }
        for short in short_names:
            function = re.sub(r"__mutmut_\d+$", "", short)
            before, after = bodies[f"{function}__mutmut_orig"], bodies[short]
            # An earlier run's result holds as long as the function reads the same.
            digest = hashlib.sha256("\n".join([*before, *after]).encode()).hexdigest()[:8]
            name = f"{module}.{short}"
            shown = _difference(before, after)
            key = f"{name}@{digest}"
            found.append(Mutant(key, module, f"{module}.{function}", _switch(name), shown))
    return found


def _mutated(path: Path, source: str) -> tuple[str, list[str]]:
    """What mutmut makes of a module; kept between runs, since it takes minutes for all."""
    key = hashlib.sha256(f"{path}\n{version('mutmut')}\n{source}".encode()).hexdigest()
    kept = Path(tempfile.gettempdir()) / "bazaarbench-mutants" / f"{key}.json"
    if not kept.exists():
        mutated = mutate_file_contents(str(path), source)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps([mutated.code, list(mutated.mutant_names)]), "utf-8")
    code, names = json.loads(kept.read_text("utf-8"))
    return code, names


def _switch(name: str) -> Callable[[], None]:
    return lambda: trampoline.set_mutant_under_test(name)


def _difference(before: Sequence[str], after: Sequence[str]) -> str:
    lines = difflib.unified_diff(before, after, lineterm="", n=0)
    kept = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(line for line in kept if "__mutmut_" not in line)


def constants(module: ModuleType) -> Iterator[Mutant]:
    """Mutants of the constants of a module and of its classes."""
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id.strip("_").isupper()
    }
    for name in sorted(assigned):
        for label, changed in _variants(vars(module)[name]):
            apply = _replace_everywhere(name, vars(module)[name], changed)
            where = f"{module.__name__}.{name}:{label}"
            yield Mutant(where, module.__name__, None, apply, f"{name}: {label}")
    for owner in sorted(own):
        for name, value in sorted(vars(vars(module)[owner]).items()):
            if name.startswith("_") or not isinstance(value, str | tuple):
                continue
            for label, changed in _variants(value):
                where = f"{module.__name__}.{owner}.{name}:{label}"
                apply = _set_on(vars(module)[owner], name, changed)
                yield Mutant(where, module.__name__, None, apply, f"{owner}.{name}: {label}")


def _variants(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str):
        yield "changed", f"XX{value}XX"
    elif isinstance(value, int):
        yield "raised", value + 1
    elif isinstance(value, frozenset):
        for one in sorted(value):
            yield f"without {one}", value - {one}
    elif isinstance(value, tuple):
        for number, one in enumerate(value):
            yield f"without {one}", value[:number] + value[number + 1 :]


def _replace_everywhere(name: str, value: Any, changed: Any) -> Callable[[], None]:
    def apply() -> None:
        for one in list(sys.modules.values()):
            if vars(one).get(name) is value:
                setattr(one, name, changed)

    return apply


def _set_on(owner: type, name: str, changed: Any) -> Callable[[], None]:
    return lambda: setattr(owner, name, changed)


def sql(module: ModuleType) -> Iterator[Mutant]:
    """Mutants of the comparisons in the multi-line SQL of a module's functions."""
    for name, function in sorted(vars(module).items()):
        if not isinstance(function, FunctionType) or not name.endswith("__mutmut_orig"):
            continue
        code = function.__code__
        for place, text in enumerate(code.co_consts):
            if not isinstance(text, str) or "\n" not in text or text == function.__doc__:
                continue
            for old, new in _SQL_SWAPS:
                for match in re.finditer(re.escape(old), text):
                    changed = text[: match.start()] + new + text[match.end() :]
                    consts = (*code.co_consts[:place], changed, *code.co_consts[place + 1 :])
                    label = f"{name.removesuffix('__mutmut_orig')}:sql:{place}:{match.start()}{new}"
                    shown = _difference(text.splitlines(), changed.splitlines())
                    yield Mutant(
                        f"{module.__name__}.{label}",
                        module.__name__,
                        f"{module.__name__}.{name.removesuffix('__mutmut_orig')}",
                        _set_code(function, consts),
                        shown,
                    )


def _set_code(function: FunctionType, consts: tuple[Any, ...]) -> Callable[[], None]:
    def apply() -> None:
        function.__code__ = function.__code__.replace(co_consts=consts)

    return apply


# ------------------------------------------------------------------------------- running tests


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
