"""Checks a spec under all combinations of its readings, to see which keep a paper's claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Literal, TypeAlias

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import FEW_COMPARED
from counterpoint.models.checking.processes import in_order
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.spec.notation import TEMPORAL, Choice, Claim, Model, Property, SpecError

from .fingerprint import fingerprint
from .results import ModelOutcome, Results

Kind: TypeAlias = Literal["kept", "both clean", "both broken", "reversed", "unknown"]

KINDS: tuple[Kind, ...] = ("kept", "both clean", "both broken", "reversed", "unknown")

MOST = 50_000
"""The most models in one study."""


@dataclass(frozen=True)
class ReadingsRow:
    """One combination of readings, with the outcomes for the claim's two values.

    Attributes
    ----------
    choices : mapping of str to str
        The value of every varied parameter.
    broken, clean : ModelOutcome
        The outcome with the value that the paper calls wrong, and with the one it calls right.
    """

    choices: Mapping[str, str]
    broken: ModelOutcome
    clean: ModelOutcome

    def kind(self, criterion: str) -> Kind:
        """Return whether the claim is kept, and if not, how it fails."""
        if any(o.unknown and criterion not in o.violated for o in (self.broken, self.clean)):
            return "unknown"
        if criterion in self.broken.violated:
            return "both broken" if criterion in self.clean.violated else "kept"
        return "reversed" if criterion in self.clean.violated else "both clean"


@dataclass(frozen=True)
class ReadingsStudy:
    """All rows of a study.

    Attributes
    ----------
    model : Model
        The spec with its default readings, at the bounds of the study.
    claim : Claim
        What the paper says.
    criteria : tuple of str
        The judged criteria, the weakest first.
    choices : mapping of str to tuple of str
        The values of every varied parameter, its default first.
    rows : tuple of ReadingsRow
        One row for each combination, in the order of `grid`.
    models, different : int
        The number of models, and the number of different fingerprints among them.
    known : int
        The number of fingerprints that an earlier run had decided.
    seconds : float
        Wall time.
    """

    model: Model
    claim: Claim
    criteria: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]
    rows: tuple[ReadingsRow, ...]
    models: int
    different: int
    known: int
    seconds: float

    @property
    def default(self) -> ReadingsRow:
        """The row of the default readings."""
        return self.rows[0]

    @property
    def complete(self) -> bool:
        """Whether there is a row for every combination."""
        return len(self.rows) == prod(map(len, self.choices.values()))

    def changes(self, row: ReadingsRow) -> dict[str, str]:
        """Return where a row differs from the default readings."""
        return {n: v for n, v in row.choices.items() if v != self.choices[n][0]}


def claim_of(model: Model) -> Claim:
    """Return the published claim of a spec.

    Raises
    ------
    SpecError
        If it declares none.
    """
    claim = model.spec.published_claim
    if claim is None:
        raise SpecError(f"{model.name} declares no claim (published_claim = Claim(...))")
    return claim


def criteria_of(models: Sequence[Model], claim: Claim) -> tuple[str, ...]:
    """Return the criteria to judge: those of the spec, and those of the claim.

    Parameters
    ----------
    models : sequence of Model
        The spec at each bound. Criteria beside the claim's that no bound has are left out.
    claim : Claim

    Raises
    ------
    SpecError
        If one of them does not exist, or is neither an invariant nor a temporal property.
    """
    first = models[0]
    named = tuple(dict.fromkeys((*first.spec.criteria, claim.criterion, *claim.beside)))
    for name in named:
        optional = name != claim.criterion and name.replace("-", "_") in first.spec.declared_methods
        found = [judged_at(model, [name])[0] for model in models if judged_at(model, [name])]
        for one in found or ([] if optional else [first.property_named(name)]):
            if one.kind not in ("invariant", *TEMPORAL):
                raise SpecError(f"{first.name}: {name} is neither an invariant nor a temporal "
                                "property, and readings judge only these")  # fmt: skip
    return tuple(name for name in named if any(judged_at(model, [name]) for model in models))


def judged_at(model: Model, criteria: Sequence[str]) -> list[Property]:
    """Return those criteria that a spec has at its bounds."""
    return [one for one in model.all_properties if one.name in criteria]


def varied(model: Model, settings: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the choices to vary, each with its default first: all that the settings do not fix."""
    claim = claim_of(model)
    given = {s.partition("=")[0].replace("_", "-") for s in settings}
    if claim.parameter in given:
        raise SpecError(f"{claim.parameter} cannot be set: the claim compares both of its values")
    return {
        n: (p.default, *(v for v in p.values if v != p.default))
        for n, p in model.spec.declared_parameters.items()
        if isinstance(p, Choice)
        and p.reading
        and n not in {*given, claim.parameter}
        and len(p.values) > 1
    }


