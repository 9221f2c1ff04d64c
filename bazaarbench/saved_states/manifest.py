"""What a saved state says about itself, and whether it still is that (SPEC §3.5)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bazaarbench import __version__
from bazaarbench.errors import RecordError, StateError
from bazaarbench.market.digest import digest as digest_of
from bazaarbench.market.files import (
    check,
    connect_read_only,
    explained,
    quick_check,
    reading,
)
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.record import read_info, read_only
from bazaarbench.market.schema import SCHEMA_VERSION

RECORD_NAME = "record.db"
MANIFEST_NAME = "manifest.json"

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What a saved state is: enough to know whether two of them are the same.

    ``tick`` is the last one played, ``agents`` how many act. Digests are SHA-256 in hexadecimal.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    benchmark_version: str
    #: Version of the package that wrote this manifest.
    bazaarbench_version: str
    schema_version: int
    tick: int
    agents: int
    seed: int
    rules: dict[str, str]
    #: Model or policy by role.
    models: dict[str, str]
    #: Over the record's market rows (SPEC §1 "digest").
    digest: Digest
    #: Over who the agents are: names, homes, rates and personas.
    personas_digest: Digest
    #: The catalogue that the market was founded from; ``None`` when that is not known.
    catalogue: str | None
    catalogue_digest: Digest | None
    #: The configuration of the world that it was founded from.
    world: dict[str, Any] | None
    record_bytes: int


class DamagedStateError(StateError):
    """A saved state that is not whole; ``fault`` is what is wrong, without what to do."""

    def __init__(self, fault: str, advice: str) -> None:
        """Say both."""
        super().__init__(f"{fault} {advice}")
        self.fault = fault


@dataclass(frozen=True, slots=True)
class SavedState:
    """A saved state on disk; ``path`` is its record, a single closed file."""

    name: str
    path: Path
    manifest: Manifest


def describe(name: str, path: Path, *, digest: str | None = None) -> Manifest:
    """The manifest of the record at ``path``.

    Args:
        name: what the state is called.
        path: a closed record.
        digest: its digest, when that is known already.

    Raises:
        RecordError: it is no whole record.
    """
    info, tick = read_info(path)
    with closing(read_only(path)) as connection, reading(path):
        personas, agents = _personas_digest(connection), _acting(connection)
    return Manifest(
        name=name,
        **_settings(info),
        bazaarbench_version=__version__,
        tick=tick,
        agents=agents,
        digest=digest or digest_of(path),
        personas_digest=personas,
        record_bytes=path.stat().st_size,
    )


def read_manifest(folder: Path) -> Manifest:
    """The manifest in a state's folder.

    Raises:
        DamagedStateError: it is missing, damaged or of another version.
    """
    try:
        return Manifest.model_validate_json((folder / MANIFEST_NAME).read_bytes())
    except (OSError, ValidationError) as error:
        raise DamagedStateError(
            f"the saved state in {folder} has no readable {MANIFEST_NAME}: {_fault(error)}.",
            f"'bazaarbench market delete {folder.name}' removes it; a shipped market is then built "
            "again on its next use.",
        ) from error


def verify(state: SavedState) -> None:
    """Refuse a state whose record is not the one that its manifest tells of.

    Reads the file's size, its header and its settings, and no market row: see ``verify_whole``.

    Raises:
        DamagedStateError: they differ, or the record is missing or damaged.
    """
    path, manifest = state.path, state.manifest
    try:
        check(path)
        info, tick = read_info(path)
        with explained(path, "read"):  # somebody may delete it at this moment
            size = path.stat().st_size
    except RecordError as error:
        raise _damaged(state, error) from error
    for what, told, found in (
        ("size in bytes", manifest.record_bytes, size),
        ("last tick", manifest.tick, tick),
        *(
            (name.replace("_", " "), getattr(manifest, name), value)
            for name, value in _settings(info).items()
        ),
    ):
        if told != found:
            raise _other(state, what, told, found)


def verify_whole(state: SavedState) -> None:
    """As ``verify``, and read every page and row of the record.

    Raises:
        DamagedStateError: the record is damaged or another one.
    """
    verify(state)
    try:
        with closing(connect_read_only(state.path)) as connection, reading(state.path):
            quick_check(connection, state.path)
            personas, agents = _personas_digest(connection), _acting(connection)
        rows = digest_of(state.path)
    except RecordError as error:
        raise _damaged(state, error) from error
    for what, told, found in (
        ("digest", state.manifest.digest, rows),
        ("digest of personas", state.manifest.personas_digest, personas),
        ("number of agents", state.manifest.agents, agents),
    ):
        if told != found:
            raise _other(state, what, told, found)


def _settings(info: RecordInfo) -> dict[str, Any]:
    """The fields of a manifest that stand in a record's settings."""
    catalogue = info.extra.get("catalogue") or {}
    return {
        "seed": info.seed,
        "rules": info.rules.model_dump(mode="json"),
        "models": dict(info.models),
        "benchmark_version": info.benchmark_version,
        "schema_version": SCHEMA_VERSION,
        "catalogue": catalogue.get("source"),
        "catalogue_digest": catalogue.get("digest"),
        "world": info.extra.get("world"),
    }


def _damaged(state: SavedState, why: RecordError) -> DamagedStateError:
    return DamagedStateError(
        f"the saved state {state.name!r} is damaged: {why}",
        f"Delete it with 'bazaarbench market delete {state.name}' and import or build it again.",
    )


def _other(state: SavedState, what: str, told: object, found: object) -> DamagedStateError:
    return DamagedStateError(
        f"the saved state {state.name!r} is not what its {MANIFEST_NAME} says: {what} is "
        f"{found!s:.200}, not {told!s:.200}.",
        f"Something has changed {state.path}: delete the state with "
        f"'bazaarbench market delete {state.name}' and import or build it again.",
    )


def _acting(connection: sqlite3.Connection) -> int:
    """How many agents act."""
    query = "SELECT count(*) FROM agents WHERE activity_permille > 0"
    (agents,) = connection.execute(query).fetchone()
    return int(agents)


def _personas_digest(connection: sqlite3.Connection) -> str:
    total = sha256()
    for row in connection.execute(
        "SELECT agent_id, user_name, display_name, zip, x_m, y_m, street, device, "
        "activity_permille, privacy_permille, tier, joined_tick, persona FROM agents "
        "ORDER BY agent_id"
    ):
        total.update(repr(row).encode())
    return total.hexdigest()


def _fault(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]
