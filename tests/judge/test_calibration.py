"""Samples to label, labels read back, agreement, flips: what is said about how good a judge is."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import SettingError
from bazaarbench.judge.agreement import CATEGORIES, Pair, agreements, as_json, as_text
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.calibration_compare import as_text as flips_as_text
from bazaarbench.judge.calibration_compare import flips
from bazaarbench.judge.calibration_files import (
    KeyRow,
    pairs_of_key,
    read_key,
    write_sample,
)
from bazaarbench.judge.calibration_items import (
    LABELLED,
    Item,
    item_of,
    labels_csv,
    read_items,
    read_labels,
    shipped_items,
    write_items,
)
from bazaarbench.judge.calibration_page import page
from bazaarbench.judge.calibration_sampling import Candidate, sampled
from bazaarbench.judge.requests import request_for
from bazaarbench.judge.verdicts import Decision, Verdict
from tests.judge.shapes import TYPES, deal_bundle, reasoning_bundle, text_bundle

RUBRICS = Rubrics(TYPES)
ITEMS = [
    item_of(one, f"case-{n}")
    for n, one in enumerate([text_bundle(), deal_bundle(), reasoning_bundle()])
]


# ---- items and labels ---------------------------------------------------------------------------


def test_an_item_shows_a_judge_exactly_what_its_bundle_did(tmp_path: Path) -> None:
    write_items(ITEMS, tmp_path / "items.jsonl")
    for item, bundle in zip(
        read_items(tmp_path / "items.jsonl"),
        [text_bundle(), deal_bundle(), reasoning_bundle()],
        strict=True,
    ):
        rubric = RUBRICS.of(bundle.targets)

        def draw() -> str:
            return "0" * 32

        assert request_for([item.as_bundle()], rubric, draw=draw) == request_for(
            [bundle], rubric, draw=draw
        )


def labelled(**label: Any) -> dict[str, Any]:
    told = ITEMS[0].model_dump(mode="json")
    return {**told, "labels": [{"type": "F5text", "unsafe": True, "stage": "S3", **label}]}


FAULTY_LABELS: dict[str, dict[str, Any]] = {
    "unsafe without a stage": labelled(stage=None),
    "safe with a stage": labelled(unsafe=False),
    "a type that was not asked about": labelled(type="F1"),
    "an unknown stage": labelled(stage="S6"),
    "a type twice": {**labelled(), "labels": labelled()["labels"] * 2},
    "an unknown key": {**labelled(), "verdict": "safe"},
    "no id": {**labelled(), "id": ""},
    "a stage above the highest": {
        **ITEMS[2].model_dump(mode="json"),
        "labels": [{"type": "F1", "unsafe": True, "stage": "S2"}],
    },
}


@pytest.mark.parametrize("row", FAULTY_LABELS.values(), ids=FAULTY_LABELS)
def test_a_line_that_is_no_item_is_named_with_its_number(
    row: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(labelled()) + "\n\n" + json.dumps(row) + "\n")
    with pytest.raises(SettingError, match=r"items\.jsonl, line 3 is no item"):
        read_items(path)


def test_one_item_twice_is_refused(tmp_path: Path) -> None:
    write_items([ITEMS[0], ITEMS[0]], tmp_path / "items.jsonl")
    with pytest.raises(SettingError, match="twice"):
        read_items(tmp_path / "items.jsonl")


def test_labels_are_read_from_csv_json_lines_and_labelled_items(tmp_path: Path) -> None:
    rows = {
        "labels.csv": "id,type,unsafe,stage,labeller,note\ncase-0,F5text,TRUE,S3,ann,\n"
        'case-0,F6,no,,ann,"fine, really"\n',
        "labels.jsonl": '{"id": "case-0", "type": "F5text", "unsafe": true, "stage": "S3"}\n'
        '{"id": "case-0", "type": "F6", "unsafe": false, "stage": null}\n',
        "items.jsonl": json.dumps(
            {**labelled(), "labels": [*labelled()["labels"], {"type": "F6", "unsafe": False}]}
        ),
    }
    for name, text in rows.items():
        (tmp_path / name).write_text(text)
        found = read_labels(tmp_path / name)
        assert [(one.id, one.type, one.label.category) for one in found] == [
            ("case-0", "F5text", "S3"),
            ("case-0", "F6", "none"),
        ], name


def test_lines_without_a_label_are_not_labelled_yet(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,type,unsafe,stage,labeller,note\na,F6,,,,\nb,F6,yes,s3,ann,\nc,F6,,,,\n")
    assert [(one.id, one.label.category) for one in read_labels(path)] == [("b", "S3")]
    path.write_text("id,type,unsafe,stage,labeller,note\na,F6,,,,\n")
    with pytest.raises(SettingError, match="holds no labels yet"):
        read_labels(path)
    path.write_text("id,type,unsafe,stage\na,F6,,S3\n")
    with pytest.raises(SettingError, match=r"line 2 is no label: unsafe is ''; allowed is yes or"):
        read_labels(path)
    path.write_text("id;type;unsafe;stage\n")
    with pytest.raises(SettingError, match="has no column 'id'"):
        read_labels(path)


@pytest.mark.parametrize("unsafe", ["maybe", "2"])
def test_a_cell_that_is_neither_yes_nor_no_is_refused(unsafe: str, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(f"id,type,unsafe,stage\ncase-0,F6,{unsafe},\n")
    with pytest.raises(SettingError, match=r"labels\.csv, line 2 is no label"):
        read_labels(tmp_path / "labels.csv")


def test_the_set_that_ships_is_readable_large_enough_and_labelled_whole() -> None:
    items = shipped_items(LABELLED)
    assert len(items) >= 150
    assert sum("near miss" in item.tags for item in items) >= 75
    for item in items:
        assert {label.type for label in item.labels} == set(item.bundle.types), item.id
    reached: dict[str, set[str]] = {}
    for item in items:
        for label in item.labels:
            reached.setdefault(label.type, set()).add(label.category)
    assert reached.keys() == {"F1", "F2", "F3", "F4", "F5text", "F6"}
    for key, categories in reached.items():
        needed = ("F4", "F5text", "F6")
        assert categories >= (set(CATEGORIES) if key in needed else {"none", "S1"}), key


def test_every_label_of_the_set_that_ships_is_one_that_a_judge_could_give() -> None:
    """Only what the actor made is its failure, and S1 is asked about recorded reasoning alone."""
    for item in shipped_items(LABELLED):
        for label in item.labels:
            if label.unsafe:
                assert item.bundle.actor in {one.by for one in item.bundle.sources}, item.id
                is_reasoning = item.bundle.content["kind"] == "reasoning"
                assert (label.stage == "S1") == is_reasoning, item.id


# ---- samples ------------------------------------------------------------------------------------


def pool() -> list[Candidate]:
    found = []
    for run in ("a", "b", "c"):
        for n in range(200):
            unsafe, near = n % 20 == 0, n % 7 == 0
            judged = {"F5text": "S3" if unsafe else "none", "F6": "none"}
            kinds = frozenset({"F5text"} if near and not unsafe else ())
            found.append(Candidate(run, f"message:{n}", ("F5text", "F6"), judged, kinds))
        found += [
            Candidate(run, f"deal:{n}:by:1", ("F4",), {"F4": "S5" if n < 10 else "none"})
            for n in range(60)
        ]
        found += [
            Candidate(run, f"reasoning:{n}", ("F4", "F6"), {"F4": "none"}, reasoning=True)
            for n in range(300)
        ]
    return found


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    first = sampled(pool(), 50, seed=1)
    assert sampled(list(reversed(pool())), 50, seed=1) == first
    assert sampled(pool(), 50, seed=2) != first


def test_a_sample_is_divided_among_types_strata_and_runs() -> None:
    chosen = sampled(pool(), 100, seed=1)
    assert len(chosen) == 100
    assert len({(one.candidate.run, one.candidate.bundle_id) for one in chosen}) == 100
    types = Counter(one.type for one in chosen)
    assert types == {"F4": 20, "F4_S1": 20, "F5text": 20, "F6": 20, "F6_S1": 20}
    texts = Counter(one.stratum for one in chosen if one.type == "F5text")
    assert texts == {"random": 4, "unsafe": 10, "near": 6}
    runs = Counter(one.candidate.run for one in chosen if one.type == "F5text")
    assert max(runs.values()) - min(runs.values()) <= 2
    for one in chosen:
        if one.stratum == "unsafe":
            assert one.candidate.judged[one.type] != "none"


def test_names_and_order_of_a_sample_tell_nothing_about_the_verdicts() -> None:
    chosen = sampled(pool(), 100, seed=1)
    assert [one.name for one in chosen] == [f"case-{n:03d}" for n in range(1, 101)]
    half = [one.stratum for one in chosen[:50]].count("unsafe")
    assert 0.2 < half / [one.stratum for one in chosen].count("unsafe") < 0.8


def test_what_a_stratum_has_not_got_is_drawn_at_random_and_nothing_twice() -> None:
    few = pool()[:30]
    chosen = sampled(few, 100, seed=1)
    assert len(chosen) == 30
    unjudged = [Candidate("a", f"message:{n}", ("F5text",)) for n in range(50)]
    assert {one.stratum for one in sampled(unjudged, 10, seed=1)} == {"random"}


def key_row(name: str, **judge: str) -> KeyRow:
    return KeyRow(
        id=name,
        record="r.db",
        bundle="message:1",
        type="F6",
        stratum="near",
        judge=judge,
        model="openai/gpt-5",
        served=None,
        rubric=None,
        blind=True,
    )


def test_what_is_written_to_label_holds_no_verdict_stratum_or_origin(tmp_path: Path) -> None:
    keys = [key_row(item.id, F5text="S3", F6="none") for item in ITEMS]
    write_sample(tmp_path, ITEMS, keys, RUBRICS)
    for name in ("bundles.jsonl", "labels.csv", "label.html"):
        text = (tmp_path / name).read_text()
        for word in ("gpt-5", "r.db", 'message:1"', "stratum", "openai"):
            assert word not in text, (name, word)
    assert read_key(tmp_path / "key.jsonl") == keys
    assert read_items(tmp_path / "bundles.jsonl") == ITEMS
    with pytest.raises(SettingError, match="already holds"):
        write_sample(tmp_path, ITEMS, keys, RUBRICS)


def test_labels_and_key_of_different_samples_are_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("id,type,unsafe,stage\ncase-9,F6,no,\n")
    labels = read_labels(tmp_path / "labels.csv")
    with pytest.raises(SettingError, match="another sample"):
        pairs_of_key(labels, [key_row("case-1", F6="none")])
    with pytest.raises(SettingError, match="nobody had judged"):
        pairs_of_key(labels, [key_row("case-9")])
    assert pairs_of_key(labels, [key_row("case-9", F6="S3")]) == [
        Pair("case-9", "F6", "S3", "none")
    ]


def test_the_empty_table_of_labels_has_a_line_for_each_question() -> None:
    lines = labels_csv(ITEMS).splitlines()
    assert lines[0] == "id,type,unsafe,stage,labeller,note"
    assert len(lines) == 1 + 2 + 1 + 6


# ---- the page -----------------------------------------------------------------------------------

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)> @@SCRIPT@@ "\u2028'


def test_nothing_in_a_bundle_becomes_markup_or_script_on_the_page() -> None:
    html = page([item_of(text_bundle(HOSTILE, HOSTILE), "case-1")], RUBRICS)
    assert html.count("<script") == 2
    assert "<img" not in html
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    told = json.loads(data[1])
    assert told["items"][0]["bundle"]["content"]["judged"]["text"] == HOSTILE
    assert "F5text" in told["rubric"]


def test_the_page_runs_its_own_script_alone_and_loads_nothing() -> None:
    html = page(ITEMS, RUBRICS)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)
    assert policy is not None
    assert script is not None
    digest = base64.b64encode(sha256(script[1].encode()).digest()).decode()
    assert "default-src 'none'" in policy[1]
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "http:" not in html.replace("http-equiv", "")
    assert "https:" not in html
    assert "innerHTML" not in html


# ---- agreement ----------------------------------------------------------------------------------


def pairs(**counts: int) -> list[Pair]:
    """Pairs of ``judge_label`` categories, as often as told."""
    return [
        Pair(f"{name}-{n}", "F4", *name.split("_"))
        for name, count in counts.items()
        for n in range(count)
    ]


def test_agreement_precision_recall_and_exact_stage() -> None:
    [row] = agreements(pairs(S3_S3=6, S4_S3=2, none_S5=1, S2_none=1, none_none=10))
    assert (row.same.n, row.same.d) == (18, 20)
    assert (row.precision.n, row.precision.d) == (8, 9)
    assert (row.recall.n, row.recall.d) == (8, 9)
    assert (row.exact.n, row.exact.d) == (16, 20)
    assert (row.exact_unsafe.n, row.exact_unsafe.d) == (6, 8)
    s4 = row.at_least[3]
    assert (s4.stage, s4.precision.n, s4.precision.d, s4.recall.n, s4.recall.d) == (
        "S4",
        0,
        2,
        0,
        1,
    )
    assert row.kinds.kappa is None


def test_kappa_is_given_from_thirty_labels_up() -> None:
    [few] = agreements(pairs(S3_S3=10, none_none=19))
    [enough] = agreements(pairs(S3_S3=10, none_none=20))
    assert few.kinds.kappa is None
    assert enough.kinds.kappa == pytest.approx(1.0)
    assert enough.kinds.interval is not None


def test_what_the_judge_left_open_is_counted_and_in_no_share() -> None:
    [row] = agreements(pairs(S3_S3=3, unscored_S3=5, unscored_none=2))
    assert (row.labels, row.unscored, row.recall.d, row.same.d) == (10, 7, 3, 3)


def test_the_confusion_table_has_labels_in_rows() -> None:
    [row] = agreements(pairs(S4_S3=2, none_S5=1))
    told = as_json(row)["confusion"]
    where = {name: n for n, name in enumerate(told["categories"])}
    assert told["counts"][where["S3"]][where["S4"]] == 2
    assert told["counts"][where["S5"]][where["none"]] == 1
    assert "labels in rows, judge in columns" in as_text([row])


def test_undefined_is_null_and_never_zero() -> None:
    [row] = agreements(pairs(none_none=3))
    told = as_json(row)
    assert told["precision"]["value"] is None
    assert told["recall"]["interval"] is None
    assert told["kappa"]["value"] is None


# ---- two ways -----------------------------------------------------------------------------------


def verdict(name: str, stage: str | None, *, judged: bool = True) -> Verdict:
    decision = Decision(
        type="F3",
        unsafe=stage is not None,
        stage=stage,
        actor_id=1,
        disposition="no_relevant_reasoning",
        basis="unknown",
        confidence="high",
        sources=(),
        stage_evidence=(),
        subtype="",
        rationale="",
    )
    return Verdict(
        bundle_id=name,
        status="judged" if judged else "unscored",
        reason=None if judged else "refused",
        decisions=(decision,) if judged else (),
        model="m",
        served=None,
        rubric="r",
        blind=True,
    )


def test_flips_are_counted_by_direction_and_unscored_ones_left_out() -> None:
    ways = [
        (verdict("a", "S1"), verdict("a", None)),
        (verdict("b", None), verdict("b", "S1")),
        (verdict("c", None), verdict("c", "S2")),
        (verdict("d", "S3"), verdict("d", "S4")),
        (verdict("e", None), verdict("e", None)),
        (verdict("f", "S1"), verdict("f", None, judged=False)),
    ]
    [row] = flips(ways)
    assert (row.kinds.n, row.kinds.d, row.lost, row.gained) == (3, 5, 1, 2)
    assert (row.stages.n, row.unscored) == (4, 1)
    assert row.items == ("a", "b", "c", "d")
    assert [one.type for one in flips(ways, reasoning=True)] == ["F3_S1"]


def test_every_item_can_be_made_from_its_own_json() -> None:
    for item in ITEMS:
        assert Item.model_validate_json(item.model_dump_json()) == item


def test_tables_fit_into_eighty_columns() -> None:
    rows = [
        Pair(f"case-{n}", "F5text", ("none", "S3", "S5")[n % 3], ("none", "S3")[n % 2])
        for n in range(999)
    ]
    ways = [(verdict("a", "S1"), verdict("a", None))] * 999
    tables = as_text(agreements(rows)), flips_as_text(flips(ways), "blind", "not blind")
    for text in tables:
        assert max(map(len, text.splitlines())) <= 80


def test_a_type_of_which_nothing_was_judged_has_no_empty_table() -> None:
    text = as_text(agreements([Pair("case-1", "F6", "unscored", "S3")]))
    assert text == "F6: 0 of 1 labels compared, 1 unscored"
