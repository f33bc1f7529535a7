"""Refinement: each step of a spec is a step of a more abstract one, or changes nothing there.

A mapping assigns the variables of the abstract spec, from those of the concrete one. See M. Abadi
and L. Lamport, The existence of refinement mappings, 1991.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._changes import readable_changes
from ._sources import place_of, say, short_place
from .errors import RangeError, RunInterrupted, SpecError
from .store import StateStore
from .symbolic import Mapping, Value, judging

if TYPE_CHECKING:
    from ._marks import Refined
    from ._model import Model
    from ._spec import Spec
    from ._starts import Values


MOST_CHANGES = 8
"""The most changes of the abstract spec that a reason shows; of others, the number is shown."""


class Refinement:
    """How one spec refines another.

    Parameters
    ----------
    concrete : Model
        The spec that refines.
    method : str
        The mapping: ``def mapping(s, abstract)`` assigns all variables of the second.
    refined : Refined
        The abstract spec and its parameters.
    model_of : callable
        Makes a model of a spec.

    Attributes
    ----------
    abstract : Model
        The spec that is refined, without its constraints: these bound its own exploration.
    """

    def __init__(
        self, concrete: Model, method: str, refined: Refined, model_of: Callable[[Spec], Model]
    ) -> None:
        self._concrete, self._method = concrete, method
        self._function = getattr(type(concrete.spec), method)
        self.abstract = model_of(self._abstract(refined))
        self.abstract.bounded = False

    def _abstract(self, refined: Refined) -> Spec:
        own = self._concrete.spec.parameters
        given = {name: own[name] for name in refined.spec.declared_parameters if name in own}
        for name, value in refined.parameters.items():
            given[name.replace("_", "-")] = value(self._concrete.spec) if callable(value) else value
        try:
            found: Spec = refined.spec(**given)
            return found
        except SpecError as error:
            raise self._wrong(f"the parameters of {refined.spec.name}: {error}") from None

    def _wrong(self, why: str, error: BaseException | None = None) -> SpecError:
        place = self._place(error) if error else place_of(self._function)
        return SpecError(f"{place}: in {self._method}: {why}")

    def _place(self, error: BaseException) -> str:
        """Return file and line of the part of the mapping in which an error was raised."""
        return self._concrete.line_of(error, self._method)

    def image(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """Return the state of the abstract spec for a state of the concrete one.

        Parameters
        ----------
        values : sequence
            The value of every cell, concrete or symbolic.

        Raises
        ------
        RangeError
            If the mapping leaves the range of a variable of the abstract spec.
        SpecError
            If it is no mapping: it changes the concrete state, or leaves out a variable.
        """
        state = self._concrete.at(values)
        state.__dict__["_store"] = _Unchanged(self._concrete.layout, values)
        abstract = self.abstract.at(self._unset)
        token = judging.set(Mapping(self._method))
        try:
            found = self._function(state, abstract)
        except (RangeError, RunInterrupted):
            raise
        except Exception as error:
            raise self._wrong(say(error), error) from error
        finally:
            judging.reset(token)
        if found is not None:
            raise self._wrong("a mapping returns nothing: it assigns to its second parameter")
        return self._all_set(abstract._store.values)

    @cached_property
    def _unset(self) -> list[_Unset]:
        return [_Unset(f"{cell.label} of {self.abstract.name}") for cell in self.abstract.cells]

    def _all_set(self, values: Sequence[Value]) -> tuple[Value, ...]:
        for value in values:
            if type(value) is _Unset:
                raise self._wrong(f"{value.name} is never assigned")
        return tuple(values)

    def fault_of_start(self, values: Values) -> str:
        """Return why an initial state is no initial state of the abstract spec; "" if it is one."""
        try:
            image = self.image(values)
        except RangeError as error:
            return self._outside("its image", error)
        choices = zip(self.abstract.cells, image, self.abstract.initial_values(), strict=True)
        for cell, value, allowed in choices:
            if value not in allowed:
                shown = self.abstract.show_value(cell, value)
                return f"{cell.label} of {self.abstract.name} would start as {shown}"
        for method in self.abstract.methods("initially"):
            if not self.abstract.call(method, self.abstract.at(image)):
                return f"it does not satisfy {method} of {self.abstract.name}"
        return ""

    def fault(self, before: Values, after: Values) -> str:
        """Return why a step is none of the abstract spec and changes its state; "" if it is one."""
        try:
            one, two = self.image(before), self.image(after)
        except RangeError as error:
            return self._outside("the image", error)
        if one == two or any(self._takes(one, step) == two for step in self.abstract.steps):
            return ""
        changes = readable_changes(self.abstract, one, two, sets=True).items()
        shown = [f"{label}: {old}→{new}" for label, (old, new) in changes]
        rest = len(shown) - MOST_CHANGES
        more = f"{rest} more" if rest > 0 else "no other"
        kind = "changes" if rest > 1 else "change"
        return (
            f"in {self.abstract.name} it would be {', '.join(shown[:MOST_CHANGES])} and {more} "
            f"{kind}, which is none of its steps"
        )

    def _outside(self, what: str, error: RangeError) -> str:
        """Return that an image is none, with the line of the mapping where it is made."""
        place = short_place(self._place(error))
        return f"{what} leaves a range of {self.abstract.name} at {place}: {error}"

    def _takes(self, values: Values, step: Any) -> Values | None:
        try:
            return self.abstract.take(values, step)
        except RangeError:
            return None


class _Unchanged(StateStore):
    """The values of the concrete state."""

    def write(self, name: str, key: tuple[Value, ...], value: Value) -> None:
        """Refuse."""
        raise SpecError("a mapping must not change the state: assign to its second parameter")


class _Unset:
    """What a cell of the abstract spec has before the mapping assigns to it.

    Attributes
    ----------
    name : str
        The cell, and whose it is.
    refusal : str
        The error of its use.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.refusal = f"{name} is read before it is assigned"

    def _used(self, *_: object) -> Any:
        raise SpecError(self.refusal)

    __bool__ = __add__ = __radd__ = __sub__ = __rsub__ = __lt__ = __le__ = __gt__ = __ge__ = _used
    __mul__ = __rmul__ = __eq__ = __ne__ = __index__ = _used
    __hash__ = None  # type: ignore[assignment]
