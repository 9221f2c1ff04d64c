"""Prompts as files: a front matter that is never sent, and the body that is (DESIGN §2).

The front matter says name, version, what the file is for, and the canary by which such files can be
found in training data.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

_FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file: its name and version, and the body that is sent."""

    name: str
    version: str
    body: str

    @property
    def digest(self) -> str:
        """SHA-256 of the body, in hex."""
        return sha256(self.body.encode()).hexdigest()


def packaged(package: str, name: str) -> PromptFile:
    """The prompt file ``name`` (without suffix) in the folder ``prompts`` of a package."""
    return parse(files(package).joinpath("prompts", f"{name}.md").read_text("utf-8"), name)


def parse(text: str, name: str) -> PromptFile:
    """Take the front matter off; ``name`` is used when it has none."""
    text = text.replace("\r\n", "\n")
    head: dict[str, str] = {}
    body = text
    if text.startswith(_FENCE) and "\n" + _FENCE in text:
        front, body = text[len(_FENCE) :].split("\n" + _FENCE, 1)
        for line in front.split("\n"):
            key, colon, value = line.partition(":")
            if colon and not line.startswith(" "):
                head[key.strip()] = value.strip()
    return PromptFile(head.get("name", name), head.get("version", "0"), body)
