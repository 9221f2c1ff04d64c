"""What scripts check about written texts, and how grounded they are (SPEC §3.4, reference A §2.8).

Faults send an answer back: one line each, in words for the writer. A tally counts the checks behind
*groundedness* = 1 − failed ÷ all checks:

- of an agent: it has at least four typed memories; some memory rests on an own item;
- of a memory: it rests on an item; it cites none but the agent's own; its text passes;
- of a journal entry: it is the event that it must be; its text passes;
- of every other field (the constraints are one): its text passes.

A text passes when it names no other item, no amount of money that is no fact, nothing like personal
data, and holds no markup or talk about models. That kinds are known is held by the schema: an
answer that cannot be read fails every check of the smallest one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bazaarbench.personas.briefs import Brief
from bazaarbench.personas.naming import Names, masked, quoted
from bazaarbench.personas.private_data import find
from bazaarbench.personas.written import BOUNDS, Written, WrittenEntry, WrittenMemory

#: Below it an agent's texts are sent back, and a set of texts is given up.
LEAST_GROUNDEDNESS_PERMILLE = 850
#: Up to here an amount is a step in bargaining and no price.
MOST_STEP_CENTS = 2_000
_LEAST_TYPED_MEMORIES = 4
_AGENT_CHECKS, _MEMORY_CHECKS, _ENTRY_CHECKS, _PROSE_CHECKS = 2, 3, 2, 7
#: The smallest answer has the fewest memories and one event.
UNREADABLE_CHECKS = (
    _AGENT_CHECKS + _MEMORY_CHECKS * BOUNDS["memories"][0] + _ENTRY_CHECKS + _PROSE_CHECKS
)

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d\d?)?|\d+(?:\.\d\d?)?"
_LARGE = r"(?:thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)"
_AMOUNTS = (
    re.compile(rf"[$€£]\s?({_NUMBER})(?!\d)"),
    re.compile(rf"(?<![\d.,])({_NUMBER})\s?(?:dollars?|bucks|usd|euros?|pounds sterling)\b", re.I),
)
_SPELLED_AMOUNT = re.compile(rf"\b{_LARGE}(?:[ -]\w+)?[ -](?:dollars?|bucks)\b", re.I)
_REF = re.compile(r"\b(?:own|past|goal)-\d{1,2}\b|\bevent \d{1,2}\b", re.I)
_MARKUP = re.compile(r"[{}<>`|]|\*\*|\bTODO\b")
_OUTSIDE = re.compile(
    r"\b(?:language models?|as an ai|ai (?:assistant|agent|model)s?|chatbots?|system prompt"
    r"|simulat(?:ed (?:market\w*|person|agent|world)|ion)|synthetic data|role-?play)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Checks made and checks passed."""

    passed: int
    checks: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.passed + other.passed, self.checks + other.checks)

    @property
    def groundedness(self) -> float | None:
        """The share of checks that passed, 0–1; ``None`` when there were none."""
        return self.passed / self.checks if self.checks else None

    @property
    def enough(self) -> bool:
        """Whether the share reaches the least that is allowed."""
        return self.passed * 1000 >= self.checks * LEAST_GROUNDEDNESS_PERMILLE


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks say about one agent's texts; without faults they are taken."""

    faults: tuple[str, ...]
    tally: Tally


def unreadable(*reasons: str) -> Verdict:
    """The verdict on an answer that holds no texts."""
    return Verdict(reasons, Tally(0, UNREADABLE_CHECKS))


def judge(written: Written, brief: Brief, names: Names) -> Verdict:
    """Check one agent's texts against its facts."""
    bad = {
        where: found
        for where, text in written.texts()
        if (found := _text_faults(text, brief, names))
    }
    faults = [f"{where}: {fault}" for where, found in bad.items() for fault in found]
    faults += _memory_faults(written, brief)
    faults += _journal_faults(written, brief)
    tally = _tally(written, brief, frozenset(bad))
    if not faults and not tally.enough:
        loose = [f"memories[{n}]" for n, memory in enumerate(written.memories) if not memory.items]
        faults.append(
            f"Too little rests on the facts ({tally.passed} of {tally.checks} checks): give "
            f"{', '.join(loose)} the items that each rests on."
        )
    return Verdict(tuple(dict.fromkeys(faults)), tally)


