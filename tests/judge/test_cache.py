"""Scoring again is free and the same; a killed one goes on; what changed is asked again."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.failures.base import Bundle
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.packing import Caps
from bazaarbench.judge.replies import entries_of
from bazaarbench.judge.requests import data_of
from bazaarbench.judge.store import JudgeStore, store_path
from tests.judge.judges import Asked, by_rules, judged
from tests.judge.shapes import TYPES, Type, deal_bundle, reasoning_bundle, text_bundle

ROOT = Path(__file__).parents[2]
ONE_EACH = Caps(bundles=1)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "market.db"


BUNDLES = [
    *(text_bundle(f"Hello number {n}", bundle_id=f"message:{n}") for n in range(4)),
    deal_bundle(),
    reasoning_bundle(),
]


def dumped(found: object) -> str:
    return "".join(one.model_dump_json() for one in found.verdicts)  # type: ignore[attr-defined]


def test_scoring_again_asks_nobody_and_gives_the_same_bytes(record: Path) -> None:
    first = judged(record, BUNDLES, Asked(by_rules))
    ask = Asked(by_rules)
    second = judged(record, BUNDLES, ask)
    assert ask.requests == []
    assert dumped(first) == dumped(second)
    assert (second.cached, second.now.asks, second.now.cost_usd) == (len(BUNDLES), 0, 0.0)


def test_the_verdicts_are_the_same_however_requests_are_packed_and_whoever_answers_first(
    tmp_path: Path,
) -> None:
    class Backwards(Asked):
        async def __call__(self, request):  # type: ignore[no-untyped-def]
            self.pause = 0.05 / (1 + len(self.requests))
            return await super().__call__(request)

    together = judged(tmp_path / "a.db", BUNDLES, Asked(by_rules))
    alone = judged(tmp_path / "b.db", BUNDLES, Backwards(by_rules), caps=ONE_EACH)
    assert dumped(together) == dumped(alone)


def test_an_answer_that_broke_the_rules_is_not_asked_for_again(record: Path) -> None:
    first = judged(record, BUNDLES[:1], Asked(lambda b, n: "null"))
    ask = Asked()
    again = judged(record, BUNDLES[:1], ask)
    assert ask.requests == []
    assert dumped(first) == dumped(again)


def test_a_changed_section_asks_only_about_what_depends_on_it(record: Path) -> None:
    judged(record, BUNDLES, Asked())
    changed = [Type("F6", "Another rule.") if one.key == "F6" else one for one in TYPES]
    ask = Asked()
    judged(record, BUNDLES, ask, rubrics=Rubrics(changed))
    asked = {tuple(one["types"]) for request in ask.requests for one in data_of(request.user)}
    assert asked == {("F5text", "F6"), ("F1", "F2", "F3", "F4", "F5text", "F6")}
    unrelated = [*TYPES, Type("haste", "Unsafe: the actor hurries.")]
    ask = Asked()
    judged(record, BUNDLES, ask, rubrics=Rubrics(unrelated))
    assert ask.requests == []


def test_another_bundle_model_or_setting_is_asked_about(record: Path) -> None:
    judged(record, BUNDLES[:1], Asked())
    for changes in ({"model": "openai/gpt-6"}, {"settings": {"temperature": 0}}):
        ask = Asked()
        judged(record, BUNDLES[:1], ask, **changes)  # type: ignore[arg-type]
        assert len(ask.requests) == 1, changes
    ask = Asked()
    judged(record, [text_bundle("Hello number 0!", bundle_id="message:0")], ask)
    assert len(ask.requests) == 1


def test_the_name_of_a_bundle_is_no_part_of_what_it_shows(record: Path) -> None:
    judged(record, BUNDLES[:1], Asked())
    ask = Asked()
    judged(record, [text_bundle("Hello number 0", bundle_id="message:77")], ask)
    assert ask.requests == []


def test_request_and_reply_of_every_verdict_are_kept_with_the_served_version(record: Path) -> None:
    found = judged(record, BUNDLES, Asked(by_rules))
    with JudgeStore(store_path(record)) as store:
        for verdict in found.verdicts:
            kept = store.exchange(verdict.key)
            assert kept is not None
            request, reply = kept
            names = [one["bundle"] for one in data_of(request.user)]
            assert len(entries_of(reply, names)) == len(names)
            assert "# Judging what an agent did" in request.system
            assert verdict.served == "judge-2026"
        assert store.exchange("unknown") is None


def test_what_was_spent_is_the_sum_of_all_that_was_asked(record: Path) -> None:
    from bazaarbench.judge.cache import settings_digest

    first = judged(record, BUNDLES[:2], Asked(), caps=ONE_EACH)
    judged(record, BUNDLES, Asked(), caps=ONE_EACH)
    assert (first.now.asks, first.now.tokens["input_tokens"]) == (2, 200)
    with JudgeStore(store_path(record)) as store:
        total = store.spending(settings_digest("openai/gpt-5", {}))
    assert total.asks == len(BUNDLES)
    assert total.tokens == {
        "input_tokens": 100 * total.asks,
        "output_tokens": 10 * total.asks,
        "total_tokens": 110 * total.asks,
    }
    assert total.cost_usd == pytest.approx(0.001 * total.asks)


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.judge.judges import Asked, all_safe, judged
from tests.judge.test_cache import BUNDLES, ONE_EACH

def write(bundles, asked):
    if asked == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return all_safe(bundles, asked)

judged(Path({record!r}), BUNDLES, Asked(write), caps=ONE_EACH)
"""


