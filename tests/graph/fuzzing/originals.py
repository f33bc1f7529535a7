"""Valid stores, small enough that a thousand changed ones are read in seconds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterpoint.graph.storage.arrays import Arrays, ListedAddresses
from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.store import GraphStore

from .drafts import Draft, draft_of
from .numbers_of_lists import Encoder, Numbers, numbers_of


class Original(NamedTuple):
    """A valid store.

    Attributes
    ----------
    draft : Draft
    lists : dict
        The numbers of all lists, by direction.
    encoders : dict
        The codes of each direction.
    """

    draft: Draft
    lists: dict[str, list[Numbers]]
    encoders: dict[str, Encoder]


def _rows(pages: int, hub: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return links of pages; page 1 has as many as ``hub`` says."""
    chance = np.random.default_rng(seed)
    degrees = chance.integers(0, 8, pages)
    if pages > 1:
        degrees[1] = hub
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    return offsets, chance.integers(0, max(pages, 1), int(offsets[-1]))


def _original(path: Path) -> Original:
    store = GraphStore(path)
    draft = draft_of(path.read_bytes())
    lists, encoders = {}, {}
    for direction, links in (("out", store.out), ("into", store.into)):
        rows = links.expanded()
        lists[direction] = numbers_of(rows.offsets, rows.targets, store.host_starts)
        lengths = np.frombuffer(draft.arrays[f"{direction}.lengths"][1], np.uint8)
        encoders[direction] = Encoder(lengths)
    return Original(draft, lists, encoders)


def originals() -> list[Original]:
    """Return stores with and without addresses, of no page, of one block and of several."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (pages, hosts, hub) in enumerate(
            ((0, 0, 0), (3, 1, 2), (64, 2, 40), (130, 5, 70), (130, 4, 6), (300, 7, 200))
        ):
            path = Path(folder) / f"{number}.graph"
            starts = [*(k * pages // hosts for k in range(hosts)), pages] if hosts else [0]
            named = pages > 0 and number % 3 != 1
            addresses = None
            if named:
                names = [b"h%d.test" % (7 * k % hosts) for k in range(hosts)]
                texts = [b"/%03d" % (k * 37 % 1000) for k in range(pages)]
                addresses = ListedAddresses(names, texts)
            source = Arrays(*_rows(pages, hub, number), starts, addresses)
            build(source, path, BuildSettings(threads=1, numbers=True, links=500, pages=140))
            found.append(_original(path))
    return found
