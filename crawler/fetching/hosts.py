"""What is known of each host: when it may be asked again, and what its robots.txt says."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.robots import Rules, origin, rules

from .job import HostState, Recall
from .manners import POLITE, Manners, Patience
from .network import Answer
from .politeness import backoff, day_and_time, is_here, retry_after

SIMULATED = "counterpoint"
"""What a synthetic web says of itself in the header Server."""
FRESH = 86_400.0
"""Seconds for which a robots.txt holds (RFC 9309, 2.4)."""
FAILED = 3_600.0
"""Seconds for which it holds that one could not be had."""
REMEMBERED = 20_000
"""Hosts kept in memory; more only while they are asked or waited for."""


class Errand:
    """A page, or a robots.txt, on its way through redirects and retries.

    Attributes
    ----------
    number : int
        Who comes first at a host: robots.txt below zero, then pages as they were submitted.
    work : Any
        The job; for a robots.txt the host and the origin that it is of.
    here : str
        The address to ask now.
    asked : list of str
        Those that led here by redirects.
    status : int
        Of the last answer.
    tries : int
        How often it went wrong.
    void : bool
        Whether nobody wants it any more.
    """

    __slots__ = ("asked", "here", "number", "status", "tries", "void", "work")

    def __init__(self, number: int, work: Any, here: str) -> None:
        self.number, self.work, self.here = number, work, here
        self.asked: list[str] = []
        self.status = self.tries = 0
        self.void = False


class _Said(NamedTuple):
    """A robots.txt: what it says, as it was answered, and when."""

    rules: Rules
    status: int
    body: bytes
    at: float

    @property
    def was_had(self) -> bool:
        """Whether it is there, or is known not to be."""
        return self.status == 200 or (400 <= self.status < 500 and self.status != 429)

    def holds(self, now: float) -> bool:
        """Tell whether it need not be asked for again."""
        return now < self.at + (FRESH if self.was_had else FAILED)


class Host:
    """One host, and the port if it is unusual.

    Attributes
    ----------
    free_at : float
        From when on it may be asked.
    failures : int
        Requests that failed one after another.
    why : str
        Why it must be left alone, if not for its usual delay.
    active : int
        Requests under way.
    queue : list of (int, Errand)
        A heap of those that wait for it.
    blocked : dict of str to list of Errand
        By origin, those that wait for its robots.txt.
    noted : bool
        Whether the dispatcher has noted when it is to be looked at.
    changed : bool
        Whether its state has not been handed out yet.
    """

    __slots__ = ("_text", "active", "blocked", "changed", "delay", "failures", "free_at",
                 "name", "noted", "queue", "robots", "simulated", "why")  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name, self.why = name, ""
        self.free_at = self.delay = 0.0
        self.failures = self.active = 0
        self.simulated = self.changed = self.noted = False
        self.queue: list[tuple[int, Errand]] = []
        self.blocked: dict[str, list[Errand]] = {}
        self.robots: dict[str, _Said] = {}
        self._text: str | None = ""

    def rules(self, of: str, now: float) -> Rules | None:
        """Return what the robots.txt of an origin says; None: it must be asked for."""
        said = self.robots.get(of)
        return said.rules if said is not None and said.holds(now) else None

    def told(self, of: str, said: _Said) -> None:
        """Take note of a robots.txt."""
        self.robots[of] = said
        self._text = None

    def state(self) -> HostState:
        """Return what is to be stored. That a robots.txt could not be had is not."""
        kept = {of: said for of, said in self.robots.items() if said.was_had}
        if self._text is None:
            told = {of: [s.at, s.status, s.body.decode("utf-8", "replace")]
                    for of, s in kept.items()}  # fmt: skip
            self._text = json.dumps(told) if told else ""
        at = max((s.at for s in kept.values()), default=None)
        return HostState(self.name, self.free_at, self.delay, self.failures, self._text, at)

    @property
    def idle(self) -> bool:
        """Whether nobody asks it, or waits for it."""
        return not (self.active or self.queue or self.blocked)


class Hosts:
    """All hosts that are in memory.

    Parameters
    ----------
    manners : Manners
    patience : Patience
    now : callable
        Seconds since 1970.
    recall : callable, optional
        Loads what is known of a host that is not in memory.
    seed : int
        Of the chance in waits.
    through_here : bool
        Behind a proxy on this machine, which may be a synthetic web.
    remembered : int
        How many are kept.
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
    ) -> None:
        self.manners, self.patience = manners, patience
        self._now, self._recall, self._seed = now, recall, seed
        self._through_here, self._remembered = through_here, remembered
        self._begun = now()
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._changed: list[Host] = []

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
        """Take note of what others have stored of a host, which they may have asked since."""
        host = self._hosts.setdefault(state.host, Host(state.host))
        self._learn(host, state)

    def _learn(self, host: Host, state: HostState) -> None:
        host.delay, host.failures = max(host.delay, state.delay), state.failures
        # The process that asked it last may have been killed before it could say so.
        host.free_at = max(host.free_at, state.free_at, self._begun + state.delay)
        host.why = f"{host.failures} failures in a row" if host.failures else ""
        for of, (at, status, text) in (json.loads(state.robots) if state.robots else {}).items():
            body = text.encode("utf-8", "replace")
            host.told(of, _Said(self._rules(status, body, ""), status, body, at))

    def _rules(self, status: int, body: bytes, problem: str) -> Rules:
        return rules(status, body, problem, self.manners.token)

    def told(self, host: Host, of: str, status: int, body: bytes, problem: str) -> None:
        """Take note of the robots.txt of an origin."""
        kept, found = body if status == 200 else b"", self._rules(status, body, problem)
        host.told(of, _Said(found, status, kept, self._now()))
        host.delay = max(host.delay, found.delay)
        self._note(host)

    def begun(self, host: Host, address: str) -> None:
        """Take note of a request that begins."""
        host.active += 1
        self._hosts.move_to_end(host.name)
        if self.manners.at_once > 1:
            host.free_at = max(host.free_at, self._now() + self._delay(host, address))
        self._note(host)

    def ended(self, host: Host, address: str, answer: Answer, *, of_robots: bool) -> bool:
        """Take note of an answer; return whether it is one to ask for again."""
        host.active -= 1
        now = self._now()
        if self._through_here and answer.headers.get("Server", "") == SIMULATED:
            host.simulated = True
        host.delay = self._delay(host, address)
        if self.manners.at_once == 1:
            # Between robots.txt and the first page the delay is our own.
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
        own, said = self._own_delay(host, address), host.robots.get(origin(address))
        return own if said is None else max(own, said.rules.delay)

    def _own_delay(self, host: Host, address: str) -> float:
        if self.manners.delay is not None:
            return self.manners.delay
        return 0.0 if host.simulated or is_here(address) else POLITE

    def beyond_patience(self, host: Host) -> str:
        """Return why a host is not waited for; "" if it is."""
        if host.free_at - self._now() <= self.patience.longest:
            return ""
        said = f" ({host.why})" if host.why else ""
        return f"{host.name} must be left alone until {day_and_time(host.free_at)}{said}"

    def _note(self, host: Host) -> None:
        if not host.changed:
            host.changed = True
            self._changed.append(host)

    def handed_out(self) -> tuple[HostState, ...]:
        """Return the states of hosts that have changed since; and forget hosts nobody needs."""
        changed, self._changed = self._changed, []
        for host in changed:
            host.changed = False
        states = tuple([host.state() for host in changed])
        if len(self._hosts) > self._remembered:
            self._forget()
        return states

    def forget(self, name: str) -> None:
        """Forget a host, unless it is asked or waited for; who asks it next loads its state."""
        host = self._hosts.get(name)
        if host is not None and host.idle:
            del self._hosts[name]

    def _forget(self) -> None:
        """Forget those that were asked longest ago; what is known of them has been handed out."""
        now, over = self._now(), len(self._hosts) - self._remembered
        oldest = [host for _, host in zip(range(2 * over + 8), self, strict=False)]
        for host in oldest:
            if host.idle and not host.changed and host.free_at <= now:
                del self._hosts[host.name]
            else:
                self._hosts.move_to_end(host.name)
