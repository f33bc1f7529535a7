"""The three views of a link store, with their filters and sorts.

Every filter and sort except `contains` uses an index. Each sort is the order of one index of the
table of links. These indices end with page and position, so that the order of links is total. A
filter is either an equality (or a prefix) in such an index, or a condition on the page that has the
link or the page that it leads to; the table of pages has an index for each such condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, Table, and_, func, or_, select, text

from counterpoint.crawler.errors import CrawlError

from .schema import HEAD, State, bad_links, external_links, internal_links, pages, seeds

LAST = 0x10FFFF
"""The largest code point of a character."""


class Kind(StrEnum):
    """The kind of links."""

    INTERNAL = "internal"
    EXTERNAL = "external"
    BAD = "bad"


@dataclass(frozen=True)
class Filter:
    """The conditions that links must meet; None or "" is no condition.

    Attributes
    ----------
    site : int or None
        The number of the site that has the link.
    page : str
        The address of the page that has the link.
    level : int or None
        The level of that page.
    host, domain : str
        External links: the host that the link leads to, and its registered domain.
    prefix : str
        Internal and external links: the beginning of the linked address.
    state : State or None
        Internal links: the state of the linked page.
    status : int or None
        Internal links: the HTTP status of the linked page, if it was fetched.
    reason : str
        Bad links: why they are bad.
    contains : str
        A part of the address, the anchor or the bad link; case is ignored.
    """

    site: int | None = None
    page: str = ""
    level: int | None = None
    host: str = ""
    domain: str = ""
    prefix: str = ""
    state: State | None = None
    status: int | None = None
    reason: str = ""
    contains: str = ""

    def wanted(self) -> dict[str, Any]:
        """Return the conditions that are set, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, "")}


class InternalLink(NamedTuple):
    """A link within a site: its address, the page that has it, and what is known of its target.

    The problem says why the target brought no document, or why it is not asked for; "": nothing.
    """

    page: int
    position: int
    address: str
    seed: int | None
    site: str
    found_on: str
    level: int
    state: int
    status: int | None
    problem: str


class ExternalLink(NamedTuple):
    """A link to another site: its address and anchor, and the page that has it."""

    page: int
    position: int
    address: str
    host: str
    domain: str
    anchor: str
    seed: int | None
    site: str
    found_on: str
    level: int


class BadLink(NamedTuple):
    """A bad link: its text, why it is bad, and the page that has it."""

    page: int
    position: int
    text: str
    reason: str
    seed: int | None
    site: str
    found_on: str
    level: int


Link = InternalLink | ExternalLink | BadLink

source = pages.alias("source")
target = pages.alias("target")


def head(columns: Any, dialect: str) -> ColumnElement[str]:
    """Return the expression over which addresses are indexed: the address, or its beginning."""
    if dialect == "sqlite":
        whole: ColumnElement[str] = columns.address
        return whole
    return func.substr(columns.address, text("1"), text(str(HEAD)))


