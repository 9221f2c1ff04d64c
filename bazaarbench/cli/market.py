"""``bazaarbench market …``: saved states, the markets that continuations start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bazaarbench.cli.base import as_json, print_json, progress

if TYPE_CHECKING:
    from bazaarbench.saved_states import SavedState
    from bazaarbench.worlds import WorldSpec

_FILE = click.Path(path_type=Path)


@click.group()
def market() -> None:
    """Saved states: the markets that continuations start from."""


@market.command("build")
@click.argument("name")
@click.option("--force", is_flag=True, help="Build it again even when it exists.")
@click.option("--world", help="The shipped world that the options below change (default: demo).")
@click.option("--agents", type=int, help="How many agents.")
@click.option("--days", type=int, help="How many days the script plays.")
@click.option("--seed", type=int, help="The world's seed.")
@click.option("--units", metavar="LEAST-MOST", help="Units of an agent, such as 3-6.")
@click.option("--quality", help="good (as in the study) or spread (over all bands).")
@click.option("--catalogue", help="A registered name, NAME:FILE, or a catalogue's file.")
@click.option("--policy", help="The script that plays every agent.")
@click.option("--rules", help="The preset of rules.")
@click.option("--personas", type=_FILE, help="Texts that a model has written for this world.")
@click.option("--writer", metavar="MODEL", help="Have a model write the agents' texts.")
@as_json
def market_build(
    name: str,
    force: bool,
    world: str | None,
    personas: Path | None,
    writer: str | None,
    json_output: bool,
    **changes: Any,
) -> None:
    """Build the market NAME with a script: a shipped one, or with options one of your own.

    For a market that a model plays: inspect eval bazaarbench/base_market --model … -T name=NAME
    """
    from bazaarbench import saved_states
    from bazaarbench.worlds import DEFAULT_WORLD, changed_world

    given = {key: value for key, value in changes.items() if value is not None}
    if not (given or world or personas or writer):
        with progress(f"building {name}") as tell:
            state = saved_states.build(name, force=force, progress=tell)
        _tell_state(state, json_output)
        return
    if force:
        raise click.UsageError("--force builds a shipped market again; delete your own first.")
    saved_states.check_free(saved_states.check_new_name(name))
    spec = changed_world(world or DEFAULT_WORLD, given | {"name": name})
    saved_states.check_registered(spec)
    spec = _with_texts(spec, personas, writer)
    with progress(f"building {name}") as tell:
        state = saved_states.build_world(spec, progress=tell)
    _tell_state(state, json_output)


def _with_texts(spec: WorldSpec, personas: Path | None, writer: str | None) -> WorldSpec:
    """The world with texts that a model has written, or is to write now."""
    if personas is not None and writer is not None:
        raise click.UsageError("--writer has texts written and --personas has them already.")
    if personas is not None:
        from bazaarbench.personas.text_files import TextsFile

        return spec.model_copy(update={"personas": TextsFile.pin(personas)})
    if writer is not None:
        from bazaarbench.evals.writing import have_written

        log_dir = os.environ.get("INSPECT_LOG_DIR", "logs")
        return spec.model_copy(update={"personas": have_written(spec, writer, log_dir)})
    return spec


@market.command("list")
@as_json
def market_list(json_output: bool) -> None:
    """List the markets that are there, and the shipped ones that are not built yet."""
    from bazaarbench import saved_states

    built = {state.name: state for state in saved_states.list_states()}
    damaged = saved_states.damaged_states()
    names = saved_states.known()
    if json_output:
        print_json(
            [
                _state(built[name])
                if name in built
                else {"name": name, "built": False}
                | ({"fault": str(damaged[name])} if name in damaged else {})
                for name in names
            ]
        )
        return
    for name in names:
        if name in built:
            manifest = built[name].manifest
            click.echo(
                f"{name:<20} tick {manifest.tick}, {manifest.agents} agents, seed {manifest.seed}, "
                f"digest {manifest.digest[:12]}"
            )
        elif name in damaged:
            click.echo(f"{name:<20} damaged: {damaged[name]}")
        else:
            click.echo(f"{name:<20} not built yet: built on first use")


@market.command("show")
@click.argument("name")
@click.option("--verify", is_flag=True, help="Read the whole record and compare its digest.")
@as_json
def market_show(name: str, verify: bool, json_output: bool) -> None:
    """Show what the market NAME (a name or a record's path) holds; builds a shipped one."""
    from bazaarbench import saved_states
    from bazaarbench.saved_states.summary import summarise

    with progress(f"building {name}") as tell:
        state = saved_states.resolve(name, progress=tell)
    if verify:
        with progress(f"reading {name}"):
            saved_states.verify_whole(state)
    summary = summarise(state)
    if json_output:
        print_json(_state(state) | {"summary": summary.as_json()})
        return
    from bazaarbench.cli.market_page import print_page

    print_page(state, summary, verified=verify)


@market.command("fork")
@click.argument("source")
@click.argument("name")
@click.option("--at-tick", type=int, help="The state after this tick (default: the last one).")
@as_json
def market_fork(source: str, name: str, at_tick: int | None, json_output: bool) -> None:
    """Make the market NAME of SOURCE: a market, or the path of a run's record.

    An earlier tick is told again from the record's log, call by call.
    """
    from bazaarbench import saved_states

    saved_states.check_new_name(name)
    with progress(f"building {source}") as tell:
        state = saved_states.resolve(source, progress=tell)
    with progress(f"telling {source} again") as tell:
        forked = saved_states.fork_state(state, name, at_tick=at_tick, progress=tell)
    _tell_state(forked, json_output)


@market.command("export")
@click.argument("name")
@click.argument("file", type=_FILE)
@click.option("--force", is_flag=True, help="Replace FILE.")
def market_export(name: str, file: Path, force: bool) -> None:
    """Write the market NAME with its manifest and texts to one compressed FILE."""
    from bazaarbench import saved_states
    from bazaarbench.saved_states.archive import export_state

    with progress(f"building {name}") as tell:
        state = saved_states.named(name, progress=tell)
    with progress(f"packing {name}") as tell:
        export_state(state, file, force=force, progress=tell)
    click.echo(f"{name}: {file} ({file.stat().st_size:,} bytes)")


@market.command("import")
@click.argument("file", type=_FILE)
@click.option("--name", help="What it is called here (default: as in the file, or as the file).")
@click.option(
    "--base", type=_FILE, help="The released base market that a released continuation went on from."
)
@as_json
def market_import(file: Path, name: str | None, base: Path | None, json_output: bool) -> None:
    """Take the market in FILE: one that was exported, or a released database of the study."""
    from bazaarbench.released.states import kind_of

    kind = kind_of(file)
    if kind == "archive":
        if base is not None:
            raise click.UsageError("--base is for a released continuation; FILE is an export.")
        from bazaarbench.saved_states.archive import import_archive

        with progress(f"unpacking {file.name}") as tell:
            _tell_state(import_archive(file, name, progress=tell), json_output)
        return
    _import_released(file, name, base, json_output)


@market.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def market_delete(name: str, yes: bool) -> None:
    """Delete the market NAME for good; a shipped one is built again on its next use."""
    from bazaarbench import saved_states

    saved_states.present(name)
    if not yes:
        needed = saved_states.texts_needed_by(name)
        whose = "their" if len(needed) > 1 else "its"
        loss = f" {', '.join(needed)} will lose the texts of {whose} turns." if needed else ""
        click.confirm(f"Delete the market {name}?{loss} This cannot be undone.", abort=True)
    saved_states.delete(name)
    click.echo(f"{name} is deleted.")


def _import_released(file: Path, name: str | None, base: Path | None, json_output: bool) -> None:
    from bazaarbench import saved_states
    from bazaarbench.released import import_released

    called = saved_states.check_new_name(name or saved_states.name_like(file.stem))
    with progress(f"importing {file.name}"):
        state, imported = import_released(file, name=called, base=base)
    if json_output:
        print_json(_state(state) | {"notes": dict(imported.notes)})
        return
    _tell_state(state, json_output)
    click.echo(
        f"{imported.events:,} events, {imported.turns:,} turns, {imported.agents} agents that act"
    )
    for note, count in imported.notes.items():
        click.echo(f"    {count:>7,}  {note}")
    if imported.info.tested:
        click.echo(
            f"It is a continuation ({imported.info.condition}, {len(imported.info.tested)} tested "
            f"agents). To score it:\n    bazaarbench regrade {state.path}"
        )
    else:
        _tell_use(state)


def _tell_state(state: SavedState, json_output: bool) -> None:
    if json_output:
        print_json(_state(state))
        return
    click.echo(f"{state.name}: {state.path}")
    click.echo(f"tick {state.manifest.tick}, digest {state.manifest.digest}")


def _tell_use(state: SavedState) -> None:
    click.echo(
        "To continue it:\n"
        f"    inspect eval bazaarbench/continuation --model … -T market={state.name}"
    )


def _state(state: SavedState) -> dict[str, Any]:
    return {
        "name": state.name,
        "built": True,
        "path": str(state.path),
        "manifest": state.manifest.model_dump(mode="json"),
    }