def test_killed_in_the_middle_it_goes_on_and_pays_for_nothing_twice(record: Path) -> None:
    code = KILLED.format(root=str(ROOT), record=str(record))
    done = subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ})
    assert done.returncode == -signal.SIGKILL
    # What answers were there when it was killed is chance; that none is paid for again is not.
    with sqlite3.connect(store_path(record)) as connection:
        (paid,) = connection.execute("SELECT count(*) FROM verdicts").fetchone()
    ask = Asked()
    found = judged(record, BUNDLES, ask, caps=ONE_EACH)
    assert 1 <= paid <= 3
    assert len(ask.requests) == len(BUNDLES) - paid
    assert all(one.status == "judged" for one in found.verdicts)


def test_a_file_of_something_else_is_refused_and_left_alone(record: Path) -> None:
    path = store_path(record)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(RecordError, match="is no judge's file"):
        JudgeStore(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_refused_with_its_name(record: Path) -> None:
    store_path(record).write_bytes(b"rubbish" * 1_000)
    with pytest.raises(RecordError, match=r"market\.judge\.db"):
        JudgeStore(store_path(record))


DAMAGE = {
    "a decision that is none": "UPDATE verdicts SET decisions = '[{}]'",
    "decisions that are none": "UPDATE verdicts SET decisions = '5'",
    "half a JSON": "UPDATE verdicts SET decisions = '['",
    "a table that is gone": "DROP TABLE verdicts",
}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_damage_inside_of_the_file_is_refused_with_its_name(record: Path, statement: str) -> None:
    judged(record, BUNDLES[:1], Asked())
    with sqlite3.connect(store_path(record)) as connection:
        connection.execute(statement)
    connection.close()
    ask = Asked()
    with pytest.raises(RecordError, match=r"market\.judge\.db.*damaged"):
        judged(record, BUNDLES[:1], ask)
    assert ask.requests == []


def test_a_file_that_is_cut_off_is_refused_with_its_name(record: Path) -> None:
    judged(record, BUNDLES, Asked())
    path = store_path(record)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(RecordError, match=r"market\.judge\.db"):
        judged(record, BUNDLES, Asked())


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from bazaarbench.errors import RecordError
from tests.judge.judges import Asked, judged
from tests.judge.test_cache import ONE_EACH, large

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))
try:
    judged(Path({record!r}), large(), Asked(), caps=ONE_EACH)
except RecordError as error:
    print(error)
"""


def large() -> list[Bundle]:
    texts = (sha256(str(n).encode()).hexdigest() * 60 for n in range(30))
    # Not compressible: each bundle takes room of its own.
    return [
        text_bundle(
            "".join(chr(33 + ord(c) * 7 * n % 90) for n, c in enumerate(text)),
            bundle_id=f"message:{place}",
        )
        for place, text in enumerate(texts)
    ]


def test_a_full_disk_is_one_message_and_what_was_kept_is_not_paid_for_again(record: Path) -> None:
    code = FULL.format(root=str(ROOT), record=str(record))
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ}, capture_output=True, text=True
    )
    assert "cannot write" in done.stdout
    assert "market.judge.db" in done.stdout
    ask = Asked()
    found = judged(record, large(), ask, caps=ONE_EACH)
    assert 0 < found.cached == len(large()) - len(ask.requests)
    assert all(one.status == "judged" for one in found.verdicts)
