"""What engines ask z3, each question as a file in SMT-LIB 2.6 that any solver can be asked."""

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
from typing import Any, TypeAlias

from counterpoint.spec.notation import Model, SpecError

from . import smtlib

Record: TypeAlias = Callable[[str, Sequence[Any], Any], None]
"""Takes an obligation's name, the z3 conditions that are asked together, and z3's answer."""

FIRST_LINE = "; Counterpoint: conditions that z3 was asked to meet together"
"""How each file begins: a file without it is not ours."""

OURS = re.compile(r"\d{5,}-[A-Za-z0-9._-]+\.smt2")

LONGEST = 120
"""Letters of an obligation's name in the name of its file, at most."""


def unrecorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
    """Forget an obligation, where nobody wants to see it."""


def under(record: Record, *places: str) -> Record:
    """Return a record of obligations whose names begin with some places."""

    def recorded(name: str, conditions: Sequence[Any], answer: Any) -> None:
        record("/".join([*places, name]), conditions, answer)

    return recorded


while_reading: ContextVar[Record] = ContextVar("while_reading", default=unrecorded)
"""Takes what z3 is asked while the actions of a spec are read, such as that no value leaves its
range on some way through them."""


@contextmanager
def reading(record: Record) -> Iterator[None]:
    """Record what z3 is asked while a spec is read."""
    token = while_reading.set(under(record, "reading"))
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
        The engine, the class of the lemmas, the step and the claim; no other obligation has it.
    answer : str
        What z3 said: ``sat``, ``unsat`` or ``unknown``. A claim that holds rests on ``unsat``.
    features : frozenset of str
        What it needs of a logic; see `smtlib.Assertion`.
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
        The spec, which each file names with its parameters.
    folder : Path
        Where; it exists and is empty.
    """

    def __init__(self, model: Model, folder: Path) -> None:
        self.folder = folder
        self.found: list[Obligation] = []
        given = ", ".join(f"{n}={v}" for n, v in model.spec.parameters.items() if v != "")
        self._head = [f"spec: {model.reference}", f"parameters: {given or 'none'}"]
        self._names: Counter[str] = Counter()
        self._printed: dict[int, tuple[weakref.ref[Any], smtlib.Assertion]] = {}

    def record(self, name: str, conditions: Sequence[Any], answer: Any) -> None:
        """Write an obligation."""
        self._names[name] += 1
        if self._names[name] > 1:  # another way through the same step, or with fewer lemmas
            name = f"{name} ({self._names[name]})"
        try:
            printed = [self._assertion(c) for c in conditions]
        except ValueError as error:
            raise SpecError(f"{name} cannot be written as SMT-LIB: {error}") from error
        comments = [
            *self._head,
            f"obligation: {name}",
            f"expected, as z3 says: {answer}",
            "unsat means that nothing meets them, which a proof rests on; sat, that something does",
        ]
        features = frozenset[str]().union(*(a.features for a in printed))
        text = f"{FIRST_LINE}\n{smtlib.script(printed, str(answer), comments)}"
        path = self.folder / file_name(len(self.found) + 1, name)
        with path.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        self.found.append(Obligation(name, str(answer), features, path))

    def _assertion(self, condition: Any) -> smtlib.Assertion:
        """Return a condition as text; one that is asked again and again is printed once.

        Nothing is kept alive by that: how z3 numbers its terms depends on which still exist.
        """
        known = self._printed.get(id(condition))
        if known is None or known[0]() is not condition:
            known = weakref.ref(condition), smtlib.assertion(condition)
            self._printed[id(condition)] = known
        return known[1]


def file_name(number: int, name: str) -> str:
    """Return the name of an obligation's file: safe everywhere, and in order."""
    safe = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")
    return f"{number:05}-{safe[:LONGEST] or 'obligation'}.smt2"


@contextmanager
def recording(model: Model, folder: Path | None) -> Iterator[Obligations]:
    """Yield a new record of obligations, in a folder that is a user's or there only meanwhile.

    Raises
    ------
    SpecError
        If the folder cannot be written, or has files that are not from an earlier run.
    """
    if folder is not None:
        _empty(folder)
        yield Obligations(model, folder)
        return
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as place:
        yield Obligations(model, Path(place))


def _empty(folder: Path) -> None:
    """Make a folder, or remove the files that an earlier run has written there."""
    place = folder.absolute()
    if folder.exists() and not folder.is_dir():
        raise SpecError(f"--smtlib: {folder} is no folder")
    if not place.parent.is_dir():
        raise SpecError(f"--smtlib: there is no folder {place.parent}")
    there = folder if folder.exists() else place.parent
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        raise SpecError(f"--smtlib: nothing can be written in {there}")
    folder.mkdir(exist_ok=True)
    earlier = sorted(folder.iterdir())
    for path in earlier:
        if not _is_ours(path):
            raise SpecError(f"--smtlib: {folder} holds {path.name!r}, which is not from an earlier "
                            "run; name another folder")  # fmt: skip
    for path in earlier:
        path.unlink()


def _is_ours(path: Path) -> bool:
    """Return whether a file was written by an earlier run."""
    if path.is_symlink() or not path.is_file() or not OURS.fullmatch(path.name):
        return False
    with path.open("rb") as file:
        return file.readline(len(FIRST_LINE) + 1).rstrip(b"\n").decode("latin-1") == FIRST_LINE
