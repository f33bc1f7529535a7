"""Asks another solver what z3 was asked: where the two contradict each other, nothing is known.

The other solver reads the files that `obligations` writes, so it shares neither z3's terms nor its
simplifications. It is asked when the engine has ended, in what is left of the time.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic.obligations import Obligation
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Explanation, SpecError

SECONDS = 10.0
"""What the other solver may take for one obligation."""

SOLVERS = ("cvc5",)
"""The solvers that can be asked; each is an extra of this package."""


@dataclass(frozen=True)
class Opinion:
    """What another solver says of the obligations of a run.

    Attributes
    ----------
    solver : str
        Its name.
    asked : int
        How many obligations z3 has decided.
    confirmed : int
        Of how many of them it says the same.
    undecided : tuple of str
        The names of those that it did not decide.
    contradicted : tuple of str
        The others, each in a sentence with what either says.
    """

    solver: str
    asked: int
    confirmed: int
    undecided: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The opinion in one line."""
        if not self.asked:
            return f"{self.solver} was asked nothing, as z3 was not"
        said = f"{self.solver} confirms {self.confirmed:,} of {self.asked:,} obligations"
        if self.undecided:
            said += f", {len(self.undecided):,} undecided"
        if self.contradicted:
            said += f", {len(self.contradicted):,} contradicted"
        return said

    def to_json(self) -> dict[str, Any]:
        """Return the opinion as ``--format json`` prints it."""
        return {
            "name": self.solver,
            "obligations": self.asked,
            "confirmed": self.confirmed,
            "undecided": list(self.undecided),
            "contradicted": list(self.contradicted),
        }


def must_be_installed(solver: str) -> None:
    """Refuse a solver that cannot be asked.

    Raises
    ------
    SpecError
        If there is none of that name, or it is not installed.
    """
    if solver not in SOLVERS:
        raise SpecError(f"--second-solver: there is no {solver!r}; there is: {', '.join(SOLVERS)}")
    if not is_installed(solver):
        raise SpecError(f"--second-solver: {solver} is not installed: "
                        f"pip install 'counterpoint[{solver}]'")  # fmt: skip


def is_installed(solver: str) -> bool:
    """Return whether a solver can be imported."""
    try:
        importlib.import_module(solver)
    except ImportError:
        return False
    return True


def opinion(found: Sequence[Obligation], solver: str, limits: Limits) -> Opinion:
    """Ask a solver about each obligation that z3 has decided.

    Parameters
    ----------
    found : sequence of Obligation
        With their files.
    solver : str
        One of `SOLVERS`.
    limits : Limits
        Of the engine's run. What is not asked in time is not decided.
    """
    decided = [o for o in found if o.answer != "unknown"]
    undecided, contradicted = [], []
    for place, one in enumerate(decided, start=1):
        try:
            limits.check(f"{solver}: {place} of {len(decided)} obligations")
            said = answer(one, limits)
        except LimitReached:
            said = "unknown"
        if said not in ("sat", "unsat"):
            undecided.append(one.name if said == "unknown" else f"{one.name} ({said})")
        elif said != one.answer:
            contradicted.append(f"{one.name}: z3 says {one.answer}, and {solver} says {said}")
    confirmed = len(decided) - len(undecided) - len(contradicted)
    return Opinion(solver, len(decided), confirmed, tuple(undecided), tuple(contradicted))


def answer(one: Obligation, limits: Limits) -> str:
    """Return what cvc5 says of an obligation, with one way to look after another."""
    ways = list(_ways(one))
    said = "unknown"
    for way in ways:
        left = limits.left()
        seconds = SECONDS / len(ways)
        said = ask_cvc5(one.path, seconds if left is None else min(seconds, left), way)
        if said in ("sat", "unsat"):
            break
    return said


def _ways(one: Obligation) -> Iterator[dict[str, str]]:
    """Yield options of cvc5 that decide obligations like this one soonest, as was measured."""
    if "quantifiers" in one.features:  # over members of indices, whose number is bounded by a term
        yield {"fmf-bound": "true"}
        yield {"enum-inst": "true"}
    elif one.features == {"bits"} and one.answer == "unsat":
        yield {"bitblast": "eager"}
    else:
        yield {}


def ask_cvc5(path: Path, seconds: float, options: Mapping[str, str]) -> str:
    """Return what cvc5 answers to a file: ``sat``, ``unsat``, or anything else if it cannot say.

    Parameters
    ----------
    path : Path
        A file in SMT-LIB with one question.
    seconds : float
        The time for its answer.
    options : mapping of str to str
        Options of cvc5.
    """
    cvc5: Any = importlib.import_module("cvc5")
    solver = cvc5.Solver()
    answers = []
    try:
        settings = {"parsing-mode": "strict", "tlimit-per": str(max(1, int(seconds * 1000)))}
        for name, value in {**settings, **options}.items():
            solver.setOption(name, value)
        parser = cvc5.InputParser(solver)
        parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName() != "set-info":  # z3's answer is left out
                answers.append(str(command.invoke(solver, symbols)).strip())
    except RuntimeError as error:
        return f"an error: {error}"
    said = "".join(answers)
    return "unknown" if said.startswith("unknown") else said  # behind it stands why


def judged(verdicts: Sequence[Verdict], said: Opinion) -> list[Verdict]:
    """Return verdicts with another solver's opinion.

    After a contradiction nothing is known but what a run shows that plain Python has replayed.
    """
    noted = [replace(v, notes=(*v.notes, said.note), second=said) for v in verdicts]
    if not said.contradicted:
        return noted
    first, more = said.contradicted[0], len(said.contradicted) - 1
    reason = first + (f"; {more} more are contradicted" if more else "")
    return [
        v if v.trace is not None
        else replace(v, answer="unknown", reason=reason, explanation=Explanation(()))
        for v in noted
    ]  # fmt: skip
