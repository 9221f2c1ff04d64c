"""The scripted policies (SPEC §5.6)."""
