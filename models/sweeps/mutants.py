"""Checks every mutant of a spec and compares the result with the mutant's declaration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.checking.processes import in_order
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load, mutants
from counterpoint.models.verdict import Verdict, in_steps
from counterpoint.spec.notation import SpecError


@dataclass(frozen=True)
class Trial:
    """One mutant, checked by one engine.

    Attributes
    ----------
    name, why : str
        The mutant's own name, and a description of its fault.
    declared : mapping of str to (int or None)
        The properties that must be violated, each with the length of its counterexample.
    at : mapping of str to value
        The bounds at which they must be violated; empty for the default bounds.
    engine : str
        The engine.
    default : tuple of Verdict
        The verdicts at the default bounds.
    verdicts : tuple of Verdict
        The verdicts at the bounds of ``at``; the same as `default` if that is empty.
    shared : tuple of str
        The properties that the correct spec violates at these bounds as well.
    """

    name: str
    why: str
    declared: Mapping[str, int | None]
    at: Mapping[str, Any]
    engine: str
    default: tuple[Verdict, ...]
    verdicts: tuple[Verdict, ...]
    shared: tuple[str, ...] = ()

    @property
    def violated(self) -> dict[str, int | None]:
        """The properties violated at the mutant's bounds, in the form of a declaration."""
        return violated(self.verdicts)

    @property
    def kills(self) -> list[str]:
        """The violated properties that the correct spec does not violate."""
        return [name for name in self.violated if name not in self.shared]

    @property
    def killed(self) -> bool:
        """Whether any property kills it."""
        return bool(self.kills)

    @property
    def unknown(self) -> str:
        """Why a verdict is unknown; empty if none is, or if the mutant is killed anyway."""
        if self.engine != "exhaustive" and self.killed:
            return ""
        return next((v.reason for v in self.default + self.verdicts if v.answer == "unknown"), "")

    @property
    def surprises(self) -> tuple[str, ...]:
        """How the result differs from the declaration; lengths count in exhaustive runs only."""
        found = []
        if self.shared:
            found.append(f"{_names(self.shared)} violated by the spec without the fault as well")
        if self.engine != "exhaustive":
            return (*found, *(() if self.killed else ("no property detected it",)))
        early = violated(self.default) if self.at else {}
        if early:
            found.append(f"{_names(early)} violated at the default bounds; it should survive them")
        return (*found, *_differences(self.declared, self.violated, self.verdicts))

    @property
    def answer(self) -> str:
        """``killed``, ``survives`` or ``unknown``."""
        if self.unknown:
            return "unknown"
        return "killed" if self.killed else "survives"


def violated(verdicts: Sequence[Verdict]) -> dict[str, int | None]:
    """Return the violated properties, each with the length of its trace if it has one."""
    return {
        v.claim.name: v.depth if v.trace is not None else None
        for v in verdicts
        if v.answer == "violated"
    }


def _names(named: Collection[str]) -> str:
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'}"


def _differences(
    declared: Mapping[str, int | None], found: Mapping[str, int | None], verdicts: Sequence[Verdict]
) -> Iterator[str]:
    undecided = {v.claim.name for v in verdicts if v.answer == "unknown"}
    there = {v.claim.name for v in verdicts}
    for name in dict.fromkeys([*declared, *found]):
        if name in undecided:
            continue
        if name not in there:
            yield f"the spec has no property {name}"
        elif name not in found:
            yield f"{name} holds; it is declared to be violated"
        elif name not in declared:
            yield f"{name} is violated{_after(found[name])}; it is declared to hold"
        elif declared[name] != found[name]:
            wanted = _after(declared[name])
            yield f"{name} is violated{_after(found[name])}; it is declared to be{wanted}"


def _after(steps: int | None) -> str:
    return " by no run" if steps is None else f" after {in_steps(steps)}"


