"""The robots.txt files of hosts (RFC 9309): their text, and what they forbid.

The rules of a host are a list of groups, from which both the text and the judgment are made. If
several rules match a path, the longest one decides, and of equally long ones the one that allows. A
host whose robots.txt cannot be fetched forbids nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from counterpoint.sim_web.generator import Web

from . import words
from .address import name_of
from .host import has_sitemap
from .numbers import part_of
from .plan import plan

GREEDY, WELCOME = "greedybot", "goodbot"
"""The agents for which some hosts have rules: the first is forbidden everything, the second
nothing."""


@dataclass(frozen=True, slots=True)
class Group:
    """The rules for some agents.

    Attributes
    ----------
    agents : tuple of str
        The names of the agents in lower case; ``*`` stands for all others.
    rules : tuple of (bool, str)
        For each rule whether it allows, and its pattern of paths.
    delay : float
        The Crawl-delay in seconds; 0: none.
    """

    agents: tuple[str, ...]
    rules: tuple[tuple[bool, str], ...] = ()
    delay: float = 0.0


@lru_cache(maxsize=16_384)
def groups(web: Web, host: int) -> tuple[Group, ...] | None:
    """Return the groups of a host's robots.txt; None if the host has none."""
    robots, laws = web.profile.robots, plan(web)
    part = part_of(laws.key, laws.chances, host)
    forbidding = robots.present * robots.disallow
    if part < 0 and web.chance("robots", host) * (1 - forbidding) >= robots.present - forbidding:
        return None
    delay, rules = 0.0, []
    if web.chance("crawl delay", host) < robots.crawl_delay:
        delay = round(robots.delay_seconds * (0.5 + web.chance("how long a delay", host)), 1)
    if part >= 0:
        folder = words.FORBIDDEN_FOLDERS[part]
        rules = [(False, f"/{folder}/"), (True, f"/{folder}/$"), (False, "/calendar/")]
    found = [Group(("*",), tuple(rules), delay)]
    if web.chance("agent groups", host) < robots.agent_groups:
        found.append(Group((GREEDY,), ((False, "/"),)))
        found.append(Group((WELCOME, "kindbot"), ((True, "/"),), round(delay / 2, 2)))
    return tuple(found)


def text(web: Web, host: int) -> str | None:
    """Return a host's robots.txt; None if it has none."""
    found = groups(web, host)
    if found is None:
        return None
    lines = []
    for group in found:
        lines += [f"User-agent: {agent}" for agent in group.agents]
        lines += [f"{'Allow' if allows else 'Disallow'}: {path}" for allows, path in group.rules]
        lines += ["Disallow:"] * (not group.rules)
        lines += [f"Crawl-delay: {group.delay:g}"] * (group.delay > 0) + [""]
    if has_sitemap(web, host):
        lines.append(f"Sitemap: http://{name_of(web, host)}/sitemap.xml")
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=16_384)
def _group(web: Web, host: int, agent: str) -> Group | None:
    """Return the group for an agent: the one with the longest name that the agent contains."""
    found = None if is_silent(web, host) else groups(web, host)
    best, length = None, -1
    for group in found or ():
        for name in group.agents:
            size = 0 if name == "*" else len(name)
            if size > length and (name == "*" or name in agent.lower()):
                best, length = group, size
    return best


@lru_cache(maxsize=256)
def _pattern(path: str) -> re.Pattern[str]:
    body, end = (path[:-1], r"\Z") if path.endswith("$") else (path, "")
    return re.compile(".*".join(map(re.escape, body.split("*"))) + end, re.DOTALL)


def _plain(path: str) -> str:
    """Return a path in which octets that need no percent-encoding are decoded."""

    def decoded(found: re.Match[str]) -> str:
        sign = chr(int(found[1], 16))
        return sign if re.match(r"[A-Za-z0-9\-._~]", sign) else found[0].upper()

    return re.sub("%([0-9A-Fa-f]{2})", decoded, path)


def allowed(rules: tuple[tuple[bool, str], ...], path: str) -> bool:
    """Return whether rules allow a path (with its query)."""
    fitting = [(len(rule), allows) for allows, rule in rules if _pattern(rule).match(_plain(path))]
    return max(fitting)[1] if fitting else True


@lru_cache(maxsize=16_384)
def _forbids_any(web: Web, authority: str, agent: str) -> bool:
    """Return whether a host forbids an agent anything; most do not."""
    host = web.named(urlsplit(f"http://{authority}/").hostname or "")
    group = None if host is None else _group(web, host, agent)
    return group is not None and not all(allows for allows, _ in group.rules)


def disallowed(web: Web, url: str, agent: str) -> bool:
    """Return whether the robots.txt of a URL's host forbids the URL to an agent.

    Parameters
    ----------
    web : Web
    url : str
        An absolute URL.
    agent : str
        The complete User-Agent.
    """
    try:
        if url.startswith("http://") and not _forbids_any(web, url[7:].partition("/")[0], agent):
            return False
        parts = urlsplit(url)
        host = web.named(parts.hostname or "")
    except ValueError:
        return False
    if host is None or parts.path == "/robots.txt":
        return False
    group = _group(web, host, agent)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return group is not None and not allowed(group.rules, path)


def crawl_delay(web: Web, host: int, agent: str) -> float:
    """Return the Crawl-delay of a host for an agent, in seconds; 0: there is none."""
    group = _group(web, host, agent)
    return group.delay if group else 0.0


def is_silent(web: Web, host: int) -> bool:
    """Return whether a request for a host's robots.txt is never answered."""
    return web.chance("robots silent", host) < web.profile.faults.robots_timeout
