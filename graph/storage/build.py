"""Builds a store in four steps: addresses, links forward, links backward, one file.

    addresses   are sorted within hosts, which gives the ids and two dictionaries     (`naming`)
    out         part by part: the links are sorted and packed; the same links, sorted by their
                targets, become a run on disk                                        (`sorting`)
    into        part by part: all runs are merged and packed
    store       the parts become the arrays of one file                            (`container`)

Each part is a file that gets its name when it is complete. An interrupted build continues after the
last complete part, and its result has the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.files.outputs import named
from counterpoint.graph.csr import MOST_PAGES
from counterpoint.graph.errors import GraphError
from counterpoint.threads import for_each

from .building import Part, bytes_of_pages, counted_parts, folder_of, in_units, must_fit
from .codebook import CLASSES, KINDS
from .codes import BLOCK
from .container import VERSION, Writer, must_be_replaceable
from .naming import Naming
from .packed import Codes, counted, packed_part
from .pages import Pages, Source, Tell
from .sorting import MergedRuns, Rows, Runs, backward_keys, sorted_keys, tidied, write_whole

SAMPLES, COUNTED = 32, 1 << 20
"""Codes are made from a sample of so many ranges of pages; from all pages if there are at most so
many."""

LARGE = 100_000_000
"""The size of a store with so many pages is said before it is built."""


@dataclass(frozen=True)
class BuildSettings:
    """How a store is built.

    Attributes
    ----------
    links : int
        About how many links, and of how many pages, a thread sorts at a time; it needs some 40
        bytes for each.
    pages : int
        How many addresses a thread sorts at a time; more if a single host has more.
    threads : int
        How many threads work.
    numbers : bool
        Whether the store keeps the id of each page of the source, 4 bytes each.
    """

    links: int = 1 << 24
    pages: int = 1 << 18
    threads: int = 2
    numbers: bool = False


def build(
    source: Source, path: Path, settings: BuildSettings | None = None, tell: Tell = None,
    announce: Tell = None,
) -> None:  # fmt: skip
    """Build a store, and resume an unfinished build from the same source.

    Parameters
    ----------
    source : Source
        The graph.
    path : Path
        The store; an existing one is replaced when the new one is complete.
    settings : BuildSettings, optional
        How the store is built.
    tell : callable, optional
        Gets a line of text on the progress.
    announce : callable, optional
        Gets a line of text on the size of the store, if it has `LARGE` pages or more.

    Raises
    ------
    GraphError
        If the source is invalid, ``path`` exists and is not a store, or its disk has too little
        room.
    """
    must_be_replaceable(path)
    chosen = settings or BuildSettings()
    plan = {"source": source.name, "version": VERSION, **asdict(chosen), "threads": 0}
    with named(path), folder_of(path, plan) as folder:
        pages = source.read(folder, tell)
        must_fit(path, folder, pages.count)
        if announce and pages.count >= LARGE:
            announce(
                f"{pages.count:,} pages, from 0 to {pages.count - 1:,}: {path} will take "
                f"{in_units(bytes_of_pages(pages.count))}, and more with links and addresses"
            )
        _Build(folder, pages, chosen, tell).run(path)


class _Ordered(NamedTuple):
    """The links of a source's pages, with ids instead of the source's numbers."""

    pages: Pages
    numbers: Array | None

    def rows(self, first: int, last: int) -> Rows:
        """Return the links of ids ``first`` to ``last - 1``, each list ascending."""
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
        """Return a range of the source's pages that contains these ids: whole hosts."""
        if self.numbers is None:
            return first, last
        hosts = self.pages.hosts
        low = int(np.searchsorted(hosts, first, side="right")) - 1
        return int(hosts[low]), int(hosts[int(np.searchsorted(hosts, last))])


class _Build:
    """The steps of a build, in its folder."""

    def __init__(self, folder: Path, pages: Pages, settings: BuildSettings, tell: Tell) -> None:
        if pages.count > MOST_PAGES:
            raise GraphError(f"{pages.count:,} pages are more than {MOST_PAGES:,}")
        self._folder, self._pages, self._settings = folder, pages, settings
        self._tell = tell
        self._runs = Runs(folder, "into")
        self._hosts = np.ascontiguousarray(pages.hosts, dtype=np.uint32)
        self._naming: Naming | None = None
        if pages.addresses is not None:
            self._naming = Naming(folder, pages, pages.addresses, settings.pages)

    def run(self, path: Path) -> None:
        """Do all steps that are not done yet."""
        numbers = self._naming.numbers(self._settings.threads, self._tell) if self._naming else None
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

    def _into(self, backward: MergedRuns, parts: list[tuple[int, int]]) -> None:
        codes = self._codes("into", backward.rows)

        def made(part: int) -> None:
            if not self._path("into", part).exists():
                first, last = parts[part]
                self._pack("into", part, first, backward.rows(first, last), codes)

        self._each(made, len(parts), "links backward")

    def _each(self, make: Callable[[int], None], parts: int, name: str) -> None:
        """Make all parts in threads, and report on the progress.

        Parameters
        ----------
        make : callable
            Makes a part of a given number.
        parts : int
            How many parts there are.
        name : str
            The name of the step in reports.
        """
        for_each(make, range(parts), self._settings.threads, counted_parts(name, parts, self._tell))

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
        """Return the codes of a direction; they are made from a sample once and then kept."""
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
    """Return the ranges of pages whose links are the sample for codes."""
    if pages <= COUNTED:
        return [(0, pages)]
    size = max(COUNTED, pages // 16) // SAMPLES // BLOCK * BLOCK
    starts = np.linspace(0, pages - size, SAMPLES).astype(np.int64) // BLOCK * BLOCK
    return [(start, start + size) for start in starts.tolist()]