def trial(reference: str, engine: str, limits: Limits, options: Options, name: str) -> list[Trial]:
    """Check one mutant at the default bounds, and at the bounds that its declaration names.

    Parameters
    ----------
    reference : str
        The correct spec.
    engine : str
        A name of `engines.ENGINES`, or ``all``.
    limits : Limits
        Time for each engine, and memory.
    options : Options
        Options of the engine.
    name : str
        The mutant's own name.

    Returns
    -------
    list of Trial
        One for each engine that gave verdicts.
    """
    found = mutants(reference)[name]
    mutation = found.mutation
    assert mutation is not None
    public = f"{reference}/{name}"
    given = _given(mutation.at)
    default = at = engines.check(load(public), engine, limits.again(), options=options)
    if given:
        at = engines.check(load(public, given), engine, limits.again(), options=options)
    why = " ".join((found.__doc__ or "").split())
    return [
        Trial(
            name, why, mutation.killed, mutation.at, used,
            tuple(v for v in default if v.engine == used),
            tuple(v for v in at if v.engine == used),
        )
        for used in dict.fromkeys(v.engine for v in default)
    ]  # fmt: skip


def trials(
    reference: str,
    engine: str = "exhaustive",
    *,
    limits: Limits | None = None,
    options: Options | None = None,
    processes: int = 1,
    tell: Callable[[str], None] | None = None,
) -> list[Trial]:
    """Check every mutant of a spec.

    Parameters
    ----------
    reference : str
        The correct spec.
    engine : str
        A name of `engines.ENGINES`, or ``all``.
    limits : Limits, optional
        Time for each engine on each mutant, and memory.
    processes : int
        How many mutants are checked at a time.
    tell : callable, optional
        Called with a line of progress after each mutant.

    Raises
    ------
    SpecError
        If the spec has no mutants.
    """
    names = list(mutants(reference))
    if not names:
        raise SpecError(f"{reference} has no mutants")
    limits = limits or Limits()
    quiet = Limits(limits.seconds, limits.bytes)
    task = partial(trial, reference, engine, quiet, options or Options())
    found: list[Trial] = []
    with closing(in_order(task, names, processes)) as results:
        for done, result in enumerate(results, start=1):
            found += result
            if tell is not None:
                tell(f"{done} of {len(names)} mutants")
    return _with_shared(reference, found, quiet, options or Options())


def _with_shared(
    reference: str, trials: Sequence[Trial], limits: Limits, options: Options
) -> list[Trial]:
    """Return the trials with the properties that the correct spec violates at the same bounds."""
    asked: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for one in trials:
        asked.setdefault((one.engine, _given(one.at)), set()).update(one.violated)
    shared: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for (engine, given), names in asked.items():
        model = load(reference, given)
        claims = [claim for claim in model.all_properties if claim.name in names]
        found = engines.check(model, engine, limits.again(), claims, options=options) if claims \
            else []  # fmt: skip
        shared[engine, given] = set(violated(found))
    return [
        replace(
            one, shared=tuple(n for n in one.violated if n in shared[one.engine, _given(one.at)])
        )
        for one in trials
    ]


def _given(at: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in at.items())


def kills_of(trials: Sequence[Trial]) -> dict[str, list[str]]:
    """Return for each property the mutants that it kills, the one with most kills first."""
    found: dict[str, list[str]] = {}
    for one in trials:
        for name in one.kills:
            found.setdefault(name, []).append(one.name)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def only_by(trials: Sequence[Trial]) -> dict[str, str]:
    """Return the mutants that exactly one property kills, with that property."""
    return {t.name: t.kills[0] for t in trials if len(t.kills) == 1}


def to_json(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return every verdict in the form of ``check --format json``, with its mutant."""
    return [
        {"mutant": t.name, "at_default_bounds": at_default, "as_declared": not t.surprises,
         "declared": t.declared.get(v.claim.name), **v.to_json()}
        for t in trials
        for verdicts, at_default in _runs(t)
        for v in verdicts
    ]  # fmt: skip


def _runs(t: Trial) -> list[tuple[tuple[Verdict, ...], bool]]:
    return [(t.default, True), (t.verdicts, False)] if t.at else [(t.default, True)]


def exit_code(trials: Sequence[Trial]) -> int:
    """Return 1 if a mutant is not killed as declared, else 3 if anything is unknown, else 0."""
    if any(t.surprises and not t.unknown for t in trials):
        return 1
    return 3 if any(t.unknown for t in trials) else 0
