"""The values of one state, concrete or symbolic, behind the variables of a spec."""

from __future__ import annotations

from collections.abc import Sequence

from . import nodes
from .errors import RangeError, SpecError
from .nodes import Cell, Node
from .symbolic import Mapping, Symbolic, Value, judging, no_value, node_of, value_of


class CellLayout:
    """The positions of the cells of each variable in a state.

    Attributes
    ----------
    cells : tuple of Cell
        All cells, in the order of declaration.
    base : dict
        For each variable, the position of its first cell.
    shape : dict
        For each variable, the sizes of its indices.
    places : dict
        The position of each element, by variable and key.
    boolean : tuple of bool
        Whether a cell is a truth value, by position.
    """

    def __init__(self, variables: Sequence[tuple[str, tuple[int, ...], Sequence[Cell]]]) -> None:
        self.base: dict[str, int] = {}
        self.shape: dict[str, tuple[int, ...]] = {}
        cells: list[Cell] = []
        for name, shape, own in variables:
            self.base[name], self.shape[name] = len(cells), shape
            cells.extend(own)
        self.cells = tuple(cells)
        self.places = {(c.variable, c.index): place for place, c in enumerate(cells)}
        self.boolean = tuple(cell.boolean for cell in cells)

    def position(self, name: str, key: tuple[int, ...]) -> int:
        """Return the position of an element.

        Raises
        ------
        RangeError
            If the key is outside the array.
        """
        offset = 0
        for i, size in zip(key, self.shape[name], strict=True):
            if not 0 <= i < size:
                shown = ", ".join(map(str, key))
                raise RangeError(name, f"{name}[{shown}] is outside the array")
            offset = offset * size + i
        return self.base[name] + offset


def may_change(name: str) -> None:
    """Reject an assignment while a property is evaluated.

    Raises
    ------
    SpecError
        If one is.
    """
    judged = judging.get()
    if judged and not isinstance(judged, Mapping):
        raise SpecError(f"{judged} assigns to {name}: only an action may change the state")


class StateStore:
    """The values of a state.

    Attributes
    ----------
    values : list
        The value of every cell: an int, or `Symbolic`.
    """

    __slots__ = ("layout", "values")

    def __init__(self, layout: CellLayout, values: Sequence[Value]) -> None:
        self.layout = layout
        self.values = list(values)

    def read(self, name: str, key: tuple[Value, ...]) -> Value:
        """Return the value of an element; it is symbolic if the state or the key is."""
        try:
            return self._typed(self.layout.places[name, key])
        except (KeyError, TypeError):  # outside of the array, or symbolic
            pass
        if not self._symbolic(name, key):
            return self._typed(self.layout.position(name, key))
        choices = self._choices(name, key)
        found = node_of(self._typed(choices[-1][1]))
        for condition, place in reversed(choices[:-1]):
            found = nodes.ite(condition, node_of(self._typed(place)), found)
        return value_of(found)

    def write(self, name: str, key: tuple[Value, ...], value: Value) -> None:
        """Assign a value to an element.

        Parameters
        ----------
        name : str
            The variable.
        key : tuple of int or Symbolic
            One member for each index of the variable; empty for a scalar.
        value : int, bool or Symbolic
            The new value.

        Raises
        ------
        RangeError
            If the value is outside the range; if it is symbolic, the symbolic run forks on that.
        SpecError
            If a property is being evaluated.
        """
        may_change(name)
        if not self._symbolic(name, key):
            self._assign(self.layout.position(name, key), value)
            return
        new = node_of(value)
        for condition, place in self._choices(name, key):
            old = node_of(self._typed(place))
            self._assign(place, value_of(nodes.ite(condition, new, old)))

    def _symbolic(self, name: str, key: tuple[Value, ...]) -> bool:
        if len(key) != len(self.layout.shape[name]):
            raise SpecError(f"{name} has {len(self.layout.shape[name])} indices, not {len(key)}")
        return any(isinstance(part, Symbolic) for part in key)

    def _choices(self, name: str, key: tuple[Value, ...]) -> list[tuple[Node, int]]:
        """Return the positions that a key with symbolic parts can mean, each with its condition."""
        choices = [(nodes.TRUE, 0)]
        for part, size in zip(key, self.layout.shape[name], strict=True):
            node = node_of(part)
            if not value_of(_within(node, 0, size - 1)):
                raise RangeError(name, f"an index of {name} is outside the array")
            choices = [
                (nodes.conjunction([condition, chosen]), offset * size + i)
                for condition, offset in choices
                for i in range(size)
                if (chosen := nodes.equal(node, nodes.constant(i))) is not nodes.FALSE
            ]
        return [(condition, self.layout.base[name] + offset) for condition, offset in choices]

    def _typed(self, place: int) -> Value:
        value = self.values[place]
        return bool(value) if self.layout.boolean[place] and type(value) is int else value

    def _assign(self, place: int, value: Value) -> None:
        cell = self.layout.cells[place]
        if isinstance(value, Symbolic):
            if not value_of(_within(value.node, cell.low, cell.high)):
                raise RangeError(cell.label, f"{cell.label} would leave {cell.low}..{cell.high}")
            node = nodes.truth(value.node) if cell.boolean else nodes.integer(value.node)
            self.values[place] = Symbolic(node)
            return
        if not isinstance(value, int):
            if getattr(value, "refusal", ""):
                raise no_value(value)
            raise SpecError(f"{cell.label} would become {value!r}, which is no integer")
        if not cell.low <= value <= cell.high:
            where = f"outside {cell.low}..{cell.high}"
            raise RangeError(cell.label, f"{cell.label} would become {int(value)}, {where}")
        self.values[place] = int(value)


def _within(node: Node, low: int, high: int) -> Node:
    """Return the condition that a node's value lies between low and high, both included."""
    node = nodes.integer(node)
    ends = [nodes.negation(nodes.less(node, nodes.constant(low)))]
    if high != nodes.UNBOUNDED:
        ends.append(nodes.negation(nodes.less(nodes.constant(high), node)))
    return nodes.conjunction(ends)
