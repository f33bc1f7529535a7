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
from counterpoint.spec.notation.memory import Digests, said_of_change

from . import temporal
from .completing import completed
from .provable import provable
from .shares import with_share
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
    temporal : str
        The module that judges temporal properties for it; empty if it judges none.
    """

    name: str
    description: str
    module: str
    options: dict[str, str]
    proves: bool = False
    asks: bool = False
    temporal: str = ""

    @property
    def judge(self) -> Engine:
        """The part of the engine that judges temporal properties."""
        taken = {n: to for n, to in self.options.items() if n != "reduce"}
        return replace(self, module=self.temporal, options=taken)

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
            temporal="counterpoint.models.explore.liveness.judging",
        ),
        Engine(
            "bounded",
            "z3: every run of at most --steps steps, shortest first",
            "counterpoint.models.prove.bounded",
            {"steps": "steps"},
            asks=True,
            temporal="counterpoint.models.prove.bounded_lassos",
        ),
        Engine(
            "induction",
            "z3: every run of any length, from lemmas or by k-induction (k up to --steps)",
            "counterpoint.models.prove.induction",
            {"steps": "steps"},
            proves=True,
            asks=True,
            temporal="counterpoint.models.prove.progress.proving",
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
        if engine == "all" and one.proves and not provable(model, one.name):
            continue
        asked = Options(**{name: getattr(options, name) for name in one.options})
        if one.asks:
            asked = replace(asked, second_solver=options.second_solver)
        of_runs = temporal.asked(one.name, model, wanted, one_of_all=engine == "all")
        mine = _of_one(one, model, limits.again(), wanted, of_runs, asked, book)
        if one.name == "stateful":
            mine = with_share(model, limits, found, mine)
        mine = [replace(completed(model, v), asked=asked) for v in mine]
        finished(mine)
        found += mine
    return found


def _of_one(
    engine: Engine,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    of_runs: Sequence[Property],
    asked: Options,
    book: Obligations | None,
) -> list[Verdict]:
    """Check properties of states and steps, and then those of whole runs.

    Other parameters are as for `_checked`.

    Parameters
    ----------
    of_runs : sequence of Property
        The wanted temporal properties about which the engine is asked.
    """
    before = model.spec.remembered()
    of_states = [claim for claim in wanted if claim.kind not in TEMPORAL]
    found = _checked(engine, model, limits, of_states, asked, book, before) if of_states else []
    if not of_runs:
        return found
    if engine.temporal and temporal.judges(engine.name, model):
        found += _checked(engine.judge, model, limits, of_runs, asked, book, before)
    else:
        found += temporal.unknown(engine.name, model, of_runs)
    return temporal.in_order(found, wanted)


def _checked(
    engine: Engine,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    asked: Options,
    book: Obligations | None,
    remembered: Digests,
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
    remembered : Digests
        What the spec remembered before the engine ran.
    """
    before = len(book.found) if book else 0
    found = _compared(engine, model, limits, wanted, asked, book, remembered)
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
    remembered: Digests,
) -> list[Verdict]:
    """Check with one engine; if it and plain Python disagree, all answers are unknown.

    The parameters are those of `_checked`.
    """
    try:
        with interrupting_endless_calls(limits):
            found = engine.check(model, limits, wanted, asked, book)
        reason = said_of_change(remembered, model.spec.remembered())
        if not reason or all(v.answer == "unknown" for v in found):
            return found
    except (Disagreement, LimitReached) as error:
        reason = str(error)
    seconds = limits.elapsed()
    return [
        Verdict(model, p, engine.name, "unknown", "", seconds=seconds, reason=reason)
        for p in wanted
    ]


def left_out_of_all(model: Model) -> list[str]:
    """Return the engines that ``all`` leaves out, since the spec lacks what their proofs need."""
    return [e.name for e in ENGINES.values() if e.proves and not provable(model, e.name)]
