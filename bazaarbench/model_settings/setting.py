"""One named setting of a model: who answers, with which options, at what price (SPEC §2)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, field_validator

#: What a setting is meant for: playing all agents of a base market, the tested agents, the
#: background agents of a continuation, or judging.
Use = Literal["base", "tested", "background", "judge"]
USES: tuple[Use, ...] = get_args(Use)

#: Words that a model argument with a secret in it has in its name.
_SECRET = re.compile(r"key|token|secret|password|credential", re.IGNORECASE)


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Prices(BaseModel):
    """What a model costs, in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input_usd: float = Field(ge=0, allow_inf_nan=False)
    output_usd: float = Field(ge=0, allow_inf_nan=False)
    #: Of input that the provider has in its cache; like other input when it is not said.
    cached_input_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class ModelSetting(BaseModel):
    """A model with its options under a name; ``None`` leaves an option to the provider."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, protected_namespaces=())

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,63}$")]
    #: Provider and model id as ``--model`` takes them.
    model: Annotated[str, Field(pattern=r"^[^\s/]+/\S+$")]
    about: str = ""
    #: What it is meant for; it is refused for anything else.
    uses: Annotated[tuple[Use, ...], BeforeValidator(_listed), Field(min_length=1)] = USES
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = (
        None
    )
    #: The most tokens of one answer, reasoning included.
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    #: Seconds that one attempt may take, and how often a failed one is repeated.
    attempt_timeout: int | None = Field(default=None, ge=1)
    max_retries: int | None = Field(default=None, ge=0)
    base_url: str | None = None
    #: Further arguments of the provider, such as ``responses_api``.
    model_args: dict[str, JsonValue] = {}
    #: ``None``: as Inspect knows them, or unknown.
    prices: Prices | None = None

    @field_validator("base_url")
    @classmethod
    def _without_password(cls, value: str | None) -> str | None:
        if value is not None and "@" in urlsplit(value).netloc:
            raise ValueError("an address must not hold a user or password; use the environment.")
        return value

    @field_validator("model_args")
    @classmethod
    def _without_secrets(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        secret = next((name for name in value if _SECRET.search(name)), None)
        if secret is not None:
            raise ValueError(
                f"{secret!r} looks like a secret, which belongs into the environment and never "
                "into a file that is logged."
            )
        return value
