"""What robots.txt allows (RFC 9309), origin by origin: scheme, host and port.

What cannot be asked forbids: an error of the server, or no answer, is taken as a robots.txt that
forbids everything; one that does not exist (4xx) allows everything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from protego import Protego

LARGEST = 512_000
"""Bytes of a robots.txt that are read."""
LONGEST_DELAY = 600.0
"""Seconds; a site that asks for a longer Crawl-delay is left alone."""

_BREAKS = re.compile(r"\r\n?|\n")
_AGENT = re.compile(r"user[-\s]*agent(?![\w-])\s*:?\s*(.*)", re.I | re.S)
_OF_NO_GROUP = re.compile(r"(?:sitemaps?|site-map|host)\b", re.I)


@dataclass(frozen=True)
class Rules:
    """What one origin says to one agent.

    Attributes
    ----------
    agent : str
        The product token of the crawler.
    parsed : Protego or None
        None: nothing is forbidden, or all is.
    refused : str
        Why nothing of the site may be fetched; "": its rules decide.
    delay : float
        Seconds between requests that it asks for.
    """

    agent: str
    parsed: Protego | None = None
    refused: str = ""
    delay: float = 0.0

    def problem(self, address: str) -> str:
        """Return why an address may not be fetched; "" if it may."""
        if self.refused:
            return self.refused
        if self.parsed is None or self.parsed.can_fetch(address, self.agent):
            return ""
        return "forbidden by robots.txt"


def origin(address: str) -> str:
    """Return what an address has its robots.txt from."""
    return address[: address.index("/", len("https://"))]


def rules(status: int, body: bytes, problem: str, agent: str) -> Rules:
    """Return the rules that an answer to a request for robots.txt gives an agent.

    Parameters
    ----------
    status : int
        0: no answer came.
    body : bytes
    problem : str
        Why none came.
    agent : str
        The product token of the crawler.
    """
    if 400 <= status < 500 and status != 429:  # 429: it is there, but not now
        return Rules(agent)
    if status != 200:
        said = f"robots.txt: {status or problem or 'no answer'}"
        return Rules(agent, refused=f"{said}; so nothing may be fetched")
    whole = body if len(body) < LARGEST else body[: body.rfind(b"\n", 0, LARGEST) + 1]
    own = _own(whole.decode("utf-8-sig", "replace"), agent)
    parsed = Protego.parse(own)
    delay = parsed.crawl_delay(agent) or 0.0
    if delay > LONGEST_DELAY:
        return Rules(agent, refused=f"robots.txt asks for {delay:g} s between requests")
    forbids = "di" in own.lower()  # however Disallow is misspelt where Protego takes it for one
    return Rules(agent, parsed if forbids else None, delay=delay)


def _own(text: str, agent: str) -> str:
    """Return the rules of a robots.txt for an agent, as those of a robots.txt for everybody.

    Protego takes ``count`` for ``counterpoint`` and ``counterpoint/1.0`` for another (RFC 9309,
    2.2.1: the product token must be the same, in any case), and keeps every rule for every agent.
    """
    own = agent.lower()
    rules_of: dict[str, list[str]] = {}
    group: list[list[str]] = []
    begins = True
    for line in _BREAKS.split(text):
        line = line.partition("#")[0].strip()
        found = _AGENT.fullmatch(line)
        if found is not None:
            group = group if begins else []
            token = re.split(r"[\s/]", found[1].lower(), maxsplit=1)[0]
            token = token if token == "*" else token.replace("*", "")
            if token in (own, "*"):
                group.append(rules_of.setdefault(token, []))
            begins = True
        elif line and not _OF_NO_GROUP.match(line):
            begins = False
            for lines in group:
                lines.append(line)
    return "\n".join(["User-agent: *", *rules_of.get(own, rules_of.get("*", []))])
