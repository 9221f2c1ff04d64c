"""Asking a judge about bundles: cached, packed, checked, bounded (SPEC §8.3, §8.5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from bazaarbench.errors import RecordError
from bazaarbench.failures.base import Bundle
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.budgets import Purse
from bazaarbench.judge.cache import settings_digest, verdict_key
from bazaarbench.judge.packing import CAPS, Caps, Pack, Packed, packs
from bazaarbench.judge.replies import UnusableReply, WrittenBundle, entries_of
from bazaarbench.judge.requests import Request, label, request_for
from bazaarbench.judge.store import Answer, JudgeStore, Kept, Spending, spent
from bazaarbench.judge.translating import Back, translated
from bazaarbench.judge.validation import checked
from bazaarbench.judge.verdicts import Verdict, VerdictStatus

Ask = Callable[[Request], Awaitable[Answer]]

#: Requests that wait at the same time; how many are really sent is the provider's limit.
IN_FLIGHT = 1_000
#: Why a bundle is unscored; after a colon there may be more.
NO_RUBRIC, BUDGET = "no rubric", "budget used up"
PROVIDER, REFUSED, INVALID = "provider error", "refused", "invalid answer"
_FAULT_LENGTH = 300


class MixedVersionsError(RecordError):
    """Verdicts of two versions of a judge would stand in one result (SPEC §8.5)."""


class Shown(Protocol):
    """A bundle as it is shown, and the way back to true ids."""

    @property
    def bundle(self) -> Bundle:
        """What the judge sees."""
        ...

    @property
    def back(self) -> Back:
        """Translates what it cites."""
        ...


@dataclass(frozen=True)
class Judge:
    """Who judges, and how.

    ``settings`` are those that answers depend on (JSON). ``reasks`` is how often an answer that
    breaks the rules is asked again.
    """

    model: str
    ask: Ask
    settings: Mapping[str, Any]
    blind: bool = True
    reasks: int = 2
    caps: Caps = CAPS


@dataclass(frozen=True)
class Judging:
    """What came of it: one verdict per bundle, in their order.

    ``served`` is the one version that answered, ``None`` when nothing was ever answered. ``now`` is
    what this scoring spent; ``cached`` how many verdicts it found.
    """

    verdicts: tuple[Verdict, ...]
    served: str | None
    now: Spending
    cached: int


async def judge_bundles(
    bundles: Iterable[tuple[Bundle, Shown]],
    judge: Judge,
    rubrics: Rubrics,
    store: JudgeStore,
    purse: Purse | None = None,
) -> Judging:
    """A verdict on every bundle: from the store, or from the judge.

    Args:
        bundles: each with how it is shown.
        judge: who is asked.
        rubrics: what it is told.
        store: where verdicts are looked for and kept.
        purse: what may be spent; without one there is no bound.

    Raises:
        MixedVersionsError: the judge answers with another version than before.
    """
    run = _Run(
        judge, rubrics, store, purse or Purse(), settings_digest(judge.model, judge.settings)
    )
    # Building bundles reads the record for some time; in a thread, other samples go on meanwhile.
    await anyio.to_thread.run_sync(run.add_all, bundles)
    await run.ask_all()
    return Judging(
        verdicts=tuple(run.verdicts[place] for place in range(run.count)),
        served=run.served,
        now=spent(run.asked),
        cached=run.cached,
    )


@dataclass(frozen=True)
class _Waiting:
    """A key that needs a verdict, and all bundles that it will be the verdict of."""

    key: str
    bundle_id: str
    rubric: str
    places: list[tuple[int, str, Back]]


@dataclass
class _Run:
    judge: Judge
    rubrics: Rubrics
    store: JudgeStore
    purse: Purse
    settings: str
    count: int = 0
    cached: int = 0
    served: str | None = None
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    asked: list[tuple[Mapping[str, int], float | None]] = field(default_factory=list)
    _waiting: dict[str, tuple[Bundle, _Waiting]] = field(default_factory=dict)

    def add_all(self, bundles: Iterable[tuple[Bundle, Shown]]) -> None:
        """Take all bundles, in their order."""
        for bundle, shown in bundles:
            self.add(bundle, shown)

    def add(self, bundle: Bundle, shown: Shown) -> None:
        """Take a bundle's verdict from the store, or note that it has to be asked for."""
        place, self.count = self.count, self.count + 1
        missing = self.rubrics.missing(shown.bundle.targets)
        if missing:
            kept = Kept("", "", "unscored", f"{NO_RUBRIC}: {', '.join(missing)}", None, ())
            self._give(kept, "", [(place, bundle.bundle_id, shown.back)])
            return
        rubric = self.rubrics.of(shown.bundle.targets)
        key = verdict_key(shown.bundle, rubric, self.settings)
        if key in self._waiting:
            self._waiting[key][1].places.append((place, bundle.bundle_id, shown.back))
            return
        found = self.store.kept(key)
        if found is None:
            entry = _Waiting(key, bundle.bundle_id, rubric.digest, [])
            entry.places.append((place, bundle.bundle_id, shown.back))
            self._waiting[key] = (shown.bundle, entry)
            return
        self._serve(found.served)
        self.cached += 1
        self._give(found, rubric.digest, [(place, bundle.bundle_id, shown.back)])

    async def ask_all(self) -> None:
        """Ask for everything that the store did not have."""
        waiting = packs(self._waiting.values(), self.judge.caps)
        limiter = anyio.CapacityLimiter(IN_FLIGHT)

        async def asking(pack: Pack[_Waiting]) -> None:
            async with limiter:
                await self._ask(pack)

        try:
            async with anyio.create_task_group() as group:
                for pack in waiting:
                    group.start_soon(asking, pack)
        except BaseExceptionGroup as errors:
            raise _first(errors) from errors

    async def _ask(self, pack: Pack[_Waiting]) -> None:
        """Ask about a pack; what cannot be used of the answer is asked again alone."""
        reasks = self.judge.reasks
        again = await self._once(pack.members, pack.targets, remark="", last=reasks == 0)
        for turn in range(1, reasks + 1):
            left: list[tuple[Packed[_Waiting], str]] = []

            async def alone(member: Packed[_Waiting], fault: str, last: bool) -> None:
                left.extend(  # noqa: B023 — awaited before the next turn
                    await self._once([member], pack.targets, remark=fault, last=last)
                )

            async with anyio.create_task_group() as group:
                for member, fault in again:
                    group.start_soon(alone, member, fault, turn == reasks)
            again = left

    async def _once(
        self,
        members: Sequence[Packed[_Waiting]],
        targets: tuple[str, ...],
        *,
        remark: str,
        last: bool,
    ) -> list[tuple[Packed[_Waiting], str]]:
        """One request; returns what is to be asked again, with the reason."""
        rubric = self.rubrics.of(targets)
        bundles = [member.bundle for member in members]
        request = request_for(bundles, rubric, remark=remark)
        async with self.purse.reserved(request, len(members) * len(targets)) as paid:
            if paid is None:
                self._leave(members, BUDGET)
                return []
            answer = await self.judge.ask(request)
            paid(answer.usage, answer.cost_usd)
        self.asked.append((answer.usage, answer.cost_usd))
        kept, again = self._read(members, answer, last=last)
        self.store.keep(
            request,
            answer,
            [one for one, _ in kept],
            model=self.judge.model,
            settings=self.settings,
            rubric=rubric.digest,
        )
        # Only now, so that what was paid for is kept whatever the version is.
        self._serve(answer.served)
        for one, entry in kept:
            self._give(one, entry.rubric, entry.places)
        if answer.error is not None:
            self._leave(members, f"{PROVIDER}: {answer.error[:_FAULT_LENGTH]}")
        return again

    def _read(
        self, members: Sequence[Packed[_Waiting]], answer: Answer, *, last: bool
    ) -> tuple[list[tuple[Kept, _Waiting]], list[tuple[Packed[_Waiting], str]]]:
        """The verdicts in an answer, and the bundles on which it gives none."""
        if answer.error is not None:
            return [], []
        kept, faulty = [], []
        for member, read in zip(members, _entries(members, answer), strict=True):
            if isinstance(read, WrittenBundle):
                kept.append(
                    (_kept(member.about, answer, tuple(read.decisions), None), member.about)
                )
            elif last:
                kept.append((_kept(member.about, answer, (), read), member.about))
            else:
                faulty.append((member, read))
        return kept, faulty

    def _leave(self, members: Sequence[Packed[_Waiting]], reason: str) -> None:
        """Leave bundles unscored for a reason that will not hold the next time."""
        for member in members:
            kept = Kept(member.about.key, member.about.bundle_id, "unscored", reason, None, ())
            self._give(kept, member.about.rubric, member.about.places)

    def _serve(self, served: str | None) -> None:
        if served is None:
            return
        if self.served is None:
            self.served = served
        elif self.served != served:
            raise MixedVersionsError(
                f"the judge {self.judge.model} answered as {self.served} and as {served}: verdicts "
                "of two versions cannot stand in one result. Name one version as the model of the "
                f"role judge, such as {_named(self.judge.model, served)}, and score again; what "
                "was judged is kept."
            )

    def _give(self, kept: Kept, rubric: str, places: Iterable[tuple[int, str, Back]]) -> None:
        for place, bundle_id, back in places:
            self.verdicts[place] = Verdict(
                bundle_id=bundle_id,
                status=kept.status,
                reason=kept.reason,
                decisions=tuple(translated(one, back) for one in kept.decisions),
                model=self.judge.model,
                served=kept.served,
                rubric=rubric,
                blind=self.judge.blind,
                key=kept.key,
            )


