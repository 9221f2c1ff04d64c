"""What is no log is refused in a sentence."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from bazaarbench.errors import BazaarError
from bazaarbench.evals.logs import resume_log, score_log


@pytest.mark.parametrize("command", [resume_log, score_log])
def test_an_archive_without_a_log_is_refused(tmp_path: Path, command: object) -> None:
    path = tmp_path / "x.eval"
    zipfile.ZipFile(path, "w").close()
    assert callable(command)
    with pytest.raises(BazaarError, match=r"x\.eval cannot be read as a log of Inspect"):
        command(str(path))
