"""One policy on one web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of
from counterpoint.crawler.policy.kernels import offer
from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Scheduler, Scope
from counterpoint.crawler.schedulers.finding import Chosen
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.graph.errors import GraphError

from .measures import Array, answered, by_site, discovery
from .plan import Plan
from .planted import Known, Planted
from .revisits import Revisited
from .world import World, seconds_per_visit

IDLE, MAKING, FIRST = -1, 0, 1
"""Marks: no policy's turn; one is made; its first step. Step s is begun at 2 s - 1, and at 2 s its
page has come; whoever stands at a mark for too long is at the step (mark + 1) // 2."""


@dataclass(frozen=True)
class Run:
    """What came of a policy on the web of a seed.

    Attributes
    ----------
    seed, policy : int
        The web, and the place of the policy in the plan.
    why : str
        Why it ended, in one line.
    failed : bool
        Whether the policy broke a rule for policies; nothing was measured then.
    wrong : bool
        Whether it could not be made as the user wished, which is the command's fault.
    steps : int
        Pages fetched.
    seconds : float
        By which the clock moved at each visit.
    digest : str
        Of the order.
    sites : int64[sites + 1]
        Visits of each site of the target set, and of all others.
    final : dict of str to float
        Measures at the end, by the names of `MEASURES`.
    curves : dict of str to float64[points]
        The same at the plan's grid.
    order : int64[steps]
        The pages in the order of visits, if the plan keeps orders.
    came : bool[steps]
        Which of them came, likewise.
    points : float64[11] or float64[0]
        The 11-point graph of the index, if something was looked for.
    """

    seed: int
    policy: int
    why: str
    failed: bool = False
    wrong: bool = False
    steps: int = 0
    seconds: float = 0.0
    digest: str = ""
    sites: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64), compare=False)
    final: dict[str, float] = field(default_factory=dict)
    curves: dict[str, Array] = field(default_factory=dict, compare=False)
    order: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64), compare=False)
    came: Array = field(default_factory=lambda: np.zeros(0, dtype=np.bool_), compare=False)
    points: Array = field(default_factory=lambda: np.zeros(0), compare=False)


class Runs:
    """All policies of a plan on the web of one seed.

    Parameters
    ----------
    plan : Plan
    seed : int
    mark : int64[1], optional
        Where the step is left that a policy is at.
    """

    def __init__(self, plan: Plan, seed: int, mark: Any = None) -> None:
        self._plan, self._seed = plan, seed
        self._planted = Planted(plan, seed)
        self._mark = [IDLE] if mark is None else mark
        self._revisited: Revisited | None = None
        offer(NONE, np.zeros(1, dtype=np.uint8))  # what the loop compiles is no policy's time

    def of(self, policy: int, chosen: Chosen) -> Run:
        """Run a policy and measure what it did."""
        plan, planted, told = self._plan, self._planted, chosen.policy
        name = plan.policies[policy]
        starts = planted.starts(told.scope)
        seconds = seconds_per_visit(plan, planted, told.scope)
        world = World(planted, told.scope, seconds, plan.budget, self._mark, reads=told.reads)
        outcomes: list[bool] = []
        self._mark[0] = MAKING  # it stays if a policy ends the process, which is how that is known
        try:
            scheduler = chosen.scheduler(
                starts, plan.budget, self._seed, Known(planted), query=planted.query,
                hosts=planted.host.item,
            )  # fmt: skip
        except (CrawlError, GraphError) as error:
            self._mark[0] = IDLE
            why = f"{name}: while it was made: {str(error).removeprefix(f'{name}: ')}"
            return Run(self._seed, policy, why, failed=True, wrong=not _raised(error))
        self._mark[0] = FIRST
        ended = crawl(
            name, scheduler, world, starts, plan.budget, told.scope,
            on_outcome=_noted(outcomes, self._mark), step_limit=plan.step_limit,
            may_overspend=told.overspends,
        )  # fmt: skip
        if ended.failed:
            self._mark[0] = IDLE
            return Run(self._seed, policy, ended.why, failed=True, steps=ended.steps)
        came = np.array(outcomes, dtype=np.bool_)
        try:
            index = self._index(scheduler, told.scope, ended.order[came])
        except (CrawlError, GraphError) as error:
            why = f"{name}: after step {ended.steps}: {error}"
            return Run(self._seed, policy, why, failed=True, steps=ended.steps)
        finally:
            self._mark[0] = IDLE
        final, curves = self._measured(told.scope, ended.order, came, seconds)
        points = np.zeros(0)
        if index is not None:
            told_of_index, points = answered(planted, told.scope, index)
            final |= told_of_index
        sites = by_site(planted, ended.order)
        kept = slice(None) if plan.orders else slice(0)
        return Run(self._seed, policy, ended.why, False, False, ended.steps, seconds, ended.digest,
                   sites, final, curves, ended.order[kept], came[kept], points)  # fmt: skip

    def _index(self, scheduler: Scheduler, scope: Scope, fetched: Pages) -> Sequence[int] | None:
        """Return what a policy found, the best first; None where nothing is looked for."""
        if not self._planted.topical or scope is not Scope.WEB:
            return None
        planted = self._planted
        return index_of(scheduler, fetched.tolist(), lambda page: planted.links_of(scope, page))

    def _measured(
        self, scope: Scope, order: Array, came: Array, seconds: float
    ) -> tuple[dict[str, float], dict[str, Array]]:
        grid = self._plan.grid
        steps = np.append(grid, max(len(order), 1))
        if scope is not Scope.KNOWN:
            whole = discovery(self._planted, scope, order, came, steps)
            final = {name: float(curve[-1]) for name, curve in whole.items()}
            return final, {name: curve[:-1] for name, curve in whole.items()}
        if self._revisited is None:
            pages = np.array(self._planted.starts(scope), dtype=np.int64)
            self._revisited = Revisited(self._planted, pages, seconds, grid)
        curves = self._revisited.curves(order, came)
        return {name: float(curve.mean()) for name, curve in curves.items()}, curves


def _noted(outcomes: list[bool], mark: Any) -> Callable[[Outcome], None]:
    append = outcomes.append

    def note(outcome: Outcome) -> None:
        append(outcome.status == 200)
        mark[0] += 1

    return note


def _raised(error: CrawlError | GraphError) -> bool:
    """Tell whether a policy's own code raised while it made a scheduler."""
    return error.__cause__ is not None and not isinstance(error.__cause__, CrawlError)
