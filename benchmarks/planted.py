"""Generates a planted web as fast as a store is built.

`sim_web` makes better webs, at 8 microseconds a page. This module takes a tenth of that. Its webs
have the properties that matter for a store and its algorithms: a known bow-tie, hosts of Zipf
sizes, two of three links within the host, degrees with heavy tails.

Some links are guaranteed, so that the bow-tie exists. A host is a tree: each page links to up to
eight others, and back to the start page. The start pages of SCC form a ring. SCC links to the start
page of each host of OUT. IN links to the start page of each host of the tubes and of the tendrils
off IN. The start pages of IN link to SCC; those of the other tendrils and of the tubes link to OUT.
All other links are free; outside SCC they lead to later hosts only.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.compiling import compiled
from counterpoint.graph.storage.codes import BLOCK
from counterpoint.graph.storage.sorting import Rows
from counterpoint.graph.storage.texts import Ragged

SHARES = (0.2774, 0.2129, 0.2121, 0.1026, 0.1026, 0.0100, 0.0824)
"""SCC, IN, OUT, tendrils off IN, tendrils to OUT, tubes, disconnected ([WEB])."""

SCC, IN, OUT, FROM_IN, TO_OUT, TUBES, DISCONNECTED = range(7)

PAGES_OF_HOST, EXPONENT, SHIFT = 40, 0.8, 3.0
"""The mean size of hosts; sizes fall with the rank to the power ``-EXPONENT``, shifted."""

LEAST, OUT_EXPONENT, MOST = 4.75, 2.72, 100_000
"""The numbers of free links: half the pages have up to `LEAST`, the others more, by a power law."""

WITHIN, TO_START = 0.60, 0.8
"""The share of free links within the host, and of the others the share to start pages."""

MIX = np.cumsum(
    [
        [0.75, 0.00, 0.25, 0.00, 0.00, 0.00, 0.00],
        [0.55, 0.30, 0.10, 0.03, 0.00, 0.02, 0.00],
        [0.00, 0.00, 1.00, 0.00, 0.00, 0.00, 0.00],
        [0.00, 0.00, 0.00, 1.00, 0.00, 0.00, 0.00],
        [0.00, 0.00, 0.70, 0.00, 0.30, 0.00, 0.00],
        [0.00, 0.00, 0.70, 0.00, 0.00, 0.30, 0.00],
        [0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 1.00],
    ],
    axis=1,
).round(9)
"""For each region, the cumulative shares of the regions to which free links out of a host lead.

