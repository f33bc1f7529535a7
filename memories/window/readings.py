"""The readings and faults of the window protocol that an implementation takes as a switch.

Their names, choices and defaults are those of the spec. A fault is a mutant of the spec: one that
fixes a reading is that reading, and the others are planted in the code.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cache

from counterpoint.spec.catalogue import MUTANTS
from counterpoint.spec.notation import Choice
from counterpoint.spec.stm.window import Window


@dataclass(frozen=True)
class Switches:
    """What differs from the corrected protocol.

    Attributes
    ----------
    readings : dict of str to str
        All readings by name, such as ``fetch-and-increment``.
    fault : str or None
        The fault that is planted in the code; None: there is none.
    """

    readings: dict[str, str] = field(default_factory=dict)
    fault: str | None = None

    def names(self) -> list[str]:
        """Return what is switched on: readings that are not the default, and the fault."""
        changed = [f"{n}-{v}" for n, v in self.readings.items() if v != CHOICES[n][0]]
        return [*changed, *((self.fault,) if self.fault else ())]


CHOICES = {
    name: declared.values
    for name, declared in Window.declared_parameters.items()
    if isinstance(declared, Choice)
}
"""The choices of each reading, the default first."""


@cache
def faults() -> dict[str, dict[str, str]]:
    """Return the readings that each mutant of the spec fixes; none if its text differs."""
    module = importlib.import_module(MUTANTS[Window.name])
    mutants = [m for m in vars(module).values() if isinstance(m, type) and issubclass(m, Window)]
    return {
        m.name.partition("/")[2]: {n: str(v) for n, v in m.mutation.readings.items()}
        for m in mutants
        if m.mutation is not None
    }


def switches(given: dict[str, str], fault: str | None = None) -> Switches:
    """Return the switches for readings by keyword, and a fault.

    Parameters
    ----------
    given : dict of str to str
        Readings by name; an underscore may stand for a dash.
    fault : str, optional
        The name of a mutant of the spec, without that of the spec.

    Raises
    ------
    ValueError
        If there is no such reading, choice or fault.
    """
    readings = {name: values[0] for name, values in CHOICES.items()}
    wanted = {name.replace("_", "-"): value for name, value in given.items()}
    if fault is not None:
        if fault not in faults():
            raise ValueError(f"there is no fault {fault!r}; there are {', '.join(faults())}")
        wanted |= faults()[fault]
        fault = None if faults()[fault] else fault
    for name, value in wanted.items():
        if name not in CHOICES:
            raise ValueError(f"there is no reading {name!r}; there are {', '.join(CHOICES)}")
        if value not in CHOICES[name]:
            raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}, not {value!r}")
        readings[name] = value
    return Switches(readings, fault)
