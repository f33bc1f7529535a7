"""A world for crawls of a generated web in this process, without a server and without HTML.

The outcome of a fetch is looked up in arrays. The content of pages is generated only for policies
that read it. The clock moves by a fixed time at each fetch, so that time is a function of the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Pages, Scope
from counterpoint.sim_web.answer import SECONDS_PER_REQUEST
from counterpoint.sim_web.pages.contents import page_text
from counterpoint.sim_web.world.fetcher import ManualClock, Simulated
from counterpoint.sim_web.world.site import SyntheticSite

from .plan import ComparisonPlan
from .planted import Planted

DAY = 86_400.0

_HIDING = ("server_error", "unavailable", "reset", "wrong_type", "vanish")
"""The faults of a profile by which a page cannot be fetched, or has no links."""


def seconds_per_visit(plan: ComparisonPlan, planted: Planted, scope: Scope) -> float:
    """Return the seconds by which a fetch by a policy of a scope moves the clock."""
    if scope is not Scope.KNOWN:
        return SECONDS_PER_REQUEST
    return DAY / (plan.visits_per_day or len(planted.starts(scope)))


class World:
    """A generated web as policies of one scope see it.

    Parameters
    ----------
    planted : Planted
        The web.
    scope : Scope
        The scope of the policy.
    seconds : float
        Seconds by which a fetch moves the clock; the first page is fetched at time 0.
    steps : int
        The expected number of fetches; further ones are correct, but may be slower.
    mark : int64[1], optional
        Twice the number of the step is written here before a fetch.
    reads : bool
        Whether outcomes include the content of pages.
    """

    def __init__(
        self, planted: Planted, scope: Scope, seconds: float, steps: int,
        mark: Any = None, *, reads: bool = False,
    ) -> None:  # fmt: skip
        offsets, self._targets = planted.part(scope)
        self._offsets = np.ascontiguousarray(offsets).data
        self._external = planted.external.data
        self._texts = planted.texts
        self._seconds, self._last = seconds, steps * seconds
        self._sizes = planted.sizes_until(self._last).data
        self._seen: dict[int, int] = {}
        self._web, self._reads = planted.web, reads
        self._step = 0
        self._mark = [0] if mark is None else mark
        self._status = 200
        self._simulated: Simulated | None = None
        profile = planted.web.profile
        if profile.change.passing or any(getattr(profile.faults, key) for key in _HIDING):
            self._simulated = Simulated(SyntheticSite(planted.web), ManualClock(), planted.links)
            self._linking = np.diff(planted.links.offsets) > 0

    def close(self) -> None:
        """Do nothing: a generated web has no files."""

    def fetch(self, page: int) -> Outcome:
        """Fetch a page at the present time."""
        step = self._step
        self._step = step + 1
        self._mark[0] = 2 * step + 2
        time = step * self._seconds
        size, difference = self._sizes[page], 0
        if self._simulated is not None and not self._is_well(self._simulated, page, time):
            return Outcome(page, self._status, NONE, 0, 0, 0, time)
        if size < 0 or time >= self._last:
            size, difference = self._compared(page, time)
        low, high = self._offsets[page], self._offsets[page + 1]
        # A copy, so that a policy that changes the array does not change the web for later ones.
        links = self._targets[low:high].copy()
        content = self._content(page, links, time) if self._reads else None
        return Outcome(
            page, 200, links, self._external[page], size, difference, time, content
        )  # fmt: skip

    def _content(self, page: int, links: Pages, time: float) -> Content:
        text = page_text(self._web, page, time)
        anchors = tuple(map(text.anchors.__getitem__, links.tolist()))
        return Content(text.title, text.text, anchors, text.language)

    def _is_well(self, simulated: Simulated, page: int, time: float) -> bool:
        """Return whether a page can be fetched and read; store the status in ``_status``."""
        simulated.clock.now = time
        answer = simulated.fetch(page)
        self._status = answer.status
        return answer.status == 200 and (len(answer.links) > 0 or not self._linking[page])

    def _compared(self, page: int, time: float) -> tuple[int, int]:
        """Return the size of a page's text, and how much of it changed since the last fetch."""
        seen = self._seen
        seen[page], size, difference = self._texts.visited(page, time, seen.get(page, -1))
        return size, difference
