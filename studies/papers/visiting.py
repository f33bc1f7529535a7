"""Compiled functions that let a crawler visit sites in runs, within a budget of time."""

from __future__ import annotations

import math

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.pages.change import rate_of, version_at
from counterpoint.sim_web.pages.life import life_of
from counterpoint.sim_web.pages.sizes import compare_versions

GONE = -1
"""The version of a page that is not there, or of which the index has no copy."""

SCENT, PER_SECOND, INFORMED, PLANNED, IN_TURN = range(5)
"""By what pages are ranked: their scent, their scent per second of the visit, what a visit really
gains per second, a table by page and age per second, or their age."""

HARVESTS = ("difference", "size", "bytes", "changed", "share", "worth", "pace")
"""The harvests of `counterpoint.crawler.schedulers.harvests`, by their numbers here."""


@compiled
def histories(
    key: np.uint64, laws: Array, lives: Array, site: Array, lasting: Array, times: Array,
    length: Array, themed: Array, rows: Array, lengths: Array,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return the versions and the sizes of pages at some times, and which of them never change.

    Parameters
    ----------
    key : uint64
    laws, lives : float64[sites, 3]
        How pages of each site change, and how they are born and die.
    site : int64[pages]
        The site of each page.
    lasting : bool[pages]
        Pages that are always there.
    times : float64[n]
    length, themed, rows, lengths
        As `TextSizes.tables` returns them.

    Returns
    -------
    int64[n, pages], int64[n, pages] and float64[pages, 2]
        `GONE` and 0 where the page is not there; birth and death of each page in seconds.
    """
    pages = len(site)
    versions = np.full((len(times), pages), GONE)
    sizes = np.zeros((len(times), pages), dtype=np.int64)
    spans = np.empty((pages, 2))
    for page in range(pages):
        born, dies = 0.0, math.inf
        if not lasting[page]:
            born, dies = life_of(key, lives[site[page]], page)
        spans[page, 0], spans[page, 1] = born, dies
        for run in range(len(times)):
            if born <= times[run] < dies:
                found = version_at(key, laws[site[page]], page, times[run])
                versions[run, page] = found
                if run > 0 and found == versions[run - 1, page]:
                    sizes[run, page] = sizes[run - 1, page]
                else:
                    sizes[run, page] = compare_versions(
                        key, page, found, found, length[page], themed[page], lengths[rows[page]]
                    )[0]
    return versions, sizes, spans


@compiled
def compared(
    key: np.uint64, page: int, copy: int, now: int, length: Array, themed: Array, rows: Array,
    lengths: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Return the size of a page, that of its copy, and the bytes that only one of them has.

    ``copy`` and ``now`` are versions or `GONE`; the other arguments are as in `histories`.
    """
    size = before = other = 0
    words = lengths[rows[page]]
    if now >= 0:
        size = compare_versions(key, page, now, now, length[page], themed[page], words)[0]
    if copy >= 0:
        before = compare_versions(key, page, copy, copy, length[page], themed[page], words)[0]
    if copy != now:
        other = size + before
        if copy >= 0 and now >= 0:
            other = compare_versions(key, page, copy, now, length[page], themed[page], words)[1]
    return size, before, other


@compiled
def worth(size: int, before: int, other: int) -> float:
    """Return the term of a page in Q."""
    return math.log1p((size + before - other) // 2) - math.log1p(other)


@compiled
def harvest_of(kind: int, size: int, before: int, other: int, waited: int) -> float:
    """Return the harvest of a visit by its number in `HARVESTS`."""
    found = math.log1p(other)
    if kind == 1:
        found = math.log1p(size)
    elif kind == 2:
        found = float(other)
    elif kind == 3:
        found = 1.0 if other > 0 else 0.0
    elif kind == 4:
        found = other / max(1, size + before)
    elif kind == 5:
        found = math.log1p(size) - worth(size, before, other) if other else 0.0
    elif kind == 6:
        found /= waited
    return found


Text = tuple[np.uint64, Array, Array, Array, Array]
"""The key, and the tables of texts as `TextSizes.tables` returns them."""


@compiled
def _begin_run(
    text: Text, versions: Array, run: int, state: tuple[Array, ...], initial: float
) -> None:
    """List the pages that are new, and compute the terms of the pages that are not as before."""
    key, length, themed, rows, lengths = text
    scent, copies, listed, terms = state[0], state[1], state[4], state[5]
    for p in range(len(scent)):
        now = versions[run, p]
        if listed[p] == 0 and now >= 0:
            listed[p], scent[p] = 1, initial
        if run == 0 or now != versions[run - 1, p]:
            terms[p] = worth(*compared(key, p, copies[p], now, length, themed, rows, lengths))


@compiled
def _ranks(
    rule: int, run: int, size: Array, state: tuple[Array, ...], cost: tuple[float, float],
    table: Array,
) -> Array:  # fmt: skip
    """Return the rank of each page: the page with the greatest is next."""
    scent, copies, known, last, listed, terms = state[:6]
    found = np.full(len(size), -math.inf)
    for p in np.flatnonzero(listed == 1):
        price, age = cost[0] * known[p] + cost[1], run - last[p]
        if rule == SCENT:
            found[p] = scent[p]
        elif rule == PER_SECOND:
            found[p] = scent[p] / price
        elif rule == INFORMED:
            found[p] = (math.log1p(size[p]) - terms[p]) / price
        elif copies[p] == GONE:
            found[p] = math.inf
        elif rule == PLANNED:
            found[p] = table[p, min(age, table.shape[1] - 1)] / price
        else:
            found[p] = age
    return found


@compiled
def _visit(
    text: Text, now: tuple[int, int], p: int, run: int, state: tuple[Array, ...], harvest: int,
    kept: float,
) -> float:  # fmt: skip
    """Visit a page, and return the harvest.

    ``now`` is the page's version and its size, and ``kept`` is left of the scent.
    """
    key, length, themed, rows, lengths = text
    scent, copies, known, last, listed, terms, _, seen, changes, spans, harvests = state
    version, size = now
    before, other = size, 0
    if copies[p] != version:
        _, before, other = compared(key, p, copies[p], version, length, themed, rows, lengths)
    waited = run - last[p]
    gain = harvest_of(harvest, size, before, other, waited)
    scent[p] = scent[p] * kept + gain
    if copies[p] >= 0 and version >= 0:
        seen[p] += 1
        changes[p] += 1 if copies[p] != version else 0
        spans[p] += waited
        harvests[p] += gain
    copies[p], last[p], known[p] = version, run, size
    terms[p] = worth(size, size, 0)
    listed[p] = 1 if version >= 0 else 2
    return gain


@compiled
def _next(ranks: Array, site: Array, known: Array, cost: tuple[float, float], left: Array) -> int:
    """Return the page of the greatest rank that fits into the time left; the first of equal ones.

    It is -1 if there is none; a page of rank minus infinity is none.
    """
    best, greatest = -1, -math.inf
    for p in range(len(ranks)):
        if ranks[p] > greatest:
            share = site[p] if len(left) > 1 else 0
            if cost[0] * known[p] + cost[1] <= left[share]:
                best, greatest = p, ranks[p]
    return best


@compiled
def visit_runs(
    text: Text, versions: Array, sizes: Array, site: Array, runs: tuple[int, int],
    state: tuple[Array, ...], rule: tuple[int, int], gains: tuple[float, float, float],
    cost: tuple[float, float], time: Array, table: Array, out: tuple[Array, Array, Array],
) -> float:  # fmt: skip
    """Visit pages in some runs, and return the sum of the harvests.

    Parameters
    ----------
    text : tuple
        The key, and the tables of texts.
    versions, sizes, site
        As `histories` takes and returns them.
    runs : (int, int)
        The first run, and the one after the last.
    state : tuple of arrays
        Of each page: scent, version of the copy, its size, the run of the last visit, whether the
        crawler lists it (0: not yet; 1: yes; 2: no more), the term of Q; then the overdrawn time of
        each share; then of each page the comparisons, the changes seen, the runs compared and the
        harvests.
    rule : (int, int)
        By what pages are ranked, and the harvest.
    gains : (float, float, float)
        DeltaS, the scent of a page when it is listed, and what a visit leaves of a scent: 1/2.
    cost : (float, float)
        A and B.
    time : float64[shares]
        The time of a run: one share for all sites together, or one for each site.
    table : float64[pages, ages]
        For `PLANNED`: what a visit is worth at an age in runs.
    out : tuple of arrays
        Gets Q of each run and site, the time spent in each run, and whether each run visited each
        page.
    """
    scent, known, terms, debts = state[0], state[2], state[5], state[6]
    quality, spent, visits = out
    total = 0.0
    for run in range(runs[0], runs[1]):
        _begin_run(text, versions, run, state, gains[1])
        ranks = _ranks(rule[0], run, sizes[run], state, cost, table)
        left = time + np.minimum(debts, 0.0)
        p = _next(ranks, site, known, cost, left)
        while p >= 0:
            share = site[p] if len(left) > 1 else 0
            size = sizes[run, p]
            total += _visit(text, (versions[run, p], size), p, run, state, rule[1], gains[2])
            ranks[p] = -math.inf
            left[share] -= cost[0] * size + cost[1]
            spent[run] += cost[0] * size + cost[1]
            visits[run, p] = True
            p = _next(ranks, site, known, cost, left)
        debts[:] = left
        scent += gains[0]
        for p in range(len(site)):
            quality[run, site[p]] += terms[p]
    return total


@compiled
def rates(key: np.uint64, laws: Array, site: Array) -> Array:
    """Return the rate of change of each page, in changes per second."""
    found = np.empty(len(site))
    for page in range(len(site)):
        found[page] = rate_of(key, laws[site[page]], page)
    return found


@compiled
def unit_harvests(text: Text, pages: Array, kind: int) -> Array:
    """Return the harvest of the first change of each of some pages."""
    key, length, themed, rows, lengths = text
    found = np.empty(len(pages))
    for at in range(len(pages)):
        size, before, other = compared(key, pages[at], 0, 1, length, themed, rows, lengths)
        found[at] = harvest_of(kind, size, before, other, 1)
    return found


@compiled
def values_by_changes(text: Text, versions: Array, changes: int) -> tuple[Array, Array]:
    """Return the mean term of each page after a number of changes since its copy, and its size.

    Parameters
    ----------
    text : tuple
        As in `visit_runs`.
    versions : int64[samples, pages]
        The versions of copies over which the mean is taken.
    changes : int
        The largest number of changes.

    Returns
    -------
    float64[pages, changes + 1] and float64[pages]
    """
    key, length, themed, rows, lengths = text
    samples, pages = versions.shape
    found, mean = np.zeros((pages, changes + 1)), np.zeros(pages)
    for page in range(pages):
        for sample in range(samples):
            copy = versions[sample, page]
            for k in range(changes + 1):
                size, before, other = compared(
                    key, page, copy, copy + k, length, themed, rows, lengths
                )
                found[page, k] += worth(size, before, other) / samples
            mean[page] += before / samples
    return found, mean
