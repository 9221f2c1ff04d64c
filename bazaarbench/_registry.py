"""What Inspect loads: tasks, scorers, model provider. Every ``inspect`` command imports it.

Plugins are not loaded here but on first use (DESIGN §1), and our hook is registered when a task is
made: Inspect greets every command with a line about the hooks that it finds here.
"""

from inspect_ai.model import ModelAPI, modelapi

from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from bazaarbench.scorers.rubric_judge import rubric_judge
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.continuation import continuation
from bazaarbench.tasks.write_personas import write_personas

__all__ = [
    "base_market",
    "bazaarbench",
    "continuation",
    "outcomes",
    "record_checks",
    "rubric_judge",
    "write_personas",
]


@modelapi(name="bazaarbench")
def bazaarbench() -> type[ModelAPI]:
    """The provider of ``--model bazaarbench/<policy>``."""
    from bazaarbench.evals.provider import ScriptAPI

    return ScriptAPI
