"""Any function of bounded values, written out: a balanced tree of choices that do not fork."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from . import nodes
from .errors import SpecError
from .nodes import UNBOUNDED, Node
from .symbolic import Symbolic, Value, as_value, node_of, value_of

MOST_ENTRIES = 65536
"""Combinations of values that a function is tabulated for."""


def tabulated(function: Callable[..., int], *arguments: Value) -> Value:
    """Return a function's value without forking.

    On integers it is called; on values of the state it is called once for each combination that
    their ranges allow, so it must be defined for all of them. Parts of the table that are alike
    become one. A function of a module is tabulated once, one that is made anew again and again; so
    hand in what it needs of the spec's parameters as arguments.

    Parameters
    ----------
    function : callable
        Takes integers and returns an integer, or a truth value; pure.
    *arguments
        What it is called with, truth values as 0 and 1.

    Raises
    ------
    SpecError
        If there are too many combinations, a range has no upper end, or the function returns no
        value.
    """
    given = [as_value(a) for a in arguments]
    if not any(isinstance(a, Symbolic) for a in given):
        return as_value(function(*map(int, given)))
    inputs = tuple(nodes.integer(node_of(a)) for a in given)
    sizes = [a.high - a.low + 1 for a in inputs]
    if UNBOUNDED in sizes:
        raise SpecError("a table over a range without an end: a proof cannot take it")
    if math.prod(sizes) > MOST_ENTRIES:
        raise SpecError(
            f"a table of {' x '.join(map(str, sizes))} entries; {MOST_ENTRIES} is the most"
        )
    return value_of(_table(function, inputs))


@lru_cache(maxsize=256)
def _table(function: Callable[..., int], inputs: tuple[Node, ...]) -> Node:
    return _tree(function, inputs, ())


def _tree(function: Callable[..., int], inputs: tuple[Node, ...], chosen: tuple[int, ...]) -> Node:
    """Return the function's value where its first arguments are chosen."""
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
