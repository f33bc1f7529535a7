"""Finds pages by a part of their address, without an index in the store that a crawl would keep up.

Addresses are read once, in the order in which pages were found, and then those that have come
since. They are kept in a file without a name, which ends with the process; a search reads that
file. Nothing is written into the store, so a crawl is not slower, and SQLite and PostgreSQL are
searched alike. Addresses are ASCII, see `counterpoint.crawler.documents.addresses`; letters of
either case match, as for LIKE in SQLite.

Pages are numbered in the order in which they are found, and deleted only with their site. If a site
was removed, all addresses are read again, because a later page may have got a free number.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, islice
from string import ascii_letters, digits, punctuation
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection, select

from counterpoint.crawler.errors import StoreError

from .opening import Store
from .schema import pages, settings

PART = 8_192
"""How many pages are searched at a time."""
FIRST = 512
"""How many pages are read at first; then twice as many each time, up to `PART`."""
_PLAIN = ascii_letters + digits + "".join(set(punctuation) - set('"<>`'))
"""Characters that addresses have without an escape."""


class Deadline:
    """A time at which work must stop.

    Parameters
    ----------
    seconds : float
        From now on.
    clock : callable
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Return the seconds that are left; 0 if none are."""
        return max(0.0, self._end - self._clock())


class IndexOutdatedError(StoreError):
    """The addresses were read again during a search."""


class _Part(NamedTuple):
    """Some pages: their numbers, where each address begins in their text, and where that is."""

    ids: array[int]
    starts: array[int]
    place: int
    length: int


class AddressIndex:
    """The addresses of a store; safe to use from several threads.

    Parameters
    ----------
    store : Store
    part : int
        How many pages are read at a time.
    """

    def __init__(self, store: Store, part: int = PART) -> None:
        self._store, self._size = store, part
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 it is closed by `close`
        self._reads, self._lock = threading.Lock(), threading.Lock()
        self._parts: tuple[_Part, ...] = ()
        self._removals: str | None = None
        self._closed = False

    def close(self) -> None:
        """Remove the file; a `refresh` in another thread ends."""
        self._closed = True
        with self._reads, self._lock:
            self._parts = ()
            self._file.close()

    @property
    def last(self) -> int:
        """The number of the last page that was read; -1: none."""
        parts = self._parts
        return parts[-1].ids[-1] if parts else -1

    def refresh(self, deadline: Deadline) -> bool:
        """Read the addresses that are missing; return whether none is missing now.

        Parameters
        ----------
        deadline : Deadline
            When to stop. At least `FIRST` pages are read, unless another thread reads meanwhile.

        Raises
        ------
        StoreError
            If the store cannot be read.
        """
        most = min(FIRST, self._size)
        while self._reads.acquire(timeout=min(deadline.left(), threading.TIMEOUT_MAX)):
            try:
                if self._closed or self._read(most):
                    return not self._closed
            finally:
                self._reads.release()
            if not deadline.left():
                break
            most = min(2 * most, self._size)
        return False

    def _read(self, most: int) -> bool:
        """Read some more addresses; return whether these were the last ones."""
        with self._store.reading() as connection:
            removals = _removals(connection)
            if removals != self._removals:
                with self._lock:  # before the file is written anew
                    self._parts, self._removals = (), removals
            parts = self._parts
            last = parts[-1] if parts else _Part(array("q"), array("I"), 0, 0)
            if len(last.ids) < self._size:
                parts, most = parts[:-1], min(most, self._size - len(last.ids))
            else:
                last = _Part(array("q"), array("I"), last.place + last.length, 0)
            after = last.ids[-1] if last.ids else parts[-1].ids[-1] if parts else -1
            query = select(pages.c.id, pages.c.address).where(pages.c.id > after)
            rows = connection.execute(query.order_by(pages.c.id).limit(most)).all()
        if rows:
            last = self._longer(last, [row.id for row in rows], [row.address for row in rows])
            self._parts = (*parts, last)
        return len(rows) < most

    def _longer(self, part: _Part, ids: list[int], addresses: list[str]) -> _Part:
        """Append addresses to a part; who searches the shorter part meanwhile reads the same."""
        texts = [address.encode("utf-8", "surrogatepass").lower() for address in addresses]
        # NUL is in no address, so that no word is found across two of them.
        text = b"\0".join(texts) + b"\0"
        starts = accumulate((len(one) + 1 for one in texts[:-1]), initial=part.length)
        self._write(text, part.place + part.length)
        return _Part(part.ids + array("q", ids), part.starts + array("I", starts), part.place,
                     part.length + len(text))  # fmt: skip

    def _write(self, text: bytes, place: int) -> None:
        """Write a text at a place of the file.

        Raises
        ------
        StoreError
            If the disk is full.
        """
        done = 0
        try:
            while done < len(text):
                done += os.pwrite(self._file.fileno(), text[done:], place + done)
        except OSError as error:
            raise StoreError(f"the addresses for a search: {error.strerror}") from error

    def _text(self, part: _Part, removals: str | None) -> bytes:
        with self._lock:
            if self._closed or self._removals != removals:
                raise IndexOutdatedError("a site was removed during the search: search again")
            return os.pread(self._file.fileno(), part.length, part.place)

    def hits(
        self, words: str, after: int | None = None, *, backward: bool = False
    ) -> Iterator[int]:
        """Yield the numbers of the pages whose address contains a text, in their order.

        A page that was removed since the last `refresh` may be among them.

        Parameters
        ----------
        words : str
        after : int or None
            Only pages after this one, or before it if ``backward``.
        backward : bool
            Whether the last page comes first.

        Raises
        ------
        IndexOutdatedError
            If a site was removed meanwhile, and another thread has read the addresses again.
        """
        needles = [one.encode("utf-8", "surrogatepass").lower() for one in spellings(words)]
        with self._lock:
            parts, removals = self._parts, self._removals
        for part in reversed(parts) if backward else parts:
            if after is not None and not (
                part.ids[0] < after if backward else part.ids[-1] > after
            ):
                continue
            text = self._text(part, removals)
            found: Iterator[int] = iter(sorted({
                number for needle in needles for number in _found(part, text, needle)
            }, reverse=True)) if backward or len(needles) > 1 else _found(
                part, text, needles[0], 0 if after is None else bisect_right(part.ids, after)
            )  # fmt: skip
            for number in found:
                if after is None or (number < after if backward else number > after):
                    yield number

    def some(self, words: str, most: int) -> list[int]:
        """Return the numbers of the first pages whose address contains a text, at most `most`."""
        return list(islice(self.hits(words), most))


def spellings(words: str) -> list[str]:
    """Return a text as typed and, if addresses have it with escapes, as they have it."""
    return list(dict.fromkeys((words, quote(words, safe=_PLAIN, errors="surrogatepass"))))


def _found(part: _Part, text: bytes, needle: bytes, first: int = 0) -> Iterator[int]:
    """Yield the numbers of pages whose text has a needle, from the page at an index on."""
    starts, ids = part.starts, part.ids
    at = text.find(needle, starts[first]) if first < len(ids) else -1
    while at >= 0:
        number = bisect_right(starts, at, first) - 1
        yield ids[number]
        first = number + 1
        at = text.find(needle, starts[first]) if first < len(ids) else -1


def _removals(connection: Connection) -> str | None:
    """Return a value that changes when a site is removed, see `seeds.announce_change`."""
    query = select(settings.c.value).where(settings.c.name == "retries")
    value: str | None = connection.execute(query).scalar()
    return value
