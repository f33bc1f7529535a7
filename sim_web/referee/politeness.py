"""Whether a crawler did what hosts asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sim_web.answer import Kind

from .reading import Log, Requests

EXACT = 1e-9
"""A gap may be shorter than demanded by this share of it: the rounding of virtual time."""


@dataclass(frozen=True)
class Disallowed:
    """Requests that robots.txt forbids.

    Attributes
    ----------
    requests, judged : int
        Forbidden ones; those to hosts of the web that are not for robots.txt itself.
    share : float or None
        Of the judged.
    """

    requests: int
    judged: int
    share: float | None


@dataclass(frozen=True)
class Fulfilment:
    """How well demanded waits were kept: observed over demanded, 1 or more is as demanded.

    Attributes
    ----------
    waits : int
        Demands that were put to the test.
    untested : int
        Demands after which no further request came.
    least, greatest, mean : float or None
        Of the ratios.
    broken : float or None
        Share of the ratios below 1.
    """

    waits: int
    untested: int
    least: float | None
    greatest: float | None
    mean: float | None
    broken: float | None


@dataclass(frozen=True)
class Concurrency:
    """Requests to one host under way at the same time; None: there was none.

    Attributes
    ----------
    greatest : int or None
        Over all hosts.
    mean : float or None
        At the beginning of a request, on average over all requests.
    at : str
        A host at which it was greatest.
    """

    greatest: int | None
    mean: float | None
    at: str


def disallowed(requests: Requests) -> Disallowed:
    """Return the share of requests that the host's robots.txt forbids to their agent.

    Judged by the truth of robots.txt, whether or not the crawler has read it, of all requests to
    hosts of the web. A request for a robots.txt never counts, neither above nor below.
    """
    judged = ~requests.of(Kind.ROBOTS, Kind.MOUNTED, Kind.FOREIGN, Kind.BAD)
    forbidden = int((requests.disallowed & judged).sum())
    total = int(judged.sum())
    return Disallowed(forbidden, total, forbidden / total if total else None)


def crawl_delay(log: Log, demanded: Callable[[str, str], float]) -> Fulfilment:
    """Judge the gaps between requests of one agent to one host that demands a delay.

    A gap is from the beginning of a request to the beginning of the next one. Requests for
    robots.txt are left out: who has not read it does not know the delay.

    Parameters
    ----------
    log : Log
        The log.
    demanded : callable
        ``(name of a host, agent)``: seconds; 0: none.
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
    """Judge how long a crawler stays away after 429 and 503.

    After 503 the next request for the same address counts, after 429 the next one to the same host
    (RFC 9110, 10.2.3; RFC 6585, 4); each only if it did not begin before the answer had ended,
    as the crawler could not know then. The wait is from the end of the answer to the beginning of
    that request. Refusals after which none came are untested.
    """
    ratios, untested = [], 0
    for status, groups in ((429, requests.host), (503, requests.address)):
        refusals = (requests.status == status) & (requests.wait > 0)
        concerned = np.isin(groups, groups[refusals])
        chosen, refused = requests.only(concerned), refusals[concerned]
        for numbers in _groups(groups[concerned]):
            began = chosen.started[numbers]
            told = np.flatnonzero(refused[numbers])
            ended, wait = chosen.ended[numbers][told], chosen.wait[numbers][told]
            after = np.maximum(np.searchsorted(began, ended, side="left"), told + 1)
            tested = after < len(began)
            untested += int((~tested).sum())
            ratios.append((began[after[tested]] - ended[tested]) / wait[tested])
    return _fulfilment(np.concatenate(ratios) if ratios else np.empty(0), untested)


def concurrency(log: Log) -> Concurrency:
    """Count, at the beginning of each request, the requests to its host that are under way.

    Itself and those that have begun by then and end later: 1 + |{j != i: s(j) <= s(i) < e(j)}|.
    The greatest of these is the greatest overlap at any moment. Foreign hosts are left out.
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
    """Yield, for each key, the numbers of its rows in their order."""
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
