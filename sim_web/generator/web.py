"""A synthetic web: all that is planted, computed page by page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.sections import full_name

from . import adjacency, articles, subjects
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

NAMES = 77
"""The stream of hashes for the names of hosts."""

_MIX = {
    SCC: {SCC: 0.75, OUT: 0.25},
    IN: {SCC: 0.5, IN: 0.3, OUT: 0.1, FROM_IN: 0.07, TUBES: 0.03},
    OUT: {OUT: 1.0},
    FROM_IN: {FROM_IN: 1.0},
    TO_OUT: {OUT: 0.6, TO_OUT: 0.3, FROM_IN: 0.08, TUBES: 0.02},
    TUBES: {OUT: 0.7, TUBES: 0.2, FROM_IN: 0.1},
    DISCONNECTED: {},
}
"""For each region, the shares of the regions to which its free external links lead. Such links keep
both pages in their components."""

_SAMPLE = 20_000
"""The size of the sample of pages by which the mean degree is adjusted."""

_TO_START, _POPULARITY_WITHIN, _HOME = 0.8, 0.5, 0.8
"""The share of external links that lead to start pages; the exponent of popularity within a host;
the share of pages that link to their start page.

In-degrees are a mixture. A start page has about as many in-links as its host has pages, and both
follow a power law with the same exponent; pages that are popular everywhere follow the same law.
Popularity within a host must fall slowly: with the exponent of the other laws the mixture would be
steeper, by 1 over the logarithm of the largest host (measured: 2.35 instead of 2.09 at a million
pages).

