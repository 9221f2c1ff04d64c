"""How a policy decides for an agent: what it is given and what it hands back (SPEC §5.6).

A policy may be a script, one model call, or a whole scaffold of calls; the simulation cannot tell
them apart. A script sees no more than a model does: it decides from the texts of the prompt alone,
so the same script plays inline and behind a model provider.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic_core import to_json

from bazaarbench.errors import SettingError
from bazaarbench.market.calls import ToolCall
from bazaarbench.text import clean

#: How a turn ended (SPEC §5.4). ``acted``: at least one call that is valid by its schema.
#: ``no_valid_call``: calls, none of them valid. ``no_call``: words and no call. ``empty``: nothing.
#: ``truncated``: cut off before a valid call. ``refused``: stopped by a content filter.
#: ``reasoning_only``: thoughts and no answer. ``failed``: the call to the model failed.
TurnOutcome = Literal[
    "acted",
    "no_valid_call",
    "no_call",
    "empty",
    "truncated",
    "refused",
    "reasoning_only",
    "failed",
]
PlantType = Literal["F1", "F2", "F3", "F5photo"]

#: The line of a persona message that scripts read; compact JSON with sorted keys follows.
FACTS_PREFIX = "FACTS: "
#: Headings that tell a script which condition text its persona message carries.
DEADLINE_HEADING = "# Deadline notice"
ADVERSARIAL_HEADING = "# Adversarial brief"
#: What stands before the note that every turn begins with.
NOTE_PREFIX = "Decision note:"

#: How much of a decision note is kept, in characters.
MAX_NOTE_CHARS = 1_000
#: How much is kept of each text of a decision; a reply's ``raw`` is kept whole beside them.
_KEPT_CHARS = {
    "note": MAX_NOTE_CHARS,
    "reasoning": 1_000_000,
    "text": 1_000_000,
    "stop_reason": 200,
    "error": 2_000,
    "model": 200,
    "message_id": 200,
}
_kept_texts = attrgetter(*_KEPT_CHARS)


@dataclass(frozen=True, slots=True)
class Plant:
    """A failure that a script means to commit with its call number ``call`` (from 0) of a turn."""

    type: PlantType
    call: int
    detail: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from one call to a model.

    ``error`` is set when the call failed for good; ``raw`` is the whole reply as text for the
    record; ``usage`` counts tokens by kind; ``plants`` come from scripts behind a provider.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    stop_reason: str | None = None
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    latency_ms: int | None = None
    message_id: str | None = None
    error: str | None = None
    raw: str = ""
    plants: tuple[Plant, ...] = ()


#: Sends messages to the agent's model; the host stores what was asked and answered.
Generate = Callable[[Sequence[Message]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Observation:
    """One agent's prompt at one tick.

    ``world`` and ``persona`` are the two system texts, ``data`` is what the agent sees, and
    ``rendered`` its text when that is already known. ``seed`` is the policy seed.
    """

    agent_id: int
    tick: int
    seed: int
    world: str
    persona: str
    data: dict[str, Any]
    rendered: str = ""

    @property
    def text(self) -> str:
        """The user message: ``data`` as compact JSON with sorted keys."""
        return self.rendered or render(self.data)

    @property
    def messages(self) -> tuple[Message, Message, Message]:
        """World, persona and observation, as a model is sent them."""
        return (
            Message("system", self.world),
            Message("system", self.persona),
            Message("user", self.text),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What one agent does in one tick, and everything that is recorded about it (SPEC §5.5).

    Whoever made it, its texts are such as a record can hold: cleaned, and cut.
    """

    calls: tuple[ToolCall, ...]
    outcome: TurnOutcome
    note: str | None = None
    reasoning: str | None = None
    text: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    latency_ms: int | None = None
    message_id: str | None = None
    plants: tuple[Plant, ...] = ()

    def __post_init__(self) -> None:
        """Clean and cut the texts."""
        for (name, limit), text in zip(_KEPT_CHARS.items(), _kept_texts(self), strict=True):
            if text and not (len(text) <= limit and text.isascii() and "\0" not in text):
                object.__setattr__(self, name, clean(text[:limit]))


class Policy(Protocol):
    """Decides for agents; one object may serve any number of them."""

    name: str

    async def decide(
        self,
        observation: Observation,
        tools: Sequence[Any],
        generate: Generate,
        memory: dict[str, Any],
    ) -> Decision:
        """Decide one turn.

        Args:
            observation: the prompt.
            tools: the 31 actions as the host describes them to a model.
            generate: one call to the agent's model; may be awaited any number of times.
            memory: the policy's own notebook for this agent, JSON; changes are kept.
        """
        ...


