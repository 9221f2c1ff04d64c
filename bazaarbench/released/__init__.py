"""Import of the databases that the study released, read-only, into records (SPEC §3.7).

``docs/released-data.md`` says column by column what becomes of them and what is lost.
"""

from __future__ import annotations

from bazaarbench.released.importer import Imported, import_database
from bazaarbench.released.source import ReleasedError
from bazaarbench.released.states import import_released

__all__ = ["Imported", "ReleasedError", "import_database", "import_released"]
