"""Reads robots.txt (RFC 9309). Each origin (scheme, host and port) has one of its own.

If a server answers with an error, or not at all, or with something that cannot be read, its pages
must not be fetched. If it has no robots.txt (4xx), all its pages may be fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from protego import Protego

from .addresses import normalized
from .decoding import marked

LARGEST = 512_000
"""The most bytes of a robots.txt that are read."""
LONGEST_DELAY = 600.0
"""Seconds; a site with a longer Crawl-delay is not fetched at all."""

_BREAKS = re.compile(r"\r\n?|\n")
_AGENT = re.compile(r"user[-\s]*agent(?![\w-])\s*:?\s*(.*)", re.I | re.S)
_RULE = re.compile(r"(?:allow|di[as]+l+[ao]w|crawl(?:-|\s+)delay)(?![\w-])", re.I)
"""The lines that end the agents of a group, in every spelling that Protego accepts. No other line
does so (RFC 9309, 2.2.4). Crawl-delay is none of the RFC's own rules, but it is a rule for the
agents above it: many files ask all crawlers for a delay, and then forbid a single one."""
_SITEMAP = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)", re.I)


@dataclass(frozen=True)
class Rules:
    """The rules of one origin for one agent.

    Attributes
    ----------
    agent : str
        The product token of the crawler.
    parsed : Protego or None
        The parsed rules; None if all addresses are allowed, or all are forbidden.
    refused : str
        Why no address of the origin may be fetched; "": the rules decide.
    delay : float
        The Crawl-delay, in seconds.
    sitemaps : tuple of str
        The normalized addresses of the sitemaps that robots.txt names, for all agents.
    """

    agent: str
    parsed: Protego | None = None
    refused: str = ""
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def problem(self, address: str) -> str:
        """Return why an address may not be fetched; "" if it may."""
        if self.refused:
            return self.refused
        if self.parsed is None or self.parsed.can_fetch(address, self.agent):
            return ""
        return "forbidden by robots.txt"


def origin(address: str) -> str:
    """Return the origin of an address: scheme, host and port."""
    return address[: address.index("/", len("https://"))]


def succeeded(status: int) -> bool:
    """Return whether a status says that a robots.txt was answered (RFC 9309, 2.3.1.1).

    A part of one (206), which was not asked for, is none: other parts may have further rules.
    """
    return 200 <= status < 300 and status != 206


def written(body: bytes) -> str:
    """Return the text of a robots.txt, without a last line that was cut.

    It is UTF-8 (RFC 9309, 2.2), unless a byte order mark says UTF-16.
    """
    whole = body if len(body) < LARGEST else body[: _last_break(body)]
    name, rest = marked(whole)
    return rest.decode(name or "utf-8", "replace")


def _last_break(body: bytes) -> int:
    """Return where the last whole line ends within the limit; UTF-16 has two bytes a sign."""
    wide = {b"\xff\xfe": b"\n\0", b"\xfe\xff": b"\0\n"}.get(body[:2], b"\n")
    at = body.rfind(wide, 0, LARGEST)
    while at > 0 and at % len(wide):
        at = body.rfind(wide, 0, at)
    return at + len(wide) if at > 0 else 0


def rules(status: int, text: str, problem: str, agent: str) -> Rules:
    """Return the rules that an answer to a request for robots.txt gives an agent.

    Parameters
    ----------
    status : int
        The status of the answer; 0 if no answer came.
    text : str
        What `written` returned for its body.
    problem : str
        Why no answer came.
    agent : str
        The product token of the crawler.
    """
    if 400 <= status < 500 and status != 429:  # 429: too many requests; the file may exist
        return Rules(agent)
    if not succeeded(status):
        result = f"robots.txt: {status or problem or 'no answer'}"
        return Rules(agent, refused=f"{result}; so nothing may be fetched")
    if "\0" in text:  # compressed, UTF-16 without a mark, or an image: rules may be hidden in it
        return Rules(agent, refused="robots.txt is no text; so nothing may be fetched")
    own = _own(text, agent)
    parsed = Protego.parse(own)
    delay = parsed.crawl_delay(agent) or 0.0
    if delay > LONGEST_DELAY:
        return Rules(agent, refused=f"robots.txt asks for {delay:g} s between requests")
    forbids = "di" in own.lower()  # in every spelling of Disallow that Protego accepts
    found = filter(None, map(normalized, _SITEMAP.findall(text)))
    return Rules(agent, parsed if forbids else None, "", delay, tuple(dict.fromkeys(found)))


def _own(text: str, agent: str) -> str:
    """Return the rules of a robots.txt for an agent, as a robots.txt that is for all agents.

    Protego applies rules for ``count`` to the agent ``counterpoint``, and does not apply those for
    ``counterpoint/1.0`` (RFC 9309, 2.2.1: the product token must be equal, ignoring case). It also
    stores the rules of all agents, and lets unknown lines end a group.
    """
    tokens = {"*": _token("*"), agent.lower(): _token(agent)}
    rules_of: dict[str, list[str]] = {}
    group: dict[str, list[str]] = {}
    begins = True
    for line in _BREAKS.split(text):
        line = line.partition("#")[0].strip()
        found = _AGENT.fullmatch(line)
        if found is not None:
            group = group if begins else {}
            for token, pattern in tokens.items():
                if any(map(pattern.match, found[1].split(","))):
                    group[token] = rules_of.setdefault(token, [])
            begins = True
        elif _RULE.match(line):
            begins = False
            for lines in group.values():
                lines.append(line)
    own = rules_of.get(agent.lower(), rules_of.get("*", []))
    return "\n".join(["User-agent: *", *own])


def _token(agent: str) -> re.Pattern[str]:
    """Return a pattern of what names an agent: its token, then nothing that belongs to a token.

    So ``counterpoint/1.0``, ``counterpoint;`` and ``*counterpoint*`` name ``counterpoint``, which
    ``counterpoints`` and ``counterpoint-news`` do not.
    """
    return re.compile(rf"\s*\**{re.escape(agent)}(?![\w-])", re.I)
