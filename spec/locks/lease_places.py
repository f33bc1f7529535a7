"""What a worker, its dispatcher and its requests can be doing, for `leases`."""

from __future__ import annotations

from enum import IntEnum


class Place(IntEnum):
    """Where a worker is."""

    AWAY = 0
    RUNS = 1
    LOOKS = 2
    """Its transaction has begun, and it has read its own clock."""
    PLANS = 3
    """It has read the database's clock, and renewed its lease if that was due."""
    HANDS = 4
    """It has committed; the dispatcher does not know yet."""
    DEAD = 5


class Job(IntEnum):
    """What the dispatcher of a worker knows of a host."""

    NONE = 0
    COMING = 1
    """The store says that the worker has the host, and the dispatcher does not know yet."""
    HAS = 2
    """It has pages of the host to fetch."""
    GOING = 3
    """It has pages to fetch, and does not know yet that they are another worker's."""


class Nowhere(IntEnum):
    """Where a worker sends a request that it has not decided to send."""

    NOWHERE = -1
