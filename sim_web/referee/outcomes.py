"""What each request brought: something new, something useful, or waste."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reading import Requests

OUTCOMES = {
    "new_pages": "pages fetched for the first time",
    "changed_pages": "pages fetched again that had changed",
    "not_modified": "answers that a page had not changed (304)",
    "frames": "documents in frames, and pages behind forms",
    "robots": "robots.txt",
    "sitemaps": "sitemaps",
    "redirects": "redirects (3xx)",
    "mounted": "files of mounted sites",
    "heads": "pages requested without their content (not GET)",
    "unchanged_again": "same page, same version, same address again",
    "other_address": "same page, same version, another address",
    "traps": "pages that the server makes up on request",
    "refused": "refusals with a wait (429, 503)",
    "missing": "pages that do not exist (404, 410)",
    "errors": "other errors (4xx, 5xx)",
    "broken": "connections that ended before a status",
    "foreign": "hosts that are not in the web",
    "bad": "malformed requests",
}
"""The outcomes and their descriptions; each request has exactly one of them."""

WASTED = ("unchanged_again", "other_address", "traps", "refused", "missing", "errors", "broken",
          "foreign", "bad")  # fmt: skip


@dataclass(frozen=True)
class Outcomes:
    """How many requests had which outcome.

    Attributes
    ----------
    counts : dict of str to int
        The number of requests for each of `OUTCOMES`; they sum to the number of requests.
    duplicates : int
        Requests that fetched a known version of a page: unchanged_again and other_address.
    wasted : int
        Requests with an outcome of `WASTED`.
    wasted_share : float
        Their share of all requests.
    bytes : int
        The bytes of all bodies that were sent.
    """

    counts: dict[str, int]
    duplicates: int
    wasted: int
    wasted_share: float
    bytes: int


def outcomes(requests: Requests) -> Outcomes:
    """Count the outcomes of requests, which are in the order of their beginnings.

    A content is a page in a version. A request that fetches a content for the first time has
    fetched a new page, or a page that had changed. A request that fetches a known content is a
    duplicate: under an address under which the content had been fetched, or under another one (an
    alias). A missing robots.txt is a useful answer, because then nothing is forbidden. Other errors
    of robots.txt count as errors. Every answer of a trap counts as a trap.
    """
    found = np.bincount(_classify(requests), minlength=len(OUTCOMES))
    counts = {name: int(found[k]) for k, name in enumerate(OUTCOMES)}
    wasted = sum(counts[name] for name in WASTED)
    duplicates = counts["unchanged_again"] + counts["other_address"]
    share = wasted / len(requests) if len(requests) else 0.0
    return Outcomes(counts, duplicates, wasted, share, int(requests.bytes.sum()))


def _classify(requests: Requests) -> NDArray[np.int64]:
    """Return the outcome of each request, an index of `OUTCOMES`; the first rule that fits wins."""
    status = requests.status
    fetched = requests.pages()
    new, changed, again = _contents(requests)
    rules = {
        "foreign": requests.of(Kind.FOREIGN, Kind.UNKNOWN),
        "bad": requests.of(Kind.BAD),
        "traps": requests.of(Kind.TRAP),
        "broken": status == 0,
        "not_modified": status == 304,
        "robots": requests.of(Kind.ROBOTS) & np.isin(status, (200, 404, 410)),
        "refused": (status == 429) | (status == 503),
        "missing": (status == 404) | (status == 410),
        "errors": status >= 400,
        "sitemaps": requests.of(Kind.SITEMAP),
        "mounted": requests.of(Kind.MOUNTED, Kind.CAPTURED),
        "redirects": (status >= 300) | requests.of(Kind.REDIRECT),
        "new_pages": fetched & new,
        "changed_pages": fetched & changed,
        "unchanged_again": fetched & again,
        "other_address": fetched,
        "frames": requests.get & requests.of(Kind.FRAME, Kind.FORM),
        "heads": ~requests.get,
    }
    names = list(OUTCOMES)
    return np.select(
        list(rules.values()), [names.index(one) for one in rules], names.index("errors")
    )


def _contents(requests: Requests) -> tuple[NDArray[np.bool_], ...]:
    """Return three masks of the requests.

    They mark the requests that fetched a new page, a new version of a known page, and a known
    content under a known address.
    """
    fetched = np.flatnonzero(requests.pages())
    page, version = requests.page[fetched], requests.version[fetched]
    address = requests.address[fetched]
    order = np.arange(len(fetched))
    first_of_page = _first(order, page)
    first_of_content = _first(order, page, version)
    first_of_address = _first(order, page, version, address)
    new, changed, again = (np.zeros(len(requests), np.bool_) for _ in range(3))
    new[fetched] = first_of_page
    changed[fetched] = first_of_content & ~first_of_page
    again[fetched] = ~first_of_address
    return new, changed, again


def _first(
    order: NDArray[np.int64], *keys: NDArray[np.int64] | NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Return which rows are the first with their combination of keys.

    Parameters
    ----------
    order : int64, shape (rows,)
        The rank of each row.
    *keys : shape (rows,)
        The values that are compared.
    """
    ranked = np.lexsort((order, *keys))
    differs = np.zeros(len(order), np.bool_)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[ranked][1:] != key[ranked][:-1]
    first = np.zeros(len(order), np.bool_)
    first[ranked[differs]] = True
    return first
