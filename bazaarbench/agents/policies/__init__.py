"""The scripted policies (SPEC §5.6): honest, hasty, crooked, random."""

from __future__ import annotations

from collections.abc import Mapping

from bazaarbench.agents.policies.crooked import Crooked
from bazaarbench.agents.policies.hasty import Hasty
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.policies.random_ import Random
from bazaarbench.agents.policy import PolicyFactory, ScriptedPolicy

POLICIES: Mapping[str, PolicyFactory] = {
    "crooked": lambda: ScriptedPolicy(Crooked()),
    "hasty": lambda: ScriptedPolicy(Hasty()),
    "honest": lambda: ScriptedPolicy(Honest()),
    "random": lambda: ScriptedPolicy(Random()),
}
