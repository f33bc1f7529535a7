"""The base class of every specification.

A subclass declares parameters, variables, actions and properties. An instance is the spec with
given parameters; within an action or a property it also contains the values of a state.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ._declarations import check_declarations
from ._domains import Domain
from ._marks import MARK, MethodMark, take_marked
from ._parameters import Parameter
from ._records import Claim, Explanation, Picture
from .data.composite import Composite, Part
from .errors import SpecError
from .memory import Digests, digests_of
from .store import StateStore
from .text import check_source
from .variables import Variable

if TYPE_CHECKING:
    from ._mutants import Mutation


class _NoState:
    """The state of a spec that is in none: there, reading a variable is an error."""

    def __get__(self, spec: Spec | None, owner: type) -> StateStore:
        if spec is None:
            raise AttributeError("_store")
        raise SpecError("a variable has a value in a state only: in actions and properties, and "
                        "not where parameters decide")  # fmt: skip


class Spec:
    """A specification: declare in the body, instantiate with parameters.

    Parameters
    ----------
    **given
        Parameters by name, with underscores or dashes, as values or as texts.

    Raises
    ------
    SpecError
        For an unknown parameter or a value that is not allowed.

    Attributes
    ----------
    name : str
        The public name; by default the class's, in lower case with dashes.
    lane : str
        The index whose members get a column each in a chart, or a parameter of actions that ranges
        over it. A step stands in the column of the member that acts: with ``lane = "j"`` that of
        ``j``, wherever an action has this parameter. By default, it is the index of the first
        parameter of the first action; an action with two such parameters, as in ``vote(i, j)``,
        stands in the column of the member whose variables it changes, or else of the first.
        Members of other indices have a column if they take a step.
    without : tuple of str
        Actions and properties of a base class that this class does not have.
    endless : bool
        Whether ranges that are declared with ``grows`` have no upper end where temporal properties
        are judged, so that a run goes on for ever though a clock counts. Then only proofs judge
        these.
    any_number : tuple of str
        The indices for which a proof may cover every size.
    in_other_words : dict
        For a property's method, the names of properties that together state the same without
        counting.
    criteria : tuple of str
        Properties that form a chain, the weakest first: each implies those before it.
    published_claim : Claim or None
        What a paper claims about the spec; ``counterpoint readings`` tests it.
    mutation : Mutation or None
        How the spec differs from the correct one, if it is a mutant.
    parameters : dict
        The value of every parameter, by its public name.
    """

    name: ClassVar[str] = ""
    lane: ClassVar[str] = ""
    without: ClassVar[tuple[str, ...]] = ()
    endless: ClassVar[bool] = False
    any_number: ClassVar[tuple[str, ...]] = ()
    in_other_words: ClassVar[dict[str, tuple[str, ...]]] = {}
    criteria: ClassVar[tuple[str, ...]] = ()
    published_claim: ClassVar[Claim | None] = None
    mutation: ClassVar[Mutation | None] = None
    declared_parameters: ClassVar[dict[str, Parameter]] = {}
    declared_variables: ClassVar[dict[str, Variable]] = {}
    declared_composites: ClassVar[dict[str, Composite]] = {}
    declared_domains: ClassVar[dict[str, Domain]] = {}
    declared_methods: ClassVar[dict[str, MethodMark]] = {}
    _text_was_read: ClassVar[list[FunctionType]] = []

    parameters: dict[str, Any]
    _store = _NoState()

    def __init_subclass__(cls) -> None:
        """Collect what the body declares, after what the bases declare."""
        for attribute, value in cls.__dict__.items():
            declares = isinstance(value, Parameter | Variable | Composite) or hasattr(value, MARK)
            if declares and (hasattr(Spec, attribute) or attribute == "parameters"):
                raise SpecError(
                    f"{cls.__name__}: the name {attribute!r} is already used by Spec itself"
                )
        cls.mutation = None
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        cls.declared_parameters = _inherited(cls, "declared_parameters")
        cls.declared_variables = _inherited(cls, "declared_variables")
        cls.declared_composites = _inherited(cls, "declared_composites")
        cls.declared_domains = _inherited(cls, "declared_domains")
        cls.declared_methods = _inherited(cls, "declared_methods")
        for name in cls.without:
            cls.declared_methods.pop(name, None)
        for attribute, value in cls.__dict__.items():
            cls._declare(attribute, value)
        check_declarations(cls, Spec, take_marked(cls))

    @classmethod
    def _declare(cls, attribute: str, value: Any) -> None:
        """Collect one declaration of the body."""
        for part in _parts(cls.declared_composites.pop(attribute, None)):
            cls.declared_variables.pop(part.name, None)
        if isinstance(value, Domain):
            cls.declared_domains[attribute] = value
        elif isinstance(value, Parameter):
            cls.declared_parameters[value.name] = value
        elif isinstance(value, Variable):
            cls.declared_variables[attribute] = value
        elif isinstance(value, Composite):
            cls.declared_composites[attribute] = value
            cls._declare_parts(value)
        elif isinstance(getattr(value, MARK, None), MethodMark):
            cls.declared_methods[attribute] = getattr(value, MARK)

    @classmethod
    def _declare_parts(cls, value: Composite) -> None:
        """Declare the variables that a composite one is made of."""
        for part in value.variables():
            if part.name != value.name and (
                part.name in cls.declared_variables or hasattr(cls, part.name)
            ):
                raise SpecError(
                    f"{cls.name}: {part.name} is a part of {value.name}, so nothing else can have "
                    f"this name"
                )
            cls.declared_variables[part.name] = part

    def __init__(self, /, **given: Any) -> None:
        named = {name.replace("_", "-"): value for name, value in given.items()}
        for name in named:
            if name not in self.declared_parameters:
                known = ", ".join(sorted(self.declared_parameters)) or "none"
                raise SpecError(f"{self.name} has no parameter {name!r} (it has: {known})")
        parsed = {n: self.declared_parameters[n].parse(v) for n, v in named.items()}
        defaults = {n: p.default for n, p in self.declared_parameters.items()}
        self.__dict__["parameters"] = defaults | parsed
        self.__dict__["parameters"] |= self.derive(parsed)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.declared_variables and name not in self.declared_composites:
            raise SpecError(f"{self.name} has no variable {name!r} to assign to")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        """Return whether both are one object; states are compared by their variables."""
        if "_store" in self.__dict__:
            raise SpecError("a state is not a value: compare its variables")
        return self is other

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        """Return true; a state has no truth value and raises."""
        if "_store" in self.__dict__:
            raise SpecError("a state is not a value: use one of its variables")
        return True

    @classmethod
    def read_text(cls) -> None:
        """Reject the class if its source means different things in plain and in symbolic runs.

        Raises
        ------
        SpecError
            See `text`.
        """
        if "_text_was_read" not in cls.__dict__:
            found = check_source(cls, Spec, cls.declared_methods)
            parts = [one.texts() for one in cls.declared_composites.values()]
            cls._text_was_read = [*found, *(text for several in parts for text in several)]

    @classmethod
    def remembered(cls) -> Digests:
        """Return a digest of the objects outside the state that the code can reach, by name."""
        cls.read_text()
        return digests_of(cls.__dict__["_text_was_read"], cls)

    # What a subclass may override

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters that follow from those given explicitly; by default none do."""
        return {}

    def label(self, index: str, member: int) -> str | None:
        """Return a label that replaces the declared one for an index's member; None to keep it."""
        return None

    def explain(self, violated: str, states: Sequence[Self]) -> Explanation:
        """Return why the last state violates a property; empty if the trace says it all.

        Parameters
        ----------
        violated : str
            The property's name.
        states : sequence of Spec
            The states of the run, from the initial state on.
        """
        return Explanation(())

    def picture(self) -> Picture | None:
        """Return the state as a picture on a line of logical time; None if the spec draws none."""
        return None


def _parts(composite: Composite | None) -> list[Part]:
    return composite.variables() if composite is not None else []


def _inherited(cls: type[Spec], what: str) -> dict[str, Any]:
    """Return what the base classes declare, by name.

    Where two bases declare the same name, the first in Python's method resolution order decides.

    A base decides only about names that it declares itself, not about those it inherits.
    """
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if not issubclass(base, Spec):
            continue
        above = [getattr(b, what) for b in base.__bases__ if issubclass(b, Spec)]
        for name, value in getattr(base, what).items():
            if name not in found or not any(known.get(name) is value for known in above):
                found[name] = value
    return found
