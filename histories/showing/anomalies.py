"""Names of anomalies, and what happened in words.

The names are A. Adya's (*Weak consistency*, MIT, 1999) and, where he has none, those of P. Alvaro
and K. Kingsbury (*Elle*, VLDB 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from counterpoint.histories.deciding.edges import Edge, Kind
from counterpoint.histories.deciding.judging import Judgement
from counterpoint.histories.history import History
from counterpoint.histories.sources import INITIAL, Sources


def anomaly(judgement: Judgement) -> str:
    """Return the name of what is wrong."""
    if judgement.finding is not None:
        return judgement.finding.fault.value
    return of_cycle(judgement.cycle) if judgement.cycle else ""


def of_cycle(cycle: Sequence[Edge]) -> str:
    """Return the name of a cycle."""
    kinds = [edge.kind for edge in cycle]
    if Kind.VISIBLE in kinds:
        return "causality violation" if len(cycle) > 2 else "fractured read"
    name = _of_dependencies(cycle)
    if Kind.EFFECT in kinds:
        return name + ", with the order of effects"
    if Kind.REAL_TIME in kinds:
        return name + ", with real time"
    return name + ", with sessions" if Kind.SESSION in kinds else name


def _of_dependencies(cycle: Sequence[Edge]) -> str:
    """Return the name of a cycle by its ``ww``, ``wr`` and ``rw``."""
    kinds = [edge.kind for edge in cycle]
    against = kinds.count(Kind.RW)
    if against == 0:
        return "write cycle (G0)" if Kind.WR not in kinds else "circular information flow (G1c)"
    if against == 1:
        return _single(cycle)
    if len(cycle) == 2:
        return "write skew (G2-item)"
    adjacent = any(a is b is Kind.RW for a, b in pairwise([*kinds, kinds[0]]))
    return "anti-dependency cycle (G2-item)" if adjacent else "long fork (G-nonadjacent)"


def _single(cycle: Sequence[Edge]) -> str:
    """Return the name of a cycle with one ``rw``."""
    if len(cycle) == 2:
        objects = {edge.object for edge in cycle if edge.kind in (Kind.WW, Kind.RW)}
        if len(objects) == 1 and any(edge.kind is Kind.WW for edge in cycle):
            return "lost update (G-single)"
        if any(edge.kind is Kind.WR for edge in cycle):
            return "read skew (G-single)"
        if any(edge.kind in (Kind.REAL_TIME, Kind.EFFECT, Kind.SESSION) for edge in cycle):
            return "stale read (G-single)"
    return "read skew (G-single)"


# What happened, in words


def steps(sources: Sources, cycle: Sequence[Edge]) -> list[str]:
    """Return each edge of a cycle as a sentence."""
    return [_step(sources, edge) for edge in cycle]


def _step(sources: Sources, edge: Edge) -> str:
    history = sources.history
    early, late = history.name(edge.source), history.name(edge.target)
    first, second = (history.transactions[k] for k in (edge.source, edge.target))
    what = edge.object
    if edge.kind is Kind.WW:
        then = _overwrote(sources, edge.target, what)
        return f"{early} {_wrote(sources, edge.source, what)}, and then {late} {then}"
    if edge.kind is Kind.WR:
        return f"{late} read {_read(sources, edge.target, edge.source, what)}, which {early} wrote"
    if edge.kind is Kind.RW:
        about = INITIAL if edge.about is None else edge.about
        seen = _read(sources, edge.source, about, what)
        return f"{early} read {seen}, before {late} {_overwrote(sources, edge.target, what)}"
    if edge.kind is Kind.SESSION:
        return f"{early} came before {late} in process {second.process}"
    if edge.kind is Kind.REAL_TIME:
        return f"{early} had ended (line {first.end:,}) when {late} began (line {second.begin:,})"
    if edge.kind is Kind.EFFECT:
        return f"{early} had taken effect when {late} could first do so"
    reader = history.name(-1 if edge.about is None else edge.about)
    return f"{reader} saw {early}, which wrote {what}, and read the {what} of {late}, so that " \
        f"{early} wrote it before {late}"  # fmt: skip


def _wrote(sources: Sources, writer: int, what: Any) -> str:
    value = sources.wrote[writer][what]
    return _appended(value, what) if type(value) is tuple else f"wrote {what} = {value!r}"


def _overwrote(sources: Sources, writer: int, what: Any) -> str:
    value = sources.wrote[writer][what]
    if type(value) is tuple:
        return _appended(value, what)
    return f"overwrote {what} with {value!r}"


def _appended(value: tuple[Any, ...], what: Any) -> str:
    return f"appended {', '.join(map(repr, value))} to {what}"


def _read(sources: Sources, reader: int, writer: int, what: Any) -> str:
    for read in sources.reads[reader]:
        if read.object == what and writer in (read.writer, *read.chain):
            place = f"(line {read.place:,})"
            if read.value is None:
                return f"the initial {what} {place}"
            return f"{what} = {shown(read.value)} {place}"
    return f"{what} of {'nobody' if writer == INITIAL else sources.name(writer)}"


def shown(value: Any, most: int = 6) -> str:
    """Return a value; of a long list its end."""
    if type(value) is not tuple:
        return repr(value)
    if len(value) <= most:
        return f"[{', '.join(map(repr, value))}]"
    return f"[... {', '.join(map(repr, value[-most:]))}]"


def summary(history: History) -> str:
    """Return what a history contains, in words."""
    counts = history.counted()
    fates = ", ".join(f"{number:,} {fate.value}" for fate, number in counts.fates.items())
    return f"{counts.transactions:,} transaction{'s'[: counts.transactions != 1]} of " \
        f"{counts.processes:,} process{'es'[: 2 * (counts.processes != 1)]} ({fates}), " \
        f"{counts.operations:,} operation{'s'[: counts.operations != 1]}"  # fmt: skip
