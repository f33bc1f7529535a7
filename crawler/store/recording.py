"""The write path of a crawl: what a page brought becomes part of the store, statement by statement.

A `Recording` lives for one transaction. Every write of a crawl passes through `Recording.write`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection

from .schema import Standing, State
from .statements import compiled, listed

BEYOND = -1
"""The place of a page that the plan has met, beyond its limits."""

_COUNTED = ("known", "fetched", "internal", "external", "bad")

TAKEN_OUT = "taken out by hand"

Row: TypeAlias = dict[str, Any]


class Page(NamedTuple):
    """What the store knows of a page; see `schema.pages`."""

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


class Head(NamedTuple):
    """Where a plan is, and whether sites have changed: see the statement ``head``."""

    events: int
    visits: int
    pages: int
    ended: str
    last_plan: int
    last_page: int | None
    changed: str | None


class Recording:
    """Reads and writes within one transaction.

    Parameters
    ----------
    connection : Connection
        Its transaction; whoever opened it ends it.
    """

    def __init__(self, connection: Connection) -> None:
        self.dialect = connection.dialect.name
        self._sql = compiled(self.dialect)
        self._cursor = connection.connection.cursor()
        self._counts: dict[int, tuple[int, ...]] = {}

    def write(self, kind: str, rows: Row | list[Row]) -> None:
        """Execute a statement of `statements.WRITES`, once for each row."""
        if isinstance(rows, dict):
            self._cursor.execute(self._sql[f"write {kind}"], rows)
        elif rows:
            self._cursor.executemany(self._sql[f"write {kind}"], rows)

    def read(self, kind: str, **parameters: Any) -> list[Any]:
        """Return the rows of a statement of `statements.READS`."""
        self._cursor.execute(self._sql[kind], parameters)
        return list(self._cursor.fetchall())

    def head(self, plan: int) -> Head:
        """Return where a plan is."""
        return Head(*self.read("head", plan=plan)[0])

    def pages(self, ids: Sequence[int]) -> dict[int, Page]:
        """Return those of some pages that there are."""
        rows = self.read("pages", ids=listed(self.dialect, ids))
        return {row[0]: Page(*row) for row in rows}

    def page(self, page: int) -> Page | None:
        """Return a page; None if there is none of that number."""
        # Databases have integers of 64 bits.
        rows = self.read("page", id=page) if 0 <= page < 2**63 else []
        return Page(*rows[0]) if rows else None

    def known(self, keys: Sequence[str]) -> dict[str, Page]:
        """Return the pages of some keys, as far as there are any."""
        if not keys:
            return {}
        rows = self.read("keys", keys=listed(self.dialect, keys))
        return {row[7]: Page(*row) for row in rows}

    def targets(self, pages: Sequence[int], *, everywhere: bool) -> list[tuple[int, Page]]:
        """Return the pages that some pages link to, in each document's order, with who links.

        Parameters
        ----------
        pages : sequence of int
        everywhere : bool
            Count links to other sites as well, as far as they are followed.
        """
        kind = "all targets" if everywhere else "targets"
        rows = self.read(kind, ids=listed(self.dialect, pages))
        return [(row[0], Page(*row[2:])) for row in rows]

    def add_links(
        self, page: int, internal: list[Row], external: list[Row], bad: list[Row], *, again: bool
    ) -> None:
        """Store the links of a page, instead of those that were known if it was read before."""
        if again:
            for kind in ("forget internal", "forget external", "forget bad"):
                self.write(kind, {"page": page})
        self.write("add internal", internal)
        self.write("add external", external)
        self.write("add bad", bad)

    def count(
        self, seed: int | None, *, known: int = 0, fetched: int = 0, internal: int = 0,
        external: int = 0, bad: int = 0,
    ) -> None:  # fmt: skip
        """Add to the totals of a site; `finish` writes them."""
        if seed is not None:
            more = (known, fetched, internal, external, bad)
            before = self._counts.get(seed)
            self._counts[seed] = more if before is None else tuple(map(add, before, more))

    def finish(self) -> None:
        """Write what was counted; before the transaction ends."""
        self.write("count", [
            dict(zip(_COUNTED, counts, strict=True), seed=seed)
            for seed, counts in self._counts.items() if any(counts)
        ])  # fmt: skip
        self._counts = {}

    def stand(self, seed: int, standing: Standing, reason: str = "") -> None:
        """Say how a site stands."""
        self.write("stand", {"seed": seed, "standing": standing.value, "reason": reason})

    def hosts(self, states: Iterable[Any]) -> None:
        """Store what politeness knows of hosts: records with the names of `schema.hosts`."""
        self.write("host", [state._asdict() for state in states])

    def begin_anew(self) -> None:
        """Let no page have been met: for another plan."""
        self.write("begin anew", {"taken_out": TAKEN_OUT})

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Store settings: JSON by name."""
        self.write("setting", [{"name": name, "value": value} for name, value in values.items()])


def asked_already(page: Page) -> bool:
    """Tell whether the plan's scheduler has asked for a page that it was told of."""
    return page.state in (State.ISSUED, State.DONE)
