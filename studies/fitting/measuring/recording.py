"""Writes what a synthetic web answers as a WARC file, so that it is measured as a captured web."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.answer import Answer, Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address, name_of
from counterpoint.sim_web.world.links import read
from counterpoint.sim_web.world.site import SyntheticSite

Tell = Callable[[str], None]
_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_REPORTED = 1_000
_FOLLOWED = (Kind.REDIRECT, Kind.MISSING, Kind.FRAME, Kind.ALIAS)
"""What is asked for besides the pages, where a page links to it."""


def record(web: Web, path: Path, times: Iterable[float] = (0.0,), tell: Tell | None = None) -> None:
    """Write every page of a web, and what its pages link to, as a WARC file.

    Traps, such as endless calendars, are not asked for. Each host is asked for its robots.txt and
    its sitemap.

    Parameters
    ----------
    web : Web
    path : Path
        An uncompressed WARC file, which is replaced.
    times : iterable of float
        The virtual times of the captures, in seconds.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            for time in times:
                _Recorder(web, file, time, tell).all()
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from None


class _Recorder:
    """Writes the captures of one virtual time."""

    def __init__(self, web: Web, file: BinaryIO, time: float, tell: Tell | None) -> None:
        self._web, self._file, self._time, self._tell = web, file, time, tell
        self._site = SyntheticSite(web)
        self._date = f"{_BEGIN + timedelta(seconds=time):%Y-%m-%dT%H:%M:%SZ}"

    def all(self) -> None:
        """Write all captures: hosts, pages, then what the pages link to."""
        for host in range(self._web.hosts):
            for path in ("robots.txt", "sitemap.xml"):
                self._asked(f"http://{name_of(self._web, host)}/{path}")
        known = {address(self._web, page) for page in range(self._web.pages)}
        wanted = dict.fromkeys(self._linked(known))
        while wanted:
            url, _ = wanted.popitem()
            known.add(url)
            answer = self._asked(url)
            wanted.update(dict.fromkeys(one for one in _next(answer, url) if one not in known))

    def _linked(self, known: set[str]) -> Iterator[str]:
        for page in range(self._web.pages):
            url = address(self._web, page)
            for one in _next(self._asked(url), url):
                if one not in known:
                    yield one
            if self._tell is not None and (page + 1) % _REPORTED == 0:
                self._tell(f"{page + 1:,} of {self._web.pages:,} pages written")

    def _asked(self, url: str) -> Answer | None:
        """Write the answer of an address; None if it is none that is followed."""
        question = Question(url, self._time)
        if self._site.kind(question) is Kind.TRAP:
            return None
        sent = self._site.answer(question._replace(accept_encoding="gzip, br"))
        if not sent.status:
            return None
        coding = (("Transfer-Encoding", "chunked"),) if sent.chunked else ()
        head = [f"HTTP/1.1 {sent.status} -", *(f"{n}: {v}" for n, v in (*sent.headers, *coding))]
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(sent.body), sent.body) if coding else sent.body
        block = "\r\n".join([*head, "", ""]).encode() + body
        lines = ["WARC/1.1", "WARC-Type: response", f"WARC-Date: {self._date}",
                 f"WARC-Target-URI: {url}", f"Content-Length: {len(block)}", "", ""]  # fmt: skip
        self._file.write("\r\n".join(lines).encode() + block + b"\r\n\r\n")
        return self._site.answer(question)


def _next(answer: Answer | None, url: str) -> list[str]:
    """Return the addresses to which an answer leads."""
    if answer is None:
        return []
    if answer.kind is Kind.REDIRECT:
        goal = dict(answer.headers)["Location"]
        return [goal if "://" in goal else "/".join(url.split("/")[:3]) + goal]
    wanted = answer.status == 200 and answer.kind in (Kind.PAGE, *_FOLLOWED)
    return [one.partition("#")[0] for one in read(answer.body, url).urls] if wanted else []
