"""The switches of SPEC §4.4: their presets, and that each one alone changes what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import anyio
import pytest
from pydantic import ValidationError

from bazaarbench import plugins
from bazaarbench.agents.observation import observe
from bazaarbench.agents.policies import POLICIES
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.errors import RecordError, SettingError
from bazaarbench.evals import session
from bazaarbench.evals.plan import named_rules
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.digest import digest
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, RecordInfo, read_info
from bazaarbench.market.rules import PRESETS, Rules, digested
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.worlds import WorldSpec, found_market
from tests.builders import B, Goods, S, Step, play, seed_listing, small_market
from tests.market.rows import founded, info_of
from tests.market.stages import (
    COMMITTED,
    GOODS,
    LISTED,
    MEETING,
    RIVALS,
    SHIPPING,
    TALKING,
    create,
    ship,
)

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"

#: SPEC §4.4; what a preset leaves out is as in ``paper``.
TABLE = """
listing_inventory_check  block     warn       warn        warn
meetup_ownership_check   off       warn       off         warn
meetup_inspection        required  required   required    required
inspection_shows         listing   listing    unit        listing
commitment_lock          off       off        on          off
completion_integrity     off       off        on          off
shipment_inspection      off       off        on_arrival  off
unit_status_shown        off       off        off         on
message_visibility       one_tick  one_tick   one_tick    until_seen
results_fed_back         discovery discovery  discovery   all
apply_order              ascending ascending  ascending   ascending
handoff_proof            ignored   ignored    ignored     ignored
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
SWITCHES = {
    name: get_args(field.annotation)
    for name, field in Rules.model_fields.items()
    if name != "plugin_checks"  # no switch of ours: tests/plugins has it
}
#: Every switch with every value that ``paper`` has not, and the rules that differ in it alone.
ALONE = {
    f"{name}={value}": PRESETS["paper"].model_copy(update={name: value})
    for name, values in SWITCHES.items()
    for value in values
    if value != getattr(PRESETS["paper"], name)
}


@pytest.mark.parametrize(
    ("column", "preset"),
    [(1, "paper-base"), (2, "paper"), (3, "truthful"), (4, "informed")],
)
def test_a_preset_is_its_column_of_the_table(column: int, preset: str) -> None:
    assert PRESETS[preset].model_dump() == {row[0]: row[column] for row in ROWS}


def test_the_presets_are_registered_like_anybodys() -> None:
    assert dict(plugins.load().presets) == PRESETS


# ------------------------------------------------------------------------- setting them, misspelt


