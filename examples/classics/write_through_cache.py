"""A write-through cache: each processor has one, and a queue leads to the memory.

Writes go into the queue and into all caches that have the address. From "Specifying Systems" by
Leslie Lamport (2002), chapters 5 and 8; modules WriteThroughCache and LiveWriteThroughCache of
tlaplus/Examples.

    counterpoint check write_through_cache.py
"""

from enum import IntEnum

from counterpoint import (
    ANY,
    Array,
    Index,
    Integer,
    Member,
    Number,
    Queue,
    Record,
    Spec,
    action,
    choose,
    every,
    invariant,
    ite,
    leads_to,
    require,
    some,
)


class At(IntEnum):
    """What a processor waits for."""

    READY, BUSY, WAITING, DONE = range(4)


class Kind(IntEnum):
    """What a processor's buffer, or the interface, has."""

    NOTHING, VALUE, READ, WRITE = range(4)


class WriteThroughCache(Spec):
    """In a cache, -1 is no value; the interface shows the last request or answer."""

    processors = Index(2, names="p", labels="P")
    addresses = Index(1, names="a", labels="A")
    values = Index(2, names="v", labels="V")
    longest = Number(1, at_least=1, at_most=4)
    memory = Array(addresses, Integer(0, lambda s: len(s.values) - 1, initially=ANY))
    at = Array(processors, Member(At))
    buffer = Array(processors, Record(kind=Member(Kind), address=addresses, value=values))
    shown = Record(by=processors, kind=Member(Kind), address=addresses, value=values)
    cache = Array((processors, addresses), Integer(-1, lambda s: len(s.values) - 1, initially=-1))
    queue = Queue(
        Record(by=processors, writes=Integer(0, 1), address=addresses, value=values),
        capacity=lambda s: s.longest,
    )

    @action
    def read(s, p, a):
        """Ask for the value at an address."""
        s.ask(p, dict(kind=Kind.READ, address=a, value=0))

    @action
    def write(s, p, a, v):
        """Ask to write a value."""
        s.ask(p, dict(kind=Kind.WRITE, address=a, value=v))

    def ask(s, p, request):
        """Send a request over the interface."""
        require(s.at[p] == At.READY)
        s.buffer[p] = request
        s.shown = dict(by=p, **request)
        s.at[p] = At.BUSY

    @action(fair="weak", fair_for=("p",))
    def finish(s, p, a, what=choose("answer", "read the cache")):
        """Show the answer, or read what the cache has."""
        if what == "answer":
            require(a == 0, s.at[p] == At.DONE)
            answer = s.buffer[p]
            s.shown = dict(by=p, kind=answer.kind, address=answer.address, value=answer.value)
            s.at[p] = At.READY
        else:
            require((s.at[p] == At.BUSY) | (s.at[p] == At.WAITING))
            require(s.buffer[p].kind == Kind.READ, s.buffer[p].address == a, s.cache[p, a] >= 0)
            s.buffer[p] = dict(kind=Kind.VALUE, address=0, value=s.cache[p, a])
            s.at[p] = At.DONE

    @action(fair="strong", fair_for=("p",))
    def use_the_queue(s, p, a, what=choose("read", "write")):
        """Join the queue, to read what is not in the cache or to write."""
        require(s.at[p] == At.BUSY, s.buffer[p].address == a, s.queue.length < s.longest)
        if what == "read":
            require(s.buffer[p].kind == Kind.READ, s.cache[p, a] < 0)
            s.queue.put(by=p, writes=0, address=a, value=0)
            s.at[p] = At.WAITING
        else:
            require(s.buffer[p].kind == Kind.WRITE)
            value = s.buffer[p].value
            for q in s.processors:
                has = True if q == p else s.cache[q, a] >= 0
                s.cache[q, a] = ite(has, value, s.cache[q, a])
            s.queue.put(by=p, writes=1, address=a, value=value)
            s.buffer[p] = dict(kind=Kind.NOTHING, address=0, value=0)
            s.at[p] = At.DONE

    def newest(s, a):
        """The memory as it will be when the queue is empty."""
        found = s.memory[a]
        for k in range(s.longest):
            if s.queue.length > k:
                one = s.queue[k]
                found = ite((one.writes == 1) & (one.address == a), one.value, found)
        return found

    def serve(s, a, writes):
        """Do what the first of the queue wants."""
        require(s.queue.length > 0)
        require((s.queue.first.writes == 1) == writes, s.queue.first.address == a)
        newest = s.newest(a)
        first = s.queue.take()
        if writes:
            s.memory[a] = first.value
        else:
            s.cache[first.by, a] = newest

    def waited_for(s):
        """The queue is full, or somebody in it wants to read."""
        reads = some(
            (s.queue[k].writes == 0) if s.queue.length > k else False for k in range(s.longest)
        )
        return (s.queue.length == s.longest) | reads

    @action
    def write_at_leisure(s, a):
        """Write to the memory, although nobody waits for it."""
        require(s.waited_for() == 0)
        s.serve(a, True)

    @action(fair="weak", fair_for=())
    def use_memory(s, a, what=choose("read", "write")):
        """Read the memory, or write to it because somebody waits for it."""
        require(s.waited_for())
        s.serve(a, what == "write")

    @action
    def evict(s, p, a):
        """Forget what a cache has, unless its processor waits for just that."""
        require((s.at[p] != At.WAITING) | (s.buffer[p].address != a))
        s.cache[p, a] = -1

    @invariant
    def coherent(s):
        """All caches that have an address have the same value."""
        return every(
            (s.cache[p, a] < 0) | (s.cache[q, a] < 0) | (s.cache[p, a] == s.cache[q, a])
            for p in s.processors
            for q in s.processors
            if p < q
            for a in s.addresses
        )

    @leads_to
    def a_request_is_answered(s):
        """A processor that asks is answered; all processors are alike."""
        return s.at[0] == At.BUSY, s.at[0] == At.READY
