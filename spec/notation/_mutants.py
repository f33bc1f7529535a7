"""Mutants: copies of a correct spec with a small fault that its properties must detect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._spec import Spec
from .errors import SpecError

Mutated = TypeVar("Mutated", bound=type[Spec])


@dataclass(frozen=True)
class Mutation:
    """How a mutant differs from the correct spec, and which properties detect it.

    Attributes
    ----------
    of : type of Spec
        The correct spec.
    readings : mapping of str to value
        The parameters that the mutant fixes to a wrong value.
    replaces : tuple of str
        The methods of the correct spec that the mutant overrides.
    killed : mapping of str to (int or None)
        The properties that the mutant violates, each with the length of its shortest
        counterexample; None for a witness that the mutant cannot reach.
    at : mapping of str to value
        The bounds that are needed to kill the mutant; empty if the default bounds suffice. With the
        default bounds such a mutant survives.
    """

    of: type[Spec]
    readings: Mapping[str, Any]
    replaces: tuple[str, ...]
    killed: Mapping[str, int | None]
    at: Mapping[str, Any] = field(default_factory=dict)


def mutant(
    *without_brackets: object,
    killed: Mapping[str, int | None] | None = None,
    readings: Mapping[str, Any] | None = None,
    at: Mapping[str, Any] | None = None,
) -> Callable[[Mutated], Mutated]:
    """Declare that a class is a mutant of the spec that it is derived from.

    The class contains only the methods that differ; its docstring describes the fault. Its name
    becomes the name of the correct spec, a slash, and its own name.

    Parameters
    ----------
    killed : mapping of str to (int or None)
        See `Mutation`.
    readings : mapping of str to value, optional
        Parameters that the mutant fixes to a value.
    at : mapping of str to value, optional
        The bounds that are needed to kill it, if the default bounds do not suffice.

    Raises
    ------
    SpecError
        If the class does not differ from the correct spec, or `killed` is missing or empty.
    """
    if without_brackets or killed is None:
        raise SpecError(
            "@mutant names the properties that detect the mutant, and the steps that they need, as "
            'in @mutant(killed={"mutual-exclusion": 4})'
        )

    def declare(cls: Mutated) -> Mutated:
        of = next(base for base in cls.__bases__ if issubclass(base, Spec))
        fixed = {n.replace("_", "-"): v for n, v in (readings or {}).items()}
        replaces = tuple(n for n in vars(cls) if callable(getattr(of, n, None)) and n[:2] != "__")
        cls.name = f"{of.name}/{cls.name}"
        if not fixed and not replaces:
            raise SpecError(f"{cls.name} is not a mutant: it does not differ from {of.name}")
        if not killed:
            raise SpecError(
                f"{cls.name}: killed must name at least one property that detects the mutant"
            )
        for name, value in fixed.items():
            if name not in cls.declared_parameters:
                raise SpecError(f"{cls.name}: {of.name} has no parameter {name!r}")
            cls.declared_parameters[name] = cls.declared_parameters[name].fixed(value)
        cls.mutation = Mutation(of, fixed, replaces, dict(killed), dict(at or {}))
        return cls

    return declare
