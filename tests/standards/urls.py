"""The cases of the URL Standard (urltestdata.json of the web-platform tests).

The expected address is what the standard says, with what `counterpoint.crawler.documents.addresses`
states to do besides: only http and https; no user, fragment or empty query; escapes normalized.
"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote, urljoin

from w3lib.url import safe_url_string

from counterpoint.crawler.documents.addresses import joined, normalized
from tests.needs import find

from .suite import OURS, Case, Suite

PACKAGE = "librust-url-dev"
_PARTS = re.compile(r"(https?)://(?:[^/@]*@)?([^/]*)(/[^?#]*)(\?[^#]+)?", re.S)


def cases() -> list[Case]:
    """Return the cases whose base is a page, or that have none."""
    path = find(PACKAGE)
    assert path is not None
    found = []
    for number, case in enumerate(json.loads(path.read_text())):
        if isinstance(case, str):
            continue
        base = case["base"] or "about:blank"
        if base != "about:blank" and normalized(base) is None:
            continue
        page = "" if base == "about:blank" else normalized(base)
        href = None if case.get("failure") else case["href"]
        found.append(Case(f"{number}", (page, case["input"]), _promised(href)))
    return found


def _promised(href: str | None) -> str | None:
    """Return what our documentation promises for an address of the standard."""
    parts = _PARTS.match(href or "")
    if parts is None:
        return None
    scheme, host, path, query = parts.groups()
    return f"{scheme}://{host}{_escapes(path)}{_escapes(query or '')}"


def _escapes(text: str) -> str:
    """Return a text with capital escapes, and without those of unreserved characters."""

    def written(found: re.Match[str]) -> str:
        letter = unquote(found[0])
        return letter if re.fullmatch(r"[A-Za-z0-9\-._~]", letter) else found[0].upper()

    return re.sub("(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}", written, text)


def _ours(given: tuple[str, str]) -> str | None:
    return joined(*given)


def _w3lib(given: tuple[str, str]) -> str | None:
    """Return the address that Scrapy would request, by the same rules."""
    try:
        return _promised(safe_url_string(urljoin(*given)))
    except ValueError:
        return None


def _unasked(case: Case) -> bool:
    """Return whether a host cannot be asked: an empty or long label, or port 0."""
    host = (case.expected or "").split("/")[2:3]
    return bool(host) and (
        ".." in host[0] or host[0].startswith(".") or host[0].endswith(":0")
        or any(len(label) > 63 for label in host[0].split("."))
    )  # fmt: skip


URLS = Suite(
    "URLs", PACKAGE, cases, {OURS: _ours, "w3lib": _w3lib},
    {
        "a host that no name server can know, or port 0, is refused": _unasked,
        "ada-url does not check the Punycode of a host that is all ASCII":
            lambda case: case.expected is None and "xn--pokxncvks" in case.given[1].lower(),
    },
)  # fmt: skip
