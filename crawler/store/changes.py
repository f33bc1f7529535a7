"""What has changed from one crawl to a later one, each in its own store: pages and broken links.

A link is broken if the linked page was asked for and did not come: it is gone (404, 410), another
error, redirects that lead nowhere, or no answer, also to the request for its robots.txt. A page
that was not asked for, or about which a replayed capture says nothing, is unknown; so is one that
robots.txt or a rule of scope forbids. A page that redirects to where the crawl did not follow has
moved.

Both stores are read in the order of the keys of pages, so that neither has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, text

from counterpoint.crawler.documents.exchange import NOT_CAPTURED

from .opening import Store
from .page_kinds import is_broken, was_asked
from .schema import State

BATCH = 5_000
"""How many rows are read at a time."""
SHOWN = 1_000
"""The most pages and links of each kind that are kept; all are counted."""

_PAGES = text("""
    SELECT key, address, status, size, problem, state FROM pages
    WHERE key > :after ORDER BY key LIMIT :most""")
_BROKEN = text("""
    SELECT t.id, t.key, t.address, t.status, t.problem, t.state FROM pages t
    WHERE t.status <> 200 AND t.state = :done AND t.id > :after ORDER BY t.id LIMIT :most""")
_LINKING = text("""
    SELECT p.key, p.address FROM pages p JOIN (
        SELECT page FROM internal_links WHERE target = :target AND NOT deleted
        UNION SELECT page FROM external_links WHERE target = :target AND NOT deleted
    ) l ON l.page = p.id WHERE p.status = 200 ORDER BY p.id""")
_THERE = text("""
    SELECT 1 FROM internal_links l JOIN pages t ON t.id = l.target
    WHERE l.page = :page AND t.key = :key AND NOT l.deleted
    UNION ALL SELECT 1 FROM external_links l LEFT JOIN pages t ON t.id = l.target
    WHERE l.page = :page AND (t.key = :key OR l.address = :address) AND NOT l.deleted""")
_ONE = text("SELECT id, status, problem, state FROM pages WHERE key = :key")


class Change(StrEnum):
    """How a page differs between two crawls."""

    GAINED = "gained"
    """It came in the later crawl, and not in the earlier one."""
    LOST = "lost"
    """It came in the earlier crawl; the later one asked for it in vain."""
    UNLINKED = "unlinked"
    """It came in the earlier crawl; the later one found no link to it, or did not ask for it, or
    its capture does not have it."""
    MOVED = "moved"
    """It came in the earlier crawl, and redirects now to where the later one did not follow."""
    RESIZED = "resized"
    """It came in both, with another size."""


class ChangedPage(NamedTuple):
    """A page that differs.

    Attributes
    ----------
    change : Change
    address : str
    before, after : int or None
        The status in each crawl; None: it was not asked for.
    size_before, size_after : int
    """

    change: Change
    address: str
    before: int | None
    after: int | None
    size_before: int = 0
    size_after: int = 0


class BrokenLink(NamedTuple):
    """A broken link of the later crawl.

    Attributes
    ----------
    page, target : str
        The address of the page with the link, and of the one that did not come.
    status : int
        0: no answer.
    problem : str
    new : bool
        Whether it is none of the broken links of the earlier crawl.
    why : str
        Why it is new: ``the target broke``, ``the link is new``, ``the page is new``, or ``not
        known before``: whether it was broken then is unknown; "" if it is not new.
    """

    page: str
    target: str
    status: int
    problem: str
    new: bool
    why: str = ""


@dataclass
class Changes:
    """What has changed.

    Attributes
    ----------
    pages : dict of Change to int
        How many pages changed in each way.
    same : int
        How many pages came in both crawls, with one size.
    broken, new : int
        How many broken links the later crawl has, and how many of them are new.
    mended : int
        How many pages came that did not come when they were asked for before.
    unasked : int
        How many known pages the later crawl did not ask for, so that links to them are unknown.
    listed : list of ChangedPage
    links : list of BrokenLink
        The new ones first; at most `SHOWN` of each kind, unless all are asked for.
    """

    pages: dict[Change, int] = field(default_factory=lambda: dict.fromkeys(Change, 0))
    same: int = 0
    broken: int = 0
    new: int = 0
    mended: int = 0
    unasked: int = 0
    listed: list[ChangedPage] = field(default_factory=list)
    links: list[BrokenLink] = field(default_factory=list)


def changes(old: Store, new: Store, most: int | None = SHOWN) -> Changes:
    """Return what has changed from one crawl to a later one.

    Parameters
    ----------
    old, new : Store
    most : int, optional
        The most pages and links of each kind that are listed; None: all.
    """
    found = Changes()
    with old.reading() as before, new.reading() as after:
        for one in _paired(before, after):
            _note(found, one, most)
        _note_links(found, before, after, most)
    found.links.sort(key=lambda link: (not link.new, link.target, link.page))
    return found


class _Pair(NamedTuple):
    """A page in both stores; None where it is not known."""

    before: RowMapping | None
    after: RowMapping | None


def _paired(before: Connection, after: Connection) -> Iterator[_Pair]:
    """Yield the pages of both stores by key; Python's order of texts is that of UTF-8's bytes."""
    olds, news = _pages(before), _pages(after)
    old, new = next(olds, None), next(news, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old["key"] < new["key"]):
            yield _Pair(old, None)
            old = next(olds, None)
        elif old is None or new["key"] < old["key"]:
            yield _Pair(None, new)
            new = next(news, None)
        else:
            yield _Pair(old, new)
            old, new = next(olds, None), next(news, None)


def _pages(connection: Connection) -> Iterator[RowMapping]:
    after = ""
    while True:
        rows = connection.execute(_PAGES, {"after": after, "most": BATCH}).mappings().all()
        yield from rows
        if len(rows) < BATCH:
            return
        after = rows[-1]["key"]


def _note(found: Changes, pair: _Pair, most: int | None) -> None:
    """Count how a page differs."""
    old, new = pair
    came, comes = _came(old), _came(new)
    if new is not None and not _asked(new):
        found.unasked += 1
    if came and comes:
        assert old is not None and new is not None
        if old["size"] == new["size"]:
            found.same += 1
            return
        change = Change.RESIZED
    elif comes:
        found.mended += old is not None and _is_broken(old)
        change = Change.GAINED
    elif came:
        change = _gone(new)
    else:
        return
    found.pages[change] += 1
    if most is None or found.pages[change] <= most:
        one = new if new is not None else old
        assert one is not None
        address = str(one["address"])
        found.listed.append(ChangedPage(
            change, address, _status(old), _status(new), old["size"] if old is not None else 0,
            new["size"] if new is not None else 0,
        ))  # fmt: skip


def _note_links(
    found: Changes, before: Connection, after: Connection, most: int | None
) -> None:  # fmt: skip
    """Count the broken links of the later crawl."""
    last = -1
    while True:
        given = {"after": last, "most": BATCH, "done": int(State.DONE)}
        rows = after.execute(_BROKEN, given).mappings().all()
        for target in rows:
            if _is_broken(target):
                _note_target(found, before, after, target, most)
        if len(rows) < BATCH:
            return
        last = rows[-1]["id"]


def _note_target(
    found: Changes, before: Connection, after: Connection, target: RowMapping, most: int | None
) -> None:  # fmt: skip
    row = before.execute(_ONE, {"key": target["key"]}).mappings().first()
    for page in after.execute(_LINKING, {"target": target["id"]}).mappings():
        why = _why(before, row, target, page["key"])
        found.broken += 1
        found.new += bool(why)
        count = found.new if why else found.broken - found.new
        if most is None or count <= most:
            found.links.append(BrokenLink(page["address"], target["address"],
                                          target["status"], target["problem"],
                                          bool(why), why))  # fmt: skip


def _why(before: Connection, row: RowMapping | None, target: RowMapping, page: str) -> str:
    """Return why a link is broken that the earlier crawl did not find broken; "" if it did."""
    then = before.execute(_ONE, {"key": page}).mappings().first()
    if then is None or not _came(then):
        return "the page is new" if then is None else "not known before"
    given = {"page": then["id"], "key": target["key"], "address": target["address"]}
    if before.execute(_THERE, given).first() is None:
        return "the link is new"
    if row is None or not _asked(row):
        return "not known before"
    return "" if _is_broken(row) else "the target broke"


def _gone(new: RowMapping | None) -> Change:
    """Return what became of a page that came before."""
    if new is None or not _asked(new):
        return Change.UNLINKED
    return Change.MOVED if 300 <= new["status"] < 400 and not _is_broken(new) else Change.LOST


def _asked(row: RowMapping) -> bool:
    """Return whether a page was asked for, so that something is known of it."""
    return was_asked(row["state"], row["status"], row["problem"])


def _came(row: RowMapping | None) -> bool:
    return row is not None and row["status"] == 200


def _is_broken(row: RowMapping) -> bool:
    """Return whether a page was asked for and did not come."""
    return is_broken(row["state"], row["status"], row["problem"])


def _status(row: RowMapping | None) -> int | None:
    if row is None or row["problem"] == NOT_CAPTURED:
        return None
    found: int | None = row["status"]
    return found


def rows_of(found: Changes) -> Iterator[Sequence[object]]:
    """Yield the rows of a table of all listed links and pages, with its header first."""
    yield ("kind", "page", "target", "status_before", "status", "why", "problem", "size_before",
           "size")  # fmt: skip
    for link in found.links:
        kind = "new broken link" if link.new else "broken link"
        yield (kind, link.page, link.target, "", link.status, link.why, link.problem, "", "")
    for page in found.listed:
        before = "" if page.before is None else page.before
        after = "" if page.after is None else page.after
        yield (f"page {page.change}", page.address, "", before, after, "", "", page.size_before,
               page.size_after)  # fmt: skip
