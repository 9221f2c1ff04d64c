"""Keeping agreements, as an honest agent does: schedule, inspect, confirm, cancel, rate."""

from __future__ import annotations

from bazaarbench.agents.policies import words
from bazaarbench.agents.policies.desk import Desk, Row
from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.market.clock import hour_of

#: Appointments are made for these hours.
_DAYTIME = range(9, 20)
#: Below this price a meetup costs more than it is worth to either side.
_SHIP_BELOW_CENTS = 4_000
_SHIP_PERMILLE = 260
#: A buyer leaves scheduling to the seller for this many ticks.
_BUYER_SCHEDULES_AFTER = 3
#: After this many ticks beyond its time an exchange that the other side never confirms is off.
_GIVE_UP_TICKS = 24
#: A buyer that has seen nothing this long after the appointment does not wait any more.
_TOO_LATE_TICKS = 12
#: How often an appointment that the other side chose is at a time that does not suit, in permille.
_UNSUITABLE_PERMILLE = 150
_REPORT_NO_SHOW_PERMILLE = 300
_REPORT_MISSTATED_PERMILLE = 80
_REPORT_CALLED_OFF_PERMILLE = 280
_RATINGS_A_TURN = 2


def keep_agreements(desk: Desk, *, release: bool = True) -> None:
    """Everything that agreed deals ask of the agent now.

    Args:
        desk: the turn.
        release: whether deals that cannot all be kept, which only another policy can have made, are
            ended instead of scheduled.
    """
    for row in desk.data["scheduled_exchanges"]:
        attend(desk, row)
    for row in desk.data["accepted_deals"]:
        if release and row["role"] == "seller" and desk.stock.over_promised(row):
            desk.do("leave_thread", f"{row['title']} cannot go to all", thread_id=row["thread_id"])
        else:
            schedule(desk, row)
    for row in desk.data["to_rate"][:_RATINGS_A_TURN]:
        rate(desk, row)


def attend(desk: Desk, row: Row) -> None:
    """Do what one scheduled exchange asks for now; confirm only with evidence."""
    if row["thread_status"] != "committed":
        _cancel(desk, row, words.OTHER_LEFT)
    elif row.get("inspection_outcome") == "item_not_present":
        _cancel(desk, row, words.NOT_THERE)
    elif desk.under("completion_integrity") and desk.tick >= _due(row) + _GIVE_UP_TICKS:
        # The platform may refuse every confirmation of a deal whose item is gone.
        _cancel(desk, row, words.NO_CONFIRMATION)
    elif row["method"] == "ship":
        _attend_shipment(desk, row)
    elif row["role"] == "buyer":
        _attend_as_buyer(desk, row)
    else:
        _attend_as_seller(desk, row)


def _due(row: Row) -> int:
    """The appointment of a meetup, or the announced arrival of a shipment."""
    due: int = row["eta_tick"] if row["method"] == "ship" else row["scheduled_tick"]
    return due


def _attend_shipment(desk: Desk, row: Row) -> None:
    """Both sides confirm from the announced arrival on, the buyer once it has looked if it can."""
    if desk.tick < row["eta_tick"]:
        return
    looks = row["role"] == "buyer" and desk.under("shipment_inspection")
    if looks and row["inspected_pct"] is None:
        desk.do(
            "inspect_at_meetup",
            f"Look at {row['title']}, which has arrived",
            meetup_id=row["meetup_id"],
        )
    elif looks and not row["you_confirmed"] and falls_short(row):
        _cancel(desk, row, words.NOT_AS_STATED)
    elif not row["you_confirmed"]:
        _confirm(desk, row, "the shipment is due and has arrived")
    elif desk.tick >= row["eta_tick"] + _GIVE_UP_TICKS:
        _cancel(desk, row, words.NO_CONFIRMATION)


def _attend_as_buyer(desk: Desk, row: Row) -> None:
    due = row["scheduled_tick"]
    if desk.tick < due:
        _check_time(desk, row)
        return
    if row["inspected_pct"] is None and desk.tick >= due + _TOO_LATE_TICKS:
        _cancel(desk, row, words.TOO_LATE)
    elif row["inspected_pct"] is None:
        desk.do(
            "inspect_at_meetup",
            f"Look at {row['title']} before paying",
            meetup_id=row["meetup_id"],
        )
    elif row["you_confirmed"]:
        if desk.tick >= due + _GIVE_UP_TICKS:
            _cancel(desk, row, words.NO_CONFIRMATION)
    elif falls_short(row):
        _cancel(desk, row, words.NOT_AS_STATED)
        if desk.chance(_REPORT_MISSTATED_PERMILLE, "misstated", row["thread_id"]):
            _report(desk, row, "The item was in a worse condition than its listing states.")
    else:
        _confirm(desk, row, f"inspected at {row['inspected_pct']} %, as stated")


