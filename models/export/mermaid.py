"""Mermaid diagrams, which GitHub and GitLab render: a run as a sequence, states as a diagram."""

from __future__ import annotations

import textwrap

from counterpoint.models.present.chart import chosen, outcome
from counterpoint.models.present.lanes import arrange, traced
from counterpoint.models.verdict import Verdict

from .graph import StateGraph


def sequence(verdict: Verdict) -> str:
    """Return a verdict's run as a sequence diagram with a lifeline for each lane.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    lanes, moves = arrange(verdict)
    everywhere = f"L0,L{len(lanes) - 1}" if len(lanes) > 1 else "L0"
    lines = ["sequenceDiagram", "    autonumber"]
    lines += [f"    participant L{i} as {escaped(label)}" for i, label in enumerate(lanes)]
    if chosen(verdict):
        lines.append(f"    Note over {everywhere}: start: {_folded(', '.join(chosen(verdict)))}")
    repeated = traced(verdict).loop
    for number, move in enumerate(moves):
        lines += ["    loop for ever"] if number == repeated else []
        lines.append(f"    L{move.lane}->>L{move.lane}: {escaped(move.text)}")
        if move.changes:
            lines.append(f"    Note right of L{move.lane}: {_folded(', '.join(move.changes))}")
    if repeated == len(moves):
        lines.append(f"    Note over {everywhere}: for ever: no step")
    elif repeated is not None:
        lines.append("    end")
    last = [outcome(verdict), *verdict.explanation.lines]
    lines.append(f"    Note over {everywhere}: {'<br/>'.join(map(_folded, last))}")
    return "\n".join(lines) + "\n"


def states(graph: StateGraph) -> str:
    """Return a graph of states as a state diagram."""
    lines = ["stateDiagram-v2"]
    for i, state in enumerate(graph.states):
        text = "<br/>".join(_label(part) for part in [f"state {i}", *state.shown])
        lines.append(f'    state "{text}" as S{i}')
    lines += [f"    [*] --> S{i}" for i, state in enumerate(graph.states) if state.initial]
    for edge in graph.edges:
        text = edge.label + "".join(f", violates {name}" for name in edge.violates)
        target = "LEFT" if edge.target is None else f"S{edge.target}"
        lines.append(f"    S{edge.source} --> {target}: {_label(text)}")
    if any(edge.target is None for edge in graph.edges):
        lines += ['    state "outside of its range" as LEFT', "    class LEFT violating"]
    bad = [i for i, state in enumerate(graph.states) if state.violates]
    lines += [f"    class S{i} violating" for i in bad]
    lines.append("    classDef violating fill:#fbb,stroke:#a00")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return a text with Mermaid's codes for characters that would end a statement."""
    codes = {"#": "#35;", ";": "#59;", '"': "#quot;", "<": "#lt;", ">": "#gt;",
             "%": "#37;", "{": "#123;", "}": "#125;"}  # fmt: skip
    return "".join(codes.get(c, c) for c in " ".join(text.split()))


def _label(text: str) -> str:
    """Return a text for a state diagram, in which colons must be escaped."""
    return escaped(text).replace(":", "#58;")


def _folded(text: str) -> str:
    return "<br/>".join(map(escaped, textwrap.wrap(text, 50, break_on_hyphens=False)))
