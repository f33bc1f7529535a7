"""A bounded buffer: producers wait while it is full, consumers while it is empty.

It shows a classic error with condition variables. All threads sleep in one queue, and a thread
that changes the buffer wakes one sleeper. With two consumers the sleeper that wakes may be one that
can do nothing, and then all threads sleep. Waking all sleepers is right.

    counterpoint check bounded_buffer.py
    counterpoint check bounded_buffer.py --set wakes=one
"""

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Number,
    Spec,
    action,
    every,
    finished,
    invariant,
    no,
    require,
)


class BoundedBuffer(Spec):
    """Thread T0 produces without end; the others consume."""

    threads = Index(3, names="t woken", labels="T", at_least=2)
    capacity = Number(1, at_least=1, at_most=4)
    wakes = Choice("all", "one", help="how many sleepers a change of the buffer wakes")

    filled = Integer(0, lambda s: s.capacity)
    asleep = Array(threads, Boolean())

    def blocked(s, t):
        """Return whether a thread can do nothing with the buffer as it is."""
        return s.filled == s.capacity if t == 0 else s.filled == 0

    @action
    def sleep(s, t):
        """Go to sleep, since the buffer is full or empty."""
        require(no(s.asleep[t]), s.blocked(t))
        s.asleep[t] = True

    @action(when=lambda s: s.wakes == "all")
    def change(s, t):
        """Put or take an item, and wake all sleepers."""
        require(no(s.asleep[t]), no(s.blocked(t)))
        s.filled = s.filled + 1 if t == 0 else s.filled - 1
        for other in s.threads:
            s.asleep[other] = False

    @action(when=lambda s: s.wakes == "one")
    def change_and_wake(s, t, woken):
        """Put or take an item, and wake one sleeper, if there is any."""
        require(no(s.asleep[t]), no(s.blocked(t)))
        require(s.asleep[woken] | every(no(s.asleep[u]) for u in s.threads))
        s.filled = s.filled + 1 if t == 0 else s.filled - 1
        s.asleep[woken] = False

    @finished
    def never(s):
        """No run may end: a state without a step is a deadlock."""
        return s.filled < 0

    @invariant
    def a_thread_is_awake(s):
        """Not all threads sleep."""
        return no(every(s.asleep[t] for t in s.threads))
