"""The sites of a profile, with given numbers of pages and external links ([BeeBot], Table 1)."""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.sections import Site


def external_links(
    sites: tuple[Site, ...], bounds: Array, starts: Array, others: int, pages: int, seed: int
) -> tuple[Array, Array]:
    """Plant the external links of sites.

    The first links connect the sites in a circle, so that they are one strong component, and lead
    once to the start page of each other host. The others have random targets. The links of a site
    are on a share of its pages (``holders``); ``spread`` is the shape of the gamma distribution of
    their numbers. The probability that the n-th page of a site has links is proportional to n to
    the power of -``early``.

    Parameters
    ----------
    sites : tuple of Site
    bounds : int64, shape (sites + 1,)
        The first page of each site, and the end.
    starts : int64, shape (hosts,)
        The start pages of all other hosts.
    others : int
        The first page that does not belong to a site.
    pages : int
        The number of pages of the web.
    seed : int
        The seed of the draws.

    Returns
    -------
    int64, shape (links,), and int64, shape (links,)
        The pages, sorted, and the distinct targets of each.
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
    guaranteed = iter(starts.tolist())
    for k, holders in enumerate(planted):
        if len(sites) > 1:
            chosen.add((int(holders[0]), int(bounds[(k + 1) % len(sites)])))
        free.extend(int(page) for page in holders[len(sites) > 1 :])
    chance.shuffle(free)
    for page in free:
        target = next(guaranteed, None)
        if target is None:
            target = _new_target(page, chosen, starts, others, pages, chance)
        chosen.add((page, target))
    found = np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2)
    return found[:, 0].copy(), found[:, 1].copy()


def check(sites: tuple[Site, ...], others: int) -> None:
    """Raise WebError if the sites' external links are impossible with ``others`` other pages."""
    circle = len(sites) if len(sites) > 1 else 0
    total = sum(int(site.external_links) for site in sites)
    if circle and min(site.external_links for site in sites) < 1:
        raise WebError(
            "each of several sites needs an external link, because they form a strong component"
        )
    if others and total <= circle:
        raise WebError(f"{total} external links of the sites are too few to reach other hosts")
    if not others and total > circle:
        raise WebError("the sites' external links need other pages: the share 'out' is 0")


def _holders(site: Site, low: int, high: int, outside: int, chance: np.random.Generator) -> Array:
    """Return the page of each external link of a site, in random order.

    Parameters
    ----------
    site : Site
    low, high : int
        The pages of the site are ``low`` to ``high - 1``.
    outside : int
        The greatest number of distinct external links of a page.
    chance : numpy.random.Generator

    Raises
    ------
    WebError
        If there are too many links for the pages.
    """
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
    """Return a target outside the sites to which the page does not link yet.

    The arguments are as in `external_links`; ``chosen`` contains the links so far.
    """
    for _ in range(64):
        rank = int(len(starts) * chance.random() ** 3)
        target = int(starts[rank] if chance.random() < 0.6 else chance.integers(others, pages))
        if (page, target) not in chosen:
            break
    while (page, target) in chosen:
        target = others + (target + 1 - others) % (pages - others)
    return target
