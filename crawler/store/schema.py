"""The tables of the link store, the same in SQLite and PostgreSQL.

Five of them are those of [BeeBot]: settings, seeds, internal, external and bad links. The others
are what makes a crawl go on where it was: pages and their places in the frontier, the plan, every
visit in the order in which the scheduler asked for it, and what is known of hosts.

A reference in a document has a *position*, counted over all references of that document; so the
three tables of links together have the document's order.

Text that is looked up is compared byte by byte in both databases (`Spelled`), so that they sort
alike and an index finds what begins with a prefix. PostgreSQL refuses an index entry of more than
2,704 bytes; SQLite goes on in an index of an expression from no place but its first column. So a
long key is stored short (`stored_key`), and addresses have an index of their own in each.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from hashlib import sha256

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    false,
    func,
    text,
)

FORMAT = "counterpoint link store"
"""The value of the setting ``format``, by which a database is known as one of ours."""

HEAD = 500
"""How many characters of an address its index in PostgreSQL holds."""

Spelled = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that is compared byte by byte."""


def stored_key(key: str) -> str:
    """Return what ``pages.key`` holds for a key: the key itself, or the hash of a long one."""
    if len(key) <= HEAD:
        return key
    return f"{key[:HEAD]} {sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"


class State(IntEnum):
    """Where a page is."""

    QUEUED = 0
    """In the frontier."""
    ISSUED = 1
    """Asked for; the answer is still to come."""
    DONE = 2
    """Answered, whatever the answer was."""
    DROPPED = 3
    """Taken out of the frontier by hand: when its turn comes it is answered so, and not fetched."""
    BEYOND = 4
    """Known, but beyond the maximal level or the site's cap, or not met by the present plan."""


