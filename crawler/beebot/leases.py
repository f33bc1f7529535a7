"""Several workers for one plan: which of them fetches what.

One worker at a time plans (`Recording.plan_alone`), and reads here what all of them hold by then.
A host belongs to one worker as long as that one's lease runs; it keeps the host while it has visits
there. A worker has one lease for all that it holds. Whoever stops to renew it has, for the others,
left everything when it runs out; it makes no request later than that, whenever it wakes up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.fetching.job import HostState, Lease
from counterpoint.crawler.fetching.manners import POLITE
from counterpoint.crawler.store.recording import Recording

LEASE = 20.0
"""Seconds."""
PAUSE = 1.0
"""Seconds after which a worker looks what the others have done; a tenth of it if it is idle."""
FORGOTTEN = 86_400.0
"""Seconds after which a worker whose lease has run out is forgotten."""


def database_clock(recording: Recording) -> float:
    """Return the time by the database's clock, in seconds since 1970."""
    return float(recording.read("clock")[0][0])


@dataclass(frozen=True)
class Worker:
    """A process that crawls a store with others.

    Attributes
    ----------
    name : str
        Its own.
    here : callable
        The clock by which it makes requests, in seconds since 1970.
    seconds : float
        How long a lease runs; it is renewed when a third of it is over.
    least : float
        Seconds for which a host is left alone at least after its worker has gone.
    clock : callable
        The time by which leases run, the same for all.
    """

    name: str
    here: Callable[[], float]
    seconds: float = LEASE
    least: float = POLITE
    clock: Callable[[Recording], float] = database_clock


class Leases:
    """What a worker holds, and others hold, as the store has it in the present transaction.

    Parameters
    ----------
    worker : Worker

    Attributes
    ----------
    mine : dict of int to str
        The visits that the worker is to fetch, with their hosts.
    is_first : bool
        Whether it comes first of those alive, by their names.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.mine: dict[int, str] = {}
        self.is_first = True
        self._known: set[str] = set()
        self._holders: dict[str, str | None] = {}
        self._leaving: set[str] = set()
        self._anew: dict[str, HostState] = {}

    def look(self, recording: Recording, plan: int, waits: str) -> None:
        """Read what everybody holds, and renew the lease if it is time.

        Parameters
        ----------
        recording : Recording
            Of the present transaction, in which nobody else plans.
        plan : int
        waits : str
            What the worker waits for.
        """
        worker, here = self.worker, self.worker.here()
        self._recording, self._plan = recording, plan
        self._now = now = worker.clock(recording)
        self._others = dict(map(tuple, recording.read("workers")))
        until = self._others.pop(worker.name, 0.0)
        alive = [name for name, end in self._others.items() if end > now]
        self.is_first = all(worker.name < name for name in alive)
        self._alive = 1 + len(alive)
        claims = recording.read("claims", plan=plan)
        self._holders = {host: holder for _, host, _, holder in claims}
        self._own = {number for number, _, by, _ in claims if by == worker.name}
        self.mine = {number: host for number, host, by, holder in claims
                     if by == holder == worker.name}  # fmt: skip
        self._open = {number: host for number, host, by, holder in claims if number not in self.mine
                      and not (by == holder and self._lives(holder))}  # fmt: skip
        if until - now < worker.seconds * 2 / 3:
            until = now + worker.seconds
            self._renew(until, waits)
        self._until = here + (until - now)

    def answered(self, number: int) -> bool:
        """Tell whether an answer counts, and let go of its visit: somebody else may fetch it."""
        self.mine.pop(number, None)
        return number in self._own

    def has_room(self, ahead: int) -> bool:
        """Tell whether more may be asked for: there is enough to do neither here nor for others."""
        return len(self.mine) < ahead and len(self._open) < ahead

    def offered(self, number: int, address: str) -> str | None:
        """Take a visit that is about to be issued if its host can be had; return who fetches it."""
        host = site(address)
        if host not in self._holders:
            found = self._recording.read("holder", host=host)
            self._holders[host] = found[0][0] if found else None
        if self._take(number, host):
            return self.worker.name
        self._open[number] = host
        return None

    def claim(self, ahead: int) -> None:
        """Take visits that nobody fetches, those issued first before others."""
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
        """Seconds after which it must be looked again."""
        return min(PAUSE, self.worker.seconds / 3) / (1 if self.mine else 10)

    def handed(self, lost: Iterable[int]) -> Lease:
        """Return what holds after a transaction that was committed."""
        self._known |= set(self.mine.values())
        states, self._anew = tuple(self._anew.values()), {}
        return Lease(self._until, frozenset(lost), states)

    def leave_some(self) -> None:
        """Leave hosts that others are to have, and read what is stored of those taken."""
        drained = self._leaving - set(self.mine.values())
        self._leave(drained, 0.0)
        self._leaving -= drained
        self._anew = {}
        for host in dict.fromkeys(self.mine.values()):
            if host not in self._known:
                self._anew[host] = HostState(*self._recording.read("host", host=host)[0])

    def leave(self, recording: Recording) -> None:
        """Leave everything, as requests that were under way may have been given up."""
        recording.plan_alone()
        self._recording, self._now = recording, self.worker.clock(recording)
        name = self.worker.name
        recording.write("leave visits", {"worker": name})
        for host, delay in self._held().items():
            self._leave([host], self._now + max(delay, self.worker.least))
        recording.write("forget workers", {"name": name, "before": self._now - FORGOTTEN})

    def _held(self) -> dict[str, float]:
        """Return all hosts that the worker holds, with their delays."""
        return dict(map(tuple, self._recording.read("held", worker=self.worker.name)))

    def _lives(self, name: str | None) -> bool:
        return name is not None and (
            name == self.worker.name or self._others.get(name, 0.0) > self._now
        )

    def _take(self, number: int, host: str) -> bool:
        """Take a visit if its host is the worker's own, or can be."""
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
        """Return how many of the hosts that are to be asked are one worker's."""
        return -(-len(self._holders) // self._alive)

    def _hold(self, host: str, holder: str | None) -> None:
        """Take a host; what its last worker asked began before that one's lease ran out."""
        found = self._recording.read("host", host=host)
        state = HostState(*found[0]) if found else HostState(host)
        free_at = state.free_at
        if holder in self._others:
            gone = self._others[holder] + max(state.delay, self.worker.least)
            free_at = max(free_at, gone)
        self._recording.write("hold host", {
            "host": host, "free_at": free_at, "worker": self.worker.name,
        })  # fmt: skip
        self._holders[host] = self.worker.name
        self._known.discard(host)
        self._leaving.discard(host)

    def _leave(self, hosts: Iterable[str], free_at: float) -> None:
        gone = set(hosts)
        rows = [{"host": host, "free_at": free_at, "worker": self.worker.name} for host in gone]
        self._recording.write("leave host", rows)
        self._known -= gone
        self._holders.update((host, None) for host in gone & self._holders.keys())

    def _renew(self, until: float, waits: str) -> None:
        """Renew the lease; leave what is not needed, and let others have what is too much."""
        name = self.worker.name
        self._recording.write("worker", {"name": name, "until": until, "waits": waits})
        active = set(self.mine.values())
        self._leave(self._held().keys() - active, 0.0)
        self._leaving = set(sorted(active)[self._share() :])
        self._recording.write("forget workers", {"name": "", "before": self._now - FORGOTTEN})
