"""The sections of a web's profile: each key with its default, its range and its meaning.

The help text of a key reads on from the key: ``mean`` is "the number of distinct links of a page,
on average".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any


def number(default: float, least: float, most: float, help: str) -> Any:
    """Declare a key of a section whose value is a number.

    Parameters
    ----------
    default : float
        The value if the profile does not give one.
    least, most : float
        The range of allowed values, both included.
    help : str
        The meaning of the key.
    """
    return field(default=default, metadata={"least": least, "most": most, "help": help})


def share(default: float, help: str) -> Any:
    """Declare a key of a section whose value is a share, from 0 to 1."""
    return number(default, 0.0, 1.0, help)


@dataclass(frozen=True)
class Shares:
    """The share of the pages in each component of the bow-tie; they sum to 1 ([WEB])."""

    scc: float = share(0.2774, "pages of the strong component")
    in_: float = share(0.2129, "pages from which links lead to the strong component")
    out: float = share(0.2121, "pages to which links lead from the strong component")
    tendrils: float = share(0.2042, "pages that hang off IN or off OUT")
    tubes: float = share(0.0110, "pages on paths from IN to OUT past the strong component")
    disconnected: float = share(0.0824, "pages on islands, without a path to the rest")

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
    """How many links pages have, and where the links lead."""

    mean: float = number(7.2, 1.5, 200, "the number of distinct links of a page, on average")
    out_exponent: float = number(2.72, 2.05, 5, "the exponent of the tail of the out-degrees")
    in_exponent: float = number(2.09, 2.01, 5, "the exponent of the tail of the in-degrees")
    internal: float = share(
        0.65, "links that stay within a host, of the links that the generator may choose freely"
    )
    multiplicity: float = number(1.1, 1, 5, "how often a page repeats each link, on average")
    orphans: float = share(0.25, "pages of IN and of the tendrils to which no page links")


@dataclass(frozen=True)
class Hosts:
    """How pages are divided among hosts: the sizes of hosts fall as a power of their rank."""

    mean_pages: float = number(40, 1, 1e6, "the number of pages of a host, on average")
    exponent: float = number(
        0.917, 0, 4, "the exponent s: the r-th largest host has a size proportional to r^-s"
    )
    branching: float = number(
        1.3, 1.05, 50, "the number of children of a page in its host's tree, on average"
    )
    host_branching: float = number(
        1.5, 1.05, 50, "the number of children of a host in the tree of hosts, on average"
    )
    navigation: float = number(
        0, 0, 50, "the number of pages of a host to which all its pages link (its menu)"
    )
    editions: float = number(
        1, 1, 50, "the number of languages of a host, each in a subtree of its own"
    )


@dataclass(frozen=True)
class Distances:
    """Average distances that the profile's source measured, for comparison; 0: not known."""

    directed: float = number(0, 0, 1e4, "the average number of links from page to page")
    undirected: float = number(
        0, 0, 1e4, "the average number of links from page to page, followed in both directions"
    )
    of_pages: float = number(0, 0, 1e12, "the number of pages of the graph that was measured")


@dataclass(frozen=True)
class Articles:
    """Articles in editions of several languages, each language a host ([HITS]).

    If there are languages, they form the strong component, and the generator ignores ``shares``,
    and of ``degrees`` the keys ``mean``, ``out_exponent``, ``internal`` and ``orphans``. ``topics``
    gives the number of editions to each topic, such as ``moon = 43``. The first topic is theme 0,
    the second theme 1, and so on; there must be more themes than topics.
    """

    languages: float = number(
        0, 0, 1000, "the number of languages; 0: the web has no articles in editions"
    )
    topics: dict[str, float] = field(default_factory=dict)
    """The number of editions of each topic."""
    common: float = number(
        200, 1, 1e6, "the number of the most common articles, of which small languages have a part"
    )
    mains: float = number(
        0, 0, 1000, "the number of smallest languages whose main pages link to each other"
    )
    footers: float = number(2, 1, 1000, "the number of pages elsewhere to which every page links")
    elsewhere: float = share(
        0.0, "pages of other sites, of all pages; they link to an edition of their site's topic"
    )
    links: float = number(
        20, 0, 1000, "the number of links of an article to pages of its language, at most"
    )
    shared: float = share(
        0.5, "links to pages of the language that all editions of an article have, of all of them"
    )

    def __post_init__(self) -> None:
        for name, editions in self.topics.items():
            if editions != int(editions):
                raise ValueError(f"topics.{name}: {editions:g} is no whole number of editions")
            if not 1 <= editions <= max(1, self.languages):
                raise ValueError(
                    f"topics.{name}: {editions:g} editions in {self.languages:g} languages"
                )
        for key in ("languages", "common", "mains", "footers", "links"):
            if getattr(self, key) != int(getattr(self, key)):
                raise ValueError(f"{key}: {getattr(self, key):g} is no whole number")
        if self.mains > self.languages:
            raise ValueError(f"mains: {self.mains:g} main pages of {self.languages:g} languages")


