"""A leaderboard over a hundred logs: time and memory (SPEC §11.3; bar: 10 s).

    python -m benchmarks.leaderboard [--logs 100] [--logs 25]

A log is one model in the demo market under L1, L2 and L3 for a week, with 20 tested agents. It is
played once (half a minute) and copied under other names and ids; each copy has findings of its own,
and as many bytes of samples as the played log has. Timed in a process of its own: reading, ranking,
writing CSV, page and records.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import click

from benchmarks.machine import describe

_CHILD = "--child"


def play(folder: Path) -> Path:
    """The log that is copied, with its findings beside it."""
    from inspect_ai import eval as inspect_eval

    import bazaarbench._registry  # noqa: F401 — as Inspect does through the entry point
    from bazaarbench.tasks.continuation import continuation

    [log] = inspect_eval(
        continuation(market="demo", condition="all"),
        model="bazaarbench/crooked",
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return Path(log.location.removeprefix("file://"))


def copies(played: Path, folder: Path, count: int) -> None:
    """So many logs with other models and ids, and the findings of each."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(played))
    ballast = os.urandom(played.stat().st_size)
    records = played.parent / "records" / log.eval.task_id
    for sample in log.samples or []:
        # What a leaderboard never reads is stood in for by as many bytes.
        sample.events, sample.messages, sample.attachments = [], [], {}
    for number in range(count):
        name = f"bench{number:03}"
        log.eval.eval_id, log.eval.task_id = f"eval{name}", name
        log.eval.model = f"maker/{name}"
        target = folder / f"{name}.eval"
        write_eval_log(log, str(target))
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("samples/ballast", ballast)
        beside = folder / "records" / name
        beside.mkdir(parents=True)
        for path in records.glob("*.findings.json"):
            shutil.copy(path, beside)


def timed(folder: Path, out: Path) -> None:
    """Make the leaderboard and print what it took, as JSON."""
    import resource
    import time

    from bazaarbench.evals.logged import collect
    from bazaarbench.leaderboard import WANTED, leaderboard_of, write_leaderboard

    began, cpu = time.perf_counter(), time.process_time()
    collected = collect([str(folder)], wanted=WANTED)
    read = time.process_time()
    board = leaderboard_of(collected.runs, collected.left_out_rows())
    ranked = time.process_time()
    files = write_leaderboard(board, out)
    done = time.process_time()
    print(
        json.dumps(
            {
                "runs": len(collected.runs),
                "files": len(files),
                "read": read - cpu,
                "rank": ranked - read,
                "write": done - ranked,
                "cpu": done - cpu,
                "wall": time.perf_counter() - began,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


@click.command()
@click.option("--logs", "counts", type=int, multiple=True, default=(25, 100), show_default=True)
@click.option(_CHILD, nargs=2, type=click.Path(path_type=Path), hidden=True)
def main(counts: tuple[int, ...], child: tuple[Path, Path] | None) -> None:
    """Time a leaderboard over so many logs."""
    if child:
        timed(*child)
        return
    print(describe())
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        played = play(work / "played")
        for count in counts:
            folder = work / f"logs-{count}"
            folder.mkdir()
            copies(played, folder, count)
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            arguments = [_CHILD, str(folder), str(work / f"out-{count}")]
            told = subprocess.run(
                [sys.executable, "-m", "benchmarks.leaderboard", *arguments],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            found = json.loads(told.splitlines()[-1])
            print(
                f"{count} logs ({found['runs']} runs, {size / 1e6:,.0f} MB): "
                f"{found['cpu']:.1f} s CPU (read {found['read']:.1f}, rank {found['rank']:.1f}, "
                f"write {found['write']:.1f}), {found['wall']:.1f} s in all, "
                f"{found['peak_mb']:.0f} MB peak, {found['files']} files"
            )


if __name__ == "__main__":
    main()
