"""Makes the answers of fetchers that have whole answers at hand, and no network."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.crawler.documents.answer_rules import NO_RULES
from counterpoint.crawler.documents.exchange import is_read
from counterpoint.crawler.documents.robots import succeeded
from counterpoint.crawler.documents.scope import LEFT_OUT

from .manners import Limits
from .network import Answer, PageRequest


def answer_at_hand(
    wanted: PageRequest, limits: Limits, status: int, headers: Mapping[str, str], body: bytes, *,
    problem: str = "", coded: bool = False,
) -> Answer:  # fmt: skip
    """Return the answer to a request as a network would have read it, within limits.

    Parameters
    ----------
    wanted : PageRequest
    limits : Limits
        How much of a body is read.
    status : int
    headers : mapping
        By name, ignoring case.
    body : bytes
        Without its codings, unless ``coded``.
    problem : str
        What is wrong with the body; "": nothing.
    coded : bool
        Whether the body is still in a content coding.
    """
    rules = NO_RULES if wanted.of_robots or wanted.of_sitemap else limits.rules
    if left_out := rules.of_head(status, headers):
        return Answer(status, b"", headers, f"{LEFT_OUT}{left_out}")
    if wanted.of_robots:
        reads = succeeded(status)
    else:
        kind = headers.get("Content-Type", "")
        reads = status == 200 and is_read(kind, of_sitemap=wanted.of_sitemap)
    if not reads:
        return Answer(status, b"", headers)
    if left_out := rules.of_size(len(body)):
        return Answer(status, b"", headers, f"{LEFT_OUT}{left_out}")
    most = limits.body if wanted.most is None else wanted.most
    if len(body) > most and not wanted.of_robots:
        problem = problem or f"longer than {most:,} bytes, and cut"
    return Answer(status, body[:most], headers, problem, coded=coded)
