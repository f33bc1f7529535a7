"""A trace as one self-contained HTML page: lanes, logical time, and every state."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from counterpoint.files.outputs import replacing
from counterpoint.models.lassos import promises
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Picture, Values

from .chart import chosen, outcome
from .lanes import Move, arrange, traced

_COLOURS = 6
_ROW = 30
_TICKS = 12


def page(verdict: Verdict, command: str = "") -> str:
    """Return the verdict's trace as a self-contained page; arrow keys move through its steps.

    Without scripts the page still has the list of steps and the table of all states.

    Parameters
    ----------
    verdict : Verdict
        With a trace.
    command : str
        The command line that reproduces the verdict; shown if given.

    Raises
    ------
    SpecError
        If the verdict has no trace.
    """
    model, trace = verdict.model, traced(verdict)
    lanes, moves = arrange(verdict)
    edges = _edges(verdict, lanes)
    drawing = _drawing([model.at(values).picture() for values in trace.states], lanes)
    start = chosen(verdict)
    return _template().render(
        verdict=verdict,
        model=model,
        reached=verdict.claim.kind == "sometimes",
        outcome=outcome(verdict),
        command=command,
        settings=_settings(model),
        lanes=lanes,
        moves=moves,
        cycle=trace.loop,
        fairness=_is_about_fairness(verdict),
        start=start,
        edges=edges,
        named=_letters(edges),
        reasons=[
            (line, [e["letter"] for e in edges if e["why"] in line])
            for line in verdict.explanation.lines
        ],
        drawing=drawing,
        table=_table(model, trace.states),
        data={
            "last": len(moves),
            "drawing": drawing,
            "say": _spoken(lanes, moves, start, trace.loop),
        },
        colours=_COLOURS,
    )


def write(path: Path, verdict: Verdict, command: str = "") -> None:
    """Write the page to a file; if writing fails, an existing file stays as it was.

    Parameters
    ----------
    path : Path
        The file, which is replaced if it exists; its folder must exist.
    verdict, command
        As for `page`.
    """
    with replacing(path) as unfinished:
        unfinished.write_text(page(verdict, command), encoding="utf-8", newline="\n")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("counterexample.html.j2")


def _settings(model: Model) -> list[dict[str, Any]]:
    """Return the spec's parameters, and whether each differs from its default."""
    declared = model.spec.declared_parameters
    return [
        {"name": name, "value": value, "changed": value != declared[name].default}
        for name, value in model.spec.parameters.items()
        if value != ""
    ]


def _is_about_fairness(verdict: Verdict) -> bool:
    """Return whether the explanation says how a cycle keeps each promise of fairness."""
    if traced(verdict).loop is None:
        return False
    return tuple(verdict.explanation.lines) == tuple(promises(verdict.model, traced(verdict)))


def _spoken(
    lanes: tuple[str, ...], moves: tuple[Move, ...], start: tuple[str, ...], cycle: int | None
) -> list[str]:
    """Return a text for screen readers, for the initial state and for each step."""
    found = ["Initial state" + (f": {', '.join(start)}" if start else "")]
    found += [
        f"{lanes[m.lane]}: {m.text}" + (f". {', '.join(m.changes)}" if m.changes else "")
        for m in moves
    ]
    if cycle == len(moves):
        return [*found[:-1], f"{found[-1]}. For ever: no step"]
    first = len(found) if cycle is None else cycle + 1
    return [f"{text}. Repeated for ever" if k >= first else text for k, text in enumerate(found)]


# The contradiction