Links to start pages make paths long, because a path then begins at level 0 of a host. At a million
pages the average distance is 10.7 with 0.8 and 9.9 with 0.4; the 16 of the source corresponds to
11.6 at this size.
"""

_CUT_OFF = 0.04
"""By how much the size of the largest host steepens the tail of the in-degrees (measured)."""

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
SYLLABLES = tuple(c + v for c in _CONSONANTS for v in _VOWELS)
"""The syllables of the names of hosts."""


class Web:
    """A synthetic web with a planted bow-tie.

    Nothing is stored for a page or a host, so that a large web costs neither time nor memory;
    `explicit` writes the links out. Pages and hosts are numbers from 0 on. The pages of a host are
    consecutive, and the first one is its start page.

    Parameters
    ----------
    profile : Profile
        The parameters of the web.
    pages : int, optional
        The number of pages; by default that of the profile.
    seed : int
        Two webs with the same profile, pages and seed are equal.

    Raises
    ------
    WebError
        If the profile cannot be planted on that many pages.
    """

    def __init__(self, profile: Profile, pages: int | None = None, seed: int = 0) -> None:
        planted = self._plant(profile, pages, seed)
        if not profile.articles.languages:
            _adjusted(planted, profile, self.pages)
        self.numbers: Numbers = planted
        self._packed = packed(self.numbers)

    @classmethod
    def check(cls, profile: Profile, pages: int | None = None, seed: int = 0) -> None:
        """Raise WebError if there is no such web; this takes milliseconds, and a web seconds."""
        cls.__new__(cls)._plant(profile, pages, seed)

    def _plant(self, profile: Profile, pages: int | None, seed: int) -> Numbers:
        """Lay the web out, and return its numbers, with degrees that are not adjusted yet."""
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
        return self._numbers()

    def _numbers(self) -> Numbers:
        profile, layout = self.profile, self.layout
        degrees, themes = profile.degrees, profile.themes
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
                             profile.hosts.navigation, profile.hosts.editions, themes.everywhere]),
            fixed_pages=pages,
            fixed_targets=targets,
            articles=articles.parameters(profile.articles, layout, self._key),
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
        """Return the components of all pages, uint8, shape (pages,)."""
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
        """Return the last pages of a host, to which no page links."""
        pages = self.pages_of(host)
        region = region_of_host(self.layout.regions, host)
        return pages[linked_pages(region, len(pages), self.layout.reals) :]

    def level(self, page: int) -> int:
        """Return the least number of links from the host's start page; -1 for an orphan."""
        return int(adjacency.level_of(self.numbers, page))

    def out_links(self, page: int) -> Array:
        """Return the distinct pages to which a page links, int64, in the order of appearance."""
        whole, real = self._packed
        return links(whole, real, page, 1, 0)

    def copies(self, page: int, position: int) -> int:
        """Return how often a page has the link at a position of `out_links`; 1 or more."""
        return int(drawn_copies(self.numbers, page, position))

    def theme(self, host: int) -> int:
        """Return a host's theme; that of its start page, if pages have themes of their own."""
        regions = self.layout.regions
        region = region_of_host(regions, host)
        rank = host - int(regions[region, 2])
        return int(subjects.theme_of(self.numbers, region, rank, self.pages_of(host).start))

    def relevant(self, page: int) -> bool:
        """Return whether a page is about its theme."""
        return bool(subjects.relevant(self.numbers, page))

    def subjects(self, first: int = 0, number: int | None = None) -> Array:
        """Return what some consecutive pages are about.

        Parameters
        ----------
        first, number : int
            The first page, and the number of pages; by default all pages.

        Returns
        -------
        int32, shape (3, pages)
            The theme of each page, whether it is about the theme (1 or 0), and its edition.
        """
        from .judgments import subjects as written  # compiled only when it is needed

        return written(*self._packed, first, self.pages - first if number is None else number)

    def relevant_to(self, theme: int) -> Array:
        """Return which pages are about a theme, bool, shape (pages,)."""
        themes, about, _ = self.subjects()
        return (themes == theme) & (about == 1)

    def navigation(self, page: int) -> bool:
        """Return whether all pages of its host link to a page, and it is about nothing."""
        return bool(subjects.of_navigation(self.numbers, page))

    def hub(self, page: int) -> bool:
        """Return whether a page links to many authorities of its theme."""
        return bool(subjects.hub(self.numbers, page))

    def authority(self, page: int) -> bool:
        """Return whether the hubs of its theme link to a page."""
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
        """Return the host with a name; None if there is none."""
        return self._named[name] if name in self._named else self._made_up(name)

    def _check_names(self) -> None:
        for name in self._named:
            if self._made_up(name) is not None:
                raise WebError(f"site '{name}': with this seed another host has that name already")

    def _made_up(self, name: str) -> int | None:
        """Return the host with a generated name; None if there is none."""
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

    def explicit(self, report: Callable[[int], None] | None = None) -> Explicit:
        """Return all links; ``report`` gets the number of finished pages from time to time."""
        return written_out(self.numbers, self.pages, report)


@lru_cache(maxsize=4096)
def _stream(key: str) -> int:
    """Return the number of a stream of hashes that the adjacency does not use."""
    digest = hashlib.blake2b(key.encode(), digest_size=7).digest()
    return (1 << 57) + int.from_bytes(digest, "little")


def name_length(hosts: int) -> int:
    """Return the number of syllables in the names of so many hosts."""
    length = 3
    while len(SYLLABLES) ** length < hosts:
        length += 1
    return length


def _mix(layout: Layout) -> Array:
    """Return for each region the cumulative shares of the regions to which its free links lead."""
    shares = np.zeros((7, 7))
    for region, row in _MIX.items():
        for goal, share in row.items():
            shares[region, goal] = share * (layout.regions[goal, 1] > 0)
    sums = shares.sum(axis=1, keepdims=True)
    cumulative = np.cumsum(shares / np.where(sums > 0, sums, 1), axis=1)
    cumulative[(sums > 0)[:, 0], -1] = 1.0
    return cumulative


def _adjusted(numbers: Numbers, profile: Profile, pages: int) -> Numbers:
    """Choose the share of the tail of the degrees that gives the mean degree of the profile.

    Some links are guaranteed, and some free links find no target, so that the mean is estimated on
    a sample of pages. It grows with the share, and bisection finds the share.

    Parameters
    ----------
    numbers : Numbers
        The parameters of the web, which are changed.
    profile : Profile
    pages : int
        The number of pages.
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
