"""A search for tables of links under which R1, R2 and R3 find the nine figures of Table 2.

A table is drawn as the paper describes its sites: a few pages of institutes have very many links,
many pages of universities have a few. Then links are moved at random, within a site or between
sites that are not in Table 1, so that all sums of Table 1 are kept. Simulated annealing decides
which moves stay, until each rule finds exactly the paper's figure. The rules are simulated here;
`certificate` runs the real ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from counterpoint.studies.papers.beebot import BUDGET, INITIALS, STEPS
from counterpoint.studies.papers.beebot import PRINTED as FIGURES

from .kernels import search
from .table import INSTITUTES, OTHER_INSTITUTES, PRINTED, SETS, SITES, LinkTable

Array = np.ndarray[Any, Any]

OTHERS = {
    "institute-6": (2300, 600),
    "institute-7": (2400, 500),
    "institute-8": (2100, 250),
    "institute-9": (2300, 90),
    "institute-10": (2370, 51),
    "university-6": (5000, 1300),
    "university-7": (4500, 1000),
    "university-8": (4000, 900),
    "university-9": (3500, 600),
    "university-10": (3000, 400),
}
"""Pages and links of the sites that are not in Table 1. The links are those at the beginning: they
are exchanged among the five institutes, and among the five universities."""

BEGIN_EMPTY = ("spbu", "university-6", "university-7")
"""Universities with many links whose first pages have none, as in the paper's explanation of R2."""

LARGEST_BURST = 400
LATER_WARMTH = 1.0
CORRECTED, AS_PRINTED = 0, 1
READINGS = {"corrected": CORRECTED, "printed": AS_PRINTED}


@dataclass(frozen=True)
class Wanted:
    """What a table is searched for.

    Attributes
    ----------
    readings : tuple of str
        `corrected`, `printed`, or both: all of them give all figures.
    steps, initials : tuple of int
        The values of n of R2 and of m of R3, each of which gives all figures.
    cap : int
        The most links on a page of a university.
    empty : int
        The pages without links with which `BEGIN_EMPTY` begin.
    moves : int
        The moves of the first round of annealing; a later one has an eighth.
    warmth : float
        The temperature with which the first round begins, in links.
    rounds : int
        At most so many later rounds.
    """

    readings: tuple[str, ...] = ("corrected",)
    steps: tuple[int, ...] = STEPS
    initials: tuple[int, ...] = INITIALS
    cap: int = 6
    empty: int = max(STEPS)
    moves: int = 400_000
    warmth: float = 30.0
    rounds: int = 80

    def runs(self) -> Array:
        """Return the runs of the rules; see `kernels`."""
        found = []
        for k, name in enumerate(SETS):
            first, second, third = FIGURES[name]
            for reading in self.readings:
                of = READINGS[reading]
                found.append((10 * k, 1, of, 0, first))
                found += [(10 * k, 2, of, n, second) for n in self.steps]
                found += [(10 * k, 3, of, m, third) for m in self.initials]
        return np.array(found, dtype=np.int64)


SEEDS = {"corrected": 3, "printed": 1}
"""The seeds with which the stored tables were found."""

QUICK = Wanted(steps=(20,), initials=(10,), empty=20, moves=150_000)
"""The default n and m alone."""


def bursts(chance: np.random.Generator, pages: int, links: int) -> Array:
    """Return a row of an institute: few pages with many links each, early ones likelier."""
    row = np.zeros(pages, dtype=np.int64)
    while left := links - int(row.sum()):
        burst = min(left, int(chance.geometric(1 / 40)) if chance.random() < 0.8 else 1)
        row[int(np.exp(chance.random() * np.log(pages)))] += burst
    return row


def spread(chance: np.random.Generator, pages: int, links: int, empty: int, cap: int) -> Array:
    """Return a row of a university: few links on many pages, three tenths of them early."""
    row = np.zeros(pages, dtype=np.int64)
    early = min(3 * links // 10, 300)
    for wanted, last in ((early, empty + 300), (links, pages)):
        while int(row.sum()) < wanted:
            j = int(chance.integers(empty, last))
            row[j] += row[j] < cap
    return row


@dataclass
class Search:
    """A search for a table.

    Attributes
    ----------
    wanted : Wanted
    seed : int
    first : LinkTable, optional
        The table with which the search begins; without it, one is drawn.
    left : int
        The sum of the errors of all runs, once `find` has returned.
    """

    wanted: Wanted
    seed: int
    first: InitVar[LinkTable | None] = None
    left: int = field(init=False, default=-1)

    def __post_init__(self, first: LinkTable | None) -> None:
        rows = self._drawn() if first is None else [first.rows[site] for site in SITES]
        self._starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        self._x = np.concatenate(rows)

    def _drawn(self) -> list[Array]:
        """Return the rows of a table without regard to the figures of Table 2."""
        chance = np.random.default_rng([self.seed, 0x7AB1E])
        rows = []
        for site in SITES:
            pages, links = {**PRINTED, **OTHERS}[site]
            empty = self.wanted.empty if site in BEGIN_EMPTY else 0
            rows.append(
                bursts(chance, pages, links) if site in INSTITUTES
                else spread(chance, pages, links, empty, self.wanted.cap)
            )  # fmt: skip
        return rows

    def table(self) -> LinkTable:
        """Return the table as it is now."""
        rows = np.split(self._x.copy(), self._starts[1:-1])
        return LinkTable(dict(zip(SITES, rows, strict=True)))

    def find(self) -> LinkTable | None:
        """Return a table with all figures, or None if the rounds end before."""
        for turn in range(1 + self.wanted.rounds):
            self.anneal(turn)
            if self.left == 0:
                return self.table()
        return None

    def anneal(self, turn: int) -> None:
        """Anneal once; see `kernels.search`."""
        cap, empty = self.wanted.cap, self.wanted.empty
        self.left = int(search(
            self._x,
            self._starts,
            _numbers([SITES.index(site) for sites in SETS.values() for site in sites]),
            _numbers([
                -1 if site in PRINTED else int(site in OTHER_INSTITUTES) for site in SITES
            ]),
            _numbers([LARGEST_BURST if site in INSTITUTES else cap for site in SITES]),
            _numbers([empty if site in BEGIN_EMPTY else 0 for site in SITES]),
            self.wanted.runs(),
            BUDGET,
            self.wanted.moves // (8 if turn else 1),
            LATER_WARMTH if turn else self.wanted.warmth,
            1000 * self.seed + turn,
        ))  # fmt: skip


def _numbers(values: Sequence[int]) -> Array:
    return np.array(values, dtype=np.int64)
