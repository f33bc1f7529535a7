"""What is asked about a temporal property, and the answers that every explorer gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.symbolic.fairness import Promises
from counterpoint.spec.notation import Property

Path = list[tuple[int, int]]
"""Steps: the command of each, and the number of the state after it."""

ANY, FIRST, NOT_FIRST, NOT_SECOND = 0b1111, 0b1010, 0b0101, 0b0011
"""Sets of truth values of two conditions; bit (first + 2 * second) stands for one combination."""


class Question(NamedTuple):
    """Which runs violate a property: each field is a set of truth values of its conditions.

    Attributes
    ----------
    inside : int
        A violating run stays in these states from some time on.
    entry : int
        It may begin to stay there in these states; 0 if it must be there from its beginning.
    wanted : int
        Its cycle has one of these states.
    """

    inside: int
    entry: int
    wanted: int


QUESTIONS = {
    "eventually": Question(NOT_FIRST, 0, ANY),
    "infinitely-often": Question(NOT_FIRST, ANY, ANY),
    "stays": Question(ANY, ANY, NOT_FIRST),
    "leads-to": Question(NOT_SECOND, FIRST, ANY),
    "until": Question(FIRST & NOT_SECOND, 0, ANY),
}

BROKEN = Question(NOT_SECOND, 0, NOT_FIRST & NOT_SECOND)
"""An `until` is broken where neither condition is true, before the second ever was."""


class Search(Protocol):
    """The states of a region that a run can reach without leaving it, and their fair parts."""

    def nearest_wanted(self) -> int | None:
        """Return the nearest state of the region that is wanted, the least of several."""

    def candidates(self) -> Iterator[int]:
        """Yield the states of the fair parts that have a wanted state, the nearest first."""

    def part(self, state: int) -> int:
        """Return the number of a state's fair part."""

    def depth(self, state: int) -> int:
        """Return the length of the shortest run to a state of the region."""

    def way(self, state: int) -> tuple[int, Path]:
        """Return the state where the way to a state enters the region, and the steps from there."""

    def is_wanted(self, state: int) -> bool:
        """Return whether a state is wanted."""

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""

    def due_in_part(self, part: int) -> int:
        """Return the mask of the promises that are due in some state of a part."""

    def way_within(
        self, begin: int, left: int, missing: bool, goal: int | None = None
    ) -> tuple[Path, int]:
        """Return a shortest way within a part, and how many states were visited to find it.

        Parameters
        ----------
        begin : int
            The state where it begins.
        left : int
            The last step keeps one of these promises, or leads to a state where a weak one of them
            is not due;
        missing : bool
            or it leads to a wanted state, if one is missing.
        goal : int, optional
            The last step leads to this state; nothing else counts then.
        """


class Graph(Protocol):
    """All reachable states with the steps between them that change the state."""

    @property
    def run(self) -> Exploration:
        """The exploration that found the states."""

    @property
    def promises(self) -> Promises:
        """The promises of fairness."""

    @property
    def size(self) -> int:
        """The number of steps that change the state."""

    @property
    def changing(self) -> set[int]:
        """The commands of which some step changes the state."""

    def conditions(self, claim: Property, state: int) -> tuple[bool, ...]:
        """Return the conditions of a temporal property in a state."""

    def truths(self, claim: Property, places: int) -> Sequence[int]:
        """Return for each state which conditions of a property are true, as a mask.

        Parameters
        ----------
        claim : Property
        places : int
            The mask of the conditions that are needed; the others may be missing.
        """

    def following(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield the command and the next state of each step that changes a state."""

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""

    def ever(self, claim: Property) -> bool:
        """Return whether the first condition of a property is true in some state."""

    def ask(self, claim: Property, question: Question) -> Search:
        """Return the answer to a question about a property; the next question ends it."""
