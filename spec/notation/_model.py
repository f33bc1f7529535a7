"""A specification as engines use it: its cells, steps and properties, and plain-Python runs."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import product
from typing import Any

from ._actions import actions_of, arguments_of, read_step
from ._fairness import fairness_of
from ._marks import TEMPORAL, Disabled, check_parameters
from ._ranks import ranks_of, result_of
from ._records import Action, Fairness, Property, Step
from ._refinement import Refinement
from ._sources import codes, decided, first_line, place_of, required_at, say, short_place
from ._spec import Spec
from ._starts import Values, starts
from .errors import RangeError, RunInterrupted, SpecError
from .formulas import Shapes, conditions_of
from .nodes import Cell
from .store import CellLayout, StateStore
from .symbolic import Value, judging
from .variables import Variable, cells_of


class Model:
    """A spec under its parameters: its parts, and how to run it.

    Parameters
    ----------
    spec : Spec
        The spec.
    reference : str
        How a user names the spec on the command line; by default its name.
    unbounded : bool
        Whether ranges declared with ``grows`` have no upper end.

    Raises
    ------
    SpecError
        If the spec's source means different things in a plain and in a symbolic run (see `text`).

    Attributes
    ----------
    name : str
        The spec's name.
    bounded : bool
        Whether its constraints count.
    """

    def __init__(self, spec: Spec, reference: str = "", unbounded: bool = False) -> None:
        type(spec).read_text()
        self.spec = spec
        self.name = spec.name
        self.reference = reference or spec.name
        self.unbounded = unbounded
        self.bounded = True
        self.shapes = Shapes()

    def __reduce__(self) -> tuple[type[Model], tuple[Spec, str, bool]]:
        return Model, (self.spec, self.reference, self.unbounded)

    # The parts of the spec

    @cached_property
    def _variables(self) -> list[tuple[Variable, list[Cell]]]:
        declared = self.spec.declared_variables.values()
        return cells_of(self.spec, declared, self.unbounded)

    @cached_property
    def layout(self) -> CellLayout:
        """The positions of each variable's cells."""
        sizes = {v.name: tuple(i.size(self.spec) for i in v.indices) for v, _ in self._variables}
        labels = Counter(c.label for _, cells in self._variables for c in cells)
        for label, number in labels.items():
            if number > 1:
                raise SpecError(f"{self.name}: two cells are called {label}: labels must differ")
        return CellLayout([(v.name, sizes[v.name], cells) for v, cells in self._variables])

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of a state, in the order of declaration."""
        return self.layout.cells

    def methods(self, *kinds: str) -> list[str]:
        """Return the methods of some kinds that are part of the spec under its parameters."""
        spec, marks = self.spec, self.spec.declared_methods.items()
        return [m for m, mark in marks if mark.kind in kinds
                and (self.bounded or mark.kind != "constraint")
                and (mark.when is None or decided(mark.when, spec, m, "when"))]  # fmt: skip

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The actions, in the order of declaration."""
        return actions_of(self.spec, self.methods("action"))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every action with every combination of its parameters, in order."""
        return tuple(
            Step(a.name, binding)
            for a in self.actions
            for binding in product(*(range(i.size(self.spec)) for _, i in a.parameters))
        )

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        """The declared properties, then ``no-deadlock`` and ``ranges``."""
        for method in self.methods("lemma", "finished", "initially", "constraint"):
            check_parameters(self.spec, method)
        found = self._declared("invariant", "transition", "refines", "sometimes")
        for taken in ("ranges", "no-deadlock"):
            if any(p.name == taken for p in (*found, *self.temporal)):
                raise SpecError(f"{self.name}: the property name {taken!r} is reserved")
        if self.methods("finished"):
            found.append(Property("no-deadlock", "deadlock", "A run stops only where it may end."))
        return (*found, Property("ranges", "range", "No variable leaves its declared range."))

    @cached_property
    def temporal(self) -> tuple[Property, ...]:
        """The properties of whole runs, in the order of declaration."""
        return tuple(self._declared(*TEMPORAL))

    def _declared(self, *kinds: str) -> list[Property]:
        found = []
        for method in self.methods(*kinds):
            check_parameters(self.spec, method)
            mark = self.spec.declared_methods[method].kind
            kind = "transition" if mark == "refines" else mark
            description = first_line(getattr(type(self.spec), method))
            found.append(Property(method.replace("_", "-"), kind, description, method))
        return found

    @property
    def all_properties(self) -> tuple[Property, ...]:
        """The properties of states and steps, then those of whole runs."""
        return (*self.properties, *self.temporal)

    @cached_property
    def fairness(self) -> tuple[Fairness, ...]:
        """What is promised of fair actions, in the order of declaration; see `fairness_of`."""
        return fairness_of(self.spec, self.actions, self.steps)

    @cached_property
    def refinements(self) -> dict[str, Refinement]:
        """What the spec refines, by the name of the mapping's method."""
        marks = self.spec.declared_methods
        named = [(m, marks[m].refined) for m in self.methods("refines")]
        return {m: Refinement(self, m, of, Model) for m, of in named if of is not None}

    @cached_property
    def ranks(self) -> dict[str, Property]:
        """The ranks, by the methods of the temporal properties that they prove."""
        return ranks_of(self.spec, self._declared("decreases"), self.methods(*TEMPORAL))

    @cached_property
    def lemmas(self) -> tuple[Property, ...]:
        """The invariants on which proofs rest."""
        return tuple(self._declared("lemma"))

    def property_named(self, name: str) -> Property:
        """Return the property or lemma with a name.

        Raises
        ------
        SpecError
            If there is none with that name; the message lists the properties.
        """
        for found in (*self.all_properties, *self.lemmas):
            if found.name == name or found.name == name.replace("_", "-"):
                return found
        known = ", ".join(p.name for p in self.all_properties)
        raise SpecError(f"{self.name} has no property {name!r} (it has: {known})")

    # States

    def at(self, values: Sequence[Value]) -> Spec:
        """Return the spec with the values of a state, concrete or symbolic."""
        found = object.__new__(type(self.spec))
        found.__dict__.update(self.spec.__dict__)
        found.__dict__["_store"] = StateStore(self.layout, values)
        return found

    def initial_values(self) -> list[Sequence[int]]:
        """Return, for every cell, its possible initial values."""
        return [v.initial_values(self.spec, c) for v, cells in self._variables for c in cells]

    def initial_states(self, pause: Callable[[], None] = lambda: None) -> Iterator[Values]:
        """Yield every initial state; see `starts`."""
        may_start = partial(self._are_true, self.methods("initially", "constraint"))
        return starts(self.cells, self.initial_values(), may_start, pause)

    def _are_true(self, methods: Sequence[str], values: Values) -> bool:
        return all(self.call(m, self.at(values)) for m in methods)

    def call(self, method: str, state: Spec, *arguments: Any) -> Any:
        """Run one of the spec's methods on a state; an error names the line of the spec.

        Only an action may change the state or be disabled. An action returns nothing; every other
        method returns a value.

        Parameters
        ----------
        method : str
            The name of an action or a property.
        state : Spec
            A state, see `at`; an action changes it in place.
        *arguments
            A member for each parameter of an action; the next state for a transition property.

        Raises
        ------
        SpecError
            If the method raises any other error, or returns no value.
        RangeError
            If a variable would leave its range.
        Disabled
            If a requirement of the action does not hold.
        """
        acts = method in self._acting
        token = judging.set("" if acts else method)
        try:
            given = self._arguments[method](arguments) if method in self._arguments else arguments
            found = getattr(type(state), method)(state, *given)
            if not acts:
                kind = self.spec.declared_methods[method].kind
                return self.shapes.checked(method, result_of(kind, found))
            if found is not None:
                raise SpecError("an action returns nothing; require says when it is possible")
            return None
        except (Disabled, RunInterrupted):
            raise
        except RangeError as error:
            place = self.line_of(error, method)
            if any(a.name == method for a in self.actions):
                doing = self.show_step(Step(method, arguments))
                message = f"{error}, in {doing} at {short_place(place)}"
            else:  # no trace shows this place
                message = f"{place}: {error}, in {method}"
            raise RangeError(error.variable, message) from error
        except (Exception, SystemExit, GeneratorExit) as error:
            place = self.line_of(error, method)
            raise SpecError(f"{place}: in {method}: {say(error)}") from error
        finally:
            judging.reset(token)

    @cached_property
    def _arguments(self) -> dict[str, Callable[[tuple[int, ...]], tuple[Any, ...]]]:
        """For actions that get something else than members, what makes it of a step's binding."""
        return arguments_of(self.spec, self.actions)

    def chooses(self, method: str) -> bool:
        """Return whether an action gets something else than members of indices."""
        return method in self._arguments

    @cached_property
    def _acting(self) -> frozenset[str]:
        return frozenset(n for n, m in self.spec.declared_methods.items() if m.kind == "action")

    def line_of(self, error: BaseException, method: str) -> str:
        """Return file and line of the innermost frame in the spec's files, or of the method."""
        frames = ((f.f_code.co_filename, n) for f, n in traceback.walk_tb(error.__traceback__))
        own = [f"{file}:{line}" for file, line in frames if file in self._files]
        return own[-1] if own else place_of(getattr(type(self.spec), method))

    @cached_property
    def _files(self) -> frozenset[str]:
        """The files in which the spec's methods are written."""
        classes = [c for c in type(self.spec).__mro__ if c not in (Spec, object)]
        return frozenset(f.co_filename for c in classes for f in codes(c))

    def take(self, values: Values, step: Step) -> Values | None:
        """Take a step in plain Python and return the next state; None if the step is not possible.

        A step to a state outside of a constraint is not possible.

        Raises
        ------
        RangeError
            If a variable would leave its range.
        """
        state = self._after(values, step)
        return tuple(state._store.values) if state is not None and self._inside(state) else None

    def _after(self, values: Values, step: Step) -> Spec | None:
        state = self.at(values)
        try:
            self.call(step.action, state, *step.binding)
        except Disabled:
            return None
        return state

    def obstacle(self, values: Values, step: Step) -> str:
        """Return what keeps a step from being possible, in words; "" if nothing does."""
        state = self.at(values)
        try:
            self.call(step.action, state, *step.binding)
        except RangeError:
            return ""
        except Disabled as error:
            return required_at(self.line_of(error, step.action))
        left = [m for m in self.constraints if not self.call(m, state)]
        return f"it leaves the constraint {left[0].replace('_', '-')}" if left else ""

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The conditions that bound which states are explored."""
        return tuple(self.methods("constraint"))

    def _inside(self, state: Spec) -> bool:
        return all(self.call(method, state) for method in self.constraints)

    def holds(self, claim: Property, values: Values, after: Values | None = None) -> bool:
        """Return whether a property is true in a state, or of a state and its successor.

        Parameters
        ----------
        claim : Property
            An invariant, lemma, witness or transition property.
        values : Values
            The state.
        after : Values, optional
            The next state; a transition property is true of a state without one.
        """
        state = self.at(values)
        if claim.method in self.refinements:
            return after is None or not self.refinements[claim.method].fault(values, after)
        if claim.kind == "transition":
            return after is None or bool(self.call(claim.method, state, self.at(after)))
        return bool(self.call(claim.method, state))

    def conditions(self, claim: Property, values: Values) -> tuple[bool, ...]:
        """Return the conditions of a temporal property in a state: one, two, or a formula's."""
        return tuple(map(bool, conditions_of(self.call(claim.method, self.at(values)))))

    def may_end(self, values: Values) -> bool:
        """Return whether a run may end in this state; it may if a constraint leaves out a step."""
        ended = self._are_true(self.methods("finished"), values)
        return ended or any(self.is_left_out(values, s) for s in self.steps)

    def is_left_out(self, values: Values, step: Step) -> bool:
        """Return whether a step is possible but for a constraint, which its next state violates."""
        if not self.constraints:
            return False
        try:
            state = self._after(values, step)
        except RangeError:
            return False
        return state is not None and not self._inside(state)

    # Text for people

    def changed_parameters(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults and do not follow from others.

        A spec that is created with these alone has the same parameters.
        """
        own = self.spec.parameters
        declared = self.spec.declared_parameters
        derived = self.spec.derive({n: v for n, v in own.items() if n in declared})
        changed = {n: v for n, v in own.items() if v != declared[n].default and n not in derived}
        again = type(self.spec)(**changed).parameters
        return changed | {n: v for n, v in own.items() if again[n] != v}

    def show_value(self, cell: Cell, value: int) -> str | int | bool:
        """Return a cell's value as people and JSON see it."""
        return self.spec.declared_variables[cell.variable].show(self.spec, value)

    def show_binding(self, step: Step) -> dict[str, str]:
        """Return a step's parameters by name, as labels."""
        parameters = next(a.parameters for a in self.actions if a.name == step.action)
        return {
            name: index.label(self.spec, member)
            for (name, index), member in zip(parameters, step.binding, strict=True)
        }

    def show_step(self, step: Step) -> str:
        """Return a step as text, for example ``read(t=T0, x=y)``."""
        inside = ", ".join(f"{n}={label}" for n, label in self.show_binding(step).items())
        return f"{step.action}({inside})"

    def read_step(self, action: str, parameters: dict[str, str]) -> Step:
        """Return the step with an action's name and its parameters as labels; see `read_step`."""
        return read_step(self.spec, self.actions, action, parameters)

    def changes(self, before: Values, after: Values) -> dict[str, tuple[Any, Any]]:
        """Return the cells that differ: for each label, the old and the new value as shown."""
        return {
            c.label: (self.show_value(c, old), self.show_value(c, new))
            for c, old, new in zip(self.cells, before, after, strict=True)
            if old != new
        }

    def show_open_cells(self, values: Values) -> dict[str, Any]:
        """Return the values of the cells that have several possible initial values, by label."""
        found = zip(self.cells, self.initial_values(), values, strict=True)
        return {c.label: self.show_value(c, v) for c, several, v in found if len(several) > 1}
