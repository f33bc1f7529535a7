"""Decides when each request is made: each host at its own pace, and several hosts at a time.

The hosts with work are in a heap, by the times of their next requests; a request that waits for its
host needs no connection. A request is for a page, for a further hop of its redirects, or for a
robots.txt; each waits for its own host. At a concurrency of 1, jobs are done one after another.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import count

from counterpoint.crawler.documents.addresses import joined, site
from counterpoint.crawler.documents.exchange import is_read
from counterpoint.crawler.documents.robots import LARGEST, origin

from .clock import steady
from .headers import forbids_links, location_of, validator
from .hosts import REMEMBERED, Errand, Host, Hosts
from .job import ClosedError, Fetched, Job, Lease, Recall, Tuning
from .manners import Limits, Manners, Patience
from .network import Answer, Fetcher, PageRequest
from .room import BodyRoom

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ROBOTS_REDIRECTS = 5
_NOTHING = Answer(0)


class PoliteDispatcher:
    """A `Dispatcher`.

    Parameters
    ----------
    fetcher : Fetcher
        Makes single requests; `close` closes it.
    concurrency : int
        The largest number of simultaneous requests, over all hosts.
    manners : Manners
    limits : Limits
    patience : Patience
    recall : callable, optional
        Loads the state of a host.
    seed : int
        Seed of the random factors of waits.
    through_here : bool
        Whether requests go through a proxy on this machine, which may be a synthetic web.
    remembered : int
        How many hosts are kept in memory.
    room : BodyRoom, optional
        Bounds the memory of all bodies, with the fetcher.
    behind : float
        See `Hosts`.
    now, sleep : callable
        The clock, in seconds since 1970, and how to wait; tests pass other functions.
    """

    def __init__(
        self, fetcher: Fetcher, *, concurrency: int = 1, manners: Manners | None = None,
        limits: Limits | None = None, patience: Patience | None = None,
        recall: Recall | None = None, seed: int = 0, through_here: bool = False,
        remembered: int = REMEMBERED, room: BodyRoom | None = None,
        now: Callable[[], float] | None = None, behind: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._fetcher, self._concurrency = fetcher, concurrency
        self._room = room or BodyRoom()
        self._manners, self._limits = manners or Manners(), limits or Limits()
        self._patience = patience or Patience()
        self._now, self._sleep = now or steady(), sleep
        self.hosts = Hosts(
            self._manners, self._patience, self._now,
            recall=recall, seed=seed, through_here=through_here, remembered=remembered,
            behind=behind,
        )  # fmt: skip
        self._numbers, self._robots_numbers = count(), count(-(1 << 62))
        self._pending: deque[Job] = deque()
        self._errands: dict[int, Errand] = {}
        self._heap: list[tuple[float, int, Host]] = []
        self._done: deque[Fetched] = deque()
        self._awaited: asyncio.Future[None] | None = None
        self._workers: set[asyncio.Task[None]] = set()
        self._timer: asyncio.Task[None] | None = None
        self._until, self._timer_at = math.inf, 0.0
        self._error: BaseException | None = None
        self._closed = self._paused = False

    # What a crawl calls

    def submit(self, job: Job) -> None:
        """Take a job; return at once."""
        if self._closed:
            raise ClosedError("the dispatcher is closed")
        self._pending.append(job)
        self._admit()
        self._pump()

    def hold(self, lease: Lease) -> None:
        """Apply a lease from now on; jobs that were lost are never completed.

        A request that has begun is finished, and its answer changes the state of its host.
        """
        self._until = lease.until
        for number in lease.lost:
            if (errand := self._errands.pop(number, None)) is not None:
                errand.void = True
        self._pending = deque(job for job in self._pending if job.number not in lease.lost)
        for state in lease.hosts:
            self.hosts.refresh(state)
        self._admit()
        self._pump()

    def tune(self, tuning: Tuning) -> None:
        """Change how requests are made from now on; requests in flight are finished."""
        self._concurrency, self._paused = tuning.concurrency, tuning.paused
        if tuning.delay is not None:
            self._manners = self.hosts.manners = replace(self._manners, delay=tuning.delay)
        self._admit()
        self._pump()

    async def completed(self) -> Fetched:
        """Wait for the next finished job, and return its answer.

        Raises
        ------
        ClosedError
            If the dispatcher was closed, and all finished jobs have been returned.
        CrawlError
            If nothing can be fetched at all.
        """
        while not self._done:
            if self._error is not None:
                raise self._error
            if self._closed:
                raise ClosedError("the dispatcher is closed")
            self._awaited = asyncio.get_running_loop().create_future()
            await self._awaited
        found = self._done.popleft()
        self._room.take(len(found.body))
        return found._replace(hosts=self.hosts.handed_out())

    def under_way(self) -> int:
        """Return how many requests are in flight."""
        return len(self._workers)

    def waiting(self) -> str:
        """Return what the dispatcher waits for now, in one line; "" if it does not wait."""
        if self._workers:
            count = len(self._workers)
            return "1 answer" if count == 1 else f"{count:,} answers"
        return self.hosts.waiting()

    async def close(self, *, grace: float) -> None:
        """Give requests in flight ``grace`` seconds to finish, and abort the rest."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._workers and grace > 0:
            await asyncio.wait(self._workers, timeout=grace)
        for task in self._workers:
            task.cancel()
        while self._workers:
            await asyncio.wait(self._workers)
        self._wake()
        await self._fetcher.close()

    # From job to request

    def _admit(self) -> None:
        """Let jobs queue for their hosts; at a concurrency of 1, one after another."""
        while self._pending and (self._concurrency > 1 or not self._errands):
            job = self._pending.popleft()
            errand = self._errands[job.number] = Errand(next(self._numbers), job, job.address)
            self._enqueue(errand)

    def _enqueue(self, errand: Errand) -> None:
        host = self.hosts.of(errand.here)
        heapq.heappush(host.queue, (errand.number, errand))
        self._schedule(host)

    def _schedule(self, host: Host) -> None:
        """Note the time of a host's next request; if the host needs too long a pause, fail."""
        if not host.queue or host.active >= self._manners.at_once:
            return
        if problem := self.hosts.beyond_patience(host):
            queue, host.queue = host.queue, []
            for _, errand in sorted(queue):
                self._end(errand, Answer(errand.status, problem=problem))
        elif not host.noted:
            host.noted = True
            heapq.heappush(self._heap, (host.free_at, host.queue[0][0], host))

    def _pump(self) -> None:
        """Begin as many requests as allowed."""
        while len(self._workers) < self._concurrency and (found := self._next()) is not None:
            task = asyncio.get_running_loop().create_task(self._work(*found))
            self._workers.add(task)
            task.add_done_callback(self._workers.discard)
        self._set_timer()

    def _next(self) -> tuple[Host, Errand] | None:
        """Return a request that may be made now; None if there is none."""
        now = self._now()
        until = 0.0 if self._paused or self._closed else self._until
        while self._heap and self._heap[0][0] <= now < until:
            host = heapq.heappop(self._heap)[2]
            host.noted = False
            if host.free_at > now or host.active >= self._manners.at_once:
                self._schedule(host)  # the host's pause was extended since it was noted
                continue
            errand = self._first(host, now)
            if errand is not None:
                self.hosts.begun(host, errand.here)
                self._schedule(host)
                return host, errand
        return None

    def _first(self, host: Host, now: float) -> Errand | None:
        """Return the first errand of a host that may be requested; it may be its robots.txt."""
        while host.queue:
            _, errand = heapq.heappop(host.queue)
            if self._is_void(errand):
                continue
            if errand.number < 0 or not self._manners.robots:
                return errand
            of = origin(errand.here)
            rules = host.rules(of, now)
            if rules is None:
                blocked = host.blocked.get(of)
                if blocked is None:
                    host.blocked[of] = [errand]
                    return Errand(next(self._robots_numbers), (host, of), f"{of}/robots.txt")
                blocked.append(errand)
            elif problem := rules.problem(errand.here):
                self._end(errand, Answer(errand.status, problem=problem))
            else:
                return errand
        return None

    def _is_void(self, errand: Errand) -> bool:
        """Return whether an errand's result is no longer needed."""
        if errand.number >= 0:
            return errand.void
        host, of = errand.work
        if not all(one.void for one in host.blocked[of]):
            return False
        del host.blocked[of]
        return True

    def _set_timer(self) -> None:
        """Wake up when the first host may be requested, if a connection is free for it."""
        if not self._heap or self._closed or len(self._workers) >= self._concurrency:
            return
        if self._paused or self._now() >= self._until:
            return  # `tune` continues, or `hold` when the lease is renewed
        at = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer_at = at
        self._timer = asyncio.get_running_loop().create_task(self._wait(at))

    async def _wait(self, at: float) -> None:
        try:
            await self._sleep(max(0.0, at - self._now()))
            self._timer = None
            self._pump()
        except Exception as error:
            self._fail(error)

    # From request to answer

    async def _work(self, host: Host, errand: Errand) -> None:
        """Make a request, and then others as long as there are any."""
        try:
            found: tuple[Host, Errand] | None = (host, errand)
            while found is not None:
                host, errand = found
                answer = await self._fetcher.fetch(self._wanted(errand))
                self._answered(host, errand, answer)
                found = self._next() if len(self._workers) <= self._concurrency else None
                if self._heap:
                    self._pump()
        except Exception as error:  # `completed` raises it
            self._fail(error)
        finally:
            task = asyncio.current_task()
            assert task is not None
            self._workers.discard(task)
            self._set_timer()

    def _wanted(self, errand: Errand) -> PageRequest:
        if errand.number < 0:
            return PageRequest(errand.here, most=LARGEST, of_robots=True)
        job: Job = errand.work
        return PageRequest(errand.here, job.etag, job.modified, of_sitemap=bool(job.sitemap))

    def _answered(self, host: Host, errand: Errand, answer: Answer) -> None:
        of_robots = errand.number < 0
        again = self.hosts.ended(host, errand.here, answer, of_robots=of_robots)
        again = again or (of_robots and answer.passing)
        errand.status = answer.status
        if again and errand.tries + 1 < self._patience.tries:
            errand.tries += 1
            self._enqueue(errand)
        else:
            self._advance(errand, answer)
            self._schedule(host)

    def _advance(self, errand: Errand, answer: Answer) -> None:
        """Follow a redirect, or end."""
        if answer.status not in _REDIRECTS:
            self._end(errand, answer)
            return
        location = location_of(answer)
        target = joined(errand.here, location) if location else None
        if target is None:
            self._end(errand, answer._replace(problem="redirects to no address of http or https"))
            return
        errand.asked.append(errand.here)
        if errand.number < 0:
            self._follow_to_robots(errand, target)
        elif problem := self._forbids(errand, target):
            self._end(errand, answer._replace(problem=problem), target)
        else:
            errand.here = target
            self._enqueue(errand)

    def _forbids(self, errand: Errand, target: str) -> str:
        """Return why a redirect is not followed; "" if it is."""
        manners, most = self._manners, self._limits.redirects
        if target in errand.asked:
            return f"redirects in a circle, to {target}"
        if len(errand.asked) > most:
            return f"more than {most} redirects"
        if not manners.leaves_site and site(target) != site(errand.asked[0]):
            return f"leads to another site, {target}"
        return manners.forbid(target)

    def _follow_to_robots(self, errand: Errand, target: str) -> None:
        within = self._manners.within
        if within is not None and not within(site(target)):
            self._end(errand, Answer(0, problem=f"leads outside of this crawl, to {target}"))
        elif len(errand.asked) > _ROBOTS_REDIRECTS:
            self._end(errand, Answer(404))  # RFC 9309, 2.3.1.2: it may be taken as missing
        else:
            errand.here = target
            self._enqueue(errand)

    def _end(self, errand: Errand, answer: Answer, leads_to: str = "") -> None:
        if errand.number < 0:
            self._end_robots(errand, answer)
            return
        if errand.void:
            return
        job: Job = errand.work
        self._errands.pop(job.number, None)
        headers = answer.headers
        kind = headers.get("Content-Type", "")
        reads = answer.status == 200 and is_read(kind, of_sitemap=bool(job.sitemap))
        document = answer.body if reads else b""
        here, now = errand.here, self._now()
        rules = self.hosts.of(here).rules(origin(here), now) if self._manners.robots else None
        self._room.keep(len(document))
        self._done.append(
            Fetched(
                job, answer.status, here if here != job.address else "", document, kind,
                headers.get("Content-Language", ""), validator(headers.get("ETag", "")),
                validator(headers.get("Last-Modified", "")), now, answer.problem, (), rules,
                leads_to, forbids_links(answer),
            )
        )  # fmt: skip
        self._wake()
        self._admit()

    def _end_robots(self, errand: Errand, answer: Answer) -> None:
        host, of = errand.work
        # The part of a robots.txt that is missing may contain further rules.
        cut = answer.problem and len(answer.body) < LARGEST
        broken = answer.passing or answer.coded or cut
        status = 0 if broken else answer.status
        self.hosts.store_robots(host, of, status, answer.body, answer.problem)
        for blocked in host.blocked.pop(of):
            heapq.heappush(host.queue, (blocked.number, blocked))
        self._schedule(host)

    def _wake(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)

    def _fail(self, error: BaseException) -> None:
        self._error = self._error or error
        self._wake()