@dataclass(frozen=True)
class Themes:
    """The themes that hosts and pages are about, for topical crawling ([HITS])."""

    count: float = number(1, 1, 1000, "the number of themes")
    community: float = share(0.0, "external links that stay within their theme, of all of them")
    hubs: float = share(0.05, "pages of a theme that link to many of its authorities")
    authorities: float = share(0.02, "pages of a theme to which its hubs link")
    relevant: float = share(0.6, "pages that are about their theme, of the other pages")
    everywhere: float = number(
        0,
        0,
        1,
        "1: pages of any component can be hubs and authorities; 0: only pages of the "
        "strong component",
    )
    sections: float = share(
        0.0, "pages that take over the theme of their parent page; 0: a host has a single theme"
    )


@dataclass(frozen=True)
class Site:
    """A named site whose numbers of pages and external links are given ([BeeBot], Table 1).

    ``name`` is its host name; ``.test`` is added to a name without a dot, and a site without a name
    is called ``site1``, ``site2`` and so on.
    """

    name: str = ""
    pages: float = number(1, 1, 1e9, "the number of its pages")
    external_links: float = number(0, 0, 1e9, "the number of all its links to other hosts")
    holders: float = share(0.1, "pages that have external links, of all its pages")
    spread: float = number(
        1.0, 0.05, 20, "the shape of the distribution of external links over the pages that have "
        "them: the smaller, the more uneven"
    )  # fmt: skip
    early: float = number(
        0, 0, 3, "the exponent by which external links become rarer with the distance from the "
        "start page; 0: they do not"
    )  # fmt: skip
    depth: float = number(5, 1, 100, "the deepest level of its pages below the start page")

    def __post_init__(self) -> None:
        if self.name and not (_HOST_NAME.fullmatch(self.name) and len(self.name) < 250):
            raise ValueError(
                f"name: {self.name!r} is not a host name (of a-z, 0-9, hyphens and dots)"
            )


_HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*")


def full_name(name: str, number: int) -> str:
    """Return the host name of a site; one without a name gets one from its number, from 0 on."""
    return name if "." in name else f"{name or f'site{number + 1}'}.test"


@dataclass(frozen=True)
class Change:
    """How pages change: each is a Poisson process with a rate of its own, and some come and go."""

    static: float = share(0.5, "pages that never change")
    per_day: float = number(0.05, 0, 1000, "changes a day of each other page, on average")
    spread: float = number(
        1.0, 0, 4, "the standard deviation of the logarithm of a page's rate of change"
    )
    passing: float = share(0.0, "pages that exist only for a time; start pages always exist")
    life_days: float = number(30, 0.001, 1e5, "days that such a page exists, on average")
    births_days: float = number(
        365, 0.001, 1e5, "days over which the births of such pages are spread"
    )


@dataclass(frozen=True)
class Style:
    """How pages are written and sent.

    ``languages`` gives a weight to each language of the web (en, ru, de, zh, ja); ``declared``
    gives a weight to each way in which hosts declare their encoding (header, meta, wrong, none).
    """

    text_bytes: float = number(1500, 0, 1e6, "the length of a page's text in bytes, on average")
    frames: float = share(0.02, "pages that are framesets or have an iframe")
    base: float = share(0.03, "pages with a base element")
    relative: float = share(0.5, "internal links that are relative")
    canonical: float = share(0.1, "pages that name their canonical address")
    nofollow: float = share(0.02, "links marked nofollow")
    bad_links: float = number(
        0.3, 0, 100, "the number of href attributes of a page that are not links, on average"
    )
    gzip: float = share(0.5, "hosts that compress with gzip")
    brotli: float = share(0.1, "hosts that compress with br for clients that accept it")
    chunked: float = share(0.2, "hosts that send bodies in chunks")
    aliases: float = share(0.02, "links that name another address of the same page")
    sitemaps: float = share(0.3, "hosts with a sitemap")
    languages: dict[str, float] = field(default_factory=lambda: {"en": 1.0})
    """The weight of each language: en, ru, de, zh, ja."""
    declared: dict[str, float] = field(default_factory=lambda: {"header": 1.0})
    """The weight of each way to declare an encoding: header, meta, wrong, none."""
    legacy: float = share(0.0, "hosts that use an old encoding of their language, not UTF-8")

    def __post_init__(self) -> None:
        for key, known in (
            ("languages", ("en", "ru", "de", "zh", "ja")),
            ("declared", ("header", "meta", "wrong", "none")),
        ):
            for unknown in sorted(set(getattr(self, key)) - set(known)):
                raise ValueError(f"{key} has no '{unknown}'; there are {', '.join(known)}")


