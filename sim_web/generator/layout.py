"""Which pages and hosts a web has: regions of the bow-tie, their hosts, the hosts' pages.

Page ids run through the regions, and in a region through its hosts, the largest first. Where a host
begins is a closed formula, so that nothing is stored for a page or for a host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile

from .kernels import subkey, unit, zipf_mass
from .sites import check as check_sites


class Component(IntEnum):
    """A part of the bow-tie ([WEB])."""

    SCC = 0
    IN = 1
    OUT = 2
    TENDRILS = 3
    TUBES = 4
    DISCONNECTED = 5


SCC, IN, OUT, FROM_IN, TO_OUT, TUBES, DISCONNECTED = range(7)
"""Regions: as the components, with tendrils that hang off IN apart from those that lead to OUT."""

COMPONENT_OF_REGION = np.array(
    [Component.SCC, Component.IN, Component.OUT, Component.TENDRILS, Component.TENDRILS,
     Component.TUBES, Component.DISCONNECTED], dtype=np.uint8)  # fmt: skip

BLOCK = 8
"""Parents of a tree are taken in blocks: the children of a block choose among its members."""

SHIFT = 3.0
"""Added to ranks of hosts, so that the first host is not too large."""

_TREE = 1
"""Stream of the hashes that hang pages and hosts on others."""


@dataclass(frozen=True)
class Layout:
    """A web's regions and hosts in numbers, as compiled code takes them.

    Attributes
    ----------
    regions : int64[7, 4]
        First page, pages, first host, hosts of each region.
    reals : float64[16]
        Exponent of host sizes; share of orphans; what `zipf_mass` subtracts and multiplies with,
        for the hosts of each region (a power less to compute for each host that is asked for).
    blocks : int64[2]
        Children of a block of pages, of a block of hosts.
    bounds : int64[hosts of SCC + 1] or int64[0]
        First pages of sites that are given one by one.
    site_blocks : int64[hosts of SCC] or int64[0]
        Children of a block of pages, for each of these sites.
    """

    regions: Array
    reals: Array
    blocks: Array
    bounds: Array
    site_blocks: Array

    @property
    def pages(self) -> int:
        """Number of pages."""
        return int(self.regions[:, 1].sum())

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.regions[:, 3].sum())


def lay_out(profile: Profile, pages: int, key: np.uint64) -> Layout:
    """Divide pages among regions and hosts.

    Raises
    ------
    WebError
        If the profile asks for what cannot be: tendrils without IN and OUT, say, or a strong
        component that is smaller than the largest host elsewhere.
    """
    counts = _counts(profile, pages)
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
        regions[region] = first_page, count, first_host, hosts
        first_page += count
        first_host += hosts
    bounds, site_blocks = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if len(sites):
        bounds = _bounds(sites, counts[SCC])
        site_blocks = np.array([
            _block_for_depth(int(bounds[k + 1] - bounds[k]), int(site.depth), subkey(key, k))
            for k, site in enumerate(profile.sites)
        ])  # fmt: skip
    hosts_told = profile.hosts
    return Layout(
        regions=regions,
        reals=np.concatenate([
            [hosts_told.exponent, profile.degrees.orphans],
            *_weights(regions[:, 3], hosts_told.exponent),
        ]),
        blocks=np.array([max(BLOCK + 1, round(BLOCK * hosts_told.branching)),
                         max(BLOCK + 1, round(BLOCK * hosts_told.host_branching))]),
        bounds=bounds,
        site_blocks=site_blocks,
    )  # fmt: skip


def _counts(profile: Profile, pages: int) -> list[int]:
    """Return the pages of each region; rounding goes to the strong component."""
    _, in_, out, tendrils, tubes, disconnected = profile.shares.all()
    n_in, n_out, n_tendrils = round(in_ * pages), round(out * pages), round(tendrils * pages)
    n_tubes, n_disconnected = round(tubes * pages), round(disconnected * pages)
    if n_tubes and not (n_in and n_out):
        raise WebError("tubes lead from IN to OUT: with tubes, both need pages")
    if n_tendrils and not (n_in or n_out):
        raise WebError("tendrils hang off IN or OUT: with tendrils, one of them needs pages")
    from_in = n_tendrils // 2 if n_in and n_out else n_tendrils * bool(n_in)
    scc = pages - n_in - n_out - n_tendrils - n_tubes - n_disconnected
    if scc < max(3, len(profile.sites)):
        raise WebError(f"{pages} pages leave {max(scc, 0)} for the strong component: too few")
    return [scc, n_in, n_out, from_in, n_tendrils - from_in, n_tubes, n_disconnected]


def _hosts(profile: Profile, count: int, scc: int, region: int) -> int:
    """Return the number of a region's hosts; each is smaller than the strong component."""
    if count == 0:
        return 0
    hosts = max(1, round(count / profile.hosts.mean_pages))
    exponent = profile.hosts.exponent
    while region != SCC and hosts < count and _largest(count, hosts, exponent) >= scc:
        hosts = min(2 * hosts, count)
    return hosts


