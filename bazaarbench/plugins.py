"""Which plugins are there, what they register, and what is wrong with them (SPEC §10).

The loader is our own over pluggy, because pluggy alone stops at the first plugin that fails to
import and takes the first of two plugins with one name in silence. Each plugin gets a manager of
its own, so that one plugin's hooks can neither see nor break another's.
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pluggy import PluginManager

from bazaarbench import __version__, hookspecs
from bazaarbench.errors import PluginError
from bazaarbench.market.rules import Rules

if TYPE_CHECKING:
    from bazaarbench.agents.policy import PolicyFactory
    from bazaarbench.catalogue import Catalogue
    from bazaarbench.conditions import Condition
    from bazaarbench.failures.base import FailureType
    from bazaarbench.market.checks import Check

logger = logging.getLogger(__name__)

GROUP = "bazaarbench"
#: Comma list of the plugins to load, by plugin or distribution name; empty: none; unset: all.
SWITCH = "BAZAARBENCH_LOAD_PLUGINS"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class _Kind:
    """One kind of thing that plugins register."""

    #: Field of ``Registry``; the hook is ``register_<field>``.
    field: str
    word: str
    #: Attribute that holds the name; ``None`` when the name is given beside the thing.
    named_by: str | None
    #: What the thing must be, or the attributes without which it cannot be used.
    of: type[Any] = object
    needs: tuple[str, ...] = ()


_KINDS = (
    _Kind(
        "failure_types",
        "failure type",
        "key",
        needs=(
            *("title", "object_kind", "decided_by", "stages"),
            *("s1_key", "objects", "bundles", "merge_key"),
        ),
    ),
    _Kind("checks", "check", "name", needs=("actions", "mode", "__call__")),
    _Kind("presets", "preset", None, of=Rules),
    _Kind("policies", "policy", None, needs=("__call__",)),
    _Kind("conditions", "condition", "name", needs=("about", "text", "targets", "base")),
    _Kind("catalogues", "catalogue", None, needs=("__call__",)),
)


@dataclass(frozen=True)
class PluginInfo:
    """A loaded plugin and what it registered, as ``"<kind> <name>"``."""

    name: str
    distribution: str
    version: str
    registered: tuple[str, ...] = ()


@dataclass(frozen=True)
class PluginFault:
    """Why a plugin was skipped. ``where`` is the step: the import, or a hook."""

    plugin: str
    distribution: str
    where: str
    message: str

    def __str__(self) -> str:
        """One line for people."""
        return f"plugin {self.plugin!r} of {self.distribution}, {self.where}: {self.message}"


@dataclass(frozen=True)
class Registry:
    """Everything that is registered, by name, built-ins first, then by plugin name.

    ``plugins[0]`` are the built-ins. ``switched_off`` are installed plugins that the environment
    variable leaves out.
    """

    failure_types: Mapping[str, FailureType]
    checks: Mapping[str, Check]
    presets: Mapping[str, Rules]
    policies: Mapping[str, PolicyFactory]
    conditions: Mapping[str, Condition]
    catalogues: Mapping[str, Callable[[], Catalogue]]
    plugins: tuple[PluginInfo, ...]
    faults: tuple[PluginFault, ...] = ()
    switched_off: tuple[PluginInfo, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A plugin before it is loaded; ``load`` imports it."""

    name: str
    distribution: str
    version: str
    load: Callable[[], object]

    def is_named_in(self, names: Iterable[str]) -> bool:
        """Whether ``names`` holds the plugin's or its distribution's name."""
        return self.name in names or self.distribution in names


@dataclass(frozen=True)
class _Staged:
    """What one plugin registered, not yet visible to anybody."""

    candidate: Candidate
    things: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {kind.field: {} for kind in _KINDS}
    )


