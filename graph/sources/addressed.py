"""Reads graphs whose pages are addresses; pages are sorted by host, hosts by domain, in memory."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.arrays import Arrays, ListedAddresses
from counterpoint.graph.storage.pages import Tell, divided

from .numbered import identity, pieces


class GatheredLinks(NamedTuple):
    """Links between addresses, in the order in which they were read.

    Attributes
    ----------
    addresses : list of bytes
        The addresses of the pages.
    crawled : bool, shape (pages,)
        Whether each page was crawled.
    sources, targets : int, shape (links,)
        Indices of ``addresses``.
    """

    addresses: list[bytes]
    crawled: Array
    sources: Array
    targets: Array


def arranged(found: GatheredLinks, least: int, name: str) -> Arrays:
    """Return the graph of the pages that were crawled or have enough in-links.

    Parameters
    ----------
    found : GatheredLinks
        The links.
    least : int
        How many crawled pages must link to a page that was not crawled ([WEB]: 5).
    name : str
        The name of the source.
    """
    count = len(found.addresses)
    pairs = np.unique(found.sources.astype(np.uint64) << np.uint64(32) | found.targets)
    sources, targets = pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)
    known = found.crawled[sources.astype(np.int64)]
    in_links = np.bincount(targets[known].astype(np.int64), minlength=count)
    kept = np.flatnonzero(found.crawled | (in_links >= least))
    parts = [divided(found.addresses[k]) for k in kept.tolist()]
    order = sorted(range(len(parts)), key=lambda k: (by_domain(parts[k][0]), parts[k]))
    ids = np.full(count, -1, dtype=np.int64)
    ids[kept[order]] = np.arange(len(kept))
    begins, ends = ids[sources.astype(np.int64)], ids[targets.astype(np.int64)]
    inside = (begins >= 0) & (ends >= 0)
    rows = np.argsort(begins[inside], kind="stable")
    degrees = np.bincount(begins[inside], minlength=len(kept))
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    hosts = [parts[k][0] for k in order]
    firsts = [k for k in range(len(hosts)) if k == 0 or hosts[k] != hosts[k - 1]]
    listed = ListedAddresses([hosts[k] for k in firsts], [parts[k][1] for k in order])
    bounds = [*firsts, len(hosts)]
    return Arrays(offsets, ends[inside][rows].astype(np.uint32), bounds, listed, name)


def by_domain(host: bytes) -> tuple[bytes, ...]:
    """Return a sort key that puts hosts of a domain together: the labels, top level first."""
    name, colon, port = host.rpartition(b":")
    return (*reversed((name if colon else host).split(b".")), port if colon else b"")


class AddressList:
    """A list of links between addresses, two on a line; a page without links may stand alone.

    The list does not say which pages were crawled. If ``least`` is above 1, a page counts as
    crawled if it has links or stands alone on a line.

    Parameters
    ----------
    path : Path
        The file.
    least : int
        As in `arranged`.

    Raises
    ------
    GraphError
        If a line is invalid, and the message names the line; or if there is no link.
    """

    def __init__(self, path: Path, least: int = 1) -> None:
        self._path, self._least = path, least
        self.name = f"addresses {identity(path)} least {least}"

    def read(self, folder: Path, tell: Tell) -> Arrays:
        """Return the pages; they and their links must fit into memory."""
        numbers: dict[bytes, int] = {}
        crawled: list[int] = []
        ends: list[int] = []
        line = 0
        for piece in pieces(self._path):
            for text in piece.split(b"\n")[:-1]:
                line += 1
                found = [] if text[:1] in (b"#", b"%") else text.split()
                if not found:
                    continue
                if len(found) > 2 or not all(b"." in one or b"/" in one for one in found):
                    shown = ascii(text.decode("utf-8", "replace")[:60])
                    raise GraphError(f"{self._path}: line {line:,}: {shown} is not two addresses")
                pages = [numbers.setdefault(one, len(numbers)) for one in found]
                crawled.append(pages[0])
                if len(pages) == 2:
                    ends += pages
            if tell:
                tell(f"read {line:,} lines")
        if crawled and not ends:
            raise GraphError(f"{self._path}: no line has two addresses: these are pages, not links")
        links = np.array(ends, dtype=np.uint32).reshape(-1, 2)
        were = np.zeros(len(numbers), dtype=bool)
        were[crawled] = True
        gathered = GatheredLinks([*numbers], were, links[:, 0], links[:, 1])
        return arranged(gathered, self._least, self.name)
