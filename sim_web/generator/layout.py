"""The layout of a web: the regions of the bow-tie, their hosts, the hosts' pages.

Page ids are consecutive in a region, and within it in each host, the largest host first. A closed
formula gives the first page of a host, so that nothing is stored for a page or for a host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile

from .kernels import subkey, zipf_mass
from .sites import check as check_sites
from .trees import BLOCK, block_for_depth


class Component(IntEnum):
    """A part of the bow-tie ([WEB])."""

    SCC = 0
    IN = 1
    OUT = 2
    TENDRILS = 3
    TUBES = 4
    DISCONNECTED = 5


SCC, IN, OUT, FROM_IN, TO_OUT, TUBES, DISCONNECTED = range(7)
"""Regions: the components, with TENDRILS divided into those that hang off IN and those that lead to
OUT."""

COMPONENT_OF_REGION = np.array(
    [Component.SCC, Component.IN, Component.OUT, Component.TENDRILS, Component.TENDRILS,
     Component.TUBES, Component.DISCONNECTED], dtype=np.uint8)  # fmt: skip

SHIFT = 3.0
"""Is added to the ranks of hosts, so that the first host is not too large."""

_NEAR_ONE = 1e-6
"""With exponents of host sizes that are so near to 1, the differences of powers are too inexact."""

LEAST_PAGES = 16
"""The least number of pages of a language, on average."""


@dataclass(frozen=True)
class Layout:
    """A web's regions and hosts in numbers, as compiled code takes them.

    Attributes
    ----------
    regions : int64, shape (7, 4)
        The first page, the number of pages, the first host, and the number of hosts of each region.
    reals : float64, shape (16,)
        The exponent of host sizes; the share of orphans; then for each region the numbers that
        `zipf_mass` subtracts, and those by which it multiplies (this saves computing powers).
    blocks : int64, shape (2,)
        The number of children of a block of pages, and of a block of hosts.
    bounds : int64, shape (sites + 1,) or (0,)
        The first page of each site of the profile, and the end.
    site_blocks : int64, shape (sites,) or (0,)
        The number of children of a block of pages, for each of these sites.
    """

    regions: Array
    reals: Array
    blocks: Array
    bounds: Array
    site_blocks: Array

    @property
    def pages(self) -> int:
        """The number of pages."""
        return int(self.regions[:, 1].sum())

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return int(self.regions[:, 3].sum())


def lay_out(profile: Profile, pages: int, key: np.uint64) -> Layout:
    """Divide pages among regions and hosts.

    Parameters
    ----------
    profile : Profile
    pages : int
        The number of pages.
    key : uint64
        The key of all hashes of the web.

    Raises
    ------
    WebError
        If the profile is impossible: for example, it has tendrils without IN and OUT, or the strong
        component is too small.
    """
    counts = _counts(profile, pages)
    languages = _languages(profile, counts[SCC])
    if profile.sites:
        check_sites(profile.sites, counts[OUT])
    sites = np.array([site.pages for site in profile.sites], dtype=np.float64)
    links = int(sum(site.external_links for site in profile.sites))
    regions = np.zeros((7, 4), dtype=np.int64)
    first_page = first_host = 0
    for region, count in enumerate(counts):
        hosts = _hosts(profile, count, counts[SCC], region)
        if region == SCC and len(sites):
            hosts = len(sites)
        if region == OUT and len(sites):
            hosts = min(hosts, max(1, (links - len(sites)) // 2))
        if languages and count:
            hosts = {SCC: languages, OUT: count}.get(region, hosts)
        regions[region] = first_page, count, first_host, hosts
        first_page += count
        first_host += hosts
    bounds, site_blocks = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if len(sites):
        bounds = _bounds(sites, counts[SCC])
        site_blocks = np.array([
            block_for_depth(int(bounds[k + 1] - bounds[k]), int(site.depth), subkey(key, k))
            for k, site in enumerate(profile.sites)
        ])  # fmt: skip
    sizes, exponent = profile.hosts, _exponent(profile)
    return Layout(
        regions=regions,
        reals=np.concatenate([
            [exponent, profile.degrees.orphans],
            *_weights(regions[:, 3], exponent),
        ]),
        blocks=np.array([max(BLOCK + 1, round(BLOCK * sizes.branching)),
                         max(BLOCK + 1, round(BLOCK * sizes.host_branching))]),
        bounds=bounds,
        site_blocks=site_blocks,
    )  # fmt: skip


def _counts(profile: Profile, pages: int) -> list[int]:
    """Return the number of pages of each region; the strong component gets the rounding errors."""
    if profile.articles.languages:
        footers = int(profile.articles.footers)
        elsewhere = round(profile.articles.elsewhere * pages)
        return [pages - footers - elsewhere, elsewhere, footers, 0, 0, 0, 0]
    _, in_, out, tendrils, tubes, disconnected = profile.shares.all()
    n_in, n_out, n_tendrils = round(in_ * pages), round(out * pages), round(tendrils * pages)
    n_tubes, n_disconnected = round(tubes * pages), round(disconnected * pages)
    if n_tubes and not (n_in and n_out):
        raise WebError("tubes lead from IN to OUT: with tubes, both must have pages")
    if n_tendrils and not (n_in or n_out):
        raise WebError("tendrils hang off IN or OUT: with tendrils, one of them must have pages")
    from_in = n_tendrils // 2 if n_in and n_out else n_tendrils * bool(n_in)
    scc = pages - n_in - n_out - n_tendrils - n_tubes - n_disconnected
    if scc < max(3, len(profile.sites)):
        raise WebError(f"{pages} pages leave {max(scc, 0)} for the strong component: too few")
    return [scc, n_in, n_out, from_in, n_tendrils - from_in, n_tubes, n_disconnected]


def _languages(profile: Profile, pages: int) -> int:
    """Return the number of languages of a web with articles; a small web has fewer languages.

    Parameters
    ----------
    profile : Profile
    pages : int
        The number of pages of the strong component.

    Raises
    ------
    WebError
        If there are too few pages.
    """
    section = profile.articles
    if not section.languages:
        return 0
    if pages < 2 * LEAST_PAGES:
        raise WebError(f"footers and elsewhere in [articles] leave {max(pages, 0)} pages for the "
                       "languages: too few")  # fmt: skip
    return int(min(section.languages, pages // LEAST_PAGES))


def _hosts(profile: Profile, count: int, scc: int, region: int) -> int:
    """Return the number of a region's hosts.

    Each host is smaller than the strong component.

    Parameters
    ----------
    profile : Profile
    count, scc : int
        The number of pages of the region, and of the strong component.
    region : int
    """
    if count == 0:
        return 0
    hosts = max(1, round(count / profile.hosts.mean_pages))
    exponent = _exponent(profile)
    while region != SCC and hosts < count and _largest(count, hosts, exponent) >= scc:
        hosts = min(2 * hosts, count)
    return hosts


def _exponent(profile: Profile) -> float:
    """Return the exponent of host sizes; 1, whose integral is a logarithm, moves a little."""
    exponent = float(profile.hosts.exponent)
    return exponent if abs(exponent - 1.0) >= _NEAR_ONE else 1.0 - _NEAR_ONE


def _weights(hosts: Array, exponent: float) -> tuple[Array, Array]:
    """Return what `zipf_mass` subtracts, and the factors by which it multiplies, by region."""
    low = np.full(len(hosts), SHIFT ** (1.0 - exponent))
    return low, 1.0 / (np.maximum(hosts + SHIFT, SHIFT + 1) ** (1.0 - exponent) - low)


def _largest(count: int, hosts: int, exponent: float) -> int:
    return 1 + int((count - hosts) * zipf_mass(1.0, float(hosts), exponent, SHIFT)) + 1


def _bounds(sizes: Array, pages: int) -> Array:
    """Divide pages in proportion to sizes; each part gets at least one."""
    ends = np.round(np.concatenate([[0.0], np.cumsum(sizes)]) / sizes.sum() * pages)
    steps = np.arange(len(sizes) + 1)
    ends = np.minimum(ends, pages - steps[::-1]) - steps
    return np.asarray(np.maximum.accumulate(ends) + steps, dtype=np.int64)


@compiled
def host_start(regions: Array, reals: Array, bounds: Array, region: int, rank: int) -> int:
    """Return the first page of a host; for the rank after the last one, the end of the region.

    Parameters
    ----------
    regions, reals, bounds
        As in `Layout`.
    region, rank : int
        The host's region, and its rank in the region.
    """
    if region == SCC and len(bounds) > 0:
        return bounds[rank]
    first, count, hosts = regions[region, 0], regions[region, 1], regions[region, 3]
    if rank >= hosts:
        return first + count
    mass = ((rank + SHIFT) ** (1.0 - reals[0]) - reals[2 + region]) * reals[9 + region]
    return first + rank + int((count - hosts) * mass)


@compiled
def region_of_page(regions: Array, page: int) -> int:
    """Return the region of a page."""
    region = 0
    while page >= regions[region, 0] + regions[region, 1]:
        region += 1
    return region


@compiled
def region_of_host(regions: Array, host: int) -> int:
    """Return the region of a host."""
    region = 0
    while host >= regions[region, 2] + regions[region, 3]:
        region += 1
    return region


@compiled
def _about(regions: Array, reals: Array, region: int, page: int) -> float:
    """Approximate the rank of the host that begins after a page, by Newton's method.

    The first page of a host is a concave function of its rank, so that the method converges from
    one side, in two or three steps for a million pages. The arguments are as in `host_of_page`.
    """
    count, hosts = regions[region, 1], regions[region, 3]
    power, low, scale = 1.0 - reals[0], reals[2 + region], (count - hosts) * reals[9 + region]
    wanted = page - regions[region, 0] + 1.0
    rank = (low + (wanted - 1.0) / count / reals[9 + region]) ** (1.0 / power) - SHIFT
    for _ in range(60):
        rank = min(max(rank, 0.0), hosts - 1.0)
        weight = (rank + SHIFT) ** power
        short = wanted - rank - (weight - low) * scale
        step = short / (1.0 + scale * power * weight / (rank + SHIFT))
        rank += step
        if abs(step) < 0.5:
            break
    return rank


@compiled
def host_of_page(
    regions: Array, reals: Array, bounds: Array, region: int, page: int
) -> tuple[int, int, int]:
    """Return the rank of a page's host in its region, the host's first page, and its end.

    Parameters
    ----------
    regions, reals, bounds
        As in `Layout`.
    region, page : int
        The page and its region.
    """
    hosts = regions[region, 3]
    if hosts == regions[region, 1]:
        return page - regions[region, 0], page, page + 1
    if region == SCC and len(bounds) > 0:
        site = int(np.searchsorted(bounds, page + 1)) - 1
        return site, bounds[site], bounds[site + 1]
    rank = min(max(math.ceil(_about(regions, reals, region, page)) - 1, 0), hosts - 1)
    start = host_start(regions, reals, bounds, region, rank)
    end = host_start(regions, reals, bounds, region, rank + 1)
    while page < start:
        rank -= 1
        start, end = host_start(regions, reals, bounds, region, rank), start
    while page >= end:
        rank += 1
        start, end = end, host_start(regions, reals, bounds, region, rank + 1)
    return rank, start, end


@compiled
def host_rank(regions: Array, reals: Array, bounds: Array, region: int, page: int) -> int:
    """Return the rank of a page's host in its region; the arguments are as in `host_of_page`."""
    return host_of_page(regions, reals, bounds, region, page)[0]


@compiled
def linked_pages(region: int, pages: int, reals: Array) -> int:
    """Return the number of a host's pages in its tree; no page links to the others, the orphans."""
    if region in (IN, TO_OUT):
        return pages - int(reals[1] * (pages - 1))
    return pages
