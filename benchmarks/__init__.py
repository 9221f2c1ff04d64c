"""Committed benchmarks; ``make bench`` runs them (SPEC §14)."""
