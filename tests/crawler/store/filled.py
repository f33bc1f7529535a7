"""Small stores with random contents, and the expected contents to compare with."""

from __future__ import annotations

from random import Random
from typing import Any

from sqlalchemy import insert

from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import (
    State,
    bad_links,
    external_links,
    internal_links,
    pages,
    seeds,
    stored_key,
)
from counterpoint.crawler.store.views import BadLink, ExternalLink, InternalLink, Kind

HOSTS = ["m.test", "n.m.test", "z.test", "пример.test".encode("idna").decode()]
ANCHORS = ["", "Home", "HOME page", "Ссылка", "ССЫЛКИ", "a_b%c", "=1+1", 'say "hi", x']
REASONS = ["malformed", "script", "mail"]

Held = dict[Kind, list[Any]]


def fill(store: Store, chance: Random, sites: int = 3, size: int = 12, links: int = 5) -> Held:
    """Fill an empty store at random; return its links that are not deleted, by kind."""
    held: Held = {kind: [] for kind in Kind}
    starts = {n: f"http://s{n}.test/" for n in range(1, sites + 1)}
    known: dict[int, dict[str, Any]] = {}
    rows: dict[Kind, list[dict[str, Any]]] = {kind: [] for kind in Kind}
    for number in range(sites * size):
        seed = 1 + number % sites
        level = 0 if number < sites else chance.randrange(1, 4)
        state = chance.choice([State.QUEUED, State.DONE, State.DONE, State.DROPPED, State.BEYOND])
        tail = "" if number < sites else f"{chance.choice(['a', 'A', 'b/'])}{number}/"
        address = starts[seed] + tail
        known[number] = {
            "id": number, "seed": seed, "address": address,
            "key": stored_key(key(address)), "level": level, "state": int(state),
            "status": chance.choice([200, 200, 404]) if state == State.DONE else None,
            "problem": "" if number % 3 else "left out: --exclude path:/x",
        }  # fmt: skip
    for page in known.values():
        if page["status"] != 200:  # no other page has links
            continue
        for position in range(chance.randrange(links + 1)):
            place = {"page": page["id"], "position": position, "seed": page["seed"],
                     "deleted": chance.random() < 0.1}  # fmt: skip
            whence = (page["seed"], starts[page["seed"]], page["address"], page["level"])
            kind = chance.choice(list(Kind))
            if kind is Kind.INTERNAL:
                other = known[chance.choice(range(page["id"] % sites, sites * size, sites))]
                place["target"] = other["id"]
                row: Any = InternalLink(page["id"], position, other["address"], *whence,
                                        other["state"], other["status"],
                                        other["problem"])  # fmt: skip
            elif kind is Kind.EXTERNAL:
                host = chance.choice(HOSTS)
                place |= {"address": f"http://{host}/{chance.choice('aAb')}", "host": host,
                          "domain": ".".join(host.split(".")[-2:]),
                          "anchor": chance.choice(ANCHORS)}  # fmt: skip
                row = ExternalLink(page["id"], position, place["address"], host, place["domain"],
                                   place["anchor"], *whence)  # fmt: skip
            else:
                place |= {"text": chance.choice(ANCHORS), "reason": chance.choice(REASONS)}
                row = BadLink(page["id"], position, place["text"], place["reason"], *whence)
            rows[kind].append(place)
            if not place["deleted"]:
                held[kind].append(row)
    with store.transaction() as connection:
        connection.execute(insert(seeds), [
            {"number": n, "start": start, "site": f"s{n}.test"} for n, start in starts.items()
        ])  # fmt: skip
        connection.execute(insert(pages), list(known.values()))
        for table, of in ((internal_links, Kind.INTERNAL), (external_links, Kind.EXTERNAL),
                          (bad_links, Kind.BAD)):  # fmt: skip
            if rows[of]:
                connection.execute(insert(table), rows[of])
    return held


def targets(store: Store) -> dict[tuple[int, int], int]:
    """Return the page that each internal link leads to."""
    with store.reading() as connection:
        table = internal_links.c
        found = connection.execute(internal_links.select().with_only_columns(
            table.page, table.position, table.target))  # fmt: skip
        return {(page, position): target for page, position, target in found}
