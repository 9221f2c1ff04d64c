"""Inspect task files; also importable as ``bazaarbench.tasks``."""
