"""The formats by name, each with the same call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spec.notation import Model, Property, SpecError

from ..limits import Limits
from . import promela


@dataclass(frozen=True)
class Request:
    """What a user wants to have exported.

    Attributes
    ----------
    model : Model
        The spec under its parameters.
    wanted : sequence of Property
        The properties that were named; none means those that the format takes by itself.
    limits : Limits
        Of the search for a counterexample, or for the states.
    most_states : int
        A larger graph of states is refused.
    """

    model: Model
    wanted: Sequence[Property] = ()
    limits: Limits = field(default_factory=Limits)
    most_states: int = 200


@dataclass(frozen=True)
class Format:
    """A format: its name, what is exported in one line, and how."""

    name: str
    description: str
    write: Callable[[Request], str]


def _promela(request: Request) -> str:
    return promela.promela(request.model, request.wanted or None).text


FORMATS = {
    f.name: f for f in (Format("promela", "the spec, for the model checker Spin", _promela),)
}


def format_named(name: str) -> Format:
    """Return a format.

    Raises
    ------
    SpecError
        If there is none of that name.
    """
    if name not in FORMATS:
        raise SpecError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]
