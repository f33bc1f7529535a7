"""A captured web as arrays, which are kept in a file beside the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.archives.index import CaptureIndex
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.outputs import replacing

from .settings import CapturedSource

Array = np.ndarray[Any, Any]


class Names:
    """The names of pages or hosts, which are read when they are asked for.

    Parameters
    ----------
    count : int
    name : callable
        Returns the name of a number.
    """

    def __init__(self, count: int, name: Callable[[int], str]) -> None:
        self._count, self._name = count, name

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> str:
        return self._name(int(number))

    def __iter__(self) -> Iterator[str]:
        return map(self._name, range(self._count))


FORMAT = 1
"""The version of the arrays. It changes with them, and with how links are read."""


@dataclass(frozen=True)
class CapturedArrays:
    """The addresses of a captured web, its links, and the versions of its pages.

    First come the addresses that were captured, those of a site side by side, then the addresses on
    these hosts to which captured pages link, and which were not captured.

    Attributes
    ----------
    offsets, targets : int64[addresses + 1], int64[links]
        The links of each address in the order of its document, each target once. Redirects are
        followed.
    host : int32[addresses]
        The site of each address: its host, or a folder of it (`CapturedSource.sites`).
    external : int64[addresses]
        How many links lead to other sites; repeated links count each time.
    status : int16[addresses]
        The status of the first capture; 0: there is none.
    html : bool[addresses]
        Whether it is an HTML page with status 200.
    first, last, dies : float64[addresses]
        When it was captured first and last, and from when on it was gone (404, 410) until the last
        capture, in seconds after the first capture of the web; infinite: never.
    version_offsets : int64[addresses + 1]
        The versions of each address in the next arrays; one without contents has one of 0 bytes.
    since : float64[versions]
        When a version was captured first.
    sizes : int64[versions]
        The bytes of its document.
    line_offsets, line_hashes, line_sizes : int64[versions + 1], uint64[lines], int64[lines]
        The lines of versions of pages that have several, sorted by hash.
    hosts, addresses : str[hosts], str[addresses]
        The names of the sites, and the addresses; those of a graph are read when they are needed.
    """

    offsets: Array
    targets: Array
    host: Array
    external: Array
    status: Array
    html: Array
    first: Array
    last: Array
    dies: Array
    version_offsets: Array
    since: Array
    sizes: Array
    line_offsets: Array
    line_hashes: Array
    line_sizes: Array
    hosts: Array | Names
    addresses: Array | Names

    @property
    def pages(self) -> int:
        """The number of addresses, captured or not."""
        return len(self.host)

    @property
    def captured(self) -> Array:
        """Whether each address was captured, bool[addresses]."""
        return self.status > 0


def place_of(index: CaptureIndex, source: CapturedSource) -> Path:
    """Return where the arrays are kept: beside the first index."""
    first = index.files[0].place
    asked = repr((source.files, source.hosts, source.sites)).encode()
    name = blake2b(asked, digest_size=4).hexdigest()
    return first.with_name(f"{first.name}.{name}.npz")


def digest_of(index: CaptureIndex, source: CapturedSource) -> str:
    """Return a digest of all from which the arrays are made: 16 hexadecimal digits."""
    files = [(os.fspath(one.path.resolve()), one.about.size, one.about.time)
             for one in index.files]  # fmt: skip
    asked = repr((FORMAT, files, source.hosts, source.sites)).encode()
    return blake2b(asked, digest_size=8).hexdigest()


def save(arrays: CapturedArrays, place: Path, digest: str) -> None:
    """Write arrays to a file.

    Raises
    ------
    CrawlError
        If they cannot be written.
    """
    named = {one.name: getattr(arrays, one.name) for one in fields(arrays)}
    try:
        with replacing(place) as written, written.open("wb") as file:
            np.savez(file, digest=np.array(digest), **named)
    except OSError as error:
        raise CrawlError(f"{place}: {error.strerror or error}") from None


def load(place: Path, digest: str) -> CapturedArrays | None:
    """Return the arrays in a file; None if it has none of this digest."""
    try:
        with np.load(place, allow_pickle=False) as found:
            if str(found["digest"]) != digest:
                return None
            return CapturedArrays(**{one.name: found[one.name] for one in fields(CapturedArrays)})
    except MemoryError:
        raise
    except Exception:  # zipfile and NumPy raise whatever wrong bytes lead them to
        return None
