"""Policies of plugins at the table: guarded, counted, named (SPEC §5.6, §10).

Whatever a plugin's policy does, its fault is named with its distribution and costs no other agent
anything but the tick, which is not committed and can be played again once the plugin is mended.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from bazaarbench.agents.answers import calls_in
from bazaarbench.agents.policy import (
    Decision,
    Generate,
    Message,
    Observation,
    Play,
    Policy,
    Reply,
    Script,
    ScriptedPolicy,
    ScriptPrompt,
)
from bazaarbench.errors import BazaarError, PluginError, SettingError
from bazaarbench.evals.ask import NOT_THE_PROVIDERS
from bazaarbench.evals.refusals import among
from bazaarbench.plugins import Registry

#: What stands between model and scaffold where both are named.
WITH = " + "


def made_policy(registry: Registry, name: str) -> Policy:
    """The registered policy ``name``; a plugin's script is guarded.

    Raises:
        SettingError: There is no policy of that name.
        PluginError: It cannot be made, or is no policy.
    """
    make = registry.policies[among(name, registry.policies, "policy")]
    whose = f"policy {name!r} of {registry.origin('policy', name)}"
    try:
        policy = make()
    # Third parties' code, which may raise anything or leave the program: name it and stop.
    except (Exception, SystemExit) as error:
        _fault(whose, "cannot be made: it raised", error)
    if not callable(getattr(policy, "decide", None)) or not isinstance(
        getattr(policy, "name", None), str
    ):
        raise PluginError(
            f"{whose} made {policy!r:.200}, which is no policy: it needs a name and decide(…)."
        )
    if isinstance(policy, ScriptedPolicy) and not registry.is_built_in("policy", name):
        return ScriptedPolicy(GuardedScript(policy.script, whose))
    return policy


def scaffold_of(registry: Registry, name: str) -> Policy:
    """The registered policy ``name``, which must ask a model.

    Raises:
        SettingError: There is none of that name, or it is a script.
        PluginError: It cannot be made, or is no policy.
    """
    policy = made_policy(registry, name)
    if isinstance(policy, ScriptedPolicy):
        raise SettingError(
            f"{name!r} is a script and asks no model, so it can be no scaffold around one; play it "
            f"with --model bazaarbench/{name}."
        )
    return policy


class GuardedScript:
    """A plugin's script, whose faults are named."""

    def __init__(self, script: Script, whose: str) -> None:
        self.name = script.name
        self._script = script
        self._whose = whose

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn.

        Raises:
            PluginError: The script raised, or decided something that is no turn.
        """
        try:
            play: Any = self._script.act(prompt)
        except BazaarError:
            raise
        # Third parties' code, which may raise anything or leave the program: name it and stop.
        except (Exception, SystemExit) as error:
            _fault(f"{self._whose} at tick {prompt.data['tick']}", "raised", error)
        if not isinstance(play, Play):
            raise PluginError(f"{self._whose} decided {play!r:.200}, which is no Play.")
        return play


@dataclass
class Scaffold:
    """A policy around the evaluated model: all its calls are counted, and it is named beside it.

    ``world`` is the world message of the agents that it plays. Under ``json`` its replies have
    their calls already read.
    """

    policy: Policy
    name: str
    whose: str
    protocol: str
    world: str

    async def decide(
        self,
        observation: Observation,
        tools: Sequence[Any],
        generate: Generate,
        memory: dict[str, Any],
    ) -> Decision:
        """Decide one turn, with any number of calls.

        Raises:
            PluginError: The scaffold raised, decided something that is no decision, or keeps a
                memory that is no JSON object.
        """
        replies: list[Reply] = []

        async def counted(messages: Sequence[Message]) -> Reply:
            replies.append(self._read(await generate(messages)))
            return replies[-1]

        told = replace(observation, world=self.world)
        where = f"{self.whose} for agent {told.agent_id} at tick {told.tick}"
        try:
            decision: Any = await self.policy.decide(told, tools, counted, memory)
        except (BazaarError, *NOT_THE_PROVIDERS):
            raise
        # Third parties' code, which may raise anything or leave the program: name it and stop.
        except (Exception, SystemExit) as error:
            if _ours(error):
                raise
            _fault(where, "raised", error)
        if not isinstance(decision, Decision):
            raise PluginError(f"{where} decided {decision!r:.200}, which is no Decision.")
        _refuse_memory(where, memory)
        return self._counted(decision, replies)

    def _read(self, reply: Reply) -> Reply:
        if self.protocol == "tools" or reply.calls or reply.error is not None:
            return reply
        return replace(reply, calls=calls_in(reply.text))

    def _counted(self, decision: Decision, replies: Sequence[Reply]) -> Decision:
        usage: Counter[str] = Counter()
        for reply in replies:
            usage.update(reply.usage)
        latencies = [reply.latency_ms for reply in replies if reply.latency_ms is not None]
        model = next((reply.model for reply in reversed(replies) if reply.model), decision.model)
        counted = replace(
            decision,
            model=f"{model}{WITH}{self.name}",
            usage=dict(usage),
            latency_ms=sum(latencies) if latencies else None,
        )
        errors = [reply.error for reply in replies if reply.error is not None]
        if errors and not decision.calls:
            return replace(counted, outcome="failed", error=errors[0])
        return counted


def _ours(error: BaseException) -> bool:
    """Whether a group of concurrent errors holds one that is none of the plugin's."""
    return (
        isinstance(error, BaseExceptionGroup)
        and error.subgroup((BazaarError, *NOT_THE_PROVIDERS)) is not None
    )


def _refuse_memory(where: str, memory: dict[str, Any]) -> None:
    try:
        json.dumps(memory, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PluginError(f"{where} keeps a memory that is no JSON object: {error}.") from error


def _fault(where: str, what: str, error: BaseException) -> NoReturn:
    raise PluginError(
        f"{where} {what} {type(error).__name__}: {error}. Nothing of this tick is stored; mend or "
        "remove the plugin and resume."
    ) from error
