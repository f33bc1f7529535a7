"""Parses given programs, as in ``w x; w z; r x, r z; r z, r x``."""

from __future__ import annotations

import re
from typing import Any, TypeAlias, overload

from counterpoint.spec.notation import Parameter, Spec, SpecError

Program: TypeAlias = tuple[tuple[str, str], ...]
"""Operations in order: ``"r"`` or ``"w"`` with an object's name."""

_OPERATION = re.compile(r"(r|w|read|write)[ (]\s*([A-Za-z]\w*)\s*\)?")


def parse(text: str) -> tuple[Program, ...]:
    """Return the programs that a text gives, one for each transaction.

    Parameters
    ----------
    text : str
        Programs separated by semicolons; operations, ``r x`` or ``w x``, by commas. ``T0:`` before
        a program is allowed, if they stand in order.

    Raises
    ------
    SpecError
        If the text is not a list of programs; the message names the wrong part.
    """
    programs = []
    for place, part in enumerate(text.rstrip("; ").split(";")):
        named = re.fullmatch(r"\s*(?:T(\d+)\s*:)?(.*)", part, re.DOTALL)
        number, body = named.groups() if named else (None, part)
        if number is not None and int(number) != place:
            raise SpecError(f"programs: T{number} is given in place of T{place}")
        operations = []
        for piece in body.split(","):
            found = _OPERATION.fullmatch(piece.strip())
            if found is None:
                raise SpecError(
                    f"programs: T{place} has {piece.strip()!r}, which is not an operation "
                    f'(as in "r x, w y; w x")'
                )
            operations.append((found[1][0], found[2]))
        programs.append(tuple(operations))
    return tuple(programs)


class Programs(Parameter):
    """A program for each transaction, as text; empty if operations are chosen freely."""

    @overload
    def __get__(self, spec: None, owner: type) -> Programs: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> str: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else self.value(spec)

    def parse(self, given: Any) -> str:
        """Return the programs in their shortest spelling."""
        if not str(given).strip():
            return ""
        return "; ".join(
            ", ".join(f"{kind} {name}" for kind, name in program) for program in parse(str(given))
        )

    def allowed(self) -> str:
        """Show an example of programs."""
        return 'programs such as "r x, w y; w x"'