No such link changes the component of its ends.
"""

FOLDERS = ("about", "archive", "articles", "books", "catalogue", "contacts", "departments", "docs",
           "events", "gallery", "guides", "history", "journal", "lectures", "library", "news",
           "notes", "people", "projects", "reports", "research", "services", "staff",
           "texts")  # fmt: skip
WORDS = ("annual", "bridge", "chapter", "city", "collection", "current", "early", "evening",
         "field", "first", "garden", "group", "index", "island", "letter", "list", "map",
         "material", "meeting", "method", "model", "museum", "new", "old", "overview", "page",
         "paper", "part", "plan", "programme", "river", "school")  # fmt: skip
_SYLLABLES = [c + v for c in "bdfghjklmnprstvz" for v in "aeiou"]


@compiled
def _hash(page: Any, number: Any) -> Any:
    """Return 64 bits for a page and a number (the finalizer of SplitMix64)."""
    z = np.uint64(page) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number) * np.uint64(
        0xD1342543DE82EF95
    )
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _unit(bits: Any) -> Any:
    return np.float64(np.int64(bits >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@compiled
def _any_host(regions: Any, goal: Any, u: Any) -> Any:
    """Return a host of a region; its probability is inverse to its rank."""
    hosts = regions[goal, 3]
    rank = np.int64(np.exp(u * np.log(hosts + 1.0))) - 1
    return regions[goal, 2] + min(max(rank, 0), hosts - 1)


@compiled
def _later_host(regions: Any, region: Any, host: Any, u: Any) -> Any:
    """Return a later host of the same region, or -1."""
    left = regions[region, 2] + regions[region, 3] - host - 1
    return -1 if left <= 0 else host + 1 + np.int64(left * u * u)


@compiled
def _outside(regions: Any, region: Any, host: Any, u: Any, v: Any) -> Any:
    """Return the host to which a free link out of a host leads, or -1; ``u`` and ``v`` decide."""
    if region == DISCONNECTED:
        return -1
    goal = 0
    while u >= MIX[region, goal]:
        goal += 1
    if goal == region and region != SCC:
        return _later_host(regions, region, host, v)
    return _any_host(regions, goal, v)


@compiled
def _entry(regions: Any, base: Any, goal: Any, page: Any) -> Any:
    """Return the host of region ``goal`` to which a page of region ``base`` must link, or -1."""
    inside, pages, hosts = page - regions[base, 0], regions[base, 1], regions[goal, 3]
    child = (inside * hosts + pages - 1) // pages
    if child < hosts and child * pages // hosts == inside:
        return regions[goal, 2] + child
    return -1


@compiled
def _leads_to(regions: Any, region: Any, host: Any, page: Any) -> Any:
    """Return the host to which a start page must link, or -1."""
    if region == SCC:
        return regions[SCC, 2] + (host + 1 - regions[SCC, 2]) % regions[SCC, 3]
    if region == IN:
        return _any_host(regions, SCC, _unit(_hash(page, 1)))
    if region in (TO_OUT, TUBES):
        return _any_host(regions, OUT, _unit(_hash(page, 1)))
    return -1


@compiled
def _put_guaranteed(
    regions: Any, hosts: Any, region: Any, host: Any, page: Any, targets: Any, end: Any
) -> Any:
    """Write the guaranteed links of a page to ``targets`` from ``end`` on; return the new end."""
    start, after = np.int64(hosts[host]), np.int64(hosts[host + 1])
    inside = page - start
    if inside > 0:
        targets[end] = start
        end += 1
    for child in range(8 * inside + 1, min(8 * inside + 9, after - start)):
        targets[end] = start + child
        end += 1
    if inside == 0:
        to = _leads_to(regions, region, host, page)
        if to >= 0:
            targets[end] = hosts[to]
            end += 1
    for base, goal in ((SCC, OUT), (IN, FROM_IN), (IN, TUBES)):
        to = _entry(regions, base, goal, page) if region == base else -1
        if to >= 0:
            targets[end] = hosts[to]
            end += 1
    return end


@compiled
def _put_free(
    regions: Any, hosts: Any, region: Any, host: Any, page: Any, many: Any, targets: Any, end: Any
) -> Any:
    """Write up to ``many`` free links of a page to ``targets`` from ``end`` on; return the end."""
    start, size = np.int64(hosts[host]), np.int64(hosts[host + 1]) - np.int64(hosts[host])
    for k in range(many):
        one, two = _hash(page, 2 * k + 8), _hash(page, 2 * k + 9)
        u, v = _unit(one), _unit(two)
        if u < WITHIN:
            if size > 1:
                targets[end] = start + np.int64(size * v * v)
                end += 1
            continue
        u = (u - WITHIN) / (1.0 - WITHIN)
        to_start = u < TO_START
        u = u / TO_START if to_start else (u - TO_START) / (1.0 - TO_START)
        to = _outside(regions, region, host, u, v)
        if to < 0:
            continue
        first = np.int64(hosts[to])
        if not to_start:
            first += np.int64(np.float64(np.int64(hosts[to + 1]) - first) * _unit(_hash(one, k)))
        targets[end] = first
        end += 1
    return end


@compiled
def _degree(page: Any, least: Any) -> Any:
    """Return the number of free links of a page; half the pages have up to ``least``."""
    u, v = _unit(_hash(page, 2)), _unit(_hash(page, 3))
    if u < 0.5:
        return np.int64(v * least)
    return np.int64(min(least * (1.0 - v) ** (-1.0 / (OUT_EXPONENT - 1.0)), MOST))


@compiled
def _rows(regions: Any, hosts: Any, first: Any, last: Any, least: Any) -> Any:
    """Return the links of pages as offsets and targets; some may be there twice."""
    offsets = np.zeros(last - first + 1, np.int64)
    targets = np.empty(9 * (last - first) + 1000, np.uint32)
    host = np.searchsorted(hosts, np.uint32(first), side="right") - 1
    region, end = 0, 0
    for page in range(first, last):
        while page >= hosts[host + 1]:
            host += 1
        while page >= regions[region, 0] + regions[region, 1]:
            region += 1
        many = _degree(page, least)
        if end + many + 16 > len(targets):
            larger = np.empty(len(targets) + len(targets) // 4 + many + 16, np.uint32)
            larger[:end] = targets[:end]
            targets = larger
        end = _put_guaranteed(regions, hosts, region, host, page, targets, end)
        end = _put_free(regions, hosts, region, host, page, many, targets, end)
        offsets[page - first + 1] = end
    return offsets, targets[:end]


@compiled
def _texts(hosts: Any, first: Any, last: Any, folders: Any, words: Any) -> Any:
    """Return the paths of pages, such as ``/news/river-4f.html``, as bytes and offsets."""
    data = np.empty((last - first) * (folders.shape[1] + words.shape[1] + 16), np.uint8)
    offsets = np.zeros(last - first + 1, np.int64)
    host = np.searchsorted(hosts, np.uint32(first), side="right") - 1
    at = 0
    for page in range(first, last):
        while page >= hosts[host + 1]:
            host += 1
        inside = page - np.int64(hosts[host])
        data[at] = 47
        at += 1
        if inside > 0:
            bits = _hash(page, 4)
            for table, row, sign in (
                (folders, bits % np.uint64(len(folders)), 47),
                (words, (bits >> np.uint64(32)) % np.uint64(len(words)), 45),
            ):
                k = 0
                while k < table.shape[1] and table[row, k] > 0:
                    data[at] = table[row, k]
                    at += 1
                    k += 1
                data[at] = sign
                at += 1
            while inside > 0:
                digit = inside % 36
                data[at] = digit + (48 if digit < 10 else 87)
                at += 1
                inside //= 36
            for sign in (46, 104, 116, 109, 108):
                data[at] = sign
                at += 1
        offsets[page - first + 1] = at
    return data[:at], offsets


def _table(words: tuple[str, ...]) -> Any:
    encoded = np.array([word.encode() for word in words])
    return encoded.view(np.uint8).reshape(len(words), -1)


class Planted:
    """A planted web, from which a store can be built.

    Parameters
    ----------
    pages : int
        At least 20,000.
    addresses : bool
        Whether the pages have addresses.
    """

    def __init__(self, pages: int, addresses: bool = False) -> None:
        self.count = pages
        counts = [round(share * pages) for share in SHARES]
        counts[0] += pages - sum(counts)
        self.regions, starts = np.zeros((7, 4), dtype=np.int64), []
        page = host = 0
        for region, count in enumerate(counts):
            many = max(2, count // PAGES_OF_HOST)
            self.regions[region] = page, count, host, many
            mass = (np.arange(many) + SHIFT) ** (1 - EXPONENT) - SHIFT ** (1 - EXPONENT)
            mass /= (many + SHIFT) ** (1 - EXPONENT) - SHIFT ** (1 - EXPONENT)
            starts.append(page + np.arange(many) + ((count - many) * mass).astype(np.int64))
            page, host = page + count, host + many
        self.hosts = np.append(np.concatenate(starts), pages).astype(np.uint32)
        self.addresses = Names(self.hosts) if addresses else None
        self.name = f"planted web of {pages} pages, addresses {addresses}"

    def read(self, folder: Path, tell: Any) -> Planted:
        """Return this web."""
        return self

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of the pages from ``first`` to ``last - 1``."""
        return Rows(*_rows(self.regions, self.hosts, first, last, LEAST))

    def parts(self, most: int) -> list[tuple[int, int]]:
        """Divide the pages into ranges with about ``most`` links each."""
        step = max(1, most // 8 // BLOCK) * BLOCK
        bounds = [*range(0, self.count, step), self.count]
        return list(itertools.pairwise(bounds))

    def truth(self) -> dict[str, int]:
        """Return the number of pages of each component of the bow-tie."""
        pages = self.regions[:, 1].tolist()
        return {
            "scc": pages[SCC], "in": pages[IN], "out": pages[OUT],
            "tendrils": pages[FROM_IN] + pages[TO_OUT], "tubes": pages[TUBES],
            "disconnected": pages[DISCONNECTED],
        }  # fmt: skip


class Names:
    """Addresses of a planted web.

    Parameters
    ----------
    starts : uint32, shape (hosts + 1,)
        The first page of each host, then the number of pages.
    """

    def __init__(self, starts: Any) -> None:
        self._starts = starts
        self._folders, self._words = _table(FOLDERS), _table(WORDS)

    def hosts(self, first: int, last: int) -> Ragged:
        """Return the names of the hosts from ``first`` to ``last - 1``."""
        length = 3
        while len(_SYLLABLES) ** length < len(self._starts):
            length += 1
        size = len(_SYLLABLES) ** length
        numbers = np.arange(first, last, dtype=np.int64) * 7919 * 6151 % size
        table = np.array([one.encode() for one in _SYLLABLES]).view("u1").reshape(-1, 2)
        columns = [table[numbers // len(_SYLLABLES) ** k % len(_SYLLABLES)] for k in range(length)]
        end = np.broadcast_to(np.frombuffer(b".test", dtype="u1"), (last - first, 5))
        data = np.concatenate([*columns, end], axis=1)
        offsets = np.arange(last - first + 1, dtype=np.int64) * data.shape[1]
        return Ragged(data.ravel(), offsets)

    def texts(self, first: int, last: int) -> Ragged:
        """Return the paths of the pages from ``first`` to ``last - 1``."""
        return Ragged(*_texts(self._starts, first, last, self._folders, self._words))
