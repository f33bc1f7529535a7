"""The promises of fairness of a traced spec, as masks: bit k stands for the k-th promise."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Fairness, Step


@dataclass(frozen=True)
class Promises:
    """The promises of fairness, and which command keeps which.

    Attributes
    ----------
    all : tuple of Fairness
        The promises.
    kept_by : tuple of int
        For each command, the mask of the promises that its step keeps if it changes the state.
    weak, strong : int
        The masks of the weak and of the strong promises.
    """

    all: tuple[Fairness, ...]
    kept_by: tuple[int, ...]
    weak: int
    strong: int

    @property
    def words(self) -> int:
        """The number of machine words of 64 bits that hold a mask, at least 1."""
        return max(1, (len(self.all) + 63) // 64)


def promises_of(system: System) -> Promises:
    """Return the promises of a traced spec."""
    promises = system.model.fairness
    kept: dict[Step, int] = {}
    for k, promise in enumerate(promises):
        for step in promise.steps:
            kept[step] = kept.get(step, 0) | 1 << k
    weak, strong = (
        sum(1 << k for k, one in enumerate(promises) if one.strong == wanted)
        for wanted in (False, True)
    )
    kept_by = tuple(kept.get(command.step, 0) for command in system.commands)
    return Promises(promises, kept_by, weak, strong)
