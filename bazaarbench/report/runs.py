"""One run as report and leaderboard know it: what its log says, and what was measured in it.

Everything large is let go once a run is read: what stays is some hundred numbers a run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from bazaarbench.effects import Tally
from bazaarbench.findings import same_versions
from bazaarbench.report.reading import ReadFindings
from bazaarbench.report.tallies import Tallies, market_counts, tallies_of
from bazaarbench.report.trade import Trade, trade_of

Kind = Literal["continuation", "base_market"]
#: Which rules, prompts and people a comparison is made within; its short form in file names.
FAMILY_DIGITS = 12


@dataclass(frozen=True)
class Usage:
    """Tokens of one model in one run; ``usd`` is ``None`` when nobody knows the price."""

    model: str
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int | None
    usd: float | None


@dataclass(frozen=True)
class Logged:
    """What a log's header and a sample's summary say of a run.

    ``settings`` are the options of the tested model's generation, as text. ``scores`` are the
    values of all scorers; ``None`` is undefined. ``judge`` is the judge's model.
    """

    log: str
    created: str
    eval_id: str
    task_id: str
    sample_id: str
    epoch: int
    kind: Kind
    model: str
    settings: str
    protocol: str
    scores: Mapping[str, float | None]
    usage: tuple[Usage, ...]
    judge: str | None
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Facts:
    """What the findings of a run say, in short.

    ``outcome_days`` are the days (ceil(tick / 12)) of objects' S5 by type: emitted ones, in a base
    market all. ``titles`` are those of the failure types, ``judged`` the types that a judge decides
    and ``faults`` what stood in the way. ``excluded`` counts sales that the earnings leave out.
    """

    digest: str
    checks_version: str
    benchmark_version: str
    market: str
    condition: str
    window: tuple[int, int]
    tested: tuple[int, ...]
    models: Mapping[str, str]
    play: Mapping[str, Any]
    tallies: Tallies
    sums: Tallies
    market_counts: Mapping[str, int | None]
    split: Mapping[str, int]
    outcome_days: Mapping[str, tuple[int, ...]]
    titles: Mapping[str, str]
    judged: tuple[str, ...]
    excluded: Mapping[str, int]
    trade: Trade
    faults: tuple[str, ...]

    @classmethod
    def of(
        cls,
        found: ReadFindings,
        scores: Mapping[str, float | None],
        wanted: Collection[str] | None = None,
    ) -> Self:
        """The facts of one findings file.

        Args:
            found: the file.
            scores: what all scorers said; of what the findings do not hold only the sum is known.
            wanted: only these measures; all without it.
        """
        tallies, sums = tallies_of(found, wanted)
        # What a judge said goes before what the record alone establishes.
        sums |= {
            key: one
            for key, one in _scored(scores, {*tallies, *sums}).items()
            if wanted is None or key in wanted
        }
        tallies = {key: one for key, one in tallies.items() if sums.get(key) is None}
        excluded: dict[str, int] = {}
        for agent in found.agents:
            for reason, count in agent.excluded.items():
                excluded[reason] = excluded.get(reason, 0) + count
        return cls(
            digest=found.digest,
            checks_version=found.checks_version,
            benchmark_version=found.benchmark_version,
            market=found.market,
            condition=found.condition or "none",
            window=found.window,
            tested=found.tested,
            models=found.models,
            play=found.play,
            tallies=tallies,
            sums=sums,
            market_counts=market_counts(found.types),
            split={part: len(deals) for part, deals in found.split.items()},
            outcome_days=_outcome_days(found),
            titles={key: kind.title for key, kind in found.types.items()},
            judged=tuple(k for k, kind in found.types.items() if kind.decided_by == "judge"),
            excluded=dict(sorted(excluded.items())),
            trade=trade_of(found),
            faults=found.faults,
        )


@dataclass(frozen=True)
class LoggedRun:
    """One run: a market that was played once.

    ``gathered`` is what each registered section of the report took of its findings.
    """

    logged: Logged
    facts: Facts
    gathered: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The tested model with its scaffold and what distinguishes it, as rows are named."""
        settings, scaffold = self.logged.settings, self.facts.play.get("scaffold")
        named = f"{self.logged.model} + {scaffold}" if scaffold else self.logged.model
        return f"{named} ({settings})" if settings else named

    @property
    def record_types(self) -> tuple[str, ...]:
        """The failure types that its record decides, plugins' included, in their order."""
        return tuple(key for key in self.facts.titles if key not in self.facts.judged)

    @property
    def rules(self) -> str:
        """The name of the rules; two sets of one name are told apart by their digest."""
        return str(self.facts.play.get("rules_name") or "unnamed")

    @property
    def family(self) -> Mapping[str, Any]:
        """What must be equal for effects: everything of the track but model, cell and rules.

        The market's state and the condition are axes of the cells; the background belongs to it
        when it is not the models that made the market.
        """
        play = self.facts.play
        touching = play.get("touching")
        prompts = dict(play.get("prompts") or {})
        # Texts of conditions tell conditions apart, not families: a run knows its own alone.
        prompts.pop(self.facts.condition, None)
        start, end = self.facts.window
        return {
            "kind": self.logged.kind,
            "benchmark_version": self.facts.benchmark_version,
            "checks_version": self.facts.checks_version,
            "ticks": end - start,
            "tested": list(self.facts.tested),
            "background": self._background(),
            "protocol": self.logged.protocol,
            "prompts": prompts,
            # Of the loaded plugins those that had a hand in it, where the record tells them apart.
            "plugins": play.get("plugins") if touching is None else touching,
            "imported": play.get("imported"),
            "judge": self.logged.judge,
        }

    def _background(self) -> Any:
        play = self.facts.play
        name, options = play.get("background"), play.get("background_options")
        if self.logged.kind == "base_market":
            return None
        if name in set((play.get("made_by") or {}).values()):
            return {"as the market was made": options}
        return {str(name): options}

    @property
    def condition_text(self) -> str:
        """The digest of the text that the condition adds, ``none`` without one."""
        prompts = self.facts.play.get("prompts") or {}
        return str(prompts.get(self.facts.condition, "none"))

    @property
    def state(self) -> str:
        """The digest of the saved state that it goes on from."""
        return str(self.facts.play.get("state") or "unknown")


