"""Records proof obligations: each question to z3 as a file in SMT-LIB 2.6 for any solver."""

from __future__ import annotations

import os
import re
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from counterpoint.files.outputs import named
from counterpoint.spec.notation import Model, SpecError

if TYPE_CHECKING:
    from .smtlib import Assertion

Record: TypeAlias = Callable[[str, Sequence[Any], Any], None]
"""A function of an obligation's name, its z3 conditions (a conjunction), and z3's answer."""

FIRST_LINE = "; Counterpoint: conditions that z3 was asked to meet together"
"""The first line of each file; a file without it was not written by Counterpoint."""

OURS = re.compile(r"\d{5,}-[A-Za-z0-9._-]+\.smt2")

LONGEST = 120
"""The most letters of an obligation's name in the name of its file."""


def unrecorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
    """Ignore an obligation: the `Record` that records nothing.

    Parameters
    ----------
    name : str
        The name of the obligation.
    conditions : sequence of z3 terms
        The conditions that were asked together.
    answer : z3 result
        z3's answer.
    """


def with_prefix(record: Record, *places: str) -> Record:
    """Return a record that puts a prefix before the names of obligations."""

    def recorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
        record("/".join([*places, name]), conditions, answer)

    return recorded


while_reading: ContextVar[Record] = ContextVar("while_reading", default=unrecorded)
"""The record for questions asked while a spec is traced, such as whether a path is feasible."""


@contextmanager
def reading(record: Record) -> Iterator[None]:
    """Record the questions to z3 that are asked while a spec is traced."""
    token = while_reading.set(with_prefix(record, "reading"))
    try:
        yield
    finally:
        while_reading.reset(token)


@dataclass(frozen=True)
class Obligation:
    """One question to z3.

    Attributes
    ----------
    name : str
        The engine, the class of the lemmas, the step and the claim; it is unique.
    answer : str
        z3's answer: ``sat``, ``unsat`` or ``unknown``. A claim that holds rests on ``unsat``.
    features : frozenset of str
        The features that its logic must have; see `smtlib.Assertion`.
    path : Path
        The file.
    """

    name: str
    answer: str
    features: frozenset[str]
    path: Path


class Obligations:
    """Writes obligations into a folder, in the order in which they are asked.

    Parameters
    ----------
    model : Model
        The spec; each file names it and its parameters.
    folder : Path
        The folder for the files; it exists and is empty.
    """

    def __init__(self, model: Model, folder: Path) -> None:
        self.folder = folder
        self.found: list[Obligation] = []
        given = ", ".join(f"{n}={v}" for n, v in model.spec.parameters.items() if v != "")
        self._head = [f"spec: {model.reference}", f"parameters: {given or 'none'}"]
        self._names: Counter[str] = Counter()
        self._printed: dict[int, tuple[weakref.ref[Any], Assertion]] = {}

    def record(self, name: str, conditions: Sequence[Any], answer: Any) -> None:
        """Write an obligation to a file; this is a `Record`.

        Parameters
        ----------
        name : str
            The name of the obligation; a repeated name gets a number.
        conditions : sequence of z3 terms
            The conditions that were asked together.
        answer : z3 result
            z3's answer.

        Raises
        ------
        SpecError
            If a condition cannot be written as SMT-LIB.
        """
        self._names[name] += 1
        if self._names[name] > 1:  # another path of the same step, or fewer lemmas
            name = f"{name} ({self._names[name]})"
        try:
            printed = [self._assertion(c) for c in conditions]
        except ValueError as error:
            raise SpecError(f"{name} cannot be written as SMT-LIB: {error}") from error
        comments = [
            *self._head,
            f"obligation: {name}",
            f"expected, as z3 says: {answer}",
            "unsat: no values satisfy the conditions, and a proof rests on that; sat: some "
            "values do",
        ]
        from .smtlib import script  # z3 takes longer to import than most checks take

        features = frozenset[str]().union(*(a.features for a in printed))
        text = f"{FIRST_LINE}\n{script(printed, str(answer), comments)}"
        path = self.folder / file_name(len(self.found) + 1, name)
        with (
            named(path),
            path.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
        ):
            file.write(text)
        self.found.append(Obligation(name, str(answer), features, path))

    def _assertion(self, condition: Any) -> Assertion:
        """Return a condition as text; a condition that occurs again is printed only once.

        The cache keeps no z3 term alive, because z3's numbering depends on which terms exist.
        """
        from .smtlib import assertion

        known = self._printed.get(id(condition))
        if known is None or known[0]() is not condition:
            known = weakref.ref(condition), assertion(condition)
            self._printed[id(condition)] = known
        return known[1]


def file_name(number: int, name: str) -> str:
    """Return the name of an obligation's file, valid on every system; names sort by number."""
    safe = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")
    return f"{number:05}-{safe[:LONGEST] or 'obligation'}.smt2"


@contextmanager
def recording(model: Model, folder: Path | None) -> Iterator[Obligations]:
    """Yield a new record of obligations, in a user's folder or a temporary one.

    Raises
    ------
    SpecError
        If the folder cannot be written, or contains files that are not from an earlier run.
    """
    if folder is not None:
        _empty(folder)
        yield Obligations(model, folder)
        return
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as place:
        yield Obligations(model, Path(place))


def _empty(folder: Path) -> None:
    """Create a folder, or remove the files that an earlier run has written there."""
    place = folder.absolute()
    if folder.exists() and not folder.is_dir():
        raise SpecError(f"--smtlib: {folder} is not a folder")
    if not place.parent.is_dir():
        raise SpecError(f"--smtlib: there is no folder {place.parent}")
    there = folder if folder.exists() else place.parent
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        raise SpecError(f"--smtlib: nothing can be written in {there}")
    folder.mkdir(exist_ok=True)
    earlier = sorted(folder.iterdir())
    for path in earlier:
        if not _is_ours(path):
            raise SpecError(f"--smtlib: {folder} contains {path.name!r}, which is not from an "
                            f"earlier "
                            "run; name another folder")  # fmt: skip
    for path in earlier:
        path.unlink()


def _is_ours(path: Path) -> bool:
    """Return whether a file was written by an earlier run."""
    if path.is_symlink() or not path.is_file() or not OURS.fullmatch(path.name):
        return False
    with path.open("rb") as file:
        return file.readline(len(FIRST_LINE) + 1).rstrip(b"\n").decode("latin-1") == FIRST_LINE
