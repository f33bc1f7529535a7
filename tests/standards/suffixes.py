"""The cases of the public suffix list: the registered domain of a host."""

from __future__ import annotations

import re
from importlib.resources import files

import ada_url
import tldextract

from counterpoint.crawler.documents.addresses import domain, normalized

from .suite import OURS, Case, Suite

_CASE = re.compile(r"^checkPublicSuffix\((null|'[^']*'), (null|'[^']*')\);$", re.M)
_OTHERS = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
)


def cases() -> list[Case]:
    """Return the cases; None stands for a host without a registered domain."""
    text = files("publicsuffixlist").joinpath("test_psl.txt").read_text(encoding="utf-8")
    found = []
    for number, match in enumerate(_CASE.finditer(text)):
        host, expected = (None if one == "null" else one.strip("'") for one in match.groups())
        if host is not None:
            found.append(Case(f"{number} {host}", host, _ascii(expected) if expected else None))
    return found


def _ascii(host: str) -> str:
    return ada_url.idna.encode(host).decode()


def ours(host: str) -> str | None:
    """Return the registered domain that we find."""
    address = normalized(f"http://{host}/")
    if address is None:
        return None
    found = domain(address)
    return found if found.count(".") and found != _suffix(address) else None


def _suffix(address: str) -> str:
    """Return the host of an address if the address has no registered domain below it."""
    return "" if domain(address.replace("://", "://below.")) == domain(address) else domain(address)


def theirs(host: str) -> str | None:
    """Return the registered domain that tldextract finds."""
    found = _OTHERS(host).top_domain_under_public_suffix
    return _ascii(found) if found else None


SUFFIXES = Suite("Public suffixes", "", cases, {OURS: ours, "tldextract": theirs})
