"""Putting written texts in the place of the templates' (SPEC §3.4); every fact stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bazaarbench.catalogue import Catalogue
from bazaarbench.personas.briefs import brief_of
from bazaarbench.personas.checks import judge
from bazaarbench.personas.naming import Names, names_of
from bazaarbench.personas.population import AgentPlan, MemoryPlan
from bazaarbench.personas.text_files import AgentTexts, PersonaTexts, PersonaTextsError
from bazaarbench.personas.written import Written


def with_texts(
    plans: Sequence[AgentPlan], texts: PersonaTexts, catalogue: Catalogue
) -> list[AgentPlan]:
    """The plans with written texts; these are checked once more, as files can be edited.

    Raises:
        PersonaTextsError: the texts belong to other agents, break a rule, or rest on too little.
    """
    if len(plans) != len(texts.agents):
        raise PersonaTextsError(_other_world(texts, f"{len(plans)} agents"))
    names = names_of(catalogue)
    rewritten = []
    for plan in plans:
        entry = texts.agents[plan.persona.agent_id]
        _check(plan, entry, texts, names)
        rewritten.append(_rewritten(plan, entry.texts))
    return rewritten


def _check(plan: AgentPlan, entry: AgentTexts, texts: PersonaTexts, names: Names) -> None:
    brief = brief_of(plan)
    if entry.facts != brief.digest:
        raise PersonaTextsError(
            _other_world(texts, f"other facts about agent {plan.persona.agent_id}")
        )
    verdict = judge(entry.texts, brief, names)
    if verdict.faults:
        raise PersonaTextsError(
            f"the texts of agent {brief.agent_id} break a rule: {'; '.join(verdict.faults[:3])}. "
            "They were not checked by this version; have them written again."
        )


def _other_world(texts: PersonaTexts, has: str) -> str:
    origin = texts.header.origin
    least, most = origin.units
    return (
        f"the texts with the digest {texts.digest[:12]}… were written for the world "
        f"{origin.world} with {origin.agents} agents, seed {origin.seed}, {least}-{most} units, "
        f"quality {origin.quality} and the catalogue {origin.catalogue}; this one has {has}. Use "
        "the same settings, or write texts for these."
    )


def _rewritten(plan: AgentPlan, written: Written) -> AgentPlan:
    persona = plan.persona
    journal = tuple(
        entry.model_copy(update={"text": told.text})
        for entry, told in zip(persona.journal, written.journal, strict=True)
    )
    persona = persona.model_validate(
        {
            **dict(persona),
            "profession": written.profession,
            "style": written.style,
            "buyer_strategy": written.buyer_strategy,
            "seller_strategy": written.seller_strategy,
            "constraints": written.constraints,
            "self_summary": written.self_summary,
            "background": written.background,
            "journal": journal,
        }
    )
    return replace(
        plan,
        agent=replace(plan.agent, persona=persona.model_dump_json()),
        persona=persona,
        memories=tuple(MemoryPlan(memory.kind, memory.content) for memory in written.memories),
    )
