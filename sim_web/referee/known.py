"""The truth about a generated web."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.layout import COMPONENT_OF_REGION
from counterpoint.sim_web.pages import life, robots, sitemap
from counterpoint.sim_web.pages.address import page_of
from counterpoint.sim_web.pages.host import has_sitemap, host
from counterpoint.sim_web.pages.truth import place_at
from counterpoint.sim_web.profile import Profile

from .truth import COMPONENTS, ERRORS, PlantedSitemaps, WebTruth


def truth(profile: Profile, pages: int, seed: int) -> WebTruth:
    """Generate a web and return the truth about it."""
    return truth_of(Web(profile, pages, seed))


def truth_of(web: Web) -> WebTruth:
    """Return the truth about a web, as far as the referee needs it."""
    return WebTruth(
        web,
        web.pages * web.profile.degrees.mean,
        _sizes(web),
        lambda url, agent: robots.disallowed(web, url, agent),
        lambda host, agent: robots.crawl_delay(web, host, agent),
        lambda page, time: life.ends(web, page, time),
        _holds(web),
        lambda time: _sitemaps(web, time),
    )


def _sitemaps(web: Web, time: float) -> PlantedSitemaps:
    hosts = [number for number in range(web.hosts) if has_sitemap(web, number)]
    pages, alone = [np.empty(0, np.int64)], [np.empty(0, np.bool_)]
    errors: dict[str, list[tuple[int, str]]] = {kind: [] for kind in ERRORS}
    for number in hosts:
        of = host(web, number)
        listed = sitemap.listed(web, of, time)
        pages.append(listed)
        alone.append(listed >= web.orphans_of(number).start)
        for kind, url in sitemap.errors(web, of, time):
            errors[kind].append((number, url))
    return PlantedSitemaps(
        np.array(hosts, np.int64), np.concatenate(pages), np.concatenate(alone), errors
    )


def _holds(web: Web) -> Callable[[str, str, int | None], bool]:
    """Return a function that says whether a page stands at an address, as `WebTruth.holds`."""

    @lru_cache(maxsize=1 << 16)
    def host_of(name: str) -> tuple[int, range]:
        host = web.named(name)
        return (-1, range(0)) if host is None else (host, web.pages_of(host))

    def holds(name: str, url: str, page: int | None) -> bool:
        host, pages = host_of(name)
        if page is None:
            return host >= 0
        if page not in pages:
            return False
        start = f"http://{name}"
        if url.startswith(start) and page_of(web, host, pages, url[len(start) :]) == page:
            return True  # the page's own address, as most are: this is the fast way
        place = place_at(web, url)
        return place is not None and place.page == page

    return holds


def _sizes(web: Web) -> tuple[int, ...]:
    sizes = np.zeros(len(COMPONENTS), np.int64)
    np.add.at(sizes, COMPONENT_OF_REGION, web.layout.regions[:, 1])
    return tuple(int(size) for size in sizes)