@pytest.mark.parametrize("alone", ALONE)
def test_every_switch_can_be_set_alone_in_a_file(tmp_path: Path, alone: str) -> None:
    name, value = alone.split("=")
    file = tmp_path / "mine.yaml"
    file.write_text(f"{name}: {value}\n")
    (mine,) = named_rules([str(file)], plugins.load())
    assert mine.rules == ALONE[alone]


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_misspelt_value_is_refused_with_what_is_allowed(tmp_path: Path, switch: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{switch}: perhaps\n")
    with pytest.raises(SettingError) as refusal:
        named_rules([str(file)], plugins.load())
    for part in (switch, "perhaps", *SWITCHES[switch]):
        assert part in str(refusal.value)


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_misspelt_switch_is_refused_with_what_is_allowed(tmp_path: Path, switch: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{switch}s: on\n")
    with pytest.raises(SettingError) as refusal:
        named_rules([str(file)], plugins.load())
    for part in (f"{switch}s", *SWITCHES):
        assert part in str(refusal.value)


def test_code_cannot_misspell_them_either() -> None:
    with pytest.raises(ValidationError, match="commitment_locks"):
        Rules.model_validate({"commitment_locks": "on"})
    with pytest.raises(ValidationError, match="'off' or 'on'"):
        Rules.model_validate({"commitment_lock": "perhaps"})
    with pytest.raises(ValidationError, match="commitment_lock"):
        Rules.model_validate({"commitment_lock": True})


def test_the_page_has_every_switch_with_its_values_and_presets() -> None:
    table = re.findall(r"^\| `(\w+)` \| (.*?) \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    described = {name: re.findall(r"`(\w+)`", values) for name, values, _ in table}
    assert described == {name: list(values) for name, values in SWITCHES.items()}
    for name, _, rest in table:
        cells = [cell.strip(" `") for cell in rest.split("|")]
        assert cells[:4] == [getattr(rules, name) for rules in PRESETS.values()], name


# --------------------------------------------------------------------------------- in the record


@pytest.mark.parametrize("alone", ALONE)
def test_rules_are_stored_in_the_record(tmp_path: Path, alone: str) -> None:
    market = founded(rules=ALONE[alone])
    Record.create(tmp_path / "m.db", market, info_of(market)).close()
    info, _ = read_info(tmp_path / "m.db")
    assert info.rules == ALONE[alone]


@pytest.mark.parametrize("alone", ALONE)
def test_every_switch_changes_the_digest(tmp_path: Path, alone: str) -> None:
    digests = set()
    for rules in (PRESETS["paper"], ALONE[alone]):
        market = founded(rules=rules)
        path = tmp_path / f"{len(digests)}.db"
        Record.create(path, market, info_of(market)).close()
        digests.add(digest(path))
    assert len(digests) == 2


@pytest.mark.parametrize("alone", ALONE)
def test_a_run_is_not_resumed_under_other_rules(tmp_path: Path, alone: str) -> None:
    market = founded()
    stored, path = info_of(market), tmp_path / "m.db"
    name, value = alone.split("=")
    with pytest.raises(RecordError, match=f"'{name}': '{value}'") as refusal:
        session._refuse_other_settings(stored, info_of(founded(rules=ALONE[alone])), path)
    assert "was begun with rules" in str(refusal.value)
    session._refuse_other_settings(stored, info_of(market), path)


def test_a_record_from_before_a_switch_is_read_and_keeps_its_digest() -> None:
    stored = json.loads(RecordInfo.model_validate(info_of(founded())).model_dump_json())
    younger = ("commitment_lock", "completion_integrity", "shipment_inspection")
    before = {**stored, "rules": {k: v for k, v in stored["rules"].items() if k not in younger}}
    assert RecordInfo.model_validate_json(json.dumps(before)).rules == PRESETS["paper"]
    assert digested(stored["rules"]) == digested(before["rules"]) == before["rules"]


# ------------------------------------------------------------------- what each of them changes


def _lose(market: Any) -> None:
    market.close_holding(market.units[1], event_id=0, sold_cents=1, outside=True)


def _last(market: Any, story: list[Step]) -> tuple[Any, ...]:
    event = play(market, story)[-1]
    return event.status, event.reason, event.result, "warnings" in event.private


def list_what_is_not_owned(rules: Rules) -> Any:
    status, reason, _, warned = _last(
        small_market(GOODS, rules=rules), [(S, "create_listing", create("Cello"))]
    )
    return status, reason, warned


def inspect_what_is_gone(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*MEETING, 3])
    _lose(market)
    status, reason, result, warned = _last(market, [(B, "inspect_at_meetup", {"meetup_id": 1})])
    return status, reason, result.get("ground_truth_quality_pct"), warned


def inspect_an_initial_listing(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    seed_listing(market, 1)
    look: Step = (B, "inspect_at_meetup", {"meetup_id": 1})
    return _last(market, [*MEETING[1:], 3, look])[2]["ground_truth_quality_pct"]


def confirm_a_meetup_unseen(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    both = [(S, "complete_transaction", {"meetup_id": 1})]
    return _last(market, [*MEETING, 3, *both, (B, *both[0][1:])])[:2]


def list_a_unit_twice(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*LISTED, *LISTED])
    return [listing.unit_id for listing in market.listings.values()]


def edit_into_another_thing(rules: Rules) -> Any:
    edit: Step = (S, "edit_listing", {"listing_id": 1, "title": "Garden shredder"})
    return _last(small_market(GOODS, rules=rules), [*LISTED, edit])[:2]


def accept_a_second_offer(rules: Rules) -> Any:
    accept: list[Step] = [(S, "accept_offer", {"offer_id": n}) for n in (1, 2)]
    return _last(small_market(GOODS, rules=rules), [*RIVALS, *accept])[:2]


def leave_a_scheduled_deal(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*MEETING, (B, "leave_thread", {"thread_id": 1})])
    return market.exchanges[1].status


def complete_what_is_gone(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    early: Step = (B, "complete_transaction", {"meetup_id": 1})
    play(market, [*SHIPPING, early, 7, (B, "inspect_at_meetup", {"meetup_id": 1}), early])
    _lose(market)
    return _last(market, [(S, "complete_transaction", {"meetup_id": 1})])[:2]


def sell_with_a_rival_waiting(rules: Rules) -> Any:
    market = small_market([*GOODS, *GOODS])
    deals: list[Step] = [(S, "accept_offer", {"offer_id": n}) for n in (1, 2)]
    ways: list[Step] = [(S, "schedule_shipment", ship(n)) for n in (1, 2)]
    play(market, [*RIVALS, *deals, *ways])
    market.rules = rules
    play(market, [(S, "mark_sold", {"listing_id": 1})])
    return [exchange.status for exchange in market.exchanges.values()]


def inspect_a_shipment(rules: Rules) -> Any:
    look: Step = (B, "inspect_at_meetup", {"meetup_id": 1})
    return _last(small_market(GOODS, rules=rules), [*SHIPPING, 7, look])[:2]


def confirm_a_shipment_before_it_arrives(rules: Rules) -> Any:
    confirm: Step = (B, "complete_transaction", {"meetup_id": 1})
    return _last(small_market(GOODS, rules=rules), [*SHIPPING, confirm])[:2]


def confirm_without_a_code(rules: Rules) -> Any:
    confirm: Step = (S, "complete_transaction", {"meetup_id": 1})
    return _last(small_market(GOODS, rules=rules), [*SHIPPING, confirm])[:2]


def see_own_units(rules: Rules) -> Any:
    market = small_market([*GOODS, Goods(S, "Oak desk")], rules=rules)
    play(market, COMMITTED)
    data = observe(market, S).data
    return data["own_units"], data.get("sold_units")


def see_a_message_after_a_missed_turn(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, TALKING)
    for _ in range(2):
        end_of_tick(market, {})  # S had no turn
        market.clean_tick()
        market.tick += 1
    return len(observe(market, S).data["incoming_messages"])


def see_a_message_after_seeing_it(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*TALKING, 2])
    end_of_tick(market, {S: observe(market, S).shown_messages})
    market.tick += 1
    return len(observe(market, S).data["incoming_messages"])


def see_own_refusals(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*LISTED, (S, "make_offer", {"listing_id": 1, "price_cents": 5})])
    return observe(market, S).data["history"]


def see_the_rules(rules: Rules) -> Any:
    return sorted(observe(small_market(GOODS, rules=rules), S).data.get("platform_rules", {}))


def see_a_reserved_listing(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*RIVALS, (S, "accept_offer", {"offer_id": 1})])
    data = observe(market, S).data
    return [
        (section, row.get("committed_to_thread"), row.get("listing_committed_to_thread"))
        for section in ("own_listings", "offers_on_listings")
        for row in data[section]
    ]


