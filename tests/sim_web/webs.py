"""Small webs for tests of pages: random profiles, with and without faults."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import faults

Shares = tuple[tuple[str, float], ...]
"""Keys and values of a section."""


OF_PAGES = {key for key, _ in faults.OF_PAGES}


def _possible(numbers: dict[str, float]) -> dict[str, float]:
    """Return shares of faults whose sum for pages is at most 1: a page has at most one fault."""
    total = max(1.0, sum(share for key, share in numbers.items() if key in OF_PAGES))
    return {key: share / total if key in OF_PAGES else share for key, share in numbers.items()}


@lru_cache(maxsize=256)
def _web(style: Shares, shares: Shares, seed: int) -> Web:
    mapping: dict[str, Any] = {
        "hosts": {"mean_pages": 12},
        "themes": {"count": 1 + seed % 3},
        "change": {"static": 0.3, "per_day": 2.0},
        "style": {
            **dict(style),
            "languages": {"en": 1, "ru": 1, "de": 1, "zh": 1, "ja": 1},
            "declared": {"header": 1, "meta": 1, "wrong": 1, "none": 1},
            "legacy": 0.5,
        },
        "robots": {"disallow": 0.5, "agent_groups": 0.4, "crawl_delay": 0.5, "forbidden": 0.3},
        "faults": _possible(dict(shares)),
    }
    return Web(profile.from_mapping(mapping, "test", "test"), 400 + 37 * (seed % 5), seed)


SHARES = ("frames", "base", "relative", "canonical", "nofollow", "bad_links", "aliases", "gzip",
          "brotli", "chunked", "sitemaps")  # fmt: skip
PASSED = ("redirect", "redirect_chain", "duplicates", "session_ids", "calendar", "redirect_loop",
          "not_found", "gone", "bomb", "endless_body")  # fmt: skip
"""Faults that change no page's own answer."""
OWN = ("server_error", "unavailable", "reset", "slow_headers", "truncated_chunks", "wrong_length",
       "wrong_type", "huge_page", "vanish", "robots_timeout")  # fmt: skip

_share = st.sampled_from([0.0, 0.1, 0.5])


def _some(keys: tuple[str, ...]) -> st.SearchStrategy[Shares]:
    return st.tuples(*(st.tuples(st.just(key), _share) for key in keys))


sound = st.builds(_web, _some(SHARES), _some(PASSED), st.integers(0, 9))
"""Webs in which each page answers with its content at all times."""


@lru_cache(maxsize=8)
def hostile(seed: int = 1) -> Web:
    """Return a web with every fault."""
    passing = tuple((key, 0.06) for key in (*PASSED, *OWN))
    return _web(tuple((key, 0.3) for key in SHARES), passing, seed)
