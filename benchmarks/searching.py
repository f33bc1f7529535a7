"""Measures the milliseconds of searches in the list of pages, in a store of a million pages.

    python benchmarks/searching.py --pages 1000000 --json benchmarks/searching.json

A store gets that number of pages of a hundred sites; one address in a hundred has 300 characters,
and half of the pages are still queued. Each text is searched alone, and with each filter and order
that the list offers: the first part of the list, the next one and the one before that. The figure
is the slowest of these three, each the best of some rounds: the time, and the time of the processor
without that of a server, since others may use the machine, too.

Also measured: how long the addresses are read, the first search before any was read, and what an
index costs those who write pages: rows that are inserted as a crawl inserts them, alone, beside
another process that searches twice a second, as the studio would, and with an index of SQLite
(FTS5, trigrams) in the store that the writer keeps up, which is the way that was not taken.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITES, BATCH = 100, 10_000
NAMES = ("research", "staff", "library", "news", "archive", "papers", "conference", "history",
         "students", "departments", "collections", "projects", "index", "view")  # fmt: skip
TEXTS = {
    "frequent": "research", "in all": "html", "of one site": "site57.test/a", "rare": "needle",
    "none": "zzznothing", "none, of frequent parts": "html.html", "one letter": "z",
    "one letter of none": "~", "percent": "%", "underscore": "_", "quotes": "it's \"said\"",
    "300 letters": "q" * 250, "300 letters of none": "q" * 301, "uppercase": "HTTP://SITE5",
    "not ASCII": "Вики", "escaped": "%D0%92", "a whole address": "",
}  # fmt: skip


def rows_of(number: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of pages: those of the first half were fetched, the others are known."""
    chance = Random(1)
    for page in range(number):
        site = min(SITES - 1, int(SITES * chance.random() ** 2))
        one, two, three = chance.choices(NAMES, k=3)
        address = f"http://site{site}.test/{one}/{two}-{three}/{page}.html"
        if page % 100 == 0:
            address += f"?{'q' * (299 - len(address))}"
        if page == 2 * number // 3:
            address += "?needle=%D0%92%D0%B8%D0%BA%D0%B8"
        fetched = page < number // 2
        state = 2 if fetched else chance.choice([0] * 50 + [1, 3, 4, 4])
        status = chance.choice([200] * 18 + [404, 301]) if fetched else None
        yield {"id": page, "seed": site + 1, "address": address, "key": address, "place": page,
               "level": 3, "state": state, "status": status, "found_on": None, "problem": "",
               "size": chance.randrange(60_000) if fetched else 0,
               "external": chance.randrange(9) if fetched else 0}  # fmt: skip


def filled(store: Any, number: int) -> float:
    """Fill an empty store; return the seconds that it took."""
    from sqlalchemy import insert

    from counterpoint.crawler.store import schema

    begun = time.perf_counter()
    with store.transaction() as connection:
        connection.execute(insert(schema.seeds), [
            {"number": n + 1, "start": f"http://site{n}.test/", "site": f"site{n}.test"}
            for n in range(SITES)
        ])  # fmt: skip
    rows = rows_of(number)
    while batch := list(islice(rows, BATCH)):
        with store.transaction() as connection:
            connection.execute(insert(schema.pages), batch)
    if store.dialect == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
    return time.perf_counter() - begun


def cases(whole: str) -> Iterator[tuple[str, Any]]:
    """Yield names and searches: each text with each filter and order."""
    from counterpoint.crawler.store.page_kinds import PageKind
    from counterpoint.crawler.store.page_queries import SORTS, PageSearch

    ways = [{}, {"site": 1}, {"site": 90}, {"status": 404}, {"status": 200},
            {"site": 1, "status": 404}, {"descending": True}, *({"kind": one} for one in PageKind),
            {"status": 200, "kind": PageKind.BROKEN},
            *({"sort": sort} for sort in SORTS[1:]),
            *({"sort": sort, "site": 99} for sort in SORTS[1:])]  # fmt: skip
    for name, text in {"": "", **TEXTS, "a whole address": whole}.items():
        for way in ways:
            yield f"{name}{', ' if way else ''}{', '.join(f'{k}={v}' for k, v in way.items())}", \
                PageSearch(text, **way)  # fmt: skip


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, float, Any]:
    """Call a function in some rounds; return the milliseconds of the best, and the result.

    The milliseconds are those of the clock and those of the processor.
    """
    spent, worked, found = [], [], None
    for _ in range(rounds):
        begun, busy = time.perf_counter(), time.process_time()
        found = work()
        spent.append(1000 * (time.perf_counter() - begun))
        worked.append(1000 * (time.process_time() - busy))
    return min(spent), min(worked), found


def searched(store: Any, index: Any, name: str, wanted: Any, rounds: int) -> dict[str, Any]:
    """Return the figures of one search: its slowest part of the list, and what it found."""
    from counterpoint.crawler.store.page_list import search

    look = partial(search, store, index, wanted)
    *first, found = timed(look, rounds)
    times = [first]
    if found.after:
        *spent, following = timed(partial(look, after=found.after), rounds)
        times.append(spent)
        if following.before:
            times.append(timed(partial(look, before=following.before), rounds)[:2])
    total = f"{found.total.number}{'' if found.total.exact else '+'}"
    clock, processor = (round(max(of), 1) for of in zip(*times, strict=True))
    return {"search": name, "ms": clock, "processor ms": processor, "rows": len(found.rows),
            "total": total, "whole": found.whole}  # fmt: skip


