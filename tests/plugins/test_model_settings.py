"""Named model settings: shipped, the user's, a plugin's; used by -T, and --model wins (SPEC §2)."""

from __future__ import annotations

import json
import os
import textwrap
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai._cli.util import parse_model_role_cli_args
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model_info
from rich.console import Console

from bazaarbench import model_settings, plugins
from bazaarbench.cli import main
from bazaarbench.errors import SettingError
from bazaarbench.evals import named_models
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.market.record import read_info
from bazaarbench.model_settings import ModelSetting, all_settings, chosen
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.continuation import continuation
from tests.evals.runs import finished, kept, rows
from tests.plugins.site import ROOT, Site

#: Reference A §8.1: key of the continuation's setting, effort sent, most tokens, timeout, retries.
STUDY = {
    "study-gpt-5.5": ("high", 8192, 1200, 20),
    "study-gpt-5.4-mini": ("high", 8192, 600, 8),
    "study-gpt-5.4": ("high", 12288, 900, 8),
    "study-deepseek-v4-pro": (None, 8192, 600, 8),
    "study-gpt-oss-120b": (None, 8192, 600, 8),
}
MINE = """
mine:
  model: bazaarbench/hasty
  uses: [tested, background]
  reasoning_effort: low
  max_tokens: 300
  temperature: 0.5
  prices: {input_usd: 2, output_usd: 8, cached_input_usd: 0.5}
rules:
  model: bazaarbench/judge-rules
  uses: [judge]
grown:
  model: bazaarbench/honest
  uses: [base]
"""


@pytest.fixture
def my_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's own file."""
    monkeypatch.setattr(model_settings.files, "user_file", lambda: tmp_path / "models.yaml")
    monkeypatch.setattr(model_settings.shelf, "user_file", lambda: tmp_path / "models.yaml")
    file = tmp_path / "models.yaml"
    file.write_text(MINE)
    return file


