"""Small programs of transactions over the window memory, to be explored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

from counterpoint.memories import points
from counterpoint.memories.conforming.window import window_state
from counterpoint.memories.interface import Aborted, Memory, Transaction
from counterpoint.memories.opening import open
from counterpoint.memories.points import Point
from counterpoint.memories.recording import Recorder
from counterpoint.memories.window.look import Look
from counterpoint.memories.window.readings import CHOICES, switches
from counterpoint.spec.notation import Spec

from .cases import Thread

Program = tuple[tuple[str, int], ...]
"""Operations in their order: ``r`` or ``w``, and an object."""

NAMES = "xyzabc"
"""The objects in words."""


def programs(operations: int, objects: int) -> list[Program]:
    """Return all programs with up to so many operations, at least one."""
    single = [(kind, x) for kind in "rw" for x in range(objects)]
    return [one for size in range(1, operations + 1) for one in product(single, repeat=size)]


OTHER_STEPS = frozenset({"finite-window", "unlock"})
"""Readings that have other steps, or whose steps touch more. With all other readings a step touches
at most what it touches in the corrected protocol."""


class WindowCase:
    """Transactions, one for each thread, over a new window memory.

    Parameters
    ----------
    given : sequence of Program
    name : str
        The memory's name.
    fault : str, optional
    **readings
    """

    def __init__(
        self, given: Sequence[Program], memory: str = "window-c", fault: str | None = None,
        **readings: str,
    ) -> None:  # fmt: skip
        self._given, self._memory, self._fault, self._readings = given, memory, fault, readings
        self._objects = 1 + max(x for program in given for _, x in program)
        switched = switches(readings, fault)
        changed = {n for n, v in switched.readings.items() if v != CHOICES[n][0]}
        self.commutes = switched.fault is None and not changed & OTHER_STEPS
        self.name = "; ".join(
            ", ".join(f"{kind} {NAMES[x]}" for kind, x in program) for program in given
        )

    def threads(self) -> WindowRun:
        """Return the transactions over a new memory."""
        record = Recorder(initial=0)
        memory = open(self._memory, self._objects, record=record, fault=self._fault,
                      **self._readings)  # fmt: skip
        run = WindowRun(memory, record, {x for program in self._given for _, x in program})
        run.programs = [partial(run.run, t, program) for t, program in enumerate(self._given)]
        return run

    def spec(self, spec: Spec) -> Spec:
        """Return a spec with the programs of this case, and its own readings."""
        own = {n: v for n, v in spec.parameters.items() if n in CHOICES}
        return type(spec)(**own, programs=self.name)

    def arguments(self, point: Point) -> dict[str, Any]:
        """Return the arguments of a point with the labels of the spec."""
        given = dict(point.arguments)
        return given | ({"x": NAMES[given["x"]]} if "x" in given else {})

    def touches(self, point: Point) -> Iterable[tuple[object, bool]]:
        """Return what a step touches; with a fault in the code a step may touch anything."""
        if not self.commutes:
            return (("everything", True),)
        arguments = dict(point.arguments)
        return self._touched(point.name, arguments["t"], arguments.get("x"))

    def _touched(self, name: str, t: int, x: int | None) -> list[tuple[object, bool]]:
        """Return what a step of a transaction touches.

        Of an object there are its version and its lock. Of a transaction there are its window,
        which is what others tell it of overwritten versions, and its end, which is before the
        begin of one that enters later, and before the commit of one that asks for it later (real
        time). The step of its last operation is the one after which a transaction asks to commit.
        A transaction that reads nothing has no window that could be wrong, so it never aborts.
        """
        read, used = self._of(t, "r"), self._of(t, "rw")
        others = [u for u in range(len(self._given)) if u != t]
        window, end = (("window", t), False), (("end", t), True)
        release = [(("lock", y), True) for y in used]
        after_others: list[tuple[object, bool]] = [(("end", u), False) for u in others]
        asks = after_others if (name[0], x) == self._given[t][-1] else []
        steps: dict[str, list[tuple[object, bool]]] = {
            "enter": after_others,
            "begin": [("clock", False)],
            "read": [(("version", x), False), *((("lock", y), False) for y in {x, *read}),
                     window, end, *asks],  # it can abort
            "write": asks,
            "commit_read_only": [end],
            "lock": [(("lock", x), True)],
            "validate": [window, *release, end] if read else [],  # it can abort and unlock
            "fetch_and_increment": [("clock", True)],
            "publish": [(("version", x), True),
                        *((("window", u), True) for u in others if x in self._of(u, "r"))],
            "unlock_all": [*release, end],
        }  # fmt: skip
        return steps[name]

    def _of(self, t: int, kinds: str) -> list[int]:
        """Return the objects that a transaction reads or writes."""
        return sorted({x for kind, x in self._given[t] if kind in kinds})


class WindowRun:
    """Transactions that have not run yet, and what they record.

    Parameters
    ----------
    memory : Memory
    record : Recorder
    used : set of int
        The objects that the programs use: the spec has no others.
    """

    def __init__(self, memory: Memory, record: Recorder, used: set[int]) -> None:
        self.programs: Sequence[Thread] = ()
        self._memory, self._record = memory, record
        self._names = [NAMES[x] if x in used else "" for x in range(memory.objects)]
        self._begun: dict[int, Transaction] = {}

    def record(self) -> Recorder:
        """Return what the transactions did."""
        return self._record

    def fault(self) -> str:
        """Return nothing: the history says it all."""
        return ""

    def state(self) -> dict[str, Any]:
        """Return the variables of the spec that the memory shows now."""
        look: Look = self._memory.look()  # type: ignore[attr-defined]
        most = len(self.programs)
        return window_state(look, self._begun, self._names, _writer, most)

    def run(self, t: int, program: Program) -> None:
        """Run a transaction; an abort by the memory ends it."""
        points.step("enter", t=t)
        tx = self._begun[t] = self._memory.transaction(label=t, process=t)
        try:
            for number, (kind, x) in enumerate(program, start=1):
                if kind == "r":
                    tx.read(x)
                else:
                    tx.write(x, 100 * (t + 1) + number)
            tx.commit()
        except Aborted:
            pass


def _writer(value: int) -> str:
    """Return who wrote a value."""
    return f"T{value // 100 - 1}" if value else "FIRST"


def window_cases(
    transactions: int, objects: int, operations: int, memory: str = "window-c",
    fault: str | None = None, **readings: str,
) -> Iterator[WindowCase]:  # fmt: skip
    """Yield all programs of so many transactions, up to the order of the transactions."""
    every = programs(operations, objects)
    for given in combinations_with_replacement(every, transactions):
        yield WindowCase(given, memory, fault, **readings)
