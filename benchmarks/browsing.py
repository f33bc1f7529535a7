"""Milliseconds of each view of links, in a store of millions of links; rows a writer adds meanwhile.

    python benchmarks/browsing.py --links 1000000 --json benchmarks/browsing.json

A store is filled with as many internal links, as many external ones and a tenth of bad ones, on a
hundred sites of Zipf sizes and 20,000 hosts. Each filter and sort that is offered is asked for its
first page, the next one and the one before that, as a user would; the slowest of them is told.
The queries are explained by the database: one that reads a whole table stops the script.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITES, HOSTS, PER_PAGE = 100, 20_000, 10
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


def filled(store: Any, links: int) -> None:
    """Fill an empty store: one page in two is fetched, and has ten internal and external links."""
    from sqlalchemy import insert

    from crawler.pages.addresses import key
    from crawler.store.schema import (
        bad_links,
        external_links,
        internal_links,
        pages,
        seeds,
        stored_key,
    )

    chance = Random(1)
    count = 2 * links // PER_PAGE
    weights = [1 / (n + 1) for n in range(SITES)]
    sites = sorted(chance.choices(range(1, SITES + 1), weights, k=count))
    by_host = [1 / (n + 1) for n in range(HOSTS)]
    hosts = iter(chance.choices(range(HOSTS), by_host, k=links))
    first = {site: number for number, site in reversed(list(enumerate(sites)))}

    def address(number: int) -> str:
        site = sites[number]
        tail = "" if number == first[site] else f"a/{number}.html"
        return f"http://site{site}.test/{tail}"

    def page(number: int) -> dict[str, Any]:
        fetched = number % 2 == 0 or number == first[sites[number]]
        status = 200 if number % 40 else chance.choice([404, 500])
        state = 2 if fetched else chance.choice([0] * 50 + [1, 3, 4, 4])
        return {"id": number, "seed": sites[number], "address": address(number),
                "key": stored_key(key(address(number))), "place": number,
                "level": min(5, (number - first[sites[number]]).bit_length() // 3),
                "state": state, "status": status if fetched else None}  # fmt: skip

    def rows(kind: str) -> Iterator[dict[str, Any]]:
        for number in range(0, count, 2):
            seed, start = sites[number], first[sites[number]]
            place = {"page": number, "seed": seed}
            for n in range(PER_PAGE if kind != "bad" else 1):
                if kind == "internal":
                    other = start if n == 0 else chance.randrange(start, number + 1)
                    yield place | {"position": n, "target": other}
                elif kind == "external":
                    host = next(hosts)
                    anchor = "the needle" if number == count - 2 else chance.choice(WORDS)
                    yield place | {"position": 100 + n, "host": f"www.host{host}.test",
                                   "domain": f"host{host}.test", "anchor": anchor,
                                   "address": f"http://www.host{host}.test/{chance.randrange(9)}",
                                   }  # fmt: skip
                else:
                    reason = "telephone" if number % 5_000 == 0 else "malformed"
                    yield place | {"position": 200, "text": "http://", "reason": reason}

    def put(table: Any, rows: Iterator[dict[str, Any]]) -> None:
        while batch := list(islice(rows, 10_000)):
            with store.transaction() as connection:
                connection.execute(insert(table), batch)

    put(seeds, ({"number": n, "start": f"http://site{n}.test/", "site": f"site{n}.test"}
                for n in range(1, SITES + 1)))  # fmt: skip
    put(pages, map(page, range(count)))
    for table, kind in ((internal_links, "internal"), (external_links, "external"),
                        (bad_links, "bad")):  # fmt: skip
        put(table, rows(kind))
    if store.dialect == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")


WORDS = ["Home", "read more", "a long anchor of several words", "contact", "университет"]


@contextmanager
def queries(store: Any) -> Iterator[list[tuple[str, Any]]]:
    """Yield a list that takes down the queries that are made."""
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
    """Return how a database will find what a query asks for."""
    words = "EXPLAIN QUERY PLAN " if store.dialect == "sqlite" else "EXPLAIN "
    with store.reading() as connection:
        rows = connection.exec_driver_sql(words + statement, parameters)
        return [str(row[-1]) for row in rows]


def bad_steps(lines: list[str]) -> list[str]:
    """Return the steps of a plan that read a whole table of links, or of pages."""
    tables = ("_links", "pages", "source", "target")
    return [line for line in lines
            if ("Seq Scan" in line or (line.startswith("SCAN") and "INDEX" not in line
                and "PRIMARY KEY" not in line))
            and any(table in line for table in tables)]  # fmt: skip


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return milliseconds, and what a function returns."""
    begun = time.perf_counter()
    found = work()
    return 1000 * (time.perf_counter() - begun), found


def cases(kind: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield every filter and sort that is offered."""
    from crawler.store.views import VIEWS, Filter

    view = VIEWS[kind]
    for sort in view.sorts:
        yield "all", Filter(), sort
        for name in view.filters:
            for value in VALUES[name]:
                yield f"{name}={value}", Filter(**{name: value}), sort


def measured(store: Any) -> list[dict[str, Any]]:
    """Return the time of each view."""
    from crawler.store.browsing import browse, total
    from crawler.store.views import Kind

    found = []
    for kind in Kind:
        for named, wanted, sort in cases(kind):
            with queries(store) as made, store.reading() as connection:

                def look(connection=connection, kind=kind, wanted=wanted, sort=sort, **how) -> Any:
                    return browse(connection, kind, wanted, sort, **how)

                times = []
                spent, page = timed(look)
                times.append(spent)
                calls, rows, looked = 1, len(page.rows), page.looked
                if page.after:
                    spent, following = timed(lambda: look(after=page.after))
                    times.append(spent)
                    if following.before:
                        times.append(timed(lambda: look(before=following.before))[0])
                times.append(timed(lambda: look(descending=True))[0])
                counting, count = timed(lambda: total(connection, kind, wanted))
            steps = [step for query in made for step in bad_steps(plan(store, *query))]
            found.append({"kind": str(kind), "filter": named, "sort": sort, "ms": max(times),
                          "rows": rows, "looked": looked, "whole": page.whole,
                          "total": f"{count.number}{'' if count.exact else '+'}",
                          "counting": counting, "scans": steps})  # fmt: skip
    return found


def told(database: str, found: list[dict[str, Any]]) -> None:
    """Print the slowest views, and all that read a whole table."""
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
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from crawler.store.opening import open_store
    from tests.postgres import new_server, programs

    kept: dict[str, Any] = {"links": asked.links, "python": platform.python_version()}
    with TemporaryDirectory() as folder:
        path = asked.keep or Path(folder) / "store.db"
        fresh = not path.exists()
        with open_store(path, create=True) as store:
            if fresh:
                print(
                    f"filled in {timed(lambda: filled(store, asked.links))[0] / 1000:.0f} s, "
                    f"{path.stat().st_size / 2**20:.0f} MB"
                )
            kept["sqlite"] = measured(store)
            told("sqlite", kept["sqlite"])
    if programs() is not None:
        with new_server() as server, open_store(server.database(), create=True) as store:
            print(f"filled in {timed(lambda: filled(store, asked.links))[0] / 1000:.0f} s")
            kept["postgresql"] = measured(store)
            told("postgresql", kept["postgresql"])
    if asked.json:
        asked.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if any(case["scans"] for name in ("sqlite", "postgresql") for case in kept.get(name, [])):
        sys.exit("a view reads a whole table")


if __name__ == "__main__":
    main()
