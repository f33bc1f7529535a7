"""Sites that are given one by one, with their pages and external links ([BeeBot], Table 1)."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.sections import Site


def external_links(
    sites: tuple[Site, ...], bounds: Array, starts: Array, others: int, pages: int, seed: int
) -> tuple[Array, Array]:
    """Plant the external links of sites.

    The first links make a circle of the sites and lead once to the start page of each other host,
    so that the sites are one strong component and the others hang on it; the rest choose freely.
    Each site's links stand on a share of its pages (``holders``); how evenly is a gamma
    distribution's shape (``spread``). The n-th page of a site is one of them with a probability
    that falls as n to the power of -``early``.

    Parameters
    ----------
    sites : tuple of Site
    bounds : int64[sites + 1]
        First pages of the sites.
    starts : int64[hosts]
        Start pages of all other hosts.
    others : int
        First page that is no site's.
    pages : int
        Of the web.
    seed : int

    Returns
    -------
    int64[links], int64[links]
        Pages, sorted, and the distinct targets.
    """
    chance = np.random.Generator(np.random.PCG64([seed, 0x51]))
    outside = pages - others + (len(sites) > 1 and pages == others)
    planted = [
        _holders(site, int(bounds[k]), int(bounds[k + 1]), outside, chance)
        for k, site in enumerate(sites)
        if site.external_links >= 1
    ]
    chosen: set[tuple[int, int]] = set()
    free: list[int] = []
    owed = iter(starts.tolist())
    for k, holders in enumerate(planted):
        if len(sites) > 1:
            chosen.add((int(holders[0]), int(bounds[(k + 1) % len(sites)])))
        free.extend(int(page) for page in holders[len(sites) > 1 :])
    chance.shuffle(free)
    for page in free:
        target = next(owed, None)
        if target is None:
            target = _new_target(page, chosen, starts, others, pages, chance)
        chosen.add((page, target))
    found = np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2)
    return found[:, 0].copy(), found[:, 1].copy()


def check(sites: tuple[Site, ...], others: int) -> None:
    """Raise WebError unless the sites' external links can be planted with so many other pages."""
    circle = len(sites) if len(sites) > 1 else 0
    total = sum(int(site.external_links) for site in sites)
    if circle and min(site.external_links for site in sites) < 1:
        raise WebError("each of several sites needs an external link: together they are strong")
    if others and total <= circle:
        raise WebError(f"{total} external links of the sites: too few to reach other hosts")
    if not others and total > circle:
        raise WebError("the sites' external links need other pages: the share 'out' is 0")


def _holders(site: Site, low: int, high: int, outside: int, chance: np.random.Generator) -> Array:
    """Return a page for each external link of a site, in a random order; few enough on each."""
    size, number = high - low, int(site.external_links)
    places = max(1, min(size, round(site.holders * size), number))
    if number > places * outside:
        raise WebError(f"site '{site.name}': {number} external links do not fit on {places} pages, "
                       f"for there are {outside} pages elsewhere")  # fmt: skip
    weights = chance.gamma(site.spread, size=places) + 1e-9
    counts = chance.multinomial(number - places, weights / weights.sum()) + 1
    while (over := int(np.maximum(counts - outside, 0).sum())) > 0:
        counts = np.minimum(counts, outside)
        room = np.flatnonzero(counts < outside)
        counts += np.bincount(chance.choice(room, over), minlength=places)
    nearness = np.arange(1.0, size + 1) ** -site.early
    holders = low + chance.choice(size, places, replace=False, p=nearness / nearness.sum())
    return chance.permutation(np.repeat(holders, counts))


def _new_target(
    page: int, chosen: set[tuple[int, int]], starts: Array, others: int, pages: int,
    chance: np.random.Generator,
) -> int:  # fmt: skip
    """Return a target outside the sites that the page does not link to yet."""
    for _ in range(64):
        rank = int(len(starts) * chance.random() ** 3)
        target = int(starts[rank] if chance.random() < 0.6 else chance.integers(others, pages))
        if (page, target) not in chosen:
            break
    while (page, target) in chosen:
        target = others + (target + 1 - others) % (pages - others)
    return target
