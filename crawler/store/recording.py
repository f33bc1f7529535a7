"""The write path of a crawl: what a page brought becomes part of the store, statement by statement.

A `Recording` lives for one transaction. Every write of a crawl passes through `Recording.write`.
"""

from __future__ import annotations

from collections import Counter
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

HUNG = 15.0
"""Seconds for which who plans may not be heard of by the database; a policy's step may take 10."""

_LOCK = 0x506C616E  # any number of our own
_ALONE = """
    SELECT set_config('idle_in_transaction_session_timeout', %s, true), pg_advisory_xact_lock(%s)"""

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
    fetched: int
    spent: float
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
        Its transaction; whoever opened it ends it.
    """

    def __init__(self, connection: Connection) -> None:
        self.dialect = connection.dialect.name
        self._sql = compiled(self.dialect)
        self._cursor = connection.connection.cursor()
        self._counts: dict[int, tuple[int, ...]] = {}

    def plan_alone(self) -> None:
        """Wait until nobody else plans, until the transaction ends.

        What the transaction reads from now on is what others have left. In SQLite there is but one
        that writes. Who is stopped meanwhile, or cut off, is thrown out after `HUNG` seconds.
        """
        if self.dialect == "postgresql":
            self._cursor.execute(_ALONE, (f"{HUNG * 1000:.0f}", _LOCK))

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
        """Store the links of a page, instead of those that were known if it was read before.

        What was deleted by hand stays deleted.
        """
        given = (("internal", "target", internal), ("external", "address", external),
                 ("bad", "text", bad))  # fmt: skip
        for kind, what, rows in given:
            marked = self._deleted(kind, page) if again else set()
            if again:
                self.write(f"forget {kind}", {"page": page})
            self.write(f"add {kind}", rows)
            if marked:
                named = _numbered(row[what] for row in rows)
                self.write(f"delete {kind}", [
                    {"page": page, "position": row["position"]}
                    for row, name in zip(rows, named, strict=True) if name in marked
                ])  # fmt: skip

    def _deleted(self, kind: str, page: int) -> set[tuple[Any, int]]:
        """Return which links of a page were deleted by hand."""
        rows = self.read(f"marks {kind}", page=page)
        named = _numbered(row[0] for row in rows)
        return {name for name, row in zip(named, rows, strict=True) if row[1]}

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

    def adopt(self, page: Page, seed: int) -> None:
        """Let a page, crawled when its site was no seed, be that seed's, with its links."""
        internal, external, bad = self.read("counts", page=page.id)[0]
        self.count(seed, known=1, fetched=int(page.status is not None), internal=internal,
                   external=external, bad=bad)  # fmt: skip
        for kind in ("internal", "external", "bad"):
            self.write(f"adopt {kind}", {"page": page.id, "seed": seed})

    def stand(self, seed: int, standing: Standing, reason: str = "") -> None:
        """Say how a site stands."""
        self.write("stand", {"seed": seed, "standing": standing.value, "reason": reason})

    def hosts(self, states: Iterable[Any], worker: str | None = None) -> None:
        """Store what politeness knows of hosts: records with the names of `schema.hosts`.

        Of those that a worker holds, if it is named: of others it may have been told long ago.
        """
        rows = [state._asdict() for state in states]
        if worker is None:
            self.write("host", rows)
        else:
            self.write("own host", [row | {"worker": worker} for row in rows])

    def begin_anew(self) -> None:
        """Let no page have been met: for another plan."""
        self.write("begin anew", {"taken_out": TAKEN_OUT})

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Store settings: JSON by name."""
        self.write("setting", [{"name": name, "value": value} for name, value in values.items()])


def _numbered(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return values, each with how many equal ones came before it."""
    before: Counter[Any] = Counter()
    named = []
    for value in values:
        named.append((value, before[value]))
        before[value] += 1
    return named


def asked_already(page: Page) -> bool:
    """Tell whether the plan's scheduler has asked for a page that it was told of."""
    return page.state in (State.ISSUED, State.DONE)
