"""Echoes of the instructions in what agents write: taken out, so that they cannot be recognised.

An agent's notes quote or paraphrase what it was told: quotas, deadlines, the sum that it owes, the
names of tactics. A judge who reads them knows the condition. What is left after masking must be
what an agent under ordinary instructions could have written about the same act, so an echo leaves
no trace: the clause that holds it goes, and not a word is put in its place. Where the name of a
tactic stands for an act it is replaced by plain words for that act, so that an unsafe plan stays a
plan. What is said to others is evidence, and only the plainest echoes are taken out of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from bazaarbench.judge.blinding_masks import Masks, masks

_SENTENCE = re.compile(r"(?<=[.!?])(\s+)|(\n+)")
#: Runs of white space are cut to one, so that no pattern can be made to try them again and again.
_LONG_SPACE = re.compile(r"\s{20,}")
_WORD = re.compile(r"[\w'$%]+")
_Clause = tuple[str, str]
#: So many words in a row, as an instruction has them, are a quotation of it.
_QUOTED = 5


def without_echoes(
    text: str,
    *,
    public: bool = False,
    deadlines: Collection[int] = (),
    instructions: tuple[str, ...] = (),
) -> str:
    """A text without what tells under which instructions it was written.

    Args:
        text: what an agent wrote.
        public: whether others read it; then only the plainest echoes go.
        deadlines: ticks at which something was to be done, which count as echoes.
        instructions: texts of which quotations, of five words or more in a row, are echoes.
    """
    return _without(text, public, tuple(sorted(deadlines)), instructions)


@lru_cache(maxsize=20_000)
def _without(
    text: str, public: bool, deadlines: tuple[int, ...], instructions: tuple[str, ...]
) -> str:
    known = masks()
    echoes = _Echoes(known, public, deadlines, instructions)
    if echoes.any_in(text):
        text = _LONG_SPACE.sub(" ", text)
        text = "".join(map(echoes.rest, _sentences(text))).strip()
    for pattern, words in known.labels:
        text = pattern.sub(words, text)
    return text


@lru_cache(maxsize=64)
def _due(deadlines: tuple[int, ...]) -> re.Pattern[str]:
    # Without a deadline it matches nothing.
    ticks = "|".join(map(str, deadlines)) or "(?!)"
    return re.compile(rf"\bticks? (?:{ticks})\b", re.IGNORECASE)


@lru_cache(maxsize=8)
def _quotable(instructions: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """What counts as a quotation of some texts."""
    return frozenset(run for text in instructions for run in _runs(text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return (tuple(words[at : at + _QUOTED]) for at in range(len(words) - _QUOTED + 1))


def _sentences(text: str) -> list[str]:
    """The sentences of a text, each with the space before it."""
    found, space = [], ""
    for part in _SENTENCE.split(text):
        if part is None:
            continue
        if not part.strip():
            space += part
            continue
        found.append(space + part)
        space = ""
    return found


class _Echoes:
    """Takes echoes out of sentences."""

    def __init__(
        self,
        known: Masks,
        public: bool,
        deadlines: tuple[int, ...],
        instructions: tuple[str, ...],
    ) -> None:
        self.masks = known
        self.setting = known.public if public else known.private
        self.due = _due(deadlines)
        self.quotable = _quotable(instructions)

    def any_in(self, text: str) -> bool:
        """Whether anything in a text may have to go."""
        patterns = (self.setting, self.due, self.masks.label)
        return any(pattern.search(text) for pattern in patterns) or self._quotes(text)

    def _quotes(self, text: str) -> bool:
        return bool(self.quotable) and not self.quotable.isdisjoint(_runs(text))

    def rest(self, sentence: str) -> str:
        """A sentence without its echoes; empty when nothing says anything then."""
        space = sentence[: len(sentence) - len(sentence.lstrip())]
        body = sentence.strip()
        mark = body[-1] if body[-1] in ".!?" else ""
        clauses = self._clauses(body[: len(body) - len(mark)])
        kept = self._kept(clauses, self._quoted(body, clauses))
        if len(kept) == len(clauses):
            return sentence
        head = kept[0][1] if kept and self.masks.head.match(kept[0][1]) else ""
        rest = kept[bool(head) :]
        if not rest:
            return f"{space}{head}:" if head else ""
        text = rest[0][1] + "".join(separator + clause for separator, clause in rest[1:])
        text = self.masks.leading.sub("", text).strip(" ,;:-")
        return f"{space}{head}: {text}{mark}" if head else f"{space}{text}{mark}"

    def _clauses(self, body: str) -> list[_Clause]:
        """The clauses of a sentence, each with what separates it from the one before."""
        parts = self.masks.clause.split(body)
        return list(zip(["", *parts[1::2]], parts[0::2], strict=True))

    def _quoted(self, body: str, clauses: list[_Clause]) -> list[bool]:
        """Which clauses are a quotation by half of their words or more.

        It may go over several clauses, none of which alone has enough of it.
        """
        if not self._quotes(body):
            return [False] * len(clauses)
        starts = [match.start() for match in _WORD.finditer(body)]
        covered: set[int] = set()
        for at, run in enumerate(_runs(body)):
            if run in self.quotable:
                covered.update(starts[at : at + _QUOTED])
        found, begin = [], 0
        for separator, clause in clauses:
            begin += len(separator)
            end = begin + len(clause)
            words = [start for start in starts if begin <= start < end]
            quoted = sum(start in covered for start in words)
            found.append(quoted > 0 and 2 * quoted >= len(words))
            begin = end
        return found

    def _kept(self, clauses: list[_Clause], quoted: list[bool]) -> list[_Clause]:
        """The clauses without echoes, and without what is left of those that had one."""
        known = self.masks
        kept: list[_Clause] = []
        after_echo = False
        for (separator, clause), is_quoted in zip(clauses, quoted, strict=True):
            if is_quoted or self._is_echo(clause) or (after_echo and self._is_remains(clause)):
                after_echo = True
                while kept and known.purpose.match(kept[-1][1]):
                    kept.pop()
                lone = len(kept) == 1 and not known.head.match(kept[0][1])
                if lone and self._is_remains(kept[0][1]):
                    kept.pop()
                continue
            after_echo = False
            kept.append((separator, clause))
        while kept and known.connective.fullmatch(kept[-1][1].strip()):
            kept.pop()
        return kept

    def _is_echo(self, clause: str) -> bool:
        if self.setting.search(clause) or self.due.search(clause):
            return True
        return self.masks.bare_label.fullmatch(clause.strip()) is not None

    def _is_remains(self, clause: str) -> bool:
        """Whether a clause is what is left of a dropped one: a word or two, and no act."""
        if self.masks.listed.fullmatch(clause.strip()):
            return True
        words = _WORD.findall(clause.lower())
        is_short = len(words) < 3 and not any(word in self.masks.acts for word in words)
        return is_short and self.masks.connective.fullmatch(clause.strip()) is None
