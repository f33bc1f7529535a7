"""A spec with variables of each kind, and a bounded queue with planted faults."""

from __future__ import annotations

from enum import IntEnum

from counterpoint import (
    Array,
    Bag,
    Boolean,
    Index,
    Integer,
    Map,
    Member,
    Number,
    Queue,
    Record,
    Reference,
    Set,
    Spec,
    action,
    choose,
    constraint,
    require,
)


class Phase(IntEnum):
    """Named values."""

    IDLE = 0
    BUSY = 1


class Nobody(IntEnum):
    """No worker."""

    NONE = -1


class Shelf(Spec):
    """Variables of each kind."""

    workers = Index(2, names="w", labels="A B")
    rows = Index(2, names="r", labels="R")
    count = Integer(0, 3)
    phase = Array(workers, Member(Phase))
    holder = Reference(workers, Nobody)
    marks = Array((workers, rows), Boolean())
    items = Queue(Integer(0, 2), 2)
    inside = Set(workers)
    price = Map(workers, Integer(0, 5))
    bag = Bag(workers, copies=2)
    pairs = Array(workers, Record(low=Integer(0, 2), on=Boolean()))

    @action
    def add(s) -> None:
        """Count."""
        s.count = s.count + 1


class Buffer(Spec):
    """A bounded queue."""

    capacity = Number(2)
    items = Queue(Integer(0, 2), lambda s: s.capacity)

    @action
    def put(s, item: int = choose(Integer(0, 2))) -> None:
        """Add at the end."""
        require(not s.items.full)
        s.items.append(item)

    @action
    def take(s, item: int = choose(Integer(0, 2))) -> None:
        """Remove the first."""
        require(s.items.length > 0)
        require(s.items.first == item)
        s.items.pop_first()


class Cache(Spec):
    """A cache of two places that drops any key when it is full."""

    keys = Index(3, names="k v", labels="K")
    inside = Set(keys)

    @action
    def load(s, k: int, v: int) -> None:
        """Load a key, and drop v if there is no room; v = k drops nothing."""
        require(not s.inside.has(k))
        if s.inside.size == 2:
            require(s.inside.has(v))
            s.inside.remove(v)
        else:
            require(v == k)
        s.inside.add(k)


class Counter(Spec):
    """A counter whose range and constraint end before the code's."""

    count = Integer(0, 5)

    @action
    def add(s) -> None:
        """Count."""
        s.count = s.count + 1

    @action
    def drop(s) -> None:
        """Count down."""
        require(s.count > 0)
        s.count = s.count - 1


class BoundedCounter(Counter):
    """The same under a constraint."""

    @constraint
    def small(s) -> bool:
        """Explore small counts alone."""
        return s.count <= 2


class FullError(Exception):
    """There is no room, or nothing is there."""


class Ring:
    """The buffer in code; each fault is one a programmer could make."""

    FAULTS = ("small", "big", "last-first", "wrong-result", "other-error", "empty", "half")

    def __init__(self, fault: str = "", capacity: int = 2) -> None:
        self.content: list[int] = []
        self._fault, self._capacity = fault, capacity

    def put(self, item: int) -> None:
        """Add at the end."""
        room = self._capacity + (self._fault == "big") - (self._fault == "small")
        if len(self.content) >= room:
            if self._fault == "half":
                self.content.pop()
            raise FullError("no room")
        self.content.append(item)

    def take(self) -> int:
        """Remove the first."""
        if not self.content:
            if self._fault == "empty":
                return 0
            raise FullError("nothing is there")
        if self._fault == "other-error" and self.content == [1, 1]:
            raise KeyError(1)
        found = self.content.pop(-1 if self._fault == "last-first" else 0)
        return 2 if self._fault == "wrong-result" else found
