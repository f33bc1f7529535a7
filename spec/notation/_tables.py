"""Tables: any function of bounded values, as a balanced tree of choices that do not fork."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from . import nodes
from .errors import SpecError
from .nodes import UNBOUNDED, Node
from .symbolic import Symbolic, Value, as_value, node_of, value_of

MOST_ENTRIES = 65536
"""The most combinations of values for which a function is tabulated."""


def tabulated(function: Callable[..., int], *arguments: Value) -> Value:
    """Return a function's value without forking.

    On integers the function is simply called. On values of the state it is called once for each
    combination that their ranges allow, so it must be defined for all of them; equal parts of the
    table become one. The table is kept for each function object, so use a function of the module
    and not a lambda, and pass the spec's parameters that it needs as arguments.

    Parameters
    ----------
    function : callable
        Takes integers and returns an integer, or a truth value; pure.
    *arguments
        Its arguments; truth values are passed as 0 and 1.

    Raises
    ------
    SpecError
        If there are too many combinations, a range has no upper end, or the function returns
        neither an integer nor a truth value.
    """
    given = [as_value(a) for a in arguments]
    if not any(isinstance(a, Symbolic) for a in given):
        return as_value(function(*map(int, given)))
    inputs = tuple(nodes.integer(node_of(a)) for a in given)
    sizes = [a.high - a.low + 1 for a in inputs]
    if UNBOUNDED in sizes:
        raise SpecError(
            "tabulated needs bounded ranges, and this range has no upper end in a proof"
        )
    if math.prod(sizes) > MOST_ENTRIES:
        raise SpecError(
            f"a table of {' x '.join(map(str, sizes))} entries is too large; at most "
            f"{MOST_ENTRIES} are allowed"
        )
    return value_of(_table(function, inputs))


@lru_cache(maxsize=256)
def _table(function: Callable[..., int], inputs: tuple[Node, ...]) -> Node:
    return _tree(function, inputs, ())


def _tree(function: Callable[..., int], inputs: tuple[Node, ...], chosen: tuple[int, ...]) -> Node:
    """Return the function's value as a node.

    Parameters
    ----------
    function : callable
        The function.
    inputs : tuple of Node
        All its arguments.
    chosen : tuple of int
        The values of its first arguments.
    """
    if len(chosen) == len(inputs):
        return node_of(function(*chosen))
    here = inputs[len(chosen)]

    def between(low: int, high: int) -> Node:
        if low == high:
            return _tree(function, inputs, (*chosen, low))
        middle = (low + high) // 2
        left, right = between(low, middle), between(middle + 1, high)
        return nodes.ite(nodes.less(here, nodes.constant(middle + 1)), left, right)

    return between(here.low, here.high)
