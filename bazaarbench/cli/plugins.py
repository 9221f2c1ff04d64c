"""``bazaarbench plugins``: what is loaded, from where, and with which status."""

from __future__ import annotations

import dataclasses

import click

from bazaarbench.cli.base import as_json, print_json


@click.command()
@as_json
def plugins(json_output: bool) -> None:
    """List what is loaded, from where, what it registered, and what was refused."""
    from bazaarbench.plugins import load

    registry = load()
    if json_output:
        print_json(
            {
                "plugins": [dataclasses.asdict(one) for one in registry.plugins],
                "faults": [dataclasses.asdict(one) for one in registry.faults],
                "switched_off": [dataclasses.asdict(one) for one in registry.switched_off],
            }
        )
        return
    for plugin in registry.plugins:
        click.echo(f"{plugin.name}  ({plugin.distribution} {plugin.version})  loaded")
        for thing in plugin.registered or ("nothing",):
            click.echo(f"    {thing}")
    for off in registry.switched_off:
        click.echo(f"{off.name}  ({off.distribution} {off.version})  switched off")
    for fault in registry.faults:
        click.echo(f"{fault.plugin}  ({fault.distribution})  refused")
        click.echo(f"    {fault.where}: {fault.message}")
