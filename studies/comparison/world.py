"""Pages fetched in process: what fetching one brings is looked up, and nothing is rendered.

What pages say is put together for policies that read, and for no others.

The clock moves by one visit at each fetch, so that time is a function of the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Pages, Scope
from counterpoint.sim_web.answer import SECONDS_PER_REQUEST
from counterpoint.sim_web.pages.contents import said
from counterpoint.sim_web.world.fetcher import Clock, Simulated
from counterpoint.sim_web.world.site import SyntheticSite

from .plan import Plan
from .planted import Planted

DAY = 86_400.0

_HIDING = ("server_error", "unavailable", "reset", "wrong_type", "vanish")
"""Faults with which a page does not come, or comes without links."""


def seconds_per_visit(plan: Plan, planted: Planted, scope: Scope) -> float:
    """Return by how much a fetch moves the clock."""
    if scope is not Scope.KNOWN:
        return SECONDS_PER_REQUEST
    return DAY / (plan.visits_per_day or len(planted.starts(scope)))


class World:
    """A web as policies of one scope meet it.

    Parameters
    ----------
    planted : Planted
        The web.
    scope : Scope
        Of the policy.
    seconds : float
        By which a fetch moves the clock; the first page is fetched at 0.
    steps : int
        How many fetches there may be; more are right as well, but some of them slower.
    mark : int64[1], optional
        Twice the number of the step is left there before a fetch.
    reads : bool
        Whether the policy is told what pages say.
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
        if any(getattr(planted.web.profile.faults, key) for key in _HIDING):
            self._simulated = Simulated(SyntheticSite(planted.web), Clock(), planted.links)
            self._linking = np.diff(planted.links.offsets) > 0

    def fetch(self, page: int) -> Outcome:
        """Fetch a page, now."""
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
        # A copy: a policy that writes into its links must not change the web for the next one.
        links = self._targets[low:high].copy()
        content = self._content(page, links, time) if self._reads else None
        return Outcome(
            page, 200, links, self._external[page], size, difference, time, content
        )  # fmt: skip

    def _content(self, page: int, links: Pages, time: float) -> Content:
        told = said(self._web, page, time)
        anchors = tuple(map(told.anchors.__getitem__, links.tolist()))
        return Content(told.title, told.text, anchors, told.language)

    def _is_well(self, simulated: Simulated, page: int, time: float) -> bool:
        """Tell whether a page comes and can be read; leave its status behind."""
        simulated.clock.now = time
        answer = simulated.fetch(page)
        self._status = answer.status
        return answer.status == 200 and (len(answer.links) > 0 or not self._linking[page])

    def _compared(self, page: int, time: float) -> tuple[int, int]:
        """Return the size of a text and what is new or gone since it was fetched last."""
        seen = self._seen
        seen[page], size, difference = self._texts.visited(page, time, seen.get(page, -1))
        return size, difference