def _entries(members: Sequence[Packed[_Waiting]], answer: Answer) -> Sequence[WrittenBundle | str]:
    """What an answer says about each member: its decisions, or why they cannot be used."""
    if answer.stop_reason == "content_filter":
        return [f"{REFUSED}: the provider or the model did not answer"] * len(members)
    try:
        entries = entries_of(answer.text, [label(place) for place in range(len(members))])
    except UnusableReply as fault:
        cut = "it was cut off; " if answer.stop_reason in ("max_tokens", "model_length") else ""
        return [f"{INVALID}: {cut}{fault}"[:_FAULT_LENGTH]] * len(members)
    return [_entry(member.bundle, entry) for member, entry in zip(members, entries, strict=True)]


def _entry(bundle: Bundle, entry: Any) -> WrittenBundle | str:
    try:
        return checked(bundle, entry)
    except UnusableReply as fault:
        return f"{INVALID}: {fault}"[:_FAULT_LENGTH]


def _kept(waiting: _Waiting, answer: Answer, decisions: Any, reason: str | None) -> Kept:
    status: VerdictStatus = "judged" if reason is None else "unscored"
    return Kept(waiting.key, waiting.bundle_id, status, reason, answer.served, decisions)


def _named(model: str, served: str) -> str:
    provider = model.rsplit("/", 1)[0]
    return served if served.startswith(f"{provider}/") else f"{provider}/{served}"


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a task group that is none itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
