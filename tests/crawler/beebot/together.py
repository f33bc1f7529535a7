"""Workers that crawl one store in one process; the test controls each step of each worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from counterpoint.crawler.beebot.lease_log import LeaseLog
from counterpoint.crawler.beebot.leases import Worker
from counterpoint.crawler.beebot.plan import plan_from_row
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.beebot.planner_step import PlannerStep
from counterpoint.crawler.beebot.replay import replay
from counterpoint.crawler.beebot.run import CrawlRun, Mark
from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.fetching.job import Fetched, HostState, Job, Lease
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.recording import Recording

LEASE = 10.0
DELAY = 1.0

Answers = Mapping[str, tuple[int, bytes]]


class Network:
    """What all workers ask, and the clock of all; it remembers who asked what.

    Attributes
    ----------
    now : float
    asked : dict of str to int
        How often each address was.
    stored : set of str
        Addresses whose answers are in the store.
    """

    def __init__(self, answers: Answers) -> None:
        self.answers, self.now = answers, 1000.0
        self.asked: dict[str, int] = {}
        self.stored: set[str] = set()
        self._last: dict[str, float] = {}

    def ask(self, address: str) -> tuple[int, bytes]:
        """Answer, if the request is allowed."""
        assert address not in self.stored, f"{address} is in the store already"
        host = site(address)
        assert self.now >= self._last.get(host, 0.0) + DELAY, f"{host} is not left alone"
        self._last[host] = self.now
        self.asked[address] = self.asked.get(address, 0) + 1
        return self.answers.get(address, (404, b""))


class Member:
    """A worker: its planner, and the part of a dispatcher that keeps it polite.

    Attributes
    ----------
    waiting : list of Job
    in_flight : list of Fetched
        Answers that it has not stored.
    step : PlannerStep
        The last one.
    """

    def __init__(
        self, store: Store, network: Network, name: str, ahead: int, log: Path | None = None
    ) -> None:
        self.network, self.name = network, name
        self._log = None if log is None else LeaseLog(log, name, lambda: network.now)
        worker = Worker(
            name, lambda: network.now, LEASE, DELAY, lambda _: network.now, log=self._log
        )
        self.planner = Planner(store, ahead, lambda: network.now, worker)
        self.waiting: list[Job] = []
        self.in_flight: list[Fetched] = []
        self.step = PlannerStep([])
        self._free: dict[str, float] = {}
        self._until = 0.0

    def plan(self, place: int | None = None) -> None:
        """Store an answer if there is one, and take the next step of the plan."""
        fetched = None if place is None or not self.in_flight else self.in_flight[
            place % len(self.in_flight)]  # fmt: skip
        self.step = step = self.planner.step([] if fetched is None else [fetched])
        if fetched is not None:
            self.in_flight.remove(fetched)
        self.network.stored.update(taken.address for taken in step.stored)
        if step.lease is not None:
            self._hold(step.lease)
        self.waiting += step.jobs

    def _hold(self, lease: Lease) -> None:
        self._until = lease.until
        self.waiting = [job for job in self.waiting if job.number not in lease.lost]
        for state in lease.hosts:
            self._free[state.host] = max(state.free_at, self._free.get(state.host, 0.0))

    def ask(self, place: int) -> bool:
        """Make a request, if there is one that may be made now."""
        now = self.network.now
        ready = [job for job in self.waiting if self._free[site(job.address)] <= now < self._until]
        if not ready:
            return False
        job = ready[place % len(ready)]
        self.waiting.remove(job)
        host = site(job.address)
        if self._log is not None:
            self._log.ask(host)
        status, body = self.network.ask(job.address)
        self._free[host] = now + DELAY
        state = HostState(host, now + DELAY, DELAY)
        self.in_flight.append(Fetched(job, status, "", body, "text/html; charset=utf-8", time=now,
                                   hosts=(state,)))  # fmt: skip
        return True


def replayed(store: Store) -> CrawlRun:
    """Replay the log of the last plan with one scheduler."""
    with store.reading() as connection:
        recording = Recording(connection)
        plan = plan_from_row(recording.read("last plan")[0])
        head = recording.head(plan.number)
        offered = recording.read("offered", first=0, end=len(plan.starts))
        run = CrawlRun(plan, Mark(), dict(map(tuple, offered)))
        replay(run, recording, head)
        assert (run.events, run.visits) == (head.events, head.visits)
        return run
