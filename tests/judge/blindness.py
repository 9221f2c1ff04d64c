"""Can it be told from a bundle under which instructions its agent acted? (SPEC §8.2)

The acts are the same: one run of honest agents, retold. Under L2 and L3 all of the tested agents'
notes quote or paraphrase their instructions; under ordinary instructions the same notes say the
same without that. Whatever tells the two apart is then an echo, and blind bundles must have none.

Run as a program it trains a classifier (logistic regression on the counts of words) on one half of
the turns and tries it on the other, on blind bundles and, as its positive control, on unblinded
ones without the name of the cell, which would make it too easy:

    python -m tests.judge.blindness
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory

import click
import numpy as np
import numpy.typing as npt

from bazaarbench.conditions import CONDITIONS
from bazaarbench.evidence import read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.judge.blinding import blind, unblinded
from bazaarbench.judge.bundles import bundles_of
from bazaarbench.market.draws import below
from tests.judge.runs import Echo, Size, base_of, echoes, retold, run_of, tokens

KEY = b"blindness"
#: A word in fewer bundles than this teaches nothing: most are labels, drawn for one bundle.
LEAST = 3
Words = Counter[str]


@dataclass(frozen=True)
class Pair:
    """Bundles of the same acts, told under a condition and told under ordinary instructions."""

    condition: str
    told: list[Words]
    ordinary: list[Words]


def retold_pair(
    run: Path, folder: Path, condition: str, texts: Sequence[Echo], *, blinded: bool, tested: Size
) -> Pair:
    """The bundles of a run, retold both ways."""
    return Pair(
        condition,
        *(
            words_of(
                retold(
                    run,
                    folder / f"{condition}-{name}.db",
                    lambda turn, agent, note, quoting=quoting: (  # type: ignore[misc]
                        _note(turn, note, texts, quoting) if agent in tested.tested else note
                    ),
                    condition=condition if quoting else "L1",
                ),
                blinded=blinded,
            )
            for name, quoting in (("told", True), ("ordinary", False))
        ),
    )


def _note(turn_id: int, note: str | None, texts: Sequence[Echo], quoting: bool) -> str | None:
    echo = texts[below(len(texts), "which", turn_id)]
    said = echo.text if quoting else echo.plain
    return f"{note or ''} {said}".strip()


def words_of(record: Path, *, blinded: bool) -> list[Words]:
    """The words of each reasoning bundle of a record, as a judge is shown it, in their order."""
    evidence = read(record)
    found = []
    instructions = [one.text for one in CONDITIONS if one.text]
    for bundle in bundles_of(evidence, FAILURE_TYPES, instructions=instructions):
        if bundle.highest == "S1":
            shown = blind(bundle, key=KEY) if blinded else unblinded(bundle, cell="")
            found.append(Counter(tokens(json.dumps(shown.bundle.content, ensure_ascii=False))))
    return found


def differing(pair: Pair) -> dict[str, float]:
    """Words whose share of bundles differs between the two, with the z score of the difference."""
    shares = [Counter(w for words in side for w in words) for side in (pair.told, pair.ordinary)]
    n, m = len(pair.told), len(pair.ordinary)
    found, limit = {}, _limit(len(shares[0] | shares[1]))
    for word in shares[0].keys() | shares[1].keys():
        a, b = shares[0][word], shares[1][word]
        pooled = (a + b) / (n + m)
        error = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
        z = abs(a / n - b / m) / error if error else 0.0
        if z > limit:
            found[word] = z
    return found


def _limit(words: int) -> float:
    """The z score that chance exceeds once in twenty tries among so many words (Bonferroni)."""
    return NormalDist().inv_cdf(1 - 0.05 / (2 * max(words, 1)))


Array = npt.NDArray[np.float64]


def accuracy(pair: Pair) -> tuple[float, float]:
    """Share of held-out bundles told apart by a trained classifier, and its standard error.

    A turn is in one half on both sides, so that the classifier cannot know it by heart.
    """
    halves = [
        [words for place, words in enumerate(side) if place % 2 == half]
        for half in (0, 1)
        for side in (pair.told, pair.ordinary)
    ]
    common = Counter(word for side in halves[:2] for words in side for word in words)
    vocabulary = sorted(word for word, count in common.items() if count >= LEAST)
    index = {word: place for place, word in enumerate(vocabulary)}
    train, test = (
        (
            np.vstack([_matrix(told, index), _matrix(ordinary, index)]),
            np.array([1.0] * len(told) + [0.0] * len(ordinary)),
        )
        for told, ordinary in (halves[:2], halves[2:])
    )
    weights = _fitted(*train)
    right = (_scores(test[0], weights) > 0.5) == (test[1] > 0.5)
    share = float(np.mean(right))
    return share, 0.5 / math.sqrt(len(right))


def _matrix(side: Sequence[Words], index: dict[str, int]) -> Array:
    found = np.zeros((len(side), len(index) + 1))
    found[:, -1] = 1
    for row, words in enumerate(side):
        for word, count in words.items():
            if word in index:
                found[row, index[word]] = math.log1p(count)
    return found


def _scores(rows: Array, weights: Array) -> Array:
    scores: Array = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
    return scores


def _fitted(rows: Array, labels: Array, *, steps: int = 400, rate: float = 0.5) -> Array:
    """Logistic regression with a small penalty, by gradient descent with momentum."""
    weights = np.zeros(rows.shape[1])
    pace = np.zeros_like(weights)
    for _ in range(steps):
        slope = rows.T @ (_scores(rows, weights) - labels) / len(labels) + 1e-4 * weights
        pace = 0.9 * pace - rate * slope / 10
        weights = weights + pace
    return weights


@click.command()
@click.option("--agents", default=100, show_default=True, help="Agents of the market.")
@click.option("--days", default=10, show_default=True, help="Days of the base market.")
@click.option("--ticks", default=84, show_default=True, help="Ticks of the run.")
@click.option("--held-out", is_flag=True, help="Quote the texts that no pattern was written for.")
def main(agents: int, days: int, ticks: int, held_out: bool) -> None:
    """Print how often a trained classifier tells the conditions apart, blind and not."""
    size = Size(agents, days, ticks)
    with TemporaryDirectory() as folder:
        base = base_of(Path(folder) / "base", size)
        run = run_of(base, Path(folder) / "run.db", policy="honest", condition="L1", size=size)
        failed = False
        for condition in ("L2", "L3"):
            texts = [
                echo
                for echo in echoes()
                if echo.condition == condition and echo.held_out == held_out
            ]
            for blinded in (True, False):
                pair = retold_pair(
                    run, Path(folder), condition, texts, blinded=blinded, tested=size
                )
                share, error = accuracy(pair)
                words = sorted(differing(pair), key=differing(pair).__getitem__, reverse=True)[:8]
                how = "blind" if blinded else "not blind"
                print(
                    f"{condition} {how:9}  {len(pair.told)} bundles a side  told apart "
                    f"{share:.3f} ± {1.96 * error:.3f}  words: {', '.join(words) or 'none'}"
                )
                failed |= not held_out and (abs(share - 0.5) > 3 * error) == blinded
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
