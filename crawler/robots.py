"""What robots.txt allows (RFC 9309), site by site.

What cannot be asked forbids: an error of the server, or no answer, is taken as a robots.txt that
forbids everything; one that does not exist (4xx) allows everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from protego import Protego

LARGEST = 512_000
"""Bytes of a robots.txt that are read."""
LONGEST_DELAY = 600.0
"""Seconds; a site that asks for a longer Crawl-delay is left alone."""


@dataclass(frozen=True)
class Rules:
    """What one site says.

    Attributes
    ----------
    parsed : Protego or None
        None: nothing is forbidden, or all is.
    refused : str
        Why nothing of the site may be fetched; "": its rules decide.
    delay : float
        Seconds between requests that it asks for.
    """

    parsed: Protego | None = None
    refused: str = ""
    delay: float = 0.0

    def problem(self, address: str, agent: str) -> str:
        """Return why an address may not be fetched; "" if it may."""
        if self.refused:
            return self.refused
        if self.parsed is None or self.parsed.can_fetch(address, agent):
            return ""
        return "forbidden by robots.txt"


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
    if 400 <= status < 500:
        return Rules()
    if status != 200:
        said = f"robots.txt: {status or problem or 'no answer'}"
        return Rules(refused=f"{said}; so nothing may be fetched")
    parsed = Protego.parse(body[:LARGEST].decode("utf-8", "replace"))
    delay = parsed.crawl_delay(agent) or 0.0
    if delay > LONGEST_DELAY:
        return Rules(refused=f"robots.txt asks for {delay:g} s between requests")
    return Rules(parsed, delay=delay)


class Robots:
    """Asks each server for its robots.txt once.

    Parameters
    ----------
    agent : str
        The product token of the crawler.
    ask : callable
        Returns status (0: no answer), body and what went wrong, redirects followed.
    """

    def __init__(self, agent: str, ask: Callable[[str], tuple[int, bytes, str]]) -> None:
        self.agent, self._ask = agent, ask
        self._known: dict[str, Rules] = {}

    def of(self, address: str) -> Rules:
        """Return the rules for an address."""
        origin = address[: address.index("/", len("https://"))]
        if origin not in self._known:
            status, body, problem = self._ask(f"{origin}/robots.txt")
            self._known[origin] = rules(status, body, problem, self.agent)
        return self._known[origin]

    def problem(self, address: str) -> str:
        """Return why an address may not be fetched; "" if it may."""
        return self.of(address).problem(address, self.agent)
