"""``bazaarbench judge …`` from the command line, with the scripted judge and with a real server."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai import eval
from inspect_ai.log import EvalLog

from bazaarbench.cli import main
from bazaarbench.judge import scripted
from bazaarbench.judge.calibration_items import read_items, write_items
from bazaarbench.tasks.continuation import continuation
from tests.judge.test_calibration_import import INPUTS, TEXT, decision, sparse
from tests.servers.openai_server import Asked, openai_server

RULES = "bazaarbench/judge-rules"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["judge", *map(str, words)])


def done(*words: str | Path) -> Any:
    """What a command prints as JSON."""
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def log(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    [found] = eval(
        continuation,
        task_args={"days": 1, "market": tiny, "condition": "L3"},
        model="bazaarbench/crooked",
        model_roles={"judge": RULES},
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
    )
    assert found.status == "success"
    return found


@pytest.fixture(scope="module")
def sample(log: EvalLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "drawn"
    done("sample", log.location, "--out", folder, "-n", "24", "--seed", "3")
    return folder


def test_a_sample_is_four_files_and_the_same_for_the_same_seed(
    log: EvalLog, sample: Path, tmp_path: Path
) -> None:
    names = ["bundles.jsonl", "key.jsonl", "label.html", "labels.csv"]
    assert sorted(path.name for path in sample.iterdir()) == names
    done("sample", log.location, "--out", tmp_path / "again", "-n", "24", "--seed", "3")
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (sample / name).read_bytes()


def test_labellers_are_shown_neither_model_nor_condition_nor_verdict(sample: Path) -> None:
    for name in ("bundles.jsonl", "labels.csv", "label.html"):
        text = (sample / name).read_text()
        for word in ("crooked", "judge-rules", "tiny-L3"):
            assert word not in text, (name, word)
    assert "judge-rules" in (sample / "key.jsonl").read_text()


def filled(sample: Path, target: Path) -> Path:
    """Labels that agree with the judge but for the first."""
    keys = {row["id"]: row for row in map(json.loads, (sample / "key.jsonl").open())}
    rows = list(csv.DictReader((sample / "labels.csv").open()))
    for place, row in enumerate(rows):
        judge = keys[row["id"]]["judge"][row["type"]]
        stage = "none" if place == 0 and judge != "none" else judge
        stage = "S1" if place == 0 and judge == "none" else stage
        row |= {"unsafe": "no" if stage == "none" else "yes"}
        row |= {"stage": "" if stage == "none" else stage, "labeller": "ann"}
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return target


def test_labels_are_read_back_against_the_key(sample: Path, tmp_path: Path) -> None:
    labels = filled(sample, tmp_path / "labels.csv")
    told = done("agreement", "--labels", labels, "--key", sample / "key.jsonl")
    whole = told["rows"][-1]
    assert whole["type"] == "all"
    assert whole["labels"] - whole["agreement"]["n"] == 1
    assert whole["kappa"]["value"] is not None
    text = run("agreement", "--labels", labels, "--key", sample / "key.jsonl").output
    assert "labels in rows, judge in columns" in text


def test_labels_are_read_back_against_a_judge_that_is_asked_now(
    sample: Path, tmp_path: Path
) -> None:
    labels = filled(sample, tmp_path / "labels.csv")
    words = ("agreement", "--model", RULES, "--bundles", sample / "bundles.jsonl")
    told = done(*words, "--labels", labels)
    assert "never ranked" in told["label"]
    assert told["rows"][-1]["unscored"] == 0
    assert told["rows"][-1]["labels"] - told["rows"][-1]["agreement"]["n"] == 1


def test_any_model_behind_a_server_is_measured_and_asked_once(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_rules(asked: Asked) -> str:
        return scripted.answer(asked.user)

    labels = filled(sample, tmp_path / "labels.csv")
    words = ("agreement", "--model", "openai/gpt-5", "--bundles", sample / "bundles.jsonl")
    with openai_server(by_rules) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = done(*words, "--labels", labels, "--option", "reasoning_effort=low")
        asked = len(server.asked)
        assert asked > 0
        assert server.asked[0].body["reasoning"]["effort"] == "low"
        assert done(*words, "--labels", labels, "--option", "reasoning_effort=low") == told
        assert len(server.asked) == asked
    assert told["label"] is None
    assert told["rows"][-1]["unscored"] == 0


def test_two_ways_of_one_log_are_compared_by_type(log: EvalLog) -> None:
    told = done("compare", log.location, "--model", RULES, "-n", "30")
    assert (told["first"], told["second"]) == ("blind", "not blind")
    types = {row["type"] for row in told["rows"]}
    assert {"F5text", "F3_S1"} <= types
    for row in told["rows"]:
        assert row["flips"]["d"] == row["judged"]
        assert len(row["flips"]["interval"]) == 2


def test_the_injections_do_not_turn_the_scripted_judge() -> None:
    told = done("compare", "--injections", "--model", RULES)
    assert told["pairs"] >= 100
    assert all(row["stage_flips"]["n"] == 0 and row["unscored"] == 0 for row in told["rows"])


def test_the_set_that_ships_is_said_to_be_a_model_s_and_fits_into_eighty_columns() -> None:
    result = run("agreement", "--model", RULES)
    assert result.exit_code == 0, result.output
    assert "by one model and not by people" in result.output
    assert "never ranked" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_published_figures_of_the_scripted_judge_are_its_figures() -> None:
    page = (Path(__file__).parents[2] / "docs" / "judge.md").read_text("utf-8")
    rows = done("agreement", "--model", RULES)["rows"]
    for row in rows:
        assert published(row["type"], "unsafe", row) in page
        for stage, told in row["at_least"].items():
            if stage != "S1" and (told["precision"]["d"] or told["recall"]["d"]):
                name = stage if stage == "S5" else f"{stage} or more"
                assert published(row["type"], name, told) in page
        assert f"| {row['type']} | {row['labels']} | {rate(row['exact_stage'])} | " in page


def published(key: str, stage: str, told: dict[str, Any]) -> str:
    rates = [rate(told[name]) for name in ("agreement", "precision", "recall")]
    return f"| {' | '.join([key, stage, *rates])} |"


def rate(told: dict[str, Any]) -> str:
    if told["value"] is None:
        return "–"
    low, high = told["interval"]
    return f"{told['n']}/{told['d']} [{low:.2f}, {high:.2f}]"


def test_a_model_that_judges_nothing_says_why() -> None:
    result = run("agreement", "--model", "bazaarbench/honest")
    assert "bundles unscored: provider error: " in result.output
    assert "none    S1" not in result.output


def test_an_empty_table_of_labels_is_no_agreement(sample: Path) -> None:
    words = ("--labels", sample / "labels.csv", "--key", sample / "key.jsonl")
    result = run("agreement", *words)
    assert result.exit_code == 2
    assert "holds no labels yet" in result.output


def test_a_labelled_set_of_one_s_own_is_judged(sample: Path, tmp_path: Path) -> None:
    items = []
    for item in read_items(sample / "bundles.jsonl")[:3]:
        labels = [{"type": key, "unsafe": False} for key in item.bundle.types]
        items.append(type(item).model_validate({**item.model_dump(), "labels": labels}))
    write_items(items, tmp_path / "own.jsonl")
    told = done("agreement", "--model", RULES, "--bundles", tmp_path / "own.jsonl")
    assert told["rows"][-1]["labels"] == sum(len(item.bundle.types) for item in items)


def test_released_files_are_read_and_counted(tmp_path: Path) -> None:
    for name, rows in (
        ("bundles.ndjson", INPUTS),
        ("records.ndjson", [sparse((TEXT, [decision()]))]),
    ):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = done("import", tmp_path, "--out", tmp_path / "verdicts.jsonl")
    assert (told["bundles"], told["unscored"]) == (len(INPUTS), 0)
    assert told["decisions"]["F5text"]["S3"] == 1
    assert len((tmp_path / "verdicts.jsonl").read_text().splitlines()) == len(INPUTS)


REFUSED: dict[str, tuple[list[str], str]] = {
    "a log that is none": (["sample", "nothing.eval", "--out", "x"], "cannot be read as a log"),
    "neither model nor key": (["agreement"], "give --model, or --labels with --key"),
    "both": (["compare", "x.eval", "--injections", "--model", RULES], "give LOGS, or --injections"),
    "an option without a value": (
        ["compare", "--injections", "--model", RULES, "--option", "x"],
        "write NAME=VALUE",
    ),
    "an option that is none": (
        ["compare", "--injections", "--model", RULES, "--option", "temprature=1"],
        "Did you mean temperature?",
    ),
    "a value that is not allowed": (
        ["compare", "--injections", "--model", RULES, "--option", "reasoning_effort=huge"],
        "reasoning_effort",
    ),
    "a batch": (["compare", "--injections", "--model", RULES, "--option", "batch=true"], "batch"),
    "a type that is none": (
        ["sample", "{log}", "--out", "x", "--type", "F9"],
        "--type: unknown type of these bundles 'F9'; allowed: F1_S1",
    ),
    "a model that is none": (
        ["compare", "--injections", "--model", "judge"],
        "--model judge: Model name 'judge' should be",
    ),
    "a model without a key": (
        ["compare", "--injections", "--model", "openai/gpt-5"],
        "OPENAI_API_KEY",
    ),
    "a budget that is none": (
        ["compare", "--injections", "--model", RULES, "--budget", "lots"],
        "US dollars",
    ),
    "a folder without records": (["import", "."], "records.ndjson"),
}


@pytest.mark.parametrize(("words", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_with_what_can(
    words: list[str], told: str, log: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = run(*(word.format(log=log.location) for word in words))
    assert result.exit_code == 2, result.output
    assert told in result.output
    assert "[bold]" not in result.output
    assert "Traceback" not in result.output
