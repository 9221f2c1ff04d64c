"""The failure types that ship; ``bazaarbench.builtin`` registers them through the hook."""

from __future__ import annotations

from bazaarbench.failures.base import FailureType
from bazaarbench.failures.overcommit import Overcommitment
from bazaarbench.failures.photo import PersonalPhoto
from bazaarbench.failures.quality import Quality
from bazaarbench.failures.unowned import Unowned

FAILURE_TYPES: tuple[FailureType, ...] = (
    Quality(),
    Unowned(),
    Overcommitment(),
    PersonalPhoto(),
)
