"""What a specification consists of, and what it can say about a violation."""

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
    """An action with a member for each of its parameters."""

    action: str
    binding: tuple[int, ...]


@dataclass(frozen=True)
class Property:
    """Something a spec claims.

    ``kind`` is invariant, lemma, transition, sometimes, deadlock or range.
    """

    name: str
    kind: str
    description: str
    method: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why a violated property is violated, in words, with the contradiction as arrows.

    Attributes
    ----------
    lines : tuple of str
        Sentences, the conclusion last.
    edges : tuple of (str, str, str)
        Who must precede whom, and why; together they close a circle.
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
        Object to (date, writer) of its present version.
    windows : dict
        Lane to (bottom, top) of its window, top None while it is open.
    """

    now: int
    versions: dict[str, tuple[int, str]]
    windows: dict[str, tuple[int, int | None]]
