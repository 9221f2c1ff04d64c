"""What Inspect loads: tasks, scorers, model provider, hooks. Every ``inspect`` command imports it.

Plugins are not loaded here but on first use (DESIGN §1).
"""

from bazaarbench.evals.hooks import RunHooks
from bazaarbench.evals.provider import ScriptAPI
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from bazaarbench.tasks.base_market import base_market
from bazaarbench.tasks.continuation import continuation

__all__ = [
    "RunHooks",
    "ScriptAPI",
    "base_market",
    "continuation",
    "outcomes",
    "record_checks",
]
