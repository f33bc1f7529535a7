"""The initial states of a spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from .errors import SpecError
from .nodes import Cell

MOST_STARTS = 65536
"""The most initial values of one cell that are enumerated."""

Values: TypeAlias = tuple[int, ...]
"""A concrete state: the value of every cell, in the order of `Model.cells`."""


def starts(
    cells: Sequence[Cell],
    choices: Sequence[Sequence[int]],
    may_start: Callable[[Values], bool],
    pause: Callable[[], None],
) -> Iterator[Values]:
    """Yield every initial state.

    Parameters
    ----------
    cells : sequence of Cell
    choices : sequence of sequence of int
        For every cell, its possible initial values.
    may_start : callable
        Whether a state satisfies the conditions on initial states.
    pause : callable
        Called regularly, even while no initial state is found; it may raise to stop the search.

    Raises
    ------
    SpecError
        If a cell has too many possible initial values.
    """
    for cell, several in zip(cells, choices, strict=True):
        if len(several) > MOST_STARTS:
            raise SpecError(
                f"{cell.label} may start with {len(several)} values; at most {MOST_STARTS} are "
                f"allowed"
            )
    for number, values in enumerate(product(*choices)):
        if number % 256 == 0:
            pause()
        if may_start(values):
            yield values
