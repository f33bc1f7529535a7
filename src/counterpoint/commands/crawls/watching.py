"""How a crawl that is kept in a store is watched: on a terminal, in a log, in what is said last."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from counterpoint.commands.crawls.crawled import counted

if TYPE_CHECKING:
    from rich.live import Live

    from counterpoint.crawler.beebot.answers import Taken
    from counterpoint.crawler.beebot.beginning import Begun
    from counterpoint.crawler.beebot.engine import Ended, Engine
    from counterpoint.crawler.store.opening import Store

SHOWN = 12
"""Sites that are shown while it crawls: those with the newest pages."""
PACE = 10.0
"""Seconds over which the speed is measured."""


class Log:
    """Lines of JSON, one for each page; written to the end of a file."""

    def __init__(self, path: Path | None, begun: Begun) -> None:
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

    def page(self, taken: Taken) -> None:
        """Write down a page."""
        self._write({"event": "page", **taken._asdict()})

    def ended(self, ended: Ended) -> None:
        """Write down the end."""
        self._write({"event": "ended", **ended._asdict()})

    def _write(self, told: dict[str, Any]) -> None:
        if self._file is not None:
            line = json.dumps({"at": round(time.time(), 3), **told}, ensure_ascii=False)
            self._file.write(line + "\n")
            self._file.flush()


class Watch:
    """What moves on a terminal; nothing where there is none."""

    def __init__(self, store: Store, begun: Begun) -> None:
        self._names = {of.number: of.site for of in begun.plan.told.sites}
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

    def started(self, engine: Engine) -> None:
        """Take note of who can say what is waited for."""
        self._engine = engine

    def page(self, taken: Taken) -> None:
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
        return Group(Text(line), table, Text(f"waits for {waits}" if waits else ""))


@dataclass(frozen=True)
class Summary:
    """What a store holds when a crawl has come to its end or to a stop.

    Attributes
    ----------
    plan, visits, fetched : int
        The plan's number, and how many pages it visited and fetched.
    policy : str
    ended : Ended
    sites : sequence of dict
        What the table of seeds has.
    """

    plan: int
    visits: int
    fetched: int
    policy: str
    ended: Ended
    sites: Sequence[dict[str, Any]]

    def reached(self) -> bool:
        """Tell whether some site could be crawled."""
        return any(site["standing"] != "not available" for site in self.sites)

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {"plan": self.plan, "policy": self.policy, "visited": self.visits,
                "fetched": self.fetched, "ended": self.ended.why, "over": self.ended.over,
                "failed": self.ended.failed, "sites": list(self.sites)}  # fmt: skip

    def text(self) -> str:
        """Return it for people."""
        lines = []
        for site in self.sites:
            pages, links = (counted(site["fetched"], "page"),
                            counted(site["external"], "external link"))  # fmt: skip
            said = (f"{site['site']}: {pages} of {site['known']:,} known, "
                    f"{site['internal']:,} internal and {links}, {site['bad']:,} bad")  # fmt: skip
            if site["reason"]:
                said += f"; {site['standing']}: {site['reason']}"
            lines.append(said)
        recalled = self.visits - self.fetched
        again = f", {recalled:,} of them known before" if recalled else ""
        lines.append(f"{self.policy}: {counted(self.visits, 'page')} visited{again}")
        lines.append(f"{'ended: ' if self.ended.over else ''}{self.ended.why}")
        return "\n".join(lines) + "\n"


def summary(store: Store, ended: Ended) -> Summary:
    """Return what a store holds."""
    from sqlalchemy import func, select  # the help of a command need not wait for it

    from counterpoint.crawler.store.schema import plans, seeds, visits

    wanted = ("site", "start", "standing", "reason", "known", "fetched", "internal", "external",
              "bad")  # fmt: skip
    flying = (
        select(func.count())
        .where(visits.c.plan == plans.c.number, visits.c.observed.is_(None))
        .scalar_subquery()
    )
    with store.reading() as connection:
        plan = connection.execute(
            select(plans.c.number, plans.c.visits - flying, plans.c.fetched, plans.c.policy)
            .order_by(plans.c.number.desc()).limit(1)
        ).one()  # fmt: skip
        rows = connection.execute(
            select(*(seeds.c[name] for name in wanted)).order_by(seeds.c.number)
        ).mappings()
        return Summary(*plan, ended, [dict(row) for row in rows])
