"""The three views of a link store, and what they can be filtered and sorted by.

What is offered is what an index finds. Each sort is the order of one index of the table of links,
which ends with page and position, so every link has a place in it. A filter is either equality (or
a prefix) in such an index, or a condition on the page found on or linked to, which has an index of
its own; `contains` alone has none.
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
"""The last character there is."""


class Kind(StrEnum):
    """Which links."""

    INTERNAL = "internal"
    EXTERNAL = "external"
    BAD = "bad"


@dataclass(frozen=True)
class Filter:
    """What links must be like; None or "": of no matter.

    Attributes
    ----------
    site : int or None
        The number of the site found on.
    page : str
        The address of the page found on.
    level : int or None
        Of the page found on.
    host, domain : str
        External: whither; the registered domain.
    prefix : str
        Internal, external: how the address begins.
    state : State or None
        Internal: of the page linked to.
    status : int or None
        Internal: of the page linked to, once fetched.
    reason : str
        Bad: why.
    contains : str
        Stands in the address, the anchor or the bad link; small and capital letters are alike.
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
        """Return what is of matter, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, "")}


class InternalLink(NamedTuple):
    """A link within a site: whither, whence, and whether it was processed."""

    page: int
    position: int
    address: str
    seed: int | None
    site: str
    found_on: str
    level: int
    state: int
    status: int | None


class ExternalLink(NamedTuple):
    """A link to another site, and its context."""

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
    """What is no link, and why."""

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
    """Return what the index of addresses holds."""
    if dialect == "sqlite":
        whole: ColumnElement[str] = columns.address
        return whole
    return func.substr(columns.address, text("1"), text(str(HEAD)))


@dataclass(frozen=True)
class View:
    """A table of links, and what it offers.

    Attributes
    ----------
    kind : Kind
        Which.
    table : Table
        Of links.
    row : type
        What a link is shown as.
    sorts : tuple of str
        ``found`` (by page and place in it), or columns of which an index begins.
    equal : tuple of str
        Filters that an index begins with, the narrowest first.
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
        """Refuse what these links do not have."""
        for name in wanted:
            if name not in self.filters:
                raise CrawlError(f"{name}: {self.kind} links have none; they are filtered by "
                                 f"{', '.join(self.filters)}")  # fmt: skip
        if sort not in self.sorts:
            raise CrawlError(f"{sort}: {self.kind} links are sorted by {', '.join(self.sorts)}")
        for name, value in wanted.items():
            if isinstance(value, str) and not can_be_stored(value):
                raise CrawlError(f"{name}: holds a character that no link can have")
            if isinstance(value, int) and not 0 <= value < 2**31:
                raise CrawlError(f"{name}: {value} is out of range")
        if len(wanted.get("prefix", "")) > HEAD:
            raise CrawlError(f"prefix: at most {HEAD} characters")

    def sorted_by(self, sort: str, columns: Any, dialect: str) -> list[ColumnElement[Any]]:
        """Return the columns of an order, in the table or in a part of it."""
        order: list[ColumnElement[Any]] = [columns.page, columns.position]
        if sort == "found":
            return order
        return [head(columns, dialect) if sort == "address" else columns[sort], *order]

    def of_link(
        self, name: str, value: Any, columns: Any, dialect: str
    ) -> list[ColumnElement[bool]]:
        """Return the condition of a filter that needs the table of links only."""
        if name == "prefix":
            return begins(head(columns, dialect), value)
        return [columns["seed" if name == "site" else name] == value]

    def condition(self, name: str, value: Any, columns: Any, dialect: str) -> ColumnElement[bool]:
        """Return the condition of any filter, where source and target are joined."""
        if name == "contains":
            return self._contains(value, columns, dialect)
        if name in ("state", "status", "level"):
            of_page = source if name == "level" else target
            return and_(of_page.c[name] == value)
        if name == "prefix" and self.kind is Kind.INTERNAL:
            return and_(*begins(target.c.address, value))
        return and_(*self.of_link(name, value, columns, dialect))

    def shown(self, of: FromClause) -> Select[Any]:
        """Return a query of links as they are shown, of a part of the table."""
        columns = of.c
        site = func.coalesce(seeds.c.start, "").label("site")
        told: dict[str, ColumnElement[Any]] = {
            "seed": columns.seed, "site": site,
            "found_on": source.c.address.label("found_on"), "level": source.c.level,
        }  # fmt: skip
        if self.kind is Kind.INTERNAL:
            told |= {name: target.c[name] for name in ("address", "state", "status")}
        chosen = [told[name] if name in told else columns[name] for name in self.row._fields]
        joined = self._joined(of, True, self.kind is Kind.INTERNAL)
        joined = joined.outerjoin(seeds, seeds.c.number == columns.seed)
        return select(*chosen).select_from(joined).where(columns.deleted.is_(False))

    def counted(self, of: FromClause, names: Iterable[str]) -> Select[Any]:
        """Return a query that counts links of a part of the table; `names`: the filters to come."""
        internal = self.kind is Kind.INTERNAL
        led = internal and not {"state", "status", "prefix", "contains"}.isdisjoint(names)
        joined = self._joined(of, "level" in names, led)
        return select(func.count()).select_from(joined).where(of.c.deleted.is_(False))

    def _joined(self, of: FromClause, to_source: bool, to_target: bool) -> FromClause:
        joined = of
        if to_source:
            joined = joined.join(source, source.c.id == of.c.page)
        if to_target:
            joined = joined.join(target, target.c.id == of.c.target)
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
    """Return the condition that a text begins with another one: a range in order of bytes."""
    conditions = [column >= prefix]
    whole = prefix.rstrip(chr(LAST))
    if whole:
        # The next text of this length; what cannot be written (a surrogate) is skipped.
        following = ord(whole[-1]) + 1
        following = 0xE000 if following == 0xD800 else following
        conditions.append(column < whole[:-1] + chr(following))
    return conditions


def can_be_stored(value: str) -> bool:
    """Tell whether a database can hold a text: no NUL, no half of a character."""
    return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)


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
"""By kind."""
