"""The leases by which several workers share the hosts of a crawl: `crawler/beebot/leases.py`.

A worker has one lease for all its hosts. In a transaction that excludes the others' it reads its
own clock, then the database's; it renews its lease when a third of it is over, and takes hosts that
nobody has, or whose worker's lease has run out. After the commit its dispatcher learns until when
it may ask, by its own clock. A worker can be suspended or die between any two steps.

Time is counted in ticks. ``left`` is what is left of a lease by the database's clock, ``trusts`` is
what is left of it by the worker's own, which may differ by any constant. Not described are visits,
how many hosts a worker may have, and how long an answer takes: a request is one step.

Logs have no ticks. With ``time=each-alone`` the leases run out one by one in any order, as if each
had its own length; so a log explains itself if leases end in some order that fits.
"""

from __future__ import annotations

from typing import Any, Self

from counterpoint.spec.notation import (
    Array,
    Choice,
    Integer,
    Member,
    Number,
    Reference,
    SpecError,
    Value,
    action,
    every,
    implies,
    invariant,
    ite,
    lemma,
    maximum,
    minimum,
    no,
    refines,
    require,
    some,
    sometimes,
    transition,
)

from .holders import Hosts, LeaseHolders, Nobody
from .lease_places import Job, Nowhere, Place


