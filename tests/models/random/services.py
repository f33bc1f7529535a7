"""Specs as a stranger writes them: services with clocks, and many steps that change nothing."""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Number,
    Spec,
    action,
    count,
    every,
    implies,
    invariant,
    no,
    require,
    sometimes,
    transition,
)


class Lease(Spec):
    """A leader holds a lease for some time; its writes carry a token that the store compares."""

    nodes = Index(3, names="n", labels="N")
    length = Number(2, at_least=1)
    fencing = Choice("compares", "none", help="whether the store compares tokens")

    leader = Integer(-1, lambda s: len(s.nodes) - 1, initially=-1)
    left = Integer(0, lambda s: s.length)
    token = Integer(0, 4)
    own = Array(nodes, Integer(0, 4))
    highest = Integer(0, 4)

    @action
    def acquire(s, n):
        """Become the leader once the lease of the last one is over."""
        require(s.left == 0, s.token < 4)
        s.token += 1
        s.leader, s.left, s.own[n] = n, s.length, s.token

    @action
    def renew(s, n):
        """Make the lease as long as it was; nothing changes just after it was acquired."""
        require(s.leader == n, s.left > 0)
        s.left = s.length

    @action
    def poll(s, n):
        """Ask who leads; nothing changes."""
        require(s.token >= 0)

    @action
    def tick(s):
        """Let time pass."""
        require(s.left > 0)
        s.left -= 1

    @action
    def write(s, n):
        """Write with the own token, even if the lease is over by now."""
        require(s.own[n] > 0, (s.own[n] >= s.highest) | (s.fencing == "none"))
        s.highest = s.own[n]

    @transition
    def tokens_never_fall(s, after):
        """No write of an old leader comes after one of a newer leader."""
        return after.highest >= s.highest

    @invariant
    def two_leaders_never_write(s):
        """The store never has a token that nobody drew."""
        return s.highest <= s.token

    @sometimes
    def the_third_leader_has_written(s):
        """Leases change hands, and the leaders write."""
        return s.highest == 3


class IdleBuffer(Spec):
    """A bounded buffer whose threads look, log and yield more than they work."""

    threads = Index(3, names="t", labels="T", at_least=2)
    capacity = Number(3, at_least=1)
    guard = Choice("strict", "late", help="whether a producer looks again before it puts")

    filled = Integer(0, lambda s: s.capacity + len(s.threads))
    ready = Array(threads, Boolean())
    taken = Integer(0, 3)

    @action
    def look(s, t):
        """Look at the buffer; nothing changes."""
        require(s.filled >= 0)

    @action
    def log(s, t):
        """Write a line; nothing changes."""
        require(s.taken >= 0)

    @action
    def rest(s, t):
        """Give others a turn; nothing changes."""
        require(no(s.ready[t]))

    @action
    def prepare(s, t):
        """See that there is room."""
        require(no(s.ready[t]), s.filled < s.capacity)
        s.ready[t] = True

    @action
    def put(s, t):
        """Put an item."""
        require(s.ready[t], (s.filled < s.capacity) | (s.guard == "late"))
        s.filled, s.ready[t] = s.filled + 1, False

    @action
    def give_up(s, t):
        """Forget what was seen."""
        require(s.ready[t])
        s.ready[t] = False

    @action
    def take(s, t):
        """Take an item."""
        require(s.filled > 0)
        s.filled = s.filled - 1
        s.taken = (s.taken + 1) % 4

    @invariant
    def nothing_is_overwritten(s):
        """The buffer has no more items than places."""
        return s.filled <= s.capacity


class LockService(Spec):
    """Clients poll for a lock; an owner may be thought dead and wake again."""

    clients = Index(3, names="c", labels="C")
    expiry = Choice("revokes", "forgets", help="whether an owner that was slow learns of it")

    owner = Integer(-1, lambda s: len(s.clients) - 1, initially=-1)
    waits = Array(clients, Boolean())
    inside = Array(clients, Boolean())
    seen = Array(clients, Boolean())

    @action
    def ask(s, c):
        """Ask for the lock."""
        require(no(s.waits[c]), no(s.inside[c]))
        s.waits[c] = True

    @action
    def poll(s, c):
        """Ask whether it is free: seldom a change."""
        require(s.waits[c])
        s.seen[c] = s.owner == -1

    @action
    def ping(s, c):
        """Say that one is alive; nothing changes."""
        require(s.owner >= -1)

    @action
    def grab(s, c):
        """Take it, if it was seen to be free and is."""
        require(s.waits[c], s.seen[c], s.owner == -1)
        s.owner, s.waits[c], s.seen[c], s.inside[c] = c, False, False, True

    @action
    def leave(s, c):
        """Give it back."""
        require(s.inside[c])
        s.inside[c] = False
        if s.owner == c:
            s.owner = -1

    @action
    def expire(s):
        """Take the lock from its owner, who may not know it."""
        require(s.owner != -1)
        for c in s.clients:
            if (s.expiry == "revokes") & (s.owner == c):
                s.inside[c] = False
        s.owner = -1

    @invariant
    def one_is_inside(s):
        """At most one client is in the critical section."""
        return count(s.inside[c] for c in s.clients) <= 1


class Retry(Spec):
    """A client sends requests again after a time-out; the server must do each once."""

    calls = Index(2, names="k", labels="K")
    most = Number(3, at_least=1)
    server = Choice("remembers", "forgets", help="whether the server knows what it has done")

    tries = Array(calls, Integer(0, lambda s: s.most))
    wire = Array(calls, Integer(0, 2))
    done = Array(calls, Integer(0, 8))
    answer = Array(calls, Boolean())
    got = Array(calls, Boolean())
    timer = Array(calls, Integer(0, 2))

    @action
    def send(s, k):
        """Send the request; the timer starts."""
        require(no(s.got[k]), s.timer[k] == 0, s.tries[k] < s.most, s.wire[k] < 2)
        s.tries[k], s.wire[k], s.timer[k] = s.tries[k] + 1, s.wire[k] + 1, 2

    @action
    def tick(s):
        """Let time pass for all calls; nothing changes if no timer runs."""
        for k in s.calls:
            if s.timer[k] > 0:
                s.timer[k] -= 1

    @action
    def lose(s, k):
        """Lose a message."""
        require(s.wire[k] > 0)
        s.wire[k] -= 1

    @action
    def serve(s, k):
        """Do the request, and answer."""
        require(s.wire[k] > 0)
        s.wire[k] -= 1
        s.answer[k] = True
        if (s.server == "forgets") | (s.done[k] == 0):
            s.done[k] += 1

    @action
    def receive(s, k):
        """Receive the answer."""
        require(s.answer[k])
        s.answer[k], s.got[k], s.timer[k] = False, True, 0

    @action
    def wait(s, k):
        """Wait; nothing changes."""
        require(no(s.got[k]))

    @invariant
    def at_most_once(s):
        """No request is done twice."""
        return every(s.done[k] <= 1 for k in s.calls)

    @invariant
    def an_answer_was_earned(s):
        """Whoever has an answer had a request done."""
        return every(implies(s.got[k], s.done[k] > 0) for k in s.calls)
