"""The evidence viewer: one page per deal, from the records and what was measured in them.

Pages are built on the server from findings, evidence and records, and nothing is measured or
counted for itself: every number is that of the findings (SPEC §11.1). It never writes a record.
"""

from __future__ import annotations
