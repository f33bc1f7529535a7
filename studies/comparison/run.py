"""Runs one policy on one web, and measures the crawl."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.indices import index_of
from counterpoint.crawler.policy.kernels import offer
from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Scheduler, Scope
from counterpoint.crawler.schedulers.finding import ChosenPolicy
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.graph.errors import GraphError
from counterpoint.memory import is_exhausted

from .captured import Captured, CapturedWorld
from .measures import Array, answered, by_site, discovery
from .plan import ComparisonPlan
from .planted import Oracle, Planted, number_of
from .revisits import CopyQuality
from .webs import changed, digest_of_web, snapshot
from .worker import FIRST, IDLE, MAKING, MEASURING
from .world import World, seconds_per_visit


@dataclass(frozen=True)
class PolicyRun:
    """The run of a policy on the web of a seed.

    Attributes
    ----------
    seed, policy : int
        The seed of the web, and the index of the policy in the plan.
    why : str
        Why the run ended, in one line.
    failed : bool
        Whether the policy broke a rule for policies; there are no measures then.
    wrong : bool
        Whether the policy could not be created from the user's command.
    timed_out : bool
        Whether it failed only because a step took too long.
    took : float
        Wall time of the run, in seconds.
    web : str
        A digest of the web; "" if the plan does not keep orders.
    steps : int
        Number of pages fetched.
    seconds : float
        Seconds by which the clock moved at each visit.
    digest : str
        A digest of the order of visits.
    sites : int64[sites + 1]
        Visits to each site of the target set; the last item: to all other hosts.
    final : dict of str to float
        The measures at the end of the run, by the names of `MEASURES`.
    curves : dict of str to float64[points]
        The measures at the steps of the plan's grid.
    order : int64[steps]
        The pages in the order of visits; empty if the plan does not keep orders.
    came : bool[steps]
        Whether each of these pages was fetched successfully; empty likewise.
    points : float64[11] or float64[0]
        The 11-point graph of the index; empty if the web has no topics.
    unknown : dict of str to float
        By measure, which share of its answer rests on what was not captured; empty for a generated
        web.
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
    timed_out: bool = False
    took: float = field(default=0.0, compare=False)
    web: str = ""
    unknown: dict[str, float] = field(default_factory=dict, compare=False)


