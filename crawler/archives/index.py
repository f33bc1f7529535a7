"""Finds captures in the indexes of WARC files by address and time, without reading them whole."""

from __future__ import annotations

import heapq
import mmap
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.errors import CrawlError

from .archives import files_of
from .cdxj import STAMP, Capture, capture_of, key_of, place_of, reference_key, seconds_of
from .indexing import Tell, about, indexed
from .warc_bytes import Place
from .warc_records import Damage

SEARCHES = 16
"""After so many searches the system may take back the memory of the map: each search touches pages
all over it, so that in the end all of a large index would be in memory."""
LOOKED_AT = 1_000
"""The captures of a host among which its first page is looked for."""
_LONGEST = 1 << 17
"""The most bytes of a line; an index of ours has shorter ones."""


class FileIndex:
    """The index of one WARC file.

    Parameters
    ----------
    path : Path
        The WARC file.
    place : Path
        Its index.

    Raises
    ------
    CrawlError
        If the index cannot be opened.

    Attributes
    ----------
    path, place : Path
        The WARC file, and its index.
    about : About
    """

    def __init__(self, path: Path, place: Path) -> None:
        found = about(place)
        if found is None:
            raise CrawlError(f"{place}: is no index")
        self.path, self.about, self.place = path, found, place
        try:
            with place.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise CrawlError(f"{place}: {error.strerror or error}") from None
        self._searches = 0
        if hasattr(mmap, "MADV_RANDOM"):
            self._map.madvise(mmap.MADV_RANDOM)

    def close(self) -> None:
        """Close the index."""
        self._map.close()

    def captures(self) -> Iterator[Capture]:
        """Yield all captures, by key and time. They are read from the file, not from the map."""
        with self.place.open("rb") as file:
            while line := file.readline(_LONGEST):
                if not line.startswith(b"!"):
                    yield self._capture(line)

    def latest(self, key_: bytes, stamp: str, fits: Callable[[Capture], bool]) -> Capture | None:
        """Return the last capture of a key at or before a time that fits; None if there is none."""
        prefix = key_ + b" "
        at = self._first(prefix + stamp.encode() + b"!")  # "!" is the first sign after a blank
        while at > 0:
            begin = self._map.rfind(b"\n", 0, at - 1) + 1
            line = self._map[begin:at]
            if not line.startswith(prefix):
                return None
            found = self._capture(line)
            if fits(found):
                return found
            at = begin
        return None

    def from_(self, key_: bytes, stamp: str = "") -> Iterator[Capture]:
        """Yield the captures of a key at or after a time, in the order of time."""
        prefix = key_ + b" "
        for line in self._lines(prefix + stamp.encode()):
            if not line.startswith(prefix):
                return
            yield self._capture(line)

    def hosts(self) -> Iterator[bytes]:
        """Yield the beginning of the keys of each host, up to the bracket, in their order."""
        least = b'"'  # the sign after "!"
        while True:
            at = self._first(least)
            if at == len(self._map):
                return
            host = self._map[at : self._map.find(b")", at) + 1]
            yield host
            least = host + b"\xff"

    def of_host(self, host: bytes) -> Iterator[Capture]:
        """Yield the captures of a host by key and time, see `hosts`."""
        for line in self._lines(host):
            if not line.startswith(host):
                return
            yield self._capture(line)

    def references(self, kind: str, name: str) -> Iterator[Place]:
        """Yield the places of records by something else, see `cdxj.reference_key`.

        Different names can have one key, so that a reader must compare what it finds.
        """
        prefix = reference_key(kind, name)
        for line in self._lines(prefix):
            if not line.startswith(prefix):
                return
            try:
                yield place_of(line)
            except ValueError:
                raise self._damaged() from None

    def _lines(self, least: bytes) -> Iterator[bytes]:
        """Yield the lines that are not before some bytes."""
        at = self._first(least)
        while at < len(self._map):
            end = self._map.find(b"\n", at) + 1 or len(self._map)
            yield self._map[at:end]
            at = end

    def _first(self, least: bytes) -> int:
        """Return where the first line begins that is not before some bytes."""
        self._searches += 1
        if self._searches % SEARCHES == 0 and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
        low, high = 0, len(self._map)
        while low < high:
            middle = (low + high) // 2
            begin = self._map.rfind(b"\n", low, middle) + 1 or low
            end = self._map.find(b"\n", middle, high) + 1 or high
            if self._map[begin : min(end, begin + len(least))] < least:
                low = end
            else:
                high = begin
        return low

    def _capture(self, line: bytes) -> Capture:
        try:
            return capture_of(line)
        except ValueError:
            raise self._damaged() from None

    def _damaged(self) -> CrawlError:
        return CrawlError(f"{self.place}: is damaged; delete it, so that it is made again")


