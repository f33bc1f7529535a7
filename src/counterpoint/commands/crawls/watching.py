"""Shows a crawl into a store while it runs and when it ends: terminal, log, summary."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from counterpoint.commands.crawls.reporting import counted
from counterpoint.files.outputs import named

if TYPE_CHECKING:
    from rich.live import Live
    from sqlalchemy import Connection

    from counterpoint.crawler.beebot.beginning import StartedPlan
    from counterpoint.crawler.beebot.engine import CrawlEnd, Engine
    from counterpoint.crawler.beebot.stored_answer import StoredAnswer
    from counterpoint.crawler.store.opening import Store

SHOWN = 12
"""How many sites are shown during a crawl: those with the newest pages."""
MOST_CODINGS = 10
"""How many unknown content codings the summary names; a hostile server has any number of them."""
PACE = 10.0
"""Seconds over which the speed is measured."""


class CrawlLog:
    """Appends a line of JSON to a file for each page.

    Parameters
    ----------
    path : Path or None
        The file; None writes nothing.
    begun : StartedPlan
        The crawl.
    """

    def __init__(self, path: Path | None, begun: StartedPlan) -> None:
        self._file: TextIO | None = None if path is None else path.open("a", encoding="utf-8")
        plan = begun.plan
        event = "resumed" if begun.resumed else "begun"
        self._write({"event": event, "plan": plan.number, "policy": plan.policy,
                     "budget": plan.budget, "seconds": plan.seconds})  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if error is not None:
            self._write({"event": "broken", "why": str(error)})
        if self._file is not None:
            self._file.close()

    def add_page(self, taken: StoredAnswer) -> None:
        """Write the line of a page."""
        self._write({"event": "page", **taken._asdict()})

    def add_end(self, ended: CrawlEnd) -> None:
        """Write the line of the end."""
        self._write({"event": "ended", **ended._asdict()})

    def _write(self, event: dict[str, Any]) -> None:
        if self._file is not None:
            line = json.dumps({"at": round(time.time(), 3), **event}, ensure_ascii=False)
            with named(self._file.name):
                self._file.write(line + "\n")
                self._file.flush()


class CrawlDisplay:
    """Shows the progress on a terminal; without a terminal it shows nothing."""

    def __init__(self, store: Store, begun: StartedPlan) -> None:
        self._names = {site.number: site.site for site in begun.plan.options.sites}
        self._policy = begun.plan.policy
        self._live: Live | None = None
        self._engine: Engine | None = None
        self._pages = self._links = 0
        self._sites: dict[int | None, list[int]] = {}
        self._times: deque[float] = deque()

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console  # only a terminal needs it
            from rich.live import Live

            self._live = Live(get_renderable=self._shown, console=Console(stderr=True),
                              refresh_per_second=4, transient=True)  # fmt: skip
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def set_engine(self, engine: Engine) -> None:
        """Set the engine, which knows what the crawl waits for."""
        self._engine = engine

    def add_page(self, taken: StoredAnswer) -> None:
        """Count a page."""
        if self._live is None:
            return
        self._pages += 1
        self._links += taken.internal + taken.external
        counts = self._sites.pop(taken.seed, [0, 0, 0])
        self._sites[taken.seed] = [counts[0] + 1, counts[1] + taken.internal,
                                   counts[2] + taken.external]  # fmt: skip
        now = time.monotonic()
        self._times.append(now)
        while self._times[0] < now - PACE:
            self._times.popleft()

    def _shown(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        times = self._times
        pace = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0.0
        line = f"{self._policy}: {self._pages:,} pages, {pace:.1f} pages/s, {self._links:,} links"
        waits = self._engine.waiting() if self._engine is not None else ""
        table = Table(box=None, pad_edge=False)
        for title in ("site", "pages", "internal", "external"):
            table.add_column(title, justify="left" if title == "site" else "right")
        for seed in list(self._sites)[: -SHOWN - 1 : -1]:
            name = self._names.get(seed or 0, "other sites")
            table.add_row(Text(name), *(f"{count:,}" for count in self._sites[seed]))
        return Group(Text(line), table, Text(f"waiting for {waits}" if waits else ""))


@dataclass(frozen=True)
class Summary:
    """The contents of a store when a crawl ends or is interrupted.

    Attributes
    ----------
    plan : int
        The plan's number.
    visits, fetched : int
        How many pages the plan visited, and how many of them it fetched.
    policy : str
    ended : CrawlEnd
    sites : sequence of dict
        The rows of the table of seeds.
    codings : mapping of str to int
        How many visits of the plan brought a page in a content coding that is not known, by the
        name of the coding; the `MOST_CODINGS` most frequent ones.
    elsewhere : int
        How many of the visited pages belong to none of the sites.
    unknown : int
        How many of the visited pages a replayed capture does not have.
    """

    plan: int
    visits: int
    fetched: int
    policy: str
    ended: CrawlEnd
    sites: Sequence[dict[str, Any]]
    codings: Mapping[str, int]
    elsewhere: int
    unknown: int

    def has_sites(self) -> bool:
        """Return whether at least one site could be crawled."""
        return any(site["standing"] != "not available" for site in self.sites)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON data."""
        return {"plan": self.plan, "policy": self.policy, "visited": self.visits,
                "fetched": self.fetched, "elsewhere": self.elsewhere, "unknown": self.unknown,
                "ended": self.ended.why, "over": self.ended.over, "failed": self.ended.failed,
                "codings": list(self.codings.items()), "sites": list(self.sites)}  # fmt: skip

    def text(self) -> str:
        """Return the summary as text."""
        lines = []
        for site in self.sites:
            pages, links = (counted(site["fetched"], "page"),
                            counted(site["external"], "external link"))  # fmt: skip
            line = (f"{site['site']}: {pages} of {site['known']:,} known, "
                    f"{site['internal']:,} internal and {links}, {site['bad']:,} bad")  # fmt: skip
            if site["reason"]:
                line += f"; {site['standing']}: {site['reason']}"
            lines.append(line)
        if self.codings:
            named = ", ".join(f"{name} {count:,}" for name, count in self.codings.items())
            lines.append(f"pages in content codings that are not known, without links: {named}")
        recalled = self.visits - self.fetched
        parts = [
            (recalled, "known before"),
            (self.elsewhere, "on other sites"),
            (self.unknown, "not in the capture"),
        ]
        more = "".join(f", {count:,} of them {what}" for count, what in parts if count)
        lines.append(f"{self.policy}: {counted(self.visits, 'page')} visited{more}")
        lines.append(f"{'ended: ' if self.ended.over else ''}{self.ended.why}")
        return "\n".join(lines) + "\n"


