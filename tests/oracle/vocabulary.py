"""Indices and variables of a random spec, with the text that declares them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

NAMES = {"processes": ("p", "q"), "objects": ("x", "y"), "slots": ("k", "m")}
"""The indices that there may be, with the action parameters that range over each."""

LABELS = {"processes": "P", "objects": "", "slots": "S"}


@dataclass(frozen=True)
class Var:
    """A variable.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``bool``, ``int``, ``member`` or ``reference``.
    over : tuple of str
        The indices that it is an array over.
    low, high : int
        Its range; of a reference, ``high`` does not count.
    enum : str
        The enumeration of a member or of a reference's named values.
    named : tuple of str
        The names in the enumeration, the one of ``low`` first.
    to : str
        The index that a reference names a member of.
    start : str
        The text of ``initially``; empty for the default.
    top : str
        The text of the upper bound, if it is a function.
    grows : bool
        Whether the range grows.
    """

    name: str
    kind: str
    over: tuple[str, ...] = ()
    low: int = 0
    high: int = 1
    enum: str = ""
    named: tuple[str, ...] = ()
    to: str = ""
    start: str = ""
    top: str = ""
    grows: bool = False

    def declaration(self) -> str:
        """Return the line that declares the variable."""
        start = f"initially={self.start}" if self.start else ""
        element = self._element("" if self.over else start)
        if not self.over:
            return f"{self.name} = {element}"
        over = self.over[0] if len(self.over) == 1 else f"({', '.join(self.over)})"
        return f"{self.name} = Array({', '.join(filter(None, [over, element, start]))})"

    def _element(self, start: str) -> str:
        grows = "grows=True" if self.grows else ""
        first = {
            "bool": [],
            "int": [str(self.low), self.top or str(self.high)],
            "member": [self.enum],
            "reference": [self.to, self.enum],
        }[self.kind]
        kind = {"bool": "Boolean", "int": "Integer", "member": "Member", "reference": "Reference"}
        return f"{kind[self.kind]}({', '.join(filter(None, [*first, start, grows]))})"

    def enumeration(self) -> str:
        """Return the lines that define the variable's enumeration, if it has one."""
        if not self.enum:
            return ""
        members = "".join(f"    {n} = {self.low + i}\n" for i, n in enumerate(self.named))
        return f"class {self.enum}(IntEnum):\n{members}"

    def bits(self, sizes: dict[str, int]) -> float:
        """Return the binary logarithm of the number of its values, all elements together."""
        high = sizes[self.to] - 1 if self.to else self.high
        return math.log2(high - self.low + 1) * math.prod(sizes[i] for i in self.over)


@dataclass(frozen=True)
class Core:
    """A small protocol that random text is put around.

    Attributes
    ----------
    variables : tuple of Var
        The variables that the protocol needs.
    actions : dict
        Name and parameters, as in ``enter(s, p)``, to the lines of the action.
    claims : tuple of str
        Expressions that hold as long as nothing interferes.
    wrong : tuple of str
        Claims that do not hold.
    lemmas : tuple of str
        The lemmas that induction needs to prove the claims.
    steps : tuple of str
        Claims on a state and the next one, ``after``, that hold.
    """

    variables: tuple[Var, ...]
    actions: dict[str, tuple[str, ...]]
    claims: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    indices: tuple[str, ...] = field(default=("processes",))
