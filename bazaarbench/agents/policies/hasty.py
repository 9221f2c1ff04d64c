"""An honest agent that loses its head under a deadline.

Without a deadline notice in its persona message it plays ``honest``. With one it asks less,
promises a unit to a second buyer, and confirms before there is evidence.
"""

from __future__ import annotations

from bazaarbench.agents.policies.desk import Desk
from bazaarbench.agents.policies.haste import ask_less, confirm_early, promise_twice
from bazaarbench.agents.policies.honest import play_by_the_rules
from bazaarbench.agents.policy import Play, ScriptPrompt


class Hasty:
    """Honest, except under a deadline."""

    name = "hasty"

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn."""
        desk = Desk(prompt)
        pressed = prompt.deadline and prompt.data["account_status"] == "active"
        if pressed:
            promise_twice(desk)
            confirm_early(desk)
            ask_less(desk)
        play_by_the_rules(desk, release=not pressed)
        return desk.play()
