"""Measures what each detector of traps costs and saves, in crawls that a store keeps.

    python benchmarks/traps.py --json benchmarks/traps.json

Each crawl has the same budget of pages, from the start pages of the same hosts. The engine, the
planner and the SQLite store are those of `counterpoint crawl`; the synthetic web answers in
process, so that nothing but the detectors differs. What the crawls have brought is compared with
the planted truth:

- traps: answers that the server made up on request (calendars, session ids, endless paths and
  lists, bombs, endless bodies);
- pages: distinct planted pages whose content came;
- lost: planted pages that a detector left out and whose content did not come under any address.

A detector saves what it gains in pages, and costs what it loses. Medians over seeds, with the least
and the most of the gains. With --files, the paths of real files are shown to the detectors as well:
what they leave out there is lost for nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parent.parent
DETECTORS = (
    "calendar", "session", "depth", "repeats", "parameters", "queries=30", "usual",
    "usual,queries=30", "all",
)  # fmt: skip
ENDLESS = {"endless_paths": 0.1, "endless_queries": 0.1}
WEBS: dict[str, tuple[str, dict[str, float]]] = {
    "hostile": ("hostile", {}),
    "hostile, endless": ("hostile", ENDLESS),
    "universities": ("universities", {}),
}
"""The webs by name: a profile, and faults that are added to it."""
HOPS = 5


def web_of(name: str, pages: int, seed: int) -> Any:
    """Return a synthetic web of `WEBS`."""
    from dataclasses import replace

    from counterpoint.sim_web import profile
    from counterpoint.sim_web.generator import Web

    base, added = WEBS[name]
    found = profile.load(base)
    return Web(replace(found, faults=replace(found.faults, **added)), pages, seed)


class Answering:
    """A `Dispatcher` that answers jobs from a synthetic web, and notes what they brought.

    Parameters
    ----------
    web : Web
    left_out : callable
        Returns which rule forbids to follow a redirect to an address.

    Attributes
    ----------
    brought : set of int
        The planted pages whose content came.
    traps, asked : int
        Answers that were made up on request, and all answers.
    """

    def __init__(self, web: Any, left_out: Any) -> None:
        from counterpoint.sim_web.world.fetcher import Simulated
        from counterpoint.sim_web.world.site import SyntheticSite

        self._web, self._jobs = Simulated(SyntheticSite(web)), asyncio.Queue[Any]()
        self._left_out, self._rules = left_out, cache(self._read_rules)
        self.brought: set[int] = set()
        self.traps = self.asked = 0

    def under_way(self) -> int:
        """Return the number of unanswered jobs."""
        return self._jobs.qsize()

    def submit(self, job: Any) -> None:
        """Take a job."""
        self._jobs.put_nowait(job)

    async def completed(self) -> Any:
        """Return an answer."""
        from counterpoint.crawler.fetching.job import ClosedError

        await asyncio.sleep(0)
        job = await self._jobs.get()
        if job is None:
            self._jobs.put_nowait(None)
            raise ClosedError("closed")
        return self._answer(job)

    def _answer(self, job: Any) -> Any:
        from counterpoint.crawler.documents.addresses import site
        from counterpoint.crawler.documents.robots import origin
        from counterpoint.crawler.fetching.job import Fetched, HostState
        from counterpoint.sim_web.answer import Fault, Kind

        here, problem, body = job.address, "", b""
        rules = self._rules(origin(here))
        for _ in range(HOPS):
            answer = self._web.get(here)
            headers = {name.lower(): value for name, value in answer.headers}
            if not 300 <= answer.status < 400 or "location" not in headers:
                break
            goal = urljoin(here, headers["location"])
            if self._left_out(goal) or self._rules(origin(goal)).problem(goal):
                break
            here = goal
        self.asked += 1
        self.traps += answer.kind is Kind.TRAP
        if answer.fault in (Fault.BOMB, Fault.ENDLESS_BODY):
            problem = answer.fault.value
        elif answer.status == 200 and answer.page is not None:
            self.brought.add(answer.page)
        body = b"" if problem else answer.body
        final = "" if here == job.address else here
        return Fetched(
            job, answer.status, final, body, headers.get("content-type", ""), time=time.time(),
            problem=problem, rules=rules, hosts=(HostState(site(job.address), 0.0),),
        )  # fmt: skip

    def _read_rules(self, of: str) -> Any:
        from counterpoint.crawler.documents.robots import rules

        answer = self._web.get(f"{of}/robots.txt")
        return rules(answer.status, answer.body.decode("utf-8", "replace"), "", "counterpoint")

    def waiting(self) -> str:
        """Return the reason for waiting: none."""
        return ""

    async def close(self, *, grace: float) -> None:
        """Drop the unanswered jobs."""
        while not self._jobs.empty():
            self._jobs.get_nowait()
        self._jobs.put_nowait(None)


def crawl(
    web: Any, detectors: str, policy: str, given: argparse.Namespace
) -> dict[str, float]:  # fmt: skip
    """Crawl a web once; return the counts."""
    from counterpoint.crawler.beebot.beginning import begin
    from counterpoint.crawler.beebot.engine import Engine
    from counterpoint.crawler.beebot.planner import Planner
    from counterpoint.crawler.documents.scope import ScopeRules
    from counterpoint.crawler.store.lists import Seed
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.seeds import add_all
    from counterpoint.sim_web.pages.truth import leads_to

    with TemporaryDirectory() as name, open_store(Path(name) / "c.db", create=True) as store:
        starts = [f"http://{web.name(host)}/" for host in range(min(given.sites, web.hosts))]
        add_all(store, [(start, Seed(start)) for start in starts])
        begin(store, {"scheduler": policy, "budget": str(given.budget), "traps": detectors})
        answering = Answering(web, ScopeRules(traps=detectors).problem)
        asyncio.run(Engine(Planner(store, 1), answering, lambda _: None).run())
        with store.transaction() as connection:
            left = [row.address for row in connection.exec_driver_sql(
                "SELECT address FROM pages WHERE problem LIKE 'left out: --traps%'")]  # fmt: skip
    pages = {page for one in left if (page := leads_to(web, one)) is not None}
    return {"asked": answering.asked, "traps": answering.traps, "pages": len(answering.brought),
            "lost": len(pages - answering.brought), "left out": len(left)}  # fmt: skip


def measured(name: str, policy: str, given: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the medians of each set of detectors on a web, and what it gains."""
    found: dict[str, list[dict[str, float]]] = {"": [], **{one: [] for one in given.traps}}
    for seed in range(1, given.seeds + 1):
        web = web_of(name, given.pages, seed)
        for one in found:
            found[one].append(crawl(web, one, policy, given))
            print(f"{name}, {policy}, seed {seed}, {one or 'none'}: {found[one][-1]}", flush=True)
    table = {}
    for one, rows in found.items():
        gains = [row["pages"] - bare["pages"] for row, bare in zip(rows, found[""], strict=True)]
        table[one or "none"] = {
            **{key: median(row[key] for row in rows) for key in rows[0]},
            "gain": median(gains), "least gain": min(gains), "most gain": max(gains),
            "most lost": max(row["lost"] for row in rows),
        }  # fmt: skip
    return table


