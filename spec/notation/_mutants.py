"""Mutants: small changes of a right spec, declared beside it, that its properties must notice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._spec import Spec
from .errors import SpecError

Mutated = TypeVar("Mutated", bound=type[Spec])


@dataclass(frozen=True)
class Mutation:
    """What makes a spec a mutant of another, and what must notice it.

    Attributes
    ----------
    of : type of Spec
        The right spec.
    readings : mapping of str to value
        The parameters that are fixed to a wrong value.
    replaces : tuple of str
        The methods of the right spec that the mutant has in another form.
    killed : mapping of str to (int or None)
        The properties that are violated, each with the length of its shortest counterexample; None
        for a witness that is missed.
    at : mapping of str to value
        The bounds at which that is so, where they are not the defaults: there it survives.
    """

    of: type[Spec]
    readings: Mapping[str, Any]
    replaces: tuple[str, ...]
    killed: Mapping[str, int | None]
    at: Mapping[str, Any] = field(default_factory=dict)


def mutant(
    *,
    killed: Mapping[str, int | None],
    readings: Mapping[str, Any] | None = None,
    at: Mapping[str, Any] | None = None,
) -> Callable[[Mutated], Mutated]:
    """Declare that a class is a mutant of the spec that it is derived from.

    The class has nothing but the methods in which it differs; its docstring says what the slip is.
    Its name is that of the right spec, a slash, and its own.

    Parameters
    ----------
    killed : mapping of str to (int or None)
        See `Mutation`.
    readings : mapping of str to value, optional
        Parameters that the mutant has fixed to a value.
    at : mapping of str to value, optional
        The bounds at which it is killed, where they are not the defaults.

    Raises
    ------
    SpecError
        If it does not differ from the right spec, or nothing is said to kill it.
    """

    def declare(cls: Mutated) -> Mutated:
        of = next(base for base in cls.__bases__ if issubclass(base, Spec))
        fixed = {n.replace("_", "-"): v for n, v in (readings or {}).items()}
        replaces = tuple(n for n in vars(cls) if callable(getattr(of, n, None)) and n[:2] != "__")
        cls.name = f"{of.name}/{cls.name}"
        if not fixed and not replaces:
            raise SpecError(f"{cls.name} is no mutant: nothing in it differs from {of.name}")
        if not killed:
            raise SpecError(f"{cls.name}: a mutant must say what kills it")
        for name, value in fixed.items():
            if name not in cls.declared_parameters:
                raise SpecError(f"{cls.name}: {of.name} has no parameter {name!r}")
            cls.declared_parameters[name] = cls.declared_parameters[name].fixed(value)
        cls.mutation = Mutation(of, fixed, replaces, dict(killed), dict(at or {}))
        return cls

    return declare
