"""The export formats by name, with one function to export in any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from counterpoint.models.limits import Limits
from counterpoint.models.present.lanes import traced
from counterpoint.models.scenarios.writing import as_scenario
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import TEMPORAL, Model, Property, SpecError

from . import drawing, itf, mermaid, promela, promela_formulas, regression, tla
from .counterexample import first_to_break
from .graph import StateGraph, graph


@dataclass(frozen=True)
class ExportRequest:
    """The request for an export.

    Attributes
    ----------
    model : Model
        The spec under its parameters.
    wanted : sequence of Property
        The named properties; if empty, the default ones of the format.
    limits : Limits
        The limits of the search for a counterexample or for all states.
    most_states : int
        The size of the largest graph of states that is exported.
    still : bool
        Whether an exported test passes as long as the counterexample exists.
    """

    model: Model
    wanted: Sequence[Property] = ()
    limits: Limits = field(default_factory=Limits)
    most_states: int = 200
    still: bool = False


@dataclass(frozen=True)
class Format:
    """A format: its name, a description in one line, and the export function."""

    name: str
    description: str
    write: Callable[[ExportRequest], str]


def _promela(request: ExportRequest) -> str:
    for claim in request.wanted:
        if claim.kind in TEMPORAL:
            if len(request.wanted) > 1:
                raise SpecError(f"--to promela takes {claim.name} alone: a model has one temporal "
                                "property, and no other property with it")  # fmt: skip
            return promela_formulas.promela_of_runs(request.model, claim)
    return promela.promela(request.model, request.wanted or None).text


def _run(request: ExportRequest) -> Verdict:
    return first_to_break(request.model, request.wanted, request.limits)


def _scenario(request: ExportRequest) -> str:
    found = _run(request)
    kind = "reaches" if found.claim.kind == "sometimes" else "violates"
    title = f"a run that {kind} {found.claim.name}"
    return as_scenario(found.model, traced(found), title)


def _graph(request: ExportRequest) -> StateGraph:
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
        Format("scenario", "a counterexample, as a scenario", _scenario),
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
        If there is no format with that name.
    """
    if name not in FORMATS:
        raise SpecError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]
