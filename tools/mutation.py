"""Makes the mutants for `tools/mutants.py`, with mutmut and beyond what mutmut does.

mutmut leaves out three things that decide here, so that they are added in the same spirit:
properties (rewritten as plain methods beneath `property`), constants of modules and classes (each
string changed, each number raised, each member of a set or a row left out), and the comparisons
inside multi-line SQL.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from mutmut.mutation import trampoline
from mutmut.mutation.file_mutation import mutate_file_contents

TARGETS = (
    "bazaarbench/evidence",
    "bazaarbench/failures",
    "bazaarbench/failures/variants",
    "bazaarbench/outcomes",
    "bazaarbench/market/inventory.py",
)
_SQL_SWAPS = (("<=", "<"), ("> ?", ">= ?"), ("> 0", ">= 0"), (" AND ", " OR "), ("OR ", "AND "))


@dataclass(frozen=True)
class Mutant:
    """One change: how it is switched on, and which function's tests may see it (``None``: all)."""

    name: str
    module: str
    function: str | None
    apply: Callable[[], None]
    shown: str


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
                    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
                    label = (
                        f"{name.removesuffix('__mutmut_orig')}:sql:{match.start()}{new}@{digest}"
                    )
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