@dataclass(frozen=True)
class View:
    """A view of the links of one kind.

    Attributes
    ----------
    kind : Kind
    table : Table
        The table of these links.
    row : type
        The class of the links that the view returns.
    sorts : tuple of str
        ``found`` (by page and position in it), and the columns with which an index begins.
    equal : tuple of str
        Filters whose columns begin an index, the most selective first.
    filters : tuple of str
        All filters.
    """

    kind: Kind
    table: Table
    row: type[Link]
    sorts: tuple[str, ...]
    equal: tuple[str, ...]
    filters: tuple[str, ...]

    def check(self, wanted: Mapping[str, Any], sort: str) -> None:
        """Check filters and a sort.

        Parameters
        ----------
        wanted : mapping
            Values of filters by name.
        sort : str

        Raises
        ------
        CrawlError
            If these links do not have a filter or the sort, or if a value is invalid.
        """
        for name in wanted:
            if name not in self.filters:
                raise CrawlError(f"{name}: {self.kind} links have none; they are filtered by "
                                 f"{', '.join(self.filters)}")  # fmt: skip
        if sort not in self.sorts:
            raise CrawlError(f"{sort}: {self.kind} links are sorted by {', '.join(self.sorts)}")
        for name, value in wanted.items():
            if isinstance(value, str) and not can_be_stored(value):
                raise CrawlError(f"{name}: contains a character that no link can have")
            if isinstance(value, int) and not 0 <= value < 2**31:
                raise CrawlError(f"{name}: {value} is out of range")
        if len(wanted.get("prefix", "")) > HEAD:
            raise CrawlError(f"prefix: at most {HEAD} characters")

    def sorted_by(self, sort: str, columns: Any, dialect: str) -> list[ColumnElement[Any]]:
        """Return the columns to order by.

        Parameters
        ----------
        sort : str
            One of `sorts`.
        columns : columns of a table
            Those of the table of links, or of a subquery of it.
        dialect : str
            ``sqlite`` or ``postgresql``.
        """
        order: list[ColumnElement[Any]] = [columns.page, columns.position]
        if sort == "found":
            return order
        return [head(columns, dialect) if sort == "address" else columns[sort], *order]

    def of_link(
        self, name: str, value: Any, columns: Any, dialect: str
    ) -> list[ColumnElement[bool]]:
        """Return the conditions of a filter that needs no table except the table of links.

        The parameters are those of `condition`.
        """
        if name == "prefix":
            return begins(head(columns, dialect), value)
        return [columns["seed" if name == "site" else name] == value]

    def condition(self, name: str, value: Any, columns: Any, dialect: str) -> ColumnElement[bool]:
        """Return the condition of any filter, for a query that joins `source` and `target`.

        Parameters
        ----------
        name : str
            One of `filters`.
        value : int or str
        columns : columns of a table
            Those of the table of links, or of a subquery of it.
        dialect : str
            ``sqlite`` or ``postgresql``.
        """
        if name == "contains":
            return self._contains(value, columns, dialect)
        if name in ("state", "status", "level"):
            of_page = source if name == "level" else target
            return and_(of_page.c[name] == value)
        if name == "prefix" and self.kind is Kind.INTERNAL:
            return and_(*begins(target.c.address, value))
        return and_(*self.of_link(name, value, columns, dialect))

    def shown(self, links: FromClause) -> Select[Any]:
        """Return a query of the `row` of each link in the table of links, or in a subquery."""
        columns = links.c
        site = func.coalesce(seeds.c.start, "").label("site")
        named: dict[str, ColumnElement[Any]] = {
            "seed": columns.seed, "site": site,
            "found_on": source.c.address.label("found_on"), "level": source.c.level,
        }  # fmt: skip
        if self.kind is Kind.INTERNAL:
            named |= {name: target.c[name] for name in ("address", "state", "status", "problem")}
        chosen = [named[name] if name in named else columns[name] for name in self.row._fields]
        joined = self._joined(links, True, self.kind is Kind.INTERNAL)
        joined = joined.outerjoin(seeds, seeds.c.number == columns.seed)
        return select(*chosen).select_from(joined).where(columns.deleted.is_(False))

    def counted(self, links: FromClause, names: Iterable[str]) -> Select[Any]:
        """Return a query that counts links, and joins the tables that some filters need.

        Parameters
        ----------
        links : FromClause
            The table of links, or a subquery of it.
        names : iterable of str
            The filters that the caller will add to the query.
        """
        internal = self.kind is Kind.INTERNAL
        needs_target = internal and not {"state", "status", "prefix", "contains"}.isdisjoint(names)
        joined = self._joined(links, "level" in names, needs_target)
        return select(func.count()).select_from(joined).where(links.c.deleted.is_(False))

    def _joined(self, links: FromClause, to_source: bool, to_target: bool) -> FromClause:
        joined = links
        if to_source:
            joined = joined.join(source, source.c.id == links.c.page)
        if to_target:
            joined = joined.join(target, target.c.id == links.c.target)
        return joined

    def _contains(self, value: str, columns: Any, dialect: str) -> ColumnElement[bool]:
        where = func.instr if dialect == "sqlite" else func.strpos
        if self.kind is Kind.INTERNAL:
            texts = [target.c.address]
        elif self.kind is Kind.EXTERNAL:
            texts = [columns.address, columns.anchor]
        else:
            texts = [columns.text]
        return or_(*(where(func.lower(text), func.lower(value)) > 0 for text in texts))


def begins(column: ColumnElement[str], prefix: str) -> list[ColumnElement[bool]]:
    """Return the conditions that a column begins with a prefix: a range in the order of bytes."""
    conditions = [column >= prefix]
    whole = prefix.rstrip(chr(LAST))
    if whole:
        # The next text of this length; surrogates are skipped, since they cannot be stored.
        following = ord(whole[-1]) + 1
        following = 0xE000 if following == 0xD800 else following
        conditions.append(column < whole[:-1] + chr(following))
    return conditions


def can_be_stored(value: str) -> bool:
    """Return whether a database can store a text: it has no NUL and no lone surrogate."""
    return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)


def has_words(column: ColumnElement[str], words: str, dialect: str) -> ColumnElement[bool]:
    """Return the condition that an address or a host has a text, ASCII letters of either case."""
    # LIKE of SQLite takes them for the same, that of PostgreSQL does not.
    like = column.contains if dialect == "sqlite" else column.icontains
    return like(words, autoescape=True)


def must_be_storable(name: str, value: str) -> None:
    """Check a text of the user for which a database is searched.

    Raises
    ------
    CrawlError
        If no database can store it.
    """
    if not can_be_stored(value):
        raise CrawlError(f"{name}: contains a character that no address can have")


VIEWS = {
    Kind.INTERNAL: View(
        Kind.INTERNAL, internal_links, InternalLink, ("found", "target"), ("page", "site"),
        ("site", "page", "level", "prefix", "state", "status", "contains"),
    ),
    Kind.EXTERNAL: View(
        Kind.EXTERNAL, external_links, ExternalLink, ("found", "address", "host", "domain"),
        ("page", "host", "domain", "site"),
        ("site", "page", "level", "host", "domain", "prefix", "contains"),
    ),
    Kind.BAD: View(
        Kind.BAD, bad_links, BadLink, ("found", "reason"), ("page", "reason", "site"),
        ("site", "page", "level", "reason", "contains"),
    ),
}  # fmt: skip
"""The views by kind of link."""
