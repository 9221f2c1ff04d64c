"""Persona texts written through Inspect: kept, refused, given up, killed and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, eval_retry
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelCost, ModelInfo, get_model, set_model_cost, set_model_info

import tests.personas.provider  # noqa: F401 — registers the writer
from bazaarbench import paths, saved_states
from bazaarbench.agents.prompting import persona_text_of
from bazaarbench.evals.logs import resume_log
from bazaarbench.evals.writing_solver import GIVE_UP_AFTER
from bazaarbench.market.load import load
from bazaarbench.market.record import read_info, read_only
from bazaarbench.personas.text_files import TextsFile, read_texts
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.write_personas import write_personas
from bazaarbench.worlds import WorldSpec
from tests.evals.runs import finished, kept, refusal
from tests.personas.writer import plans

AGENTS = 6
ROOT = Path(__file__).parents[2]
#: The tree comes last, so that Inspect finds the package by its installed name.
_BEGIN = f"""
import sys
sys.path.append({str(ROOT)!r})
import tests.personas.provider
"""
START = f"""{_BEGIN}
from inspect_ai import eval
eval("bazaarbench/write_personas", model="testwriter/good",
     task_args={{"agents": int(sys.argv[2])}}, log_dir=sys.argv[1], display="none",
     max_connections=2, max_samples=2)
"""
RETRY = f"""{_BEGIN}
from inspect_ai import eval_retry
eval_retry(sys.argv[1], log_dir=sys.argv[2], display="none")
"""
HAVE_WRITTEN = f"""{_BEGIN}
from bazaarbench.errors import BazaarError
from bazaarbench.evals.writing import have_written
from bazaarbench.worlds import WorldSpec
spec = WorldSpec.model_validate_json(sys.argv[1])
for writer in ("bad", "good"):
    try:
        told = have_written(spec, f"testwriter/{{writer}}", sys.argv[2]).model_dump_json()
    except BazaarError as error:
        told = str(error)
    print("TOLD", told)
"""


@pytest.fixture(autouse=True)
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the writer notes whom it was asked about."""
    path = tmp_path / "calls"
    path.touch()
    monkeypatch.setenv("TESTWRITER_CALLS", str(path))
    monkeypatch.delenv("BAD_AGES", raising=False)
    return path


def asked(calls: Path) -> list[str]:
    return calls.read_text().splitlines()


def run(log_dir: Path, writer: str = "good", agents: int = AGENTS, **more: Any) -> EvalLog:
    connections = more.pop("max_samples", None)
    [log] = eval(
        write_personas(agents=agents, **more),
        model=f"testwriter/{writer}",
        log_dir=str(log_dir),
        max_samples=connections,
        display="none",
    )
    return log


def left(log: EvalLog, name: str) -> Path:
    """A file that a run has left beside its log."""
    return Path(log.location).parent / "personas" / log.eval.task_id / name


def messages(log: EvalLog) -> dict[str, str]:
    """The errors of a log's samples, by sample."""
    return {str(one.id): one.error.message for one in log.samples or () if one.error}


def test_a_run_leaves_a_set_and_a_report_beside_its_log(tmp_path: Path, calls: Path) -> None:
    log = run(tmp_path)
    assert log.status == "success"
    assert len(asked(calls)) == AGENTS
    texts = read_texts(left(log, "personas.jsonl"))
    assert list(texts.agents) == list(range(1, AGENTS + 1))
    assert (texts.header.origin.world, texts.header.origin.agents) == ("demo", AGENTS)
    assert texts.header.models == ("testwriter/good",)
    figures = json.loads(left(log, "report.json").read_text())
    assert figures["written"] == AGENTS
    assert figures["spent"] == {
        "calls": AGENTS,
        "input_tokens": 1000 * AGENTS,
        "output_tokens": 500 * AGENTS,
        "usd": None,
    }
    assert "the price is not known" in left(log, "report.md").read_text()
    assert log.results is not None
    metrics = log.results.scores[0].metrics
    assert metrics["groundedness"].value == 1
    assert metrics["written"].value == AGENTS
    assert list(tmp_path.rglob("*.partial")) == []