@dataclass(frozen=True)
class Robots:
    """What the robots.txt files of hosts say."""

    present: float = share(0.8, "hosts that have a robots.txt")
    disallow: float = share(0.2, "hosts that forbid a folder, of the hosts with a robots.txt")
    forbidden: float = share(0.1, "pages in the forbidden folder, of the pages of such a host")
    crawl_delay: float = share(0.1, "hosts with a Crawl-delay, of the hosts with a robots.txt")
    delay_seconds: float = number(1.0, 0, 3600, "the Crawl-delay in seconds, on average")
    agent_groups: float = share(
        0.1, "hosts with rules for certain agents, of the hosts with a robots.txt"
    )


@dataclass(frozen=True)
class Faults:
    """Faults on purpose: the share of the pages (p) or of the hosts (h) that have each."""

    redirect: float = share(0.0, "p: links to the page lead through one redirect")
    redirect_chain: float = share(0.0, "p: links to the page lead through several redirects")
    redirect_loop: float = share(0.0, "p: an extra link on the page leads into a redirect loop")
    not_found: float = share(0.0, "p: an extra link on the page leads to a 404")
    gone: float = share(0.0, "p: an extra link on the page leads to a 410")
    server_error: float = share(0.0, "p: the page answers 500 at some times")
    unavailable: float = share(0.0, "p: the page answers 503 with Retry-After at some times")
    reset: float = share(0.0, "p: the connection is reset at some times")
    slow_headers: float = share(0.0, "p: the headers come slowly")
    endless_body: float = share(0.0, "p: an extra link leads to a body that never ends")
    truncated_chunks: float = share(0.0, "p: the chunked body breaks off")
    wrong_length: float = share(0.0, "p: the Content-Length is too large")
    wrong_type: float = share(0.0, "p: the Content-Type of the HTML page is wrong")
    huge_page: float = share(0.0, "p: the page has megabytes of text")
    bomb: float = share(0.0, "p: an extra link leads to a small answer that unpacks to gigabytes")
    calendar: float = share(0.0, "h: the host has an endless calendar")
    endless_paths: float = share(0.0, "h: relative links lead into ever longer paths")
    endless_queries: float = share(0.0, "h: a list has pages and filters without end")
    session_ids: float = share(0.0, "h: links have a new session id at each request")
    duplicates: float = share(0.0, "h: links name many addresses of the same content")
    sitemap_errors: float = share(
        0.0, "h: the sitemap also has dead, foreign and duplicate addresses"
    )
    vanish: float = share(0.0, "h: the host stops answering at some time")
    vanish_after: float = number(3600, 0, 1e10, "seconds after which such hosts begin to vanish")
    robots_timeout: float = share(0.0, "h: requests for robots.txt get no answer")
    retry_after: float = number(2.0, 0, 3600, "the value of Retry-After in seconds")

    def __post_init__(self) -> None:
        total = sum(getattr(self, one.name) for one in fields(self)
                    if one.metadata["help"].startswith("p:"))  # fmt: skip
        if total > 1 + 1e-9:
            raise ValueError(
                f"the shares of pages sum to {total:g}, which is more than 1; a page has at most "
                "one fault"
            )


@dataclass(frozen=True)
class Forms:
    """Pages to which no link leads, only a form on the start page of their host ([COV])."""

    hidden: float = number(
        0, 0, 0.99, "pages that are answers to a form, of all pages, these included"
    )


@dataclass(frozen=True)
class Addresses:
    """Which IP addresses are allocated, and what answers at them on port 80 ([COV])."""

    serving: float = number(0.05, 1e-6, 1, "addresses with a web server, of those allocated")
    defaults: float = share(
        0.15, "addresses with a server's default page and without a host, of those with a server"
    )
    own: float = share(0.2, "hosts with an IP address of their own; these are the largest hosts")
    sharing: float = number(3.0, 1, 1000, "the number of hosts at each shared address, on average")
    hidden: float = share(
        0.3, "addresses that show a default page to requests without a host name, of those with "
        "several hosts"
    )  # fmt: skip
    blocks: float = number(
        12, 1, 1000, "the number of large allocated blocks; some small ones are added"
    )
    version: float = number(4, 4, 6, "the version of the Internet Protocol: 4 or 6")

    def __post_init__(self) -> None:
        if self.version not in (4, 6):
            raise ValueError(f"version {self.version:g}: must be 4 or 6")


@dataclass(frozen=True)
class Limits:
    """How many requests a host accepts."""

    requests_per_second: float = number(
        0, 0, 1e6, "requests per second of one client to one host; 0: no limit"
    )
    burst: float = number(10, 1, 1e6, "requests that one client may send at once")
