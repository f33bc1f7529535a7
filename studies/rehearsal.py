"""Rehearsals: a stored crawl on a synthetic web, in process and in virtual time.

The web answers with the same bytes as its server would. Faults of the connection and of the body
cannot be shown without a socket: an answer that never ends, breaks off or has a wrong length comes
whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from multidict import CIMultiDict, CIMultiDictProxy

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.network import Answer, PageRequest
from counterpoint.crawler.fetching.offline import answer_at_hand
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.serving import start_addresses, web_of
from counterpoint.sim_web.world.site import SyntheticSite

NO_ANSWER = "no answer came"


class RehearsedWeb(NamedTuple):
    """The web of a rehearsal: a profile, and optionally the number of pages and the seed."""

    profile: str
    pages: int | None = None
    seed: int = 0

    def absolute(self) -> RehearsedWeb:
        """Return the same web, with an absolute path if its profile is a file."""
        file = Path(self.profile)
        return self._replace(profile=str(file.absolute())) if file.is_file() else self

    def __str__(self) -> str:
        pages = "" if self.pages is None else f",pages={self.pages}"
        return f"{self.profile}{pages}" + f",seed={self.seed}" * bool(self.seed)

    @property
    def web(self) -> Web:
        """The web.

        Raises
        ------
        CrawlError
            If there is no such profile, or no web of so many pages.
        """
        try:
            return web_of(self.profile, self.pages, self.seed)
        except WebError as error:
            raise CrawlError(f"--web: {error}") from error


def rehearsed_web(text: str) -> RehearsedWeb:
    """Return the web that a text names: ``living``, ``living,pages=500``, ``mine.toml,seed=3``.

    Raises
    ------
    CrawlError
        If the text names none.
    """
    profile, *given = text.split(",")
    values: dict[str, int] = {}
    for part in given:
        name, _, value = part.partition("=")
        if name not in ("pages", "seed") or not (value.isascii() and value.isdigit()):
            raise CrawlError(f"--web: {part!r} is not pages=N or seed=N")
        values[name] = int(value)
    return RehearsedWeb(profile, values.get("pages"), values.get("seed", 0))


def first_start(text: str) -> str:
    """Return a start address of the web that a text names."""
    return start_addresses(rehearsed_web(text).web)[0]


def rehearsal(text: str, now: Callable[[], float], limits: Limits) -> RehearsalFetcher:
    """Return what answers for the web that a text names, as `crawling.crawl` needs it."""
    return RehearsalFetcher(rehearsed_web(text).web, now, limits)


class RehearsalFetcher:
    """A `Fetcher` that answers as a synthetic web does at a time.

    Parameters
    ----------
    web : Web
    now : callable
        Returns the virtual time, in seconds since the beginning of the web.
    limits : Limits
        How much of a body is read.
    """

    def __init__(self, web: Web, now: Callable[[], float], limits: Limits | None = None) -> None:
        self.site, self._now = SyntheticSite(web), now
        self._limits = limits or Limits()

    async def fetch(self, wanted: PageRequest) -> Answer:
        """Return the answer to a request now."""
        found = self.site.answer(Question(
            wanted.address, self._now(), if_none_match=wanted.etag or None,
            if_modified_since=wanted.modified or None,
        ))  # fmt: skip
        if not found.status:
            return Answer(0, problem=NO_ANSWER)
        headers = CIMultiDictProxy(CIMultiDict(found.headers))
        return answer_at_hand(wanted, self._limits, found.status, headers, found.body,
                              coded="Content-Encoding" in headers)  # fmt: skip

    async def close(self) -> None:
        """Do nothing: there are no connections."""
