"""A buffer between two channels, each of which hands over one value at a time.

On a channel the sender turns one bit, and the receiver turns the other one when it has the value.
From "Specifying Systems" by Leslie Lamport (2002), chapter 4; modules InnerFIFO and MCInnerFIFO of
tlaplus/Examples.

    counterpoint check fifo.py
"""

from counterpoint import (
    ANY,
    Array,
    Index,
    Integer,
    Number,
    Queue,
    Spec,
    action,
    constraint,
    every,
    initially,
    invariant,
    require,
)

IN, OUT = 0, 1


class Fifo(Spec):
    """Channel 0 leads into the buffer, and channel 1 out of it."""

    messages = Index(3, names="m", labels="M")
    longest = Number(3, at_least=1, at_most=6)
    channels = Index(2, names="c", labels="C", at_least=2, at_most=2)
    value = Array(channels, Integer(0, lambda s: len(s.messages) - 1, initially=ANY))
    ready = Array(channels, Integer(0, 1, initially=ANY))
    taken = Array(channels, Integer(0, 1, initially=ANY))
    buffer = Queue(messages, capacity=lambda s: s.longest + 1)

    @initially
    def channels_are_free(s):
        """Nothing is on a channel."""
        return every(s.ready[c] == s.taken[c] for c in s.channels)

    @constraint
    def short_buffer(s):
        """The buffer is not longer than it may be."""
        return s.buffer.length <= s.longest

    def put(s, c, m):
        """Put a value on a free channel."""
        require(s.ready[c] == s.taken[c])
        s.value[c] = m
        s.ready[c] = 1 - s.ready[c]

    def take(s, c):
        """Take the value from a channel."""
        require(s.ready[c] != s.taken[c])
        s.taken[c] = 1 - s.taken[c]

    @action
    def send(s, m):
        """Somebody sends a message."""
        s.put(IN, m)

    @action
    def store(s):
        """The buffer takes it."""
        s.take(IN)
        s.buffer.put(s.value[IN])

    @action
    def pass_on(s):
        """The buffer hands its first message on."""
        require(s.buffer.length > 0)
        s.put(OUT, s.buffer.take())

    @action
    def receive(s):
        """Somebody receives it."""
        s.take(OUT)

    @invariant
    def buffer_is_bounded(s):
        """The constraint holds in all states that are explored."""
        return s.buffer.length <= s.longest
