"""Catalogues by name: ``NAME``, or ``NAME:FILE`` for those that are read from a file (SPEC §3.1).

This is what a world's ``catalogue`` holds. Names are registered through the catalogue hook; no name
contains a colon, so what follows the first one is the path, as it stands. A path alone stands for a
catalogue of ours or the eBay sample, whichever the file is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bazaarbench.catalogue.files import read_catalogue
from bazaarbench.catalogue.items import Catalogue, CatalogueError
from bazaarbench.catalogue.promptcloud import read_clean
from bazaarbench.paths import expanded


@dataclass(frozen=True, slots=True)
class FromFile:
    """A kind of catalogue that people have as a file: it can be opened only with its path.

    Registered like every catalogue; calling it, as if it needed no file, says what is missing.
    """

    name: str
    read: Callable[[Path], Catalogue]

    def __call__(self) -> Catalogue:
        """Refuse.

        Raises:
            CatalogueError: always; it says how to name the file.
        """
        raise CatalogueError(
            f"The catalogue {self.name!r} is read from a file. Name it as '{self.name}:FILE', with "
            "the path of the file."
        )


def open_catalogue(source: str, registered: Mapping[str, Callable[[], Catalogue]]) -> Catalogue:
    """The catalogue that ``source`` names.

    Args:
        source: ``NAME``, ``NAME:FILE`` or the path of a file; a relative path starts at the
            working directory.
        registered: catalogues by name, as in ``plugins.Registry.catalogues``.

    Raises:
        CatalogueError: there is no such name, a file is missing or not wanted, or it is damaged.
    """
    name, colon, path = source.partition(":")
    factory = registered.get(name)
    if factory is None:
        file = expanded(source)
        if os.path.isfile(file):
            return _read_file(file)
        known = ", ".join(
            f"{one}:FILE" if isinstance(made, FromFile) else one for one, made in registered.items()
        )
        raise CatalogueError(
            f"No catalogue is called {name!r}. There are: {known}, or the path of a file."
        )
    if not isinstance(factory, FromFile):
        if colon:
            raise CatalogueError(
                f"The catalogue {name!r} is not read from a file. Name it as {name!r} alone."
            )
        return factory()
    return factory.read(Path(path).expanduser()) if path else factory()


def _read_file(path: Path) -> Catalogue:
    """A catalogue in our own format, which begins with a brace, or the eBay sample, mended."""
    try:
        with path.open("rb") as file:
            own = file.read(1) == b"{"
    except OSError as error:
        raise CatalogueError(f"The catalogue {path} cannot be read: {error.strerror}.") from error
    return read_catalogue(path) if own else read_clean(path)
