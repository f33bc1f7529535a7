"""Graphs of states for other tools: DOT, GraphML and Mermaid."""

from __future__ import annotations

import io
import re

import networkx
import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.export import FORMATS, ExportRequest, UndecidedExport
from counterpoint.models.export.drawing import dot, graphml
from counterpoint.models.export.graph import StateGraph, graph
from counterpoint.models.export.mermaid import states
from counterpoint.models.limits import Limits
from counterpoint.spec.locks.peterson import Peterson
from counterpoint.spec.notation import Model, SpecError

from .odd import Odd

MODELS = {
    "peterson": lambda: Model(Peterson()),
    "peterson broken": lambda: Model(Peterson(first="turn")),
    "odd": lambda: Model(Odd()),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_graph_is_what_the_exhaustive_engine_visits(name: str) -> None:
    """A state or a step that is missing, or a violation that is not marked."""
    model = MODELS[name]()
    drawn = graph(model)
    run = exhaustive.explore(model, wanted=())
    assert [s.values for s in drawn.states] == [run.layout.unpack(s) for s in run.states]
    assert len(drawn.edges) == run.transitions
    assert sum(s.initial for s in drawn.states) == run.levels[0]
    failures = exhaustive.explore(model, wanted=model.properties).failures
    marked = {n for s in drawn.states for n in (*s.violates, *s.reaches)}
    marked |= {n for e in drawn.edges for n in e.violates}
    assert marked == set(failures)
    for edge in drawn.edges:
        assert (edge.target is None) == ("ranges" in edge.violates)


@pytest.mark.parametrize("name", MODELS)
def test_networkx_reads_the_graphml(name: str) -> None:
    """XML that no other program reads, or with other nodes, steps or values."""
    model = MODELS[name]()
    drawn = graph(model)
    read = networkx.read_graphml(io.BytesIO(graphml(drawn).encode()), force_multigraph=True)
    leaving = any(e.target is None for e in drawn.edges)
    assert read.number_of_nodes() == len(drawn.states) + leaving
    assert read.number_of_edges() == len(drawn.edges)
    assert read.is_directed()
    for i, state in enumerate(drawn.states):
        node = read.nodes[f"s{i}"]
        assert node["initial"] is state.initial
        assert (node["violates"] or "") == ", ".join(state.violates)
        for cell, value in zip(model.cells, state.values, strict=True):
            if f"value {cell.label}" in node:
                assert node[f"value {cell.label}"] == model.show_value(cell, value)
    steps = sorted((a, b, d["step"]) for a, b, d in read.edges(data=True))
    ends = [(f"s{e.source}", "left" if e.target is None else f"s{e.target}", e.label)
            for e in drawn.edges]  # fmt: skip
    assert steps == sorted(ends)


STRING = r'"(?:[^"\\]|\\.)*"'
DOT = (
    rf"digraph {STRING} {{",
    r"  node \[shape=box\];",
    rf"  (s\d+|left) \[label={STRING}(, \w+=\w+)*\];",
    r'  start\d+ \[shape=point, label=""\];',
    r"  start(\d+) -> s\1;",
    rf"  s\d+ -> (s\d+|left) \[label={STRING}(, \w+=\w+)*\];",
    r"}",
)
DIAGRAM = (
    r"stateDiagram-v2",
    r'    state "[^";:]*" as (S\d+|LEFT)',
    r"    \[\*\] --> S\d+",
    r"    S\d+ --> (S\d+|LEFT): [^;:]*",
    r"    class (S\d+|LEFT) violating",
    r"    classDef violating fill:#fbb,stroke:#a00",
)


def lines_of(text: str, forms: tuple[str, ...]) -> list[str]:
    """Return the lines; each of them must have one of the forms."""
    for line in text.splitlines():
        assert any(re.fullmatch(form, line) for form in forms), line
    return text.splitlines()


@pytest.mark.parametrize("name", MODELS)
def test_dot_and_mermaid_have_every_step(name: str) -> None:
    """A missing edge, or a quote or semicolon in a label that ends the label too early."""
    drawn: StateGraph = graph(MODELS[name]())
    written = lines_of(dot(drawn), DOT)
    assert sum(re.match(r"  s\d+ -> ", line) is not None for line in written) == len(drawn.edges)
    text = re.sub(r"#(\d+|quot|lt|gt);", "_", states(drawn))
    arrows = [line for line in lines_of(text, DIAGRAM) if line.startswith("    S")]
    assert len(arrows) == len(drawn.edges)
    bad = {f"S{i}" for i, s in enumerate(drawn.states) if s.violates}
    assert bad == set(re.findall(r"class (S\d+)", text))
    red = [line for line in written if "color=red" in line and "->" not in line]
    assert len(red) == len(bad) + any(e.target is None for e in drawn.edges)


@pytest.mark.parametrize("form", ["dot", "graphml", "mermaid-states"])
def test_a_graph_that_is_too_large_is_refused(form: str) -> None:
    """A file with a million states, too large to draw, or a limit that cannot be raised."""
    model = MODELS["peterson"]()
    write = FORMATS[form].write
    with pytest.raises(SpecError, match="more than 19 states, too many to draw; --most-states"):
        write(ExportRequest(model, most_states=19))
    assert write(ExportRequest(model, most_states=20))
    with pytest.raises(UndecidedExport, match="not all states were visited"):
        write(ExportRequest(model, limits=Limits(seconds=1e-9)))


def test_only_what_is_named_is_marked() -> None:
    """A violated property drawn in red although the user did not select it."""
    model = MODELS["odd"]()
    drawn = graph(model, [model.property_named("kept")])
    assert not any(s.violates for s in drawn.states)
    assert {n for e in drawn.edges for n in e.violates} == {"kept"}
