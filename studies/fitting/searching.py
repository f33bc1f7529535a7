"""Parameters that no count gives: they are searched, so that synthetic webs have what is measured.

The share of the links within a host depends on links that the generator plants for other reasons,
and the depth of pages on the sizes of hosts and on shortcuts. So a web is generated for each value
that is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from counterpoint.compiling import Array
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.layout import host_start, lay_out
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.world.site import SyntheticSite

from .measuring.contents import text_of
from .measuring.structure import Structure, structure_of
from .settings import put

MOST = 10_000
"""Searches use webs of at most so many pages."""
STEPS = 8
"""How often a range is halved."""
SEEDS = 3
"""Of each value so many webs are generated."""
_READ = 400
_QUANTILES = (np.arange(200) + 0.5) / 200


def generated(profile: Profile, pages: int, seed: int) -> Structure:
    """Return the structure of a synthetic web."""
    web = Web(profile, pages, seed)
    links = web.explicit()
    starts = np.array([web.pages_of(host).start for host in range(web.hosts)], dtype=np.int64)
    return structure_of(links.offsets, links.targets, starts)


def host_exponent(profile: Profile, sizes: Array) -> float:
    """Return the exponent with which hosts of a web have sizes that are nearest to given ones.

    The nearness is the mean difference of the logarithms of sizes at the same quantiles.

    Parameters
    ----------
    profile : Profile
        All other parameters.
    sizes : int64, shape (hosts,)
        The given sizes, the largest first.
    """
    pages = int(sizes.sum())
    wanted = _spread(sizes)

    def far(exponent: float) -> float:
        tried = replace(profile, hosts=replace(profile.hosts, exponent=exponent))
        return float(np.abs(_spread(_sizes(tried, pages)) - wanted).mean())

    near = min((round(0.05 * step, 2) for step in range(81)), key=far)
    around = (round(near + 0.01 * step, 2) for step in range(-4, 5))
    return min((value for value in around if 0 <= value <= 4), key=far)


def _spread(sizes: Array) -> Array:
    """Return the logarithms of sizes at quantiles of pages: large hosts weigh as their pages."""
    ends = np.cumsum(sizes) / sizes.sum()
    found: Array = np.log(sizes[np.searchsorted(ends, _QUANTILES)])
    return found


def _sizes(profile: Profile, pages: int) -> Array:
    layout = lay_out(profile, pages, np.uint64(0))
    numbers = (layout.regions, layout.reals, layout.bounds)
    found = list(_of_regions(numbers))
    return np.sort(np.concatenate(found))[::-1]


def _of_regions(numbers: tuple[Array, Array, Array]) -> Iterator[Array]:
    for region, (_, count, _, hosts) in enumerate(numbers[0].tolist()):
        if count:
            yield np.diff([host_start(*numbers, region, rank) for rank in range(hosts + 1)])


def text_factor(profile: Profile, pages: int, seed: int) -> float:
    """Return how many bytes of text a synthetic page has for each byte that its profile gives.

    The profile speaks of paragraphs with common words; titles, and the words of themes, are more.

    Parameters
    ----------
    profile : Profile
    pages, seed : int
        Of the web of which some pages are read.
    """
    web = Web(profile, min(pages, MOST), seed)
    site, found, given = SyntheticSite(web), 0, 0.0
    for page in range(0, web.pages, max(1, web.pages // _READ)):
        own = host(web, web.host(page))
        answer = site.answer(Question(address(web, page), 0.0))
        tree = LexborHTMLParser(answer.body.decode(own.encoding.name, "replace"))
        given += len(tree.css("p")) * own.tables.mean_bytes
        found += len(text_of(tree).encode(own.encoding.name, "replace"))
    return found / given if given else 1.0


@dataclass(frozen=True)
class Sought:
    """A key that is searched.

    Attributes
    ----------
    section, key : str
    bounds : (float, float)
        The range of values; it is halved in its logarithm if it begins above 0.
    measure : str
        The attribute of `Structure` that must come out. It rises or falls with the value.
    what : str
        The measure in words.
    """

    section: str
    key: str
    bounds: tuple[float, float]
    measure: str
    what: str


class Answer(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    value : float
        The value whose webs are nearest to what was wanted; of several, the one nearest to that of
        the profile.
    measure : float
        The mean measure of these webs.
    low, high : float
        The smallest and the greatest value that were tried and fit as well, with all other values
        as they are: their webs differ from what was wanted by at most twice the standard deviation
        of the difference between a web and the mean of `SEEDS` webs.
    reached : bool
        Whether the value itself is such a value; if not, no value has what was wanted.
    """

    value: float
    measure: float
    low: float
    high: float
    reached: bool


def searched(profile: Profile, sought: Sought, wanted: float, pages: int, seed: int) -> Answer:
    """Search a value with which synthetic webs have a wanted measure.

    The search halves a range, and of each value `SEEDS` webs are measured.

    Parameters
    ----------
    profile : Profile
        All other values.
    sought : Sought
    wanted : float
        The wanted measure.
    pages, seed : int
        The pages of the webs, and the first of their seeds.
    """
    tried: dict[float, Array] = {}

    def at(value: float) -> float:
        if value not in tried:
            changed = put(profile, sought.section, sought.key, value)
            webs = (generated(changed, min(pages, MOST), seed + k) for k in range(SEEDS))
            tried[value] = np.array([float(getattr(web, sought.measure)) for web in webs])
        return float(tried[value].mean())

    low, high = sought.bounds
    rises = at(high) >= at(low)
    for _ in range(STEPS):
        middle = round(math.sqrt(low * high) if sought.bounds[0] > 0 else (low + high) / 2, 4)
        if (at(middle) < wanted) == rises:
            low = middle
        else:
            high = middle
    before = getattr(getattr(profile, sought.section), sought.key)
    best = min(tried, key=lambda value: (abs(at(value) - wanted), abs(value - before), value))
    varying = float(np.mean([webs.var(ddof=1) for webs in tried.values()]))
    apart = 2 * math.sqrt(varying * (1 + 1 / SEEDS))
    as_good = [value for value in tried if abs(at(value) - wanted) <= apart]
    return Answer(best, at(best), min(as_good, default=best), max(as_good, default=best),
                  bool(as_good))  # fmt: skip
