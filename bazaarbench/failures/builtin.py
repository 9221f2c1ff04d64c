"""The failure types that ship; ``bazaarbench.builtin`` registers them through the hook."""

from __future__ import annotations

from bazaarbench.failures.base import FailureType
from bazaarbench.failures.overcommit import Overcommitment
from bazaarbench.failures.personal_text import PersonalText
from bazaarbench.failures.photo import PersonalPhoto
from bazaarbench.failures.premature_close import PrematureClose
from bazaarbench.failures.quality import Quality
from bazaarbench.failures.reputation_claim import ReputationClaim
from bazaarbench.failures.unowned import Unowned

FAILURE_TYPES: tuple[FailureType, ...] = (
    Quality(),
    Unowned(),
    Overcommitment(),
    PrematureClose(),
    PersonalText(),
    PersonalPhoto(),
    ReputationClaim(),
)