class Leases(Hosts):
    """Workers that take hosts, renew their leases, stop, are suspended and die."""

    name = "leases"

    lease = Number(2, at_least=1, at_most=9, help="how many ticks a lease lasts")
    delay = Number(2, at_most=9, help="how many ticks pass between two requests to a host")
    clock = Choice(
        "goes-on", "stands-still", help="what a worker's own clock does while it is suspended"
    )
    sends = Choice("at-once", "later", help="when a request is sent after the lease was looked at")
    time = Choice("one-clock", "each-alone", help="how leases run out", reading=False)

    place = Array(Hosts.workers, Member(Place))
    left = Array(Hosts.workers, Integer(lambda s: -s.delay, lambda s: s.lease,
                                        initially=lambda s, w: -s.delay))  # fmt: skip
    """Ticks to the end of a lease by the database's clock; below 0, ticks since then."""
    granted = Array(Hosts.workers, Integer(0, lambda s: s.lease))
    """What was left of the lease when the worker read the database's clock."""
    age = Array(Hosts.workers, Integer(0, lambda s: s.lease))
    """Ticks of the worker's own clock since its transaction began."""
    trusts = Array(Hosts.workers, Integer(0, lambda s: s.lease))
    """How long the dispatcher may ask, by the worker's own clock."""
    job = Array((Hosts.workers, Hosts.hosts), Member(Job))
    wait = Array((Hosts.workers, Hosts.hosts), Integer(0, lambda s: s.delay))
    """How long a dispatcher waits before it asks a host."""
    free = Array(Hosts.hosts, Integer(0, lambda s: s.delay))
    """How long to wait, as the store has it: it may not know of the last requests."""
    rest = Array(Hosts.hosts, Integer(0, lambda s: s.delay))
    """History: how long any worker must wait."""
    about = Array(Hosts.workers, Reference(Hosts.hosts, Nowhere))
    """The host to which a request is sent next; only if it is sent later."""

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Refuse pauses without a clock that measures them."""
        settings = {n: given.get(n, p.default) for n, p in self.declared_parameters.items()}
        if settings["time"] == "each-alone" and settings["delay"]:
            raise SpecError("time=each-alone has no clock that measures pauses: set delay=0")
        return {}

    # A transaction

    @action
    def begin(s, w: int) -> None:
        """Begin a transaction, for which the others must have ended theirs; read the own clock."""
        require(some(s.place[w] == Place.AWAY, s.place[w] == Place.RUNS), no(s.is_busy()))
        s.place[w] = Place.LOOKS
        s.age[w] = 0

    @action
    def look(s, w: int) -> None:
        """Read the database's clock; renew the lease if a third of it is over."""
        require(s.place[w] == Place.LOOKS)
        s.left[w] = ite(3 * s.left[w] < 2 * s.lease, s.lease, s.left[w])
        s.granted[w] = s.left[w]
        s.place[w] = Place.PLANS

    @action
    def take(s, w: int, h: int) -> None:
        """Take a host that nobody has, or whose worker's lease has run out."""
        require(s.place[w] == Place.PLANS, s.holder[h] != w, no(s.is_held(h)))
        for v in s.workers:
            s.free[h] = ite(s.holder[h] == v, maximum(s.free[h], s.wait_after(v)), s.free[h])
        s.holder[h] = w
        s.job[w, h] = ite(s.job[w, h] == Job.HAS, Job.GOING, s.job[w, h])

    @action
    def leave(s, w: int, h: int) -> None:
        """Give up a host; all answers are stored, so the dispatcher has no job there."""
        require(s.place[w] == Place.PLANS, s.holder[h] == w)
        s.holder[h] = Nobody.NOBODY
        s.free[h] = maximum(s.free[h], ite(s.job[w, h] == Job.HAS, s.wait[w, h], 0))
        s.job[w, h] = Job.NONE

    @action
    def commit(s, w: int) -> None:
        """End the transaction."""
        require(s.place[w] == Place.PLANS)
        for h in s.hosts:
            s.job[w, h] = ite(
                s.keeps(w, h),
                ite(s.job[w, h] == Job.HAS, Job.HAS, Job.COMING),
                ite(s.knows(w, h), Job.GOING, Job.NONE),
            )
        s.place[w] = Place.HANDS

    @action
    def hand(s, w: int) -> None:
        """Let the dispatcher know the end of the lease, new hosts and lost ones."""
        require(s.place[w] == Place.HANDS)
        s.trusts[w] = maximum(s.granted[w] - s.age[w], 0)
        for h in s.hosts:
            comes = s.job[w, h] == Job.COMING
            s.wait[w, h] = ite(comes, maximum(s.wait[w, h], s.free[h]), s.wait[w, h])
            s.job[w, h] = ite(some(comes, s.job[w, h] == Job.HAS), Job.HAS, Job.NONE)
        s.place[w] = Place.RUNS

    # What the dispatcher does meanwhile

    @action(when=lambda s: s.sends == "at-once")
    def ask(s, w: int, h: int) -> None:
        """Look at the clock, and send a request."""
        require(s.may_ask(w, h))
        s.send_to(w, h)

    @action(when=lambda s: s.sends == "later")
    def decide(s, w: int, h: int) -> None:
        """Look at the clock; the connection is made next."""
        require(s.may_ask(w, h), s.about[w] == Nowhere.NOWHERE)
        s.about[w] = h

    @action(when=lambda s: s.sends == "later")
    def send(s, w: int, h: int) -> None:
        """Send the request on the connection."""
        require(s.about[w] == h)
        s.about[w] = Nowhere.NOWHERE
        s.send_to(w, h)

    def send_to(s, w: int, h: int) -> None:
        """Note a request, and the pause after it."""
        s.record_request(w, h)
        s.wait[w, h] = s.delay
        s.rest[h] = s.delay

    # How a worker ends

    @action
    def stop(s, w: int) -> None:
        """Close the dispatcher, and give up the lease and all hosts in a transaction."""
        require(some(s.place[w] == Place.RUNS, s.place[w] == Place.HANDS), no(s.is_busy()))
        for h in s.hosts:
            s.free[h] = ite(s.holder[h] == w, s.wait_after_stop(h), s.free[h])
            s.holder[h] = ite(s.holder[h] == w, Nobody.NOBODY, s.holder[h])
        s.left[w] = -s.delay
        s.place[w] = Place.AWAY
        s.forget(w)

    @action
    def die(s, w: int) -> None:
        """Die; a transaction in which something was changed already has no effect."""
        require(s.place[w] != Place.AWAY, s.place[w] != Place.DEAD, s.place[w] != Place.PLANS)
        s.place[w] = Place.DEAD
        s.forget(w)

    def forget(s, w: int) -> None:
        """Forget what is in the memory of a process."""
        s.granted[w] = s.age[w] = s.trusts[w] = 0
        s.about[w] = Nowhere.NOWHERE
        for h in s.hosts:
            s.job[w, h] = Job.NONE
            s.wait[w, h] = 0

    # Time

    @action(when=lambda s: s.time == "one-clock")
    def tick(s) -> None:
        """Let time pass; a worker that takes no step meanwhile may be suspended."""
        for w in s.workers:
            s.pass_time(w)
            s.pass_own_time(w)
        s.pass_pauses()

    @action(when=lambda s: s.time == "one-clock" and s.clock == "stands-still")
    def tick_asleep(s, w: int) -> None:
        """Let time pass while the machine of a worker sleeps, with its clock."""
        for v in s.workers:
            s.pass_time(v)
            if v != w:
                s.pass_own_time(v)
        s.pass_pauses()

    @action(when=lambda s: s.time == "each-alone")
    def tick_alone(s, w: int) -> None:
        """Let time pass for the lease of one worker."""
        s.pass_time(w)
        s.pass_own_time(w)

    def pass_time(s, w: int) -> None:
        """Let a tick of the database's clock pass."""
        s.left[w] = maximum(s.left[w] - 1, -s.delay)

    def pass_own_time(s, w: int) -> None:
        """Let a tick of the worker's clock pass."""
        s.trusts[w] = maximum(s.trusts[w] - 1, 0)
        s.age[w] = minimum(s.age[w] + 1, s.lease)

    def pass_pauses(s) -> None:
        """Let a tick of all pauses pass."""
        for h in s.hosts:
            s.free[h] = maximum(s.free[h] - 1, 0)
            s.rest[h] = maximum(s.rest[h] - 1, 0)
            for w in s.workers:
                s.wait[w, h] = maximum(s.wait[w, h] - 1, 0)

    # How it decides

    def runs_of(s, w: int) -> Value:
        """Return whether the lease of a worker runs, by the database's clock."""
        return s.left[w] > 0

    def is_busy(s) -> Value:
        """Return whether a transaction goes on."""
        return some(some(s.place[v] == Place.LOOKS, s.place[v] == Place.PLANS) for v in s.workers)

    def is_alive(s, w: int) -> Value:
        """Return whether the process of a worker runs."""
        return every(s.place[w] != Place.AWAY, s.place[w] != Place.DEAD)

    def keeps(s, w: int, h: int) -> Value:
        """Return whether a worker that commits has a host."""
        return s.holder[h] == w

    def knows(s, w: int, h: int) -> Value:
        """Return whether the dispatcher has jobs of a host."""
        return some(s.job[w, h] == Job.HAS, s.job[w, h] == Job.GOING)

    def may_ask(s, w: int, h: int) -> Value:
        """Return whether the dispatcher asks a host: it has a job, and its lease runs."""
        return every(s.is_alive(w), s.knows(w, h), s.trusts[w] > 0, s.wait[w, h] == 0)

    def wait_after(s, v: int) -> Value:
        """Return how long to wait for a host that v has held; its last request may be unknown."""
        return maximum(s.left[v] + s.delay, 0)

    def wait_after_stop(s, h: int) -> Value:
        """Return how long to wait for a host that was left; a request may have been aborted."""
        return s.delay

    # What must hold

    @refines(LeaseHolders)
    def holds_as_said(s, abstract: LeaseHolders) -> None:
        """A host is held by one worker at most, and asked by that worker alone."""
        for w in s.workers:
            abstract.runs[w] = s.runs_of(w)
        for h in s.hosts:
            abstract.holder[h] = s.holder[h]
            abstract.asked_by[h] = s.asked_by[h]
            abstract.odd[h] = s.odd[h]

    @invariant
    def the_worker_stops_first(s) -> Value:
        """A dispatcher never trusts a lease longer than it runs by the database's clock."""
        return every(s.trusts[w] <= maximum(s.left[w], 0) for w in s.workers)

    @transition
    def hosts_are_left_alone(s, after: Self) -> Value:
        """Between two requests to a host there is the pause, whichever workers send them."""
        return every(implies(s.odd[h] != after.odd[h], s.rest[h] == 0) for h in s.hosts)

    # Why it holds

    @property
    def is_right(s) -> bool:
        """Whether this is the protocol as it should be."""
        return s.clock == "goes-on" and s.sends == "at-once"

    @lemma(when=lambda s: s.is_right)
    def grants_are_not_too_long(s) -> Value:
        """What a dispatcher trusts, or will trust, is not more than what is left of the lease."""
        return every(
            every(
                s.trusts[w] <= maximum(s.left[w], 0),
                implies(
                    some(s.place[w] == Place.PLANS, s.place[w] == Place.HANDS),
                    s.granted[w] - s.age[w] <= maximum(s.left[w], 0),
                ),
            )
            for w in s.workers
        )

    @lemma(when=lambda s: s.is_right)
    def jobs_are_of_held_hosts(s) -> Value:
        """A dispatcher that trusts its lease has jobs of its worker's hosts only."""
        return every(
            every(
                implies(every(s.knows(w, h), s.trusts[w] > 0), s.holder[h] == w),
                implies(s.job[w, h] == Job.GOING, s.trusts[w] == 0),
                implies(
                    every(
                        s.place[w] == Place.HANDS,
                        some(s.job[w, h] == Job.HAS, s.job[w, h] == Job.COMING),
                        s.granted[w] > s.age[w],
                    ),
                    s.holder[h] == w,
                ),
            )
            for w in s.workers
            for h in s.hosts
        )

    @lemma(when=lambda s: s.is_right)
    def pauses_are_known(s) -> Value:
        """The pause of a host is known to its worker, to the store, or follows from the lease."""
        return every(
            every(
                implies(s.holder[h] == Nobody.NOBODY, s.rest[h] <= s.free[h]),
                every(
                    implies(
                        s.holder[h] == w,
                        some(s.rest[h] <= s.free[h], s.rest[h] <= s.left[w] + s.delay),
                    )
                    for w in s.workers
                ),
                every(
                    implies(
                        every(s.holder[h] == w, s.is_alive(w)),
                        s.rest[h] <= ite(s.job[w, h] == Job.HAS, s.wait[w, h], s.free[h]),
                    )
                    for w in s.workers
                ),
                every(implies(s.place[w] == Place.AWAY, s.holder[h] != w) for w in s.workers),
            )
            for h in s.hosts
        )

    # What can happen

    @sometimes(when=lambda s: len(s.workers) > 1)
    def a_host_is_taken_over(s) -> Value:
        """A worker can lose a host, and not know it yet."""
        return some(
            every(s.job[w, h] == Job.HAS, s.holder[h] == v, s.runs_of(v))
            for w in s.workers for v in s.workers if v != w for h in s.hosts
        )  # fmt: skip

    @sometimes(when=lambda s: len(s.workers) > 1)
    def a_worker_learns_of_its_loss(s) -> Value:
        """A worker that wakes up can find in its transaction that a host is another's."""
        return some(s.job[w, h] == Job.GOING for w in s.workers for h in s.hosts)

    @sometimes(when=lambda s: len(s.workers) > 1 and len(s.hosts) > 1)
    def two_workers_ask_at_a_time(s) -> Value:
        """Two workers can hold a host each, and ask."""
        return some(
            every(s.may_ask(w, h), s.may_ask(v, g))
            for w in s.workers for v in s.workers if v < w
            for h in s.hosts for g in s.hosts if g != h
        )  # fmt: skip
