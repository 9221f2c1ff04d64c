"""Measuring stored records again, without any model (SPEC §15).

Records know nothing of logs here; ``bazaarbench.evals.regrading`` does the same for logs.
"""

from __future__ import annotations

from bazaarbench.regrade.processes import in_processes
from bazaarbench.regrade.records import Regraded, changed_keys, records_in, regrade_record

__all__ = ["Regraded", "changed_keys", "in_processes", "records_in", "regrade_record"]