def measured(store: Any, number: int, rounds: int) -> dict[str, Any]:
    """Fill a store and search it; return the figures."""
    from counterpoint.crawler.store.address_index import AddressIndex, Deadline
    from counterpoint.crawler.store.page_list import search
    from counterpoint.crawler.store.page_queries import PageSearch

    found: dict[str, Any] = {"filling, s": round(filled(store, number), 1)}
    cold = AddressIndex(store)
    spent, _, first = timed(partial(search, store, cold, PageSearch("needle")), 1)
    found["first search, ms"], found["first search is whole"] = round(spent, 1), first.whole
    spent, worked, _ = timed(partial(cold.refresh, Deadline(float("inf"))), 1)
    found["reading all addresses, s"] = round(spent / 1000, 2)
    found["reading all addresses, processor s"] = round(worked / 1000, 2)
    whole = list(islice(rows_of(number), number // 3 + 1))[-1]["address"]
    found["searches"] = [searched(store, cold, *case, rounds) for case in cases(whole)]
    cold.close()
    return found


def inserting(folder: Path, how: str, number: int) -> float:
    """Return the pages a second that are inserted, 50 a transaction; `how` says beside what."""
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.recording import Recording

    place = folder / f"{how}.db"
    with open_store(place, create=True) as store:
        filled(store, 1_000)
        if how == "FTS5":
            with store.transaction() as connection:
                connection.exec_driver_sql("CREATE VIRTUAL TABLE found USING fts5(address,"
                                           " content='', tokenize='trigram')")  # fmt: skip
        rows = islice(rows_of(number + 1_000), 1_000, None)
        batches = [list(islice(rows, 50)) for _ in range(number // 50)]
        beside = [sys.executable, __file__, "--search-in", str(place)]
        with (
            subprocess.Popen(beside, stdout=subprocess.PIPE)
            if how == "searches"
            else (nullcontext()) as process
        ):
            if process is not None and process.stdout is not None:
                process.stdout.readline()
            begun = time.perf_counter()
            for batch in batches:
                with store.transaction() as connection:
                    Recording(connection).write("add page", batch)
                    if how == "FTS5":
                        raw = connection.connection.cursor()
                        raw.executemany("INSERT INTO found (rowid, address) VALUES (?, ?)",
                                        [(row["id"], row["address"]) for row in batch])  # fmt: skip
            spent = time.perf_counter() - begun
            if process is not None:
                process.terminate()
    return number / spent


def searching(place: Path) -> None:
    """Search a store twice a second, until the process is ended."""
    from counterpoint.crawler.store.address_index import AddressIndex
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.page_list import search
    from counterpoint.crawler.store.page_queries import PageSearch

    with open_store(place) as store:
        index = AddressIndex(store)
        while True:
            search(store, index, PageSearch("needle"))
            print("searched", flush=True)
            time.sleep(0.5)


def compared(folder: Path, rounds: int, number: int) -> dict[str, float]:
    """Return the median pages a second that each way inserts, in turns."""
    rates: dict[str, list[float]] = {"alone": [], "searches": [], "FTS5": []}
    for turn in range(rounds):
        (folder / str(turn)).mkdir()
        for how, of in rates.items():
            of.append(inserting(folder / str(turn), how, number))
    return {how: round(median(of)) for how, of in rates.items()}


def show(name: str, found: dict[str, Any]) -> None:
    """Print the slowest searches of a database."""
    print(f"{name}: first search {found['first search, ms']} ms; addresses were read in"
          f" {found['reading all addresses, s']} s")  # fmt: skip
    for unit in ("ms", "processor ms"):
        times = [one[unit] for one in found["searches"]]
        print(f"  {len(times)} searches, median {median(times):.1f} {unit}, slowest"
              f" {max(times):.1f}")  # fmt: skip
        for one in sorted(found["searches"], key=lambda one: -one[unit])[:5]:
            print(f"  {one[unit]:7.1f} {unit} {one['search']}: {one['rows']} of {one['total']}")


def main() -> None:
    """Measure, print the figures, and write them as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--inserted", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--search-in", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    from counterpoint.crawler.store.opening import open_store
    from tests.postgres import new_server, programs

    if given.search_in is not None:
        searching(given.search_in)
    kept: dict[str, Any] = {"pages": given.pages, "python": platform.python_version(),
                            "processor": platform.processor() or platform.machine()}  # fmt: skip
    with TemporaryDirectory() as name:
        folder = Path(name)
        if given.database != "postgresql":
            with open_store(folder / "store.db", create=True) as store:
                kept["sqlite"] = measured(store, given.pages, given.rounds)
            show("sqlite", kept["sqlite"])
            kept["inserted pages/s"] = compared(folder, given.rounds, given.inserted)
            print(f"inserted pages a second: {kept['inserted pages/s']}")
        if given.database != "sqlite" and programs() is not None:
            with new_server() as server, open_store(server.database(), create=True) as store:
                kept["postgresql"] = measured(store, given.pages, given.rounds)
            show("postgresql", kept["postgresql"])
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
