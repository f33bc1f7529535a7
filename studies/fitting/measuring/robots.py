"""What a captured robots.txt says, in the terms of a profile."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from counterpoint.crawler.archives.captured import CapturedAnswer
from counterpoint.crawler.documents.robots import written


class RobotsFile(NamedTuple):
    """What a robots.txt says.

    Attributes
    ----------
    present : bool
        Whether there is one.
    forbids : bool
        Whether it forbids a path to all agents.
    delay : float
        The Crawl-delay for all agents, in seconds; 0: none.
    groups : bool
        Whether it has rules for certain agents.
    sitemap : bool
        Whether it names a sitemap.
    """

    present: bool = False
    forbids: bool = False
    delay: float = 0.0
    groups: bool = False
    sitemap: bool = False


def robots_of(answer: CapturedAnswer) -> RobotsFile:
    """Return what the answer to a request for a robots.txt says."""
    if answer.status != 200:
        return RobotsFile()
    found = RobotsFile(present=True)
    agents: list[str] = []
    ended = False
    for line in written(answer.body).splitlines():
        name, _, value = (part.strip().lower() for part in line.partition("#")[0].partition(":"))
        if name == "user-agent":
            agents = [value] if ended else [*agents, value]
            ended = False
            found = found._replace(groups=found.groups or value != "*")
        elif name == "sitemap":
            found = found._replace(sitemap=True)
        elif name:
            ended = True
            found = _with_rule(found, name, value) if "*" in agents else found
    return found


def _with_rule(found: RobotsFile, name: str, value: str) -> RobotsFile:
    """Return what is said with a rule for all agents."""
    if name == "disallow" and value:
        return found._replace(forbids=True)
    if name == "crawl-delay":
        with suppress(ValueError):
            return found._replace(delay=max(0.0, float(value)))
    return found