def real_files(folder: Path) -> dict[str, int]:
    """Return how many of a folder's HTML files each detector would leave out, by their paths."""
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.crawler.documents.traps import DEFAULTS, Traps

    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    addresses = [one for path in paths if (one := normalized(f"http://docs.test/{path}"))]
    found = {"files": len(addresses)}
    for name in DEFAULTS:
        traps, counts = Traps(name), Counter[str]()
        left = sum(bool(traps.problem(address)) for address in addresses)
        limits = {}
        for address in addresses:
            for one in traps.alike(address):
                counts[one.name] += 1
                limits[one.name] = one.most
        found[name] = left + sum(max(0, counts[one] - limits[one]) for one in counts)
    return found


def main() -> None:
    """Measure, print the medians, and write them as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_500, help="pages of each web")
    parser.add_argument("--budget", type=int, default=2_000)
    parser.add_argument("--sites", type=int, default=1_000, help="start pages, of the first hosts")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--traps", nargs="+", default=DETECTORS, help="sets of detectors")
    parser.add_argument("--policy", nargs="+", default=["breadth-first", "one-by-one"])
    parser.add_argument("--web", nargs="+", choices=list(WEBS), default=list(WEBS))
    parser.add_argument("--files", type=Path, help="a folder of real HTML files")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    tables = {policy: {name: measured(name, policy, given) for name in given.web}
              for policy in given.policy}  # fmt: skip
    for policy, webs in tables.items():
        for name, table in webs.items():
            print(f"\n{policy} on {name}")
            for one, row in table.items():
                print(f"  {one:16}" + "".join(f" {key} {value:,.1f} "
                                              for key, value in row.items()))  # fmt: skip
    if given.json:
        machine = {"processor": platform.processor() or platform.machine(),
                   "python": platform.python_version()}  # fmt: skip
        asked = {name: getattr(given, name) for name in ("pages", "budget", "sites", "seeds")}
        found = {"policies": tables}
        if given.files:
            found["files"] = real_files(given.files)
            print(f"\nfiles of {given.files}: {found['files']}")
        text = json.dumps({"machine": machine, "asked": asked, **found}, indent=2)
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
