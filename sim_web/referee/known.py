"""The truth about a web of the generator."""

from __future__ import annotations

import numpy as np

from sim_web.generator import Web
from sim_web.generator.layout import COMPONENT_OF_REGION
from sim_web.profile import Profile

from .truth import COMPONENTS, Truth


def truth(profile: Profile, pages: int, seed: int) -> Truth:
    """Build the web of a log and return all that the referee asks of it."""
    return truth_of(Web(profile, pages, seed))


def truth_of(web: Web) -> Truth:
    """Return all that the referee asks of a web."""
    return Truth(
        web,
        web.pages * web.profile.degrees.mean,
        _sizes(web),
        lambda url, agent: False,
        lambda host, agent: 0.0,
        lambda page, time: float("inf"),
        lambda status: 0.0,
    )


def _sizes(web: Web) -> tuple[int, ...]:
    sizes = np.zeros(len(COMPONENTS), np.int64)
    np.add.at(sizes, COMPONENT_OF_REGION, web.layout.regions[:, 1])
    return tuple(int(size) for size in sizes)
