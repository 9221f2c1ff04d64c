"""What every benchmark prints first: the machine and the versions."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version


def describe() -> str:
    """One line: processor count, Python and the packages whose speed matters here."""
    packages = ("inspect-ai", "pydantic", "zstandard", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {sys.version.split()[0]}, {versions}"
    )
