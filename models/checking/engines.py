"""The engines by name, each with the same call."""

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
from counterpoint.spec.notation import Model, Property, SpecError
from counterpoint.spec.notation.memory import changed as remembers

from .endless import stopped


@dataclass(frozen=True)
class Options:
    """What a user can ask of an engine; each engine takes what concerns it.

    Attributes
    ----------
    steps : int or None
        The longest run of the bounded engine.
    runs : int or None
        How many random runs the stateful engine makes.
    seed : int
        Of the random runs.
    explorer : str or None
        How the exhaustive engine visits states: a name of `exhaustive.EXPLORERS`.
    reduce : tuple of str
        What it leaves out: names of `exhaustive.REDUCTIONS`.
    compared : int or None
        States that it compares with plain Python, at most.
    smtlib : Path or None
        A folder for what engines ask z3, as files in SMT-LIB 2.
    second_solver : str or None
        Asked the same as z3: a name of `second_opinion.SOLVERS`.
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
"""For thousands of specs that differ in a parameter only."""


@dataclass(frozen=True)
class Engine:
    """An engine: its name, what it does in one line, and the options it takes.

    Attributes
    ----------
    options : dict
        Name of an `Options` attribute to the name of the engine's parameter.
    proves : bool
        Whether it proves by lemmas, and looks for no runs.
    asks : bool
        Whether it asks z3, and records what it asks.
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
        """Return a verdict for each wanted property; write into a book what is asked for it."""
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
"""The engines that look for runs."""


def engines_named(name: str) -> list[Engine]:
    """Return one engine, or every engine for ``all``.

    Raises
    ------
    SpecError
        If there is none of that name.
    """
    if name == "all":
        return list(ENGINES.values())
    if name not in ENGINES:
        raise SpecError(f"there is no engine {name!r}; there are: {', '.join(ENGINES)}, all")
    return [ENGINES[name]]


def check(
    model: Model,
    engine: str = "exhaustive",
    limits: Limits | None = None,
    wanted: Sequence[Property] | None = None,
    options: Options | None = None,
) -> list[Verdict]:
    """Check a spec with one engine, or with all.

    Parameters
    ----------
    model : Model
        The spec.
    engine : str
        A name of `ENGINES`, or ``all``: then proofs are left out where there are no lemmas.
    limits : Limits, optional
        Time for each engine, and memory.
    wanted : sequence of Property, optional
        The properties; all by default.
    options : Options, optional
        What the engines take.

    Returns
    -------
    list of Verdict
        In the order of engines, then of properties.

    Raises
    ------
    SpecError
        If there is no such engine, or what is asked for cannot be done.
    """
    wanted = model.properties if wanted is None else wanted
    limits, options = limits or Limits(), options or Options()
    with ExitStack() as open_:
        book = _book(model, engine, options, open_)
        return _by_engine(model, engine, limits, wanted, options, book)


def _book(model: Model, engine: str, options: Options, open_: ExitStack) -> Obligations | None:
    """Return where to write what engines ask; None if nobody wants it."""
    if options.smtlib is None and options.second_solver is None:
        return None
    if not any(one.asks for one in engines_named(engine)):
        able = ", ".join(e.name for e in ENGINES.values() if e.asks)
        option = "--smtlib" if options.smtlib is not None else "--second-solver"
        raise SpecError(f"{option}: the engine {engine} has no obligations; these have: {able}")
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
) -> list[Verdict]:
    found: list[Verdict] = []
    for one in engines_named(engine):
        if engine == "all" and one.proves and not _provable(model, one.name):
            continue
        asked = Options(**{name: getattr(options, name) for name in one.options})
        if one.asks:
            asked = replace(asked, second_solver=options.second_solver)
        mine = _checked(one, model, limits.again(), wanted, asked, book)
        mine = [replace(v, asked=asked) for v in mine]
        if one.name == "stateful":
            mine = _with_share(model, limits, found, mine)
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
    """Check with one engine, and ask another solver the same as it has asked z3."""
    before = len(book.found) if book else 0
    found = _compared(engine, model, limits, wanted, asked, book)
    if book is None or asked.second_solver is None:
        return found
    said = second_opinion.opinion(book.found[before:], asked.second_solver, limits)
    seconds = limits.elapsed()
    return [replace(v, seconds=seconds) for v in second_opinion.judged(found, said)]


def _compared(
    engine: Engine,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    asked: Options,
    book: Obligations | None,
) -> list[Verdict]:
    """Check with one engine; where it and plain Python do not do the same, nothing is known."""
    before = model.spec.remembered()
    try:
        with stopped(limits):
            found = engine.check(model, limits, wanted, asked, book)
        changed = remembers(before, model.spec.remembered())
        if not changed or all(v.answer == "unknown" for v in found):
            return found
        reason = (
            f"{', '.join(changed)} changed while the spec was run: what a run remembers must be "
            f"declared as a variable"
        )
    except (Disagreement, LimitReached) as error:
        reason = str(error)
    seconds = limits.elapsed()
    return [
        Verdict(model, p, engine.name, "unknown", "", seconds=seconds, reason=reason)
        for p in wanted
    ]


def _provable(model: Model, engine: str) -> bool:
    """Return whether the spec has what an engine needs for a proof."""
    proofs = importlib.import_module("counterpoint.models.loading").proofs_of(model)
    if engine == "any-number":
        return any(proof.spec.any_number for proof in proofs)
    return any(proof.lemmas for proof in proofs)


SHARE_SECONDS = 10.0
"""Time spent to count all states, for the share of them that random runs reached."""


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
            with stopped(own):
                run = exhaustive.explore(model, own, ())
            total = len(run.states) if run.complete else None
        except LimitReached:
            total = None
    if not total:
        return [replace(v, notes=(*v.notes, "too many states to say what share was reached"))
                for v in mine]  # fmt: skip
    notes = [f"reached {(v.states or 0) / total:.1%} of {total:,} states" for v in mine]
    return [replace(v, notes=(*v.notes, note)) for v, note in zip(mine, notes, strict=True)]
