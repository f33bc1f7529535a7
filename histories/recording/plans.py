"""Writes the plan of a load as a text, for programs in any language.

The first line is ``threads T objects N lists L longest M``: as many processes, objects from 0 to
N - 1, registers (L = 0) or lists (L = 1) of at most M values. Each line after it is a transaction:
``PROCESS NUMBER ABORTS STEPS``, and for each step ``r OBJECT 0``, ``w OBJECT VALUE``,
``a OBJECT VALUE``, or ``p 0 0`` for a pause. A process runs its transactions in the
order of the lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .load import Load


def write_plan(load: Load, path: Path) -> None:
    """Write the plan of all transactions of a load."""
    with path.open("w", encoding="ascii") as out:
        out.write(f"threads {load.threads} objects {len(load.all_objects())} lists "
                  f"{int(load.lists)} longest {load.longest_list()}\n")  # fmt: skip
        out.writelines(_lines(load))


def _lines(load: Load) -> Iterator[str]:
    for process in range(load.threads):
        for number in range(load.count(process)):
            _, steps, aborts = load.plan(process, number)
            text = " ".join(f"{kind[0]} {what} {value}" for kind, what, value in steps)
            yield f"{process} {number} {int(aborts)} {len(steps)} {text}\n"
