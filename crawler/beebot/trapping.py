"""Counts the pages of each kind of trap that a plan has accepted, in the store.

A detector that counts (`documents.traps.Alike`) accepts the first pages that are alike, in the
order in which the plan meets them. The counts are written in the transaction that gives the pages
their places, and read anew for each answer: another process, and a crawl that is resumed, decide
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.documents.traps import Alike, Traps
from counterpoint.crawler.store.recording import BEYOND, Page, Recording
from counterpoint.crawler.store.schema import stored_key
from counterpoint.crawler.store.statements import listed


class TrapCounts:
    """Decides by the counts of a store which pages the detectors of a plan leave out.

    Parameters
    ----------
    traps : Traps
    key : callable
        Returns the key of an address: equal for addresses of the same page.
    """

    def __init__(self, traps: Traps, key: Callable[[str], str]) -> None:
        self._traps, self._key = traps, key
        self._alike: dict[str, list[Alike]] = {}
        self._counts: dict[str, int] = {}
        self._twins: set[str] = set()
        self._changed: set[str] = set()

    def look(self, recording: Recording, pages: Iterable[Page]) -> None:
        """Read what is needed to decide about pages that have no place yet.

        Parameters
        ----------
        recording : Recording
        pages : iterable of Page
        """
        if not self._traps.counts:
            return
        self._changed = set()  # of a transaction that failed
        self._alike = {page.key: found for page in pages if page.place in (None, BEYOND)
                       and (found := self._traps.alike(page.address))}  # fmt: skip
        if not self._alike:
            return
        named = {one.name for found in self._alike.values() for one in found}
        rows = recording.read("alike", keys=listed(recording.dialect, _stored(named)))
        self._counts = {row.name: row.pages for row in rows}
        twins = {one.twin for found in self._alike.values() for one in found if one.twin}
        known = recording.known(_stored(map(self._key, twins)))
        self._twins = {key for key, page in known.items()
                       if page.place is not None and page.place != BEYOND}  # fmt: skip

    def problem(self, page: Page) -> str:
        """Return which detector leaves a page out that `look` has seen; "": none."""
        for one in self._alike.get(page.key, ()):
            full = self._counts.get(stored_key(one.name), 0) >= one.most
            if full or (one.twin and stored_key(self._key(one.twin)) in self._twins):
                return f"{LEFT_OUT}{one.problem}"
        return ""

    def count(self, page: Page) -> None:
        """Note that a page has got a place."""
        if not self._traps.counts:
            return
        self._twins.add(page.key)
        for one in self._alike.get(page.key, ()):
            name = stored_key(one.name)
            self._counts[name] = self._counts.get(name, 0) + 1
            self._changed.add(name)

    def write(self, recording: Recording) -> None:
        """Write the counts that have changed."""
        if not self._changed:
            return
        recording.write("count alike", [
            {"name": name, "pages": self._counts[name]} for name in sorted(self._changed)
        ])  # fmt: skip
        self._changed = set()


def _stored(keys: Iterable[str]) -> list[str]:
    return sorted(set(map(stored_key, keys)))