def _text_faults(text: str, brief: Brief, names: Names) -> list[str]:
    found: list[str] = []
    if strangers := names.strangers(text, brief.items):
        found.append(f"it names {quoted(strangers)}, which is none of the items")
    if amounts := list(_foreign_amounts(text, brief)):
        found.append(f"it names the amount {quoted(amounts)}, which is not among the facts")
    if private := find(masked(text, brief.items)):
        kinds = ", ".join(dict.fromkeys(one.kind for one in private))
        shown = quoted(one.text for one in private)
        found.append(f"{shown} looks like personal data ({kinds.replace('_', ' ')})")
    if brief_ref := _REF.search(text):
        found.append(f'the reference "{brief_ref.group()}" stands in a sentence; use the name')
    if _MARKUP.search(text) or any(map(_controls, text)):
        found.append("it holds markup, a line break or another control character")
    if outside := _OUTSIDE.search(text):
        found.append(f'it speaks of "{outside.group()}"; the person is a person')
    if not any(character.isalpha() for character in text):
        found.append("it holds no words")
    return found


def _controls(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")


def _foreign_amounts(text: str, brief: Brief) -> Iterator[str]:
    allowed = {cents for known in brief.amounts_cents for cents in (known, known // 100 * 100)}
    for pattern in _AMOUNTS:
        for match in pattern.finditer(text):
            dollars, _, cents = match[1].replace(",", "").partition(".")
            said = int(dollars) * 100 + int((cents + "00")[:2])
            if said > MOST_STEP_CENTS and said not in allowed:
                yield match.group()
    yield from (match.group() for match in _SPELLED_AMOUNT.finditer(text))


def _memory_faults(written: Written, brief: Brief) -> Iterator[str]:
    for place, memory in enumerate(written.memories):
        if unknown := [ref for ref in memory.items if ref not in brief.refs]:
            yield (
                f"memories[{place}].items: {quoted(unknown)} is no reference of this person's; "
                f"allowed: {', '.join(item.ref for item in brief.items)}"
            )
    for what, texts in (
        ("memories", [memory.content for memory in written.memories]),
        ("constraints", list(written.constraints)),
    ):
        if len({text.casefold() for text in texts}) < len(texts):
            yield f"{what}: two of them are the same"
    if brief.tier == "troubled" and "bad_experience" not in {m.kind for m in written.memories}:
        yield "memories: somebody of tier troubled has a bad_experience among them"


def _journal_faults(written: Written, brief: Brief) -> Iterator[str]:
    told = [entry.event for entry in written.journal]
    wanted = [event.event for event in brief.events]
    if told != wanted:
        yield (
            f"journal: it must have one entry for each event from 1 to {len(wanted)}, in that "
            f"order; it has {', '.join(map(str, told)) or 'none'}"
        )
        return
    for place, (entry, event) in enumerate(zip(written.journal, brief.events, strict=True)):
        if (entry.kind, entry.ref) != (event.kind, event.ref):
            yield (
                f"journal[{place}]: event {event.event} is {event.kind} of {event.ref}, not "
                f"{entry.kind} of {entry.ref}"
            )


def _tally(written: Written, brief: Brief, bad: frozenset[str]) -> Tally:
    prose = {where.partition("[")[0] for where, _ in written.prose()}
    bad_prose = {where.partition("[")[0] for where in bad} & prose
    checks = [
        len(written.memories) >= _LEAST_TYPED_MEMORIES,
        any(ref in brief.refs for memory in written.memories for ref in memory.items),
        *(field not in bad_prose for field in prose),
    ]
    for place, memory in enumerate(written.memories):
        checks += _memory_checks(memory, brief, f"memories[{place}]" not in bad)
    events: dict[int, tuple[str, str]] = {e.event: (e.kind, e.ref) for e in brief.events}
    for place, entry in enumerate(written.journal):
        checks += _entry_checks(entry, events, f"journal[{place}]" not in bad)
    return Tally(sum(checks), len(checks))


def _memory_checks(memory: WrittenMemory, brief: Brief, passes: bool) -> tuple[bool, ...]:
    return bool(memory.items), set(memory.items) <= brief.refs, passes


def _entry_checks(
    entry: WrittenEntry, events: dict[int, tuple[str, str]], passes: bool
) -> tuple[bool, ...]:
    return events.get(entry.event) == (entry.kind, entry.ref), passes
