"""What is to be compared, on what, and how much of it: all that a run depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from counterpoint.sim_web.profile import Profile

POINTS = 50
"""Of a curve."""

DEFAULT_SITES = 10
STEP_LIMIT = 30.0
"""Seconds that a policy may take for a step."""


@dataclass(frozen=True)
class Plan:
    """A comparison. Every run is a pure function of its plan, its seed and its policy.

    Attributes
    ----------
    policies : tuple of str
        As the user named them; the first is what the others are held against.
    profile : Profile
        Of the webs.
    budget : int
        Pages that each run may fetch.
    web_pages : int or None
        Of each web; None: as many as the profile says.
    seeds : range
        A web for each.
    sites : int
        How many sites are the target set, where the profile names none.
    visits_per_day : float or None
        Of policies of scope `Scope.KNOWN`; None: as many as there are pages.
    step_limit : float
        Seconds that a policy may take for a step.
    orders : bool
        Whether runs keep their orders of visits.
    """

    policies: tuple[str, ...]
    profile: Profile
    budget: int
    web_pages: int | None = None
    seeds: range = range(1)
    sites: int = DEFAULT_SITES
    visits_per_day: float | None = None
    step_limit: float = STEP_LIMIT
    orders: bool = False

    @property
    def pages_of_web(self) -> int:
        """How many pages each web has."""
        return int(self.profile.pages) if self.web_pages is None else self.web_pages

    @property
    def grid(self) -> npt.NDArray[np.int64]:
        """The steps at which curves are sampled, ascending; the last is the budget."""
        return np.unique(np.rint(np.linspace(0, self.budget, POINTS + 1)).astype(np.int64))[1:]
