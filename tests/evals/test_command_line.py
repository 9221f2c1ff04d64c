"""``inspect eval tasks/continuation.py`` as people type it, from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log

from tests.evals.runs import finished, kept

ROOT = Path(__file__).parents[2]
TASK = f"{ROOT}/tasks/continuation.py@continuation"


def inspect_eval(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", TASK, "--display", "plain", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_relative_paths_and_the_log_folder_are_the_users(tiny: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("apply_order: hashed\n")
    done = inspect_eval(
        tmp_path,
        *("--model", "bazaarbench/honest", "-T", "days=1", "-T", "rules=mine.yaml"),
        *("-T", f"market={os.path.relpath(tiny, tmp_path)}"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("not comparable with the study:") == 1
    assert "rules are mine" in done.stdout
    assert "hooks enabled" not in done.stdout
    assert "Headline" not in done.stdout
    [file] = (tmp_path / "logs").glob("*.eval")
    sample = finished(read_eval_log(str(file)))
    assert Path(kept(sample, "published")).is_relative_to(tmp_path / "logs")


def test_a_refusal_is_a_sentence_without_a_traceback(tmp_path: Path) -> None:
    done = inspect_eval(
        tmp_path, "--model", "bazaarbench/honest", "-T", "conditon=L3", "-T", "condition=L2"
    )
    assert done.returncode != 0
    assert "Did you mean -T condition=" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
