"""Webs of a few pages with given links, logs of them, and Hypothesis strategies for both."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.record import Header, Record
from counterpoint.sim_web.referee import RequestLog, WebTruth, read, read_header


@dataclass
class SmallWeb:
    """A web given as lists, with all that the referee needs.

    Attributes
    ----------
    sizes : list of int
        Pages of each host.
    links : list of list of int
        Targets of each page.
    parts, levels : list of int
        Component and level of each page.
    """

    sizes: list[int]
    links: list[list[int]]
    parts: list[int]
    levels: list[int]
    seed: int = 7

    @property
    def pages(self) -> int:
        return len(self.links)

    @property
    def hosts(self) -> int:
        return len(self.sizes)

    def component(self, page: int) -> int:
        return self.parts[page]

    def host(self, page: int) -> int:
        return next(host for host in range(self.hosts) if page in self.pages_of(host))

    def pages_of(self, host: int) -> range:
        first = sum(self.sizes[:host])
        return range(first, first + self.sizes[host])

    def level(self, page: int) -> int:
        return self.levels[page]

    def out_links(self, page: int) -> Any:
        return np.array(self.links[page], dtype=np.int64)

    def explicit(self) -> Any:
        offsets = np.cumsum([0] + [len(one) for one in self.links])
        targets = np.array([t for one in self.links for t in one], dtype=np.uint32)
        return SimpleNamespace(offsets=offsets, targets=targets)

    def name(self, host: int) -> str:
        return f"h{host}.test"

    def named(self, name: str) -> int | None:
        digits = name.removeprefix("h").removesuffix(".test")
        return int(digits) if digits.isdigit() and int(digits) < self.hosts else None

    def holds(self, name: str, url: str, page: int | None) -> bool:
        host = self.named(name)
        return host is not None and (page is None or page in self.pages_of(host))


@dataclass
class Changes:
    """The times at which pages change, and the robots.txt of hosts; any address is a page's."""

    changes: dict[int, list[float]] = field(default_factory=dict)
    delays: dict[int, float] = field(default_factory=dict)
    forbidden: str = "forbidden"

    def next_change(self, page: int, time: float) -> float:
        return min((t for t in self.changes.get(page, []) if t > time), default=float("inf"))

    def truth(self, web: SmallWeb, *, small: bool = True) -> WebTruth:
        """Return the truth of a web; a large web may not be enumerated."""
        return WebTruth(
            web,
            sum(map(len, web.links)) if small else 1e12,
            tuple(web.parts.count(k) for k in range(6)),
            lambda url, agent: self.forbidden in url,
            lambda host, agent: self.delays.get(host, 0.0),
            self.next_change,
            web.holds,
        )


HEADER = Header({"name": "small"}, 20, 7, {}, False)


def log_of(records: list[Record], truth: WebTruth, **filters: str) -> RequestLog:
    """Return the log that a server would have written, after it was read back."""
    text = HEADER.line() + "".join(json.dumps(asdict(one)) + "\n" for one in records)
    file = io.BytesIO(text.encode())
    header = read_header(file, "log")
    return read(file, "log", header, truth, **filters)


def record(**fields: Any) -> Record:
    """Return a request that fetched page 0 at once; arguments replace parts of it."""
    usual: dict[str, Any] = {
        "started": 0.0, "ended": 0.0, "client": "127.0.0.1", "agent": "tester", "method": "GET",
        "url": "http://h0.test/", "host": "h0.test", "status": 200, "bytes": 10, "kind": "page",
        "fault": "none", "page": 0, "version": 0,
    }  # fmt: skip
    return Record(**{**usual, **fields})


def request_of(web: Web, page: int, **fields: Any) -> Record:
    """Return a request for a page of a generated web, at its address."""
    return record(page=page, url=address(web, page), host=web.name(web.host(page)), **fields)


@st.composite
def webs(draw: st.DrawFn) -> SmallWeb:
    """Draw a web of one to five hosts; pages without links, islands and loops of two are likely."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    pages = sum(sizes)
    links = [
        draw(st.lists(st.sampled_from([p for p in range(pages) if p != page] or [0]),
                      unique=True, max_size=5)) if pages > 1 else []
        for page in range(pages)
    ]  # fmt: skip
    parts = draw(st.lists(st.integers(0, 5), min_size=pages, max_size=pages))
    levels = draw(st.lists(st.integers(-1, 4), min_size=pages, max_size=pages))
    return SmallWeb(sizes, links, parts, levels)


times = st.integers(0, 40).map(lambda ticks: ticks / 4)
"""Times: few, so that some requests begin at the same time, and exact in binary."""


@st.composite
def crawls(draw: st.DrawFn) -> tuple[SmallWeb, Changes, list[Record]]:
    """Draw a web, how it changes, and a log in any order."""
    web = draw(webs())
    some = st.lists(st.integers(0, 60).map(lambda t: t / 4 + 0.125), max_size=3)
    changes = Changes(
        draw(st.dictionaries(st.integers(0, web.pages - 1), some)),
        draw(st.dictionaries(st.integers(0, web.hosts - 1), st.sampled_from([0.5, 1.0, 2.0]))),
    )
    return web, changes, draw(st.lists(_requests(web), min_size=1, max_size=30))


@st.composite
def _requests(draw: st.DrawFn, web: SmallWeb) -> Record:
    kind = draw(st.sampled_from([Kind.PAGE] * 6 + list(Kind)))
    page = draw(st.integers(0, web.pages - 1))
    has_page = kind in (Kind.PAGE, Kind.ALIAS) or draw(st.booleans())
    host = web.name(web.host(page))
    if kind in (Kind.FOREIGN, Kind.MOUNTED, Kind.BAD):
        host, has_page = "elsewhere.example", False
    path = draw(st.sampled_from(["", "again", "forbidden"]))
    started = draw(times)
    status = draw(st.sampled_from([200] * 6 + [304, 301, 404, 410, 429, 500, 503, 0]))
    return record(
        started=started,
        ended=started + draw(st.sampled_from([0.0, 0.0, 0.25, 3.0])),
        agent=draw(st.sampled_from(["tester", "other/1.0"])),
        method=draw(st.sampled_from(["GET"] * 5 + ["HEAD", "POST"])),
        url=f"http://{host}/{page}{path}",
        host=host,
        status=status,
        bytes=draw(st.integers(0, 1000)),
        kind=str(kind),
        page=page if has_page else None,
        version=draw(st.integers(0, 2)),
        retry_after=draw(st.sampled_from([0, 1, 3])) if status in (429, 503) else 0,
    )