class PolicyRunner:
    """Runs policies of a plan on the web of one seed.

    Parameters
    ----------
    plan : ComparisonPlan
    seed : int
    mark : int64[1], optional
        The present mark of progress is written here.
    scopes : iterable of Scope
        The scopes of the policies.

    Attributes
    ----------
    spoiled : bool
        Whether a policy has changed the web, so that no other policy can run on it.
    """

    def __init__(
        self, plan: ComparisonPlan, seed: int, mark: Any = None, scopes: Iterable[Scope] = ()
    ) -> None:
        self._plan, self._seed = plan, seed
        self._planted = Planted(plan, seed) if plan.captured is None else Captured(plan, seed)
        self._mark = [IDLE] if mark is None else mark
        self._revisited: CopyQuality | None = None
        offer(NONE, np.zeros(1, dtype=np.uint8))  # compile now, not in the time of a policy
        self._web = digest_of_web(self._planted) if plan.orders else ""
        self._planted.freeze(scopes)
        self._whole = snapshot(self._planted)
        self.spoiled = False

    def run(self, policy: int, chosen: ChosenPolicy) -> PolicyRun:
        """Run a policy, and measure its crawl.

        Parameters
        ----------
        policy : int
            The index of the policy in the plan.
        chosen : ChosenPolicy
            The same policy.
        """
        begun = time.monotonic()
        made = self._run(policy, chosen)
        return replace(made, took=time.monotonic() - begun)

    def _run(self, policy: int, chosen: ChosenPolicy) -> PolicyRun:
        plan, planted, definition = self._plan, self._planted, chosen.policy
        name, scope = plan.policies[policy], definition.scope
        starts = planted.starts(scope)
        seconds = seconds_per_visit(plan, planted, scope)
        world = self._world(scope, seconds, reads=definition.reads)
        outcomes: list[bool] = []
        self._mark[0] = MAKING  # if a policy ends the process, its mark remains and shows it
        try:
            scheduler = chosen.scheduler(
                starts, plan.budget, self._seed, Oracle(planted), query=planted.query,
                hosts=number_of(planted.host),
            )  # fmt: skip
        except (CrawlError, GraphError) as error:
            self._mark[0] = MEASURING
            if is_exhausted(error) and not chosen.is_of_user:
                raise  # it is no fault of the policy
            why = f"{name}: while it was made: {str(error).removeprefix(f'{name}: ')}"
            return PolicyRun(self._seed, policy, why, failed=True, wrong=not _raised(error))
        self._mark[0] = FIRST
        ended = crawl(
            name, scheduler, world, starts, plan.budget, scope,
            on_outcome=_noted(outcomes, self._mark), step_limit=plan.step_limit,
            may_overspend=definition.overspends,
        )  # fmt: skip
        world.close()
        if ended.exhausted and not chosen.is_of_user:
            raise MemoryError(ended.why)
        if ended.failed:
            self._mark[0] = MEASURING
            self.spoiled = chosen.is_of_user and bool(changed(planted, self._whole))
            return PolicyRun(self._seed, policy, ended.why, failed=True, steps=ended.steps,
                             timed_out=ended.timed_out)  # fmt: skip
        came = np.array(outcomes, dtype=np.bool_)
        try:
            index = self._index(scheduler, scope, ended.order[came])
        except (CrawlError, GraphError) as error:
            why = f"{name}: after step {ended.steps}: {error}"
            return PolicyRun(self._seed, policy, why, failed=True, steps=ended.steps)
        finally:
            self._mark[0] = MEASURING
        if chosen.is_of_user and (what := changed(planted, self._whole)):
            self.spoiled = True
            why = f"{name}: changed the web on which policies are compared ({what[0]})"
            return PolicyRun(self._seed, policy, why, failed=True, steps=ended.steps)
        final, curves = self._measured(scope, ended.order, came, seconds)
        points = np.zeros(0)
        if index is not None:
            of_index, points = answered(planted, scope, index)
            final |= of_index
        sites = by_site(planted, ended.order)
        kept = slice(None) if plan.orders else slice(0)
        return PolicyRun(self._seed, policy, ended.why, False, False, ended.steps, seconds,
                         ended.digest, sites, final, curves, ended.order[kept], came[kept],
                         points, web=self._web,
                         unknown=planted.unknown(scope, ended.order, came, seconds))  # fmt: skip

    def _world(self, scope: Scope, seconds: float, *, reads: bool) -> World | CapturedWorld:
        if isinstance(self._planted, Captured):
            return self._planted.world(scope, seconds, self._mark, reads=reads)
        return World(self._planted, scope, seconds, self._plan.budget, self._mark, reads=reads)

    def _index(self, scheduler: Scheduler, scope: Scope, fetched: Pages) -> Sequence[int] | None:
        """Return a policy's index, the best page first; None if there is nothing to search for."""
        if not self._planted.topical or scope is not Scope.WEB:
            return None
        planted = self._planted
        return index_of(scheduler, fetched.tolist(), lambda page: planted.links_of(scope, page))

    def _measured(
        self, scope: Scope, order: Array, came: Array, seconds: float
    ) -> tuple[dict[str, float], dict[str, Array]]:
        return measured_crawl(
            self._planted, scope, order, came, self._plan.grid, lambda: self._copies(seconds)
        )

    def _copies(self, seconds: float) -> CopyQuality:
        if self._revisited is None:
            pages = np.array(self._planted.starts(Scope.KNOWN), dtype=np.int64)
            self._revisited = CopyQuality(self._planted, pages, seconds, self._plan.grid)
        return self._revisited


def measured_crawl(
    planted: Planted, scope: Scope, order: Array, came: Array, grid: Array,
    copies: Callable[[], CopyQuality],
) -> tuple[dict[str, float], dict[str, Array]]:  # fmt: skip
    """Return the measures of a crawl at its end, and their curves.

    Parameters
    ----------
    planted : Planted
    scope : Scope
        The scope of the policy.
    order, came : int64[n], bool[n]
        The pages in the order of visits, and whether each was fetched successfully.
    grid : int64[k]
        The numbers of visits at the points of the curves.
    copies : callable
        Returns what measures copies at these points, for policies that revisit pages.
    """
    steps = np.append(grid, max(len(order), 1))
    if scope is not Scope.KNOWN:
        whole = discovery(planted, scope, order, came, steps)
        final = {name: float(curve[-1]) for name, curve in whole.items()}
        return final, {name: curve[:-1] for name, curve in whole.items()}
    curves = copies().curves(order, came)
    return {name: float(curve.mean()) for name, curve in curves.items()}, curves


def _noted(outcomes: list[bool], mark: Any) -> Callable[[Outcome], None]:
    append = outcomes.append

    def note(outcome: Outcome) -> None:
        append(outcome.status == 200)
        mark[0] += 1

    return note


def _raised(error: CrawlError | GraphError) -> bool:
    """Return whether a policy's own code raised the error while it created a scheduler."""
    return error.__cause__ is not None and not isinstance(error.__cause__, CrawlError)
