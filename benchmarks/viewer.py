"""Pages of the viewer while the record that they show is being written (SPEC §11.1).

    python -m benchmarks.viewer [--agents 300] [--days 42] [--record FILE]

Grows a market, then goes on playing it in another process and meanwhile asks for pages of every
kind; prints the median and the longest time per page, in milliseconds, and the peak memory.
"""

from __future__ import annotations

import random
import resource
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import anyio
import click
from starlette.testclient import TestClient

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.market.load import load
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, read_info
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.viewer.app import application
from bazaarbench.viewer.opened import Opened
from bazaarbench.viewer.site import Site
from bazaarbench.viewer.sources import Found, RunSource
from bazaarbench.worlds import WorldSpec
from benchmarks.machine import describe

#: How many pages of each kind are asked for.
PAGES = 40
SEED = 1


def write_on(path: Path) -> None:
    """Go on playing a market until somebody ends this process."""
    registry = load_plugins()
    with Record.open(path) as record:
        market = load(record.connection)
        script = registry.policies["honest"]()
        seats = {
            agent_id: Seat("scripted", script, persona_text_of(agent), SEED)
            for agent_id, agent in market.agents.items()
        }
        platform = Platform(market, tuple(registry.checks.values()))
        simulation = Simulation(record, market, platform, seats, world=world_text())
        anyio.run(simulation.play, record.last_tick + 10_000)


def paths(opened: Opened, draws: random.Random) -> Iterator[tuple[str, str]]:
    """Pages in mixed order, as (kind, path)."""
    deals = [deal.thread for deal in opened.findings.deals]
    agents = [row.agent for row in opened.findings.agents]
    for number in range(PAGES):
        yield "run", "index.html"
        yield "deals", f"deals.html?page={1 + number}"
        yield "search", f"deals.html?q={draws.choice(['camera', 'hello', 'station', 'nobody'])}"
        yield "deal", f"deal/{draws.choice(deals)}.html"
        yield "agent", f"agent/{draws.choice(agents)}.html"
        yield "measure", "measure/completion.html"


def site_of(path: Path) -> Site:
    """The site of one record."""
    source = RunSource("bench", "bench", 1, "honest", "unfinished", lambda: path)
    return Site(lambda: Found((source,)))


@click.command()
@click.option("--agents", default=300)
@click.option("--days", default=42)
@click.option("--record", type=click.Path(path_type=Path), help="A record to use a copy of.")
def main(agents: int, days: int, record: Path | None) -> None:
    """Run it."""
    click.echo(describe())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        if record is None:
            grow(WorldSpec(name="bench", seed=3, agents=agents, days=days), path)
        else:
            shutil.copy(record, path)
            shutil.copy(record.with_suffix(".text.db"), path.with_suffix(".text.db"))
        writer = get_context("spawn").Process(target=write_on, args=(path,))
        writer.start()
        try:
            _measure(path)
        finally:
            writer.terminate()
            writer.join()


def _measure(path: Path) -> None:
    site = site_of(path)
    client = TestClient(application(site), base_url="http://127.0.0.1")
    began, first_tick = time.perf_counter(), read_info(path)[1]
    opened = site.opened("bench")
    click.echo(
        f"{len(opened.findings.deals):,} deals at tick {first_tick}; opened in "
        f"{1000 * (time.perf_counter() - began):.0f} ms"
    )
    taken: defaultdict[str, list[float]] = defaultdict(list)
    used: list[float] = []
    for kind, page in paths(opened, random.Random(SEED)):
        start, before = time.perf_counter(), time.process_time()
        answer = client.get(f"/run/bench/{page}")
        taken[kind].append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.process_time() - before))
        assert answer.status_code == 200, (page, answer.status_code)
    for kind, times in taken.items():
        click.echo(f"{kind:<8} median {median(times):6.0f} ms   longest {max(times):6.0f} ms")
    everything = [one for times in taken.values() for one in times]
    click.echo(
        f"all      median {median(everything):6.0f} ms   (bar: 300), of CPU {median(used):.0f} ms"
    )
    click.echo(f"{read_info(path)[1] - first_tick} ticks were written meanwhile")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    click.echo(f"peak memory {peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
