"""What a study is: something measured over seeds that can be told and written as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any, Protocol, TypeVar

from counterpoint.models.checking.processes import in_order

Item = TypeVar("Item")
Result = TypeVar("Result")
Tell = Callable[[str], None]


class Study(Protocol):
    """What was measured."""

    def to_json(self) -> dict[str, Any]:
        """Return all figures, ready for JSON."""
        ...


def collected(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    processes: int,
    tell: Tell | None = None,
    what: str = "web",
) -> list[Result]:
    """Return what a function makes of each item, in their order, and tell how far it is."""
    jobs = list(items)
    found: list[Result] = []
    with closing(in_order(function, jobs, min(processes, max(1, len(jobs))))) as results:
        for result in results:
            found.append(result)
            if tell is not None:
                tell(f"{what} {len(found)} of {len(jobs)}")
    return found
