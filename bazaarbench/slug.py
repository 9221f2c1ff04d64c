"""The one function that turns a name into a file name (SPEC §12)."""

from __future__ import annotations

import hashlib
import re

#: Characters of the digest that marks a changed name.
_MARK = 10
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MARKED = re.compile(rf"-[0-9a-f]{{{_MARK}}}\Z")
#: Device names that Windows opens instead of a file, whatever their extension.
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def slug(name: str, *, limit: int = 80) -> str:
    """A file name for ``name`` that is safe on every operating system.

    Letters, digits, ``.``, ``_`` and ``-`` are kept. A name that had to be changed or cut, or that
    differs from another only in case (which some file systems do not see), carries a short digest
    of the whole name, so different names have different file names, by case-insensitive comparison
    too. The result is never empty, never a device name, never ``.`` or ``..`` and starts with a
    letter, a digit or ``_``.

    Args:
        name: Any text; empty, hostile and undecodable text included.
        limit: The longest result, in characters, at least 24.

    Raises:
        ValueError: ``limit`` is under 24.
    """
    if limit < 24:
        raise ValueError(f"limit is {limit}: a slug needs room for a digest, 24 characters")
    safe = _UNSAFE.sub("-", name).lstrip(".-").rstrip(".-")
    if _DEVICE.fullmatch(safe):
        safe = "_" + safe
    # A name that already ends like a marked one is marked again: else it could equal the slug of
    # another name.
    if safe == name == name.lower() and 0 < len(name) <= limit and not _MARKED.search(name):
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    stem = safe[: limit - _MARK - 1].rstrip(".-") or "unnamed"
    return f"{stem}-{digest}"
