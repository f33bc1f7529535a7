"""The list of broken links, part by part, against the list of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import broken_list
from counterpoint.crawler.store.broken import broken
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import State, internal_links, pages, plans, visits

PAGES = 12
statuses = st.sampled_from([200, 304, 404, 0, 500, 301])
histories = st.lists(st.lists(statuses, max_size=4), min_size=PAGES, max_size=PAGES)


def fill(store: Store, seen: list[list[int]], linked: list[bool]) -> None:
    """Write pages with the statuses of their visits; page 0 links to those that are linked."""
    rows: list[dict[str, Any]] = []
    for page, history in enumerate(seen):
        for status in history:
            number = len(rows)
            rows.append({"plan": 0, "number": number, "page": page, "host": "a.test",
                         "issued": 2 * number, "observed": 2 * number + 1, "status": status,
                         "time": 100.0 + number})  # fmt: skip
    named = [{"id": k, "address": f"http://a.test/{k}", "key": f"http://a.test/{k}", "level": 0,
              "state": State.DONE, "status": 200} for k in range(len(seen))]  # fmt: skip
    links = [{"page": k % 5, "position": 20 * position + n, "target": target}
             for position, (target, yes) in enumerate(zip(range(len(seen)), linked, strict=True))
             for n, k in enumerate((*range(target + 1), 0)) if yes and k < 5]  # fmt: skip
    with store.transaction() as connection:
        connection.execute(insert(plans).values(number=0, policy="x", budget=1, seed=0, starts="[]",
                                                told="{}", pages=len(seen)))  # fmt: skip
        connection.execute(insert(pages), named)
        for table, content in ((visits, rows), (internal_links, links)):
            if content:
                connection.execute(insert(table), content)


def expected(store: Store, since: float, words: str) -> list[tuple[Any, list[str]]]:
    """Return each target that must be listed, with the pages that link to it."""
    return [(target, list(dict.fromkeys(one.page for one in links)))
            for target, links in groupby(broken(store, since), lambda one: one.target)
            if words in target.address]  # fmt: skip


class Steps:
    """A clock that makes a step at each look, so that a search is over after a few parts."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def walked(store: Store, which: str, **wanted: Any) -> Iterator[broken_list.BrokenRow]:
    """Yield the rows of a list, from its beginning on or from its end back."""
    place, parts = "" if which == "after" else broken_list.token_of([PAGES]), []
    for _ in range(100):
        found = broken_list.search(store, clock=Steps(), **{which: place}, **wanted)
        assert len(found.rows) <= wanted["limit"]
        parts.append(found.rows)
        place = getattr(found, which)
        assert found.whole or place
        if not place:
            break
    else:
        raise AssertionError("the list does not end")
    for part in parts if which == "after" else reversed(parts):
        yield from part


@given(
    histories, st.lists(st.booleans(), min_size=PAGES, max_size=PAGES), st.integers(1, 4),
    st.integers(1, 6), st.integers(1, 40), st.sampled_from([0.0, 105.0, 112.0]),
    st.sampled_from(["", "A.TEST/1"]),
)  # fmt: skip
def test_parts_have_all_broken_links(
    tmp_path_factory: pytest.TempPathFactory, seen: list[list[int]], linked: list[bool], limit: int,
    seconds: int, part: int, since: float, words: str,
) -> None:  # fmt: skip
    """A target that is missing at the border of two parts, or twice there, or is not broken."""
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch, open_store(folder / "a.db", create=True) as store:
        patch.setattr(broken_list, "PART", part)
        fill(store, seen, linked)
        wanted = {"limit": limit, "seconds": float(seconds), "since": since, "words": words}
        rows = list(walked(store, "after", **wanted))
        all_of_them = expected(store, since, words.lower())
        assert [row.target for row in rows] == [target for target, _ in all_of_them]
        for row, (_, sources) in zip(rows, all_of_them, strict=True):
            assert [one.address for one in row.sources] == sources[: broken_list.SOURCES]
            assert row.more == (len(sources) > broken_list.SOURCES)
        assert list(walked(store, "before", **wanted)) == rows
        whole = broken_list.search(store, limit=PAGES, since=since, words=words)
        assert (whole.rows, whole.before, whole.after, whole.whole) == (rows, "", "", True)


def test_no_place_of_the_list(tmp_path: Path) -> None:
    """A place that a user has typed, and that a database would refuse with a traceback."""
    with open_store(tmp_path / "a.db", create=True) as store:
        for place in ("x", "WzEsMl0", "WyJhIl0", broken_list.token_of([2**63])):
            with pytest.raises(CrawlError, match="is no place in this list"):
                broken_list.search(store, after=place)
        with pytest.raises(CrawlError, match="no address can have"):
            broken_list.search(store, words="\0")
        assert broken_list.search(store).rows == []
