"""The frontier in the store, of which a window per site is read ahead."""

from __future__ import annotations

from collections import deque
from typing import Any

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.recording import Recording

WINDOW = 32
"""How many pages of a site are read ahead."""
RUN = 256
"""How many pages of the whole web are read ahead."""


class NotRepeated(Exception):
    """In a replay of its calls, a policy decides differently than before."""


class StoredFrontier:
    """A `protocol.Frontier`.

    Within a site the page of the lowest level is next, of equals the one found first.

    Parameters
    ----------
    sites : sequence of int
        The number in the store of each site, in the plan's order.

    Attributes
    ----------
    recording : Recording
        The recording of the present transaction; the caller of the scheduler sets it.
    used : bool
        Whether the scheduler has called any method.
    expected : tuple of int and (int or None), or None
        During a replay: the page that was taken, and its site's number in the store.
    latest : tuple of int
        The result of `news`; set before an outcome is observed.
    trouble : Exception or None
        An error of the store, for which the policy is not to blame.
    """

    def __init__(self, sites: list[int]) -> None:
        self.recording: Recording | None = None
        self.used = False
        self.expected: tuple[int, int | None] | None = None
        self.latest = (0, 0)
        self.trouble: Exception | None = None
        self.number_of: dict[int | None, int] = {seed: k for k, seed in enumerate(sites)}
        self._sites = sites
        self._windows: dict[int, deque[int]] = {}
        self._run: dict[int, int] = {}
        self._hosts: dict[str, int] = {}
        self._host_of: dict[int, int] = {}

    def first(self, k: int) -> int:
        """Take the next page of site number ``k`` of the plan."""
        self.used = True
        if self.expected is not None:
            page, seed = self.expected
            if seed != self._sites[k]:
                raise NotRepeated(f"it chose site {self._sites[k]} in place of site {seed}")
            if k in self._windows and page in self._windows[k]:  # another worker has taken it
                self._windows[k].remove(page)
            return page
        window = self._windows.setdefault(k, deque())
        if not window:
            window.extend(row.id for row in self._read("queue", seed=self._sites[k], most=WINDOW))
        if not window:
            self.trouble = CrawlError(f"the store has no page of site {self._sites[k]} where one "
                                      "must wait")  # fmt: skip
            raise self.trouble
        return window.popleft()

    def found(self, number: int) -> int:
        """Return a page by its place."""
        self.used = True
        if number not in self._run:
            rows = self._read("places", first=number, end=number + RUN)
            self._run = {row.place: row.id for row in rows}
        return self._run[number]

    def news(self) -> tuple[int, int]:
        """Return the site of the last outcome, and how many pages it was the first to find."""
        self.used = True
        return self.latest

    def host(self, page: int) -> int | None:
        """Return the number of the host of a page; None if only a transaction could tell."""
        if page not in self._host_of:
            if self.recording is None:
                return None
            self.set_host(page, site(self._read("page", id=page)[0].address))
        return self._host_of[page]

    def set_host(self, page: int, host: str) -> None:
        """Set the host of a page, so that no transaction is needed to return its number."""
        self._host_of[page] = self._hosts.setdefault(host, len(self._hosts))

    def _read(self, kind: str, **parameters: int) -> list[Any]:
        assert self.recording is not None
        try:
            return self.recording.read(kind, **parameters)
        except Exception as error:
            self.trouble = error
            raise
