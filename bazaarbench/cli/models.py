"""``bazaarbench models``: the named model settings, and each as Inspect takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bazaarbench.cli.base import as_json, print_json

if TYPE_CHECKING:
    from bazaarbench.model_settings import ModelSetting, Shelved


@click.command()
@click.argument("name", required=False)
@as_json
def models(name: str | None, json_output: bool) -> None:
    """List the named model settings, or show NAME and how --model-role takes it.

    `-T model_settings=NAME` (with `--model none`), `-T background=NAME` and `-T judge=NAME` use
    one. Your own stand in models.yaml in the data folder.
    """
    from bazaarbench.errors import SettingError
    from bazaarbench.evals.named_models import role_syntax, shelf
    from bazaarbench.model_settings import user_file
    from bazaarbench.plugins import load

    known = shelf(load())
    if name is not None and name not in known:
        raise SettingError(f"unknown model setting {name!r}; there are: {', '.join(known)}.")
    shown = known if name is None else {name: known[name]}
    if json_output:
        print_json({key: _told(one) for key, one in shown.items()})
    elif name is not None:
        for key, value in _told(known[name]).items():
            if value is not None:
                click.echo(f"{key:17}{value}")
        click.echo(f"{'as a role':17}--model-role 'ROLE={role_syntax(known[name].setting)}'")
    else:
        for one in shown.values():
            click.echo(_line(one.setting))
            click.echo(f"    {one.setting.about}".rstrip() + f"  [{one.origin}]")
        click.echo(f"\nYour own: {user_file()}")


def _told(one: Shelved) -> dict[str, Any]:
    return one.setting.model_dump(mode="json") | {"origin": one.origin}


def _line(setting: ModelSetting) -> str:
    options = [
        setting.model,
        f"for {', '.join(setting.uses)}",
        f"effort {setting.reasoning_effort}" if setting.reasoning_effort else None,
        f"{setting.max_tokens} tokens" if setting.max_tokens else None,
        None if setting.temperature is None else f"temperature {setting.temperature:g}",
    ]
    if setting.prices is not None:
        options.append(f"${setting.prices.input_usd:g}/${setting.prices.output_usd:g} per 1M")
    return f"{setting.name}  {'  '.join(part for part in options if part)}"
