"""Where written texts are kept while a run of ``write_personas`` goes on, and what it leaves.

Every agent's outcome is a file of its own in ``<home>/personas/<task id>/``, whole or absent, and a
copy stands beside the log. The task id survives ``inspect eval-retry``: what was written is found
again, and no writer is paid for it twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import fsspec  # type: ignore[import-untyped]
from pydantic import ValidationError

from bazaarbench import paths
from bazaarbench.errors import BazaarError
from bazaarbench.evals import records
from bazaarbench.personas.briefs import Brief
from bazaarbench.personas.text_files import Origin, collected, dumped
from bazaarbench.personas.writing import Outcome
from bazaarbench.personas.writing_report import in_words, report

TEXTS_NAME = "personas.jsonl"
_EVERY = "agent-*.json"
REPORT_NAME, WORDS_NAME = "report.json", "report.md"
#: Beside a log and in the home folder.
FOLDER = "personas"


class WritingError(BazaarError):
    """Texts that were refused, a set that is given up, or a kept file that cannot be used."""


@dataclass(frozen=True)
class Shelf:
    """The outcomes of one task; ``log_folder`` is a path or a URL."""

    task_id: str
    log_folder: str
    origin: Origin

    @property
    def folder(self) -> Path:
        """Where outcomes are kept on this machine."""
        return paths.home() / FOLDER / self.task_id

    @property
    def published(self) -> str:
        """The folder of what the run leaves, beside its log."""
        return f"{self.log_folder.rstrip('/')}/{FOLDER}/{self.task_id}"

    def find(self, brief: Brief) -> Outcome | None:
        """What is kept about one agent on this machine.

        Raises:
            WritingError: the file is damaged, or was made from other facts.
        """
        path = self.folder / _name(brief.agent_id)
        if not path.is_file():
            return None
        try:
            outcome = Outcome.model_validate_json(path.read_text(encoding="utf-8"))
        except ValidationError as error:
            raise WritingError(
                f"the kept texts of agent {brief.agent_id} in {path} cannot be read: "
                f"{error.errors()[0]['msg']}. Delete that file and retry: the agent is then "
                "written again."
            ) from error
        if outcome.facts != brief.digest:
            raise WritingError(
                f"the kept texts of agent {brief.agent_id} in {path} were written from other facts "
                "than this run's. Retry with the version and plugins that began the run, or start "
                "a new one with 'inspect eval'."
            )
        return outcome

    def fetch(self) -> None:
        """Bring what only stands beside a log here: a run may go on on another machine."""
        for folder in self._elsewhere():
            files, root = fsspec.core.url_to_fs(folder)
            for path in sorted(files.glob(f"{root}/{_EVERY}")):
                target = self.folder / PurePosixPath(path).name
                if not target.exists():
                    partial = paths.made(self.folder) / f"{target.name}.partial"
                    files.get_file(path, str(partial))
                    os.replace(partial, target)

    def _elsewhere(self) -> Iterator[str]:
        yield self.published
        if chosen := os.environ.get(records.FOLDER_VARIABLE):
            yield f"{chosen.rstrip('/')}/{FOLDER}/{self.task_id}"

    def keep(self, outcome: Outcome) -> None:
        """Keep an outcome: it appears whole or not at all."""
        self._put(_name(outcome.agent_id), outcome.model_dump_json(indent=1))

    def outcomes(self) -> list[Outcome]:
        """All outcomes that are kept on this machine, by agent."""
        return [
            Outcome.model_validate_json(path.read_text(encoding="utf-8"))
            for path in sorted(self.folder.glob(_EVERY))
        ]

    def finish(self) -> str | None:
        """Once every agent has an outcome: write the report, and the set if it is whole.

        Returns:
            The address of the set; ``None`` while agents are missing or when some were refused.
        """
        # Counted first: all of them are read once everybody is there, and not after each agent.
        if sum(1 for _ in self.folder.glob(_EVERY)) < self.origin.agents:
            return None
        outcomes = self.outcomes()
        self.report()
        if any(one.texts is None for one in outcomes):
            return None
        texts = collected(outcomes, self.origin)
        self._put(TEXTS_NAME, dumped(texts))
        return f"{self.published}/{TEXTS_NAME}"

    def report(self) -> None:
        """Write the report on the outcomes that there are, in words and as JSON."""
        figures = report(self.outcomes(), self.origin.agents)
        self._put(REPORT_NAME, json.dumps(figures, indent=1, ensure_ascii=False))
        self._put(WORDS_NAME, in_words(figures))

    def _put(self, name: str, text: str) -> None:
        path = paths.made(self.folder) / name
        partial = path.with_name(f"{name}.{os.getpid()}.partial")
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
        records.upload(path, f"{self.published}/{name}")


def _name(agent_id: int) -> str:
    return f"agent-{agent_id:04}.json"
