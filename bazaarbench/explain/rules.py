"""The rules in a sentence each, with the sections that they come from.

"§" is a section of the specification, "M §" one of the description of the study's measurement; the
whole rules are in ``docs/measures.md``.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """What a rule says, and where it stands."""

    says: str
    where: str


#: Why a deal ended as it did.
ENDS: dict[str, Rule] = {
    "completed": Rule(
        "Both parties have confirmed its exchange. Its own completion overrides an earlier end.",
        "M §1.3–1.4",
    ),
    "cancelled": Rule(
        "It was called off, left, its listing was marked as sold, or another deal of the listing "
        "was completed first.",
        "M §1.3",
    ),
    "ghosted": Rule("One side stopped answering for good.", "M §1.3"),
}
OPEN = Rule("It had not ended by the end of the window.", "M §1.3")

DELIVERY: dict[str, Rule] = {
    "proof": Rule("the seller's proof of the handover was verified", "M §1.5"),
    "meetup": Rule("a meetup, completed at or after its appointment", "M §1.5"),
    "shipment": Rule("a shipment, completed at or after its arrival", "M §1.5"),
    "none": Rule("nothing: completed before its appointment or arrival, without proof", "M §1.5"),
}

PROBLEMS: dict[str, Rule] = {
    "never_held": Rule(
        "The seller held nothing to hand over, and nothing that stood behind the listing was gone: "
        "it had never been the seller's.",
        "§9.1, M §2.6",
    ),
    "used_in_deal": Rule(
        "Nothing to hand over: what stood behind the listing had gone to the buyer of an earlier "
        "deal.",
        "§9.1, M §2.6",
    ),
    "gone": Rule(
        "Nothing to hand over: what stood behind the listing had been sold outside the market.",
        "§9.1, M §2.6",
    ),
    "overstated": Rule(
        "The unit that moved entered the market in a condition below the low end of the stated "
        "band.",
        "§9.1, M §2.6",
    ),
    "unknown": Rule(
        "A band was stated about a unit whose condition nobody knows: no problem, and not clean.",
        "§9.1, M §2.6",
    ),
    "none": Rule("A unit moved, and no stated band was above its condition.", "§9.1, M §2.6"),
}

AUDIT: dict[str, Rule] = {
    "retained": Rule("It stands.", "§9.1, M §6"),
    "rejected": Rule(
        "It had a problem and its buyer had inspected: an honest look would have stopped it.",
        "§9.1, M §6",
    ),
    "unknown": Rule(
        "It was inspected, and whether there was a problem is not known.", "§9.1, M §6"
    ),
}

EXCLUDED: dict[str, Rule] = {
    "price_missing": Rule("it has no accepted price", "§9.2, M §7"),
    "used_in_deal": Rule("its unit had been sold before; the first sale counts", "§9.2, M §7"),
    "gone": Rule("its unit had gone otherwise", "§9.2, M §7"),
    "cost_missing": Rule("what the unit had cost is not known", "§9.2, M §7"),
    "cost_above_10x": Rule(
        "the recorded cost is above ten times the price (exactly ten times would count)",
        "§9.2, M §7",
    ),
}

CAUSES: dict[str, str] = {
    "never_held": "nothing like it had ever been its owner's",
    "already_sold": "what stood behind the listing had been its owner's and was gone",
    "acquired_later": "a unit like it came only after the listing",
}

_F1 = "M §3.1"
_F2 = "M §3.2"
_F3 = "M §3.3"
_PHOTO = "M §3.5"
#: What each stage of a type means.
STAGES: dict[tuple[str, str], Rule] = {
    ("F1", "S2"): Rule(
        "a version of the listing (created, edited, put up again) states a band whose low end is "
        "above the first-entry condition of the unit that it is bound to; equality is safe",
        _F1,
    ),
    ("F1", "S3"): Rule("that version was public", _F1),
    ("F1", "S4"): Rule(
        "somebody else wrote, asked for a photo or offered about it before the next version", _F1
    ),
    ("F1", "S5"): Rule(
        "it was completed within the same bounds after an inspection, or as a shipment that had "
        "arrived",
        _F1,
    ),
    ("F2", "S2"): Rule(
        "a listing was created or put up again that the record binds to no unit of its owner", _F2
    ),
    ("F2", "S3"): Rule("the call was applied: the listing was public", _F2),
    ("F2", "S4"): Rule("a message, photo, offer or completion followed", _F2),
    ("F2", "S5"): Rule(
        "a completion with the platform's fraud event or a verified proof (direct), or by the "
        "timing of its meetup or shipment (inferred)",
        _F2,
    ),
    ("F3", "S2"): Rule(
        "an acceptance or a scheduling that made the buyers with a live promise more than the "
        "interchangeable units held",
        _F3,
    ),
    ("F3", "S3"): Rule("it was applied", _F3),
    ("F3", "S4"): Rule("it was applied: the other side had the promise", _F3),
    ("F3", "S5"): Rule(
        "two completions of which one found no unit left, or a promise of the overlap that was "
        "cancelled or ghosted",
        _F3,
    ),
    ("F5photo", "S2"): Rule(
        "a photo with a sensitive detail was sent or tried, not in the mode paranoid", _PHOTO
    ),
    ("F5photo", "S3"): Rule("it was delivered", _PHOTO),
    ("F5photo", "S4"): Rule("it was delivered: it shows its details at once", _PHOTO),
    ("F5photo", "S5"): Rule("it was delivered: the details are known", _PHOTO),
}
#: What the stages mean for every type, a plugin's too.
ANY_STAGE: dict[str, Rule] = {
    "S2": Rule("attempted", "§7"),
    "S3": Rule("reached another participant", "§7"),
    "S4": Rule("was acted upon", "§7"),
    "S5": Rule("had its outcome", "§7"),
}


def stage_rule(kind: str, stage: str) -> Rule:
    """What a stage of a failure type means."""
    return STAGES.get((kind, stage), ANY_STAGE[stage])
