"""Hosts and the workers that hold them: what leases are for, without clocks and messages.

A host is held by one worker at most, as long as that worker's lease runs. Only the holder asks it.
`leases` is the protocol that refines this.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    DerivedIndex,
    Index,
    Reference,
    Spec,
    Value,
    action,
    every,
    implies,
    no,
    require,
    some,
    sometimes,
    transition,
)


class Nobody(IntEnum):
    """The holder of a host that is free."""

    NOBODY = -1


class Hosts(Spec):
    """Hosts that workers hold and ask, as both specs have them."""

    workers = Index(2, names="w", labels="W", help="how many processes crawl the store")
    hosts = Index(1, names="h", labels="H", at_most=64, help="how many hosts they ask")

    holder = Array(hosts, Reference(workers, Nobody))
    """The worker that has taken a host last and not left it; it holds it while its lease runs."""
    asked_by = Array(hosts, Reference(workers, Nobody))
    """History: who has asked a host last."""
    odd = Array(hosts, Boolean())
    """History: whether a host was asked an odd number of times, so that each request is seen."""

    def runs_of(s, w: int) -> Value:
        """Return whether the lease of a worker runs."""
        raise NotImplementedError

    def is_held(s, h: int) -> Value:
        """Return whether the lease of the worker runs that has taken the host last."""
        return some(every(s.holder[h] == v, s.runs_of(v)) for v in s.workers)

    def record_request(s, w: int, h: int) -> None:
        """Note a request."""
        s.asked_by[h] = w
        s.odd[h] = no(s.odd[h])

    @transition
    def only_the_holder_asks(s, after: Self) -> Value:
        """A worker that asks a host has taken it, and its lease runs."""
        return every(
            implies(
                s.odd[h] != after.odd[h],
                some(
                    every(after.asked_by[h] == w, s.holder[h] == w, s.runs_of(w)) for w in s.workers
                ),
            )
            for h in s.hosts
        )

    @transition
    def a_running_lease_protects(s, after: Self) -> Value:
        """No host goes from one worker to another while the lease of the first one runs."""
        return every(
            implies(
                every(s.holder[h] == w, s.runs_of(w)),
                some(after.holder[h] == w, after.holder[h] == Nobody.NOBODY),
            )
            for h in s.hosts
            for w in s.workers
        )


class LeaseHolders(Hosts):
    """A host is held by one worker at most, and asked by that worker alone."""

    name = "lease-holders"

    workers = Index(2, names="w", labels="W", at_most=8, help="how many processes crawl the store")
    these = DerivedIndex(lambda s: 2 ** len(s.workers), names="these")
    """The sets of workers; worker w is in set n if bit w of n is 1."""

    runs = Array(workers, Boolean())
    """Whether the lease of a worker runs."""

    def runs_of(s, w: int) -> Value:
        """Return whether the lease of a worker runs."""
        return s.runs[w]

    @action
    def renew(s, w: int) -> None:
        """Begin a lease; the worker holds what it had if no other has taken it."""
        s.runs[w] = True

    @action
    def run_out(s, these: int) -> None:
        """Let the leases of some workers end at one moment."""
        for w in s.workers:
            if these >> w & 1:
                s.runs[w] = False

    @action
    def take(s, w: int, h: int) -> None:
        """Take a host that nobody holds."""
        require(no(s.is_held(h)))
        s.holder[h] = w

    @action
    def leave(s, w: int, h: int) -> None:
        """Give up a host."""
        require(s.holder[h] == w)
        s.holder[h] = Nobody.NOBODY

    @action
    def stop(s, w: int) -> None:
        """Give up the lease, and all hosts with it."""
        for h in s.hosts:
            if s.holder[h] == w:
                s.holder[h] = Nobody.NOBODY
        s.runs[w] = False

    @action
    def ask(s, w: int, h: int) -> None:
        """Send a request to a host that the worker holds."""
        require(s.holder[h] == w, s.runs[w])
        s.record_request(w, h)

    @sometimes(when=lambda s: len(s.workers) > 1)
    def one_host_is_asked_by_two(s) -> Value:
        """A host can be held by one worker and have been asked by another."""
        return some(
            every(s.is_held(h), s.holder[h] == w, s.asked_by[h] != w, s.asked_by[h] >= 0)
            for w in s.workers
            for h in s.hosts
        )
