"""The engines by name, each with the same call."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spec.notation import Model, Property, SpecError

from .limits import Limits
from .verdict import Disagreement, Verdict


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
    """

    steps: int | None = None
    runs: int | None = None
    seed: int = 0
    explorer: str | None = None
    reduce: tuple[str, ...] = ()
    compared: int | None = None


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
    """

    name: str
    description: str
    module: str
    options: dict[str, str]
    proves: bool = False

    def check(
        self, model: Model, limits: Limits, wanted: Sequence[Property], options: Options
    ) -> list[Verdict]:
        """Return a verdict for each wanted property."""
        run: Callable[..., list[Verdict]] = importlib.import_module(self.module).check
        given: dict[str, Any] = {
            parameter: getattr(options, option)
            for option, parameter in self.options.items()
            if getattr(options, option) is not None
        }
        return run(model, limits, wanted, **given)


ENGINES = {
    e.name: e
    for e in (
        Engine(
            "exhaustive",
            "every reachable state, breadth first: shortest counterexamples",
            "models.exhaustive",
            {"explorer": "explorer", "reduce": "reduce", "compared": "compared"},
        ),
        Engine(
            "bounded",
            "z3: every run of at most --steps steps, shortest first",
            "models.bounded",
            {"steps": "steps"},
        ),
        Engine(
            "induction",
            "z3: every run of any length, from lemmas or by k-induction (k up to --steps)",
            "models.induction",
            {"steps": "steps"},
            proves=True,
        ),
        Engine(
            "any-number",
            "z3: every run, any number of transactions and objects, from lemmas",
            "models.any_number",
            {},
            proves=True,
        ),
        Engine(
            "stateful",
            "Hypothesis: --runs random runs in plain Python, minimised",
            "models.stateful",
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
    """
    wanted = model.properties if wanted is None else wanted
    limits = limits or Limits()
    found: list[Verdict] = []
    for one in engines_named(engine):
        if engine == "all" and one.proves and not _provable(model, one.name):
            continue
        asked = Options(**{name: getattr(options or Options(), name) for name in one.options})
        mine = _checked(one, model, limits.again(), wanted, asked)
        mine = [replace(v, asked=asked) for v in mine]
        if one.name == "stateful":
            mine = _with_share(model, limits, found, mine)
        found += mine
    return found


def _checked(
    engine: Engine, model: Model, limits: Limits, wanted: Sequence[Property], asked: Options
) -> list[Verdict]:
    """Check with one engine; where it and plain Python do not do the same, nothing is known."""
    try:
        return engine.check(model, limits, wanted, asked)
    except Disagreement as error:
        seconds = limits.elapsed()
        return [
            Verdict(model, p, engine.name, "unknown", "", seconds=seconds, reason=str(error))
            for p in wanted
        ]


def _provable(model: Model, engine: str) -> bool:
    """Return whether the spec has what an engine needs for a proof."""
    proofs = importlib.import_module("models.loading").proofs_of(model)
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
        exhaustive = importlib.import_module("models.exhaustive")
        seconds = min(SHARE_SECONDS, limits.seconds or SHARE_SECONDS)
        run = exhaustive.explore(model, Limits(seconds, limits.bytes), ())
        total = len(run.states) if run.complete else None
    if not total:
        return [replace(v, notes=(*v.notes, "too many states to say what share was reached"))
                for v in mine]  # fmt: skip
    notes = [f"reached {(v.states or 0) / total:.1%} of {total:,} states" for v in mine]
    return [replace(v, notes=(*v.notes, note)) for v, note in zip(mine, notes, strict=True)]