def _edges(verdict: Verdict, lanes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the edges of the contradiction, with the steps that each reason refers to."""
    found = []
    for place, (first, second, why) in enumerate(verdict.explanation.edges):
        ends = [_lane(first, lanes), _lane(second, lanes)]
        found.append(
            {
                "letter": chr(ord("A") + place % 26),
                "first": first,
                "second": second,
                "why": why,
                "lanes": None if None in ends else ends,
                "steps": _steps_named(verdict, {*_words(first), *_words(second)}, why),
            }
        )
    return found


def _steps_named(verdict: Verdict, ends: set[str], why: str) -> list[int]:
    """Return the steps that a reason refers to.

    A reason refers to a step if it names the indices and the new value of a variable that the step
    changes, as "T0 reads y from T1" names those of ``source[T0, y] NOT_READ→T1``. A truth value
    has no name; it counts if it becomes true of both ends of the edge, as in ``before[T1, T0]``.
    """
    model, trace = verdict.model, traced(verdict)
    reason = set(_words(why))
    found = []
    for number, (before, after) in enumerate(pairwise(trace.states), start=1):
        for label, (_, new) in model.changes(before, after).items():
            indices = set(_words(label.partition("[")[2]))
            means = (
                new and ends <= indices if isinstance(new, bool) else {*_words(str(new))} <= reason
            )
            if indices and indices <= reason and means:
                found.append(number)
                break
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _letters(edges: list[dict[str, Any]]) -> dict[int, list[str]]:
    """Return for each step the letters of the edges whose reason refers to it."""
    found: dict[int, list[str]] = defaultdict(list)
    for edge in edges:
        for number in edge["steps"]:
            found[number].append(edge["letter"])
    return found


# Logical time


@dataclass
class _Track:
    """A row of the drawing: one version of an object, or the window of a lane."""

    name: str
    lane: int | None
    bars: list[dict[str, Any] | None]


def _drawing(pictures: list[Picture | None], lanes: tuple[str, ...]) -> dict[str, Any] | None:
    """Return logical time as the page draws it; None if the spec has no picture.

    ``bars[k]`` of a track is its bar after step k: its ends ``from`` and ``to`` (None: open), and
    in ``was`` the first ends of a window that has shrunk. It is None while there is no bar.
    """
    seen = [p for p in pictures if p is not None]
    if not seen or len(seen) < len(pictures):
        return None
    groups = _versions(seen, lanes) | {"windows": _windows(seen, lanes)}
    bars = [bar for tracks in groups.values() for t in tracks for bar in t.bars if bar]
    times = [p.now for p in seen]
    times += [t for bar in bars for t in (bar["from"], bar["to"]) if t is not None]
    low, high = min(0, *times), max(times) + 1
    unit = 94 / (high - low)
    tracks, headings, top = [], [], 34
    for heading, own in groups.items():
        headings.append((heading, top))
        for place, track in enumerate(own):
            tracks.append({"group": heading, "top": top + 24 + place * _ROW, **vars(track)})
        top += 32 + len(own) * _ROW
    return {
        "now": [p.now for p in seen],
        "tracks": tracks,
        "headings": headings,
        "height": top,
        "ticks": list(range(low, high + 1, -(-(high - low) // _TICKS))),
        "zero": 2 - low * unit,
        "unit": unit,
    }


def _versions(pictures: list[Picture], lanes: tuple[str, ...]) -> dict[str, list[_Track]]:
    """Return for each object a row for each version, from its date until it is overwritten."""
    groups = {}
    for thing in dict.fromkeys(name for p in pictures for name in p.versions):
        tracks: list[_Track] = []
        dates: list[int] = []
        latest = None
        for k, picture in enumerate(pictures):
            version = picture.versions.get(thing)
            if version is not None and version != latest:
                latest = version
                dates.append(version[0])
                tracks.append(_Track(version[1], _lane(version[1], lanes), [None] * k))
            for track, date, end in zip(tracks, dates, [*dates[1:], None], strict=True):
                track.bars.append({"from": date, "to": end})
        groups[f"versions of {thing}"] = tracks
    return groups


def _windows(pictures: list[Picture], lanes: tuple[str, ...]) -> list[_Track]:
    """Return a row for each lane that ever has a window."""
    names = {name for p in pictures for name in p.windows}
    order = [*(lane for lane in lanes if lane in names), *sorted(names - set(lanes))]
    return [
        _Track(name, _lane(name, lanes), _bars([p.windows.get(name) for p in pictures]))
        for name in order
    ]


def _bars(windows: list[tuple[int, int | None] | None]) -> list[dict[str, Any] | None]:
    bars: list[dict[str, Any] | None] = []
    first: tuple[int, int | None] | None = None
    for window in windows:
        first = None if window is None else first or window
        if window is None:
            bars.append(None)
        else:
            bar: dict[str, Any] = {"from": window[0], "to": window[1]}
            bars.append(bar if window == first else {**bar, "was": first})
    return bars


def _lane(name: str, lanes: tuple[str, ...]) -> int | None:
    return lanes.index(name) if name in lanes else None


# Every state


def _table(model: Model, states: tuple[Values, ...]) -> dict[str, Any]:
    """Return all cells in all states: those that change, and those that never do."""
    changing, constant = [], []
    for place, cell in enumerate(model.cells):
        column = [state[place] for state in states]
        shown = [str(model.show_value(cell, value)) for value in column]
        if len(set(column)) == 1:
            constant.append((cell.label, shown[0]))
        else:
            fresh = [False, *(a != b for a, b in pairwise(column))]
            changing.append((cell.label, list(zip(shown, fresh, strict=True))))
    return {"changing": changing, "constant": constant, "states": range(len(states))}
