"""A graph of states for tools that draw or analyse graphs: DOT and GraphML."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from counterpoint.models.present.formats import clean

from .graph import GraphEdge, GraphState, StateGraph


def dot(graph: StateGraph) -> str:
    """Return a graph in the language of Graphviz.

    Initial states have an incoming arrow without a source, states where a run may end have a double
    border, and states and steps that violate a property are red.
    """
    lines = [f"digraph {_quoted(graph.model.name)} {{", "  node [shape=box];"]
    for i, state in enumerate(graph.states):
        shown = [f"state {i}", *state.shown, *(f"violates {name}" for name in state.violates)]
        style = ", peripheries=2" if state.may_end else ""
        style += ", color=red, fontcolor=red" if state.violates else ""
        lines.append(f"  s{i} [label={_quoted(chr(10).join(shown))}{style}];")
        if state.initial:
            lines += [f'  start{i} [shape=point, label=""];', f"  start{i} -> s{i};"]
    if any(edge.target is None for edge in graph.edges):
        lines.append('  left [label="outside of its range", color=red, fontcolor=red];')
    for edge in graph.edges:
        shown = [edge.label, *(f"violates {name}" for name in edge.violates)]
        target = "left" if edge.target is None else f"s{edge.target}"
        style = ", color=red, fontcolor=red" if edge.violates else ""
        lines.append(f"  s{edge.source} -> {target} [label={_quoted(chr(10).join(shown))}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    """Return a text as a string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def graphml(graph: StateGraph) -> str:
    """Return a graph in GraphML.

    A node has an attribute for each cell that has several values in the graph, and ``initial``,
    ``may_end``, ``violates`` and ``reaches``. An edge has ``step`` and ``violates``. Steps that
    leave a range lead to a node ``left``.
    """
    model = graph.model
    root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    keys = _Keys(root)
    inside = ElementTree.SubElement(root, "graph", id="states", edgedefault="directed")
    moving = [len(set(found)) > 1 for found in zip(*(s.values for s in graph.states), strict=True)]
    for i, state in enumerate(graph.states):
        node = ElementTree.SubElement(inside, "node", id=f"s{i}")
        for cell, value, moves in zip(model.cells, state.values, moving, strict=True):
            if moves:
                keys.put(node, f"value {cell.label}", model.show_value(cell, value))
        _describe(keys, node, state)
    if any(edge.target is None for edge in graph.edges):
        node = ElementTree.SubElement(inside, "node", id="left")
        keys.put(node, "violates", "ranges")
    for number, edge in enumerate(graph.edges):
        _connect(keys, inside, number, edge)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def _describe(keys: _Keys, node: ElementTree.Element, state: GraphState) -> None:
    keys.put(node, "initial", state.initial)
    keys.put(node, "may_end", state.may_end)
    keys.put(node, "violates", ", ".join(state.violates))
    keys.put(node, "reaches", ", ".join(state.reaches))


def _connect(keys: _Keys, inside: ElementTree.Element, number: int, edge: GraphEdge) -> None:
    """Add an edge of the state graph to the element ``inside``; ``number`` gives its id."""
    target = "left" if edge.target is None else f"s{edge.target}"
    element = ElementTree.SubElement(
        inside, "edge", id=f"e{number}", source=f"s{edge.source}", target=target
    )
    keys.put(element, "step", edge.label)
    keys.put(element, "violates", ", ".join(edge.violates))


class _Keys:
    """Declares each attribute once, before the graph."""

    def __init__(self, root: ElementTree.Element) -> None:
        self.root = root
        self.known: dict[tuple[str, str], str] = {}

    def put(self, element: ElementTree.Element, name: str, value: Any) -> None:
        """Give a node or an edge an attribute.

        Parameters
        ----------
        element : Element
            The node or the edge.
        name : str
            The attribute, which is declared on its first use.
        value : Any
            Its value; the type is declared too.
        """
        of = element.tag
        kind = {bool: "boolean", int: "int", str: "string"}[type(value)]
        key = self.known.get((of, name))
        if key is None:
            key = self.known[of, name] = f"k{len(self.known)}"
            declared = ElementTree.Element(
                "key", {"id": key, "for": of, "attr.name": clean(name), "attr.type": kind}
            )
            self.root.insert(len(self.known) - 1, declared)
        text = str(value).lower() if kind == "boolean" else str(value)
        ElementTree.SubElement(element, "data", key=key).text = clean(text)
