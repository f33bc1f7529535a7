"""Measures the milliseconds of each view of links, in a store of a million links of each kind.

    python benchmarks/browsing.py --links 1000000 --json benchmarks/browsing.json

A store gets that number of internal links, the same number of external links, and a tenth of it of
bad links, on a hundred sites of Zipf sizes and 20,000 hosts. For each filter and sort that a view
offers, four pages are requested three times each: the first page, the next one, the one before that
and the last one. The figure is the best round of the slowest of these four.
The database explains the queries. If one reads a whole table, the script fails at its end.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITES, HOSTS, PER_PAGE, ROUNDS = 100, 20_000, 10, 3
CLOCK = time.perf_counter
VALUES: dict[str, list[Any]] = {
    "site": [1, 57],
    "page": ["http://site1.test/"],
    "level": [0, 3, 5],
    "host": ["www.host0.test", "www.host777.test"],
    "domain": ["host0.test", "host777.test"],
    "prefix": ["http://www.host0.test/", "http://site1.test/a/", "http://site57.test/a/99"],
    "state": [0, 1, 2, 3, 4],
    "status": [200, 404, 500],
    "reason": ["malformed", "telephone"],
    "contains": ["needle", "home", "nowhere at all"],
}


class Made:
    """The rows of a store: every second page is fetched, with ten internal and external links."""

    def __init__(self, links: int) -> None:
        self.chance = Random(1)
        self.count = 2 * links // PER_PAGE
        weights = [1 / (n + 1) for n in range(SITES)]
        self.sites = sorted(self.chance.choices(range(1, SITES + 1), weights, k=self.count))
        by_host = [1 / (n + 1) for n in range(HOSTS)]
        self.hosts = iter(self.chance.choices(range(HOSTS), by_host, k=links))
        self.first = {site: at for at, site in reversed(list(enumerate(self.sites)))}

    def seeds(self) -> Iterator[dict[str, Any]]:
        """Yield sites."""
        for n in range(1, SITES + 1):
            yield {"number": n, "start": f"http://site{n}.test/", "site": f"site{n}.test"}

    def pages(self) -> Iterator[dict[str, Any]]:
        """Yield pages."""
        for number, site in enumerate(self.sites):
            start = self.first[site]
            address = f"http://site{site}.test/{'' if number == start else f'a/{number}.html'}"
            fetched = number % 2 == 0
            status = 200 if number % 40 else self.chance.choice([404, 500])
            state = 2 if fetched else self.chance.choice([0] * 50 + [1, 3, 4, 4])
            yield {"id": number, "seed": site, "address": address, "key": address, "place": number,
                   "level": min(5, (number - start).bit_length() // 3), "state": state,
                   "status": status if fetched else None}  # fmt: skip

    def _places(self, first: int, each: int) -> Iterator[dict[str, Any]]:
        for number in range(0, self.count, 2):
            if number % 40:
                for n in range(each):
                    yield {"page": number, "position": first + n, "seed": self.sites[number]}

    def internal(self) -> Iterator[dict[str, Any]]:
        """Yield internal links; one in ten leads to the start page."""
        for place in self._places(0, PER_PAGE):
            start, number = self.first[place["seed"]], place["page"]
            other = start if place["position"] == 0 else self.chance.randrange(start, number + 1)
            yield place | {"target": other}

    def external(self) -> Iterator[dict[str, Any]]:
        """Yield external links; those of the last page have the anchor ``the needle``."""
        for place, host in zip(self._places(100, PER_PAGE), self.hosts, strict=False):
            anchor = "the needle" if place["page"] == self.count - 2 else self.chance.choice(WORDS)
            yield place | {"host": f"www.host{host}.test", "domain": f"host{host}.test",
                           "address": f"http://www.host{host}.test/{self.chance.randrange(9)}",
                           "anchor": anchor}  # fmt: skip

    def bad(self) -> Iterator[dict[str, Any]]:
        """Yield bad links."""
        for place in self._places(200, 1):
            reason = "telephone" if place["page"] % 5_000 == 2 else "malformed"
            yield place | {"text": "http://", "reason": reason}


def filled(store: Any, links: int) -> None:
    """Fill an empty store."""
    from sqlalchemy import insert

    from counterpoint.crawler.store import schema

    made = Made(links)
    for table, rows in (
        (schema.seeds, made.seeds()), (schema.pages, made.pages()),
        (schema.internal_links, made.internal()), (schema.external_links, made.external()),
        (schema.bad_links, made.bad()),
    ):  # fmt: skip
        while batch := list(islice(rows, 10_000)):
            with store.transaction() as connection:
                connection.execute(insert(table), batch)
    if store.dialect == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")


WORDS = ["Home", "read more", "a long anchor of several words", "contact", "университет"]


@contextmanager
def queries(store: Any) -> Iterator[list[tuple[str, Any]]]:
    """Record the queries that a store makes; yield the list, which grows."""
    from sqlalchemy import event

    made: list[tuple[str, Any]] = []

    def take(_c: Any, _k: Any, statement: str, parameters: Any, _x: Any, _m: Any) -> None:
        if statement.lstrip().startswith(("SELECT", "WITH")):
            made.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", take)
    try:
        yield made
    finally:
        event.remove(store.engine, "before_cursor_execute", take)


def plan(store: Any, statement: str, parameters: Any) -> list[str]:
    """Return the steps of a database's plan for a query."""
    words = "EXPLAIN QUERY PLAN " if store.dialect == "sqlite" else "EXPLAIN "
    with store.reading() as connection:
        rows = connection.exec_driver_sql(words + statement, parameters)
        return [str(row[-1]) for row in rows]


