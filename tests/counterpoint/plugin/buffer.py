"""A buffer that producers fill and a consumer empties."""

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Number,
    Spec,
    action,
    count,
    invariant,
    mutant,
    require,
    sometimes,
)


class Buffer(Spec):
    """A producer reserves room in one step, and puts an item into it in another step."""

    producers = Index(2, names="p", labels="P")
    capacity = Number(2)
    items = Integer(0, 9)
    reserved = Array(producers, Boolean())

    @action
    def reserve(s, p):
        """See that there is room."""
        require(not s.reserved[p])
        require(s.items + count(s.reserved[q] for q in s.producers) < s.capacity)
        s.reserved[p] = True

    @action
    def put(s, p):
        """Use the room."""
        require(s.reserved[p])
        s.reserved[p] = False
        s.items = s.items + 1

    @action
    def take(s):
        """Empty the buffer by one."""
        require(s.items > 0)
        s.items = s.items - 1

    @invariant
    def never_overfull(s):
        """The buffer never has more items than room."""
        return s.items <= s.capacity

    @sometimes
    def full(s):
        """The buffer can be full."""
        return s.items == s.capacity


@mutant(killed={"never-overfull": 6})
class Hasty(Buffer):
    """A producer sees room that another one has reserved."""

    @action
    def reserve(s, p):
        require(not s.reserved[p], s.items < s.capacity)
        s.reserved[p] = True