def summary(store: Store, ended: CrawlEnd) -> Summary:
    """Return a summary of what a store holds at the end of a crawl."""
    from sqlalchemy import func, select  # slow to import, and not needed for --help

    from counterpoint.crawler.store.schema import plans, seeds, visits

    wanted = ("site", "start", "standing", "reason", "known", "fetched", "internal", "external",
              "bad")  # fmt: skip
    in_flight = (
        select(func.count())
        .where(visits.c.plan == plans.c.number, visits.c.observed.is_(None))
        .scalar_subquery()
    )
    with store.reading() as connection:
        plan = connection.execute(
            select(plans.c.number, plans.c.visits - in_flight, plans.c.fetched, plans.c.policy)
            .order_by(plans.c.number.desc()).limit(1)
        ).one()  # fmt: skip
        rows = connection.execute(
            select(*(seeds.c[name] for name in wanted)).order_by(seeds.c.number)
        ).mappings()
        sites = [dict(row) for row in rows]
        number = plan[0]
        return Summary(*plan, ended, sites, _codings(connection, number),
                       _elsewhere(connection, number), _unknown(connection, number))  # fmt: skip


def _unknown(connection: Connection, plan: int) -> int:
    """Return how many pages a plan visited that a replayed capture does not have."""
    from sqlalchemy import func, select

    from counterpoint.crawler.documents.exchange import NOT_CAPTURED
    from counterpoint.crawler.store.schema import visits

    found = connection.scalar(
        select(func.count()).select_from(visits)
        .where(visits.c.plan == plan, visits.c.problem == NOT_CAPTURED)
    )  # fmt: skip
    return int(found or 0)


def _elsewhere(connection: Connection, plan: int) -> int:
    """Return how many pages that belong to none of the sites a plan visited."""
    from sqlalchemy import func, select

    from counterpoint.crawler.store.schema import pages, visits

    found = connection.scalar(
        select(func.count()).select_from(visits.join(pages, visits.c.page == pages.c.id))
        .where(visits.c.plan == plan, visits.c.observed.is_not(None), pages.c.seed.is_(None))
    )  # fmt: skip
    return int(found or 0)


def _codings(connection: Connection, plan: int) -> dict[str, int]:
    """Return how many visits of a plan brought pages in unknown content codings, by coding."""
    from sqlalchemy import func, select

    from counterpoint.crawler.fetching.codings import UNKNOWN
    from counterpoint.crawler.store.schema import visits

    rows = connection.execute(
        select(visits.c.problem, func.count())
        .where(visits.c.plan == plan, visits.c.problem.startswith(UNKNOWN, autoescape=True))
        .group_by(visits.c.problem).order_by(func.count().desc(), visits.c.problem)
        .limit(MOST_CODINGS)
    )  # fmt: skip
    return {
        problem.removeprefix(UNKNOWN).rpartition(":")[0][1:-1]: count for problem, count in rows
    }
