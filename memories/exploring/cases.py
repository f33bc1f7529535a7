"""What is explored: threads over something new that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Thread = Callable[[], Any]


class Case(Protocol):
    """Programs for threads, which can be run again and again.

    These attributes and methods may be there as well:

    ``touches(point)`` : iterable of (object, bool)
        What the step after a point touches, and whether it changes it; two steps commute if they
        touch nothing in common, or only read it. Without it no steps commute.
    ``spec(spec)`` : Spec
        For comparisons with a spec: the spec under the parameters of this case; without it the
        spec as it was given.
    ``arguments(point)`` : dict of str to object
        For comparisons with a spec: the arguments of the spec's step, if the point has others.
    """

    name: str
    """What the threads do, in a few words."""

    def threads(self) -> Run:
        """Return threads over new shared data, and how to judge them."""


class Run(Protocol):
    """Threads that have not run yet.

    These methods may be there as well:

    ``record()`` : Recorder or None
        The history of what the threads did, if they ran transactions.
    ``fault()`` : str
        What is wrong at the end, in words; "" if nothing is.
    ``state()`` : dict of str to object
        For comparisons with a spec, if no mapping is given: the values of its variables that the
        shared data have now.
    """

    @property
    def programs(self) -> Sequence[Thread]:
        """One function for each thread."""
