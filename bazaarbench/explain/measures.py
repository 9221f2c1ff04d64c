"""What a number is made of: which deals, objects or agents stand where in it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence

from bazaarbench.errors import SettingError
from bazaarbench.explain.formulas import formula
from bazaarbench.explain.material import Material
from bazaarbench.explain.pages import Explanation, Line, Part
from bazaarbench.explain.rules import EXCLUDED
from bazaarbench.explain.words import deal_in_brief, dollars, ids, object_in_brief
from bazaarbench.findings import MeasureRow

#: How many of a set are told one by one; all ids are always named.
TOLD = 20
_SUFFIXES = ("_n", "_d", "_unscored")
_Ids = Sequence[int | str]


def explain_measure(material: Material, key: str) -> Explanation:
    """The rule of a number, its parts, and what is in numerator, denominator and unscored set.

    Args:
        material: the record and its findings.
        key: a score key, or a measure of the findings; of ``completion_n`` its whole share.

    Raises:
        SettingError: there is no such number.
    """
    name = _named(material, key)
    row = material.measures[name]
    says = formula(material.found, name)
    return Explanation(
        title=f"{name} = {_value(name, row)}",
        parts=(
            material.origin(),
            Part("What it is", (Line(says.says, where=says.where), *_bounds(row))),
            *_sets(material, name, row),
        ),
        rows={"measure": row.model_dump(mode="json")},
    )


def _named(material: Material, key: str) -> str:
    if key in material.measures:
        return key
    for suffix in _SUFFIXES:
        if key.endswith(suffix) and key.removesuffix(suffix) in material.measures:
            return key.removesuffix(suffix)
    kind = material.found.types.get(key.rsplit("_", 1)[0])
    if kind is not None and kind.decided_by == "judge":
        raise SettingError(
            f"{key} is a judge's number: {kind.key} ({kind.title.lower()}) is not decided by the "
            "record. What the judge said stands beside the record, in .judge.json, and in the "
            "log's score rubric_judge."
        )
    near = difflib.get_close_matches(key, material.measures, 5, 0.5)
    allowed = ", ".join(near or sorted(material.measures))
    raise SettingError(f"there is no measure {key!r}. Close to it, or all there are: {allowed}.")


def _value(key: str, row: MeasureRow) -> str:
    if row.value is None:
        return f"undefined ({row.reason})"
    if key.endswith("_usd"):
        return f"{dollars(100 * row.value)} per measured agent and week"
    if row.d is None:
        return f"{row.value:g}"
    return f"{100 * row.value:.2f} % ({row.n} of {row.d})"


def _bounds(row: MeasureRow) -> Iterator[Line]:
    if row.cents is not None:
        yield Line(f"Sum over all measured agents: {dollars(row.cents)}, of {row.n} sales.")
    elif row.unscored and row.d and row.n is not None:
        high = (row.n + row.unscored) / row.d
        yield Line(
            f"{row.unscored} of the {row.d} could not be decided: the share lies between "
            f"{100 * row.n / row.d:.2f} % and {100 * high:.2f} %.",
            where="§9.4",
        )


def _sets(material: Material, key: str, row: MeasureRow) -> Iterator[Part]:
    if row.n_ids is None:
        kept = "The table turns of the record has them." if row.of == "turn" else ""
        yield Part(f"Members ({row.of}s)", (Line(f"No ids are kept. {kept}"),))
        return
    tell = _teller(material, key, row)
    if row.d_ids is None:
        yield _set("Counted", row, row.n_ids, tell)
        return
    doubted = row.unscored_ids or ()
    others = {*row.n_ids, *doubted}
    name = "In the sum" if row.cents is not None else "Numerator"
    yield _set(name, row, row.n_ids, tell)
    rest = [one for one in row.d_ids if one not in others]
    yield _set("Left out" if row.cents is not None else "Denominator alone", row, rest, tell)
    yield _set("Unscored", row, doubted, tell)


def _set(title: str, row: MeasureRow, members: _Ids, tell: Callable[[int | str], str]) -> Part:
    lines = [Line(f"{row.of}s {ids(members)}" if members else "none")]
    lines += [Line(tell(one)) for one in members[:TOLD] if row.of in ("deal", "object", "agent")]
    if lines[1:] and len(members) > TOLD:
        lines.append(Line(f"and {len(members) - TOLD} more"))
    return Part(f"{title}: {len(members)}", tuple(lines))


def _teller(material: Material, key: str, row: MeasureRow) -> Callable[[int | str], str]:
    """How one member is told."""
    agents = {one.agent: one for one in material.found.agents}

    def tell(member: int | str) -> str:
        if row.of == "object" and member in material.objects:
            return object_in_brief(material.objects[str(member)])
        if row.of == "agent" and isinstance(member, int) and member in agents:
            one = agents[member]
            return (
                f"agent {member}: {one.sales} sales for {dollars(one.revenue_cents)}, "
                f"{one.purchases} purchases in the time of the targets"
            )
        if row.of != "deal" or not isinstance(member, int) or member not in material.deals:
            return f"{row.of} {member}"
        return f"{deal_in_brief(material.deals[member])}{_more(material, key, member)}"

    return tell


def _more(material: Material, key: str, thread: int) -> str:
    """What a measure looks at beside what is said of every deal."""
    deal = material.deals[thread]
    if key.endswith("_usd") and deal.sale is not None:
        cents = deal.sale.cents[key.removesuffix("_usd")]
        if cents is not None:
            return f": {dollars(cents)}"
        why = deal.sale.excluded
        return f": left out, {EXCLUDED[why].says}" if why is not None else ": not of this part"
    if key == "price_ok_share" and deal.price is not None and deal.price.listings:
        mean = deal.price.sum_cents / deal.price.listings
        return f": {dollars(deal.price_cents or 0)}, the others' mean is {dollars(mean)}"
    return ""
