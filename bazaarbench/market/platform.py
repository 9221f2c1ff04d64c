"""The platform: the one door through which agents change a market (SPEC §4.1–4.4).

Every call that an agent makes becomes exactly one row of the event log, a refused one too. A call
passes these stations, and the first that objects ends it with the market unchanged: its text is
cleaned, its arguments are validated, a banned agent is turned away, the action's own guards look,
the checks of the rules judge.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from bazaarbench.errors import PluginError
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.actions.base import ActionSpec, Args, Outcome, Ready, Refused, subject
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import Check, MarketView, Verdict
from bazaarbench.market.entities import Event
from bazaarbench.market.rules import CheckMode, Rules
from bazaarbench.market.state import Market
from bazaarbench.text import clean, clean_json, described, is_plain_json

UNKNOWN_TOOL = "unknown_tool"
#: Reasons of the calls that are no schema-valid call of an action.
INVALID_REASONS = frozenset({UNKNOWN_TOOL, "malformed_arguments", "validation"})
#: How much is kept of text that cannot be stored as what it should have been.
MAX_KEPT_CHARS = 2_000
_MAX_PROBLEMS = 8
#: Numbers below this are no reason to look closer.
_SMALL = 1 << 53
_MAX_PROBLEM_CHARS = 200


def is_schema_valid(event: Event) -> bool:
    """Whether an agent's event row came from a well-formed call of one of the actions."""
    return event.reason not in INVALID_REASONS


class _Valid(NamedTuple):
    spec: ActionSpec[Any]
    args: Args
    payload: dict[str, Any]
    private: dict[str, Any]


class _Invalid(NamedTuple):
    action: str
    reason: str
    payload: dict[str, Any]
    result: dict[str, Any]


class Platform:
    """The actions and checks of one market.

    Raises:
        PluginError: a check asks about an action that does not exist, or cannot say what it asks
            about or its mode; later, a check that fails.
    """

    def __init__(self, market: Market, checks: Sequence[Check] = ()) -> None:
        self.market = market
        self._view = MarketView(market)
        self._checks: dict[str, list[tuple[Check, CheckMode]]] = defaultdict(list)
        for check in checks:
            actions, mode = _declared(check, market.rules)
            if mode != "off":
                for action in actions:
                    self._checks[action].append((check, mode))

    def perform(self, agent_id: int, turn_id: int | None, call: ToolCall) -> Event:
        """Do what an agent asks, if it may, and log it.

        Args:
            agent_id: who calls.
            turn_id: the turn in which it calls.
            call: what it wrote.

        Returns:
            The one event row of the call. Rows that the platform adds for its own part stand after
            it in the log.

        Raises:
            PluginError: a check failed or answered with something else than a verdict.
        """
        read = read_call(call)
        if isinstance(read, _Invalid):
            return self.market.log(
                read.action,
                read.payload,
                agent_id=agent_id,
                turn_id=turn_id,
                status="error",
                reason=read.reason,
                result=read.result,
            )
        outcome = self._attempt(agent_id, read)
        event = self.market.log(
            read.spec.name,
            read.payload,
            agent_id=agent_id,
            turn_id=turn_id,
            status=outcome.status,
            reason=outcome.reason,
            result=outcome.result,
            private={**outcome.private, **read.private},
            listing_id=outcome.listing_id,
            thread_id=outcome.thread_id,
        )
        for row in outcome.followups:
            self.market.log(
                row.action, row.payload, listing_id=row.listing_id, thread_id=row.thread_id
            )
        return event

    def _attempt(self, agent_id: int, read: _Valid) -> Outcome:
        market, spec = self.market, read.spec
        try:
            if market.agents[agent_id].status == "banned":
                raise Refused(Outcome("blocked", "banned", {}, {}, None, None))
            ready = spec.handler(market, agent_id, read.args)
            warnings = self._consult(agent_id, read, ready) if spec.name in self._checks else []
        except Refused as refusal:
            outcome = refusal.outcome
            if spec.facts is None or outcome.status == "error":
                return outcome
            facts = spec.facts(market, agent_id, read.args)
            return outcome._replace(private={**outcome.private, **facts})
        outcome = ready.apply()
        if warnings:
            outcome = outcome._replace(private={**outcome.private, "warnings": warnings})
        return outcome

    def _consult(self, agent_id: int, read: _Valid, ready: Ready) -> list[dict[str, Any]]:
        """Ask the checks; returns the warnings, raises ``Refused`` for the first block."""
        warnings: list[dict[str, Any]] = []
        refusal: Verdict | None = None
        objections: list[dict[str, Any]] = []
        for check, mode in self._checks[read.spec.name]:
            verdict = self._ask(check, agent_id, read)
            if verdict.decision == "allow":
                continue
            objection = {
                "check": check.name,
                "reason": verdict.reason,
                "details": dict(verdict.details),
            }
            if verdict.decision == "block" and mode == "block":
                objections.append(objection)
                refusal = refusal or verdict
            else:
                warnings.append(objection)
        if refusal is None:
            return warnings
        private: dict[str, Any] = {"checks": objections}
        if warnings:
            private["warnings"] = warnings
        listing_id, thread_id = subject(ready.listing, ready.thread)
        raise Refused(Outcome("blocked", refusal.reason, {}, private, listing_id, thread_id))

    def _ask(self, check: Check, agent_id: int, read: _Valid) -> Verdict:
        args: Mapping[str, Any] = MappingProxyType(read.payload)
        where = f"{_named(check)} on {read.spec.name} at tick {self.market.tick}"
        try:
            verdict = check(self._view, agent_id, read.spec.name, args)
        # Third parties' code, which may raise anything or leave the program: name it and stop.
        except (Exception, SystemExit) as fault:
            raise PluginError(
                f"{where} raised {type(fault).__name__}: {fault}. Nothing of this tick is stored; "
                "mend or remove the plugin and resume."
            ) from fault
        usable = _usable(verdict)
        if usable is not None:
            return usable
        raise PluginError(
            f"{where} answered {verdict!r:.200}; allowed is a Verdict whose decision is allow, "
            "warn or block, with a reason unless it allows, and details that are a JSON object."
        )