def grid(choices: Mapping[str, tuple[str, ...]], changes: int | None) -> list[dict[str, str]]:
    """Return the combinations of choices, those with the fewest changes from the default first.

    Raises
    ------
    SpecError
        If there are too many combinations.
    """

    def combinations() -> Iterator[dict[str, str]]:
        for values in product(*choices.values()):
            row = dict(zip(choices, values, strict=True))
            if changes is None or _changed(row, choices) <= changes:
                yield row

    found = list(islice(combinations(), MOST // 2 + 1))
    if len(found) > MOST // 2:
        raise SpecError(
            f"more than {MOST:,} models: limit them with --changes, or fix some choices with --set"
        )
    return sorted(found, key=lambda row: _place(row, choices))


def _place(
    row: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]
) -> tuple[int, list[bool], list[int]]:
    values = [choices[name].index(value) for name, value in row.items()]
    return sum(map(bool, values)), [value == 0 for value in values], values


def _changed(row: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]) -> int:
    return sum(value != choices[name][0] for name, value in row.items())


def study(
    reference: str,
    settings: Sequence[str] = (),
    *,
    also: Sequence[str] = (),
    changes: int | None = None,
    processes: int = 1,
    path: Path | None = None,
    limits: Limits | None = None,
) -> ReadingsStudy:
    """Check a spec under combinations of its readings.

    Parameters
    ----------
    reference : str
        The spec.
    settings : sequence of str
        Parameters as ``name=value``: bounds, and readings that do not vary.
    also : sequence of str
        Further bounds, each as ``name=value``, at which every row is checked as well. A criterion
        counts as violated if it is violated at any of the bounds.
    changes : int, optional
        How many choices may differ from their defaults at once; any number by default.
    processes : int
        How many models are checked at a time; the outcome does not depend on it.
    path : Path, optional
        A file to which results are appended, and from which those of an earlier run are taken.
    limits : Limits, optional
        Time for the whole study, memory for each model, and progress.
    """
    limits = limits or Limits()
    model = load(reference, settings)
    claim = claim_of(model)
    choices = varied(model, settings)
    combinations = grid(choices, changes)
    bounds = [tuple(settings), *(_instead(reference, settings, one) for one in also)]
    criteria = criteria_of([load(reference, b) for b in bounds], claim)
    wanted = {
        (i, v, b): [*b, *(f"{n}={c}" for n, c in row.items()), f"{claim.parameter}={v}"]
        for b in bounds
        for i, row in enumerate(combinations)
        for v in (claim.broken, claim.clean)
    }
    results = Results(path, reference)
    with closing(results):
        work = _Work(results, reference, criteria, processes, limits)
        prints = work.fingerprints(list(wanted.values()))
        known = sum(p in results.outcomes for p in set(prints))
        work.outcomes(dict(zip(prints, wanted.values(), strict=False)))
    late = ModelOutcome({}, 0, f"the time limit of {limits.seconds or 0:g} s was reached")
    by_model = dict(zip(wanted, prints, strict=False))
    found: dict[tuple[int, str], list[ModelOutcome]] = {}
    for m in wanted:
        found.setdefault(m[:2], []).append(results.outcomes.get(by_model.get(m, ""), late))
    rows = tuple(
        ReadingsRow(row, *(merged(found[i, v], criteria) for v in (claim.broken, claim.clean)))
        for i, row in enumerate(combinations)
    )
    return ReadingsStudy(
        model, claim, tuple(criteria), choices, rows, len(wanted), len(set(prints)), known,
        limits.elapsed(),
    )  # fmt: skip


def _instead(reference: str, settings: Sequence[str], one: str) -> tuple[str, ...]:
    """Return settings in which one parameter, and those derived from it, have other values.

    Parameters
    ----------
    reference : str
        The spec.
    settings : sequence of str
        The settings to change, as ``name=value``.
    one : str
        The new setting.

    Raises
    ------
    SpecError
        If there is no such parameter or value.
    """
    spec = load(reference, [one]).spec
    name = one.partition("=")[0].replace("_", "-")
    follows = {name, *spec.derive({name: spec.parameters[name]})}
    kept = [s for s in settings if s.partition("=")[0].replace("_", "-") not in follows]
    return (*kept, one)


