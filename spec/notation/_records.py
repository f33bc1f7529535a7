"""The parts of a specification as records, and explanations of a violation."""

from __future__ import annotations

from dataclasses import dataclass

from ._parameters import Index


@dataclass(frozen=True)
class Action:
    """An action of a spec, with the indices that its parameters range over."""

    name: str
    parameters: tuple[tuple[str, Index], ...]
    description: str


@dataclass(frozen=True)
class Step:
    """An action with a value for each of its parameters."""

    action: str
    binding: tuple[int, ...]


@dataclass(frozen=True)
class Property:
    """Something a spec claims.

    ``kind`` is invariant, lemma, transition, sometimes, deadlock or range, or one of the temporal
    kinds eventually, infinitely-often, stays, leads-to, until and temporal.
    """

    name: str
    kind: str
    description: str
    method: str = ""


@dataclass(frozen=True)
class Fairness:
    """A promise that some steps are not left out for ever.

    Attributes
    ----------
    name : str
        The action, with the members for which the promise is, as in ``lock(t=T0)``.
    strong : bool
        Whether the steps need be possible again and again only, and not all the time.
    steps : tuple of Step
        If one of these steps is possible, the promise is due; each of them keeps it.
    """

    name: str
    strong: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Claim:
    """A paper's claim about a spec: with one value of a parameter it is wrong, with another right.

    Attributes
    ----------
    parameter : str
        The parameter's public name.
    broken, clean : str
        The value with which the criterion is violated, and the one with which it holds.
    criterion : str
        The name of the property that distinguishes them.
    beside : tuple of str
        Other properties that ``counterpoint readings`` shows, at the bounds that have them.
    """

    parameter: str
    broken: str
    clean: str
    criterion: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a property is violated, in words, with the contradiction as a cycle of arrows.

    Attributes
    ----------
    lines : tuple of str
        Sentences, the conclusion last.
    edges : tuple of (str, str, str)
        First, second and reason: the first must precede the second. Together they form a cycle.
    """

    lines: tuple[str, ...]
    edges: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Picture:
    """A state drawn on a line of logical time.

    Attributes
    ----------
    now : int
        The clock.
    versions : dict
        For each object, (date, writer) of its current version.
    windows : dict
        For each lane, (bottom, top) of its window; top is None while it is open.
    """

    now: int
    versions: dict[str, tuple[int, str]]
    windows: dict[str, tuple[int, int | None]]