def _named(check: Check) -> str:
    """A check and, where the host has written it there, whose it is."""
    origin = getattr(check, "origin", "")
    return f"check {check.name!r} of {origin}" if origin else f"check {check.name!r}"


def _declared(check: Check, rules: Rules) -> tuple[frozenset[str], CheckMode]:
    """The actions that a check is asked about, and its mode under ``rules``."""
    try:
        actions, mode = frozenset(check.actions), check.mode(rules)
    # Third parties' code, which may raise anything or leave the program: name it and stop.
    except (Exception, SystemExit) as fault:
        raise PluginError(
            f"{_named(check)} cannot say what it asks about and its mode: it raised "
            f"{type(fault).__name__}: {fault}. Mend or remove the plugin and run again."
        ) from fault
    unknown = sorted(str(action) for action in actions - ACTIONS.keys())
    if unknown:
        raise PluginError(
            f"{_named(check)} asks about {unknown}, which are no actions. "
            f"Allowed: {', '.join(ACTIONS)}."
        )
    if mode not in get_args(CheckMode):
        raise PluginError(
            f"{_named(check)} has the mode {mode!r:.200}; allowed are "
            f"{', '.join(get_args(CheckMode))}. Mend or remove the plugin and run again."
        )
    return actions, mode


def _usable(answer: object) -> Verdict | None:
    """A check's answer as it can be stored, or ``None`` when it is no verdict."""
    if not isinstance(answer, Verdict):
        return None
    if answer.decision == "allow":
        return answer
    if answer.decision not in ("warn", "block") or not isinstance(answer.reason, str):
        return None
    try:
        details = json.loads(json.dumps(dict(answer.details), allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None
    reason = clean(answer.reason)
    return Verdict(answer.decision, reason, clean_json(details)[0]) if reason else None


def read_call(call: ToolCall) -> _Valid | _Invalid:
    """Clean and validate a call."""
    spec = ACTIONS.get(call.name)
    if spec is None:
        payload = {"name": _kept(call.name), "malformed": _written(call)}
        return _Invalid(UNKNOWN_TOOL, UNKNOWN_TOOL, payload, {})
    arguments, changed = call.arguments, False
    if arguments is None or not _is_simple(arguments):
        if not is_plain_json(arguments) or arguments is None:
            return _Invalid(spec.name, "malformed_arguments", {"malformed": _written(call)}, {})
        arguments, changed = clean_json(arguments)
    try:
        args = spec.args.model_validate(arguments)
    except ValidationError as fault:
        detail = _problems(fault)
        return _Invalid(spec.name, "validation", {"malformed": _written(call)}, {"detail": detail})
    private = {"original": _written(call)} if changed else {}
    return _Valid(spec, args, dict(args.__dict__), private)


def _is_simple(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments are short of everything that needs a closer look, as nearly all are."""
    for key, value in arguments.items():
        kind = type(value)
        if kind is str:
            if not value.isascii() or "\0" in value:
                return False
        elif kind is int:
            if not -_SMALL < value < _SMALL:
                return False
        elif value is not None:
            return False
        if type(key) is not str or not key.isascii() or "\0" in key:
            return False
    return True


def _problems(fault: ValidationError) -> list[dict[str, str]]:
    """What is wrong with arguments, without the input itself, which may be of any size."""
    errors = fault.errors(include_url=False, include_context=False, include_input=False)
    return [
        {
            "argument": _kept(".".join(map(str, item["loc"])))[:_MAX_PROBLEM_CHARS],
            "problem": item["msg"][:_MAX_PROBLEM_CHARS],
        }
        for item in errors[:_MAX_PROBLEMS]
    ]


def _written(call: ToolCall) -> str:
    """The arguments as the agent wrote them, as escaped ASCII, cut."""
    if call.raw is not None:
        return _kept(call.raw)
    if not is_plain_json(call.arguments):
        return _kept(described(call.arguments))
    return json.dumps(call.arguments)[:MAX_KEPT_CHARS]


def _kept(text: str) -> str:
    """``text`` as escaped ASCII, cut."""
    return json.dumps(text[:MAX_KEPT_CHARS])[1:-1][:MAX_KEPT_CHARS]