class Found(NamedTuple):
    """A capture, and the index of the file that has it."""

    capture: Capture
    file: FileIndex


def _found_in(file: FileIndex) -> Iterator[Found]:
    return (Found(capture, file) for capture in file.captures())


Fits = Callable[[Capture], bool]


class CaptureIndex:
    """The indexes of several WARC files as one.

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
        If a file is no WARC file or cannot be read, or if an index cannot be written.

    Attributes
    ----------
    files : tuple of FileIndex
    """

    def __init__(
        self, paths: Iterable[Path], folder: Path | None = None, tell: Tell | None = None
    ) -> None:
        found = dict.fromkeys(file for path in paths for file in files_of(path))
        self.files = tuple(FileIndex(path, indexed(path, folder, tell)) for path in found)

    def close(self) -> None:
        """Close all indexes."""
        for one in self.files:
            one.close()

    def __len__(self) -> int:
        """Return the number of captures."""
        return sum(one.about.captures for one in self.files)

    @property
    def span(self) -> tuple[int, int]:
        """The times of the first and of the last capture, in seconds since 1970."""
        times = [(one.about.first, one.about.last) for one in self.files if one.about.captures]
        begin, end = min(first for first, _ in times), max(last for _, last in times)
        return seconds_of(begin), seconds_of(end)

    @property
    def damages(self) -> list[Damage]:
        """The damaged places of all files."""
        return [Damage(one.path, at, why) for one in self.files for at, why in one.about.damages]

    def captures(self) -> Iterator[Found]:
        """Yield all captures, by key and time."""
        each = map(_found_in, self.files)
        return heapq.merge(
            *each, key=lambda found: (key_of(found.capture.url).encode(), found.capture.stamp)
        )

    def of(self, address: str) -> list[Found]:
        """Return all captures of a page, in the order of time."""
        wanted, name = key(address), key_of(address).encode()
        found = [Found(capture, one) for one in self.files for capture in one.from_(name)
                 if key(capture.url) == wanted]  # fmt: skip
        return sorted(found, key=lambda one: one.capture.stamp)

    def at(self, address: str, stamp: str, fits: Fits = lambda _: True) -> Found | None:
        """Return the latest capture of a page at or before a time; before the first, the first.

        Parameters
        ----------
        address : str
            Normalized. An address with a slash at the end of its path is the same page.
        stamp : str
            The time, 14 digits.
        fits : callable, optional
            Returns whether a capture counts.
        """
        wanted, name = key(address), key_of(address).encode()

        def counts(capture: Capture) -> bool:
            return key(capture.url) == wanted and fits(capture)

        best: Found | None = None
        for one in self.files:
            found = one.latest(name, stamp, counts)
            if found is not None and (best is None or best.capture.stamp <= found.stamp):
                best = Found(found, one)
        if best is not None:
            return best
        for one in self.files:
            found = next((capture for capture in one.from_(name) if counts(capture)), None)
            if found is not None and (best is None or found.stamp < best.capture.stamp):
                best = Found(found, one)
        return best

    def homes(self) -> Iterator[str]:
        """Yield for each host, by name, the address of its home page.

        That is the page ``/`` if it was captured with status 200, and otherwise the page that was
        captured first. Of each host and file, only the first `LOOKED_AT` captures by address are
        looked at. Within a second, the order is that of the file.
        """
        hosts = dict.fromkeys(heapq.merge(*(one.hosts() for one in self.files)))
        for host in hosts:
            pages = [
                (key_of(one.url) != f"{host.decode()}/", one.stamp, number, one.place, one.url)
                for number, file in enumerate(self.files)
                for one in islice(file.of_host(host), LOOKED_AT) if one.is_page
            ]  # fmt: skip
            if pages:
                yield min(pages)[-1]

    @property
    def start(self) -> str:
        """The address of the page that was captured first; "" if there is none."""
        starts = [one.about.start for one in self.files if one.about.start]
        return min(starts, default="")[STAMP + 1 :]

    def references(self, kind: str, name: str) -> Iterator[tuple[FileIndex, Place]]:
        """Yield the places of records by something else; see `FileIndex.references`."""
        for one in self.files:
            for place in one.references(kind, name):
                yield one, place
