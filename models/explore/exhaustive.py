"""The exhaustive engine: every reachable state, breadth first, so counterexamples are shortest.

The guarded commands become a program over packed states: generated Python (`generated`), which
starts at once, or C (`compiled`), which is fast once it is compiled. Both visit the same states in
the same order. Every reported trace has been replayed and confirmed by the plain-Python spec.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
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
from .compiled.explorer import CompiledExplorer
from .compiled.layout import bit_packing
from .compiled.source import LARGEST, BeyondWords
from .python.exploration import Exploration
from .python.generate import too_wide
from .python.generated import GeneratedExplorer, judges

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
"""``auto`` starts in Python and switches to C if that is compiled before Python has finished.

Where a range is too wide for Python, it uses C only."""

REDUCTIONS = ("symmetry", "partial-order")

WORTH_COMPILING = 8000
"""States that generated Python visits before the compiler is started."""


def explore(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    explorer: str = "auto",
    reduce: Sequence[str] = (),
    temporal: Sequence[Property] = (),
    early: Callable[[Exploration], bool] = lambda run: False,
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
        Names of `REDUCTIONS`, which leave out states; only the compiled explorer has them.
    temporal : sequence of Property
        The temporal properties that are judged after the exploration; not with reductions.
    early : callable
        Called once, with the run so far, while a large space is explored with ``auto``; if it
        returns true, the exploration ends there.

    Raises
    ------
    SpecError
        If there is no such explorer, or it is not available on this machine.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    if explorer not in EXPLORERS:
        raise SpecError(f"there is no explorer {explorer!r}; there are: {', '.join(EXPLORERS)}")
    _must_be_reductions(reduce, explorer)
    try:
        system = trace(model, limits, wanted)
    except LimitReached as limit:
        return Exploration(System(model), bit_packing(model.cells), [], reason=str(limit))
    if explorer == "auto" and not reduce and not too_wide(model.cells):
        return _Auto(system, limits, wanted, temporal, early).explore()
    note = ""
    if explorer != "python":
        found = _compiled(system, limits, wanted, explorer, reduce, temporal)
        if isinstance(found, Exploration):
            return found
        note = found
    elif wide := too_wide(model.cells):
        fits = all(cell.high - cell.low < LARGEST for cell in model.cells)
        advice = "leave out --explorer python, and C is used" if fits else "use --engine bounded"
        raise SpecError(f"{wide}: {advice}")
    generated = GeneratedExplorer(system, limits, wanted)
    generated.go()
    generated.run.notes += [note] if note else []
    return generated.run


def _compiled(
    system: System,
    limits: Limits,
    wanted: Sequence[Property],
    explorer: str,
    reduce: Sequence[str],
    temporal: Sequence[Property],
) -> Exploration | str:
    """Explore in C; if that is not possible, return why Python explores instead.

    The parameters are those of `explore`, with the traced model.

    Raises
    ------
    SpecError
        If C was asked for, or is needed for wide ranges, and cannot be used.
    """
    try:
        return CompiledExplorer(system, wanted, reduce, temporal).explore(limits)
    except NoCompiler as error:
        if explorer == "compiled":
            raise SpecError(f"the compiled explorer cannot run: {error}") from error
        if wide := too_wide(system.model.cells):
            raise SpecError(f"{wide}; the compiled explorer takes more, but {error}") from error
        return f"explored in Python and not reduced: {error}"
    except BeyondWords as error:
        wide = too_wide(system.model.cells)
        message = f"{error}: use {'--engine bounded' if wide else '--explorer python'}"
        if explorer == "compiled":
            raise SpecError(message) from error
        layout = bit_packing(system.model.cells)
        return Exploration(System(system.model), layout, [], reason=message)


def _must_be_reductions(names: Sequence[str], explorer: str) -> None:
    for name in names:
        if name not in REDUCTIONS:
            known = ", ".join(REDUCTIONS)
            raise SpecError(f"there is no reduction {name!r}; there are: {known}")
    if names and explorer == "python":
        raise SpecError("only the compiled explorer has reductions, and --explorer asks for Python")


class _Auto:
    """Explores in generated Python, while the compiler runs if the space is not small."""

    def __init__(
        self,
        system: System,
        limits: Limits,
        wanted: Sequence[Property],
        temporal: Sequence[Property],
        early: Callable[[Exploration], bool],
    ) -> None:
        self.system, self.limits, self.wanted, self.temporal = system, limits, wanted, temporal
        self.early, self.looked, self.enough = early, False, False
        self.compiled: CompiledExplorer | None = None
        self.without = ""  # why the compiled explorer is not available

    def explore(self) -> Exploration:
        generated = GeneratedExplorer(self.system, self.limits, self.wanted)
        try:
            ended = generated.go(partial(self._switch, generated.run))
            if ended or self.enough or self.compiled is None:
                generated.run.notes += [self.without] if self.without else []
                return generated.run
            del generated  # frees its states; C visits them again in a fraction of the time
            return self.compiled.explore(self.limits)
        finally:
            if self.compiled is not None:
                self.compiled.stop()

    def _switch(self, run: Exploration, states: int) -> bool:
        """Return whether Python is to stop; start to compile the other explorer when that pays off.

        It stops when the compiled explorer is ready, or when the states so far are enough.
        """
        if states < WORTH_COMPILING:
            return False
        try:
            if not self.looked:
                self.looked = True
                self._compile()
                self.enough = self.early(run)
            return self.enough or (self.compiled is not None and self.compiled.ready())
        except NoCompiler as error:
            self.without, self.compiled = f"explored in Python: {error}", None
            return self.enough

    def _compile(self) -> None:
        """Start the compiler, if there is one and the spec can be printed as C."""
        try:
            self.compiled = CompiledExplorer(self.system, self.wanted, (), self.temporal)
        except (NoCompiler, SpecError) as error:
            self.without = f"explored in Python: {error}"


def check(
    model: Model,
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    explorer: str = "auto",
    reduce: Sequence[str] = (),
    compared: int = comparing.STATES,
) -> list[Verdict]:
    """Return a verdict for each property, from one exploration.

    Parameters
    ----------
    model, limits, wanted, explorer, reduce
        As for `explore`.
    compared : int
        The most states that are compared with plain Python.
    """
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    run = explore(model, limits, wanted, explorer, reduce)
    found = comparing.compare(run.system, UnpackedStates(run), wanted, most=compared)
    if found.difference:
        run = Exploration(run.system, run.layout, [])
    return comparing.with_comparison(verdicts(run, wanted, limits.elapsed()), found)


class UnpackedStates(Sequence[Values]):
    """The states of an exploration; each is unpacked when it is accessed."""

    def __init__(self, run: Exploration) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run.states)

    def __getitem__(self, place: Any) -> Any:
        return self._run.layout.unpack(self._run.states[place])


def verdicts(run: Exploration, wanted: Sequence[Property], seconds: float) -> list[Verdict]:
    """Return a verdict for each property from an exploration.

    Parameters
    ----------
    run : Exploration
        The finished exploration.
    wanted : sequence of Property
        The properties.
    seconds : float
        Wall time of the run.
    """
    dead = run.dead_actions() if run.complete else []
    notes = [*run.notes, *([f"never possible: {', '.join(dead)}"] if dead else [])]
    notes += [f"never changes the state: {', '.join(idle)}"] if (idle := _idle(run.system)) else []
    notes += comparing.note_on_ranges(run.system, wanted)
    return [_verdict(run, claim, seconds, tuple(notes)) for claim in wanted]


def _idle(system: System) -> list[str]:
    """Return the actions that assign nothing, as one in which ``s.`` was forgotten."""
    acting = {c.step.action for c in system.commands if c.updates or c.leaves}
    there = {c.step.action for c in system.commands}
    return [a.name for a in system.model.actions if a.name in there - acting]


def _verdict(run: Exploration, claim: Property, seconds: float, notes: tuple[str, ...]) -> Verdict:
    """Return the verdict on a claim.

    Parameters
    ----------
    run : Exploration
        The finished exploration.
    claim : Property
    seconds : float
        The time of the exploration.
    notes : tuple of str
        The notes of the verdict.
    """
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
