"""A store is built: addresses, links forward, links backward, one file.

    addresses   sorted within hosts: ids, and two dictionaries                        (`naming`)
    out         part by part: links are sorted and packed; the same links, sorted backward,
                become a run                                                         (`sorting`)
    into        part by part: all runs are read side by side, and packed
    store       parts become arrays of one file, which then gets its name          (`container`)

Each part is a file that has its name when it is whole. A build that is interrupted goes on after
the last one, and ends with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.csr import MOST_PAGES
from counterpoint.graph.errors import GraphError

from .building import Part, folder_of
from .codebook import CLASSES, KINDS
from .codes import BLOCK
from .container import VERSION, Writer, must_be_replaceable
from .naming import Naming
from .packed import Codes, counted, packed_part
from .pages import Pages, Source, Tell
from .sorting import Merged, Rows, Runs, backward_keys, sorted_keys, tidied, write_whole

SAMPLES, COUNTED = 32, 1 << 20
"""Codes are made from what is counted in so many ranges of pages, or in all of so few pages."""


@dataclass(frozen=True)
class Settings:
    """How a store is built.

    Attributes
    ----------
    links : int
        About how many are sorted at a time, and of how many pages; a thread needs some 40 bytes for
        each.
    pages : int
        Of how many addresses are sorted at a time, more where a host has more.
    threads : int
    numbers : bool
        Keep the id of each of the source's pages, 4 bytes each.
    """

    links: int = 1 << 24
    pages: int = 1 << 18
    threads: int = 2
    numbers: bool = False


def build(source: Source, path: Path, settings: Settings | None = None, tell: Tell = None) -> None:
    """Build a store; one of that name is replaced when the new one is whole.

    A build that was interrupted, or for which there was no room, is resumed if it is of the
    same source.

    Parameters
    ----------
    source : Source
    path : Path
    settings : Settings, optional
    tell : callable or None
        Told how far it is.

    Raises
    ------
    GraphError
        If the source is not as it must be, or the name belongs to something else than a store.
    """
    must_be_replaceable(path)
    chosen = settings or Settings()
    plan = {"source": source.name, "version": VERSION, **asdict(chosen), "threads": 0}
    with folder_of(path, plan) as folder, ThreadPoolExecutor(chosen.threads) as threads:
        pages = source.read(folder, tell)
        _Build(folder, pages, chosen, threads, tell).run(path)


class _Ordered(NamedTuple):
    """The links of a source's pages, by ids."""

    pages: Pages
    numbers: Array | None

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of ids from ``first`` to ``last``, each list ascending."""
        low, high = self._cover(first, last)
        rows = self.pages.rows(low, high)
        if len(rows.targets) and int(rows.targets.max()) >= self.pages.count:
            wrong = int(rows.targets.max())
            raise GraphError(f"a link leads to page {wrong:,} of {self.pages.count:,}")
        order = None
        if self.numbers is not None:
            ids = self.numbers[low:high].astype(np.int64)
            order = np.empty(high - low, dtype=np.int64)
            order[ids - low] = np.arange(high - low)
            order = order[first - low : last - low]
        return tidied(rows, order, self.numbers)

    def _cover(self, first: int, last: int) -> tuple[int, int]:
        """Return a range of pages that holds those with these ids: whole hosts."""
        if self.numbers is None:
            return first, last
        hosts = self.pages.hosts
        low = int(np.searchsorted(hosts, first, side="right")) - 1
        return int(hosts[low]), int(hosts[int(np.searchsorted(hosts, last))])


class _Build:
    """The steps of a build, in a folder."""

    def __init__(
        self, folder: Path, pages: Pages, settings: Settings, threads: Executor, tell: Tell
    ) -> None:
        if pages.count > MOST_PAGES:
            raise GraphError(f"{pages.count:,} pages are more than {MOST_PAGES:,}")
        self._folder, self._pages, self._settings = folder, pages, settings
        self._threads, self._tell = threads, tell
        self._runs = Runs(folder, "into")
        self._hosts = np.ascontiguousarray(pages.hosts, dtype=np.uint32)
        self._naming: Naming | None = None
        if pages.addresses is not None:
            self._naming = Naming(folder, pages, pages.addresses, settings.pages)

    def run(self, path: Path) -> None:
        """Do whatever is left to be done."""
        numbers = self._naming.numbers(self._threads, self._tell) if self._naming else None
        parts = self._pages.parts(self._settings.links)
        self._out(_Ordered(self._pages, numbers), parts)
        backward = self._runs.opened(len(parts), self._pages.count, in_order=True)
        into = backward.parts(self._settings.links)
        self._into(backward, into)
        self._write(path, len(parts), len(into), numbers)

    def _out(self, ordered: _Ordered, parts: list[tuple[int, int]]) -> None:
        codes = self._codes("out", ordered.rows)

        def made(part: int) -> None:
            if self._path("out", part).exists():
                return
            first, last = parts[part]
            rows = ordered.rows(first, last)
            keys = np.empty(len(rows.targets), dtype=np.uint64)
            backward_keys(rows.offsets, rows.targets, np.uint64(first), keys)
            count = self._pages.count
            self._runs.write(part, sorted_keys(keys, 0, count, count, False))
            self._pack("out", part, first, rows, codes)

        self._each(made, len(parts), "links")

    def _into(self, backward: Merged, parts: list[tuple[int, int]]) -> None:
        codes = self._codes("into", backward.rows)

        def made(part: int) -> None:
            if not self._path("into", part).exists():
                first, last = parts[part]
                self._pack("into", part, first, backward.rows(first, last), codes)

        self._each(made, len(parts), "links backward")

    def _each(self, made: Callable[[int], None], parts: int, what: str) -> None:
        for done, _ in enumerate(self._threads.map(made, range(parts)), 1):
            if self._tell:
                self._tell(f"{what}: part {done} of {parts}")

    def _path(self, direction: str, part: int) -> Path:
        return self._folder / f"{direction}-{part:06}.links"

    def _pack(self, direction: str, part: int, first: int, rows: Rows, codes: Codes) -> None:
        words, _, starts = packed_part(rows.offsets, rows.targets, self._hosts, first, codes)
        degrees = np.diff(rows.offsets)
        widths = [0]
        if len(degrees):
            widths = np.add.reduceat(degrees, np.arange(0, len(degrees), BLOCK)).tolist()
        facts = [len(rows.targets), int(degrees.max(initial=0)), max(widths)]
        Part(np.array(facts, dtype=np.int64), starts, words).save(self._path(direction, part))

    def _codes(self, direction: str, rows: Callable[[int, int], Rows]) -> Codes:
        """Return the codes of a direction, made from a sample once and then kept."""
        path = self._folder / f"{direction}.tally"
        if not path.exists():
            tally = np.zeros(KINDS * CLASSES, dtype=np.int64)
            for first, last in _samples(self._pages.count):
                found = rows(first, last)
                tally += counted(found.offsets, found.targets, self._hosts, first)
            write_whole(path, [tally])
        return Codes.of(np.fromfile(path, dtype=np.int64))

    def _write(self, path: Path, outs: int, intos: int, numbers: Array | None) -> None:
        if self._tell:
            self._tell("writing the store")
        writer = Writer(path, self._folder / "store")
        facts: dict[str, object] = {"pages": self._pages.count, "hosts": len(self._hosts) - 1}
        writer.add("hosts", "<u4", [self._hosts])
        for direction, parts in (("out", outs), ("into", intos)):
            facts[direction] = self._write_direction(writer, direction, parts)
        if self._naming:
            self._naming.write(writer)
        if numbers is not None and self._settings.numbers:
            writer.add("numbers", "<u4", [numbers])
        writer.close(facts)

    def _write_direction(self, writer: Writer, direction: str, parts: int) -> dict[str, int]:
        loaded = [Part.load(self._path(direction, part), "<u8") for part in range(parts)]
        sizes = np.array([0, *(len(one.data) for one in loaded)], dtype=np.uint64)
        firsts = np.cumsum(sizes, dtype=np.uint64) * np.uint64(64)
        starts = [one.starts + first for one, first in zip(loaded, firsts, strict=False)]
        spare = np.zeros(1, dtype=np.uint64)
        writer.add(f"{direction}.words", "<u8", [*(one.data for one in loaded), spare])
        writer.add(f"{direction}.starts", "<u8", [*starts, firsts[-1:]])
        lengths = self._codes(direction, _never).lengths
        writer.add(f"{direction}.lengths", "u1", [lengths])
        table = np.array([one.facts for one in loaded]).reshape(-1, 3)
        return {
            "links": int(table[:, 0].sum()),
            "longest": int(table[:, 1].max(initial=0)),
            "widest": int(table[:, 2].max(initial=0)),
        }


def _never(first: int, last: int) -> Rows:
    raise AssertionError("codes are made before links are packed")


def _samples(pages: int) -> list[tuple[int, int]]:
    """Return ranges of pages from which codes are made."""
    if pages <= COUNTED:
        return [(0, pages)]
    size = max(COUNTED, pages // 16) // SAMPLES // BLOCK * BLOCK
    starts = np.linspace(0, pages - size, SAMPLES).astype(np.int64) // BLOCK * BLOCK
    return [(start, start + size) for start in starts.tolist()]