#: What the policy hook registers: makes a policy.
PolicyFactory = Callable[[], Policy]


# ------------------------------------------------------------------------------------- scripts


@dataclass(frozen=True, slots=True)
class Facts:
    """What a script reads of its persona: goals and limits in cents, traits in permille."""

    agent_id: int
    ceiling_cents: int
    floor_permille: int
    goal_category: str
    goal_title: str
    haggle_permille: int
    interests: tuple[str, ...]
    listings_target: int
    privacy_permille: int
    trust_permille: int


@dataclass(frozen=True, slots=True)
class ScriptPrompt:
    """A prompt as a script reads it: the observation, the persona's facts, the condition."""

    seed: int
    facts: Facts
    deadline: bool
    adversarial: bool
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Play:
    """What a script does in a turn; ``plants`` says which calls are meant to be failures."""

    note: str
    calls: tuple[ToolCall, ...]
    plants: tuple[Plant, ...] = ()


@runtime_checkable
class Script(Protocol):
    """A policy without a model: a pure function of the prompt, the same for the same seed."""

    name: str

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn."""
        ...


class ScriptedPolicy:
    """A script as a policy."""

    def __init__(self, script: Script) -> None:
        self.name = script.name
        self.script = script

    async def decide(
        self,
        observation: Observation,
        tools: Sequence[Any],
        generate: Generate,
        memory: dict[str, Any],
    ) -> Decision:
        """Decide one turn; asks no model and keeps no memory."""
        return self.decide_now(observation)

    def decide_now(self, observation: Observation) -> Decision:
        """Decide one turn at once."""
        facts, deadline, adversarial = _read_persona(observation.persona)
        play = self.script.act(
            ScriptPrompt(observation.seed, facts, deadline, adversarial, observation.data)
        )
        return Decision(
            calls=play.calls,
            outcome="acted" if play.calls else "no_call",
            note=play.note,
            stop_reason="stop",
            model=self.name,
            plants=play.plants,
        )


def parse_prompt(texts: Iterable[str], seed: int) -> ScriptPrompt:
    """The prompt behind the texts of a model call's messages, in order.

    Args:
        texts: the messages' texts: one holds a ``FACTS:`` line, the last that begins with ``{`` is
            the observation.
        seed: the policy seed.

    Raises:
        SettingError: the messages are no prompt of this benchmark.
    """
    persona, data = None, None
    for text in texts:
        if persona is None and _facts_line(text) is not None:
            persona = text
        if text.lstrip().startswith("{"):
            data = _observation_of(text)
    if persona is None or data is None:
        missing = "persona with a FACTS line" if persona is None else "observation"
        raise SettingError(
            f"a scripted policy was sent messages without {missing}; it plays only BazaarBench's "
            "own prompts. Use it as the model of tasks/continuation.py or tasks/base_market.py."
        )
    facts, deadline, adversarial = _read_persona(persona)
    return ScriptPrompt(seed, facts, deadline, adversarial, data)


async def no_generate(messages: Sequence[Message]) -> Reply:
    """The ``generate`` of a seat that has no model."""
    raise SettingError(
        "this policy asked for a model, but its seat has none: seat it with a model "
        "(--model or --model-role background=…)"
    )


def render(data: Mapping[str, Any]) -> str:
    """An observation as text: compact JSON. Its keys are already in order, at every depth."""
    return to_json(data).decode()


def _observation_of(text: str) -> dict[str, Any] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except ValueError:
        return None
    return value if isinstance(value, dict) and "agent_id" in value and "tick" in value else None


def _facts_line(text: str) -> str | None:
    at = text.find(FACTS_PREFIX)
    while at > 0 and text[at - 1] != "\n":
        at = text.find(FACTS_PREFIX, at + 1)
    if at < 0:
        return None
    return text[at + len(FACTS_PREFIX) :].split("\n", 1)[0]


@lru_cache(maxsize=1 << 15)
def _read_persona(text: str) -> tuple[Facts, bool, bool]:
    line = _facts_line(text)
    if line is None:
        raise SettingError(
            "a persona message has no line that begins with 'FACTS: ', which scripted policies "
            "read; persona texts are made by bazaarbench.agents.prompting.persona_text"
        )
    stored = json.loads(line)
    values = {name: stored[name] for name in (f.name for f in fields(Facts))}
    facts = Facts(**{**values, "interests": tuple(values["interests"])})
    lines = text.splitlines()
    return facts, DEADLINE_HEADING in lines, ADVERSARIAL_HEADING in lines
