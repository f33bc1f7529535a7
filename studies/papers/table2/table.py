"""The twenty sites of [BeeBot], and tables of the external links on their pages.

Ten sites have a name, a number of pages and a number of links in Table 1. Of the other ten, five
institutes and five universities, the paper has only the sums: those of all sites less those of
Table 1. How they are divided among the ten is free, and part of a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PRINTED = {
    "binran": (1298, 29),
    "zin": (1100, 69),
    "orientalstudies": (2411, 48),
    "pushkinskijdom": (39292, 129),
    "iling": (3192, 431),
    "pgups": (3523, 19),
    "rshu": (1766, 409),
    "spbstu": (1471, 214),
    "spbu": (12935, 903),
    "finec": (7253, 1048),
}
"""Table 1: pages and external links of five institutes and five universities."""

PAGES, LINKS = 105_711, 8_990
"""Of all twenty sites."""

SAMPLE = tuple(PRINTED)
OTHER_INSTITUTES = tuple(f"institute-{k}" for k in range(6, 11))
OTHER_UNIVERSITIES = tuple(f"university-{k}" for k in range(6, 11))
SITES = (*SAMPLE, *OTHER_INSTITUTES, *OTHER_UNIVERSITIES)
INSTITUTES = (*SAMPLE[:5], *OTHER_INSTITUTES)
UNIVERSITIES = (*SAMPLE[5:], *OTHER_UNIVERSITIES)
SETS = {"institutes": INSTITUTES, "universities": UNIVERSITIES, "sample": SAMPLE}
"""The sites of each set, in the order in which the rules have them."""

HEADER = "# site pages; then page:links, pages numbered from 1 in breadth-first order"


@dataclass(frozen=True)
class LinkTable:
    """A table X(i, j): the external links on the j-th page of each site.

    Attributes
    ----------
    rows : dict of str to int64 array
        By site: the links on each page, in breadth-first order.
    """

    rows: dict[str, Array]

    def of(self, name: str) -> list[Array]:
        """Return the rows of a set."""
        return [self.rows[site] for site in SETS[name]]

    def faults(self) -> list[str]:
        """Return what contradicts Table 1 and the sums of all sites."""
        found = []
        if tuple(self.rows) != SITES:
            found.append("the sites are others")
        for site, row in self.rows.items():
            if row.size and row.min() < 0:
                found.append(f"{site} has a page with fewer than 0 links")
            if site in PRINTED and (len(row), row.sum()) != PRINTED[site]:
                found.append(f"{site} has {len(row)} pages and {row.sum()} links")
        pages = sum(len(row) for row in self.rows.values())
        links = sum(int(row.sum()) for row in self.rows.values())
        if (pages, links) != (PAGES, LINKS):
            found.append(f"all sites have {pages} pages and {links} links")
        return found

    def to_text(self) -> str:
        """Return the table as text, a paragraph for each site."""
        lines = [HEADER]
        for site, row in self.rows.items():
            lines.append(f"{site} {len(row)}")
            pairs = [f"{j + 1}:{row[j]}" for j in np.flatnonzero(row)]
            lines += [" ".join(pairs[k : k + 16]) for k in range(0, len(pairs), 16)]
        return "\n".join(lines) + "\n"


def from_text(text: str) -> LinkTable:
    """Return the table that `LinkTable.to_text` wrote."""
    rows: dict[str, Array] = {}
    row = np.zeros(0, dtype=np.int64)
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        first = line.split()
        if ":" not in first[0]:
            rows[first[0]] = row = np.zeros(int(first[1]), dtype=np.int64)
            continue
        for pair in first:
            page, links = pair.split(":")
            row[int(page) - 1] = int(links)
    return LinkTable(rows)


def stored(reading: str) -> LinkTable:
    """Return the stored table of a reading, `corrected` or `printed`."""
    return from_text((files(__package__) / "stored" / f"{reading}.txt").read_text("ascii"))
