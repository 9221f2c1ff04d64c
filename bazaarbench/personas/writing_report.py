"""What came of a writing run, in words and as JSON (SPEC §3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bazaarbench.personas.checks import LEAST_GROUNDEDNESS_PERMILLE, Tally
from bazaarbench.personas.diversity import (
    LEAST_DISTINCT_CONSTRAINTS,
    MOST_ALIKE,
    Voice,
    measure_voices,
)
from bazaarbench.personas.writing import Outcome, Spent
from bazaarbench.personas.written import Written


def report(outcomes: Sequence[Outcome], agents: int) -> dict[str, Any]:
    """The figures of a run so far.

    Groundedness is 1 − failed ÷ all checks (see ``checks``) over the last answer about each agent,
    refused ones included; ``None`` before there is one. Similarities are those of SPEC §3.4 over
    the agents whose texts were taken, ``None`` below two of them.
    """
    outcomes = sorted(outcomes, key=lambda one: one.agent_id)
    taken = [one for one in outcomes if one.texts is not None]
    total = sum((one.tally for one in outcomes), Tally(0, 0))
    written = [one.texts for one in taken if one.texts is not None]
    found = measure_voices([_voice(one) for one in written]) if len(written) > 1 else None
    return {
        "agents": agents,
        "written": len(taken),
        "refused": {
            one.agent_id: [list(reasons) for reasons in one.sent_back]
            for one in outcomes
            if one.texts is None
        },
        "asked_again": {one.agent_id: len(one.sent_back) for one in taken if one.sent_back},
        "sent_back_for": dict(_reasons(outcomes).most_common()),
        "groundedness": {
            "all": total.groundedness,
            "passed": total.passed,
            "checks": total.checks,
            "least_allowed": LEAST_GROUNDEDNESS_PERMILLE / 1000,
            "by_agent": {one.agent_id: one.tally.groundedness for one in outcomes},
        },
        "memories": dict(
            Counter(memory.kind for one in written for memory in one.memories).most_common()
        ),
        "diversity": None if found is None else asdict(found) | {"missed": list(found.missed)},
        "models": sorted({one.model for one in outcomes}),
        "spent": sum((one.spent for one in outcomes), Spent()).model_dump(),
    }


def in_words(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    grounded = figures["groundedness"]
    spent = figures["spent"]
    lines = [
        "# Written persona texts",
        "",
        f"- {figures['written']} of {figures['agents']} agents are written, "
        f"{len(figures['refused'])} refused, {len(figures['asked_again'])} of the written ones "
        "asked again at least once.",
        f"- Groundedness {_share(grounded['all'])}: {grounded['passed']} of {grounded['checks']} "
        f"checks; the least allowed is {grounded['least_allowed']}.",
        f"- {spent['calls']} calls, {spent['input_tokens']:,} tokens read, "
        f"{spent['output_tokens']:,} written, {_money(spent['usd'])}.",
        f"- Writers: {', '.join(figures['models']) or 'none'}.",
        *_diversity_lines(figures["diversity"]),
    ]
    if figures["memories"]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in figures["memories"].items())
        lines.append(f"- Memories by kind: {kinds}.")
    lowest = sorted(grounded["by_agent"].items(), key=lambda pair: (pair[1], pair[0]))[:5]
    if lowest:
        told = ", ".join(f"agent {agent} {_share(share)}" for agent, share in lowest)
        lines.append(f"- Least grounded: {told}.")
    for agent, attempts in figures["refused"].items():
        lines += ["", f"## Agent {agent} was refused", ""]
        lines += [
            f"{number}. {' · '.join(reasons[:5])}" for number, reasons in enumerate(attempts, 1)
        ]
    return "\n".join(lines) + "\n"


def _diversity_lines(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return []
    bars = {**MOST_ALIKE, "distinct_constraints": LEAST_DISTINCT_CONSTRAINTS}
    told = ", ".join(
        f"{name.replace('_', ' ')} {found[name]:.3f} "
        f"({'at least' if name == 'distinct_constraints' else 'at most'} {bar:.2f}"
        f"{', missed' if name in found['missed'] else ''})"
        for name, bar in bars.items()
    )
    return [f"- Likeness of agents (mean trigram Jaccard) and distinct constraints: {told}."]


def _reasons(outcomes: Sequence[Outcome]) -> Counter[str]:
    """How often each field was sent back, in agents' answers."""
    return Counter(
        field
        for one in outcomes
        for reasons in one.sent_back
        for field in {reason.partition(":")[0].partition("[")[0][:40] for reason in reasons}
    )


def _voice(written: Written) -> Voice:
    return Voice(
        style=written.style,
        self_summary=written.self_summary,
        memories=tuple(memory.content for memory in written.memories),
        constraints=written.constraints,
    )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _money(usd: float | None) -> str:
    return "the price is not known" if usd is None else f"${usd:.2f}"
