"""A link store as a crawl of a few sites leaves it, made from a seed without a crawl."""

from __future__ import annotations

import json
import math
import random
from typing import Any

from sqlalchemy import insert

from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import (
    Standing,
    State,
    bad_links,
    external_links,
    internal_links,
    pages,
    plans,
    seeds,
    visits,
)

BEGUN = 1_770_000_000.0
"""When the crawl began, in seconds since 1970."""

HOSTILE = '<script>document.title = "taken"</script><img src=x onerror=alert(1)>'
"""The anchor of the first external link."""

SITES = (
    ("binran", "Library of the Academy", 0.02),
    ("zin", "Zoological Institute", 0.06),
    ("iling", "Institute for Linguistic Studies", 0.14),
    ("orientalstudies", "Institute of Oriental Manuscripts", 0.03),
    ("pgups", "Transport University", 0.10),
    ("spbu", "State University", 0.35),
    ("finec", "University of Economics and Finance", 0.25),
    ("rshu", "Hydrometeorological University", 0.18),
)
_TARGETS = ("www.example.org", "arxiv.example", "doi.example", "lists.example.net",
            "media.example.com", "museum.example")  # fmt: skip
_REASONS = (
    ("javascript:void(0)", "script"),
    ("http://[::1/", "malformed"),
    ("mailto:dean@example.org", "mail"),
    ("tel:+49-30-1234", "telephone"),
)
_KNOWN = 160


def fill(store: Store, visited: int = 600, seed: int = 7) -> None:
    """Write sites, pages, links and the visits of one plan by R3 into an empty store."""
    chance = random.Random(seed)
    count = len(SITES)
    starts = list(range(count))
    rows = _sites(visited)
    own: list[list[int]] = [[k] for k in range(count)]
    tables: dict[Any, list[dict[str, Any]]] = {
        table: [] for table in (pages, visits, internal_links, external_links, bad_links)
    }
    for k in range(count):
        tables[pages].append(_page(k, k, f"http://{SITES[k][0]}.test/", 0, None))
    following = [0] * count
    sums, most = [0] * count, 1
    time = BEGUN
    for number in range(visited):
        k = _chosen(number, following, sums, most, own)
        page = tables[pages][own[k][following[k]]]
        following[k] += 1
        missing = number % 41 == 40
        links = 0 if missing else sum(chance.random() < SITES[k][2] for _ in range(12))
        position = 0
        for _ in range(0 if missing else 4):
            if len(own[k]) < _KNOWN and (chance.random() < 0.7 or len(own[k]) <= following[k] + 1):
                target = len(tables[pages])
                own[k].append(target)
                tables[pages].append(_page(
                    target, k, f"http://{SITES[k][0]}.test/{_words(chance)}/{target}.html",
                    page["level"] + 1, page["id"]))  # fmt: skip
            else:
                target = chance.choice(own[k])
            tables[internal_links].append({"page": page["id"], "position": position, "seed": k + 1,
                                           "target": target})  # fmt: skip
            position += 1
        for _ in range(links):
            host = chance.choice(_TARGETS)
            tables[external_links].append({
                "page": page["id"], "position": position, "seed": k + 1, "host": host,
                "address": f"http://{host}/{_words(chance)}/{chance.randrange(10**6)}",
                "domain": ".".join(host.split(".")[-2:]),
                "anchor": _words(chance, " ")})  # fmt: skip
            position += 1
        if chance.random() < 0.1 and not missing:
            text, reason = chance.choice(_REASONS)
            tables[bad_links].append({"page": page["id"], "position": position, "seed": k + 1,
                                      "text": text, "reason": reason})  # fmt: skip
        time += 0.05 + 0.12 * chance.random()
        page |= {"state": State.DONE, "status": 404 if missing else 200, "external": links,
                 "size": 0 if missing else chance.randrange(2000, 60000)}  # fmt: skip
        tables[visits].append({
            "plan": 0, "number": number, "page": page["id"], "seed": k + 1,
            "host": f"{SITES[k][0]}.test", "issued": 2 * number, "observed": 2 * number + 1,
            "status": page["status"], "external": links, "time": round(time, 3)})  # fmt: skip
        sums[k] += links
        most = max(most, links)
    if tables[external_links]:
        tables[external_links][0]["anchor"] = HOSTILE
    for k, row in enumerate(rows[:count]):
        row |= {"known": len(own[k]), "fetched": following[k]}
        for name, table in (("internal", internal_links), ("external", external_links),
                            ("bad", bad_links)):  # fmt: skip
            row[name] = sum(link["seed"] == k + 1 for link in tables[table])
    with store.transaction() as connection:
        connection.execute(insert(seeds), rows)
        connection.execute(insert(plans), [{
            "number": 0, "policy": "R3", "budget": 2000, "seed": 0, "starts": json.dumps(starts),
            "told": "{}", "spent": round(time - BEGUN, 1), "pages": len(tables[pages]),
            "events": 2 * visited, "visits": visited, "fetched": visited}])  # fmt: skip
        for table, content in tables.items():
            if content:
                connection.execute(insert(table), content)


def _sites(visited: int) -> list[dict[str, Any]]:
    standing = Standing.STARTED if visited else Standing.WAITING
    rows: list[dict[str, Any]] = [
        {"number": k + 1, "full_name": full, "short_name": name, "start": f"http://{name}.test/",
         "site": f"{name}.test", "standing": standing, "reason": ""}
        for k, (name, full, _) in enumerate(SITES)
    ]  # fmt: skip
    rows.append({
        "number": len(rows) + 1, "full_name": "Institute that moved", "short_name": "moved",
        "start": "http://moved.test/", "site": "moved.test", "standing": Standing.UNAVAILABLE,
        "reason": "the start page answers 503"})  # fmt: skip
    return [{"known": 0, "fetched": 0, "internal": 0, "external": 0, "bad": 0} | r for r in rows]


def _page(number: int, k: int, address: str, level: int, found_on: int | None) -> dict[str, Any]:
    return {"id": number, "seed": k + 1, "address": address, "key": address, "level": level,
            "found_on": found_on, "state": State.QUEUED, "status": None, "external": 0,
            "size": 0}  # fmt: skip


def _chosen(number: int, seen: list[int], sums: list[int], most: int, own: list[list[int]]) -> int:
    """Return the site that R3 would choose: ten pages of each, then the largest index."""
    if number < 10 * len(seen):
        k = number // 10
        if seen[k] < len(own[k]):
            return k
    waiting = [k for k in range(len(seen)) if seen[k] < len(own[k])]
    fresh = [k for k in waiting if not seen[k]]
    if fresh:
        return fresh[0]
    total = max(2, sum(seen))
    return max(waiting, key=lambda k: sums[k] / (most * seen[k])
               + math.sqrt(2 * math.log(total) / seen[k]))  # fmt: skip


def _words(chance: random.Random, between: str = "-") -> str:
    some = ("research", "staff", "library", "news", "archive", "papers", "conference", "history",
            "students", "departments", "collections", "projects")  # fmt: skip
    return between.join(chance.sample(some, 2))
