"""The base class of every specification.

A subclass declares parameters, variables, actions and properties. An instance is the spec under
given parameters; within an action or a property it also holds the values of a state.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ._declarations import refuse_declarations
from ._marks import MARK, Mark, taken_out
from ._parameters import Parameter
from ._records import Claim, Explanation, Picture
from .errors import SpecError
from .memory import Reached, remembered
from .store import Store
from .text import refuse_what_reads_twice
from .variables import Variable

if TYPE_CHECKING:
    from ._mutants import Mutation


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
        The index whose members a trace shows side by side; by default that of the first parameter
        of the first action.
    without : tuple of str
        Methods of a base class that are no actions or properties of this one.
    any_number : tuple of str
        The indices of which a proof need not know the size.
    in_other_words : dict
        For a property's method, the names of properties that say the same without numbers.
    criteria : tuple of str
        Properties that form a chain, the weakest first: each implies those before it.
    published_claim : Claim or None
        What a paper says of the spec, for ``counterpoint readings``.
    mutation : Mutation or None
        How the spec differs from the right one, if it is a mutant.
    parameters : dict
        The value of every parameter, by its public name.
    """

    name: ClassVar[str] = ""
    lane: ClassVar[str] = ""
    without: ClassVar[tuple[str, ...]] = ()
    any_number: ClassVar[tuple[str, ...]] = ()
    in_other_words: ClassVar[dict[str, tuple[str, ...]]] = {}
    criteria: ClassVar[tuple[str, ...]] = ()
    published_claim: ClassVar[Claim | None] = None
    mutation: ClassVar[Mutation | None] = None
    declared_parameters: ClassVar[dict[str, Parameter]] = {}
    declared_variables: ClassVar[dict[str, Variable]] = {}
    declared_methods: ClassVar[dict[str, Mark]] = {}
    _text_was_read: ClassVar[list[FunctionType]] = []

    parameters: dict[str, Any]
    _store: Store

    def __init_subclass__(cls) -> None:
        """Collect what the body declares, after what the bases declare."""
        cls.mutation = None
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        cls.declared_parameters = _inherited(cls, "declared_parameters")
        cls.declared_variables = _inherited(cls, "declared_variables")
        cls.declared_methods = _inherited(cls, "declared_methods")
        for name in cls.without:
            cls.declared_methods.pop(name, None)
        for attribute, value in cls.__dict__.items():
            declares = isinstance(value, Parameter | Variable) or hasattr(value, MARK)
            if declares and (hasattr(Spec, attribute) or attribute == "parameters"):
                raise SpecError(f"{cls.name}: the name {attribute!r} is taken by Spec itself")
            if isinstance(value, Parameter):
                cls.declared_parameters[value.name] = value
            elif isinstance(value, Variable):
                cls.declared_variables[attribute] = value
            elif isinstance(getattr(value, MARK, None), Mark):
                cls.declared_methods[attribute] = getattr(value, MARK)
        refuse_declarations(cls, Spec, taken_out(cls))

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
        if name not in self.declared_variables:
            raise SpecError(f"{self.name} has no variable {name!r} to assign to")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        """Return whether both are one object; states are compared by their variables."""
        if "_store" in self.__dict__:
            raise SpecError("a state is no value: compare its variables")
        return self is other

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        """Return true, but of a state."""
        if "_store" in self.__dict__:
            raise SpecError("a state is no value: ask for one of its variables")
        return True

    @classmethod
    def read_text(cls) -> None:
        """Refuse the class if its text cannot mean the same in a run and in a trace.

        Raises
        ------
        SpecError
            See `_text`.
        """
        if "_text_was_read" not in cls.__dict__:
            cls._text_was_read = refuse_what_reads_twice(cls, Spec, cls.declared_methods)

    @classmethod
    def remembered(cls) -> Reached:
        """Return a digest of all that the text can reach beside the state, by name."""
        cls.read_text()
        return remembered(cls.__dict__["_text_was_read"], cls)

    # What a subclass may say about itself

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return parameters that follow from those given explicitly; overridden where some do."""
        return {}

    def label(self, index: str, member: int) -> str | None:
        """Return the label of an index's member if the spec knows better than the declaration."""
        return None

    def explain(self, violated: str, states: Sequence[Self]) -> Explanation:
        """Return why the last of the states violates a property; empty if there is no more to say.

        Parameters
        ----------
        violated : str
            The property's name.
        states : sequence of Spec
            The states of the run, the initial one first.
        """
        return Explanation(())

    def picture(self) -> Picture | None:
        """Return the state drawn on a line of time, where the spec has one."""
        return None


def _inherited(cls: type[Spec], what: str) -> dict[str, Any]:
    """Return what the bases declare; of two bases, the one that Python would ask first decides.

    A base decides only on what it declares anew: not on what it has from a base of its own.
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
