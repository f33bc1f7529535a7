"""All that a store has about one page: its row, its validators, its visits, and some links."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, literal, select

from .opening import Store
from .page_kinds import PageKind, kind_of
from .schema import bad_links, copies, external_links, internal_links, pages, seeds, visits

SHOWN = 50
"""The most visits, and links of each kind, that are returned."""
_found_on = pages.alias("found_on")
_source = pages.alias("source")
_target = pages.alias("target")


class Visit(NamedTuple):
    """A visit of a page; ``recalled``: the store answered, without a request."""

    plan: int
    number: int
    time: float | None
    status: int | None
    size: int
    external: int
    fresh: int
    recalled: bool
    problem: str
    worker: str | None


class Linked(NamedTuple):
    """A page at the other end of a link; ``id`` is None if the store has no such page."""

    id: int | None
    address: str
    text: str


class PageDetails(NamedTuple):
    """A page.

    Attributes
    ----------
    id, level, size, external, final, problem
        As in `schema.pages`.
    address, site : str
        Its address, and the host of its site; "": the site is none of the list.
    seed : int or None
        The number of the site.
    kind : PageKind
    status : int or None
    found_on : Linked or None
        The page on which it was found first.
    etag, modified : str
        Headers of its last answer, for conditional requests; "": not known.
    visits : list of Visit
        The last ones, at most `SHOWN`; the last one first.
    internal, outward, bad, inward : list of Linked
        The first of its links in its site, of those to other sites, of its bad links (with the
        reason as text), and of the links to it; at most `SHOWN` each.
    """

    id: int
    address: str
    site: str
    seed: int | None
    kind: PageKind
    status: int | None
    level: int
    size: int
    external: int
    final: str
    problem: str
    found_on: Linked | None
    etag: str
    modified: str
    visits: list[Visit]
    internal: list[Linked]
    outward: list[Linked]
    bad: list[Linked]
    inward: list[Linked]


def details(store: Store, page: int) -> PageDetails | None:
    """Return what the store has about a page; None if there is no page of this number."""
    columns = [pages.c[name] for name in ("address", "seed", "state", "status", "level", "size",
                                          "external", "final", "problem")]  # fmt: skip
    named = [func.coalesce(seeds.c.site, "").label("site"), _found_on.c.id.label("source"),
             _found_on.c.address.label("source_address"),
             func.coalesce(copies.c.etag, "").label("etag"),
             func.coalesce(copies.c.modified, "").label("modified")]  # fmt: skip
    joined = (
        pages.outerjoin(seeds, seeds.c.number == pages.c.seed)
        .outerjoin(_found_on, _found_on.c.id == pages.c.found_on)
        .outerjoin(copies, copies.c.page == pages.c.id)
    )
    query = select(*columns, *named).select_from(joined).where(pages.c.id == page)
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        source = None if row.source is None else Linked(row.source, row.source_address, "")
        return PageDetails(
            page, row.address, row.site, row.seed, kind_of(row.state, row.status, row.problem),
            row.status, row.level, row.size, row.external, row.final, row.problem, source,
            row.etag, row.modified, _visits(connection, page), *_links(connection, page),
        )  # fmt: skip


def _visits(connection: Connection, page: int) -> list[Visit]:
    columns = [visits.c[name] for name in Visit._fields]
    query = select(*columns).where(visits.c.page == page)
    newest = query.order_by(visits.c.plan.desc(), visits.c.number.desc()).limit(SHOWN)
    return [Visit(*row) for row in connection.execute(newest)]


def _links(connection: Connection, page: int) -> list[list[Linked]]:
    """Return links of each kind; each query follows an index, and stops at its limit."""
    links, outer, bad = internal_links.c, external_links.c, bad_links.c
    of_page = [
        select(_target.c.id, _target.c.address, literal("").label("text"))
        .select_from(internal_links.join(_target, _target.c.id == links.target))
        .where(links.page == page, links.deleted.is_(False)).order_by(links.position),
        select(outer.target, outer.address, outer.anchor)
        .where(outer.page == page, outer.deleted.is_(False)).order_by(outer.position),
        select(bad.page, bad.text, bad.reason)
        .where(bad.page == page, bad.deleted.is_(False)).order_by(bad.position),
    ]  # fmt: skip
    found = [_linked(connection, query) for query in of_page]
    to_page = [
        select(_source.c.id, _source.c.address, literal("").label("text"))
        .select_from(internal_links.join(_source, _source.c.id == links.page))
        .where(links.target == page, links.deleted.is_(False)).order_by(links.page, links.position),
        select(_source.c.id, _source.c.address, outer.anchor)
        .select_from(external_links.join(_source, _source.c.id == outer.page))
        .where(outer.target == page, outer.deleted.is_(False)),
    ]  # fmt: skip
    inward = [one for query in to_page for one in _linked(connection, query)]
    return [*found, inward[:SHOWN]]


def _linked(connection: Connection, query: Select[Any]) -> list[Linked]:
    return [Linked(*row) for row in connection.execute(query.limit(SHOWN))]
