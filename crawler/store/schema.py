"""The tables of the link store, the same in SQLite and PostgreSQL.

Five tables are those of [BeeBot]: settings, seeds, internal, external and bad links. The others
make it possible to resume a crawl where it was stopped: pages and their places in the frontier, the
plan, every visit in the order in which the scheduler requested it, and the state of hosts.

A reference in a document has a *position*, counted over all references of that document; so the
three tables of links together have the document's order.

Both databases compare indexed text byte by byte (`Spelled`), so that they sort alike and an index
finds all texts with a given prefix. PostgreSQL refuses index entries of more than 2,704 bytes, and
SQLite can continue a search in an index of an expression only by its first column. So long keys are
shortened (`stored_key`), and the index of addresses is different in the two databases.
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
"""The value of the setting ``format``, which marks a database as a link store."""

HEAD = 500
"""How many characters of an address its index in PostgreSQL contains."""

Spelled = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that is compared byte by byte."""


def stored_key(key: str) -> str:
    """Return the value of ``pages.key`` for a key: the key itself; its hash if it is long."""
    if len(key) <= HEAD:
        return key
    return f"{key[:HEAD]} {sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"


class State(IntEnum):
    """The state of a page in a crawl; the values are stored in the database."""

    QUEUED = 0
    """In the frontier."""
    ISSUED = 1
    """Requested; the answer has not come yet."""
    DONE = 2
    """Answered, whatever the answer was."""
    DROPPED = 3
    """Removed from the frontier by the user: when its turn comes, it is not fetched, and the
    scheduler gets an outcome without an answer."""
    BEYOND = 4
    """Known, but beyond the maximal level or the site's cap, or not met by the present plan."""


class Standing(StrEnum):
    """The state of a site in a crawl; the values are stored in the database."""

    WAITING = "waiting"
    """No page of it was fetched yet."""
    STARTED = "started"
    """At least one page of it was fetched."""
    UNAVAILABLE = "not available"
    """Its start page could not be loaded; no other page of it is requested."""


IS_IN_FRONTIER = f"state IN ({State.QUEUED:d}, {State.DROPPED:d})"
"""The SQL condition that a page waits in the frontier. A partial index has this condition, so a
query uses the index only if it repeats the condition literally."""

IS_APART = f"state IN ({State.ISSUED:d}, {State.DROPPED:d}, {State.BEYOND:d})"
"""The SQL condition that a page is in one of the rarer states; also that of a partial index."""

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
"""Settings of the crawler: JSON by name; ``format`` is `FORMAT`, ``level`` the maximal level."""

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
"""The sites: start address, site (host, and the port if it is not the default), maximal level and
most pages (None: the setting for all sites), and running totals that are written with each page."""

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
          sqlite_where=text(IS_IN_FRONTIER), postgresql_where=text(IS_IN_FRONTIER)),
    Index("ix_pages_place", "place"),
    Index("ix_pages_seed", "seed", "id"),
    Index("ix_pages_level", "level", "id", sqlite_where=text("status = 200"),
          postgresql_where=text("status = 200")),
    Index("ix_pages_status", "status", "id", sqlite_where=text("status <> 200"),
          postgresql_where=text("status <> 200")),
    Index("ix_pages_apart", "state", "id", sqlite_where=text(IS_APART),
          postgresql_where=text(IS_APART)),
)  # fmt: skip
"""The known pages, numbered from 0 in the order of discovery; the numbers are the schedulers'
handles. ``key`` is the same for all addresses of a page, and is shortened by `stored_key`; it
begins like the address, except for a trailing slash. ``seed`` is the site (None: the site is not a
seed). ``place`` numbers the pages in the order in which the plan's scheduler learned of them (None:
the plan has not met the page; -1: it has met the page beyond a limit); a new plan numbers again."""

internal_links = Table(
    "internal_links",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("seed", Integer),
    Column("target", BigInteger, ForeignKey("pages.id"), nullable=False),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Column("mark", SmallInteger, nullable=False, server_default="0"),
    Index("ix_internal_links_seed", "seed", "page", "position"),
    Index("ix_internal_links_target", "target", "page", "position"),
    sqlite_with_rowid=False,
)
"""Links within a site, including frames: the page that has the link, the position of the link in
it, the page's site, and the linked page. ``mark`` says whether the link may be followed, see
`counterpoint.crawler.documents.directives`."""

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
    Column("mark", SmallInteger, nullable=False, server_default="0"),
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
"""Links to other sites, with the text of the anchor; ``domain`` is the registered one. ``target``
is the linked page if the policy follows links to all sites; else None. ``mark`` is as in
``internal_links``."""

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
"""References that are no valid links, with the reason."""

sitemaps = Table(
    "sitemaps",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("named_on", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("host", Spelled, primary_key=True),
    Index("ix_sitemaps_named_on", "named_on", "page"),
    sqlite_with_rowid=False,
)
"""The pages that were named as sitemaps: ``named_on`` is the start page of a site whose robots.txt
named it, or the index that did; ``host``: the site whose addresses it may have."""

alike = Table(
    "alike",
    metadata,
    Column("name", Spelled, primary_key=True),
    Column("pages", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""How many pages that are alike have a place in the present plan, for the detectors of traps that
count: see `counterpoint.crawler.documents.traps.Alike`. Names are shortened by `stored_key`."""

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
    Column("due", Float, nullable=False, server_default="0"),
    Column("pages", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False, server_default="0"),
    Column("visits", BigInteger, nullable=False, server_default="0"),
    Column("fetched", BigInteger, nullable=False, server_default="0"),
    Column("ended", Text, nullable=False, server_default=""),
    Column("failed", Boolean, nullable=False, server_default=false()),
)
"""Plans of crawls; the last row is the present plan. It has the policy as written, the budget in
pages and in seconds, and the seed; ``starts``: JSON, the start pages' ids; ``told``: JSON, all
other settings that decide the order of the crawl (scope, levels, caps). The other columns say how
far the crawl is: seconds spent, when the next visit is due (seconds since 1970; for plans that keep
pages fresh), pages known, numbers of events and visits, pages fetched, and why the plan ended ("":
it has not ended)."""

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
"""Every request in the order in which the scheduler made it, with its outcome. ``issued`` and
``observed`` number the calls of `next` and `observe` in one sequence, so that the calls can be
replayed; ``recalled``: the store answered, without a fetch; ``fresh``: how many pages it queued;
``worker``: the process that fetches it, if several crawl the store."""

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
"""The state of hosts that politeness needs after a restart, or in another process: the time from
which on the host may be requested again (seconds since 1970), and its robots.txt as it was answered
(JSON). If several processes crawl, ``worker`` is the one that may request it while its lease
runs."""

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("until", Float, nullable=False),
    Column("waits", Text, nullable=False, server_default=""),
)
"""The processes that crawl a store together. ``until`` is the end of a worker's lease on all its
hosts and visits (seconds since 1970, by the database's clock); ``waits`` says what it waits for. A
worker whose lease has run out may be dead, and others take over its hosts and visits."""

copies = Table(
    "copies",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("etag", Text, nullable=False, server_default=""),
    Column("modified", Text, nullable=False, server_default=""),
    Column("blocks", LargeBinary),
)
"""Data for conditional requests and for the measure of changes: a page's validators, and the hashes
and sizes of its blocks of text."""

contents = Table(
    "contents",
    metadata,
    Column("page", BigInteger, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    Column("packed", LargeBinary, nullable=False),
)
"""The contents of pages, for policies that read: title, text, anchors by position and language, as
JSON compressed by Zstandard. They have a table of their own so that rows of ``pages`` stay
short."""
