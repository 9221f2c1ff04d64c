"""The loader: our own over pluggy (SPEC §10).

Pluggy alone stops at the first plugin that fails to import and takes the first of two plugins with
one name in silence. Each plugin gets a manager of its own, so that one plugin's hooks can neither
see nor break another's.
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pluggy import PluginManager

from bazaarbench import __version__, hookspecs
from bazaarbench.errors import PluginError
from bazaarbench.plugins.kinds import KINDS, register
from bazaarbench.plugins.registry import PluginFault, PluginInfo, Registry

logger = logging.getLogger("bazaarbench.plugins")

GROUP = "bazaarbench"
#: Comma list of the plugins to load, by plugin or distribution name; empty: none; unset: all.
SWITCH = "BAZAARBENCH_LOAD_PLUGINS"


@dataclass(frozen=True)
class Candidate:
    """A plugin before it is loaded; ``load`` imports it."""

    name: str
    distribution: str
    version: str
    load: Callable[[], object]
    built_in: bool = False

    def is_named_in(self, names: Iterable[str]) -> bool:
        """Whether ``names`` holds the plugin's or its distribution's name."""
        return self.name in names or self.distribution in names

    @property
    def info(self) -> PluginInfo:
        """What is known of it before it has registered anything."""
        return PluginInfo(self.name, self.distribution, self.version)


@dataclass(frozen=True)
class _Staged:
    """What one plugin registered, not yet visible to anybody."""

    candidate: Candidate
    things: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {kind.field: {} for kind in KINDS}
    )

    @property
    def info(self) -> PluginInfo:
        """The plugin with what it registered."""
        named = (f"{kind.word} {name}" for kind in KINDS for name in self.things[kind.field])
        one = self.candidate
        return PluginInfo(one.name, one.distribution, one.version, tuple(named))


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
        built_in=True,
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
    for kind in KINDS:
        for name in one.things[kind.field]:
            sharers = [other for other in (built_in, *staged) if name in other.things[kind.field]]
            if len(sharers) > 1:
                raise _FaultError(
                    kind.hook,
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
    origin = "" if candidate.built_in else str(candidate.info)
    for kind in KINDS:
        takes = functools.partial(register, kind, staged.things[kind.field], origin)
        _guarded(kind.hook, getattr(manager.hook, kind.hook), register=takes)
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


def _committed(
    sound: Sequence[_Staged], faults: Sequence[PluginFault], switched_off: Sequence[Candidate]
) -> Registry:
    merged: dict[str, Mapping[str, Any]] = {
        kind.field: MappingProxyType(
            {name: thing for one in sound for name, thing in one.things[kind.field].items()}
        )
        for kind in KINDS
    }
    infos = tuple(one.info for one in sound)
    return Registry(
        failure_types=merged["failure_types"],
        checks=merged["checks"],
        presets=merged["presets"],
        policies=merged["policies"],
        model_settings=merged["model_settings"],
        conditions=merged["conditions"],
        catalogues=merged["catalogues"],
        rubric_sections=merged["rubric_sections"],
        report_sections=merged["report_sections"],
        plugins=infos,
        faults=tuple(faults),
        switched_off=tuple(one.info for one in switched_off),
        owners=MappingProxyType({thing: one for one in infos for thing in one.registered}),
    )


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
