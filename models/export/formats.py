"""The formats by name, each with the same call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from counterpoint.models.limits import Limits
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Property, SpecError

from . import drawing, itf, mermaid, promela, regression, tla
from .counterexample import first_to_break
from .graph import Graph, graph


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
    still : bool
        Whether a test is to pass as long as the counterexample is there.
    """

    model: Model
    wanted: Sequence[Property] = ()
    limits: Limits = field(default_factory=Limits)
    most_states: int = 200
    still: bool = False


@dataclass(frozen=True)
class Format:
    """A format: its name, what is exported in one line, and how."""

    name: str
    description: str
    write: Callable[[Request], str]


def _promela(request: Request) -> str:
    return promela.promela(request.model, request.wanted or None).text


def _run(request: Request) -> Verdict:
    return first_to_break(request.model, request.wanted, request.limits)


def _graph(request: Request) -> Graph:
    return graph(request.model, request.wanted, request.most_states, request.limits)


FORMATS = {
    f.name: f
    for f in (
        Format("promela", "the spec, for the model checker Spin", _promela),
        Format("tla", "the spec, as a TLA+ module", lambda r: tla.tla(r.model, r.wanted or None)),
        Format("itf", "a counterexample, as Apalache's JSON", lambda r: itf.itf(_run(r))),
        Format("mermaid", "a counterexample, as a sequence", lambda r: mermaid.sequence(_run(r))),
        Format("pytest", "a counterexample, as a test of the spec",
               lambda r: regression.regression(_run(r), r.still)),
        Format("dot", "all states, for Graphviz", lambda r: drawing.dot(_graph(r))),
        Format("graphml", "all states, for networkx, Gephi, ...",
               lambda r: drawing.graphml(_graph(r))),
        Format("mermaid-states", "all states, as a diagram", lambda r: mermaid.states(_graph(r))),
    )
}  # fmt: skip


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
