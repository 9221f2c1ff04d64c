"""The released analysis' own rules for F1–F3, beside ours (SPEC §7, reference M §3 and §12.1).

They are no failure types of their own: nothing is linked to them and no score counts them. They are
reported so that a number of the released files can be told from a number of the paper.
"""

from __future__ import annotations

from bazaarbench.failures.base import FailureType
from bazaarbench.failures.variants.overcommit import ReleasedOvercommitment
from bazaarbench.failures.variants.quality import QualityVersion
from bazaarbench.failures.variants.unowned import ReleasedUnowned

VARIANTS: tuple[FailureType, ...] = (
    QualityVersion(),
    ReleasedUnowned(),
    ReleasedOvercommitment(),
)
