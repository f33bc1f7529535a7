"""The plan of a comparison: policies, webs, budget and limits. A run depends on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from counterpoint.sim_web.profile import Profile
from counterpoint.studies.captured.settings import CapturedSource

POINTS = 50
"""Number of points of a curve."""

DEFAULT_SITES = 10
STEP_LIMIT = 30.0
"""Seconds of processor time that a policy may take for a step."""


@dataclass(frozen=True)
class ComparisonPlan:
    """A plan of a comparison. Every run is a pure function of its plan, its seed and its policy.

    Attributes
    ----------
    policies : tuple of str
        The policies as the user named them; all others are compared with the first.
    profile : Profile
        The profile of the webs.
    budget : int
        Pages that each run may fetch.
    web_pages : int or None
        Pages of each web; None: as the profile says.
    seeds : sequence of int
        There is one web per seed; ascending.
    sites : int
        The number of sites in the target set, if the profile names none.
    visits_per_day : float or None
        The rate of visits by policies of scope `Scope.KNOWN`; None: one visit per page and day.
    step_limit : float
        Seconds of processor time that a policy may take for a step.
    orders : bool
        Whether runs keep their orders of visits.
    captured : CapturedSource or None
        The captured web that is crawled instead of generated ones; a seed draws the start pages.
        The profile then has only its name, and ``web_pages`` its number of addresses.
    draws : bool
        Whether crawls of generated webs begin as on captured ones, at pages that the seed draws
        (`starts`), and not at the first pages of the target set. The profile names no sites then.
    """

    policies: tuple[str, ...]
    profile: Profile
    budget: int
    web_pages: int | None = None
    seeds: Sequence[int] = range(1)
    sites: int = DEFAULT_SITES
    visits_per_day: float | None = None
    step_limit: float = STEP_LIMIT
    orders: bool = False
    captured: CapturedSource | None = None
    draws: bool = False

    @property
    def pages_of_web(self) -> int:
        """Number of pages of each web."""
        return int(self.profile.pages) if self.web_pages is None else self.web_pages

    @property
    def grid(self) -> npt.NDArray[np.int64]:
        """The steps at which curves are sampled, ascending; the last is the budget."""
        return np.unique(np.rint(np.linspace(0, self.budget, POINTS + 1)).astype(np.int64))[1:]
