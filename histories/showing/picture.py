"""A violation as one self-contained HTML page: the transactions of the cycle in real time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from counterpoint.histories.deciding.edges import Edge
from counterpoint.histories.history import Fate, Operation, Transaction
from counterpoint.histories.report import Report
from counterpoint.histories.sources import Sources

from .anomalies import anomaly, shown, steps, summary

SIGN, LINE, GAP, TOP = 7.3, 15, 34, 12
"""The width of a character, the height of a line, the space above a lane and all: pixels."""

MOST_OPERATIONS = 6
"""Of a transaction with more operations, those that the cycle is about are drawn."""


def page(name: str, report: Report) -> str:
    """Return a page about the weakest criterion that is violated.

    Parameters
    ----------
    name : str
        The name of the recording.
    report : Report
    """
    result = report.first_violated()
    found = None if result is None else result.judgement
    why = []
    if found is not None:
        why = [found.finding.text] if found.finding else steps(report.sources, found.cycle)
    return _template().render(
        name=name,
        summary=summary(report.sources.history),
        results=report.results,
        violated=result,
        anomaly="" if found is None else anomaly(found),
        why=[(_letter(k), line) for k, line in enumerate(why)],
        drawing=None if found is None else _drawing(report.sources, found.cycle, found.finding),
    )


def _drawing(sources: Sources, cycle: Sequence[Edge], finding: Any) -> dict[str, Any]:
    """Return lanes, marks and arrows with their places, in pixels."""
    if finding is not None:
        numbers = [finding.transaction, *([] if finding.writer is None else [finding.writer])]
        objects = set()
    else:
        numbers = [edge.source for edge in cycle]
        objects = {edge.object for edge in cycle}
    chosen = [sources.history.transactions[k] for k in sorted(set(numbers))]
    marks = [(one.number, *mark) for one in chosen for mark in _marks(one, objects)]
    stacked: dict[tuple[int, int], list[str]] = {}
    for number, place, text in marks:
        stacked.setdefault((number, place), []).append(text)
    width: dict[int, float] = {}
    for (_, place), texts in stacked.items():
        width[place] = max(width.get(place, 0), SIGN * max(map(len, texts)) + 22)
    x: dict[int, float] = {}
    left = right = 60.0 + 18 * len(cycle)
    for place in sorted(width):
        x[place] = right + width[place] / 2
        right += width[place]
    y: dict[int, float] = {}
    down = float(TOP)
    lanes = []
    for k, one in enumerate(chosen):
        height = LINE * max(len(t) for (number, _), t in stacked.items() if number == one.number)
        down += GAP
        y[one.number] = down + height / 2 + 6
        last = one.begin if one.end is None else one.end
        last = max([last, *(p for number, p in stacked if number == one.number)])
        lanes.append({
            "name": one.name,
            "process": "" if one.process is None else f"process {one.process}",
            "fate": one.fate.value,
            "number": k % 6,
            "x": x[one.begin] - width[one.begin] / 2 + 4,
            "y": down,
            "width": x[last] - x[one.begin] + (width[last] + width[one.begin]) / 2 - 8,
            "height": height + 12,
        })  # fmt: skip
        down += height + 12
    return {
        "width": right + 20,
        "height": down + 20,
        "line": LINE,
        "lanes": lanes,
        "marks": [
            {"x": x[place], "y": y[number], "texts": texts}
            for (number, place), texts in stacked.items()
        ],
        "arrows": [_arrow(k, edge, y, left - 8) for k, edge in enumerate(cycle)],
    }


def _marks(one: Transaction, objects: set[Any]) -> list[tuple[int, str]]:
    """Return the events of a transaction that are drawn: their places and texts."""
    found = [(one.begin, "begin")]
    operations = one.operations
    if len(operations) > MOST_OPERATIONS:
        operations = [op for op in operations if op.object in objects][:MOST_OPERATIONS]
    found += [(op.place, _operation(op)) for op in operations]
    if one.asked is not None:
        found.append((one.asked, "try-commit"))
    if one.end is not None:
        found.append((one.end, "commit" if one.fate is Fate.COMMITTED else "abort"))
    return found


def _operation(op: Operation) -> str:
    if op.kind == "append":
        return f"append {shown(op.value, 3)} to {op.object}"
    return f"{op.kind} {op.object} = {'initial' if op.value is None else shown(op.value, 3)}"


def _arrow(number: int, edge: Edge, y: dict[int, float], x: float) -> dict[str, Any]:
    """Return an arrow from lane to lane, left of all events."""
    begin, end = y[edge.source], y[edge.target]
    bend = 14 + 24 * number
    down = 1 if end > begin else -1
    return {
        "letter": _letter(number),
        "path": f"M{x} {begin + 6 * down} C{x - bend} {begin + 20 * down} {x - bend} "
                f"{end - 20 * down} {x} {end - 6 * down}",
        "x": x - 0.75 * bend - 3,
        "y": (begin + end) / 2 + 4,
    }  # fmt: skip


def _letter(number: int) -> str:
    return chr(ord("A") + number % 26)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("violation.html.j2")
