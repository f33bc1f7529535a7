"""Reads and writes of a crawl in its store, within one transaction.

Every write of a crawl passes through `Recording.write`.
"""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from operator import add, itemgetter
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection

from counterpoint.crawler.limits import ROWS

from .schema import Standing, State
from .statements import COPIES, OF_PAGES, compiled, copying, listed

BEYOND = -1
"""The place of a page that the plan has met beyond its limits on levels and pages of a site."""

_COUNTED = ("known", "fetched", "internal", "external", "bad")

COPIED = 100
"""From how many rows on PostgreSQL gets them by COPY, which takes a third less time than INSERT."""

_LINKS = (("internal", "target"), ("external", "address"), ("bad", "text"))
"""The tables of links, each with the column by which a link is found again."""

TAKEN_OUT = "taken out by hand"

Row: TypeAlias = dict[str, Any]


class Page(NamedTuple):
    """A row of `schema.pages`."""

    id: int
    seed: int | None
    place: int | None
    level: int
    state: int
    status: int | None
    address: str
    key: str
    size: int = 0
    external: int = 0
    final: str = ""
    problem: str = ""


_ROW_TYPES: dict[str, Any] = {
    "page": Page, "pages": Page, "keys": Page, "named sitemaps": Page,
}  # fmt: skip
"""The named tuple of each query's rows; of other queries it is made at their first use."""


class Target(NamedTuple):
    """A link in the store.

    Attributes
    ----------
    source : int
        The page that has the link.
    mark : int
        Whether it may be followed, see `counterpoint.crawler.documents.directives`.
    page : Page
        The page to which it leads.
    """

    source: int
    mark: int
    page: Page


class Head(NamedTuple):
    """The progress of a plan, and when sites changed last: the columns of the query ``head``."""

    events: int
    visits: int
    pages: int
    fetched: int
    spent: float
    due: float
    ended: str
    failed: bool
    last_plan: int
    last_page: int | None
    changed: str | None


