"""What a profile of a web says, section by section, with the ranges of its values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any


def number(default: float, least: float, most: float, help: str) -> Any:
    """Declare a number of a section, from ``least`` to ``most``."""
    return field(default=default, metadata={"least": least, "most": most, "help": help})


def share(default: float, help: str) -> Any:
    """Declare a share, from 0 to 1."""
    return number(default, 0.0, 1.0, help)


@dataclass(frozen=True)
class Shares:
    """How the pages are divided among the components of the bow-tie; the sum is 1 ([WEB])."""

    scc: float = share(0.2774, "the strong component")
    in_: float = share(0.2129, "pages that reach it")
    out: float = share(0.2121, "pages reached from it")
    tendrils: float = share(0.2042, "hanging off IN and off OUT")
    tubes: float = share(0.0110, "from IN to OUT past the strong component")
    disconnected: float = share(0.0824, "islands")

    def __post_init__(self) -> None:
        total = sum(self.all())
        if abs(total - 1) > 0.0005:
            raise ValueError(f"the shares sum to {total:g}, not to 1")
        if self.scc <= 0:
            raise ValueError("scc must be above 0: a bow-tie has a strong component")

    def all(self) -> tuple[float, float, float, float, float, float]:
        """Return the shares in the order of `Component`."""
        return (self.scc, self.in_, self.out, self.tendrils, self.tubes, self.disconnected)


@dataclass(frozen=True)
class Degrees:
    """How many links pages have, and where they lead."""

    mean: float = number(7.2, 1.5, 200, "distinct links of a page, on average")
    out_exponent: float = number(2.72, 2.05, 5, "of the tail of the out-degrees")
    in_exponent: float = number(2.09, 2.01, 5, "of the tail of the in-degrees")
    internal: float = share(0.65, "links within a host, of those that are free to choose")
    multiplicity: float = number(1.1, 1, 5, "how often a page repeats a link, on average")
    orphans: float = share(0.25, "pages of IN and of tendrils to which no page links")


@dataclass(frozen=True)
class Hosts:
    """How pages are divided among hosts: sizes fall as a power of the rank."""

    mean_pages: float = number(40, 1, 1e6, "pages of a host, on average")
    exponent: float = number(0.917, 0, 0.99, "s: the r-th host has about r^-s pages")
    branching: float = number(1.3, 1.05, 50, "pages that hang on a page, on average")
    host_branching: float = number(1.5, 1.05, 50, "hosts that hang on a host, on average")
    navigation: float = number(0, 0, 50, "pages to which all pages of their host link")
    editions: float = number(1, 1, 50, "languages of a host, each in a subtree of its own")


@dataclass(frozen=True)
class Distances:
    """What the source measured, to compare with; 0: not known."""

    directed: float = number(0, 0, 1e4, "average number of links from page to page")
    undirected: float = number(0, 0, 1e4, "the same if links can be followed backward")
    of_pages: float = number(0, 0, 1e12, "pages of the graph that was measured")


@dataclass(frozen=True)
class Themes:
    """Subjects of hosts, for topical crawling ([HITS])."""

    count: float = number(1, 1, 1000, "number of subjects")
    community: float = share(0.0, "external links that stay within the subject, of all")
    hubs: float = share(0.05, "pages of a subject that link to many of its authorities")
    authorities: float = share(0.02, "pages of a subject that its hubs link to")
    relevant: float = share(0.6, "pages of a subject's host that are about it")
    everywhere: float = number(0, 0, 1, "1: also outside the strong component; 0: only there")
    sections: float = share(0.0, "pages with their parent's subject; 0: a host has one")


@dataclass(frozen=True)
class Site:
    """A named site whose pages and external links are given ([BeeBot], Table 1)."""

    name: str = ""
    pages: float = number(1, 1, 1e9, "pages")
    external_links: float = number(0, 0, 1e9, "links to other hosts, in all")
    holders: float = share(0.1, "pages that have external links, of all")
    spread: float = number(1.0, 0.05, 20, "shape of their distribution: small is uneven")
    early: float = number(0, 0, 3, "exponent by which they thin out from the start page on")
    depth: float = number(5, 1, 100, "the deepest level of its pages")

    def __post_init__(self) -> None:
        if self.name and not (_HOST_NAME.fullmatch(self.name) and len(self.name) < 250):
            raise ValueError(f"name: {self.name!r} is no host name of a-z, 0-9, hyphens and dots")


_HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*")


def full_name(name: str, number: int) -> str:
    """Return the host name of a site; one without a name is called by its number, from 0 on."""
    return name if "." in name else f"{name or f'site{number + 1}'}.test"


@dataclass(frozen=True)
class Change:
    """How pages change: a Poisson process per page."""

    static: float = share(0.5, "pages that never change")
    per_day: float = number(0.05, 0, 1000, "changes of the other pages a day, on average")
    spread: float = number(1.0, 0, 4, "sigma of the logarithm of a page's rate")


@dataclass(frozen=True)
class Style:
    """What pages look like."""

    text_bytes: float = number(1500, 0, 1e6, "length of a page's text, on average")
    frames: float = share(0.02, "pages that are framesets or have an iframe")
    base: float = share(0.03, "pages with a base address")
    relative: float = share(0.5, "internal links that are relative")
    canonical: float = share(0.1, "pages that name their canonical address")
    nofollow: float = share(0.02, "links marked nofollow")
    bad_links: float = number(0.3, 0, 100, "what stands in an href and is no link, per page")
    gzip: float = share(0.5, "hosts that compress")
    brotli: float = share(0.1, "hosts that compress with br where it is understood")
    chunked: float = share(0.2, "hosts that send chunks")
    aliases: float = share(0.02, "links that name another address of the same page")
    sitemaps: float = share(0.3, "hosts with a sitemap")
    languages: dict[str, float] = field(default_factory=lambda: {"en": 1.0})
    """Language to weight: en, ru, de, zh, ja."""
    declared: dict[str, float] = field(default_factory=lambda: {"header": 1.0})
    """How an encoding is declared, with weights: header, meta, wrong, none."""
    legacy: float = share(0.0, "hosts whose encoding is the language's old one, not UTF-8")

    def __post_init__(self) -> None:
        for key, known in (
            ("languages", ("en", "ru", "de", "zh", "ja")),
            ("declared", ("header", "meta", "wrong", "none")),
        ):
            for unknown in sorted(set(getattr(self, key)) - set(known)):
                raise ValueError(f"{key} has no '{unknown}'; there are {', '.join(known)}")


@dataclass(frozen=True)
class Robots:
    """What robots.txt says."""

    present: float = share(0.8, "hosts that have one")
    disallow: float = share(0.2, "of these: hosts that forbid a part")
    forbidden: float = share(0.1, "pages in such a part")
    crawl_delay: float = share(0.1, "of these: hosts that ask for a delay")
    delay_seconds: float = number(1.0, 0, 3600, "the delay, on average")
    agent_groups: float = share(0.1, "of these: hosts with rules for certain agents")


@dataclass(frozen=True)
class Faults:
    """Shares of pages (p) or of hosts (h) at which something goes wrong."""

    redirect: float = share(0.0, "p: reached through one redirect")
    redirect_chain: float = share(0.0, "p: reached through several redirects")
    redirect_loop: float = share(0.0, "p: links beside it that lead in a circle")
    not_found: float = share(0.0, "p: beside it, a link to nothing: 404")
    gone: float = share(0.0, "p: beside it, a link to what is gone: 410")
    server_error: float = share(0.0, "p: 500, at some times")
    unavailable: float = share(0.0, "p: 503 with Retry-After, at some times")
    reset: float = share(0.0, "p: the connection is reset, at some times")
    slow_headers: float = share(0.0, "p: headers that come slowly")
    endless_body: float = share(0.0, "p: beside it, a body that never ends")
    truncated_chunks: float = share(0.0, "p: chunks that break off")
    wrong_length: float = share(0.0, "p: a Content-Length that is too large")
    wrong_type: float = share(0.0, "p: HTML called something else")
    huge_page: float = share(0.0, "p: megabytes of text")
    bomb: float = share(0.0, "p: beside it, a small answer that unpacks to gigabytes")
    calendar: float = share(0.0, "h: an endless calendar")
    session_ids: float = share(0.0, "h: links with a new session id at each request")
    duplicates: float = share(0.0, "h: the same content under many addresses")
    vanish: float = share(0.0, "h: gone from some time on")
    vanish_after: float = number(3600, 0, 1e10, "seconds until such hosts begin to go")
    robots_timeout: float = share(0.0, "h: robots.txt that does not answer")
    retry_after: float = number(2.0, 0, 3600, "seconds of Retry-After")

    def __post_init__(self) -> None:
        total = sum(getattr(self, one.name) for one in fields(self)
                    if one.metadata["help"].startswith("p:"))  # fmt: skip
        if total > 1 + 1e-9:
            raise ValueError(f"the shares of pages sum to {total:g}: a page has one fault at most")


@dataclass(frozen=True)
class Addresses:
    """Which IP addresses are allocated, and what serves at them on port 80 ([COV])."""

    serving: float = number(0.05, 1e-6, 1, "addresses that serve, of those allocated")
    defaults: float = share(0.15, "of these: a server's default page, and no host")
    own: float = share(0.2, "hosts with an address to themselves: the largest ones")
    sharing: float = number(3.0, 1, 1000, "hosts at each other address, on average")
    hidden: float = share(0.3, "of addresses with several hosts: a default page without a name")
    blocks: float = number(12, 1, 1000, "blocks that are allocated, and some small ones")
    version: float = number(4, 4, 6, "of the Internet Protocol: 4 or 6")

    def __post_init__(self) -> None:
        if self.version not in (4, 6):
            raise ValueError(f"version {self.version:g}: there are 4 and 6")


@dataclass(frozen=True)
class Limits:
    """What a host bears."""

    requests_per_second: float = number(0, 0, 1e6, "of one client to one host; 0: no limit")
    burst: float = number(10, 1, 1e6, "requests that may come at once")
