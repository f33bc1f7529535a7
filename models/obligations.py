"""What a proof asks of z3, each question as a file in SMT-LIB 2.6 that any solver can be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Record: TypeAlias = Callable[[str, Sequence[Any], Any], None]
"""Takes an obligation's name, the z3 conditions that cannot be met together, and z3's answer."""


def unrecorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
    """Forget an obligation, where nobody wants to see it."""


def under(record: Record, *places: str) -> Record:
    """Return a record of obligations whose names begin with some places."""

    def recorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
        record("/".join([*places, name]), conditions, answer)

    return recorded