class Recording:
    """Reads and writes within one transaction.

    Parameters
    ----------
    connection : Connection
        The caller begins and ends its transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self.dialect = connection.dialect.name
        self._sql = compiled(self.dialect)
        self._cursor = connection.connection.cursor()
        self._counts: dict[int, tuple[int, ...]] = {}
        self._expected: dict[int, Page] = {}

    def write(self, kind: str, rows: Row | list[Row]) -> None:
        """Execute a statement of `statements.WRITES`, once for each row."""
        if self._expected and kind in OF_PAGES:
            self._forget([rows] if isinstance(rows, dict) else rows)
        if isinstance(rows, dict):
            self._cursor.execute(self._sql[f"write {kind}"], rows)
        elif len(rows) >= COPIED and self.dialect == "postgresql" and kind in COPIES:
            statement, columns = copying(kind)
            values = itemgetter(*columns)
            with self._cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row(values(row))
        elif rows:
            self._cursor.executemany(self._sql[f"write {kind}"], rows)

    def read(self, kind: str, **parameters: Any) -> list[Any]:
        """Return the rows of a query of `statements.READS`, with the columns as attributes."""
        self._cursor.execute(self._sql[kind], parameters)
        rows = self._cursor.fetchall()
        if not rows:
            return []
        if kind not in _ROW_TYPES:
            _ROW_TYPES[kind] = namedtuple("Row", [column[0] for column in self._cursor.description])
        return list(map(_ROW_TYPES[kind]._make, rows))

    def head(self, plan: int) -> Head:
        """Return the progress of a plan."""
        return Head(*self.read("head", plan=plan)[0])

    def pages(self, ids: Sequence[int]) -> dict[int, Page]:
        """Return the pages with the given ids, as far as they exist."""
        rows = self.read("pages", ids=listed(self.dialect, ids))
        return {row.id: row for row in rows}

    def expect(self, ids: Sequence[int]) -> None:
        """Read the pages together that `page` will return, as long as they are not written."""
        self._expected = self.pages(ids) if len(ids) > 1 else {}

    def _forget(self, rows: Sequence[Row]) -> None:
        """Forget what was read of pages that are written now."""
        for row in rows:
            if "id" not in row:  # all pages are
                self._expected.clear()
                return
            self._expected.pop(row["id"], None)

    def page(self, page: int) -> Page | None:
        """Return a page; None if no page has that id."""
        if (found := self._expected.get(page)) is not None:
            return found
        # Databases have integers of 64 bits.
        rows = self.read("page", id=page) if 0 <= page < 2**63 else []
        return rows[0] if rows else None

    def known(self, keys: Sequence[str]) -> dict[str, Page]:
        """Return the pages with the given keys, as far as they exist."""
        found: dict[str, Page] = {}
        for first in range(0, len(keys), ROWS):
            some = listed(self.dialect, keys[first : first + ROWS])
            found |= {row.key: row for row in self.read("keys", keys=some)}
        return found

    def targets(self, pages: Sequence[int], *, everywhere: bool) -> list[Target]:
        """Return the links of some pages, in the order of each document.

        Parameters
        ----------
        pages : sequence of int
        everywhere : bool
            Include links to other sites that are followed.
        """
        kind = "all targets" if everywhere else "targets"
        rows = self.read(kind, ids=listed(self.dialect, pages))
        return [Target(row.page, row.mark, Page(*row[3:])) for row in rows]

    def add_links(
        self, page: int, parts: Iterable[Sequence[list[Row]]], *, again: bool
    ) -> list[int]:  # fmt: skip
        """Store the links of a page; links that the user deleted stay deleted.

        Parameters
        ----------
        page : int
        parts : iterable of sequence of list of Row
            The rows of the tables of internal, external and bad links, some at a time.
        again : bool
            Whether the page was read before; then the new links replace the old ones.

        Returns
        -------
        list of int
            How many rows each of the three tables got.
        """
        counts = [0] * len(_LINKS)
        marked: list[set[tuple[Any, int]]] = [set() for _ in _LINKS]
        named: list[list[tuple[Any, int]]] = [[] for _ in _LINKS]
        if again:
            marked = [self._deleted(kind, page) for kind, _ in _LINKS]
            for kind, _ in _LINKS:
                self.write(f"forget {kind}", {"page": page})
        for part in parts:
            for table, (kind, column) in enumerate(_LINKS):
                rows = part[table]
                self.write(f"add {kind}", rows)
                counts[table] += len(rows)
                if marked[table]:
                    named[table] += [(row[column], row["position"]) for row in rows]
        if again:
            for (kind, _), those, links in zip(_LINKS, marked, named, strict=True):
                numbered = _numbered(name for name, _ in links)
                self.write(f"delete {kind}", [
                    {"page": page, "position": position}
                    for (_, position), name in zip(links, numbered, strict=True) if name in those
                ])  # fmt: skip
        return counts

    def _deleted(self, kind: str, page: int) -> set[tuple[Any, int]]:
        """Return the links of a page that the user deleted, each with its number among equals."""
        rows = self.read(f"marks {kind}", page=page)
        named = _numbered(row.name for row in rows)
        return {name for name, row in zip(named, rows, strict=True) if row.deleted}

    def count(
        self, seed: int | None, *, known: int = 0, fetched: int = 0, internal: int = 0,
        external: int = 0, bad: int = 0,
    ) -> None:  # fmt: skip
        """Add to the totals of a site; `finish` writes them.

        Parameters
        ----------
        seed : int or None
            The number of the site; None: nothing is added.
        known, fetched, internal, external, bad : int
            Pages found, pages fetched, and links of the three kinds.
        """
        if seed is not None:
            more = (known, fetched, internal, external, bad)
            before = self._counts.get(seed)
            self._counts[seed] = more if before is None else tuple(map(add, before, more))

    def finish(self) -> None:
        """Write the totals; to be called before the transaction ends."""
        self.write("count", [
            dict(zip(_COUNTED, counts, strict=True), seed=seed)
            for seed, counts in self._counts.items() if any(counts)
        ])  # fmt: skip
        self._counts = {}

    def adopt(self, page: Page, seed: int) -> None:
        """Assign a page and its links to a seed that was added after the page was crawled."""
        internal, external, bad = self.read("counts", page=page.id)[0]
        self.count(seed, known=1, fetched=int(page.status is not None), internal=internal,
                   external=external, bad=bad)  # fmt: skip
        for kind in ("internal", "external", "bad"):
            self.write(f"adopt {kind}", {"page": page.id, "seed": seed})

    def stand(self, seed: int, standing: Standing, reason: str = "") -> None:
        """Store the standing of a site.

        Parameters
        ----------
        seed : int
            The number of the site.
        standing : Standing
        reason : str
            Why the site is unavailable; "": it is available.
        """
        self.write("stand", {"seed": seed, "standing": standing.value, "reason": reason})

    def hosts(self, states: Iterable[Any], worker: str | None = None) -> None:
        """Store the states of hosts: named tuples with the columns of `schema.hosts`.

        If a worker is named, only the states of hosts that it holds are stored: its states of other
        hosts may be outdated.
        """
        rows = [state._asdict() for state in states]
        if worker is None:
            self.write("host", rows)
        else:
            self.write("own host", [row | {"worker": worker} for row in rows])

    def forget_places(self) -> None:
        """Mark all pages as not met, for a new plan."""
        self.write("forget places", {"taken_out": TAKEN_OUT})
        self.write("forget alike", {})

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Store settings: JSON by name."""
        self.write("setting", [{"name": name, "value": value} for name, value in values.items()])


def _numbered(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return the values, each with the number of equal values before it."""
    before: Counter[Any] = Counter()
    named = []
    for value in values:
        named.append((value, before[value]))
        before[value] += 1
    return named


def asked_already(page: Page) -> bool:
    """Return whether the plan's scheduler has already requested a page."""
    return page.state in (State.ISSUED, State.DONE)
