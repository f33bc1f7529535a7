"""The measures of a crawler's log by name: what conditions, bands and baselines speak of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.referee import Judgment
from counterpoint.sim_web.referee.outcomes import OUTCOMES
from counterpoint.sim_web.referee.politeness import Fulfilment
from counterpoint.sim_web.referee.reached import Covered
from counterpoint.sim_web.referee.truth import COMPONENTS

Value = float | str
"""A value, or a sentence that says why there is none."""


@dataclass(frozen=True)
class LogMeasure:
    """A measure of a crawler's log.

    Attributes
    ----------
    name : str
        Its name in conditions, bands and baselines.
    about : str
        What it is, in words.
    share : bool
        Whether its values are shares, from 0 to 1.
    best : str
        ``most`` or ``least``: which values are better; empty: neither.
    standard : bool
        Whether it is compared with a baseline even if no band names it.
    """

    name: str
    about: str
    share: bool = False
    best: str = ""
    standard: bool = False


REAL_TIME = "the time of this web is virtual, so that no wait of a crawler can be judged"
NO_WAIT = "no wait was asked for, or none was tested by another request"
LARGE = "the web is too large to be written out"
EMPTY = "the web has no such page"
NO_SITEMAP = "the web has no sitemap with such an entry"
NOTHING = "no page was fetched"

FOLLOWED = {
    "internal": "links within a host",
    "external": "links to other hosts",
    "nofollow": "links marked nofollow",
    "frames": "frames and iframes",
    "redirects": "links to addresses that redirect",
}
"""The kinds of links, and their names in sentences."""

_FIRST = (
    LogMeasure("requests", "all requests"),
    LogMeasure("pages", "different pages fetched", best="most", standard=True),
    LogMeasure("hosts", "hosts of which a page was fetched", best="most", standard=True),
    LogMeasure("hosts.share", "their share of all hosts", True, "most"),
    LogMeasure("coverage", "share of all pages that was fetched", True, "most", True),
    LogMeasure("coverage.reachable", "share of the pages that robots.txt allows and links reach "
               "from the start addresses", True, "most"),
)  # fmt: skip

_MORE = (
    LogMeasure("quality.mass", "PageRank mass of the fetched pages", True, "most", True),
    LogMeasure("quality.top-1%", "share of the 1% of pages with the highest PageRank", True,
               "most"),
    LogMeasure("quality.top-5%", "share of the 5% of pages with the highest PageRank", True,
               "most", True),
    LogMeasure("quality.top-15%", "share of the 15% of pages with the highest PageRank", True,
               "most"),
    LogMeasure("external-links", "different links to other hosts on fetched pages", best="most",
               standard=True),
    LogMeasure("external-links.share", "their share of all such links", True, "most"),
    LogMeasure("freshness", "share of the copies that are fresh at the end", True, "most"),
    LogMeasure("freshness.mean", "the same, mean over time", True, "most"),
    LogMeasure("age", "mean age of the copies at the end, in seconds", best="least"),
    LogMeasure("age.mean", "the same, mean over time", best="least"),
    LogMeasure("disallowed", "requests that robots.txt forbids", best="least", standard=True),
    LogMeasure("disallowed.share", "their share of the requests to hosts of the web", True,
               "least"),
    LogMeasure("crawl-delay-broken", "waits shorter than the crawl delay of robots.txt (only in "
               "real time)", best="least"),
    LogMeasure("crawl-delay-broken.share", "their share of all such waits (only in real time)",
               True, "least"),
    LogMeasure("crawl-delay.least", "the shortest wait, as a multiple of the crawl delay (only in "
               "real time)", best="most"),
    LogMeasure("retry-after-broken", "waits after 429 and 503 that were too short (only in real "
               "time)", best="least"),
    LogMeasure("in-flight.greatest", "most requests to one host at a time", best="least"),
    LogMeasure("in-flight.mean", "requests to a host at a time, mean over the requests",
               best="least"),
    LogMeasure("starving-sites", "sites that the crawler can reach, of which it fetched nothing",
               best="least", standard=True),
    LogMeasure("duplicates", "requests that fetched a known version of a page again",
               best="least"),
    LogMeasure("wasted", "requests that brought nothing", best="least"),
    LogMeasure("wasted.share", "their share of all requests", True, "least"),
    LogMeasure("bytes", "bytes of all bodies that were sent"),
    LogMeasure("level.mean", "mean level of the fetched pages"),
    LogMeasure("sitemap.hosts", "share of the hosts with a sitemap whose sitemap was read", True,
               "most"),
    LogMeasure("sitemap.pages", "share of the pages in sitemaps that was fetched", True, "most"),
    LogMeasure("sitemap.alone", "share of the pages to which a sitemap leads and no link, that was "
               "fetched after the sitemap", True, "most"),
    LogMeasure("sitemap.wasted", "requests for dead, foreign and duplicate entries of sitemaps",
               best="least"),
)  # fmt: skip

MEASURES: dict[str, LogMeasure] = {
    measure.name: measure
    for measure in (
        *_FIRST,
        *(LogMeasure(f"coverage.{name}", f"share of the pages of {name.upper()}", True, "most")
          for name in COMPONENTS),
        *_MORE,
        *(LogMeasure(f"followed.{kind}", f"{text}: share that was requested, of those that only "
                     "such links lead to", True, "most") for kind, text in FOLLOWED.items()),
        *(LogMeasure(name.replace("_", "-"), f"outcome of requests: {text}")
          for name, text in OUTCOMES.items()),
    )
}  # fmt: skip
"""All measures by name, in the order in which they are shown."""

OF_REAL_TIME = (
    "crawl-delay-broken", "crawl-delay-broken.share", "crawl-delay.least", "retry-after-broken",
)  # fmt: skip
"""Measures of waits, which only a web in real time can judge."""

_PLAIN = {name.replace(".", "-").replace("_", "-"): name for name in MEASURES}


def measure_named(name: str) -> LogMeasure:
    """Return the measure of a name; a dash, a dot and an underscore are the same.

    Raises
    ------
    CrawlError
        If there is none; the message has the names that are most like it.
    """
    plain = name.strip().lower().replace(".", "-").replace("_", "-")
    if plain in _PLAIN:
        return MEASURES[_PLAIN[plain]]
    near = [_PLAIN[one] for one in get_close_matches(plain, _PLAIN, 3, 0.5)]
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    raise CrawlError(
        f"there is no measure '{name.strip()}'{meant}; counterpoint web judge --measures lists them"
    )


def values_of(judgment: Judgment, real_time: bool) -> dict[str, Value]:
    """Return the measures of a judgment; a sentence where a value is unknown.

    Parameters
    ----------
    judgment : Judgment
    real_time : bool
        Whether the time of the web followed the wall clock. If not, waits are not judged.
    """
    found = dict(_counts(judgment))
    found |= _quality(judgment) | _freshness(judgment) | _waits(judgment, real_time)
    found |= {name.replace("_", "-"): float(n) for name, n in judgment.outcomes.counts.items()}
    return {name: found[name] for name in MEASURES if name in found}


def _counts(judgment: Judgment) -> Iterator[tuple[str, Value]]:
    yield "requests", float(judgment.about.requests)
    yield "pages", float(judgment.coverage.fetched)
    yield "hosts", float(judgment.hosts.fetched)
    yield "hosts.share", _share(judgment.hosts)
    yield "coverage", _share(judgment.coverage)
    for name, part in judgment.components.items():
        yield f"coverage.{name}", _share(part)
    yield "disallowed", float(judgment.disallowed.requests)
    yield "disallowed.share", _known(judgment.disallowed.share, NOTHING)
    yield "in-flight.greatest", _known(judgment.concurrency.greatest, NOTHING)
    yield "in-flight.mean", _known(judgment.concurrency.mean, NOTHING)
    yield "duplicates", float(judgment.outcomes.duplicates)
    yield "wasted", float(judgment.outcomes.wasted)
    yield "wasted.share", judgment.outcomes.wasted_share
    yield "bytes", float(judgment.outcomes.bytes)
    yield "level.mean", _known(judgment.levels.mean, NOTHING)
    worth = judgment.sitemaps
    if worth is None:
        for name in ("hosts", "pages", "alone", "wasted"):
            yield f"sitemap.{name}", LARGE
        return
    yield "sitemap.hosts", _known(worth.hosts.share, NO_SITEMAP)
    yield "sitemap.pages", _known(worth.pages.share, NO_SITEMAP)
    yield "sitemap.alone", _known(worth.alone.share, NO_SITEMAP)
    yield "sitemap.wasted", float(worth.wasted_requests)


def _quality(judgment: Judgment) -> dict[str, Value]:
    links = judgment.external_links
    found: dict[str, Value] = {
        "external-links": float(links.found),
        "external-links.share": _known(links.share, LARGE),
    }
    tops = ("1%", "5%", "15%")
    if judgment.quality is None:
        return found | {"quality.mass": LARGE} | {f"quality.top-{top}": LARGE for top in tops}
    found["quality.mass"] = judgment.quality.mass
    return found | {f"quality.top-{top}": _share(judgment.quality.top[top]) for top in tops}


def _freshness(judgment: Judgment) -> dict[str, Value]:
    fresh = judgment.freshness
    return {
        "freshness": _known(fresh.last_fresh, NOTHING),
        "freshness.mean": _known(fresh.mean_fresh, NOTHING),
        "age": _known(fresh.last_age, NOTHING),
        "age.mean": _known(fresh.mean_age, NOTHING),
    }


def _waits(judgment: Judgment, real_time: bool) -> dict[str, Value]:
    if not real_time:
        return dict.fromkeys(OF_REAL_TIME, REAL_TIME)
    return {
        "crawl-delay-broken": _broken(judgment.crawl_delay),
        "crawl-delay-broken.share": _known(judgment.crawl_delay.broken, NO_WAIT),
        "crawl-delay.least": _known(judgment.crawl_delay.least, NO_WAIT),
        "retry-after-broken": _broken(judgment.retry_after),
    }


def _broken(waits: Fulfilment) -> float:
    return float(round((waits.broken or 0.0) * waits.waits))


def _share(part: Covered) -> Value:
    return _known(part.share, EMPTY)


def _known(value: float | None, why: str) -> Value:
    return why if value is None else float(value)
