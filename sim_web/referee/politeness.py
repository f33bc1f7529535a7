"""Whether a crawler obeyed robots.txt, Crawl-delay and Retry-After, and how hosts were loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reading import RequestLog, Requests

EXACT = 1e-9
"""A gap may be shorter than the required one by this share, because virtual time is rounded."""


@dataclass(frozen=True)
class Disallowed:
    """Requests that robots.txt forbids.

    Attributes
    ----------
    requests, judged : int
        The number of forbidden requests; the number of judged requests, which are all requests to
        hosts of the web except those for robots.txt itself.
    share : float or None
        The share of forbidden requests in the judged ones; None if none was judged.
    """

    requests: int
    judged: int
    share: float | None


@dataclass(frozen=True)
class Fulfilment:
    """How well a crawler kept required waits: the ratios of observed to required waits.

    A ratio of 1 or more fulfils the requirement.

    Attributes
    ----------
    waits : int
        How many required waits were tested by a later request.
    untested : int
        How many required waits were not followed by another request.
    least, greatest, mean : float or None
        The least, greatest and mean ratio.
    broken : float or None
        The share of the ratios below 1.
    """

    waits: int
    untested: int
    least: float | None
    greatest: float | None
    mean: float | None
    broken: float | None


@dataclass(frozen=True)
class Concurrency:
    """How many requests to one host were in flight at the same time; None: there was no request.

    Attributes
    ----------
    greatest : int or None
        The greatest number, over all hosts and times.
    mean : float or None
        The number at the beginning of a request, on average over all requests.
    at : str
        A host at which the number was greatest.
    """

    greatest: int | None
    mean: float | None
    at: str


def disallowed(requests: Requests) -> Disallowed:
    """Count the requests that the host's robots.txt forbids to their agent.

    All requests to hosts of the web are judged by the true robots.txt, even if the crawler has not
    fetched it. A request for a robots.txt itself counts neither as forbidden nor as judged.
    """
    judged = ~requests.of(Kind.ROBOTS, Kind.MOUNTED, Kind.FOREIGN, Kind.BAD)
    forbidden = int((requests.disallowed & judged).sum())
    total = int(judged.sum())
    return Disallowed(forbidden, total, forbidden / total if total else None)


def crawl_delay(log: RequestLog, demanded: Callable[[str, str], float]) -> Fulfilment:
    """Judge the gaps between requests of one agent to one host that requires a crawl delay.

    A gap lasts from the beginning of a request to the beginning of the next one. Requests for
    robots.txt are left out, because a crawler that has not read it does not know the delay.

    Parameters
    ----------
    log : RequestLog
        The requests, with the names of hosts and agents.
    demanded : callable
        ``(name of a host, agent)``: the required delay in seconds; 0: none.
    """
    requests = log.requests
    asked = requests.only(~requests.robots)
    ratios: list[NDArray[np.float64]] = []
    pairs = asked.host.astype(np.int64) * max(1, len(log.agents)) + asked.agent
    for numbers in _groups(pairs):
        host, agent = log.hosts[asked.host[numbers[0]]], log.agents[asked.agent[numbers[0]]]
        delay = demanded(host, agent)
        if delay > 0:
            ratios.append(np.diff(asked.started[numbers]) / delay)
    return _fulfilment(np.concatenate(ratios) if ratios else np.empty(0), 0)


def retry_after(requests: Requests) -> Fulfilment:
    """Judge how long a crawler waits after 429 and 503.

    The next request counts: after 503 the next one for the same address, after 429 the next one to
    the same host (RFC 9110, 10.2.3; RFC 6585, 4). Requests that began before the refusal had ended
    do not count, because the crawler could not know of it. The wait lasts from the end of the
    refusal to the beginning of that request. A refusal without a later request is untested.
    """
    ratios, untested = [], 0
    for status, groups in ((429, requests.host), (503, requests.address)):
        refusals = (requests.status == status) & (requests.wait > 0)
        concerned = np.isin(groups, groups[refusals])
        chosen, refused = requests.only(concerned), refusals[concerned]
        for numbers in _groups(groups[concerned]):
            began = chosen.started[numbers]
            places = np.flatnonzero(refused[numbers])
            ended, wait = chosen.ended[numbers][places], chosen.wait[numbers][places]
            after = np.maximum(np.searchsorted(began, ended, side="left"), places + 1)
            tested = after < len(began)
            untested += int((~tested).sum())
            ratios.append((began[after[tested]] - ended[tested]) / wait[tested])
    return _fulfilment(np.concatenate(ratios) if ratios else np.empty(0), untested)


def concurrency(log: RequestLog) -> Concurrency:
    """Count, at the beginning of each request, the requests to its host that are in flight.

    These are the request itself and all that began no later and end later:
    1 + |{j != i: s(j) <= s(i) < e(j)}|. The greatest of these numbers is the greatest overlap at
    any moment. Requests to foreign hosts are left out.
    """
    requests = log.requests.only(~log.requests.of(Kind.FOREIGN, Kind.BAD))
    greatest, total, at = 0, 0, ""
    for numbers in _groups(requests.host):
        began, ended = requests.started[numbers], requests.ended[numbers]
        under_way = np.searchsorted(began, began, side="right")
        under_way -= np.searchsorted(np.sort(ended), began, side="right")
        under_way += ended <= began
        total += int(under_way.sum())
        if under_way.max() > greatest:
            greatest, at = int(under_way.max()), log.hosts[requests.host[numbers[0]]]
    if not len(requests):
        return Concurrency(None, None, "")
    return Concurrency(greatest, total / len(requests), at)


def _groups(keys: NDArray[np.generic]) -> Iterator[NDArray[np.int64]]:
    """Yield for each key the numbers of the rows that have it, ascending."""
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1
    for numbers in np.split(order, cuts):
        if len(numbers):
            yield numbers


def _fulfilment(ratios: NDArray[np.float64], untested: int) -> Fulfilment:
    if not len(ratios):
        return Fulfilment(0, untested, None, None, None, None)
    return Fulfilment(
        len(ratios),
        untested,
        float(ratios.min()),
        float(ratios.max()),
        float(ratios.mean()),
        float((ratios < 1 - EXACT).mean()),
    )
