"""What has changed from one crawl to a later one, each in its own store: pages and broken links.

A link is broken if the linked page was asked for and did not come: it is gone (404, 410), another
error, or no answer. A page that was not asked for, or about which a replayed capture says nothing,
is no broken link. A page whose robots.txt or rule of scope forbids it is none, either.

Both stores are read in the order of the keys of pages, so that neither has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, text

from counterpoint.crawler.documents.exchange import NOT_CAPTURED
from counterpoint.crawler.documents.scope import LEFT_OUT

from .opening import Store
from .schema import State

BATCH = 5_000
"""How many rows are read at a time."""
SHOWN = 1_000
"""The most pages and links of each kind that are kept; all are counted."""

_PAGES = text("""
    SELECT key, address, status, size, problem, state FROM pages
    WHERE key > :after ORDER BY key LIMIT :most""")
_BROKEN = text("""
    SELECT t.id, t.key, t.address, t.status, t.problem FROM pages t
    WHERE t.status <> 200 AND t.state = :done AND t.id > :after ORDER BY t.id LIMIT :most""")
_LINKING = {
    name: text(f"""
    SELECT p.key, p.address FROM {table} l JOIN pages p ON p.id = l.page
    WHERE l.target = :target AND NOT l.deleted AND p.status = 200 ORDER BY p.id, l.position""")
    for name, table in (("internal", "internal_links"), ("external", "external_links"))
}
_THERE = {
    name: text(f"""
    SELECT 1 FROM {table} l JOIN pages p ON p.id = l.page JOIN pages t ON t.id = l.target
    WHERE t.key = :target AND p.key = :page AND NOT l.deleted LIMIT 1""")
    for name, table in (("internal", "internal_links"), ("external", "external_links"))
}
_ONE = text("SELECT status, problem, state FROM pages WHERE key = :key")


class Change(StrEnum):
    """How a page differs between two crawls."""

    GAINED = "gained"
    """It came in the later crawl, and not in the earlier one."""
    LOST = "lost"
    """It came in the earlier crawl; the later one asked for it in vain."""
    UNLINKED = "unlinked"
    """It came in the earlier crawl; the later one found no link to it, or did not ask for it, or
    its capture does not have it."""
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
        Why it is new: ``the target broke`` or ``the link is new``; "" if it is not.
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
        change = Change.LOST if new is not None and _is_broken(new) else Change.UNLINKED
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
    was_broken = row is not None and _is_broken(row)
    for kind, linking in _LINKING.items():
        seen: set[str] = set()
        for page in after.execute(linking, {"target": target["id"]}).mappings():
            if page["key"] in seen:
                continue
            seen.add(page["key"])
            why = "" if was_broken else "the target broke"
            keys = {"target": target["key"], "page": page["key"]}
            if before.execute(_THERE[kind], keys).first() is None:
                why = "the link is new"
            found.broken += 1
            found.new += bool(why)
            count = found.new if why else found.broken - found.new
            if most is None or count <= most:
                found.links.append(BrokenLink(page["address"], target["address"],
                                              target["status"] or 0, target["problem"],
                                              bool(why), why))  # fmt: skip


def _asked(row: Any) -> bool:
    """Return whether a page was asked for, and a server or the network answered for it."""
    return row["state"] == State.DONE and row["status"] is not None


def _came(row: Any) -> bool:
    return row is not None and row["status"] == 200


def _is_broken(row: Any) -> bool:
    """Return whether a page was asked for and did not come, for a reason of its server."""
    status, problem = row["status"], row["problem"]
    state = row.get("state", State.DONE)
    if status is None or status == 200 or state != State.DONE or problem == NOT_CAPTURED:
        return False
    if status == 0:
        return not problem.startswith(LEFT_OUT) and "robots.txt" not in problem
    return bool(status >= 400)


def _status(row: Any) -> int | None:
    if row is None or row["problem"] == NOT_CAPTURED:
        return None
    found: int | None = row["status"]
    return found


def rows_of(found: Changes) -> Iterator[Sequence[object]]:
    """Yield the rows of a table of all listed links and pages, with its header first."""
    yield ("kind", "page", "target", "status_before", "status", "why", "problem")
    for link in found.links:
        kind = "new broken link" if link.new else "broken link"
        yield (kind, link.page, link.target, "", link.status, link.why, link.problem)
    for page in found.listed:
        before = "" if page.before is None else page.before
        after = "" if page.after is None else page.after
        yield (f"page {page.change}", page.address, "", before, after, "", "")