def test_money_is_shown_when_the_price_is_known(tmp_path: Path) -> None:
    set_model_info("testwriter/priced", ModelInfo())
    set_model_cost(
        "testwriter/priced",
        ModelCost(input=1.0, output=10.0, input_cache_write=0, input_cache_read=0),
    )
    log = run(tmp_path, "priced")
    figures = json.loads(left(log, "report.json").read_text())
    assert figures["spent"]["usd"] == pytest.approx(AGENTS * 0.006)
    assert "$0.04" in left(log, "report.md").read_text()
    assert log.results is not None
    assert log.results.scores[0].metrics["usd"].value == pytest.approx(AGENTS * 0.006)


def test_a_refused_agent_ends_as_an_error_with_the_reasons_and_alone_is_asked_again(
    tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = plans(AGENTS)[2].persona
    monkeypatch.setenv("BAD_AGES", str(person.age))
    log = run(tmp_path)
    assert log.status == "error"
    (told,) = messages(log).values()
    assert "agent 3 were refused after 3 answer" in told
    assert told.count("looks like personal data (phone)") == 3
    assert len(asked(calls)) == AGENTS + 2
    assert not left(log, "personas.jsonl").exists()
    assert list(json.loads(left(log, "report.json").read_text())["refused"]) == ["3"]

    monkeypatch.delenv("BAD_AGES")
    calls.write_text("")
    [log] = eval_retry(log, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    assert asked(calls) == [f"{person.display_name.split()[0]} {person.age}"]
    spent = read_texts(left(log, "personas.jsonl")).header.spent
    assert spent.calls == AGENTS + 3, "what the refused answers have cost is counted too"


def test_a_writer_is_asked_as_often_as_is_stated(tmp_path: Path, calls: Path) -> None:
    log = run(tmp_path, "bad", agents=2, reasks=0)
    assert len(asked(calls)) == 2
    assert all("after 1 answer" in told for told in messages(log).values())


def test_a_writer_that_is_not_grounded_is_given_up_before_everybody_is_paid(
    tmp_path: Path, calls: Path
) -> None:
    log = run(tmp_path, "bad", agents=14, reasks=0, max_samples=1)
    assert log.status == "error"
    # Its answers can be read: what fails is one check of each agent.
    assert len(asked(calls)) == 14
    [mute] = eval(
        write_personas(agents=14, reasks=0),
        model=get_model("mockllm/model"),
        log_dir=str(tmp_path),
        max_samples=1,
        display="none",
    )
    told = list(messages(mute).values())
    assert sum("were refused after" in one for one in told) == GIVE_UP_AFTER
    assert sum("given up: after 10 agents" in one for one in told) == 4
    assert len(json.loads(left(mute, "report.json").read_text())["refused"]) == GIVE_UP_AFTER


def done() -> int:
    return len(list((paths.home() / "personas").glob("*/agent-*.json")))


def test_a_killed_run_goes_on_where_it_stopped_and_pays_for_nobody_twice(
    tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    agents, logs = 24, tmp_path / "logs"
    process = subprocess.Popen([sys.executable, "-c", START, str(logs), str(agents)], cwd=tmp_path)
    try:
        deadline = time.monotonic() + 120
        while done() < 6 and process.poll() is None:
            assert time.monotonic() < deadline, "the run does not get on"
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    written = done()
    assert 6 <= written < agents, "the run was over before it was killed"
    before = len(asked(calls))
    [log_file] = logs.glob("*.eval")
    subprocess.run(
        [sys.executable, "-c", RETRY, str(log_file), str(logs)], check=True, cwd=tmp_path
    )
    log = read_eval_log(str(max(logs.glob("*.eval"), key=os.path.getmtime)))
    assert log.status == "success"
    assert len(asked(calls)) - before == agents - written
    assert len(read_texts(left(log, "personas.jsonl")).agents) == agents
    assert all(asked(calls).count(one) <= 2 for one in asked(calls))


def test_what_lies_beside_the_log_alone_is_found_again(
    tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = plans(AGENTS)[2].persona
    monkeypatch.setenv("BAD_AGES", str(person.age))
    log = run(tmp_path)
    monkeypatch.delenv("BAD_AGES")
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "another-machine"))
    calls.write_text("")
    assert resume_log(log.location) == 0
    assert len(asked(calls)) == 1
    assert len(read_texts(left(log, "personas.jsonl")).agents) == AGENTS


def test_a_base_market_takes_the_texts_and_its_record_says_which(tmp_path: Path) -> None:
    file = left(run(tmp_path, agents=5), "personas.jsonl")
    texts = read_texts(file)
    [log] = eval(
        base_market(agents=5, days=1, personas=str(file)),
        model="bazaarbench/honest",
        log_dir=str(tmp_path),
        display="none",
    )
    record = Path(kept(finished(log), "location"))
    info, _ = read_info(record)
    assert info.extra["world"]["personas"]["digest"] == texts.digest
    market = load(read_only(record))
    for agent_id, agent in market.agents.items():
        assert texts.agents[agent_id].texts.style in persona_text_of(agent)


def test_a_scripted_state_takes_them_too_once_the_set_is_whole(tmp_path: Path) -> None:
    spec = WorldSpec(name="worded", seed=4, agents=4, days=1, units=(2, 4), quality="spread")
    ran = subprocess.run(
        [sys.executable, "-c", HAVE_WRITTEN, spec.model_dump_json(), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    told = [line.partition("TOLD ")[2] for line in ran.stdout.splitlines() if "TOLD " in line]
    assert ran.stdout.count("persona texts: ") == 1
    assert "are not whole: the run ended with 'error'. 'bazaarbench resume" in told[0]
    pinned = TextsFile.model_validate_json(told[1])
    saved_states.grow(spec.model_copy(update={"personas": pinned}), tmp_path / "worded.db")
    info, _ = read_info(tmp_path / "worded.db")
    assert info.extra["world"]["personas"]["digest"] == pinned.digest
    market = load(read_only(tmp_path / "worded.db"))
    texts = pinned.read().agents
    assert all(texts[a].texts.style in agent.persona for a, agent in market.agents.items())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"agent": 5}, "Did you mean -T agents="),
        ({"agents": 1}, "-T agents"),
        ({"reasks": -1}, "-T reasks"),
        ({"world": "dem"}, "Did you mean demo?"),
        ({"units": "8-3"}, "units 8-3"),
        ({"units": "many"}, "-T units"),
        ({"quality": "mint"}, "-T quality"),
        ({"catalogue": "nowhere"}, "No catalogue is called 'nowhere'"),
        ({"model": "bazaarbench/honest"}, "need a model that writes"),
        ({"model": "none"}, "need a model that writes"),
        ({"model_roles": {"judge": "mockllm/model"}}, "has no roles"),
    ],
)
def test_what_cannot_be_written_is_refused_before_it_runs(
    arguments: dict[str, Any], told: str
) -> None:
    assert told in refusal("write_personas", **{"model": "testwriter/good"} | arguments)


def test_texts_that_do_not_fit_are_refused_before_the_market_runs(tmp_path: Path) -> None:
    file = left(run(tmp_path, agents=5), "personas.jsonl")
    honest = "bazaarbench/honest"
    assert "there is no file" in refusal("base_market", honest, personas="nowhere.jsonl")
    assert "holds no persona texts" in refusal("base_market", honest, personas=str(calls_of(file)))
    told = refusal("base_market", honest, personas=str(file), agents=6, days=1)
    assert "were written for the world demo with 5 agents" in told
    assert TextsFile.pin(file).digest == read_texts(file).digest


def calls_of(file: Path) -> Path:
    """Some other file beside the texts."""
    return file.with_name("report.json")
