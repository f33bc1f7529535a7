"""Numbers pages in the order of their addresses, and builds the dictionaries of a store."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterpoint.compiling import Array
from counterpoint.graph.errors import GraphError
from counterpoint.threads import for_each

from .building import Part, counted_parts
from .container import Writer
from .pages import Addresses, Pages, Tell
from .sorting import counts_of, write_whole
from .texts import TRAINED_ON, Packing, Ragged, blocks_of, has_control, sorted_within, trained

PAGES, HOSTS = "pages", "names"
"""The names of the two dictionaries: texts of pages, names of hosts."""


class Naming:
    """Builds both dictionaries of a store, part by part.

    Parameters
    ----------
    folder : Path
        The folder of the build.
    pages : Pages
        The pages of the source.
    addresses : Addresses
        Their addresses.
    most : int
        How many pages a part has at most, unless a single host has more: a host is never divided.
    """

    def __init__(self, folder: Path, pages: Pages, addresses: Addresses, most: int) -> None:
        self._folder, self._pages, self._addresses = folder, pages, addresses
        starts = pages.hosts.astype(np.int64)
        goals = np.arange(0, pages.count, most)
        at = np.unique(np.searchsorted(starts[:-1], goals, side="right") - 1)
        self._bounds = np.append(at, len(starts) - 1)
        hosts = len(starts) - 1
        self._host_bounds = np.append(np.arange(0, hosts, most), hosts)
        self._numbers = folder / "numbers.u32"

    def numbers(self, threads: int, tell: Tell) -> Array:
        """Write all parts; return the id of each page of the source, uint32, shape (pages,)."""
        count = self._pages.count
        if not self._numbers.exists():
            with self._numbers.open("wb") as file:
                file.truncate(4 * count)
        if not count:
            return np.empty(0, dtype=np.uint32)
        for kind in (HOSTS, PAGES):
            self._train(kind)
            parts = range(len(self._bounds_of(kind)) - 1)
            make = self._page_part if kind == PAGES else self._host_part
            for_each(make, parts, threads, counted_parts("addresses", len(parts), tell))
        return np.memmap(self._numbers, dtype=np.uint32, mode="r").view(np.ndarray)

    def _bounds_of(self, kind: str) -> Array:
        return self._bounds if kind == PAGES else self._host_bounds

    def _path(self, kind: str, part: int) -> Path:
        return self._folder / f"{kind}-{part:06}.texts"

    def _sorted(self, first_host: int, last_host: int) -> tuple[Ragged, Array]:
        """Return the texts of the pages of some hosts, and the order in which they are sorted."""
        starts = self._pages.hosts
        first, last = int(starts[first_host]), int(starts[last_host])
        texts = _checked("page", first, self._addresses.texts(first, last))
        sizes = counts_of(starts[first_host : last_host + 1])
        return texts, sorted_within(texts, np.repeat(np.arange(len(sizes)), sizes))

    def _train(self, kind: str) -> None:
        path = self._dictionary_path(kind)
        if path.exists():
            return
        bounds = self._bounds_of(kind)
        blocks: list[bytes] = []
        some = np.unique(np.linspace(0, len(bounds) - 2, 8).astype(int)).tolist()
        for part in some:
            first, last = int(bounds[part]), int(bounds[part + 1])
            found = self._blocks(kind, first, last)
            wanted = -(-TRAINED_ON // len(some))
            blocks += found[:: max(1, len(found) // wanted)]
        write_whole(path, [np.frombuffer(trained(blocks), dtype=np.uint8)])

    def _dictionary_path(self, kind: str) -> Path:
        return self._folder / f"{kind}.dictionary"

    def _blocks(self, kind: str, first: int, last: int) -> list[bytes]:
        if kind == HOSTS:
            names = _checked("host", first, self._addresses.hosts(first, last))
            return blocks_of(names, np.arange(names.many))
        return blocks_of(*self._sorted(first, last))

    def _host_part(self, part: int) -> None:
        if not self._path(HOSTS, part).exists():
            first, last = self._host_bounds[part : part + 2].tolist()
            self._save(HOSTS, part, first, self._blocks(HOSTS, first, last))

    def _page_part(self, part: int) -> None:
        if self._path(PAGES, part).exists():
            return
        first_host, last_host = self._bounds[part : part + 2].tolist()
        first = int(self._pages.hosts[first_host])
        texts, order = self._sorted(first_host, last_host)
        ids = np.empty(len(order), dtype=np.uint32)
        ids[order] = np.arange(first, first + len(order), dtype=np.uint32)
        with self._numbers.open("r+b") as file:  # a full disk would crash a write to mapped memory
            file.seek(4 * first)
            file.write(ids.data)
        self._save(PAGES, part, first, blocks_of(texts, order))

    def _save(self, kind: str, part: int, first: int, blocks: list[bytes]) -> None:
        packing = Packing(self._dictionary_path(kind).read_bytes())
        data, ends = packing.packed(blocks)
        facts = np.array([first], dtype=np.int64)
        starts = np.append(0, ends).astype(np.uint64)
        Part(facts, starts, np.frombuffer(data, dtype=np.uint8)).save(self._path(kind, part))

    def write(self, writer: Writer) -> None:
        """Add both dictionaries to a store."""
        for kind in (HOSTS, PAGES):
            last = self._pages.count if kind == PAGES else len(self._pages.hosts) - 1
            self._write(writer, kind, last)
        names = self._addresses.hosts(0, len(self._pages.hosts) - 1)
        order = sorted_within(names, np.zeros(names.many, dtype=np.int64))
        writer.add(f"{HOSTS}.order", "<u4", [order])

    def _write(self, writer: Writer, kind: str, texts: int) -> None:
        rows, starts, bytes_, blocks = [], [np.zeros(1, dtype=np.uint64)], 0, 0
        loaded = []
        for part in range(len(self._bounds_of(kind)) - 1):
            one = Part.load(self._path(kind, part), "u1")
            rows.append((int(one.facts[0]), blocks))
            starts.append(one.starts[1:] + np.uint64(bytes_))
            bytes_ += int(one.starts[-1])
            blocks += len(one.starts) - 1
            loaded.append(one.data)
        writer.add(f"{kind}.data", "u1", loaded)
        writer.add(f"{kind}.starts", "<u8", starts)
        writer.add(f"{kind}.parts", "<u8", [np.array([*rows, (texts, blocks)])])
        path = self._dictionary_path(kind)
        dictionary = path.read_bytes() if path.exists() else b""  # without pages there is none
        writer.add(f"{kind}.dictionary", "u1", [np.frombuffer(dictionary, dtype=np.uint8)])


def _checked(kind: str, first: int, texts: Ragged) -> Ragged:
    """Return texts; raise GraphError if one has a control character.

    Parameters
    ----------
    kind : str
        ``page`` or ``host``, for the message.
    first : int
        The number of the first text.
    texts : Ragged
    """
    wrong = has_control(texts)
    if wrong >= 0:
        shown = ascii(texts.text(wrong).decode("utf-8", "replace"))
        raise GraphError(
            f"{kind} {first + wrong:,}: {shown} is not an address (it has a control character)"
        )
    return texts
