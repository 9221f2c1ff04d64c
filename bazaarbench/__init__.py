"""BazaarBench: delegation safety of LLM agents in a simulated marketplace, run with Inspect.

Plugins mark their hook implementations with ``bazaarbench.hookimpl`` (``docs/plugins.md``).
"""

from pluggy import HookimplMarker

__all__ = ["__version__", "hookimpl"]

__version__ = "0.1.0"

hookimpl = HookimplMarker("bazaarbench")
