"""Asks another solver the questions that z3 was asked; contradictions make a verdict unknown.

The other solver reads the files that `obligations` writes, so it shares neither z3's terms nor its
simplifications. It is asked after the engine has ended, within the remaining time.
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
"""The time limit of the other solver for one obligation, in seconds."""

SOLVERS = ("cvc5",)
"""The available solvers; each is an extra of this package."""


@dataclass(frozen=True)
class Opinion:
    """Another solver's answers to the obligations of a run.

    Attributes
    ----------
    solver : str
        Its name.
    asked : int
        The number of obligations that z3 has decided.
    confirmed : int
        The number of them with the same answer.
    undecided : tuple of str
        The names of the obligations that it did not decide.
    contradicted : tuple of str
        The obligations with different answers, each in a sentence with both answers.
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
            return f"{self.solver} was not asked, since z3 decided no obligation"
        text = f"{self.solver} confirms {self.confirmed:,} of {self.asked:,} obligations"
        if self.undecided:
            text += f", {len(self.undecided):,} undecided"
        if self.contradicted:
            text += f", {len(self.contradicted):,} contradicted"
        return text

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
    """Reject a solver that is unknown or not installed.

    Raises
    ------
    SpecError
        If there is no solver with that name, or it is not installed.
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
        The limits of the engine's run. Obligations that are not asked in time count as undecided.
    """
    decided = [o for o in found if o.answer != "unknown"]
    undecided, contradicted = [], []
    for place, one in enumerate(decided, start=1):
        try:
            limits.check(f"{solver}: {place} of {len(decided)} obligations")
            reply = answer(one, limits)
        except LimitReached:
            reply = "unknown"
        if reply not in ("sat", "unsat"):
            undecided.append(one.name if reply == "unknown" else f"{one.name} ({reply})")
        elif reply != one.answer:
            contradicted.append(f"{one.name}: z3 says {one.answer}, and {solver} says {reply}")
    confirmed = len(decided) - len(undecided) - len(contradicted)
    return Opinion(solver, len(decided), confirmed, tuple(undecided), tuple(contradicted))


def answer(obligation: Obligation, limits: Limits) -> str:
    """Return cvc5's answer to an obligation; it tries several sets of options in turn."""
    ways = list(_ways(obligation))
    reply = "unknown"
    for way in ways:
        left = limits.left()
        seconds = SECONDS / len(ways)
        reply = ask_cvc5(obligation.path, seconds if left is None else min(seconds, left), way)
        if reply in ("sat", "unsat"):
            break
    return reply


def _ways(obligation: Obligation) -> Iterator[dict[str, str]]:
    """Yield options of cvc5, first those that were measured to be fastest for such obligations."""
    if "quantifiers" in obligation.features:  # over members of indices, with a term as their number
        yield {"fmf-bound": "true"}
        yield {"enum-inst": "true"}
    elif obligation.features == {"bits"} and obligation.answer == "unsat":
        yield {"bitblast": "eager"}
    else:
        yield {}


def ask_cvc5(path: Path, seconds: float, options: Mapping[str, str]) -> str:
    """Return cvc5's answer to a file: ``sat``, ``unsat``, or any other text if it has none.

    Parameters
    ----------
    path : Path
        A file in SMT-LIB with one question.
    seconds : float
        The time limit.
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
    reply = "".join(answers)
    return "unknown" if reply.startswith("unknown") else reply  # a reason follows the word


def with_opinion(verdicts: Sequence[Verdict], second: Opinion) -> list[Verdict]:
    """Return verdicts with another solver's opinion.

    After a contradiction, only answers shown by a run that plain Python has replayed are kept; the
    others become unknown.
    """
    noted = [replace(v, notes=(*v.notes, second.note), second=second) for v in verdicts]
    if not second.contradicted:
        return noted
    first, more = second.contradicted[0], len(second.contradicted) - 1
    reason = first + (f"; {more} more are contradicted" if more else "")
    return [
        v if v.trace is not None
        else replace(v, answer="unknown", reason=reason, explanation=Explanation(()))
        for v in noted
    ]  # fmt: skip