def run(tmp_path: Path, tiny: str, model: str = "none", **settings: Any) -> EvalLog:
    """A day, started with ``--model none`` as the command line does, so that -T is looked at."""
    roles = settings.pop("model_roles", None)
    arguments = {"days": 1, "market": tiny, "tested": "1,6", **settings}
    [log] = eval(
        os.path.relpath(ROOT / "tasks" / "continuation.py"),
        model=model,
        task_args=arguments,
        model_roles=roles,
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    return log


# ------------------------------------------------------------------------------------ what ships


@pytest.mark.parametrize("name", STUDY)
def test_the_study_s_settings_ship(name: str) -> None:
    one = plugins.load().model_settings[name]
    assert (
        one.reasoning_effort,
        one.max_tokens,
        one.attempt_timeout,
        one.max_retries,
    ) == STUDY[name]
    assert "tested" in one.uses
    assert one.temperature is None
    assert one.prices is None  # what the study paid is not known


def test_base_markets_and_continuations_are_apart() -> None:
    known = plugins.load().model_settings
    grew = {name: one for name, one in known.items() if "base" in one.uses}
    assert {one.model for one in grew.values()} == {
        "openai/gpt-5.5-2026-04-24",
        "openai/gpt-5.4-mini",
        "azureai/DeepSeek-V4-Pro",
    }
    assert grew["study-gpt-5.4-mini-base"].reasoning_effort == "medium"
    assert all("tested" not in one.uses for one in grew.values())
    assert {name for name, one in known.items() if "judge" in one.uses} == {
        "study-judge",
        "study-judge-notes",
    }


def test_every_use_of_the_study_has_a_setting() -> None:
    used = {use for one in plugins.load().model_settings.values() for use in one.uses}
    assert used == set(model_settings.USES)


# --------------------------------------------------------------------------------------- choosing


def test_a_setting_is_refused_for_what_it_is_not_meant_for() -> None:
    shelf = all_settings(plugins.load().model_settings, {})
    with pytest.raises(SettingError, match=r"'study-judge' is meant for judge\. Allowed here: st"):
        chosen("study-judge", "tested", shelf)
    with pytest.raises(SettingError, match=r"unknown model setting .* Did you mean study-gpt-5\.4"):
        chosen("study-gpt-5.4x", "tested", shelf)


def test_the_user_s_file_wins_over_what_is_registered(my_file: Path) -> None:
    my_file.write_text("study-judge: {model: my/judge, uses: [judge]}\n")
    shelf = all_settings(plugins.load().model_settings, {"study-judge": "us"})
    assert shelf["study-judge"].setting.model == "my/judge"
    assert shelf["study-judge"].origin == str(my_file)


def test_a_plugin_registers_a_setting(site: Site) -> None:
    site.install(
        "bazaar-model",
        """
        from bazaarbench import hookimpl
        from bazaarbench.model_settings import ModelSetting

        @hookimpl
        def register_model_settings(register):
            register(ModelSetting(name="theirs", model="x/y", max_tokens=5))
        """,
        name="model",
    )
    registry = plugins.load()
    assert registry.faults == ()
    assert registry.model_settings["theirs"].max_tokens == 5
    assert registry.origin("model setting", "theirs") == "plugin 'model' of bazaar-model 1.0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "must be a mapping from names to settings"),
        ("a: b\n", "the setting 'a' must be a mapping"),
        ("a: {}\n", "model is missing"),
        ("a: {model: gpt}\n", "model: String should match pattern"),
        ("a: {model: x/y, efort: high}\n", "efort is no option; allowed are name, model"),
        ("a: {model: x/y, reasoning_effort: huge}\n", "reasoning_effort: Input should be 'none'"),
        ("a: {model: x/y, max_tokens: true}\n", "max_tokens: Input should be a valid integer"),
        ("a: {model: x/y, uses: []}\n", "uses: Value should have at least 1"),
        ("a: {model: x/y, uses: [play]}\n", "uses.0: Input should be 'base'"),
        ("a: {model: x/y, model_args: {api_key: s}}\n", "'api_key' looks like a secret"),
        (
            "a: {model: x/y, base_url: 'https://me:pw@host/v1'}\n",
            "must not hold a user or password",
        ),
        ("a: {model: x/y, prices: {input_usd: -1, output_usd: 1}}\n", "prices.input_usd: Input"),
        ("a: {model: x/y, prices: {input_usd: .nan, output_usd: 1}}\n", "prices.input_usd: Input"),
        ("a: [\n", "are no YAML"),
    ],
)
def test_a_file_that_is_not_allowed_says_what_is_wrong(
    my_file: Path, text: str, message: str
) -> None:
    my_file.write_text(text)
    with pytest.raises(SettingError) as refusal:
        model_settings.of_user()
    assert message in str(refusal.value)
    assert str(my_file) in str(refusal.value)


def test_no_file_and_an_empty_one_are_no_settings(my_file: Path) -> None:
    my_file.write_text("")
    assert model_settings.of_user() == ()
    my_file.unlink()
    assert model_settings.of_user() == ()


# ------------------------------------------------------------------------------------- as a model


def test_a_model_has_the_options_and_prices_of_its_setting() -> None:
    setting = ModelSetting.model_validate(
        {
            "name": "mine",
            "model": "mockllm/priced",
            "reasoning_effort": "low",
            "max_tokens": 300,
            "temperature": 0.5,
            "attempt_timeout": 7,
            "max_retries": 3,
            "prices": {"input_usd": 2, "output_usd": 8.0},
        }
    )
    model = named_models.model_of(setting)
    assert model.config.model_dump(exclude_none=True) == {
        "reasoning_effort": "low",
        "max_tokens": 300,
        "temperature": 0.5,
        "attempt_timeout": 7,
        "max_retries": 3,
    }
    info = get_model_info(model)
    assert info is not None
    assert info.cost is not None
    assert (info.cost.input, info.cost.output, info.cost.input_cache_read) == (2, 8, 2)


def test_the_role_that_is_shown_is_what_inspect_reads() -> None:
    setting = ModelSetting(
        name="mine",
        model="mockllm/model",
        reasoning_effort="low",
        max_tokens=300,
        temperature=0.5,
        max_retries=2,
    )
    roles = parse_model_role_cli_args((f"background={named_models.role_syntax(setting)}",))
    model = roles["background"]
    assert isinstance(model, Model)
    assert str(model) == "mockllm/model"
    assert model.config.model_dump(exclude_none=True) == {
        "reasoning_effort": "low",
        "max_tokens": 300,
        "temperature": 0.5,
        "max_retries": 2,
    }


# ------------------------------------------------------------------------------------ in a run


