"""A captured web: what WARC files say that an address answered at a time.

The answer at a time is the latest capture at or before it. Before the first capture of a page, it
is the first one: nobody knows what the page was before, and a crawl that begins at the first
capture of the web would otherwise find almost nothing. What was never captured is unknown, which is
not the same as a captured 404.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from counterpoint.crawler.documents.addresses import joined, site
from counterpoint.crawler.errors import CrawlError

from .archives import Archived, unpacked
from .cdxj import seconds_of, stamp_at
from .index import CaptureIndex, Found
from .indexing import Tell
from .reading import CaptureReader
from .wat import WatPage, page_of

HOPS = 10
"""The most redirects that are followed."""
_LAST = 253_402_300_799
"""The last second of the year 9999."""


class CapturedAnswer(NamedTuple):
    """What an address answered.

    Attributes
    ----------
    address : str
        Normalized, as it was captured.
    time : int
        When it was captured, in seconds since 1970.
    status : int
    headers : dict of str to str
        By name in lower case, see `warc_records.named`.
    body : bytes
        Without its codings.
    whole : bool
        Whether the body is known to be as it was sent. It is not if the capture was cut, or is a
        revisit of which the payload is missing, or cannot be unpacked.
    kind : str
        The type of the record, such as ``response`` or ``revisit``.
    coded : bool
        Whether the body is still coded, since nobody here knows its content coding.
    """

    address: str
    time: int
    status: int
    headers: dict[str, str]
    body: bytes
    whole: bool
    kind: str
    coded: bool = False

    @property
    def leads_to(self) -> str | None:
        """The normalized address to which a redirect leads; None if it is no redirect."""
        if self.status not in (301, 302, 303, 307, 308) or "location" not in self.headers:
            return None
        return joined(self.address, self.headers["location"])


class CapturedWeb:
    """The web in WARC files, which answers for an address and a time.

    Parameters
    ----------
    paths : iterable of Path
        WARC files, and folders of them.
    folder : Path, optional
        Where the indexes are; by default each is beside its file.
    tell : callable, optional
        Gets a line of text while an index is made.

    Raises
    ------
    CrawlError
        If a file cannot be read, an index cannot be written, or there is no capture.

    Attributes
    ----------
    index : CaptureIndex
    """

    def __init__(
        self, paths: Iterable[Path], folder: Path | None = None, tell: Tell | None = None
    ) -> None:
        self.index = CaptureIndex(paths, folder, tell)
        self._reader = CaptureReader(self.index)
        if not len(self.index):
            self.close()
            raise CrawlError(f"{self.index.files[0].path}: has no captured pages")

    def close(self) -> None:
        """Close all files."""
        self._reader.close()
        self.index.close()

    def __enter__(self) -> CapturedWeb:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @cached_property
    def span(self) -> tuple[int, int]:
        """The times of the first and of the last capture, in seconds since 1970."""
        return self.index.span

    @property
    def begin(self) -> int:
        """The time of the first capture, in seconds since 1970."""
        return self.span[0]

    def starts(self, count: int) -> list[str]:
        """Return start addresses: of the page that was captured first, then one of each host.

        Parameters
        ----------
        count : int
            The most addresses; fewer if fewer hosts have an HTML page with status 200.
        """
        first = self.index.start
        found = {site(first): first} if first else {}
        if count > 1:
            for home in self.index.homes():
                if len(found) == count:
                    break
                found.setdefault(site(home), home)
        return list(found.values())

    def capture(self, address: str, time: float, *, contents: bool = True) -> Found | None:
        """Return the capture that is shown at a time; None if the address was never captured.

        Parameters
        ----------
        address : str
            Normalized.
        time : float
            Seconds since 1970.
        contents : bool
            Whether only captures with contents count, and not those of WAT files.
        """
        stamp = stamp_at(min(max(time, 0.0), _LAST))
        return self.index.at(address, stamp, lambda one: not contents or one.type != "wat")

    def answer(self, address: str, time: float) -> CapturedAnswer | None:
        """Return what an address answered at a time; None if that is unknown.

        Parameters
        ----------
        address : str
            Normalized.
        time : float
            Seconds since 1970.

        Raises
        ------
        CrawlError
            If a file has changed or cannot be read.
        """
        found = self.capture(address, time)
        return None if found is None else self.read(found)

    def read(self, found: Found) -> CapturedAnswer | None:
        """Return the answer of a capture; None if its record has none."""
        read = self._reader.read(found)
        if read is None or not read.answer.status:
            return None
        answer, capture = read.answer, found.capture
        return _answer(answer, capture.stamp, capture.type, missing=read.missing)

    def followed(self, address: str, time: float) -> CapturedAnswer | None:
        """Return the answer after redirects; None if one of them leads to what is unknown.

        An answer whose redirects do not end is a redirect itself.
        """
        found = self.answer(address, time)
        for _ in range(HOPS):
            target = None if found is None else found.leads_to
            if found is None or target is None:
                break
            found = self.answer(target, time)
        return found

    def wat(self, found: Found) -> WatPage | None:
        """Return what a WAT file says about a page; None if the capture is none of a WAT file."""
        if found.capture.type != "wat":
            return None
        try:
            return page_of(self._reader.record(found.file, found.capture.place).data)
        except ValueError:
            return None


def _answer(answer: Archived, stamp: str, kind: str, *, missing: bool) -> CapturedAnswer:
    plain = unpacked(answer)
    whole = not (missing or plain.cut or plain.partial or plain.broken or plain.unknown)
    return CapturedAnswer(answer.address, seconds_of(stamp), answer.status, answer.headers,
                          plain.body, whole, kind, plain.unknown)  # fmt: skip