def _weights(hosts: Array, exponent: float) -> tuple[Array, Array]:
    """Return what `zipf_mass` subtracts and multiplies with, for numbers of hosts."""
    low = np.full(len(hosts), SHIFT ** (1.0 - exponent))
    return low, 1.0 / (np.maximum(hosts + SHIFT, SHIFT + 1) ** (1.0 - exponent) - low)


def _largest(count: int, hosts: int, exponent: float) -> int:
    return 1 + int((count - hosts) * zipf_mass(1.0, float(hosts), exponent, SHIFT)) + 1


def _bounds(sizes: Array, pages: int) -> Array:
    """Divide pages in proportion to sizes, at least one each."""
    ends = np.round(np.concatenate([[0.0], np.cumsum(sizes)]) / sizes.sum() * pages)
    steps = np.arange(len(sizes) + 1)
    ends = np.minimum(ends, pages - steps[::-1]) - steps
    return np.asarray(np.maximum.accumulate(ends) + steps, dtype=np.int64)


def _block_for_depth(pages: int, depth: int, key: np.uint64) -> int:
    """Return the least number of children of a block with which no page is too deep."""
    block = BLOCK + 1
    while block < BLOCK * pages and deeper(key, pages, block, depth):
        block = block + max(1, block // 8)
    return block


@compiled
def tree_parent(key: np.uint64, child: int, block: int) -> int:
    """Return what ``child`` (from 1 on) hangs on in a tree: a number below it."""
    first = (child - 1) // block * BLOCK
    choices = min(BLOCK, child - first) if first > 0 else 1 + (child - 1) * BLOCK // block
    return first + int(unit(key, _TREE, child, 0) * choices)


@compiled
def tree_level(key: np.uint64, member: int, block: int) -> int:
    """Return how many parents there are above a member of a tree."""
    level = 0
    while member > 0:
        member = tree_parent(key, member, block)
        level += 1
    return level


@compiled
def _first_child(member: int, block: int) -> int:
    """Return a number that no child of a member is below; it grows with the member."""
    first = member // BLOCK * block + 1
    if member < BLOCK:  # of the first block, a child chooses among ever more
        first = 1 + (member * block + BLOCK - 1) // BLOCK
    return max(member + 1, first)


@compiled
def _reach(member: int, members: int, block: int, enough: int) -> int:
    """Return how many generations below a member there can be at most, counted up to enough."""
    generations = 0
    while generations < enough:
        member = _first_child(member, block)
        if member >= members:
            break
        generations += 1
    return generations


@compiled
def deeper(key: np.uint64, members: int, block: int, depth: int) -> bool:
    """Tell whether the greatest level of a tree is above a depth.

    Goes down from the root, the first child first, and only where there is room for enough
    generations. Room shrinks as numbers grow, so that the first child without it is the last one
    looked at: a tree that is deep shows it at once, and of one that is not few members are seen.
    """
    path = np.zeros(depth + 1, dtype=np.int64)
    next_child = np.zeros(depth + 1, dtype=np.int64)
    level = 0
    next_child[0] = _first_child(0, block)
    while level >= 0:
        parent, child = path[level], next_child[level]
        last = min(members, (parent // BLOCK + 1) * block + 1)
        below = depth - level  # generations that a child needs to have
        if child >= last or _reach(child, members, block, below) < below:
            level -= 1
            continue
        next_child[level] = child + 1
        if tree_parent(key, child, block) != parent:
            continue
        if below == 0:
            return True
        level += 1
        path[level] = child
        next_child[level] = _first_child(child, block)
    return False


@compiled
def host_start(regions: Array, reals: Array, bounds: Array, region: int, rank: int) -> int:
    """Return the first page of the host of a rank in its region; of the last rank + 1: the end."""
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
    """Return nearly the rank whose host begins after a page, by Newton's method.

    Where hosts begin is a concave function of the rank, so that the method closes in from one side,
    in two or three steps for a million pages.
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
    """Return the rank of a page's host in its region, the host's first page, and its end."""
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
    """Return the rank, in its region, of the host of a page."""
    return host_of_page(regions, reals, bounds, region, page)[0]


@compiled
def linked_pages(region: int, pages: int, reals: Array) -> int:
    """Return how many of a host's pages are in its tree; to the rest, orphans, no page links."""
    if region in (IN, TO_OUT):
        return pages - int(reals[1] * (pages - 1))
    return pages
