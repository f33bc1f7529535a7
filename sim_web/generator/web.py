"""A web: what is planted, asked page by page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.sections import full_name

from . import adjacency, subjects
from .degrees import copies as drawn_copies
from .explicit import Explicit, written_out
from .kernels import hashed, permuted, subkey, unit, unpermuted
from .layout import (
    COMPONENT_OF_REGION,
    DISCONNECTED,
    FROM_IN,
    IN,
    OUT,
    SCC,
    TO_OUT,
    TUBES,
    Component,
    Layout,
    host_rank,
    host_start,
    lay_out,
    linked_pages,
    region_of_host,
    region_of_page,
)
from .numbers import Numbers
from .packing import Means, links, packed
from .sites import external_links

MOST_PAGES = 10**12


"""Bytes that a page of the explicit form may need, with 7 links and what measuring adds."""

NAMES = 77
"""Stream of hashes behind the names of hosts."""

_MIX = {
    SCC: {SCC: 0.75, OUT: 0.25},
    IN: {SCC: 0.5, IN: 0.3, OUT: 0.1, FROM_IN: 0.07, TUBES: 0.03},
    OUT: {OUT: 1.0},
    FROM_IN: {FROM_IN: 1.0},
    TO_OUT: {OUT: 0.6, TO_OUT: 0.3, FROM_IN: 0.08, TUBES: 0.02},
    TUBES: {OUT: 0.7, TUBES: 0.2, FROM_IN: 0.1},
    DISCONNECTED: {},
}
"""Where free external links lead. Every entry leaves both ends in their components."""

_SAMPLE = 20_000
"""Pages on which the mean degree is adjusted."""

_TO_START, _POPULARITY_WITHIN, _HOME = 0.8, 0.5, 0.8
"""External links to start pages; exponent of popularity within a host; pages that link home.

In-degrees are a mixture: start pages have as many as their hosts have pages, and both are a power
law of one exponent; pages that are popular everywhere follow the same law. Popularity within a host
has to fall off slowly: with the other's exponent the mixture would be steeper, by 1 over the
logarithm of the largest host (measured: 2.35 instead of 2.09 at a million pages).

Links to start pages make ways long, for all levels are ahead. At a million pages the average
distance is 10.7 with 0.8 and 9.9 with 0.4; 11.6 is what the source's 16 comes to there.
"""

_CUT_OFF = 0.04
"""By how much the largest host's size steepens the tail of the in-degrees; measured as well."""

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
SYLLABLES = tuple(c + v for c in _CONSONANTS for v in _VOWELS)
"""Of which names of hosts are made."""


