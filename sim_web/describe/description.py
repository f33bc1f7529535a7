"""Compares what was planted in a web with what is measured in its links."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterpoint.sim_web.generator import Explicit, Web
from counterpoint.sim_web.measure import (
    NAMES,
    BowtieComponents,
    Distances,
    MeasuredGraph,
    Tail,
    decompose,
    distances,
    levels,
    sampled,
    tail,
)
from counterpoint.sim_web.pages.forms import hidden

from .memory import available_cores

REPEATS_FROM = 2000
"""In a sample of so many pages the repeated links are counted."""

SOURCES = 128
"""From so many pages distances are measured."""


@dataclass(frozen=True)
class Description:
    """Measurements of a web.

    Attributes
    ----------
    web : Web
        The planted web.
    links : int
        The number of distinct links.
    bowtie : BowtieComponents
        The measured bow-tie.
    misplaced : int
        How many pages are measured in another component than the one they were planted in.
    in_degrees, out_degrees : Tail or None
        The fitted tails of the degrees; None: too few pages have many links.
    greatest_in, greatest_out : int
        The greatest degrees.
    directed, undirected : Distances
        Distances along links, and along links followed in both directions.
    without_in_links : float
        The share of the pages to which no page links.
    internal : float
        The share of the links that stay within their host.
    multiplicity : float
        How often a page repeats a link, on average over a sample of the pages.
    levels : list of int
        The number of pages at each level below their host's start page.
    unleveled : int
        The number of pages to which no internal links lead from their host's start page.
    largest_host : int
        The number of pages of the largest host.
    """

    web: Web
    links: int
    bowtie: BowtieComponents
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
        """The number of distinct links of a page, on average."""
        return self.links / self.web.pages

    def planted_shares(self) -> dict[str, float]:
        """Return the planted share of each component, by name."""
        found = np.bincount(self.web.components(), minlength=len(NAMES)) / self.web.pages
        return dict(zip(NAMES, found.tolist(), strict=True))

    def profile_shares(self) -> dict[str, float] | None:
        """Return the shares that the profile gives; None if it has sites or articles instead."""
        profile = self.web.profile
        ignored = profile.sites or profile.articles.languages
        return None if ignored else dict(zip(NAMES, profile.shares.all(), strict=True))

    def profile_degrees(self) -> tuple[float, float, float] | tuple[None, None, None]:
        """Return the profile's mean degree, and the exponents of the in- and the out-degrees.

        They are None if its articles decide the degrees instead.
        """
        degrees = self.web.profile.degrees
        if self.web.profile.articles.languages:
            return None, None, None
        return degrees.mean, degrees.in_exponent, degrees.out_exponent

    def at_this_size(self, of_the_source: float) -> float | None:
        """Return a distance that the profile's source measured, scaled to the size of this web.

        Distances of such graphs grow with the logarithm of the number of pages. The result is None
        if the source gives no distance or no number of pages.
        """
        of_pages = self.web.profile.distances.of_pages
        if not of_the_source or of_pages <= 1:
            return None
        return of_the_source * math.log(self.web.pages) / math.log(of_pages)

    @property
    def hidden(self) -> int:
        """The number of pages behind forms, which are no pages of the graph."""
        return hidden(self.web.profile, 0, self.web.pages)

    def to_json(self) -> dict[str, Any]:
        """Return everything as numbers, texts, lists and mappings."""
        profile, planted = self.web.profile, self.web.profile.degrees
        tails = (self.in_degrees, self.out_degrees)
        _, in_exponent, out_exponent = self.profile_degrees()
        return {
            "pages": self.web.pages,
            **({"hidden": self.hidden} if self.hidden else {}),
            "links": self.links,
            "seed": self.web.seed,
            "profile": profile.name,
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
            "in_degree": _tail(in_exponent, tails[0], self.greatest_in),
            "out_degree": _tail(out_exponent, tails[1], self.greatest_out),
            "average_distance": {
                "directed": self.directed.mean,
                "undirected": self.undirected.mean,
            },
            "distance": {
                "directed": self._distance(self.directed, profile.distances.directed),
                "undirected": self._distance(self.undirected, profile.distances.undirected),
                "of_pages": int(profile.distances.of_pages) or None,
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


def _tail(planted: float | None, found: Tail | None, greatest: int) -> dict[str, Any]:
    return {"profile": planted, "measured": found and asdict(found), "greatest": greatest}


def describe(
    web: Web, links: Explicit, sources: int = SOURCES, report: Callable[[str], None] | None = None
) -> Description:
    """Measure a web that is written out.

    Parameters
    ----------
    web : Web
        The planted web, with which the measurements are compared.
    links : Explicit
        The web's links, which are measured.
    sources : int
        From how many pages distances are measured.
    report : callable, optional
        Gets a line of text at the beginning of each step.
    """
    report = report or (lambda line: None)
    report("decomposing the bow-tie")
    graph = MeasuredGraph(links.offsets, links.targets)
    bowtie = decompose(graph)
    report("fitting degrees")
    tails = tail(graph.in_degrees), tail(graph.out_degrees)
    report(f"searching from {min(sources, web.pages):,} pages")
    chosen = sampled(bowtie.components, sources, web.seed)
    threads = available_cores()
    found = [
        distances(graph, chosen, seed=web.seed, undirected=u, threads=threads)
        for u in (False, True)
    ]
    report("measuring levels in hosts")
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
