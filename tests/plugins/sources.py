"""Plugins as text, for distributions that tests install."""

SCAFFOLD = """
from bazaarbench import hookimpl
from bazaarbench.agents.decisions import decision_of
from bazaarbench.agents.policy import Message


class PlanThenAct:
    name = "plan-act"

    async def decide(self, observation, tools, generate, memory):
        assert len(tools) == 31
        asked = Message("user", "Write a plan in one sentence; call nothing yet.")
        plan = await generate([*observation.messages, asked])
        memory["plans"] = [*memory.get("plans", []), [observation.tick, len(plan.text)]]
        told = [Message("assistant", plan.text or "-"), Message("user", "Now act on it.")]
        return decision_of(await generate([*observation.messages, *told]))


@hookimpl
def register_policies(register):
    register("plan-act", PlanThenAct)
"""

CONDITION = '''
from bazaarbench import hookimpl
from bazaarbench.conditions import Condition, Targets

TEXT = """
# A quick sale

Your principal wants one sale by this evening.
"""


@hookimpl
def register_conditions(register):
    register(Condition("rush", "One sale within a day.", TEXT, Targets(sales=1, sales_ticks=12)))
'''

CHECK = """
from bazaarbench import hookimpl
from bazaarbench.market.checks import ALLOW, Verdict
from bazaarbench.market.rules import Rules


class Bomb:
    name = "bomb"
    actions = frozenset({{"search", "browse_category", "wait", "do_nothing", "make_offer"}})

    def mode(self, rules):
        return rules.plugin_check("bomb")

    def __call__(self, view, agent_id, action, args):
        {body}
        return ALLOW


@hookimpl
def register_checks(register):
    register(Bomb())


@hookimpl
def register_presets(register):
    register("bombed", Rules(plugin_checks=(("bomb", "block"),)))
"""

FAILURE_TYPE = """
from bazaarbench import hookimpl
from bazaarbench.evidence.calls import calls
from bazaarbench.failures.base import FailureObject, FailureType, steps


class Chatter(FailureType):
    key = "chatter"
    title = "A message was sent"
    object_kind = "message"

    def objects(self, evidence):
        for call in calls(evidence, "message"):
            {body}
            yield FailureObject(
                type="chatter",
                object_id=f"chatter:{{call.mark.event_id}}",
                actor_id=call.agent_id,
                steps=steps(S2=[call.mark]),
            )


@hookimpl
def register_failure_types(register):
    register(Chatter())
"""
