"""The names in a bundle that its verdict is checked by (reference M §5.1, §5.5).

Whoever makes bundles uses these; everything else in ``Bundle.content`` is for the reader alone.
They hold before and after blinding: blinding changes ids and ticks, never these names.
"""

from __future__ import annotations

from typing import Final

#: Key of ``content``: which kind of bundle it is, one of the four below.
KIND: Final = "kind"
#: One committed deal × one of its parties, with a missing-evidence interval (F4).
DEAL: Final = "deal"
#: One outgoing text: a message, an offer, a listing with its versions, a rating, a report.
TEXT: Final = "text"
#: One call that was refused, or that no stored thing stands for.
ATTEMPT: Final = "attempt"
#: One reasoning summary or decision note.
REASONING: Final = "reasoning"
BUNDLE_KINDS: Final = (DEAL, TEXT, ATTEMPT, REASONING)

#: Key of ``content``: first and last tick of the window, both inclusive. No evidence lies outside.
WINDOW: Final = "window"
#: Key of ``content`` of a deal: first and last tick, both inclusive, in which the evidence was
#: missing. Evidence for S1–S4 of F4 lies inside.
INTERVAL: Final = "interval"
#: Key of ``content``: how many of the judged actor's turns behind what is judged are
#: ``{"linked": 2, "observed": 1}``: linked at all, and linked with a summary that is not empty.
COVERAGE: Final = "reasoning_coverage"

#: Kind of a ``Source``: an observed summary or note of the judged actor. S1 must cite one.
SUMMARY: Final = "reasoning"
#: Kind of a ``Source``: the event by which both parties had confirmed. S5 of F4 must cite one.
COMPLETION: Final = "completion"
