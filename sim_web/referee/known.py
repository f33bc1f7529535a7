"""The truth about a web of the generator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_web.answer import Kind
from sim_web.generator import Web
from sim_web.generator.layout import COMPONENT_OF_REGION
from sim_web.pages import change, faults, robots
from sim_web.profile import Profile
from sim_web.sections import Limits
from sim_web.server.limits import Buckets

from .reading import Requests
from .truth import COMPONENTS, Truth


def truth(profile: Profile, pages: int, seed: int) -> Truth:
    """Build the web of a log and return all that the referee asks of it."""
    return truth_of(Web(profile, pages, seed))


def truth_of(web: Web) -> Truth:
    """Return all that the referee asks of a web."""
    told = web.profile
    return Truth(
        web,
        web.pages * told.degrees.mean,
        _sizes(web),
        lambda url, agent: robots.disallowed(web, url, agent),
        lambda host, agent: robots.crawl_delay(web, host, agent),
        lambda page, time: change.next_change(web, page, time),
        lambda requests: waits(requests, told.limits, faults.wait(told.faults)),
    )


def waits(requests: Requests, limits: Limits, unavailable: float) -> NDArray[np.float64]:
    """Return the seconds of Retry-After in each answer, which the log does not tell.

    After 503 they are the profile's. After 429 they depend on what the host's bucket held: it is
    filled again as the server filled it, from all requests of the log in their order.
    """
    found = np.where(requests.status == 503, unavailable, 0.0)
    if not limits.requests_per_second:
        return found
    buckets = Buckets(limits)
    limited = ~requests.of(Kind.MOUNTED, Kind.FOREIGN, Kind.BAD)
    for k in np.flatnonzero(limited):
        who, host = str(requests.client[k]), str(requests.host[k])
        wait = buckets.wait(who, host, float(requests.started[k]))
        if requests.status[k] == 429:
            found[k] = max(1, wait)
    return found


def _sizes(web: Web) -> tuple[int, ...]:
    sizes = np.zeros(len(COMPONENTS), np.int64)
    np.add.at(sizes, COMPONENT_OF_REGION, web.layout.regions[:, 1])
    return tuple(int(size) for size in sizes)
