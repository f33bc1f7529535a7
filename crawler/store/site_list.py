"""The sites of a store as a list that is searched, filtered and sorted by the database."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, func, or_, select

from .opening import Store
from .schema import Standing, seeds
from .seeds import SiteRow

SORTS = ("number", "site", "standing", "known", "fetched", "internal", "external", "bad")
"""The columns by which the list can be sorted."""
SUGGESTED = 20
"""How many sites at most are suggested for a text."""


class SiteSearch(NamedTuple):
    """Which sites are wanted, and in which order.

    Attributes
    ----------
    words : str
        A text that the address or a name of the site contains; letters of either case. "": any.
    standing : Standing or None
        None: any.
    sort : str
        One of `SORTS`; equal sites are in the order of their numbers.
    descending : bool
    """

    words: str = ""
    standing: Standing | None = None
    sort: str = "number"
    descending: bool = False


class FoundSites(NamedTuple):
    """A part of the list, and how many sites match."""

    rows: list[SiteRow]
    total: int


def search(store: Store, wanted: SiteSearch, first: int, most: int) -> FoundSites:
    """Return some of the sites that match.

    Parameters
    ----------
    store : Store
    wanted : SiteSearch
    first, most : int
        How many are passed over, and how many are returned at most.
    """
    conditions = _matching(wanted.words)
    if wanted.standing is not None:
        conditions.append(seeds.c.standing == wanted.standing)
    order = seeds.c[wanted.sort]
    columns = [seeds.c[name] for name in SiteRow._fields]
    query = (
        select(*columns)
        .where(*conditions)
        .order_by(order.desc() if wanted.descending else order, seeds.c.number)
    )
    with store.reading() as connection:
        total = connection.execute(select(func.count()).select_from(seeds).where(*conditions))
        rows = connection.execute(query.offset(first).limit(most))
        return FoundSites([SiteRow(*row) for row in rows], int(total.scalar_one()))


def one(store: Store, number: int) -> SiteRow | None:
    """Return the site of a number; None if there is none."""
    columns = [seeds.c[name] for name in SiteRow._fields]
    with store.reading() as connection:
        row = connection.execute(select(*columns).where(seeds.c.number == number)).first()
    return None if row is None else SiteRow(*row)


def number_of(store: Store, host: str) -> int | None:
    """Return the number of the site of a host; None if there is none."""
    with store.reading() as connection:
        found = connection.execute(select(seeds.c.number).where(seeds.c.site == host.lower()))
        return found.scalar()


def suggested(store: Store, words: str) -> list[str]:
    """Return the hosts of at most `SUGGESTED` sites that match a text, by number."""
    query = select(seeds.c.site).where(*_matching(words)).order_by(seeds.c.number).limit(SUGGESTED)
    with store.reading() as connection:
        return [str(row.site) for row in connection.execute(query)]


def _matching(words: str) -> list[ColumnElement[bool]]:
    if not words:
        return []
    text = words.lower()
    return [or_(*(
        func.lower(seeds.c[name]).contains(text, autoescape=True)
        for name in ("site", "start", "full_name", "short_name")
    ))]  # fmt: skip
