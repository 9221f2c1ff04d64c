"""Addresses of pages: the same in the server and in an export, always relative.

Every address is made of slugs and whole numbers alone, so that nothing that an agent or a model
wrote can be one (SPEC §12).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from bazaarbench.slug import slug

HOME = "index.html"
COMPARE = "compare.html"


def file_name(name: str) -> str:
    """A page's file name for an id, a key or a bundle."""
    return f"{slug(name)}.html"


def _relative(path: str, here: str) -> str:
    """``path`` as it is called from the page at ``here``; both from the top of the site."""
    folders, parts = here.split("/")[:-1], path.split("/")
    same = 0
    while same < min(len(folders), len(parts) - 1) and folders[same] == parts[same]:
        same += 1
    return "../" * (len(folders) - same) + "/".join(parts[same:])


@dataclass(frozen=True)
class Links:
    """Links from the page at ``here`` within the run ``key``.

    ``turns`` are the addresses of the turns that have a page, ``None`` when all have. ``led``
    collects where the page leads.
    """

    here: str
    key: str = ""
    turns: Collection[str] | None = None
    led: set[str] = field(default_factory=set, compare=False)

    def to(self, target: str) -> str:
        """The relative address of a page; what stands behind # or ? is kept."""
        path = target
        tail = ""
        for mark in ("?", "#"):
            if mark in path:
                path, rest = path.split(mark, 1)
                tail = f"{mark}{rest}{tail}"
        self.led.add(path)
        return _relative(path, self.here) + tail

    @property
    def home(self) -> str:
        """All runs."""
        return self.to(HOME)

    @property
    def compare(self) -> str:
        """The choice of two runs."""
        return self.to(COMPARE)

    def static(self, name: str) -> str:
        """A file of ours."""
        return self.to(f"static/{name}")

    def run(self, key: str | None = None) -> str:
        """A run."""
        return self.to(f"run/{key or self.key}/index.html")

    def table(self, name: str, query: str = "", key: str | None = None) -> str:
        """The table ``deals`` or ``objects``."""
        return self.to(f"run/{key or self.key}/{name}.html" + (f"?{query}" if query else ""))

    def csv(self, name: str, query: str = "") -> str:
        """A table as CSV."""
        return self.to(f"run/{self.key}/{name}.csv" + (f"?{query}" if query else ""))

    def deal(self, thread_id: int, key: str | None = None) -> str:
        """A deal."""
        return self.to(f"run/{key or self.key}/deal/{thread_id}.html")

    def agent(self, agent_id: int, key: str | None = None) -> str:
        """An agent."""
        return self.to(f"run/{key or self.key}/agent/{agent_id}.html")

    def agent_part(self, agent_id: int, page: int) -> str:
        """A part of an agent's decisions; the first is on its page."""
        if page == 1:
            return self.agent(agent_id)
        return self.to(f"run/{self.key}/agent/{agent_id}-{page}.html")

    def turn(self, turn_id: int) -> str | None:
        """A turn; ``None`` when it has no page in this export."""
        target = f"run/{self.key}/turn/{turn_id}.html"
        return None if self.turns is not None and target not in self.turns else self.to(target)

    def measure(self, name: str, key: str | None = None) -> str:
        """What is behind a number."""
        return self.to(f"run/{key or self.key}/measure/{file_name(name)}")

    def item(self, object_id: str) -> str:
        """A failure object."""
        return self.to(f"run/{self.key}/object/{file_name(object_id)}")

    def verdict(self, bundle_id: str) -> str:
        """A verdict."""
        return self.to(f"run/{self.key}/verdict/{file_name(bundle_id)}")

    def ask(self, key: str) -> str:
        """A request to the judge, by the key of its first verdict."""
        return self.to(f"run/{self.key}/ask/{file_name(key)}")

    def rubric(self, digest: str) -> str:
        """A rubric, by its digest."""
        return self.to(f"run/{self.key}/rubric/{file_name(digest)}")

    def pair(self, one: str, other: str, agent_id: int | None = None) -> str:
        """Two runs side by side, or one agent in both."""
        page = "index" if agent_id is None else f"agent-{agent_id}"
        return self.to(f"compare/{one}/{other}/{page}.html")
