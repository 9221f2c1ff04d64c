"""Errors that are for people.

Every message says what was wrong, where, what is allowed and what to do; the command line and the
Inspect tasks print the message alone, without a traceback.
"""

from __future__ import annotations


class BazaarError(Exception):
    """A fault that the user can mend; ``str(error)`` is the whole message."""


class SettingError(BazaarError):
    """An unknown name or a value that is not allowed."""


class RecordError(BazaarError):
    """A record that is missing, foreign, damaged, locked or of another version."""


class StateError(BazaarError):
    """A saved state that cannot be built, found or forked."""


class PluginError(BazaarError):
    """A plugin that cannot be loaded or that broke its contract."""
