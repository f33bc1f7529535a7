"""The result of an exhaustive run, in the same form for every explorer."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from counterpoint.models.symbolic.trace import System
from counterpoint.models.verdict import Disagreement, Trace, extended, replayed
from counterpoint.spec.notation import Property, Step, Values


class StatePacking(Protocol):
    """A way of packing states."""

    def pack(self, values: Values) -> bytes:
        """Return a state as bytes."""

    def unpack(self, state: bytes) -> Values:
        """Return a packed state's values."""


@dataclass
class Exploration:
    """The result of an exhaustive run, from which traces can be built.

    Attributes
    ----------
    system : System
        What was explored.
    layout : StatePacking
        The packing of its states.
    states : sequence of bytes
        Every state reached, packed, in the order of discovery.
    parent, via : array
        For each state, the number of the state before and the command between.
    levels : list of int
        ``levels[d]``: the number of states within d steps.
    transitions : int
        The number of possible steps, over all expanded states.
    failures : dict
        For a claim, the first (state, command) where it failed, or where a witness was reached; the
        command is -1 if the state itself decides.
    taken : list of int
        How often each command was taken.
    complete : bool
        Whether every state was expanded.
    reason : str
        If not, the reason.
        notes : list of str
        Remarks on the exploration for verdicts.
    """

    system: System
    layout: StatePacking
    states: Sequence[bytes]
    parent: array[int] = field(default_factory=lambda: array("L"))
    via: array[int] = field(default_factory=lambda: array("L"))
    levels: list[int] = field(default_factory=list)
    transitions: int = 0
    failures: dict[str, tuple[int, int]] = field(default_factory=dict)
    taken: list[int] = field(default_factory=list)
    complete: bool = False
    reason: str = ""
    notes: list[str] = field(default_factory=list)

    def origin(self, state: int) -> tuple[int, int] | None:
        """Return the number of the state before and the command between; None if initial."""
        command = self.via[state]
        return None if command == len(self.system.commands) else (self.parent[state], command)

    def trace_to(self, state: int, command: int = -1, claim: Property | None = None) -> Trace:
        """Return the run to a state, and one step further if a command is given, replayed.

        Parameters
        ----------
        state, command : int
            As in `failures`.
        claim : Property, optional
            The claim that the command violates; needed if states represent others by symmetry.
        """
        steps: list[Step] = []
        commands = self.system.commands
        at = state
        while (before := self.origin(at)) is not None:
            at, via = before
            steps.append(commands[via].step)
        model = self.system.model
        found = replayed(model, steps[::-1], self.layout.unpack(self.states[at]))
        if found.states[-1] != self.layout.unpack(self.states[state]):
            raise Disagreement(
                "plain Python reaches another state by the steps that the engine found"
            )
        if command < 0:
            return found
        longer = extended(model, found, commands[command].step)
        if longer is None:
            step = model.show_step(commands[command].step)
            raise Disagreement(f"plain Python cannot take {step} where the engine took it")
        return longer

    def find(self, values: Values) -> int | None:
        """Return the number of a state; None if it was not reached."""
        packed = self.layout.pack(values)
        return next((i for i, state in enumerate(self.states) if state == packed), None)

    def dead_actions(self) -> list[str]:
        """Return the actions that were never possible."""
        alive = {c.step.action for c, n in zip(self.system.commands, self.taken, strict=True) if n}
        return [a.name for a in self.system.model.actions if a.name not in alive]