def bad_steps(lines: list[str]) -> list[str]:
    """Return the steps of a plan that read a whole table of links, or of pages.

    A view looks at a limited part of its links. SQLite says that it scans the table for this part;
    but unless it sorts what it reads, it reads in the order of the key, and stops at the limit.
    """
    tables = ("_links", "pages", "source", "target")
    bad = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        scans = line.startswith("SCAN") and "INDEX" not in line and "PRIMARY KEY" not in line
        part = before in ("MATERIALIZE part", "CO-ROUTINE part") and after == "SCAN part"
        reads_all = "Seq Scan" in line or (scans and not part and lines != [line])
        if reads_all and any(table in line for table in tables):
            bad.append(line)
    return bad


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Call a function in some rounds; return the milliseconds of the best, and the result."""
    spent = []
    for _ in range(ROUNDS):
        begun = CLOCK()
        found = work()
        spent.append(1000 * (CLOCK() - begun))
    return min(spent), found


def cases(kind: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield every filter and sort that a view offers: a name, the filter, the sort."""
    from counterpoint.crawler.store.views import VIEWS, Filter

    view = VIEWS[kind]
    for sort in view.sorts:
        yield "all", Filter(), sort
        for name in view.filters:
            for value in VALUES[name]:
                yield f"{name}={value}", Filter(**{name: value}), sort


def measured(store: Any) -> list[dict[str, Any]]:
    """Return the figures of each view."""
    from counterpoint.crawler.store.views import Kind

    return [viewed(store, kind, *case) for kind in Kind for case in cases(kind)]


def viewed(store: Any, kind: Any, named: str, wanted: Any, sort: str) -> dict[str, Any]:
    """Return the figures of a view, among them the time of its slowest page and of counting.

    Parameters
    ----------
    store : open store
    kind : Kind
        The kind of links.
    named : str
        The name of the filter in the figures.
    wanted : Filter
    sort : str
    """
    from counterpoint.crawler.store.browsing import browse, total

    with queries(store) as made, store.reading() as connection:
        look = partial(browse, connection, kind, wanted, sort)
        first, page = timed(look)
        times = [first, timed(partial(look, descending=True))[0]]
        if page.after:
            spent, following = timed(partial(look, after=page.after))
            times.append(spent)
            if following.before:
                times.append(timed(partial(look, before=following.before))[0])
        counting, count = timed(partial(total, connection, kind, wanted))
    steps = [step for query in made for step in bad_steps(plan(store, *query))]
    return {"kind": str(kind), "filter": named, "sort": sort, "ms": max(times),
            "rows": len(page.rows), "looked": page.looked, "whole": page.whole,
            "total": f"{count.number}{'' if count.exact else '+'}", "counting": counting,
            "scans": steps}  # fmt: skip


def print_slowest(database: str, found: list[dict[str, Any]]) -> None:
    """Print the slowest views, and all views that read a whole table."""
    times = [case["ms"] for case in found]
    print(
        f"{database}: {len(found)} views, median {median(times):.1f} ms, "
        f"slowest {max(times):.1f} ms; slowest count {max(c['counting'] for c in found):.1f} ms"
    )
    for case in sorted(found, key=lambda case: -case["ms"])[:12]:
        print(
            f"  {case['ms']:7.1f} ms {case['kind']} {case['filter']} by {case['sort']}: "
            f"{case['rows']} rows, looked at {case['looked']:,}, total {case['total']}"
        )
    for case in found:
        if case["scans"]:
            print(f"  SCAN {case['kind']} {case['filter']} by {case['sort']}: {case['scans'][0]}")


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="measure processor time, for a busy machine; SQLite only",
    )
    asked = parser.parse_args()
    if asked.processor_time:
        globals()["CLOCK"] = time.process_time
        asked.database = "sqlite"
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    from counterpoint.crawler.store.opening import open_store
    from tests.postgres import new_server, programs

    kept: dict[str, Any] = {"links": asked.links, "python": platform.python_version()}

    def measure(store: Any, name: str) -> None:
        begun = time.perf_counter()
        filled(store, asked.links)
        print(f"{name}: filled in {time.perf_counter() - begun:.0f} s", flush=True)
        kept[name] = measured(store)
        print_slowest(name, kept[name])

    if asked.database != "postgresql":
        with (
            TemporaryDirectory() as folder,
            open_store(Path(folder) / "store.db", create=True) as store,
        ):
            measure(store, "sqlite")
    if asked.database != "sqlite" and programs() is not None:
        with new_server() as server, open_store(server.database(), create=True) as store:
            measure(store, "postgresql")
    if asked.json:
        asked.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if any(case["scans"] for name in ("sqlite", "postgresql") for case in kept.get(name, [])):
        sys.exit("a view reads a whole table")


if __name__ == "__main__":
    main()
