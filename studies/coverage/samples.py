"""The samples of a web in one repetition; all estimators use the same samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from counterpoint.crawler.coverage.ranking import among, weights
from counterpoint.crawler.coverage.samplers import (
    Probed,
    Sample,
    around,
    breadth_first,
    expanded,
    probed,
    whole_sites,
)

from .plan import CoveragePlan
from .truth import Domain

Array = np.ndarray[Any, Any]

STEPS = 10
"""Growing samples by random IP, as many as [COV] has."""

ANSWER = 200
"""Pages in the answer to a query; [COV] has about 1,802, of a web thousands of times as large."""

_TRIES = 20
"""How many start pages are tried until one leads to enough pages."""


@dataclass(frozen=True)
class RankedSample:
    """A sample, with the weights of its pages by the links among them."""

    sample: Sample
    weights: dict[str, Array]


class SampleSet:
    """Samples of a domain.

    Parameters
    ----------
    domain : Domain
    plan : CoveragePlan
    seed : int
        Seed of all random draws.

    Attributes
    ----------
    growing : tuple of Probed
        The ten steps in which the sample by random IP grows; the last is the whole sample.
    """

    def __init__(self, domain: Domain, plan: CoveragePlan, seed: int) -> None:
        self.domain, self.seed = domain, seed
        self._plan = plan
        self._random = np.random.default_rng([seed, 1])
        addresses = list(domain.blocks.draw(plan.draws, seed))
        ends = [len(addresses) * step // STEPS for step in range(STEPS + 1)]
        parts = [probed(domain, addresses[first:last]) for first, last in pairwise(ends)]
        self.growing = tuple(_together(parts[: step + 1]) for step in range(STEPS))

    @property
    def fronts(self) -> Probed:
        """The sample by random IP."""
        return self.growing[-1]

    @cached_property
    def once(self) -> Sample:
        """The sample by random IP after one expansion."""
        return expanded(self.domain, self.fronts.pages, 1)

    @cached_property
    def twice(self) -> Sample:
        """The sample by random IP after two expansions."""
        return expanded(self.domain, self.fronts.pages, 2)

    @cached_property
    def sites(self) -> Sample:
        """All pages of the sites in the sample by random IP."""
        return whole_sites(self.domain, self.fronts.pages, self.domain.host)

    @cached_property
    def searches(self) -> tuple[RankedSample, ...]:
        """Breadth-first samples from well-known pages."""
        return tuple(self._search() for _ in range(self._plan.starts))

    @cached_property
    def search_of_fronts(self) -> Sample:
        """A breadth-first sample from all pages of the sample by random IP.

        It has as many pages as all of `searches` together; pages of the sample by random IP have
        been fetched already.
        """
        size = self._plan.starts * self._plan.size
        found = breadth_first(self.domain, self.fronts.pages, size)
        return found._replace(fetched=max(0, found.fetched - len(self.fronts.pages)))

    def _search(self) -> RankedSample:
        """Search from one known page after another until one leads to as many pages as wanted."""
        best, fetched = None, 0
        for start in self._random.permutation(self.domain.known)[:_TRIES].tolist():
            found = breadth_first(self.domain, start, self._plan.size)
            fetched += found.fetched
            if best is None or len(found.pages) > len(best.pages):
                best = found
            if len(best.pages) >= self._plan.size:
                break
        assert best is not None  # a domain has a page, and its heaviest one is known
        return self._ranked(best._replace(fetched=fetched))

    @cached_property
    def ranked_once(self) -> RankedSample:
        """The sample after one expansion, whose pages are all fetched to be ranked."""
        more = len(self.once.pages) - len(self.fronts.pages)
        return self._ranked(self.once._replace(fetched=max(0, more)))

    def _ranked(self, sample: Sample) -> RankedSample:
        return RankedSample(sample, weights(*among(self.domain, sample.pages)))

    @cached_property
    def answers(self) -> tuple[RankedSample, ...]:
        """The pages around the answer to a query about each topic that has pages."""
        return self.answers_among(np.ones(self.domain.pages, dtype=np.bool_))

    def answers_among(self, index: Array) -> tuple[RankedSample, ...]:
        """Return the same for answers from an index, bool[pages]; topics not in it are missing."""
        found = []
        for topic, pages in enumerate(self.domain.topics):
            held = pages[index[pages]]
            random = np.random.default_rng([self.seed, 2, topic])
            answer = random.permutation(held)[:ANSWER]
            if len(answer):
                sample = around(self.domain, self.domain.backward, answer.tolist())
                found.append(self._ranked(sample))
        return tuple(found)

    @cached_property
    def reachable(self) -> tuple[float, ...]:
        """The true share of the pages that can be reached from the start of each search."""
        return tuple(self.domain.reachable(one.sample.pages[:1]) for one in self.searches)


def _together(parts: list[Probed]) -> Probed:
    pages = dict.fromkeys(page for part in parts for page in part.pages)
    return Probed(
        sum(part.drawn for part in parts), sum(part.defaults for part in parts), list(pages)
    )