class Web:
    """A synthetic web with a planted bow-tie.

    Nothing is stored for a page or a host, so the number of pages costs neither time nor memory;
    `explicit` writes the links out. Pages are numbers from 0 on, and so are hosts; the pages of a
    host are consecutive, the first is its start page.

    Parameters
    ----------
    profile : Profile
    pages : int, optional
        By default the profile's.
    seed : int
        Two webs with the same profile, pages and seed are equal.

    Raises
    ------
    WebError
        If the profile cannot be planted on that many pages.
    """

    def __init__(self, profile: Profile, pages: int | None = None, seed: int = 0) -> None:
        pages = int(profile.pages) if pages is None else pages
        if not 20 <= pages <= MOST_PAGES:
            raise WebError(f"{pages} pages: a web has from 20 to {MOST_PAGES:,} pages")
        self.profile, self.pages, self.seed = profile, pages, seed
        digest = hashlib.blake2b(f"counterpoint web {seed}".encode(), digest_size=8).digest()
        self._key = np.uint64(int.from_bytes(digest, "little"))
        self.layout: Layout = lay_out(profile, pages, self._key)
        self.hosts = self.layout.hosts
        self._named = {full_name(site.name, k): k for k, site in enumerate(profile.sites)}
        self._check_names()
        self.numbers: Numbers = _adjusted(self._numbers(), profile, pages)
        self._packed = packed(self.numbers)

    def _numbers(self) -> Numbers:
        told, layout = self.profile, self.layout
        degrees, themes = told.degrees, told.themes
        exponent = degrees.out_exponent
        least = max(1.0, round(0.75 * degrees.mean))
        most = min(max(2.0, self.pages / 4), 200_000.0)
        popularity = min(0.985, 1 / (degrees.in_exponent - 1 - _CUT_OFF))
        pages, targets = self._fixed()
        return Numbers(
            key=self._key,
            regions=layout.regions,
            reals=layout.reals,
            blocks=layout.blocks,
            bounds=layout.bounds,
            site_blocks=layout.site_blocks,
            mix=_mix(layout),
            degrees=np.array([0.5, least, exponent, most, popularity, degrees.multiplicity]),
            choices=np.array([degrees.internal, _TO_START, _POPULARITY_WITHIN, _HOME]),
            themes=np.array([themes.count, themes.community if themes.count > 1 else 0.0,
                             themes.hubs, themes.authorities, themes.relevant, themes.sections,
                             told.hosts.navigation, told.hosts.editions, themes.everywhere]),
            fixed_pages=pages,
            fixed_targets=targets,
        )  # fmt: skip

    def _fixed(self) -> tuple[Array, Array]:
        if not self.profile.sites:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        first, count, _, hosts = self.layout.regions[OUT].tolist()
        starts = np.array([self.pages_of(len(self.profile.sites) + k).start for k in range(hosts)],
                          dtype=np.int64)  # fmt: skip
        return external_links(
            self.profile.sites, self.layout.bounds, starts, first, first + count, self.seed
        )

    def component(self, page: int) -> Component:
        """Return the component of the bow-tie in which a page was planted."""
        return Component(COMPONENT_OF_REGION[region_of_page(self.layout.regions, page)])

    def components(self) -> Array:
        """Return the components of all pages, uint8[pages]."""
        return np.repeat(COMPONENT_OF_REGION, self.layout.regions[:, 1])

    def host(self, page: int) -> int:
        """Return the host of a page."""
        regions, reals, bounds = self.layout.regions, self.layout.reals, self.layout.bounds
        region = region_of_page(regions, page)
        return int(regions[region, 2] + host_rank(regions, reals, bounds, region, page))

    def pages_of(self, host: int) -> range:
        """Return a host's pages; the first is its start page."""
        regions, reals, bounds = self.layout.regions, self.layout.reals, self.layout.bounds
        region = region_of_host(regions, host)
        rank = host - int(regions[region, 2])
        return range(
            int(host_start(regions, reals, bounds, region, rank)),
            int(host_start(regions, reals, bounds, region, rank + 1)),
        )

    def orphans_of(self, host: int) -> range:
        """Return those of a host's pages to which no page links, the last ones."""
        pages = self.pages_of(host)
        region = region_of_host(self.layout.regions, host)
        return pages[linked_pages(region, len(pages), self.layout.reals) :]

    def level(self, page: int) -> int:
        """Return the fewest internal links from the host's start page; -1 for an orphan."""
        return int(adjacency.level_of(self.numbers, page))

    def out_links(self, page: int) -> Array:
        """Return the distinct pages that a page links to, int64, in the order of appearance."""
        whole, real = self._packed
        return links(whole, real, page, 1, 0)

    def copies(self, page: int, position: int) -> int:
        """Return how often a page repeats the link at a position of `out_links`; 1 or more."""
        return int(drawn_copies(self.numbers, page, position))

    def theme(self, host: int) -> int:
        """Return the number of a host's theme; where pages have their own, of its start page."""
        regions = self.layout.regions
        region = region_of_host(regions, host)
        rank = host - int(regions[region, 2])
        return int(subjects.theme_of(self.numbers, region, rank, self.pages_of(host).start))

    def relevant(self, page: int) -> bool:
        """Tell whether a page is about its theme."""
        return bool(subjects.relevant(self.numbers, page))

    def subjects(self, first: int = 0, number: int | None = None) -> Array:
        """Return what pages are about, int32[3, pages]: theme, whether they are, edition.

        Parameters
        ----------
        first, number : int
            Pages from which on, and how many; by default all.
        """
        from .judgments import subjects as written  # compiled only for those who ask

        return written(*self._packed, first, self.pages - first if number is None else number)

    def relevant_to(self, theme: int) -> Array:
        """Return which pages are about a theme, bool[pages]."""
        themes, about, _ = self.subjects()
        return (themes == theme) & (about == 1)

    def navigation(self, page: int) -> bool:
        """Tell whether all pages of its host link to a page, and it is about nothing."""
        return bool(subjects.of_navigation(self.numbers, page))

    def hub(self, page: int) -> bool:
        """Tell whether a page links to many authorities of its theme."""
        return bool(subjects.hub(self.numbers, page))

    def authority(self, page: int) -> bool:
        """Tell whether the hubs of its theme link to a page."""
        return bool(subjects.authority(self.numbers, page))

    def name(self, host: int) -> str:
        """Return a host's name, such as ``tarivo.test``."""
        if host < len(self.profile.sites):
            return full_name(self.profile.sites[host].name, host)
        number = int(permuted(subkey(self._key, NAMES), host, self.hosts))
        syllables = []
        for _ in range(name_length(self.hosts)):
            number, which = divmod(number, len(SYLLABLES))
            syllables.append(SYLLABLES[which])
        return "".join(syllables) + ".test"

    def named(self, name: str) -> int | None:
        """Return the host of a name; None if there is none."""
        return self._named[name] if name in self._named else self._made_up(name)

    def _check_names(self) -> None:
        for name in self._named:
            if self._made_up(name) is not None:
                raise WebError(f"site '{name}': with this seed another host has that name already")

    def _made_up(self, name: str) -> int | None:
        """Return the host for which a name was made up; None if there is none."""
        word, dot, rest = name.partition(".")
        if rest != "test" or not dot or len(word) != 2 * name_length(self.hosts):
            return None
        number = 0
        for at in range(len(word) - 2, -1, -2):
            consonant, vowel = _CONSONANTS.find(word[at]), _VOWELS.find(word[at + 1])
            if consonant < 0 or vowel < 0:
                return None
            number = number * len(SYLLABLES) + consonant * len(_VOWELS) + vowel
        if number >= self.hosts:
            return None
        host = int(unpermuted(subkey(self._key, NAMES), number, self.hosts))
        return host if host >= len(self.profile.sites) else None

    def chance(self, key: str, *numbers: int) -> float:
        """Return a number in [0, 1) that depends on the seed, a key and up to two numbers.

        It is a pure function: the same arguments give the same number in every process.
        """
        a, b = (*numbers, 0, 0)[:2]
        return float(unit(self._key, _stream(key), a, b))

    def bits(self, key: str, *numbers: int) -> int:
        """Return 64 bits that depend on the seed, a key and up to two numbers."""
        a, b = (*numbers, 0, 0)[:2]
        return int(hashed(self._key, _stream(key), a, b))

    def explicit(self, told: Callable[[int], None] | None = None) -> Explicit:
        """Return all links, written out; ``told`` gets the number of pages done now and then."""
        return written_out(self.numbers, self.pages, told)