def merged(outcomes: Sequence[ModelOutcome], criteria: Sequence[str]) -> ModelOutcome:
    """Merge the outcomes at several bounds: the shortest violation of each criterion counts.

    A criterion that the spec has at none of them, with these readings, is undecided.
    """
    violated: dict[str, int] = {}
    for outcome in outcomes:
        for name, steps in outcome.violated.items():
            violated[name] = min(steps, violated.get(name, steps))
    judged = {name for o in outcomes for name in o.judged}
    missing = next((f"there is no {name} to judge" for name in criteria if name not in judged), "")
    unknown = next((o.unknown for o in outcomes if o.unknown), missing)
    return ModelOutcome(violated, sum(o.states for o in outcomes), unknown, tuple(judged))


class _Work:
    """The two passes over the models: first all fingerprints, then one outcome for each."""

    def __init__(
        self,
        results: Results,
        reference: str,
        criteria: Sequence[str],
        processes: int,
        limits: Limits,
    ) -> None:
        self.results, self.reference, self.criteria = results, reference, tuple(criteria)
        self.processes, self.limits = processes, limits
        self.quiet = Limits(limits.seconds, limits.bytes, started=limits.started)

    def fingerprints(self, models: Sequence[Sequence[str]]) -> list[str]:
        """Return the fingerprint of each model; only of the first ones if time runs out."""
        results = self.results
        keys = [results.key(m, self.criteria) for m in models]
        missing = [i for i, key in enumerate(keys) if key not in results.fingerprints]
        task = partial(fingerprint_of, self.reference, self.criteria)
        with closing(in_order(task, (models[i] for i in missing), self.processes)) as found:
            for done, i in enumerate(missing, start=1):
                if self.limits.left() == 0:
                    break
                results.add_fingerprint(keys[i], next(found))
                self._tell(f"{done:,} of {len(missing):,} models traced")
        prints = (results.fingerprints.get(key) for key in keys)
        return list(_until_none(prints))

    def outcomes(self, models: Mapping[str, Sequence[str]]) -> None:
        """Compute the outcome of one model for each fingerprint without one."""
        missing = [p for p in models if p not in self.results.outcomes]
        task = partial(outcome_of, self.reference, self.criteria, self.quiet)
        with closing(in_order(task, (models[p] for p in missing), self.processes)) as found:
            for done, (print_, outcome) in enumerate(zip(missing, found, strict=True), start=1):
                self.results.add_outcome(print_, outcome)
                if self.limits.left() == 0:
                    break
                self._tell(f"{done:,} of {len(missing):,} different models checked")

    def _tell(self, line: str) -> None:
        if self.limits.progress is not None:
            self.limits.progress(line)


def _until_none(prints: Iterator[str | None]) -> Iterator[str]:
    for one in prints:
        if one is None:
            return
        yield one


def fingerprint_of(reference: str, criteria: Sequence[str], settings: Sequence[str]) -> str:
    """Return the fingerprint of a model.

    Parameters
    ----------
    reference, settings
        The model, as `load` takes it.
    criteria : sequence of str
        The invariants and temporal properties to judge.
    """
    model = load(reference, settings)
    return fingerprint(model, [one.name for one in judged_at(model, criteria)])


def outcome_of(
    reference: str, criteria: Sequence[str], limits: Limits, settings: Sequence[str]
) -> ModelOutcome:
    """Judge all criteria of a model in one exploration, within the remaining time.

    Parameters
    ----------
    reference, settings
        The model, as `load` takes it.
    criteria : sequence of str
        The invariants and temporal properties to judge.
    limits : Limits
        Time for the whole study, and memory.
    """
    left = limits.left()
    if left == 0:
        return ModelOutcome({}, 0, f"the time limit of {limits.seconds:g} s was reached")
    model = load(reference, settings)
    wanted = judged_at(model, criteria)
    if not wanted:
        return ModelOutcome({}, 0)
    verdicts = engines.check(
        model, limits=Limits(left, limits.bytes), wanted=wanted, options=FEW_COMPARED
    )
    violated = {v.claim.name: v.depth or 0 for v in verdicts if v.answer == "violated"}
    unknown = next((v.reason for v in verdicts if v.answer == "unknown"), "")
    names = tuple(one.name for one in wanted)
    return ModelOutcome(violated, verdicts[0].states or 0, unknown, names)