class Standing(StrEnum):
    """How a site stands."""

    WAITING = "waiting"
    """No page of it was fetched yet."""
    STARTED = "started"
    """Some were."""
    UNAVAILABLE = "not available"
    """Its start page could not be loaded; nothing more of it is tried."""


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Crawler Settings: JSON by name; ``format`` is `FORMAT`, ``level`` the maximal level, ..."""

seeds = Table(
    "seeds",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("full_name", Text, nullable=False, server_default=""),
    Column("short_name", Text, nullable=False, server_default=""),
    Column("start", Spelled, nullable=False, unique=True),
    Column("site", Spelled, nullable=False, unique=True),
    Column("level", Integer),
    Column("cap", Integer),
    Column("standing", Text, nullable=False, server_default=Standing.WAITING.value),
    Column("reason", Text, nullable=False, server_default=""),
    Column("known", BigInteger, nullable=False, server_default="0"),
    Column("fetched", BigInteger, nullable=False, server_default="0"),
    Column("internal", BigInteger, nullable=False, server_default="0"),
    Column("external", BigInteger, nullable=False, server_default="0"),
    Column("bad", BigInteger, nullable=False, server_default="0"),
)
"""The sites: start address, site (host, and the port if unusual), maximal level and most pages
(None: as set for all), and running totals that are written with each page."""

pages = Table(
    "pages",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True,
           autoincrement=False),
    Column("seed", Integer, ForeignKey("seeds.number")),
    Column("address", Spelled, nullable=False),
    Column("key", Spelled, nullable=False, unique=True),
    Column("place", BigInteger),
    Column("level", Integer, nullable=False),
    Column("found_on", BigInteger),
    Column("state", SmallInteger, nullable=False),
    Column("status", SmallInteger),
    Column("final", Text, nullable=False, server_default=""),
    Column("problem", Text, nullable=False, server_default=""),
    Column("size", BigInteger, nullable=False, server_default="0"),
    Column("external", Integer, nullable=False, server_default="0"),
    Index("ix_pages_frontier", "seed", "level", "place",
          sqlite_where=text("state IN (0, 3)"), postgresql_where=text("state IN (0, 3)")),
    Index("ix_pages_place", "place"),
    Index("ix_pages_seed", "seed", "id"),
    Index("ix_pages_level", "level", "id", sqlite_where=text("status = 200"),
          postgresql_where=text("status = 200")),
    Index("ix_pages_status", "status", "id", sqlite_where=text("status <> 200"),
          postgresql_where=text("status <> 200")),
    Index("ix_pages_apart", "state", "id", sqlite_where=text("state IN (1, 3, 4)"),
          postgresql_where=text("state IN (1, 3, 4)")),
)  # fmt: skip
"""Pages known, numbered from 0 in the order of discovery: the schedulers' handles. ``key`` is what
addresses of one page have in common, made short by `stored_key`; it begins as the address does,
but for a trailing slash. ``seed`` is the site (None: a site that is no seed). ``place`` is the
page's number in the order in which the plan's scheduler was told of pages (None: the plan has not
met it; -1: it has, beyond a limit): with another plan it begins anew."""

internal_links = Table(
    "internal_links",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seed", Integer),
    Column("target", BigInteger, ForeignKey("pages.id"), nullable=False),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Index("ix_internal_links_seed", "seed", "page", "position"),
    Index("ix_internal_links_target", "target", "page", "position"),
    sqlite_with_rowid=False,
)
"""Links within a site, frames included: the page found on, the place there, its site, the page
linked to."""

external_links = Table(
    "external_links",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seed", Integer),
    Column("address", Spelled, nullable=False),
    Column("host", Spelled, nullable=False),
    Column("domain", Spelled, nullable=False),
    Column("anchor", Text, nullable=False, server_default=""),
    Column("target", BigInteger),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Index("ix_external_links_seed", "seed", "page", "position"),
    Index("ix_external_links_host", "host", "page", "position"),
    Index("ix_external_links_domain", "domain", "page", "position"),
    Index("ix_external_links_address", "address", "page", "position").ddl_if(dialect="sqlite"),
    Index("ix_external_links_head", func.substr(text("address"), text("1"), text(str(HEAD))),
          "page", "position").ddl_if(dialect="postgresql"),
    Index("ix_external_links_target", "target", sqlite_where=text("target IS NOT NULL"),
          postgresql_where=text("target IS NOT NULL")),
    sqlite_with_rowid=False,
)  # fmt: skip
"""Links to other sites with their context, the anchor's text; ``domain`` is the registered one.
``target`` is a page only where the policy follows links to any site."""

bad_links = Table(
    "bad_links",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seed", Integer),
    Column("text", Text, nullable=False),
    Column("reason", Spelled, nullable=False),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Index("ix_bad_links_seed", "seed", "page", "position"),
    Index("ix_bad_links_reason", "reason", "page", "position"),
    sqlite_with_rowid=False,
)
"""What stood where a link belongs and is none, and why."""

plans = Table(
    "plans",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("policy", Text, nullable=False),
    Column("budget", BigInteger, nullable=False),
    Column("seconds", Float),
    Column("seed", BigInteger, nullable=False),
    Column("starts", Text, nullable=False),
    Column("told", Text, nullable=False),
    Column("spent", Float, nullable=False, server_default="0"),
    Column("pages", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False, server_default="0"),
    Column("visits", BigInteger, nullable=False, server_default="0"),
    Column("fetched", BigInteger, nullable=False, server_default="0"),
    Column("ended", Text, nullable=False, server_default=""),
    Column("failed", Boolean, nullable=False, server_default=false()),
)
"""What is crawled, and how; the last row counts. Policy as written, budget in pages and seconds,
seed; ``starts``: JSON, the start pages' ids; ``told``: JSON, whatever else decides (scope, levels,
caps); seconds spent, pages known, events and visits counted, pages fetched, why it ended ("": it
goes on)."""

visits = Table(
    "visits",
    metadata,
    Column("plan", Integer, ForeignKey("plans.number"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("page", BigInteger, ForeignKey("pages.id"), nullable=False),
    Column("seed", Integer),
    Column("host", Spelled, nullable=False),
    Column("issued", BigInteger, nullable=False),
    Column("observed", BigInteger),
    Column("recalled", Boolean, nullable=False, server_default=false()),
    Column("status", SmallInteger),
    Column("external", Integer, nullable=False, server_default="0"),
    Column("fresh", Integer, nullable=False, server_default="0"),
    Column("size", BigInteger, nullable=False, server_default="0"),
    Column("difference", BigInteger, nullable=False, server_default="0"),
    Column("time", Float),
    Column("problem", Text, nullable=False, server_default=""),
    Column("worker", Text),
    Index("ix_visits_observed", "plan", "observed", unique=True),
    Index("ix_visits_flying", "plan", "number", sqlite_where=text("observed IS NULL"),
          postgresql_where=text("observed IS NULL")),
    Index("ix_visits_page", "page"),
    sqlite_with_rowid=False,
)  # fmt: skip
"""Every request in the order in which the scheduler made it, and what it brought. ``issued`` and
``observed`` count the calls of `next` and `observe` together, so a scheduler can be led through the
same calls again; ``recalled``: answered from the store; ``fresh``: how many pages it queued;
``worker``: who fetches it, where several do."""

hosts = Table(
    "hosts",
    metadata,
    Column("host", Spelled, primary_key=True),
    Column("free_at", Float, nullable=False, server_default="0"),
    Column("delay", Float, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("robots", Text, nullable=False, server_default=""),
    Column("robots_at", Float),
    Column("worker", Text),
    Index("ix_hosts_worker", "worker", sqlite_where=text("worker IS NOT NULL"),
          postgresql_where=text("worker IS NOT NULL")),
)  # fmt: skip
"""What politeness needs to know of a host after a restart, or in another process: from when on it
may be asked (seconds since 1970), and its robots.txt as it was answered (JSON). Where several
processes crawl, ``worker`` is the one that may ask it, as long as that one's lease runs."""

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("until", Float, nullable=False),
    Column("waits", Text, nullable=False, server_default=""),
)
"""The processes that crawl a store together: the lease of each on all that it holds runs until then
(seconds since 1970, by the database's clock); what it waits for. One whose lease has run out may be
dead, and others take over what it held."""

copies = Table(
    "copies",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("etag", Text, nullable=False, server_default=""),
    Column("modified", Text, nullable=False, server_default=""),
    Column("blocks", LargeBinary),
)
"""What is needed to ask whether a page has changed, and by how much: validators, and the hashes and
sizes of its blocks of text."""

contents = Table(
    "contents",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("packed", LargeBinary, nullable=False),
)
"""What pages say, for policies that read: title, text, anchors by position and language, as JSON
packed by Zstandard. Apart from the pages, so that lists of them stay short."""
