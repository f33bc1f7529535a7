"""The engines by name, with one function to run any of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.prove import second_opinion
from counterpoint.models.symbolic.obligations import Obligations, recording
from counterpoint.models.verdict import Disagreement, Verdict
from counterpoint.spec.notation import TEMPORAL, Model, Property, SpecError
from counterpoint.spec.notation.memory import said_of_change

from . import temporal
from .completing import completed
from .watchdog import interrupting_endless_calls


@dataclass(frozen=True)
class Options:
    """Options of the engines; each engine takes those that concern it.

    Attributes
    ----------
    steps : int or None
        The longest run of the bounded engine.
    runs : int or None
        How many random runs the stateful engine makes.
    seed : int
        The seed of the random runs.
    explorer : str or None
        The exhaustive engine's way of visiting states: a name of `exhaustive.EXPLORERS`.
    reduce : tuple of str
        The reductions it applies: names of `exhaustive.REDUCTIONS`.
    compared : int or None
        The most states that it compares with plain Python.
    smtlib : Path or None
        A folder for the questions that engines ask z3, as files in SMT-LIB 2.
    second_solver : str or None
        A solver that is asked the same questions as z3: a name of `second_opinion.SOLVERS`.
    """

    steps: int | None = None
    runs: int | None = None
    seed: int = 0
    explorer: str | None = None
    reduce: tuple[str, ...] = ()
    compared: int | None = None
    smtlib: Path | None = None
    second_solver: str | None = None


FEW_COMPARED = Options(compared=50)
"""Options for checks of thousands of specs that differ in a parameter only."""


@dataclass(frozen=True)
class Engine:
    """An engine: its name, what it does in one line, and the options it takes.

    Attributes
    ----------
    options : dict
        Name of an `Options` attribute to the name of the engine's parameter.
    proves : bool
        Whether it proves from lemmas; such an engine finds no runs.
    asks : bool
        Whether it asks z3 and can record its questions.
    """

    name: str
    description: str
    module: str
    options: dict[str, str]
    proves: bool = False
    asks: bool = False

    def check(
        self,
        model: Model,
        limits: Limits,
        wanted: Sequence[Property],
        options: Options,
        book: Obligations | None = None,
    ) -> list[Verdict]:
        """Return a verdict for each wanted property.

        Parameters
        ----------
        model : Model
            The spec under its parameters.
        limits : Limits
            Time and memory.
        wanted : sequence of Property
            The properties.
        options : Options
            Those that the engine does not take are ignored.
        book : Obligations, optional
            Records the questions to z3, if the engine asks any.
        """
        run: Callable[..., list[Verdict]] = importlib.import_module(self.module).check
        given: dict[str, Any] = {
            parameter: getattr(options, option)
            for option, parameter in self.options.items()
            if getattr(options, option) is not None
        }
        if self.asks and book is not None:
            given["record"] = book.record
        return run(model, limits, wanted, **given)


ENGINES = {
    e.name: e
    for e in (
        Engine(
            "exhaustive",
            "every reachable state, breadth first: shortest counterexamples",
            "counterpoint.models.explore.exhaustive",
            {"explorer": "explorer", "reduce": "reduce", "compared": "compared"},
        ),
        Engine(
            "bounded",
            "z3: every run of at most --steps steps, shortest first",
            "counterpoint.models.prove.bounded",
            {"steps": "steps"},
            asks=True,
        ),
        Engine(
            "induction",
            "z3: every run of any length, from lemmas or by k-induction (k up to --steps)",
            "counterpoint.models.prove.induction",
            {"steps": "steps"},
            proves=True,
            asks=True,
        ),
        Engine(
            "any-number",
            "z3: every run, any number of transactions and objects, from lemmas",
            "counterpoint.models.prove.sizes.any_number",
            {},
            proves=True,
            asks=True,
        ),
        Engine(
            "stateful",
            "Hypothesis: --runs random runs in plain Python, minimised",
            "counterpoint.models.random.stateful",
            {"runs": "runs", "seed": "random_seed"},
        ),
    )
}

SEARCHES = tuple(e.name for e in ENGINES.values() if not e.proves)
"""The engines that search for runs."""


def engines_named(name: str) -> list[Engine]:
    """Return one engine, or every engine for ``all``.

    Raises
    ------
    SpecError
        If there is no engine with that name.
    """
    if name == "all":
        return list(ENGINES.values())
    if name not in ENGINES:
        raise SpecError(f"there is no engine {name!r}; there are: {', '.join(ENGINES)}, all")
    return [ENGINES[name]]


def must_take(engine: str, given: Sequence[str]) -> None:
    """Reject options that the engine does not take; of ``all``, one engine must take each.

    Parameters
    ----------
    engine : str
        A name of `ENGINES`, or ``all``.
    given : sequence of str
        Names of `Options`.

    Raises
    ------
    SpecError
        If it does not take an option; the message names the engines that do.
    """
    taken = {option for one in engines_named(engine) for option in one.options}
    for option in given:
        if option not in taken:
            able = ", ".join(e.name for e in ENGINES.values() if option in e.options)
            raise SpecError(f"--{option}: the engine {engine} does not take it; it is for {able}")


def check(
    model: Model,
    engine: str = "exhaustive",
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    options: Options | None = None,
    finished: Callable[[list[Verdict]], None] = lambda _: None,
) -> list[Verdict]:
    """Check a spec with one engine or with all.

    Parameters
    ----------
    model : Model
        The spec.
    engine : str
        A name of `ENGINES`, or ``all``, which leaves out proofs for specs without lemmas.
    limits : Limits, optional
        The time for each engine, and the memory.
    wanted : sequence of Property, optional
        The properties; all by default.
    options : Options, optional
        Options of the engines.
    finished : callable
        Called with the verdicts of each engine as soon as it has finished.

    Returns
    -------
    list of Verdict
        In the order of engines, then of properties.

    Raises
    ------
    SpecError
        If there is no such engine, or the options cannot be applied.
    """
    wanted = model.all_properties if wanted is None else wanted
    limits, options = limits or Limits(), options or Options()
    with ExitStack() as open_:
        book = _book(model, engine, options, open_)
        return _by_engine(model, engine, limits, wanted, options, book, finished)


def _book(model: Model, engine: str, options: Options, open_: ExitStack) -> Obligations | None:
    """Return a record for the questions to z3; None if no option needs one.

    Parameters
    ----------
    model : Model
        The spec.
    engine : str
        A name of `ENGINES`, or ``all``.
    options : Options
        Options of the engines.
    open_ : ExitStack
        Closes the record.
    """
    if options.smtlib is None and options.second_solver is None:
        return None
    if not any(one.asks for one in engines_named(engine)):
        able = ", ".join(e.name for e in ENGINES.values() if e.asks)
        option = "--smtlib" if options.smtlib is not None else "--second-solver"
        raise SpecError(f"{option}: the engine {engine} does not ask a solver; these do: {able}")
    if options.second_solver is not None:
        second_opinion.must_be_installed(options.second_solver)
    return open_.enter_context(recording(model, options.smtlib))


def _by_engine(
    model: Model,
    engine: str,
    limits: Limits,
    wanted: Sequence[Property],
    options: Options,
    book: Obligations | None,
    finished: Callable[[list[Verdict]], None],
) -> list[Verdict]:
    """Check with the named engine, or with all; ``book`` records the obligations."""
    found: list[Verdict] = []
    for one in engines_named(engine):
        if engine == "all" and one.proves and not _provable(model, one.name):
            continue
        asked = Options(**{name: getattr(options, name) for name in one.options})
        if one.asks:
            asked = replace(asked, second_solver=options.second_solver)
        of_states = [claim for claim in wanted if claim.kind not in TEMPORAL]
        own, before = limits.again(), model.spec.remembered()
        mine = _checked(one, model, own, of_states, asked, book) if of_states else []
        if one.name == "stateful" and mine:
            mine = _with_share(model, limits, found, mine)
        if len(of_states) < len(wanted) and (one.name == temporal.JUDGE or engine != "all"):
            mine = temporal.added(one.name, model, own, wanted, mine, before, asked)
        mine = [replace(completed(model, v), asked=asked) for v in mine]
        finished(mine)
        found += mine
    return found


def _checked(
    engine: Engine,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    asked: Options,
    book: Obligations | None,
) -> list[Verdict]:
    """Check with one engine, and ask another solver the same questions.

    Parameters
    ----------
    engine : Engine
        The engine.
    model, limits, wanted
        As for `check`.
    asked : Options
        The options that the engine takes, and the other solver.
    book : Obligations or None
        Records the questions.
    """
    before = len(book.found) if book else 0
    found = _compared(engine, model, limits, wanted, asked, book)
    if book is None or asked.second_solver is None:
        return found
    second = second_opinion.opinion(book.found[before:], asked.second_solver, limits)
    seconds = limits.elapsed()
    return [replace(v, seconds=seconds) for v in second_opinion.with_opinion(found, second)]


def _compared(
    engine: Engine,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    asked: Options,
    book: Obligations | None,
) -> list[Verdict]:
    """Check with one engine; if it and plain Python disagree, all answers are unknown.

    The parameters are those of `_checked`.
    """
    before = model.spec.remembered()
    try:
        with interrupting_endless_calls(limits):
            found = engine.check(model, limits, wanted, asked, book)
        reason = said_of_change(before, model.spec.remembered())
        if not reason or all(v.answer == "unknown" for v in found):
            return found
    except (Disagreement, LimitReached) as error:
        reason = str(error)
    seconds = limits.elapsed()
    return [
        Verdict(model, p, engine.name, "unknown", "", seconds=seconds, reason=reason)
        for p in wanted
    ]


def _provable(model: Model, engine: str) -> bool:
    """Return whether the spec has what a proof needs: lemmas, or indices in ``any_number``."""
    proofs = importlib.import_module("counterpoint.models.loading").proofs_of(model)
    if engine == "any-number":
        return any(proof.spec.any_number for proof in proofs)
    return any(proof.lemmas for proof in proofs)


def left_out_of_all(model: Model) -> list[str]:
    """Return the engines that ``all`` leaves out, since the spec lacks what their proofs need."""
    return [e.name for e in ENGINES.values() if e.proves and not _provable(model, e.name)]


SHARE_SECONDS = 10.0
"""The time for counting all states, to report the share that random runs reached."""


def _with_share(
    model: Model, limits: Limits, known: Sequence[Verdict], mine: list[Verdict]
) -> list[Verdict]:
    """Add the share of all reachable states that the stateful engine reached."""
    total = next((v.states for v in known if v.extent == "all states" and v.states), None)
    if total is None:
        exhaustive = importlib.import_module("counterpoint.models.explore.exhaustive")
        seconds = min(SHARE_SECONDS, limits.seconds or SHARE_SECONDS)
        own = Limits(seconds, limits.bytes)
        try:
            with interrupting_endless_calls(own):
                run = exhaustive.explore(model, own, ())
            total = len(run.states) if run.complete else None
        except LimitReached:
            total = None
        except SpecError as error:
            # A text without one meaning is refused; a range too wide without a compiler is not.
            wide = importlib.import_module("counterpoint.models.explore.python.generate").too_wide
            if not (why := wide(model.cells)) or why not in str(error):
                raise
            total = None
    if not total:
        return [replace(v, notes=(*v.notes, "too many states to compute the share that was "
                                            "reached"))
                for v in mine]  # fmt: skip
    notes = [f"reached {(v.states or 0) / total:.1%} of {total:,} states" for v in mine]
    return [replace(v, notes=(*v.notes, note)) for v, note in zip(mine, notes, strict=True)]
