"""The interface of a study, and the parallel run of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any, Protocol, TypeVar

from counterpoint.models.checking.processes import in_order

Item = TypeVar("Item")
Result = TypeVar("Result")
Tell = Callable[[str], None]


class Study(Protocol):
    """The measured figures of a study."""

    def to_json(self) -> dict[str, Any]:
        """Return all figures, ready for JSON."""
        ...


def run_all(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    processes: int,
    tell: Tell | None = None,
    unit: str = "web",
) -> list[Result]:
    """Call a function with each item, in several processes, and return the results in order.

    Parameters
    ----------
    function : callable
        Called with one item; it must be picklable.
    items : iterable
        The items.
    processes : int
        How many calls run at the same time.
    tell : callable, optional
        Shows the progress.
    unit : str
        The name of an item in the progress line.
    """
    jobs = list(items)
    found: list[Result] = []
    with closing(in_order(function, jobs, min(processes, max(1, len(jobs))))) as results:
        for result in results:
            found.append(result)
            if tell is not None:
                tell(f"{unit} {len(found)} of {len(jobs)}")
    return found
