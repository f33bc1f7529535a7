"""A bridge with one lane: cars of both directions, and one queue for who comes next.

Cars drive in circles over positions 1 to 8, half of them to the right and half to the left; the
bridge is at 4 and 5. A car that comes to the bridge joins the queue. By Younes Akhouayri; module
SingleLaneBridge of tlaplus/Examples.

    counterpoint check single_lane_bridge.py
"""

from counterpoint import (
    Array,
    Index,
    Integer,
    Queue,
    Spec,
    action,
    every,
    implies,
    invariant,
    ite,
    leads_to,
    no,
    require,
)

LAST, FIRST_OF_BRIDGE, LAST_OF_BRIDGE = 8, 4, 5


def on_bridge(place):
    """Whether a place is on the bridge."""
    return (place >= FIRST_OF_BRIDGE) & (place <= LAST_OF_BRIDGE)


class SingleLaneBridge(Spec):
    """Cars 0 and 1 drive down from 8 to 1, cars 2 and 3 up from 1 to 8."""

    cars = Index(4, names="c", labels="C", at_least=4, at_most=4)
    place = Array(cars, Integer(1, LAST, initially=lambda s, c: LAST if c < 2 else 1))
    queue = Queue(cars, capacity=4)

    def next_place(s, c):
        """Where a car comes next."""
        if c < 2:
            return ite(s.place[c] > 1, s.place[c] - 1, LAST)
        return ite(s.place[c] < LAST, s.place[c] + 1, 1)

    def drive(s, c):
        """Move a car, and join the queue if it comes to the bridge."""
        there = s.next_place(c)
        if there == (LAST_OF_BRIDGE + 1 if c < 2 else FIRST_OF_BRIDGE - 1):
            s.queue.put(c)
        s.place[c] = there

    @action(fair="weak")
    def drive_outside(s, c):
        """Drive on, to a place that is not on the bridge."""
        require(no(on_bridge(s.next_place(c))))
        s.drive(c)

    @action(fair="weak")
    def drive_on_bridge(s, c):
        """Drive on from a place on the bridge, if the next place is free."""
        require(on_bridge(s.place[c]))
        require(no(s.place[k] == s.next_place(c) for k in s.cars))
        s.drive(c)

    @action(fair="weak", fair_for=())
    def enter(s, c):
        """The first of the queue enters, if all on the bridge drive its way and it has a place."""
        require(s.queue.length > 0)
        require(s.queue.first == c)
        there = s.next_place(c)
        require(no(on_bridge(s.place[k]) for k in s.cars if (k < 2) != (c < 2)))
        require(no(s.place[k] == there for k in s.cars))
        s.queue.take()
        s.place[c] = there

    @invariant
    def one_car_at_a_place(s):
        """No two cars are at the same place of the bridge."""
        return every(
            implies(on_bridge(s.place[a]), s.place[a] != s.place[b])
            for a in s.cars
            for b in s.cars
            if a != b
        )

    @invariant
    def one_direction(s):
        """All cars on the bridge drive the same way."""
        return no(
            on_bridge(s.place[a]) & on_bridge(s.place[b])
            for a in s.cars
            for b in s.cars
            if a < 2 <= b
        )

    @leads_to
    def a_car_downwards_enters(s):
        """Car 0 comes to the bridge again and again; car 1 is alike."""
        return no(on_bridge(s.place[0])), on_bridge(s.place[0])

    @leads_to
    def a_car_upwards_enters(s):
        """So does car 2; car 3 is alike."""
        return no(on_bridge(s.place[2])), on_bridge(s.place[2])

    @leads_to
    def a_car_downwards_leaves(s):
        """Car 0 leaves the bridge."""
        return on_bridge(s.place[0]), no(on_bridge(s.place[0]))

    @leads_to
    def a_car_upwards_leaves(s):
        """Car 2 leaves the bridge."""
        return on_bridge(s.place[2]), no(on_bridge(s.place[2]))