def test_a_setting_plays_the_tested_agents_with_its_options(
    my_file: Path, tmp_path: Path, tiny: str
) -> None:
    log = run(tmp_path, tiny, model_settings="mine")
    sample = finished(log)
    assert log.eval.model == "bazaarbench/hasty"
    assert rows(sample, "SELECT DISTINCT model FROM turns WHERE role = 'tested'") == [
        ("bazaarbench/hasty",)
    ]
    info, _ = read_info(Path(kept(sample, "location")))
    options = info.extra["model_options"]["bazaarbench/hasty"]
    assert (options["reasoning_effort"], options["max_tokens"]) == ("low", 300)


def test_model_wins_and_that_is_said(
    my_file: Path, tmp_path: Path, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = StringIO()
    monkeypatch.setattr(named_models, "get_console", lambda: Console(file=told, width=500))
    log = run(tmp_path, tiny, "bazaarbench/honest", model_settings="mine")
    assert log.eval.model == "bazaarbench/honest"
    assert told.getvalue().startswith(
        "-T model_settings=mine is not used: --model bazaarbench/honest says who plays"
    )


def test_background_and_judge_can_be_settings(my_file: Path, tmp_path: Path, tiny: str) -> None:
    log = run(tmp_path, tiny, "bazaarbench/honest", background="mine", judge="rules")
    sample = finished(log)
    assert rows(sample, "SELECT DISTINCT role, model FROM turns WHERE tick > 36 ORDER BY 1") == [
        ("background", "bazaarbench/hasty"),
        ("tested", "bazaarbench/honest"),
    ]
    assert "rubric_judge" in (sample.scores or {})


def test_a_setting_and_a_role_for_the_same_agents_are_refused(
    my_file: Path, tmp_path: Path, tiny: str
) -> None:
    with pytest.raises(PrerequisiteError, match="both name a model"):
        run(
            tmp_path,
            tiny,
            "bazaarbench/honest",
            background="mine",
            model_roles={"background": "bazaarbench/honest"},
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"background": "nobody"}, "-T background: unknown policy or model setting 'nobody'"),
        ({"background": "rules"}, "unknown policy or model setting|is meant for judge"),
        ({"judge": "mine"}, "-T judge: the model setting 'mine' is meant for tested, background"),
        ({"model_settings": "grown"}, "'grown' is meant for base"),
    ],
)
def test_what_is_not_meant_for_it_is_refused_before_the_run(
    my_file: Path, tiny: str, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(PrerequisiteError, match=message):
        continuation(market=tiny, days=1, **settings)  # type: ignore[arg-type]


def test_a_base_market_takes_a_setting_for_base_markets(my_file: Path) -> None:
    task = base_market(days=1, agents=20, model_settings="grown")
    assert str(task.model) == "bazaarbench/honest"
    with pytest.raises(PrerequisiteError, match="'mine' is meant for tested"):
        base_market(days=1, agents=20, model_settings="mine")


# ------------------------------------------------------------------------------- the command line


def test_the_command_lists_and_shows(my_file: Path) -> None:
    listed = CliRunner().invoke(main, ["models"], catch_exceptions=False).stdout
    assert "study-gpt-5.4-mini-base  openai/gpt-5.4-mini  for base  effort medium" in listed
    assert "mine  bazaarbench/hasty  for tested, background" in listed
    assert "temperature 0.5  $2/$8 per 1M" in listed
    assert f"[{my_file}]" in listed
    told = json.loads(CliRunner().invoke(main, ["models", "--json"]).stdout)
    assert told["mine"]["prices"]["cached_input_usd"] == 0.5
    one = CliRunner().invoke(main, ["models", "mine"], catch_exceptions=False).stdout
    assert "--model-role 'ROLE={model: bazaarbench/hasty, reasoning_effort: low" in one
    unknown = CliRunner().invoke(main, ["models", "nobody"])
    assert unknown.exit_code == 2
    assert "study-gpt-5.5" in unknown.stderr


def test_the_shipped_file_is_sound_as_a_user_s_would_be() -> None:
    text = textwrap.dedent(MINE)
    assert [one.name for one in model_settings.parsed(text, "x")] == ["mine", "rules", "grown"]
    assert len({one.name for one in model_settings.shipped()}) == len(model_settings.shipped())
