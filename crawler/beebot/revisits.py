"""Pages of the store that are visited again: asked for only if they have changed, and by how much.

A visit that fails takes nothing away: the page and its links stay as they were. One that brings
another document puts its links in the place of those that were known.
"""

from __future__ import annotations

from counterpoint.crawler.documents.blocks import blocks, difference
from counterpoint.crawler.documents.links import Kind
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.store.recording import Page, Recording

from .answers import Answers, Taken
from .document import Document
from .run import Flying

SAME = 304


class Revisits(Answers):
    """What becomes of answers in a plan whose policy visits known pages again."""

    def is_known(self, recording: Recording, page: Page) -> bool:
        """Tell whether a page need not be fetched: never, it is known already."""
        return False

    def take(
        self, recording: Recording, visit: Flying, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Store what has changed, and tell the scheduler how much that is."""
        run, page = self._run, recording.page(visit.page)
        if page is None:
            run.flying.pop(visit.number)
            return
        size, external, changed = page.size, page.external, 0
        if found.status == 200:
            changed = self._compared(recording, page, fetched, found.text)
            kept = page._replace(final=fetched.final)
            external = self._links(recording, kept, found.references, None)[Kind.EXTERNAL]
            size = found.size
            # It may be of another document, by position: who reads asks for the page again.
            recording.write("forget content", {"page": page.id})
            recording.write("answer page", {
                "id": page.id, "status": 200, "final": fetched.final, "problem": found.problem,
                "size": size, "external": external,
            })  # fmt: skip
        self.taken.append(
            Taken(page.address, page.seed, found.status, external=external, size=size,
                  time=fetched.time, problem=found.problem)
        )  # fmt: skip
        outcome = run.outcome(page.id, found.status, external, size, changed, fetched.time)
        run.observe(recording, visit, outcome, [], 0, recalled=False, problem=found.problem)

    def _compared(self, recording: Recording, page: Page, fetched: Fetched, text: str) -> int:
        """Keep a copy of a document; return the bytes that are new or gone since the last visit."""
        kept = recording.read("copy", page=page.id)
        before = bytes(kept[0][2]) if kept and kept[0][2] is not None else None
        now = blocks(text)
        recording.write("copy", {"page": page.id, "etag": fetched.etag,
                                 "modified": fetched.modified, "blocks": now})  # fmt: skip
        # Its first visit by this scheduler shows it nothing, whatever earlier plans saw.
        seen = recording.read("seen", plan=self._run.plan.number, page=page.id)
        return 0 if before is None or not seen else difference(before, now)

    def _led(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store pages that are new; who crawls next meets them."""
        new = [target for target in targets if target.id < 0]
        entered = self._run.discovery.enter(recording, page, new)
        return [*entered, *(target for target in targets if target.id >= 0)]