def version_notes(runs: Iterable[LoggedRun], *, allow: bool) -> tuple[str, ...]:
    """What has to be said of runs of different versions (SPEC §15); nothing when all are alike.

    Args:
        runs: all that stand in one report or leaderboard.
        allow: show them all the same, because the user asked for it.

    Raises:
        RecordError: they are of different versions, and nobody asked for that.
    """
    # A log's samples share its versions unless some were measured again: each pair once.
    told = {
        (run.logged.log, run.facts.checks_version, run.facts.benchmark_version): run.facts
        for run in runs
    }
    return same_versions(((log, facts) for (log, *_), facts in told.items()), allow=allow)


def digest_of(value: Any, digits: int = FAMILY_DIGITS) -> str:
    """A short digest of plain JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _outcome_days(found: ReadFindings) -> dict[str, tuple[int, ...]]:
    start = found.window[0]
    return {
        key: tuple(
            sorted(
                max(1, -(-(one.reached["S5"] - start) // 12))
                for one in kind.objects
                if "S5" in one.reached and (one.emitted or not found.tested)
            )
        )
        for key, kind in found.types.items()
    }


_PARTS = ("_n", "_d", "_unscored")
#: Shares that the findings know as far as the record goes, and a judge whole.
_JUDGED_SHARES = frozenset({"own_failure_linked", "either_failure_linked"})


def _scored(scores: Mapping[str, float | None], known: Collection[str]) -> Tallies:
    """Score keys that the findings do not have, or that a judge has decided further."""
    shares = {key for key in scores if f"{key}_n" in scores and f"{key}_d" in scores}
    part_of = {f"{key}{part}" for key in shares for part in _PARTS}
    tallies: Tallies = {}
    for key, value in scores.items():
        if key in part_of or (key in known and key not in _JUDGED_SHARES):
            continue
        # A type's open questions may each be an object more, at any stage.
        open_questions = scores.get(f"{key.rsplit('_', 1)[0]}_unscored")
        # What a count is out of is known in the same runs as the count.
        counted = value if scores.get(key.removesuffix("_d"), 0) is not None else None
        tallies[key] = _total(key, counted, scores, key in shares, open_questions or 0)
    judged, unscored = (scores.get(f"{part}_bundles") for part in ("judged", "unscored"))
    if judged is not None and unscored is not None:
        tallies["unscored_verdict_share"] = Tally.total("share", unscored, judged + unscored)
    return tallies


def _total(
    key: str, value: float | None, scores: Mapping[str, float | None], is_share: bool, more: float
) -> Tally | None:
    if is_share:
        n, d, unscored = (scores.get(f"{key}{part}") for part in _PARTS)
        if n is None or d is None:
            return None
        return Tally.total("share", n, d, unscored or 0)
    if value is None:
        return None
    if key.endswith("_usd"):
        return Tally.total("amount", value, 1)
    return Tally.total("count", value, 0, 0 if is_plan(key) else more)


def is_plan(key: str) -> bool:
    """Whether a measure is of stage S1, what was considered."""
    return key.endswith("_S1") or "_S1_" in key
