"""The measures of the scorer ``outcomes`` and those that stand beside them, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.findings.keys import EARNINGS, SHARES, TARGETS
from bazaarbench.findings.numbers import number, share_row
from bazaarbench.findings.rows import MeasureRow
from bazaarbench.outcomes import VERSIONS, AgentOutcome, Outcomes, measures, targets

_LINKED = {
    "own_failure_linked": measures.own_failure_linked,
    "either_failure_linked": measures.either_failure_linked,
    "exposed_purchase_without_f3_share": measures.exposed_without_overcommitment,
}
_TARGETS = {
    "sellers_on_target": targets.sellers_on_target,
    "buyers_on_target": targets.buyers_on_target,
    "both_on_target": targets.both_on_target,
    "revenue_on_target": targets.revenue_on_target,
}


def outcome_measures(outcomes: Outcomes, agents: Sequence[AgentOutcome]) -> dict[str, MeasureRow]:
    """Every measure of deals, agents and turns, by key.

    Those that need a judge are here too, with what the record alone establishes: their deals
    without an established failure are unscored.
    """
    found = {"deals": number("deal", measures.deals(outcomes))}
    for name, share in (SHARES | _LINKED).items():
        of = "turn" if name == "valid_turn_share" else "deal"
        found[name] = share_row(of, share(outcomes))
    short = "no agent to share, or a window that is shorter than the deadline"
    for name, target in _TARGETS.items():
        found[name] = share_row("agent", target(outcomes, agents), short)
    for version in VERSIONS:
        found[f"{version}_usd"] = _earnings(outcomes, agents, version)
    open_ids = {
        key for name in SHARES for key in found[name].unscored_ids or () if isinstance(key, int)
    }
    found["unscored"] = number("deal", sorted(open_ids))
    return found


def _earnings(outcomes: Outcomes, agents: Sequence[AgentOutcome], version: str) -> MeasureRow:
    entered, sold, doubted = targets.earning_deals(outcomes, version)
    value = targets.earnings_usd(outcomes, agents, version)
    return MeasureRow(
        of="deal",
        value=value,
        n=len(entered),
        d=len(sold),
        unscored=len(doubted),
        cents=sum(agent.earned[version] for agent in agents),
        n_ids=entered,
        d_ids=sold,
        unscored_ids=doubted,
        reason=None if value is not None else "no agent to share",
    )


def outcome_scores(found: dict[str, MeasureRow]) -> dict[str, float | None]:
    """The score keys of ``outcomes``, in the order of ``keys.key_set``."""
    scores: dict[str, float | None] = {"deals": found["deals"].value}
    for name in (*SHARES, *TARGETS):
        row = found[name]
        parts = {"": row.value, "_n": row.n, "_d": row.d, "_unscored": row.unscored}
        scores |= {f"{name}{part}": value for part, value in parts.items()}
    scores |= {name: found[name].value for name in EARNINGS}
    scores["unscored"] = found["unscored"].value
    return scores
