"""Independent Inspect scorers; also importable as ``bazaarbench.scorers``."""
