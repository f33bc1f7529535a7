"""Every reachable state, breadth first, so that the first counterexample is a shortest one.

The guarded commands of the trace become a program over packed states: generated Python
(`generated`), which begins at once, or C (`compiled`), which is fast once it is compiled. Both
visit the same states in the same order. Every trace that is reported has been replayed, and judged,
by the plain-Python spec.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.models.verdict import (
    Answer,
    Disagreement,
    Verdict,
    confirm,
    explained,
    in_steps,
    what_failed,
)
from counterpoint.spec.notation import Model, Property, SpecError, Values

from .compiled.compiler import NoCompiler
from .compiled.explorer import Compiled
from .compiled.layout import bit_packing
from .python.exploration import Exploration
from .python.generated import Generated, judges

__all__ = [
    "EXPLORERS",
    "REDUCTIONS",
    "Disagreement",
    "Exploration",
    "check",
    "explore",
    "judges",
    "verdicts",
]

EXPLORERS = ("auto", "python", "compiled")
"""Auto begins in Python, and goes over to C for spaces that are not done before it is compiled."""

REDUCTIONS = ("symmetry", "partial-order")

WORTH_COMPILING = 8000
"""States that generated Python visits before the compiler is started."""


def explore(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    explorer: str = "auto",
    reduce: Sequence[str] = (),
) -> Exploration:
    """Visit every reachable state, or as many as the limits allow.

    Parameters
    ----------
    model : Model
        What to explore.
    limits : Limits, optional
        Time and memory; none by default.
    wanted : sequence of Property, optional
        The properties to judge; all by default.
    explorer : str
        One of `EXPLORERS`.
    reduce : sequence of str
        Of `REDUCTIONS`, those that leave out states; only the compiled explorer has them.

    Raises
    ------
    SpecError
        If there is no such explorer, or it cannot be had on this machine.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    if explorer not in EXPLORERS:
        raise SpecError(f"there is no explorer {explorer!r}; there are: {', '.join(EXPLORERS)}")
    _must_be_reductions(reduce, explorer)
    try:
        system = trace(model, limits)
    except LimitReached as limit:
        return Exploration(System(model), bit_packing(model.cells), [], reason=str(limit))
    if explorer == "auto" and not reduce:
        return _Auto(system, limits, wanted).explore()
    note = ""
    if explorer != "python":
        try:
            return Compiled(system, wanted, reduce).explore(limits)
        except NoCompiler as error:
            if explorer == "compiled":
                raise SpecError(f"the compiled explorer cannot run: {error}") from error
            note = f"explored in Python and not reduced: {error}"
    generated = Generated(system, limits, wanted)
    generated.go()
    generated.run.notes += [note] if note else []
    return generated.run


def _must_be_reductions(names: Sequence[str], explorer: str) -> None:
    for name in names:
        if name not in REDUCTIONS:
            known = ", ".join(REDUCTIONS)
            raise SpecError(f"there is no reduction {name!r}; there are: {known}")
    if names and explorer == "python":
        raise SpecError("only the compiled explorer can reduce; this asks for Python")


class _Auto:
    """Explores in generated Python, while the compiler runs if the space is not small."""

    def __init__(self, system: System, limits: Limits, wanted: Sequence[Property]) -> None:
        self.system, self.limits, self.wanted = system, limits, wanted
        self.compiled: Compiled | None = None
        self.without = ""  # why there is no compiled explorer

    def explore(self) -> Exploration:
        generated = Generated(self.system, self.limits, self.wanted)
        try:
            if generated.go(self._switch) or self.compiled is None:
                generated.run.notes += [self.without] if self.without else []
                return generated.run
            del generated  # its states, which C visits again in a fraction of the time
            return self.compiled.explore(self.limits)
        finally:
            if self.compiled is not None:
                self.compiled.stop()

    def _switch(self, states: int) -> bool:
        """Return whether the compiled explorer is ready; begin to compile it when that pays."""
        if states < WORTH_COMPILING or self.without:
            return False
        try:
            if self.compiled is None:
                self.compiled = Compiled(self.system, self.wanted)
            return self.compiled.ready()
        except (NoCompiler, SpecError) as error:
            self.without = f"explored in Python: {error}"
            return False


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    explorer: str = "auto",
    reduce: Sequence[str] = (),
    compared: int = comparing.STATES,
) -> list[Verdict]:
    """Return a verdict for each property, from one exploration (see `explore`).

    So many of its states, at most, are compared with plain Python.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    run = explore(model, limits, wanted, explorer, reduce)
    found = comparing.compare(run.system, Unpacked(run), wanted, most=compared)
    if found.difference:
        run = Exploration(run.system, run.layout, [])
    return comparing.judged(verdicts(run, wanted, limits.elapsed()), found)


class Unpacked(Sequence[Values]):
    """The states of an exploration, each unpacked when it is asked for."""

    def __init__(self, run: Exploration) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run.states)

    def __getitem__(self, place: Any) -> Any:
        return self._run.layout.unpack(self._run.states[place])


def verdicts(run: Exploration, wanted: Sequence[Property], seconds: float) -> list[Verdict]:
    """Return what an exploration says of each property."""
    dead = run.dead_actions() if run.complete else []
    notes = [*run.notes, *([f"never possible: {', '.join(dead)}"] if dead else [])]
    notes += comparing.leaving(run.system, wanted)
    return [_verdict(run, claim, seconds, tuple(notes)) for claim in wanted]


def _verdict(run: Exploration, claim: Property, seconds: float, notes: tuple[str, ...]) -> Verdict:
    model = run.system.model
    reached = max(len(run.levels) - 1, 0)
    extent = "all states" if run.complete else in_steps(reached)
    verdict = Verdict(
        model, claim, "exhaustive", "holds", extent, len(run.states), run.transitions, reached,
        seconds, notes=notes,
    )  # fmt: skip
    witness = claim.kind == "sometimes"
    if claim.name in run.failures:
        found = run.trace_to(*run.failures[claim.name], claim)
        confirm(model, claim, found)
        answer: Answer = "holds" if witness else "violated"
        extent = in_steps(len(found.steps))
        changed = replace(
            verdict, answer=answer, extent=extent, depth=len(found.steps), trace=found
        )
        return explained(replace(changed, reason=what_failed(model, claim, found)))
    if not run.complete:
        return replace(verdict, answer="unknown", reason=run.reason)
    if witness:
        return replace(verdict, answer="violated", reason="no reachable state satisfies it")
    return verdict
