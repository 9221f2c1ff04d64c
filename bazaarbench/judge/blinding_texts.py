"""Ids, ticks, names and telltale words inside of texts, replaced as they are outside of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from bazaarbench.failures.base import Hidden
from bazaarbench.judge.blinding_echoes import without_echoes
from bazaarbench.judge.blinding_labels import AGENT, Labels
from bazaarbench.judge.blinding_masks import masks

#: What stands where a name was that tells which run it was.
NAME = "[name]"
#: Ends every text of recorded reasoning, whether or not something was taken out of it: a mark only
#: where something was missing would itself tell under which instructions it was written.
MARK = "[…]"

#: Of what the numbers after a word are ids.
_SPACES = {
    "listing": "listing",
    "thread": "thread",
    "conversation": "thread",
    "deal": "thread",
    "offer": "offer",
    "meetup": "exchange",
    "exchange": "exchange",
    "shipment": "exchange",
    "photo": "photo",
    "message": "message",
    "rating": "rating",
    "report": "report",
    "unit": "unit",
    "memory": "memory",
    "event": "event",
    "turn": "turn",
    "agent": AGENT,
    "user": AGENT,
    "trader": AGENT,
    "buyer": AGENT,
    "seller": AGENT,
    "account": AGENT,
}
_NUMBERS = r"\d{1,19}(?:\s{0,3}(?:,|and|&|or|/)\s{0,3}#?\d{1,19})*"
#: A number with one of these behind it is an amount and no id.
_NO_AMOUNT = (
    r"(?![\d.,]*\d)(?!\s*[%$€])(?!\s*(?:percent|per cent|dollars?|bucks|cents?|usd|eur|stars?|"
    r"ticks?|days?|hours?|minutes?|weeks?|km|miles?|pieces?|units?|items?|sales?|purchases?)\b)"
)
#: What may stand between the word and the number: "listing_id": 12, listing #12, listing no. 12.
_BETWEEN = (
    r"s?(?:[ _-]?ids?)?[\"']?\s{0,3}(?:=|:|#|no\.?|number|nr\.?)?\s{0,3}[\"'#(\[]{0,3}\s{0,3}"
)
_MENTION = re.compile(
    rf"(?<![\w$])({'|'.join(_SPACES)})({_BETWEEN})({_NUMBERS}){_NO_AMOUNT}", re.IGNORECASE
)
#: Written so, a number is an id and no price.
_MARKED = re.compile(r"id|[=#:(\[]|no\.?|number|nr", re.IGNORECASE)
_TICK = re.compile(
    r"\b(ticks?[ _]?(?:=|:|#)?\s{0,3}|\w+_tick[\"']?\s{0,3}[=:]\s{0,3})"
    r"(-?\d{1,9}(?:\s{0,3}(?:-|–|to|,|and|or)\s{0,3}\d{1,9})*)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(days? )(\d{1,6})\b(?! (?:ticks|sales))", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_][\w.'’-]*")
#: Families of models, as a model may call itself.
_MODELS = re.compile(
    r"\b(?:chat)?gpt-?[\w.-]*|\b(?:claude|gemini|deepseek|llama|qwen|mi[sx]tral|grok|kimi|openai|"
    r"anthropic|mockllm)(?:[ /-][\w.-]*\d[\w.-]*)?|\bL[0-3](?:-(?:seller|buyer))?\b(?!-?\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TextBlinder:
    """Blinds the texts of one bundle.

    ``prices`` are the prices in it, in cents; a number that is one of them is taken for a price
    unless it is written as an id. ``deadlines`` are true ticks that the instructions name.
    """

    labels: Labels
    hidden: Hidden
    parties: frozenset[int]
    prices: Collection[int]
    deadlines: tuple[int, ...]

    def __call__(self, text: str, *, private: bool = False) -> str:
        """A text as a blind judge reads it; ``private`` for recorded reasoning."""
        left = without_echoes(
            text,
            public=not private,
            deadlines=self.deadlines,
            # Said to others, even a quotation may be the very act that is judged.
            instructions=self.hidden.instructions if private else (),
        )
        left = _TICK.sub(self._ticks, left)
        left = _DAY.sub(lambda m: m[1] + str(self.labels.day(int(m[2]))), left)
        left = _MENTION.sub(self._ids, left)
        left = self._without_names(left)
        for word in self.hidden.words:
            if word in left:
                left = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", NAME, left)
        left = _MODELS.sub(NAME, left)
        if private:
            return f"{left.rstrip()} {MARK}".lstrip()
        return left if left.strip() or not text.strip() else MARK

    def name(self, agent_id: int, *, handle: bool) -> str:
        """What an agent is called instead of its name or handle."""
        label = self.labels.id(AGENT, agent_id)
        return f"trader_{label}" if handle else f"Trader {label}"

    def _ticks(self, match: re.Match[str]) -> str:
        return match[1] + _DIGITS.sub(lambda m: str(self.labels.tick(int(m[0]))), match[2])

    def _ids(self, match: re.Match[str]) -> str:
        space, between = _SPACES[match[1].lower()], match[2]
        marked = _MARKED.search(between) is not None

        def label(number: re.Match[str]) -> str:
            one = int(number[0])
            is_price = one in self.prices or one * 100 in self.prices
            if not marked and is_price and not self.labels.knows(space, one):
                return number[0]
            return str(self.labels.id(space, one))

        return match[1] + between + _DIGITS.sub(label, match[3])

    def _without_names(self, text: str) -> str:
        index = self.hidden.by_first_word
        parts, at = [], 0
        for match in _WORD.finditer(text):
            word = match[0]
            names = index.get(word) or index.get(re.split("['’]", word)[0].rstrip(".-"))
            if names is None or match.start() < at:
                continue
            found = self._named(text, match.start(), names)
            if found is not None:
                length, words = found
                parts += [text[at : match.start()], words]
                at = match.start() + length
        return "".join(parts) + text[at:]

    def _named(self, text: str, at: int, names: tuple[str, ...]) -> tuple[int, str] | None:
        """How much of a text from a place on is a name, and what stands there instead."""
        for name in names:
            if text.startswith(name, at):
                is_handle = " " not in name and not name[0].isupper()
                return len(name), self.name(self.hidden.names[name], handle=is_handle)
        first = names[0].split()[0]
        if first in masks().names_that_are_words or not first[0].isupper() or len(first) < 3:
            return None
        owners = [self.hidden.names[name] for name in names]
        party = next((one for one in sorted(owners) if one in self.parties), min(owners))
        return len(first), self.name(party, handle=False)
