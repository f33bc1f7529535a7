"""The profile ``hostile`` as a server uses it, and an address for each of its faults."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Fault, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import faults, robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.site import SyntheticSite

ELSEWHERE = frozenset({Fault.NONE, Fault.TOO_MANY})
"""Faults that do not belong to an address."""

_LINKED = re.compile(rb"/(?:stream|bomb|gone|missing)/\w+\.html|/loop/\w+/a|/r/[2-9]/\w+")


@lru_cache(maxsize=1)
def site() -> SyntheticSite:
    """Return the site."""
    return SyntheticSite(Web(profile.load("hostile"), seed=3))


@lru_cache(maxsize=1)
def faulty() -> dict[Fault, tuple[str, float]]:
    """Return an address and a time for each fault, found from the site's answers."""
    web = site().web
    found: dict[Fault, tuple[str, float]] = {}
    for host in range(web.hosts):
        start, gone = f"http://{web.name(host)}/", faults.vanishes_at(web, host)
        if robots.is_silent(web, host):
            found.setdefault(Fault.ROBOTS_TIMEOUT, (f"{start}robots.txt", 0.0))
        if gone < math.inf:
            found.setdefault(Fault.VANISHED, (start, gone + 1))
    for page in range(web.pages):
        url = address(web, page)
        answer = site().answer(Question(url, 0.0))
        found.setdefault(answer.fault, (url, 0.0))
        for path in _LINKED.findall(answer.body):
            linked = "/".join(url.split("/")[:3]) + path.decode()
            found.setdefault(site().answer(Question(linked, 0.0)).fault, (linked, 0.0))
        if len(found) == len(Fault) - 1:
            break
    return {fault: place for fault, place in found.items() if fault not in ELSEWHERE}


def host_of(url: str) -> str:
    """Return the host of an address."""
    return url.split("/")[2]
