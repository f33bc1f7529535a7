"""Leases: they decide which of several workers of a plan fetches which pages.

One worker at a time plans (`Store.transaction`); it then reads here the claims of all workers. A
host belongs to one worker as long as that worker's lease runs, and the worker keeps the host while
it has visits there. A worker has one lease for all its hosts and visits. If it does not renew the
lease, the other workers take over its hosts and visits when the lease runs out. The worker itself
makes no request after that time, even if it was suspended in between, unless that was between its
look at the clock and the request. `spec/locks/leases.py` is the spec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.fetching.job import HostState, Lease
from counterpoint.crawler.fetching.manners import POLITE
from counterpoint.crawler.store.recording import Recording

from .lease_log import LeaseLog

LEASE = 20.0
"""Seconds that a lease lasts."""
PAUSE = 1.0
"""Seconds after which a worker reads what the others have done; a tenth of that if it is idle."""
FORGOTTEN = 86_400.0
"""Seconds after the end of its lease when a worker's row is deleted."""


def database_clock(recording: Recording) -> float:
    """Return the time by the database's clock, in seconds since 1970."""
    return float(recording.read("clock")[0].seconds)


@dataclass(frozen=True)
class Worker:
    """A process that crawls a store with others.

    Attributes
    ----------
    name : str
        A name that no other worker has.
    here : callable
        The clock by which the worker makes requests, in seconds since 1970.
    seconds : float
        How long a lease lasts; it is renewed when a third of it is over.
    least : float
        The least time in seconds between the end of a worker and the next request to its hosts.
    clock : callable
        The clock of leases, the same for all workers.
    behind : float
        By how many seconds at most ``here`` is behind it.
    log : LeaseLog, optional
        Where the worker notes what it does.
    """

    name: str
    here: Callable[[], float]
    seconds: float = LEASE
    least: float = POLITE
    clock: Callable[[Recording], float] = database_clock
    behind: float = 0.0
    log: LeaseLog | None = None


