"""Remembers, for each host, when the next request is allowed, and the rules of its robots.txt."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.robots import Rules, origin, rules, succeeded, written

from .job import HostState, Recall
from .manners import POLITE, Manners, Patience
from .network import Answer
from .politeness import backoff, day_and_time, is_here, retry_after

SIMULATED = "counterpoint"
"""The header Server of a synthetic web."""
FRESH = 86_400.0
"""Seconds for which a robots.txt is valid (RFC 9309, 2.4)."""
FAILED = 3_600.0
"""Seconds for which a failed request for a robots.txt is valid."""
SLACK = 10.0
"""Seconds by which the clocks of several processes may differ."""
REMEMBERED = 20_000
"""How many hosts are kept in memory; there are more only while they have requests."""


class Errand:
    """A page, or a robots.txt, on its way through redirects and retries.

    Attributes
    ----------
    number : int
        The order at a host: robots.txt has numbers below zero, then pages as they were submitted.
    work : Any
        The job; for a robots.txt its host and origin.
    here : str
        The address to request now.
    asked : list of str
        The addresses whose redirects led here.
    status : int
        The status of the last answer.
    tries : int
        How many requests have failed.
    void : bool
        Whether the result is no longer needed.
    """

    __slots__ = ("asked", "here", "number", "status", "tries", "void", "work")

    def __init__(self, number: int, work: Any, here: str) -> None:
        self.number, self.work, self.here = number, work, here
        self.asked: list[str] = []
        self.status = self.tries = 0
        self.void = False


class _RobotsAnswer(NamedTuple):
    """The answer to a request for a robots.txt: its rules, status, text and time."""

    rules: Rules
    status: int
    text: str
    time: float

    @property
    def is_final(self) -> bool:
        """Whether the robots.txt was fetched, or does not exist; else the request failed."""
        return succeeded(self.status) or (400 <= self.status < 500 and self.status != 429)

    def is_valid(self, now: float) -> bool:
        """Return whether the answer is recent enough to be used."""
        return now < self.time + FAILED or (self.is_final and now < self.time + FRESH)


class Host:
    """A host, with its port if it is not the default.

    Attributes
    ----------
    free_at : float
        The time from which on the next request is allowed.
    failures : int
        Number of requests that failed in a row.
    why : str
        Why the host must be left alone for longer than its usual delay; "" if it need not.
    active : int
        Number of requests in flight.
    queue : list of (int, Errand)
        A heap of the errands that wait for the host.
    blocked : dict of str to list of Errand
        By origin, the errands that wait for its robots.txt.
    noted : bool
        Whether the dispatcher has scheduled its next look at the host.
    changed : bool
        Whether its state has changed since it was last handed out to be stored.
    """

    __slots__ = ("_written", "active", "blocked", "changed", "delay", "failures", "free_at",
                 "name", "noted", "queue", "robots", "simulated", "why")  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name, self.why = name, ""
        self.free_at = self.delay = 0.0
        self.failures = self.active = 0
        self.simulated = self.changed = self.noted = False
        self.queue: list[tuple[int, Errand]] = []
        self.blocked: dict[str, list[Errand]] = {}
        self.robots: dict[str, _RobotsAnswer] = {}
        self._written: tuple[str, float | None] | None = ("", None)

    def rules(self, robots_origin: str, now: float) -> Rules | None:
        """Return the robots.txt rules of an origin; None: robots.txt must be requested."""
        answer = self.robots.get(robots_origin)
        return answer.rules if answer is not None and answer.is_valid(now) else None

    def store_robots(self, robots_origin: str, answer: _RobotsAnswer) -> None:
        """Store the answer to a request for the robots.txt of an origin."""
        self.robots[robots_origin] = answer
        self._written = None

    def state(self, behind: float) -> HostState:
        """Return the state to store; it does not include failed requests for a robots.txt.

        Parameters
        ----------
        behind : float
            Seconds that are added to the time from which on it is free.
        """
        if self._written is None:
            kept = {name: answer for name, answer in self.robots.items() if answer.is_final}
            answers = {name: [one.time, one.status, one.text] for name, one in kept.items()}
            latest = max((answer.time for answer in kept.values()), default=None)
            self._written = json.dumps(answers) if answers else "", latest
        return HostState(
            self.name, self.free_at + behind, self.delay, self.failures, *self._written
        )

    @property
    def idle(self) -> bool:
        """Whether the host has no requests, neither in flight nor waiting."""
        return not (self.active or self.queue or self.blocked)


class Hosts:
    """All hosts that are in memory.

    Parameters
    ----------
    manners : Manners
    patience : Patience
    now : callable
        Returns the time, in seconds since 1970.
    recall : callable, optional
        Loads the stored state of a host that is not in memory.
    seed : int
        The seed of the random part of waits.
    through_here : bool
        Whether requests go through a proxy on this machine, which may be a synthetic web.
    remembered : int
        How many hosts are kept in memory.
    behind : float
        By how many seconds at most ``now`` is behind the clock of all processes. The times that
        others read are later by it, so that their pauses are not too short.

    Attributes
    ----------
    began : callable or None
        Called with the name of a host when a request to it begins.
    """

    def __init__(
        self,
        manners: Manners,
        patience: Patience,
        now: Callable[[], float],
        *,
        recall: Recall | None = None,
        seed: int = 0,
        through_here: bool = False,
        remembered: int = REMEMBERED,
        behind: float = 0.0,
    ) -> None:
        self.manners, self.patience = manners, patience
        self._now, self._recall, self._seed = now, recall, seed
        self._through_here, self._remembered = through_here, remembered
        self._begun, self._behind = now(), behind
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._changed: list[Host] = []
        self.began: Callable[[str], None] | None = None

    def __len__(self) -> int:
        return len(self._hosts)

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())

    def of(self, address: str) -> Host:
        """Return the host of an address."""
        name = site(address)
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = self._recalled(name)
        return host

    def _recalled(self, name: str) -> Host:
        host = Host(name)
        state = self._recall(name) if self._recall is not None else None
        if state is not None:
            self._learn(host, state)
        return host

    def refresh(self, state: HostState) -> None:
        """Update a host by the state that other processes have stored."""
        host = self._hosts.setdefault(state.host, Host(state.host))
        self._learn(host, state)

    def _learn(self, host: Host, state: HostState) -> None:
        host.delay, host.failures = max(host.delay, state.delay), state.failures
        free_at, longest = state.free_at, max(state.delay, self.patience.longest)
        if not state.failures and free_at > self._now() + longest + SLACK:
            free_at = 0.0  # only failures ask for longer pauses: the clock was set back meanwhile
        # A process may have been killed after its last request and before it stored the time.
        host.free_at = max(host.free_at, free_at, self._begun + state.delay)
        host.why = f"{host.failures} failures in a row" if host.failures else ""
        stored = json.loads(state.robots) if state.robots else {}
        for robots_origin, (time, status, text) in stored.items():
            answer = _RobotsAnswer(self._rules(status, text, ""), status, text, time)
            host.store_robots(robots_origin, answer)

    def _rules(self, status: int, text: str, problem: str) -> Rules:
        return rules(status, text, problem, self.manners.token)

    def store_robots(
        self, host: Host, robots_origin: str, status: int, body: bytes, problem: str
    ) -> None:
        """Store the answer to a request for a robots.txt.

        Parameters
        ----------
        host : Host
        robots_origin : str
            The origin whose robots.txt it is.
        status : int
            The status of HTTP; 0: no answer came.
        body : bytes
        problem : str
            What went wrong; "" if nothing did.
        """
        text = written(body) if succeeded(status) else ""
        found = self._rules(status, text, problem)
        host.store_robots(robots_origin, _RobotsAnswer(found, status, text, self._now()))
        host.delay = max(host.delay, found.delay)
        self._note(host)

    def begun(self, host: Host, address: str) -> None:
        """Record that a request begins."""
        if self.began is not None:
            self.began(host.name)
        host.active += 1
        self._hosts.move_to_end(host.name)
        if self.manners.at_once > 1:
            host.free_at = max(host.free_at, self._now() + self._delay(host, address))
        self._note(host)

    def ended(self, host: Host, address: str, answer: Answer, *, of_robots: bool) -> bool:
        """Record the end of a request.

        Parameters
        ----------
        host : Host
        address : str
            The requested address.
        answer : Answer
        of_robots : bool
            Whether a robots.txt was requested.

        Returns
        -------
        bool
            Whether the request failed and may be tried again.
        """
        host.active -= 1
        now = self._now()
        if self._through_here and answer.headers.get("Server", "") == SIMULATED:
            host.simulated = True
        host.delay = self._delay(host, address)
        if self.manners.at_once == 1:
            # Between robots.txt and the first page, only our own delay counts.
            delay = self._own_delay(host, address) if of_robots else host.delay
            host.free_at = max(host.free_at, now + delay)
        failed = answer.status in (429, 503) or (answer.passing and not answer.status)
        if failed:
            self._failed(host, answer, now)
        else:
            host.failures, host.why = 0, ""
        self._note(host)
        return failed

    def _failed(self, host: Host, answer: Answer, now: float) -> None:
        host.failures += 1
        wait = retry_after(answer.headers, now) if answer.status else 0.0
        if wait:
            host.why = f"Retry-After with status {answer.status}"
        else:
            wait = backoff(self.patience, self._seed, host.name, host.failures)
            last = f"status {answer.status}" if answer.status else answer.problem
            host.why = f"{host.failures} failures in a row: {last}"
        if host.failures >= self.patience.failures:
            wait = max(wait, self.patience.rest)
        host.free_at = max(host.free_at, now + wait)

    def _delay(self, host: Host, address: str) -> float:
        own, robots = self._own_delay(host, address), host.robots.get(origin(address))
        return own if robots is None else max(own, robots.rules.delay)

    def _own_delay(self, host: Host, address: str) -> float:
        if self.manners.delay is not None:
            return self.manners.delay
        return 0.0 if host.simulated or is_here(address) else POLITE

    def beyond_patience(self, host: Host) -> str:
        """Return why requests to a host do not wait until it is free; "" if they do."""
        if host.free_at - self._now() <= self.patience.longest:
            return ""
        reason = f" ({host.why})" if host.why else ""
        return f"{host.name} must be left alone until {day_and_time(host.free_at)}{reason}"

    def waiting(self) -> str:
        """Return which hosts have work and must be left alone, in one line; "" if there is none."""
        resting = [host for host in self if host.queue]
        if not resting:
            return ""
        first = min(resting, key=lambda host: host.free_at)
        many = "a host" if len(resting) == 1 else f"{len(resting):,} hosts"
        why = f", {first.why}" if first.why else ""
        return (
            f"{many} that must be left alone, {first.name} until {day_and_time(first.free_at)}{why}"
        )

    def _note(self, host: Host) -> None:
        if not host.changed:
            host.changed = True
            self._changed.append(host)

    def handed_out(self) -> tuple[HostState, ...]:
        """Return the states of hosts that changed since the last call; forget idle hosts."""
        changed, self._changed = self._changed, []
        for host in changed:
            host.changed = False
        states = tuple([host.state(self._behind) for host in changed])
        if len(self._hosts) > self._remembered:
            self._forget()
        return states

    def forget(self, name: str) -> None:
        """Forget a host if it is idle; its next request loads its state again."""
        host = self._hosts.get(name)
        if host is not None and host.idle:
            del self._hosts[name]

    def _forget(self) -> None:
        """Forget the idle hosts whose last requests are oldest; their states were handed out."""
        now, over = self._now(), len(self._hosts) - self._remembered
        oldest = [host for _, host in zip(range(2 * over + 8), self, strict=False)]
        for host in oldest:
            if host.idle and not host.changed and host.free_at <= now:
                del self._hosts[host.name]
            else:
                self._hosts.move_to_end(host.name)