class _FaultError(Exception):
    """A fault of one plugin on its way to the list of faults."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(message)
        self.where = where


def load(*, require: Sequence[str] = ()) -> Registry:
    """The registry of this process: the built-ins and every sound plugin that is installed.

    Plugins are read once, on the first call, which also logs a warning for each faulty one.

    Args:
        require: Plugins that must be loaded, by plugin or distribution name.

    Raises:
        PluginError: A required plugin is missing, switched off or faulty.
    """
    registry = _loaded()
    for name in require:
        _demand(registry, name)
    return registry


@functools.cache
def _loaded() -> Registry:
    registry = read(installed(), only=switch())
    for fault in registry.faults:
        logger.warning("Skipped: %s", fault)
    return registry


def forget() -> None:
    """Read the plugins anew on the next ``load``; for tests that install one."""
    _loaded.cache_clear()


def switch() -> frozenset[str] | None:
    """The names in the environment variable; ``None`` when it is not set."""
    value = os.environ.get(SWITCH)
    if value is None:
        return None
    return frozenset(name.strip() for name in value.split(",") if name.strip())


def installed() -> tuple[Candidate, ...]:
    """The entry points of the group ``bazaarbench``, by plugin and distribution name."""
    found = [_candidate(entry) for entry in metadata.entry_points(group=GROUP)]
    return tuple(sorted(found, key=lambda one: (one.name, one.distribution)))


def _candidate(entry: metadata.EntryPoint) -> Candidate:
    # A half-uninstalled distribution can have entry points and no metadata.
    about = entry.dist.metadata.json if entry.dist else {}
    return Candidate(
        name=entry.name,
        distribution=str(about.get("name", "an unnamed distribution")),
        version=str(about.get("version", "unknown")),
        load=entry.load,
    )


def read(candidates: Sequence[Candidate], *, only: frozenset[str] | None = None) -> Registry:
    """The built-ins and what is sound among ``candidates``, with a fault for each of the others.

    Args:
        candidates: Plugins in the order in which they are to be registered.
        only: Plugin or distribution names; the others are switched off. ``None``: all are wanted.
    """
    wanted = [one for one in candidates if only is None or one.is_named_in(only)]
    faults = [
        PluginFault(
            name, "no distribution", SWITCH, f"is not installed; installed: {_names(candidates)}"
        )
        for name in sorted(only or ())
        if not any(one.is_named_in({name}) for one in candidates)
    ]
    built_in = _stage(_built_in())
    staged = []
    for candidate in wanted:
        try:
            _refuse_shared_name(candidate, [built_in.candidate, *wanted])
            staged.append(_stage(candidate))
        except _FaultError as error:
            faults.append(_fault(candidate, error))
    # Clashes are looked for among all that is staged before any of it is refused: which of two
    # plugins is at fault must not depend on their order.
    sound = [built_in]
    for one in staged:
        try:
            _refuse_taken_names(one, built_in, staged)
            sound.append(one)
        except _FaultError as error:
            faults.append(_fault(one.candidate, error))
    return _committed(sound, faults, [one for one in candidates if one not in wanted])


def _built_in() -> Candidate:
    return Candidate(
        "bazaarbench",
        "bazaarbench",
        __version__,
        functools.partial(importlib.import_module, "bazaarbench.builtin"),
    )


def _refuse_shared_name(candidate: Candidate, all_wanted: Sequence[Candidate]) -> None:
    sharers = [one for one in all_wanted if one.name == candidate.name]
    if len(sharers) > 1:
        raise _FaultError(
            "name",
            f"the plugin name {candidate.name!r} is used by {_origins(sharers)}; uninstall one of "
            f"them or choose distributions with {SWITCH}",
        )


def _refuse_taken_names(one: _Staged, built_in: _Staged, staged: Sequence[_Staged]) -> None:
    for kind in _KINDS:
        for name in one.things[kind.field]:
            sharers = [other for other in (built_in, *staged) if name in other.things[kind.field]]
            if len(sharers) > 1:
                raise _FaultError(
                    f"register_{kind.field}",
                    f"the {kind.word} {name!r} is registered by "
                    f"{_origins([sharer.candidate for sharer in sharers])}; names must differ",
                )


def _stage(candidate: Candidate) -> _Staged:
    """Import a plugin and call each of its hooks alone.

    Raises:
        _FaultError: Whatever went wrong, and where.
    """
    plugin = _guarded("import", candidate.load)
    _refuse_other_api(plugin)
    manager = PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    _guarded("registration", manager.register, plugin, candidate.name)
    # Finds implementations of hooks that do not exist, which pluggy would never call.
    _guarded("registration", manager.check_pending)
    staged = _Staged(candidate)
    for kind in _KINDS:
        hook = f"register_{kind.field}"
        register = functools.partial(_register, kind, staged.things[kind.field])
        _guarded(hook, getattr(manager.hook, hook), register=register)
    return staged


def _guarded(where: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return call(*args, **kwargs)
    # Third parties' code runs here and may raise anything, or try to end the process: whatever it
    # is, it is that plugin's fault, it is reported by name, and the others are loaded.
    except (Exception, SystemExit) as error:
        if isinstance(error, PluginError):
            raise _FaultError(where, str(error)) from error
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        raise _FaultError(where, f"{type(error).__name__}: {error} ({place})") from error


def _refuse_other_api(plugin: object) -> None:
    needed = _guarded("import", getattr, plugin, "BAZAARBENCH_API", hookspecs.API_VERSION)
    if needed != hookspecs.API_VERSION:
        raise _FaultError(
            "import",
            f"needs the plugin interface {needed}, this BazaarBench {__version__} has "
            f"{hookspecs.API_VERSION}; install versions that fit each other",
        )


def _register(kind: _Kind, things: dict[str, Any], *given: Any) -> None:
    """Take one thing from a plugin, by name; the plugin sees the error when it is refused."""
    expected = 1 if kind.named_by else 2
    if len(given) != expected:
        shape = f"the {kind.word}" if kind.named_by else f"a name and the {kind.word}"
        raise PluginError(f"register takes {shape}, and got {len(given)} arguments")
    thing = given[-1]
    if kind.named_by and isinstance(thing, type):
        raise PluginError(
            f"register takes a {kind.word}, and got the class {thing.__name__}: register an object "
            f"of it, {thing.__name__}()"
        )
    name = getattr(thing, kind.named_by, None) if kind.named_by else given[0]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        where = f"its attribute {kind.named_by!r}" if kind.named_by else "the first argument"
        raise PluginError(
            f"a {kind.word} has the name {name!r} ({where}); allowed are up to 64 letters, digits, "
            "'.', '_' and '-', beginning with a letter"
        )
    if not isinstance(thing, kind.of):
        raise PluginError(f"the {kind.word} {name!r} is no {kind.of.__name__}: {thing!r:.200}")
    missing = [attribute for attribute in kind.needs if not hasattr(thing, attribute)]
    if missing:
        raise PluginError(f"the {kind.word} {name!r} lacks {', '.join(missing)}")
    if name in things:
        raise PluginError(f"the {kind.word} {name!r} is registered twice by this plugin")
    things[name] = thing


def _committed(
    sound: Sequence[_Staged], faults: Sequence[PluginFault], switched_off: Sequence[Candidate]
) -> Registry:
    merged: dict[str, Mapping[str, Any]] = {
        kind.field: MappingProxyType(
            {name: thing for one in sound for name, thing in one.things[kind.field].items()}
        )
        for kind in _KINDS
    }
    return Registry(
        failure_types=merged["failure_types"],
        checks=merged["checks"],
        presets=merged["presets"],
        policies=merged["policies"],
        conditions=merged["conditions"],
        catalogues=merged["catalogues"],
        plugins=tuple(
            _info(
                one.candidate,
                *(f"{kind.word} {name}" for kind in _KINDS for name in one.things[kind.field]),
            )
            for one in sound
        ),
        faults=tuple(faults),
        switched_off=tuple(_info(one) for one in switched_off),
    )


def _info(candidate: Candidate, *registered: str) -> PluginInfo:
    return PluginInfo(candidate.name, candidate.distribution, candidate.version, registered)


def _fault(candidate: Candidate, error: _FaultError) -> PluginFault:
    return PluginFault(candidate.name, candidate.distribution, error.where, str(error))


def _names(candidates: Sequence[Candidate]) -> str:
    return ", ".join(f"{one.name} ({one.distribution})" for one in candidates) or "none"


def _origins(candidates: Sequence[Candidate]) -> str:
    return " and ".join(f"{one.distribution} {one.version}" for one in candidates)


def _demand(registry: Registry, name: str) -> None:
    if any(name in (one.name, one.distribution) for one in registry.plugins):
        return
    for fault in registry.faults:
        if name in (fault.plugin, fault.distribution):
            raise PluginError(f"The required plugin {name!r} cannot be used: {fault}")
    if any(name in (one.name, one.distribution) for one in registry.switched_off):
        raise PluginError(
            f"The required plugin {name!r} is installed but switched off: add it to {SWITCH} or "
            "unset that variable."
        )
    known = ", ".join(one.name for one in registry.plugins[1:]) or "none"
    raise PluginError(
        f"The required plugin {name!r} is not installed. Loaded plugins: {known}. Install the "
        "package that has it in its entry-point group 'bazaarbench'."
    )
