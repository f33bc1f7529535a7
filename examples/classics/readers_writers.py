"""Readers and writers with a queue: everybody reads and writes again and again.

A writer is alone, and several may read. Requests are served in the order of the queue. Module
ReadersWriters of tlaplus/Examples, by Isaac DeFrain.

    counterpoint check readers_writers.py --set actors=3
"""

from enum import IntEnum

from counterpoint import (
    DerivedIndex,
    Index,
    Member,
    Queue,
    Record,
    Set,
    Spec,
    action,
    every,
    infinitely_often,
    invariant,
    no,
    require,
)


class Wish(IntEnum):
    """What an actor asks for."""

    READ, WRITE = range(2)


class ReadersWriters(Spec):
    """Each actor may have one request of each kind in the queue."""

    actors = Index(2, names="a", labels="A", at_most=4)
    wishes = DerivedIndex(lambda s: 2, names="w")
    readers = Set(actors)
    writers = Set(actors)
    queue = Queue(Record(wish=Member(Wish), by=actors), capacity=lambda s: 2 * len(s.actors))

    @action(fair="weak")
    def ask(s, a, w):
        """Join the queue, to read or to write."""
        require(no(s.queue.has(dict(wish=w, by=a))))
        s.queue.put(wish=w, by=a)

    @action(fair="weak")
    def serve(s):
        """The first of the queue begins: a reader if nobody writes, a writer if it is alone."""
        require(s.queue.length > 0, s.writers.empty)
        require(s.readers.empty | (s.queue.first.wish == Wish.READ))
        first = s.queue.take()
        if first.wish == Wish.READ:
            s.readers.add(first.by)
        else:
            s.writers.add(first.by)

    @action(fair="weak", fair_for=())
    def stop(s, a):
        """Stop to read or write."""
        require(s.readers.has(a) | s.writers.has(a))
        if s.readers.has(a):
            s.readers.remove(a)
        else:
            s.writers.remove(a)

    @invariant
    def a_writer_is_alone(s):
        """There are no two writers, and no readers while one writes."""
        return every(s.writers.size <= 1, s.readers.empty | s.writers.empty)

    @infinitely_often
    def it_reads(s):
        """An actor reads again and again; all actors are alike."""
        return s.readers.has(0)

    @infinitely_often
    def it_writes(s):
        """An actor writes again and again."""
        return s.writers.has(0)

    @infinitely_often
    def it_stops_to_read(s):
        """An actor does not read for ever."""
        return no(s.readers.has(0))

    @infinitely_often
    def it_stops_to_write(s):
        """An actor does not write for ever."""
        return no(s.writers.has(0))
