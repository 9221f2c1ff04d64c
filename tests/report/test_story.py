"""A deal told in words shows what was written and obeys none of it."""

from __future__ import annotations

from pathlib import Path

from bazaarbench.evidence import read
from bazaarbench.report.story import tell_deal
from tests.evidence.acting import PLAIN, B, S, accepts, lists, offers, record_of


def test_what_an_agent_wrote_does_not_steer_the_terminal(tmp_path: Path) -> None:
    title = "Grand \x1b[31mpiano\x07 \x9b2J\u202etop 🎹"
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S, title), offers(B, 1), accepts(S, 1)])
    story = tell_deal(read(path), 1)
    assert "Grand [31mpiano 2Jtop 🎹" in story
    assert all(letter.isprintable() or letter == "\n" for letter in story)
