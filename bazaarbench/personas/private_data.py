"""Text that looks like personal data of somebody real (SPEC §3.4).

Agents are invented, and so is everything that is written about them: a text with a telephone
number, an address, an account or a handle may hit a real person. ``find`` looks for such text in
international forms; numbers and domains that are reserved for fiction and documentation are
allowed. It is a net, not a proof: a name or a vague place passes, and a part number may be caught.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bazaarbench.personas import private_patterns as patterns

Kind = Literal[
    "email",
    "phone",
    "address",
    "coordinates",
    "iban",
    "card",
    "handle",
    "national_id",
    "network_address",
    "web_address",
    "birth_date",
]

_Finder = Callable[[str], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something like personal data: its kind, the text, and where it begins."""

    kind: Kind
    text: str
    start: int


def find(text: str) -> list[Finding]:
    """Everything in ``text`` that looks like personal data, in order, without overlaps.

    Where two kinds overlap, the one that is told apart best counts: an IBAN before a card number,
    a card number before a telephone number.
    """
    plain = _plain(text)
    taken: list[tuple[int, int, Kind]] = []
    for kind, finder in _FINDERS:
        for start, end in finder(plain):
            if all(end <= other or start >= other_end for other, other_end, _ in taken):
                taken.append((start, end, kind))
    return [Finding(kind, text[start:end], start) for start, end, kind in sorted(taken)]


def _plain(text: str) -> str:
    """``text``, character for character, with ASCII digits, hyphens and spaces.

    Full-width digits, exotic dashes and invisible characters must not hide a number; equal length
    keeps the places of what is found.
    """
    return text if text.isascii() else "".join(map(_plain_character, text))


@lru_cache(maxsize=4_096)
def _plain_character(character: str) -> str:
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd" or character == "\N{MINUS SIGN}":
        return "-"
    if category in ("Zs", "Cf"):
        return " "
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for pattern in patterns.EMAILS:
        for match in pattern.finditer(text):
            domain = re.sub(r"\W*\bdot\b\W*", ".", match["domain"].lower())
            if not patterns.RESERVED_DOMAIN.search(domain):
                yield match.span()


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for pattern in patterns.PHONES:
        for match in pattern.finditer(text):
            number = match["number"]
            if not patterns.RESERVED_PHONE.fullmatch(_national(number)):
                yield match.span("number")
    for match in patterns.SPELLED_NUMBER.finditer(text):
        said = re.findall(r"[a-z]+", match.group().lower())
        number = "".join(patterns.DIGIT_WORDS[word] for word in said)
        if not patterns.RESERVED_PHONE.fullmatch(number):
            yield match.span()


def _national(number: str) -> str:
    """Digits with the country in front, as far as the number says it."""
    digits = _digits(number)
    if number.startswith("+"):
        return f"+{digits}"
    return f"+{digits[2:]}" if digits.startswith("00") else digits


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for match in patterns.CARD.finditer(text):
        digits = _digits(match.group())
        if patterns.CARD_NETWORK.fullmatch(digits) and _luhn(digits):
            yield match.span()
    yield from _matches(*patterns.PARTS_OF_CARDS)(text)


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for match in patterns.IBAN.finditer(text):
        candidate = match[1]
        length = patterns.IBAN_LENGTHS.get(candidate[:2].upper(), 0)
        compact, end = "", match.start()
        for character in candidate:
            if len(compact) == length:
                break
            compact += character.strip()
            end += 1
        moved = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
        if length and len(compact) == length and int(moved) % 97 == 1:
            yield match.start(), end


def _matches(*compiled: re.Pattern[str]) -> _Finder:
    def finder(text: str) -> Iterator[tuple[int, int]]:
        for pattern in compiled:
            for match in pattern.finditer(text):
                yield match.span()

    return finder


def _network_addresses(text: str) -> Iterator[tuple[int, int]]:
    for pattern in patterns.NETWORK_ADDRESSES:
        for match in pattern.finditer(text):
            if not patterns.RESERVED_NETWORK.match(match.group()):
                yield match.span()


def _web_addresses(text: str) -> Iterator[tuple[int, int]]:
    for match in patterns.WEB_ADDRESS.finditer(text):
        if not patterns.RESERVED_DOMAIN.search(match["domain"].lower()):
            yield match.span()


_FINDERS: tuple[tuple[Kind, _Finder], ...] = (
    ("email", _emails),
    ("iban", _ibans),
    ("card", _cards),
    ("national_id", _matches(*patterns.NATIONAL_IDS)),
    ("birth_date", _matches(*patterns.BIRTH_DATES)),
    ("network_address", _network_addresses),
    ("coordinates", _matches(*patterns.COORDINATES)),
    ("address", _matches(*patterns.ADDRESSES)),
    ("phone", _phones),
    ("handle", _matches(*patterns.HANDLES)),
    ("web_address", _web_addresses),
)
