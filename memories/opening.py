"""Opens a memory by its name."""

from __future__ import annotations

from importlib import import_module

from .interface import Memory
from .recording import Recorder

NAMES = {
    "window": "the corrected window protocol in Python, for threads",
    "window-c": "the corrected window protocol in C with atomics",
}
"""The memories, with a line about each."""


def open(
    name: str = "window-c",
    objects: int = 4,
    *,
    record: Recorder | None = None,
    fault: str | None = None,
    **readings: str,
) -> Memory:
    """Return a new memory whose objects hold 0.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    objects : int
        How many objects there are.
    record : Recorder, optional
        Gets every event.
    fault : str, optional
        For tests: a fault to plant, by the name of a mutant of the spec, such as
        ``no-validation``.
    **readings
        For tests: readings of the spec, with underscores. ``fetch_and_increment="old"`` is the
        protocol as it was published, which is wrong: a transaction can see the old value of one
        object beside the new value of another.

    Raises
    ------
    ValueError
        If there is no such memory, reading or fault.
    NoCompiler
        If the memory is in C, and there is no C compiler.
    """
    if name not in NAMES:
        raise ValueError(f"there is no memory {name!r}; there are {', '.join(NAMES)}")
    wanted = import_module("counterpoint.memories.window.readings").switches(readings, fault)
    if name == "window-c":
        place = import_module("counterpoint.memories.window.c_memory")
        compiled: Memory = place.CompiledWindowMemory(objects, record, wanted)
        return compiled
    python = import_module("counterpoint.memories.window.python_memory").WindowMemory
    planted = import_module("counterpoint.memories.window.faults").FAULTS
    made: Memory = planted.get(wanted.fault, python)(objects, record, wanted)
    return made
