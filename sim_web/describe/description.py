"""What was planted in a web beside what is measured in its links."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterpoint.sim_web.generator import Explicit, Web
from counterpoint.sim_web.measure import (
    NAMES,
    Bowtie,
    Distances,
    Graph,
    Tail,
    decompose,
    distances,
    levels,
    sampled,
    tail,
)

from .memory import available_cores

REPEATS_FROM = 2000
"""Pages of which the repeated links are counted."""

SOURCES = 128
"""Pages from which distances are searched."""


@dataclass(frozen=True)
class Description:
    """Measurements of a web.

    Attributes
    ----------
    web : Web
        What was planted.
    links : int
        Distinct links.
    bowtie : Bowtie
        Measured.
    misplaced : int
        Pages whose measured component is not the planted one.
    in_degrees, out_degrees : Tail or None
        None: too few pages have many links.
    greatest_in, greatest_out : int
        Degrees.
    directed, undirected : Distances
    without_in_links : float
        Share of the pages.
    internal : float
        Share of the links that stay within their host.
    multiplicity : float
        How often a page repeats a link, on average, of a sample of the pages.
    levels : list of int
        Pages at each level below their host's start page.
    unleveled : int
        Pages to which no internal links lead from there.
    largest_host : int
        Its pages.
    """

    web: Web
    links: int
    bowtie: Bowtie
    misplaced: int
    in_degrees: Tail | None
    out_degrees: Tail | None
    greatest_in: int
    greatest_out: int
    directed: Distances
    undirected: Distances
    without_in_links: float
    internal: float
    multiplicity: float
    levels: list[int]
    unleveled: int
    largest_host: int

    @property
    def mean_degree(self) -> float:
        """Distinct links of a page, on average."""
        return self.links / self.web.pages

    def planted_shares(self) -> dict[str, float]:
        """Return the share of each component as it was planted, by name."""
        found = np.bincount(self.web.components(), minlength=len(NAMES)) / self.web.pages
        return dict(zip(NAMES, found.tolist(), strict=True))

    def profile_shares(self) -> dict[str, float] | None:
        """Return the shares that the profile asks for; None if it names its sites instead."""
        told = self.web.profile
        return None if told.sites else dict(zip(NAMES, told.shares.all(), strict=True))

    def at_this_size(self, of_the_source: float) -> float | None:
        """Return a distance that the profile's source measured, scaled to the pages of this web.

        Distances of such graphs grow as the logarithm of the number of pages. None: not known.
        """
        of_pages = self.web.profile.distances.of_pages
        if not of_the_source or of_pages <= 1:
            return None
        return of_the_source * math.log(self.web.pages) / math.log(of_pages)

    def to_json(self) -> dict[str, Any]:
        """Return everything as numbers, texts, lists and mappings."""
        told, planted = self.web.profile, self.web.profile.degrees
        tails = (self.in_degrees, self.out_degrees)
        return {
            "pages": self.web.pages,
            "links": self.links,
            "seed": self.web.seed,
            "profile": told.name,
            "hosts": self.web.hosts,
            "largest_host": self.largest_host,
            "mean_degree": self.mean_degree,
            "shares": {
                "profile": self.profile_shares(),
                "planted": self.planted_shares(),
                "measured": self.bowtie.shares,
            },
            "misplaced": self.misplaced,
            "tendrils_off_in": self.bowtie.hanging_off_in,
            "weak_component": self.bowtie.weak_share,
            "in_degree_exponent": tails[0] and tails[0].exponent,
            "out_degree_exponent": tails[1] and tails[1].exponent,
            "in_degree": _tail(planted.in_exponent, tails[0], self.greatest_in),
            "out_degree": _tail(planted.out_exponent, tails[1], self.greatest_out),
            "average_distance": {
                "directed": self.directed.mean,
                "undirected": self.undirected.mean,
            },
            "distance": {
                "directed": self._distance(self.directed, told.distances.directed),
                "undirected": self._distance(self.undirected, told.distances.undirected),
                "of_pages": int(told.distances.of_pages) or None,
            },
            "without_in_links": self.without_in_links,
            "internal_links": self.internal,
            "multiplicity": {"profile": planted.multiplicity, "measured": self.multiplicity},
            "levels": {"pages": self.levels, "not_reached": self.unleveled},
        }

    def _distance(self, found: Distances, source: float) -> dict[str, Any]:
        return {
            **asdict(found),
            "source": source or None,
            "source_at_this_size": self.at_this_size(source),
        }


def _tail(planted: float, found: Tail | None, greatest: int) -> dict[str, Any]:
    return {"profile": planted, "measured": found and asdict(found), "greatest": greatest}


def describe(
    web: Web, links: Explicit, sources: int = SOURCES, told: Callable[[str], None] | None = None
) -> Description:
    """Measure a web that is written out.

    Parameters
    ----------
    web : Web
    links : Explicit
        Its links; nothing else of the web is looked at but what is planted in it.
    sources : int
        Pages from which distances are searched.
    told : callable, optional
        Gets a line about what is being done.
    """
    tell = told or (lambda line: None)
    tell("taking the bow-tie apart")
    graph = Graph(links.offsets, links.targets)
    bowtie = decompose(graph)
    tell("fitting degrees")
    tails = tail(graph.in_degrees), tail(graph.out_degrees)
    tell(f"searching from {min(sources, web.pages):,} pages")
    chosen = sampled(bowtie.components, sources, web.seed)
    threads = available_cores()
    found = [
        distances(graph, chosen, seed=web.seed, undirected=u, threads=threads)
        for u in (False, True)
    ]
    tell("looking at hosts")
    starts = np.array([web.pages_of(host).start for host in range(web.hosts)], dtype=np.int64)
    level, internal = levels(graph, starts)
    return Description(
        web=web,
        links=graph.links,
        bowtie=bowtie,
        misplaced=int((bowtie.components != web.components()).sum()),
        in_degrees=tails[0],
        out_degrees=tails[1],
        greatest_in=int(graph.in_degrees.max()),
        greatest_out=int(graph.out_degrees.max()),
        directed=found[0],
        undirected=found[1],
        without_in_links=float((graph.in_degrees == 0).mean()),
        internal=internal / max(1, graph.links),
        multiplicity=_multiplicity(web, links),
        levels=np.bincount(level[level >= 0]).tolist(),
        unleveled=int((level < 0).sum()),
        largest_host=int(np.diff(np.append(starts, web.pages)).max()),
    )


def _multiplicity(web: Web, links: Explicit) -> float:
    rng = np.random.default_rng(web.seed)
    pages = rng.choice(web.pages, min(REPEATS_FROM, web.pages), replace=False).tolist()
    degrees = [int(links.offsets[page + 1] - links.offsets[page]) for page in pages]
    copies = sum(
        web.copies(page, k) for page, n in zip(pages, degrees, strict=True) for k in range(n)
    )
    return copies / max(1, sum(degrees))
