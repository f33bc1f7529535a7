"""The SQL of a crawl, the same for SQLite and PostgreSQL.

SQLAlchemy translates each statement into the dialect once; then the database's own driver executes
it. A page takes a dozen statements, and a layer around each would cost more than the statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Dialect, text
from sqlalchemy.dialects import postgresql, sqlite

from counterpoint.crawler.documents.directives import CANONICAL, NOFOLLOW, TO_ORIGINAL

from .schema import IS_IN_FRONTIER, Standing, State

_PAGE = "id, seed, place, level, state, status, address, key, size, external, final, problem"
_OF_PAGE = ", ".join(f"p.{column.strip()}" for column in _PAGE.split(","))

READS = {
    "head": """
        SELECT p.events, p.visits, p.pages, p.fetched, p.spent, p.due, p.ended, p.failed,
               (SELECT max(number) FROM plans) AS last_plan,
               (SELECT max(id) FROM pages) AS last_page,
               (SELECT value FROM settings WHERE name = 'changed') AS changed
        FROM plans p WHERE p.number = :plan""",
    "page": f"SELECT {_PAGE} FROM pages WHERE id = :id",
    "pages": f"SELECT {_PAGE} FROM pages WHERE id {{ids}}",
    "keys": f"SELECT {_PAGE} FROM pages WHERE key {{keys}}",
    "queue": f"""
        SELECT id FROM pages WHERE seed = :seed AND {IS_IN_FRONTIER}
        ORDER BY level, place LIMIT :most""",
    "places": """
        SELECT place, id FROM pages WHERE place >= :first AND place < :end ORDER BY place""",
    "targets": f"""
        SELECT l.page, l.position, l.mark, {_OF_PAGE}
        FROM internal_links l JOIN pages p ON p.id = l.target WHERE l.page {{ids}}
        ORDER BY l.page, l.position""",
    "all targets": f"""
        SELECT l.page, l.position, l.mark, {_OF_PAGE}
        FROM internal_links l JOIN pages p ON p.id = l.target WHERE l.page {{ids}}
        UNION ALL
        SELECT l.page, l.position, l.mark, {_OF_PAGE}
        FROM external_links l JOIN pages p ON p.id = l.target WHERE l.page {{ids}}
        ORDER BY 1, 2""",
    "unfollowed": """
        SELECT position, address FROM external_links WHERE page = :page AND target IS NULL
        ORDER BY position""",
    "offered": """
        SELECT seed, count(*) AS pages FROM pages
        WHERE place >= :first AND place < :end AND seed IS NOT NULL GROUP BY seed""",
    "flying": """
        SELECT v.number, v.page, v.seed, p.address, v.issued, c.etag, c.modified
        FROM visits v JOIN pages p ON p.id = v.page LEFT JOIN copies c ON c.page = v.page
        WHERE v.plan = :plan AND v.observed IS NULL ORDER BY v.number""",
    "issued": """
        SELECT issued, page, seed FROM visits WHERE plan = :plan AND number >= :first
        ORDER BY number LIMIT :most""",
    "observed": """
        SELECT observed, number, page, seed, status, external, fresh, size, difference, time
        FROM visits
        WHERE plan = :plan AND observed >= :first ORDER BY observed LIMIT :most""",
    "site links": """
        SELECT v.observed, l.position, l.target, l.mark, p.place FROM visits v
        JOIN internal_links l ON l.page = v.page JOIN pages p ON p.id = l.target
        WHERE v.plan = :plan AND v.observed >= :first AND v.observed <= :last AND v.status = 200
        ORDER BY 1, 2""",
    "all links": """
        SELECT v.observed, l.position, l.target, l.mark, p.place FROM visits v
        JOIN internal_links l ON l.page = v.page JOIN pages p ON p.id = l.target
        WHERE v.plan = :plan AND v.observed >= :first AND v.observed <= :last AND v.status = 200
        UNION ALL
        SELECT v.observed, l.position, l.target, l.mark, p.place FROM visits v
        JOIN external_links l ON l.page = v.page JOIN pages p ON p.id = l.target
        WHERE v.plan = :plan AND v.observed >= :first AND v.observed <= :last AND v.status = 200
        ORDER BY 1, 2""",
    "sitemap": """
        SELECT DISTINCT host FROM sitemaps s WHERE page = :page AND NOT EXISTS (
            SELECT 1 FROM visits v
            WHERE v.page = s.named_on AND v.plan = :plan AND v.observed > :issued)
        ORDER BY host""",
    "named sitemaps": f"""
        SELECT DISTINCT {_OF_PAGE} FROM sitemaps s JOIN pages p ON p.id = s.page
        WHERE s.named_on = :page ORDER BY p.id""",
    "alike": "SELECT name, pages FROM alike WHERE name {keys}",
    "is sitemap": "SELECT 1 AS found FROM sitemaps WHERE page = :page LIMIT 1",
    "names sitemaps": "SELECT 1 AS found FROM sitemaps WHERE named_on = :page LIMIT 1",
    "host": """
        SELECT host, free_at, delay, failures, robots, robots_at FROM hosts WHERE host = :host""",
    "clock": "SELECT CAST(extract(epoch FROM clock_timestamp()) AS float8) AS seconds",
    "workers": "SELECT name, until FROM workers",
    "claims": """
        SELECT v.number, v.host, v.worker, h.worker AS holder
        FROM visits v LEFT JOIN hosts h ON h.host = v.host
        WHERE v.plan = :plan AND v.observed IS NULL ORDER BY v.number""",
    "holder": "SELECT worker FROM hosts WHERE host = :host",
    "held": "SELECT host, delay FROM hosts WHERE worker = :worker",
    "busy": """
        SELECT 1 AS found FROM visits v JOIN workers w ON w.name = v.worker
        WHERE v.plan = :plan AND v.observed IS NULL AND w.until > :now LIMIT 1""",
    "copy": "SELECT etag, modified, blocks FROM copies WHERE page = :page",
    "content": "SELECT packed FROM contents WHERE page = :page",
    "has content": "SELECT 1 AS found FROM contents WHERE page = :page",
    "contents": """
        SELECT v.observed, c.packed FROM visits v JOIN contents c ON c.page = v.page
        WHERE v.plan = :plan AND v.observed >= :first AND v.observed <= :last AND v.status = 200
        """,
    "positions": """
        SELECT position, target, mark FROM internal_links WHERE page = :page
        UNION ALL
        SELECT position, target, mark FROM external_links WHERE page = :page AND target IS NOT NULL
        ORDER BY 1""",
    "is copy": f"""
        SELECT 1 AS found FROM internal_links
        WHERE page = :page AND (mark & {TO_ORIGINAL}) <> 0 LIMIT 1""",
    "copies": f"""
        SELECT count(DISTINCT page) AS pages FROM internal_links
        WHERE target = :page AND (mark & {TO_ORIGINAL}) <> 0""",
    "seen": """
        SELECT 1 AS found FROM visits
        WHERE plan = :plan AND page = :page AND status IN (200, 304) LIMIT 1""",
    "counts": """
        SELECT (SELECT count(*) FROM internal_links
                WHERE page = :page AND NOT deleted) AS internal,
               (SELECT count(*) FROM external_links
                WHERE page = :page AND NOT deleted) AS external,
               (SELECT count(*) FROM bad_links
                WHERE page = :page AND NOT deleted) AS bad""",
    "marks internal": """
        SELECT target AS name, deleted FROM internal_links WHERE page = :page ORDER BY position""",
    "marks external": """
        SELECT address AS name, deleted FROM external_links WHERE page = :page ORDER BY position""",
    "marks bad": """
        SELECT text AS name, deleted FROM bad_links WHERE page = :page ORDER BY position""",
    "seeds": "SELECT number, site, start, level, cap FROM seeds ORDER BY number",
    "settings": "SELECT name, value FROM settings",
    "tuning": """
        SELECT name, value FROM settings WHERE name IN ('concurrency', 'delay', 'paused')""",
    "asked": f"""
        SELECT id, address, status, problem FROM pages
        WHERE status IS NOT NULL AND state = {State.DONE:d} ORDER BY id""",
    "last plan": """
        SELECT number, policy, budget, seconds, seed, starts, told, spent, pages, events, visits,
               fetched, ended, failed
        FROM plans ORDER BY number DESC LIMIT 1""",
    "last page": "SELECT max(id) AS id FROM pages",
    "last time": "SELECT max(time) AS time FROM visits",
    "some known": "SELECT 1 AS found FROM pages WHERE status = 200 LIMIT 1",
    "known": "SELECT id FROM pages WHERE status = 200 ORDER BY id",
    "known addresses": "SELECT id, address FROM pages WHERE status = 200 ORDER BY id",
}
"""The queries by name. ``{ids}`` and ``{keys}`` become the condition that a column's value is in a
list. Each column has a name that is an identifier, by which `Recording.read` makes it available."""

WRITES = {
    "add page": """
        INSERT INTO pages (id, seed, address, key, place, level, found_on, state, problem)
        VALUES (:id, :seed, :address, :key, :place, :level, :found_on, :state, :problem)""",
    "meet page": """
        UPDATE pages SET seed = :seed, place = :place, level = :level, found_on = :found_on,
               state = :state, problem = :problem
        WHERE id = :id""",
    "place page": "UPDATE pages SET place = :place WHERE id = :id",
    "answer page": f"""
        UPDATE pages SET state = {State.DONE:d}, status = :status, final = :final,
               problem = :problem, size = :size, external = :external
        WHERE id = :id""",
    "recall page": f"UPDATE pages SET state = {State.DONE:d} WHERE id = :id",
    "issue page": f"UPDATE pages SET state = {State.ISSUED:d} WHERE id = :id",
    "add internal": """
        INSERT INTO internal_links (page, position, seed, target, mark)
        VALUES (:page, :position, :seed, :target, :mark)""",
    "add external": """
        INSERT INTO external_links
               (page, position, seed, address, host, domain, anchor, target, mark)
        VALUES (:page, :position, :seed, :address, :host, :domain, :anchor, :target, :mark)""",
    "add bad": """
        INSERT INTO bad_links (page, position, seed, text, reason)
        VALUES (:page, :position, :seed, :text, :reason)""",
    "mark internal": f"""
        UPDATE internal_links
        SET mark = (mark & {NOFOLLOW | CANONICAL}) |
                   CASE WHEN target <> :target THEN :others
                        WHEN (mark & {CANONICAL}) <> 0 THEN {TO_ORIGINAL} ELSE 0 END
        WHERE page = :page""",
    "mark external": f"""
        UPDATE external_links SET mark = (mark & {NOFOLLOW | CANONICAL}) | :others
        WHERE page = :page""",
    "leave page": f"""
        UPDATE pages SET problem = :problem
        WHERE id = :id AND place IS NULL AND status IS NULL AND state = {State.BEYOND:d}""",
    "note page": "UPDATE pages SET problem = :problem WHERE id = :id",
    "follow external": """
        UPDATE external_links SET target = :target WHERE page = :page AND position = :position""",
    "delete internal": """
        UPDATE internal_links SET deleted = TRUE WHERE page = :page AND position = :position""",
    "delete external": """
        UPDATE external_links SET deleted = TRUE WHERE page = :page AND position = :position""",
    "delete bad": """
        UPDATE bad_links SET deleted = TRUE WHERE page = :page AND position = :position""",
    "adopt internal": "UPDATE internal_links SET seed = :seed WHERE page = :page",
    "adopt external": "UPDATE external_links SET seed = :seed WHERE page = :page",
    "adopt bad": "UPDATE bad_links SET seed = :seed WHERE page = :page",
    "forget internal": "DELETE FROM internal_links WHERE page = :page",
    "forget external": "DELETE FROM external_links WHERE page = :page",
    "forget bad": "DELETE FROM bad_links WHERE page = :page",
    "issue visit": """
        INSERT INTO visits (plan, number, page, seed, host, issued, worker)
        VALUES (:plan, :number, :page, :seed, :host, :issued, :worker)""",
    "observe visit": """
        UPDATE visits SET observed = :observed, recalled = :recalled, status = :status,
               external = :external, fresh = :fresh, size = :size, difference = :difference,
               time = :time, problem = :problem
        WHERE plan = :plan AND number = :number AND observed IS NULL""",
    "count": """
        UPDATE seeds SET known = known + :known, fetched = fetched + :fetched,
               internal = internal + :internal, external = external + :external, bad = bad + :bad
        WHERE number = :seed""",
    "stand": "UPDATE seeds SET standing = :standing, reason = :reason WHERE number = :seed",
    "start": f"""
        UPDATE seeds SET standing = '{Standing.STARTED.value}'
        WHERE number = :seed AND standing = '{Standing.WAITING.value}'""",
    "host": """
        INSERT INTO hosts (host, free_at, delay, failures, robots, robots_at)
        VALUES (:host, :free_at, :delay, :failures, :robots, :robots_at)
        ON CONFLICT (host) DO UPDATE SET free_at = excluded.free_at, delay = excluded.delay,
               failures = excluded.failures, robots = excluded.robots,
               robots_at = excluded.robots_at""",
    "own host": """
        UPDATE hosts SET free_at = :free_at, delay = :delay, failures = :failures,
               robots = :robots, robots_at = :robots_at
        WHERE host = :host AND worker = :worker""",
    "hold host": """
        INSERT INTO hosts (host, free_at, worker) VALUES (:host, :free_at, :worker)
        ON CONFLICT (host) DO UPDATE SET free_at = excluded.free_at, worker = excluded.worker""",
    "leave host": """
        UPDATE hosts SET worker = NULL,
               free_at = CASE WHEN free_at < :free_at THEN :free_at ELSE free_at END
        WHERE host = :host AND worker = :worker""",
    "claim visit": """
        UPDATE visits SET worker = :worker WHERE plan = :plan AND number = :number""",
    "leave visits": """
        UPDATE visits SET worker = NULL WHERE worker = :worker AND observed IS NULL""",
    "worker": """
        INSERT INTO workers (name, until, waits) VALUES (:name, :until, :waits)
        ON CONFLICT (name) DO UPDATE SET until = excluded.until, waits = excluded.waits""",
    "forget workers": "DELETE FROM workers WHERE name = :name OR until < :before",
    "copy": """
        INSERT INTO copies (page, etag, modified, blocks)
        VALUES (:page, :etag, :modified, :blocks)
        ON CONFLICT (page) DO UPDATE SET etag = excluded.etag, modified = excluded.modified,
               blocks = excluded.blocks""",
    "content": """
        INSERT INTO contents (page, packed) VALUES (:page, :packed)
        ON CONFLICT (page) DO UPDATE SET packed = excluded.packed""",
    "forget content": "DELETE FROM contents WHERE page = :page",
    "add sitemap": """
        INSERT INTO sitemaps (page, named_on, host) VALUES (:page, :named_on, :host)
        ON CONFLICT DO NOTHING""",
    "forget sitemaps": "DELETE FROM sitemaps WHERE named_on = :page",
    "count alike": """
        INSERT INTO alike (name, pages) VALUES (:name, :pages)
        ON CONFLICT (name) DO UPDATE SET pages = excluded.pages""",
    "forget alike": "DELETE FROM alike",
    "plan": """
        UPDATE plans SET events = :events, visits = :visits, pages = :pages, fetched = :fetched,
               spent = :spent, due = :due, ended = :ended, failed = :failed
        WHERE number = :plan""",
    "add plan": """
        INSERT INTO plans (number, policy, budget, seconds, seed, starts, told, pages)
        VALUES (:number, :policy, :budget, :seconds, :seed, :starts, :told, :pages)""",
    "forget places": f"""
        UPDATE pages SET place = NULL,
               state = CASE state WHEN {State.QUEUED:d} THEN {State.BEYOND:d}
                                  WHEN {State.ISSUED:d} THEN {State.BEYOND:d}
                                  WHEN {State.DROPPED:d} THEN {State.DONE:d} ELSE state END,
               status = CASE state WHEN {State.DROPPED:d} THEN 0 ELSE status END,
               problem = CASE state WHEN {State.DROPPED:d} THEN :taken_out ELSE problem END
        WHERE place IS NOT NULL""",
    "setting": """
        INSERT INTO settings (name, value) VALUES (:name, :value)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value""",
}
"""The writing statements by name."""

OF_PAGES = frozenset(
    kind for kind, sql in WRITES.items() if re.search(r"(UPDATE|INTO) pages\b", sql)
)
"""The statements that write pages."""

COPIES = frozenset({"add page", "add internal", "add external", "add bad"})
"""The statements that insert many rows. Each value is a parameter with its column's name, so that
PostgreSQL can get them by COPY."""

_AMONG = {
    "sqlite": "IN (SELECT value FROM json_each(:{name}))",
    # Not = ANY: for thousands of values PostgreSQL then reads the whole table.
    "postgresql": "IN (SELECT unnest(CAST(:{name} AS {type}[])))",
}
_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "sqlite": lambda: sqlite.dialect(paramstyle="named"),
    # SQLAlchemy has no types for this constructor.
    "postgresql": lambda: postgresql.psycopg.dialect(),  # type: ignore[no-untyped-call]
}


@cache
def compiled(dialect: str) -> dict[str, str]:
    """Return all statements in a dialect; parameters are given by name."""
    among = {name: _AMONG[dialect].format(name=name, type=type)
             for name, type in (("ids", "bigint"), ("keys", "text"))}  # fmt: skip
    made = _DIALECTS[dialect]()
    return {
        kind: str(text(sql.format(**among)).compile(dialect=made))
        for table in (READS, {f"write {name}": sql for name, sql in WRITES.items()})
        for kind, sql in table.items()
    }


@cache
def copying(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return PostgreSQL's COPY for one of `COPIES`, and the columns that it fills."""
    found = re.match(r"\s*INSERT INTO (\w+)\s+\(([\w,\s]+)\)\s+VALUES", WRITES[kind])
    assert found is not None, kind
    columns = tuple(re.findall(r"\w+", found[2]))
    return f"COPY {found[1]} ({', '.join(columns)}) FROM STDIN", columns


def listed(dialect: str, values: Sequence[Any]) -> Any:
    """Return a list as a parameter."""
    return json.dumps(values) if dialect == "sqlite" else list(values)