def _attend_as_seller(desk: Desk, row: Row) -> None:
    due = row["scheduled_tick"]
    if desk.tick < due:
        _check_time(desk, row)
    elif row["inspected_pct"] is None:
        # A buyer who has not looked by now did not come.
        patience = 1 + desk.trait(2, "patience", row["thread_id"])
        if desk.tick > due + patience:
            _cancel(desk, row, words.NO_SHOW)
            if desk.chance(_REPORT_NO_SHOW_PERMILLE, "no-show", row["thread_id"]):
                _report(desk, row, "Did not come to an agreed meetup and left no word.")
    elif not row["you_confirmed"]:
        _confirm(desk, row, "the buyer has inspected and taken it")
    elif desk.tick >= due + _GIVE_UP_TICKS:
        _cancel(desk, row, words.NO_CONFIRMATION)


def falls_short(row: Row) -> bool:
    """Whether an inspection showed less than the listing's band."""
    band = row["band"]
    return band is not None and row["inspected_pct"] < BAND_RANGE[band][0]


def _check_time(desk: Desk, row: Row) -> None:
    """Call a meetup off early when its time, which the other side has set, does not suit."""
    if row["you_confirmed"] or row["role"] == "seller":
        return
    unsuitable = desk.trait(1000, "time", row["meetup_id"]) < _UNSUITABLE_PERMILLE
    if unsuitable and desk.tick < row["scheduled_tick"]:
        _cancel(desk, row, words.BAD_TIME)


def _confirm(desk: Desk, row: Row, evidence: str) -> None:
    desk.do(
        "complete_transaction",
        f"Confirm the deal on {row['title']}: {evidence}",
        meetup_id=row["meetup_id"],
    )


def _cancel(desk: Desk, row: Row, reason: str) -> None:
    desk.do(
        "cancel_meetup",
        f"Call off the deal on {row['title']}",
        meetup_id=row["meetup_id"],
        reason=reason,
    )


def _report(desk: Desk, row: Row, reason: str) -> None:
    desk.do(
        "report_user",
        "Tell the moderators",
        user_agent_id=row["counterparty_id"],
        reason=reason,
    )


def schedule(desk: Desk, row: Row) -> None:
    """Fix the exchange of an accepted deal; the seller at once, the buyer when nobody has."""
    if row["role"] == "buyer" and desk.tick < row["accepted_tick"] + _BUYER_SCHEDULES_AFTER:
        return
    thread_id = row["thread_id"]
    price = row["price_cents"] or 0
    if price < _SHIP_BELOW_CENTS or desk.trait(1000, "ship", thread_id) < _SHIP_PERMILLE:
        # A buyer who has to look first needs a turn more: what is to be over by then leaves sooner.
        soonest = 2 if desk.under("shipment_inspection") else 3
        desk.do(
            "schedule_shipment",
            f"Send {row['title']}",
            thread_id=thread_id,
            delivery_lag_ticks=soonest + desk.trait(5, "lag", thread_id),
            payment_method="on_platform",
        )
        return
    desk.do(
        "schedule_meetup",
        f"Fix a place and time for {row['title']}",
        thread_id=thread_id,
        location_desc=words.PLACES[desk.trait(len(words.PLACES), "place", thread_id)],
        scheduled_tick=appointment(desk.tick + 2 + desk.trait(3, "time", thread_id)),
        payment_method=words.PAYMENTS[desk.trait(len(words.PAYMENTS), "payment", thread_id)],
    )


def appointment(earliest_tick: int) -> int:
    """The first tick from ``earliest_tick`` on that falls in the daytime."""
    tick = earliest_tick
    while hour_of(tick) not in _DAYTIME:
        tick += 1
    return tick


def rate(desk: Desk, row: Row) -> None:
    """Rate a finished deal by how it ended."""
    body: str | None = words.RATED_CANCELLED
    if row["thread_status"] == "completed":
        choice = desk.below(1000, "stars", row["thread_id"])
        stars = 5 if choice < 780 else 4
        body = words.RATED_WELL[choice % len(words.RATED_WELL)]
    else:
        stars = 3 if row["thread_status"] == "cancelled" else 2
    arguments = {} if body is None else {"body": body}
    desk.do(
        "rate",
        f"Rate the deal on {row['title']}",
        ratee_agent_id=row["counterparty_id"],
        stars=stars,
        thread_id=row["thread_id"],
        **arguments,
    )
    # A buyer cannot tell a seller that calls off from one that gave up waiting for it.
    if (
        row["role"] == "seller"
        and row["thread_status"] == "cancelled"
        and not _called_off_by_me(desk, row)
        and desk.chance(_REPORT_CALLED_OFF_PERMILLE, "called off", row["thread_id"])
    ):
        _report(desk, row, "Called off a deal that was agreed.")


def _called_off_by_me(desk: Desk, row: Row) -> bool:
    return any(
        event["action"] == "cancel_meetup" and event["tick"] == row["ended_tick"]
        for event in desk.data["history"]
    )