class Leases:
    """The hosts and visits of a worker and of the others, as of the present transaction.

    Parameters
    ----------
    worker : Worker

    Attributes
    ----------
    mine : dict of int to str
        The visits that this worker must fetch, with their hosts.
    is_first : bool
        Whether its name is the first among the workers whose leases run.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.mine: dict[int, str] = {}
        self.is_first = True
        self._known: set[str] = set()
        self._holders: dict[str, str | None] = {}
        self._leaving: set[str] = set()
        self._new_states: dict[str, HostState] = {}
        self._changes: list[tuple[str, str]] = []

    def keep_delay(self, delay: float | None) -> None:
        """Leave hosts alone for this time in seconds when the worker ends; None: as is polite."""
        self.worker = replace(self.worker, least=POLITE if delay is None else delay)

    def look(self, recording: Recording, plan: int, waits: str) -> None:
        """Read the claims of all workers, and renew the lease if necessary.

        Parameters
        ----------
        recording : Recording
            The recording of the present transaction, in which no other worker plans.
        plan : int
            The number of the plan.
        waits : str
            What the worker waits for; it is stored with the lease.
        """
        worker, here = self.worker, self.worker.here()
        self._recording, self._plan, self._changes = recording, plan, []
        self._now = now = worker.clock(recording)
        self._others = dict(map(tuple, recording.read("workers")))
        until = self._others.pop(worker.name, 0.0)
        alive = [name for name, end in self._others.items() if end > now]
        self.is_first = all(worker.name < name for name in alive)
        self._alive = 1 + len(alive)
        claims = recording.read("claims", plan=plan)
        self._holders = {claim.host: claim.holder for claim in claims}
        self._own = {claim.number for claim in claims if claim.worker == worker.name}
        self.mine = {claim.number: claim.host for claim in claims
                     if claim.worker == claim.holder == worker.name}  # fmt: skip
        self._open = {
            claim.number: claim.host for claim in claims if claim.number not in self.mine
            and not (claim.worker == claim.holder and self._lives(claim.holder))
        }  # fmt: skip
        if until - now < worker.seconds * 2 / 3:
            until = now + worker.seconds
            self._renew(until, waits)
        self._end, self._until = until, here + (until - now)

    def answered(self, number: int) -> bool:
        """Return whether an answer is valid (no other worker fetches the visit); drop the visit."""
        self.mine.pop(number, None)
        return number in self._own

    def has_room(self, ahead: int) -> bool:
        """Return whether more requests may be made.

        They may be if neither this worker nor the visits that no worker fetches yet have reached
        ``ahead``.
        """
        return len(self.mine) < ahead and len(self._open) < ahead

    def offered(self, number: int, address: str) -> str | None:
        """Claim a new visit if its host is free; return the worker that fetches it, or None."""
        host = site(address)
        if host not in self._holders:
            found = self._recording.read("holder", host=host)
            self._holders[host] = found[0].worker if found else None
        if self._take(number, host):
            return self.worker.name
        self._open[number] = host
        return None

    def claim(self, ahead: int) -> None:
        """Claim visits that no worker fetches, in the order of their requests, up to ``ahead``."""
        for number, host in list(self._open.items()):
            if len(self.mine) >= ahead:
                break
            if self._take(number, host):
                del self._open[number]
                self._recording.write("claim visit", {
                    "plan": self._plan, "number": number, "worker": self.worker.name,
                })  # fmt: skip

    @property
    def pause(self) -> float:
        """Seconds after which the worker must read the claims again."""
        return min(PAUSE, self.worker.seconds / 3) / (1 if self.mine else 10)

    def committed(self) -> None:
        """Note what the transaction has changed, after it was committed."""
        if self._changes and self.worker.log is not None:
            self.worker.log.transaction(self._now, self._end, self._changes)

    def handed(self, lost: Iterable[int]) -> Lease:
        """Return the lease for the dispatcher, after the transaction was committed.

        Parameters
        ----------
        lost : iterable of int
            The visits that now belong to other workers.
        """
        if self._changes and self.worker.log is not None:
            self.worker.log.hand()
        self._known |= set(self.mine.values())
        states, self._new_states = tuple(self._new_states.values()), {}
        return Lease(self._until, frozenset(lost), states)

    def leave_some(self) -> None:
        """Give up hosts that others shall have, and read the stored states of newly taken hosts."""
        drained = self._leaving - set(self.mine.values())
        self._leave(drained, 0.0)
        self._leaving -= drained
        self._new_states = {}
        for host in dict.fromkeys(self.mine.values()):
            if host not in self._known:
                self._new_states[host] = HostState(*self._recording.read("host", host=host)[0])

    def leave(self, recording: Recording) -> None:
        """Give up all hosts and visits; requests in flight may have been aborted."""
        self._recording, self._now = recording, self.worker.clock(recording)
        self._end, self._changes = self._now, [("stop", "")]
        name = self.worker.name
        recording.write("leave visits", {"worker": name})
        for host, delay in self._held().items():
            self._leave([host], self._now + max(delay, self.worker.least))
        recording.write("forget workers", {"name": name, "before": self._now - FORGOTTEN})

    def _held(self) -> dict[str, float]:
        """Return all hosts of the worker, with their delays in seconds."""
        return dict(map(tuple, self._recording.read("held", worker=self.worker.name)))

    def _lives(self, name: str | None) -> bool:
        return name is not None and (
            name == self.worker.name or self._others.get(name, 0.0) > self._now
        )

    def _take(self, number: int, host: str) -> bool:
        """Claim a visit if its host belongs to the worker or can be taken; return whether."""
        holder = self._holders[host]
        if holder != self.worker.name:
            if self._lives(holder) or len(set(self.mine.values())) >= self._share():
                return False
            self._hold(host, holder)
        elif host in self._leaving:
            return False
        self.mine[number] = host
        return True

    def _share(self) -> int:
        """Return how many of the hosts with open visits one worker may have."""
        return -(-len(self._holders) // self._alive)

    def _hold(self, host: str, holder: str | None) -> None:
        """Take a host; requests of its last worker began before that worker's lease ran out."""
        found = self._recording.read("host", host=host)
        state = HostState(*found[0]) if found else HostState(host)
        free_at = state.free_at
        if holder in self._others:
            gone = self._others[holder] + max(state.delay, self.worker.least)
            free_at = max(free_at, gone)
        self._recording.write("hold host", {
            "host": host, "free_at": free_at, "worker": self.worker.name,
        })  # fmt: skip
        self._changes.append(("take", host))
        self._holders[host] = self.worker.name
        self._known.discard(host)
        self._leaving.discard(host)

    def _leave(self, hosts: Iterable[str], free_at: float) -> None:
        gone = set(hosts)
        rows = [{"host": host, "free_at": free_at, "worker": self.worker.name} for host in gone]
        self._recording.write("leave host", rows)
        self._changes += [("leave", host) for host in gone]
        self._known -= gone
        self._holders.update((host, None) for host in gone & self._holders.keys())

    def _renew(self, until: float, waits: str) -> None:
        """Renew the lease; give up idle hosts, and mark hosts above the worker's share to leave."""
        name = self.worker.name
        self._changes.append(("renew", ""))
        self._recording.write("worker", {"name": name, "until": until, "waits": waits})
        active = set(self.mine.values())
        self._leave(self._held().keys() - active, 0.0)
        self._leaving = set(sorted(active)[self._share() :])
        self._recording.write("forget workers", {"name": "", "before": self._now - FORGOTTEN})
