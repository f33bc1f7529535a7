"""Stores the answers of plans that visit known pages again, by conditional requests.

A visit that fails changes nothing: the page and its links stay in the store. A visit that brings a
new document replaces the links of the old one.
"""

from __future__ import annotations

from counterpoint.crawler.documents.blocks import blocks, difference
from counterpoint.crawler.documents.links import Kind
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.store.recording import Page, Recording

from .answers import Answers
from .document import Document, is_left_out
from .run import Visit
from .stored_answer import StoredAnswer

SAME = 304


class Revisits(Answers):
    """Stores the answers of a plan whose policy visits known pages again."""

    def is_known(self, recording: Recording, page: Page) -> bool:
        """Return False: a known page is always fetched again."""
        return False

    def take(
        self, recording: Recording, visit: Visit, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Store a document that has changed, and tell the scheduler how many bytes changed.

        Parameters
        ----------
        recording : Recording
        visit : Visit
        fetched : Fetched
            The answer.
        found : Document
            The document of the answer.
        """
        run, page = self._run, recording.page(visit.page)
        if page is None:
            run.in_flight.pop(visit.number)
            return
        size, external, changed = page.size, page.external, 0
        if found.status == 200 and not (page.size and is_left_out(found)):
            changed = self._compared(recording, page, fetched, found.text)
            kept = page._replace(final=fetched.final)
            external = self._links(recording, kept, found.references, None)[Kind.EXTERNAL]
            self._sitemaps.take(recording, kept, fetched, found, self._link_targets)
            size, found = found.size, self._noted(recording, page, found)
            # The stored content has anchors by position, and the positions may have changed. A
            # policy that reads requests the page again.
            recording.write("forget content", {"page": page.id})
            recording.write("answer page", {
                "id": page.id, "status": 200, "final": fetched.final, "problem": found.problem,
                "size": size, "external": external,
            })  # fmt: skip
        self.stored.append(
            StoredAnswer(page.address, page.seed, found.status, external=external, size=size,
                  time=fetched.time, problem=found.problem)
        )  # fmt: skip
        outcome = run.outcome(page.id, found.status, external, size, changed, fetched.time)
        run.observe(recording, visit, outcome, [], 0, recalled=False, problem=found.problem)

    def _compared(self, recording: Recording, page: Page, fetched: Fetched, text: str) -> int:
        """Store the blocks of a document; return the bytes that changed since the last visit.

        Parameters
        ----------
        recording : Recording
        page : Page
        fetched : Fetched
            The answer, with its validators.
        text : str
            The text of the document.
        """
        kept = recording.read("copy", page=page.id)
        before = bytes(kept[0].blocks) if kept and kept[0].blocks is not None else None
        now = blocks(text)
        recording.write("copy", {"page": page.id, "etag": fetched.etag,
                                 "modified": fetched.modified, "blocks": now})  # fmt: skip
        # The first visit of a scheduler shows no difference, even if an earlier plan has a copy.
        seen = recording.read("seen", plan=self._run.plan.number, page=page.id)
        return 0 if before is None or not seen else difference(before, now)

    def _meet(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store new pages, which the next plan will meet; the parameters are those of `lead`."""
        new = [target for target in targets if target.id < 0]
        entered = self._run.discovery.enter(recording, page, new)
        return [*entered, *(target for target in targets if target.id >= 0)]
