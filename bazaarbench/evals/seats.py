"""Who plays each agent: the evaluated model, a background model, or a script (SPEC §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.tool import ToolChoice

from bazaarbench import plugins
from bazaarbench.agents.decisions import decision_of
from bazaarbench.agents.policy import Decision, Generate, Observation, Policy
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.errors import SettingError
from bazaarbench.evals.ask import Asker, RunMessages
from bazaarbench.evals.guards import WITH, Scaffold, made_policy, scaffold_of
from bazaarbench.evals.refusals import among
from bazaarbench.evals.tools import ToolShelf
from bazaarbench.market.state import Market
from bazaarbench.simulation import Seat

#: The role of the model that plays the background agents.
BACKGROUND = "background"
#: The role of the model that judges; its scorer looks for it.
JUDGE = "judge"
KNOWN_ROLES = (BACKGROUND, JUDGE)
DEFAULT_BACKGROUND = "honest"

Protocol = Literal["tools", "json"]


@dataclass
class ModelPolicy:
    """One call to a model a turn.

    ``world`` replaces the world message of the run for the agents of this policy alone, because
    the protocol and ``-T prompt`` belong to the evaluated model.
    """

    name: str
    protocol: Protocol = "tools"
    world: str | None = None

    async def decide(
        self,
        observation: Observation,
        tools: Sequence[Any],
        generate: Generate,
        memory: dict[str, Any],
    ) -> Decision:
        """Send the prompt once and read the answer; keeps no memory."""
        if self.world is not None:
            observation = replace(observation, world=self.world)
        return decision_of(await generate(observation.messages), self.protocol)


@dataclass(frozen=True)
class Players:
    """Who plays in one run. ``background`` is a model, or the name of a script."""

    evaluated: Model
    background: Model | str | None
    protocol: Protocol
    tool_choice: ToolChoice
    #: The world message of the agents that ``evaluated`` plays.
    world: str
    #: The policy that plays around ``evaluated``; without one it is called once a turn.
    scaffold: str | None = None

    @property
    def played_by(self) -> str:
        """The evaluated model, with its scaffold."""
        return str(self.evaluated) + (f"{WITH}{self.scaffold}" if self.scaffold else "")

    @property
    def models(self) -> dict[str, str]:
        """Model or script by role, as the record keeps it."""
        if self.background is None:
            return {"all": self.played_by}
        return {"tested": self.played_by, BACKGROUND: str(self.background)}

    @property
    def by_role(self) -> dict[str, Model]:
        """The model that plays each role of turns; scripts are none."""
        if self.background is None:
            return {BACKGROUND: self.evaluated}
        playing = {"tested": self.evaluated}
        if isinstance(self.background, Model):
            playing[BACKGROUND] = self.background
        return playing

    @property
    def options(self) -> dict[str, Any]:
        """The options of each model by its name; a role's model does not take the eval's."""
        models = [one for one in (self.evaluated, self.background) if isinstance(one, Model)]
        return {str(one): one.config.model_dump(mode="json", exclude_none=True) for one in models}


def background_role() -> Model | None:
    """The model with the role ``background``, when the run has one.

    ``get_model(role=…)`` would answer with the evaluated model when it has not.

    Raises:
        SettingError: The role has several models.
    """
    bound = model_roles().get(BACKGROUND)
    if isinstance(bound, list):
        if len(bound) != 1:
            raise SettingError(
                f"--model-role {BACKGROUND}: {len(bound)} models are given; give one."
            )
        return bound[0]
    return bound


def refuse_background() -> None:
    """Refuse a background model where there are no background agents.

    Raises:
        SettingError: The role is given.
    """
    if background_role() is not None:
        raise SettingError(
            f"--model-role {BACKGROUND}: a base market has no background agents; --model plays all "
            "of them."
        )


def refuse_unknown_roles() -> None:
    """Refuse model roles that mean nothing here, which Inspect itself passes over in silence.

    Raises:
        SettingError: Naming the first unknown role and those that there are.
    """
    for role in model_roles():
        among(role, KNOWN_ROLES, "model role")


def refuse_no_model(named: Model | None = None) -> None:
    """Refuse an eval with ``--model none``: somebody has to play the evaluated agents.

    Args:
        named: The model that ``-T model_settings`` names.

    Raises:
        SettingError: The eval has no model.
    """
    if named is None and str(get_model()).startswith("none/"):
        raise SettingError(
            "--model none: a market needs a model that plays. Name one, for example --model "
            "openai/gpt-5.5, or --model bazaarbench/honest for a scripted one."
        )


def chosen_background(script: str | None) -> Model | str:
    """Who plays the background agents: the role's model, else a script, never the tested model.

    Raises:
        SettingError: Both a role and a script are given.
    """
    model = background_role()
    if model is None:
        return script or DEFAULT_BACKGROUND
    if script is not None:
        raise SettingError(
            f"-T background={script} and --model-role {BACKGROUND}={model} both say who plays the "
            "background agents; give one of them."
        )
    return model


def world_for(protocol: Protocol, replaced: str | None) -> str:
    """The world message under a protocol; ``replaced`` stands for its text, not for the protocol's.

    Args:
        protocol: ``json`` adds how actions are written.
        replaced: The text of ``-T prompt``.
    """
    if replaced is None:
        return world_text(protocol)
    return replaced + world_text(protocol).removeprefix(world_text("tools"))


def seats(
    market: Market, players: Players, *, tested: Sequence[int], condition: str, seed: int
) -> dict[int, Seat]:
    """A seat for every agent.

    Args:
        market: Whose agents.
        players: Who plays.
        tested: Ids that the evaluated model plays; in a base market it plays all, as background.
        condition: What is appended to the persona message of tested agents, and of nobody else.
        seed: The policy seed.

    Raises:
        SettingError: The background script needs a model.
    """
    registry = plugins.load()
    text = registry.conditions[condition]
    shared, shelf = RunMessages(), ToolShelf()

    def asking(model: Model, *, protocol: Protocol, keep_event: bool) -> Asker:
        return Asker(
            model,
            shared,
            tools=shelf if protocol == "tools" else None,
            tool_choice=players.tool_choice,
            seed=seed,
            keep_event=keep_event,
        )

    evaluated = _evaluated_policy(players)
    background = _background_policy(players)
    taken: dict[int, Seat] = {}
    for agent_id, agent in market.agents.items():
        if agent_id in tested:
            ask = asking(players.evaluated, protocol=players.protocol, keep_event=True)
            persona = persona_text_of(agent, text)
            taken[agent_id] = Seat("tested", evaluated, persona, seed, ask)
        elif players.background is None:
            ask = asking(players.evaluated, protocol=players.protocol, keep_event=False)
            taken[agent_id] = Seat("background", evaluated, persona_text_of(agent), seed, ask)
        elif isinstance(players.background, Model):
            ask = asking(players.background, protocol="tools", keep_event=False)
            taken[agent_id] = Seat("background", background, persona_text_of(agent), seed, ask)
        else:
            taken[agent_id] = Seat("scripted", background, persona_text_of(agent), seed)
    return taken


def _evaluated_policy(players: Players) -> Policy:
    if players.scaffold is None:
        return ModelPolicy(str(players.evaluated), players.protocol, players.world)
    registry = plugins.load()
    return Scaffold(
        scaffold_of(registry, players.scaffold),
        players.scaffold,
        f"policy {players.scaffold!r} of {registry.origin('policy', players.scaffold)}",
        players.protocol,
        players.world,
    )


def _background_policy(players: Players) -> Policy:
    if isinstance(players.background, str):
        return made_policy(plugins.load(), players.background)
    return ModelPolicy(str(players.background))


def evaluated_model() -> Model:
    """The model of ``--model``."""
    return get_model()