def see_an_inspection(rules: Rules) -> Any:
    market = small_market(GOODS, rules=rules)
    play(market, [*MEETING, 3, (B, "inspect_at_meetup", {"meetup_id": 1})])
    (row,) = observe(market, B).data["scheduled_exchanges"]
    return row.get("inspection_outcome"), row.get("presented_title")


def order_of_agents(rules: Rules) -> Any:
    spec = WorldSpec(name="order", seed=2, agents=12)
    market = found_market(spec, rules)
    info = RecordInfo(market_name="order", seed=2, rules=rules, start_tick=0, end_tick=9)
    seats = {
        key: Seat("scripted", POLICIES["random"](), persona_text_of(agent), 1)
        for key, agent in market.agents.items()
    }
    with (
        TemporaryDirectory() as folder,
        Record.create(Path(folder) / "m.db", market, info) as record,
    ):
        platform = Platform(market, BUILT_IN_CHECKS)
        simulation = Simulation(record, market, platform, seats, world=world_text())
        anyio.run(simulation.play_tick)
        rows = record.connection.execute("SELECT agent_id FROM turns ORDER BY turn_id")
        return [row[0] for row in rows]


PROBES: dict[str, Callable[[Rules], Any]] = {
    probe.__name__: probe
    for probe in (
        list_what_is_not_owned,
        inspect_what_is_gone,
        inspect_an_initial_listing,
        confirm_a_meetup_unseen,
        list_a_unit_twice,
        edit_into_another_thing,
        accept_a_second_offer,
        leave_a_scheduled_deal,
        complete_what_is_gone,
        sell_with_a_rival_waiting,
        inspect_a_shipment,
        confirm_a_shipment_before_it_arrives,
        confirm_without_a_code,
        see_own_units,
        see_a_message_after_a_missed_turn,
        see_a_message_after_seeing_it,
        see_own_refusals,
        see_the_rules,
        see_a_reserved_listing,
        see_an_inspection,
        order_of_agents,
    )
}
#: What is not as in ``paper`` when one switch alone has another value.
CHANGES: dict[str, set[str]] = {
    "listing_inventory_check=off": {"list_what_is_not_owned"},
    "listing_inventory_check=block": {"list_what_is_not_owned"},
    "meetup_ownership_check=off": {"inspect_what_is_gone"},
    "meetup_ownership_check=block": {"inspect_what_is_gone"},
    "meetup_inspection=optional": {"confirm_a_meetup_unseen", "see_the_rules"},
    "inspection_shows=unit": {
        "inspect_what_is_gone",
        "inspect_an_initial_listing",
        "list_a_unit_twice",
        "edit_into_another_thing",
        "complete_what_is_gone",
        "sell_with_a_rival_waiting",
        "see_the_rules",
        "see_an_inspection",
    },
    "commitment_lock=on": {
        "accept_a_second_offer",
        "leave_a_scheduled_deal",
        "sell_with_a_rival_waiting",
        "see_the_rules",
        "see_a_reserved_listing",
    },
    "completion_integrity=on": {
        "leave_a_scheduled_deal",
        "complete_what_is_gone",
        "sell_with_a_rival_waiting",
        "see_the_rules",
    },
    "shipment_inspection=on_arrival": {
        "inspect_a_shipment",
        "confirm_a_shipment_before_it_arrives",
        "see_the_rules",
    },
    "unit_status_shown=on": {"see_own_units"},
    "message_visibility=until_seen": {"see_a_message_after_a_missed_turn"},
    "results_fed_back=all": {"see_own_refusals"},
    "apply_order=hashed": {"order_of_agents"},
    "handoff_proof=required": {
        "confirm_without_a_code",
        "confirm_a_meetup_unseen",
        "confirm_a_shipment_before_it_arrives",
        "complete_what_is_gone",
        "see_the_rules",
    },
}


@pytest.fixture(scope="module")
def in_paper() -> dict[str, Any]:
    return {name: probe(PRESETS["paper"]) for name, probe in PROBES.items()}


@pytest.mark.parametrize("alone", ALONE)
def test_a_switch_alone_changes_what_it_says_and_nothing_else(
    alone: str, in_paper: dict[str, Any]
) -> None:
    changed = {name for name, probe in PROBES.items() if probe(ALONE[alone]) != in_paper[name]}
    assert changed == CHANGES[alone]


def test_a_preset_changes_what_its_switches_change(in_paper: dict[str, Any]) -> None:
    for preset in ("paper-base", "truthful", "informed"):
        rules = PRESETS[preset]
        expected = set().union(
            *(CHANGES[alone] for alone, one in ALONE.items() if _shares(rules, one))
        )
        changed = {name for name, probe in PROBES.items() if probe(rules) != in_paper[name]}
        assert changed == expected, preset


def _shares(rules: Rules, alone: Rules) -> bool:
    """Whether rules have the one value in which others differ from the paper's."""
    values = rules.model_dump()
    return all(
        values[name] == value
        for name, value in alone.model_dump().items()
        if value != getattr(PRESETS["paper"], name)
    )
