"""The memories of this room as subjects of ``counterpoint drive``: traces of ``window-stm``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from counterpoint.memories.conforming.window import window_state
from counterpoint.memories.exploring.window import WindowCase, window_cases
from counterpoint.memories.interface import Aborted, Memory, Transaction
from counterpoint.memories.opening import open
from counterpoint.memories.window.readings import CHOICES
from counterpoint.spec.stm.programs import parse
from counterpoint.spec.stm.window import Window

from .trace import Trace

ENDS = ("commit_read_only", "lock", "validate", "fetch_and_increment")
"""The first steps of a commit; mutants of the spec begin it otherwise than by a lock."""


class WindowSubject:
    """Transactions of a memory that do what those of a trace do.

    Transaction t writes t + 1, so that a value says who wrote it; 0 is the first value.

    Parameters
    ----------
    name : str
        The name of the memory.
    fault : str, optional
        A fault that is planted in it; "": none.
    **readings
        Its readings; those that are not given are the trace's.
    """

    def __init__(self, name: str = "window-c", fault: str | None = None, **readings: str) -> None:
        self._name, self._fault = name, fault or None
        self._readings = {n.replace("_", "-"): value for n, value in readings.items()}
        self._names: dict[int, str] = {}
        self._observed: dict[str, Any] = {}
        self._begun: dict[int, Transaction] = {}

    def programs(self, trace: Trace) -> list[Callable[[], None]]:
        """Return a thread for each transaction of the trace, with its reads and writes."""
        if trace.spec.partition("/")[0] != Window.name:
            raise ValueError(f"it follows traces of {Window.name}, not of {trace.spec}")
        self._names = {step.arguments["t"]: step.labels["t"] for step in trace.steps}
        given = {n: v for n, v in trace.parameters.items() if n in CHOICES} | self._readings
        readings: dict[str, Any] = {n.replace("-", "_"): str(v) for n, v in given.items()}
        memory = open(self._name, trace.parameters["objects"], fault=self._fault, **readings)
        self._memory, self._transactions = memory, trace.parameters["transactions"]
        return [
            partial(self._run, memory, trace, t, name) for t, name in sorted(self._names.items())
        ]

    def cases(self, parameters: Mapping[str, Any]) -> Iterator[WindowCase]:
        """Yield the programs of the spec's bounds, with its readings, to be explored."""
        given = {n: str(v) for n, v in parameters.items() if n in CHOICES} | self._readings
        readings = {n.replace("-", "_"): v for n, v in given.items() if v != CHOICES[n][0]}
        if parameters["programs"]:
            plans = parse(parameters["programs"])
            number = {name: k for k, name in enumerate(sorted({x for p in plans for _, x in p}))}
            programs = [tuple((kind, number[x]) for kind, x in plan) for plan in plans]
            yield WindowCase(programs, self._name, self._fault, **readings)
            return
        t, x, most = (parameters[n] for n in ("transactions", "objects", "operations"))
        yield from window_cases(t, x, most, self._name, self._fault, **readings)

    def _run(self, memory: Memory, trace: Trace, t: int, name: str) -> None:
        steps = list(trace.of(t=t))
        aborts = any(s.changes.get(f"status[{name}]", ("", ""))[1] == "ABORTED" for s in steps)
        try:
            self._begun[t] = memory.transaction(label=t)
            self._take(self._begun[t], trace, t, name)
        except Aborted:
            if not aborts:
                self._observed[name] = "aborted"
                raise

    def _take(self, tx: Transaction, trace: Trace, t: int, name: str) -> None:
        for step in trace.of(t=t):
            if step.action == "read":
                value = tx.read(step.arguments["x"])
                self._observed[f"{name} reads {step.labels['x']}"] = self._writer(value)
            elif step.action == "write":
                tx.write(step.arguments["x"], t + 1)
            elif step.action in ENDS:
                break
        else:
            return
        if not tx.commit():
            raise Aborted("it was aborted when it asked to commit")
        self._observed[name] = "committed"

    def expected(self, trace: Trace) -> dict[str, Any]:
        """Return what each transaction reads, and how it ends, as the spec says."""
        found: dict[str, Any] = {}
        for step in trace.steps:
            name = step.labels["t"]
            _, source = step.changes.get(f"source[{name}, {step.labels.get('x')}]", (None, None))
            if source is not None:
                value = "the first value" if source == "FIRST" else f"what {source} wrote"
                found[f"{name} reads {step.labels['x']}"] = value
            if step.changes.get(f"status[{name}]", ("", ""))[1] == "COMMITTED":
                found[name] = "committed"
        return found

    def _writer(self, value: int) -> str:
        """Return who wrote a value."""
        if value == 0:
            return "the first value"
        return f"what {self._names[value - 1]} wrote" if value - 1 in self._names else str(value)

    def state(self) -> dict[str, Any]:
        """Return the variables of the spec that the memory shows now."""
        look = self._memory.look()  # type: ignore[attr-defined]
        names = [str(x) for x in range(self._memory.objects)]
        return window_state(look, self._begun, names, self._source, self._transactions)

    def _source(self, value: int) -> str:
        return self._names.get(value - 1, str(value)) if value else "FIRST"

    def observed(self) -> dict[str, Any]:
        """Return what the transactions read, and how they ended."""
        return dict(self._observed)


SUBJECTS: dict[str, Callable[..., WindowSubject]] = {
    "window": partial(WindowSubject, "window"),
    "window-c": partial(WindowSubject, "window-c"),
}
"""The subjects that have a name."""