@lru_cache(maxsize=4096)
def _stream(key: str) -> int:
    """Return the number of a stream of hashes, far from those of the adjacency."""
    digest = hashlib.blake2b(key.encode(), digest_size=7).digest()
    return (1 << 57) + int.from_bytes(digest, "little")


def name_length(hosts: int) -> int:
    """Return the number of syllables in the names of so many hosts."""
    length = 3
    while len(SYLLABLES) ** length < hosts:
        length += 1
    return length


def _mix(layout: Layout) -> Array:
    """Return the cumulative shares of the regions that free links of each region choose from."""
    shares = np.zeros((7, 7))
    for region, row in _MIX.items():
        for goal, share in row.items():
            shares[region, goal] = share * (layout.regions[goal, 1] > 0)
    sums = shares.sum(axis=1, keepdims=True)
    cumulative = np.cumsum(shares / np.where(sums > 0, sums, 1), axis=1)
    cumulative[(sums > 0)[:, 0], -1] = 1.0
    return cumulative


def _adjusted(numbers: Numbers, profile: Profile, pages: int) -> Numbers:
    """Choose the share of the degrees' tail with which the mean degree is the profile's.

    Some links are guaranteed and some free ones find no target, so it is tried on a sample of
    pages; the mean grows with the share.
    """
    low, high = 0.0, 1.0
    means = Means(numbers, pages, min(pages, _SAMPLE))
    for _ in range(12):
        numbers.degrees[0] = (low + high) / 2
        if means.expected() < profile.degrees.mean:
            low = numbers.degrees[0]
        else:
            high = numbers.degrees[0]
    return numbers
