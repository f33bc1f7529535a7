"""Searches sets of short programs for a violation; each set is checked exhaustively."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import FEW_COMPARED
from counterpoint.models.checking.processes import in_order
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, Property, SpecError

from .programs import ProgramSet, program_sets, smaller, text


@dataclass(frozen=True)
class ProgramSpace:
    """Which sets of programs are searched.

    Attributes
    ----------
    transactions : int
        Programs of a set.
    objects : int
        The most objects that a set uses.
    operations : int
        The most operations of a program.
    """

    transactions: int = 4
    objects: int = 3
    operations: int = 2

    def sets(self, seed: int) -> list[ProgramSet]:
        """Return every set in a random order, those with the fewest objects first.

        The same seed gives the same order.
        """
        found = program_sets(self.transactions, self.objects, self.operations)
        random.Random(seed).shuffle(found)
        return sorted(found, key=lambda s: len({x for program in s for _, x in program}))


@dataclass(frozen=True)
class SetResult:
    """One set of programs with the exhaustive engine's answer.

    Attributes
    ----------
    depth : int or None
        The length of the shortest violation, if there is one.
    unknown : str
        Why the answer is unknown; empty if it is known.
    """

    programs: ProgramSet
    depth: int | None
    states: int
    unknown: str = ""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    total : int
        The number of sets in the space.
    tried : int
        The number of sets that were checked.
    states : int
        The sum of the reachable states of all sets tried.
    broken : tuple of SetResult
        The sets that violate the property, in the order of the search.
    verdict : Verdict or None
        The shortest violation, with a set from which no program and no operation can be removed.
    unknown : tuple of str
        Why the search, or a set, is undecided.
    """

    model: Model
    claim: Property
    space: ProgramSpace
    total: int
    tried: int
    states: int
    broken: tuple[SetResult, ...] = ()
    verdict: Verdict | None = None
    unknown: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)


def search(
    reference: str,
    settings: Sequence[str] = (),
    name: str = "",
    space: ProgramSpace | None = None,
    *,
    seed: int = 0,
    sets: int | None = None,
    go_on: bool = False,
    processes: int = 1,
    limits: Limits | None = None,
) -> SearchResult:
    """Check sets of programs, in a random order, until one violates a property.

    Parameters
    ----------
    reference, settings
        The spec, as `load` takes it; it must have the parameter ``programs``.
    name : str
        The property; by default that of the spec's published claim.
    space : ProgramSpace, optional
        The sets.
    seed : int
        Of their order.
    sets : int, optional
        How many sets to try; all by default.
    go_on : bool
        Whether to continue after a violation.
    processes : int
        How many sets are checked at a time; the outcome does not depend on it.
    limits : Limits, optional
        Time, and progress.
    """
    limits, space = limits or Limits(), space or ProgramSpace()
    model = _searchable(reference, settings)
    claim = model.property_named(name or default_property(model))
    everything = space.sets(seed)
    chosen = everything if sets is None else everything[:sets]
    quiet = Limits(limits.seconds, limits.bytes, started=limits.started)
    task = partial(try_set, reference, tuple(settings), claim.name, quiet)
    broken: list[SetResult] = []
    unknown: list[str] = []
    tried = states = 0
    with closing(in_order(task, chosen, processes)) as results:
        for result in results:
            if result.unknown:
                unknown.append(f'programs="{text(result.programs)}": {result.unknown}')
                if limits.left() == 0:
                    unknown[-1] = result.unknown
                    break
                continue
            tried, states = tried + 1, states + result.states
            if result.depth is not None:
                broken.append(result)
                if not go_on:
                    break
            _report_progress(limits, tried, len(chosen), broken)
    verdict = None
    if broken:
        shortest = min(broken, key=lambda b: (b.depth, broken.index(b)))
        verdict = _least(partial(check_set, reference, settings, claim.name), shortest.programs)
    return SearchResult(
        model, claim, space, len(everything), tried, states, tuple(broken), verdict, tuple(unknown),
        limits.elapsed(),
    )  # fmt: skip


def default_property(model: Model) -> str:
    """Return the property of a spec's published claim, or the strongest of its criteria."""
    if model.spec.published_claim is not None:
        return model.spec.published_claim.criterion
    if model.spec.criteria:
        return model.spec.criteria[-1]
    raise SpecError(f"{model.name} has no published claim: name a property with --property")


def _searchable(reference: str, settings: Sequence[str]) -> Model:
    model = load(reference, settings)
    if "programs" not in model.spec.declared_parameters:
        raise SpecError(f"{model.name} has no parameter 'programs', so there is nothing to search")
    for taken in ("programs", "transactions", "objects", "operations"):
        if taken in model.changed_parameters():
            hint = "" if taken == "programs" else f": give --{taken} instead"
            raise SpecError(f"the search sets {taken} itself{hint}")
    return model


def check_set(
    reference: str,
    settings: Sequence[str],
    name: str,
    programs: ProgramSet,
    limits: Limits | None = None,
) -> Verdict:
    """Check one property of a spec that runs a set of programs.

    Parameters
    ----------
    reference, settings
        The spec, as `load` takes it.
    name : str
        The property.
    programs : ProgramSet
        The programs to run.
    limits : Limits, optional
        Time and memory.
    """
    model = load(reference, [*settings, f"programs={text(programs)}"])
    return engines.check(
        model, limits=limits, wanted=[model.property_named(name)], options=FEW_COMPARED
    )[0]


def try_set(
    reference: str, settings: Sequence[str], name: str, limits: Limits, programs: ProgramSet
) -> SetResult:
    """Check a set within the remaining time of the whole search.

    Parameters
    ----------
    reference, settings, name, programs
        As for `check_set`.
    limits : Limits
        Of the whole search.
    """
    if limits.left() == 0:
        return SetResult(programs, None, 0, f"the time limit of {limits.seconds:g} s was reached")
    left = Limits(limits.left(), limits.bytes)
    verdict = check_set(reference, settings, name, programs, left)
    depth = verdict.depth if verdict.answer == "violated" else None
    unknown = verdict.reason if verdict.answer == "unknown" else ""
    return SetResult(programs, depth, verdict.states or 0, unknown)


def _least(check: Callable[[ProgramSet], Verdict], programs: ProgramSet) -> Verdict:
    """Remove programs and operations as long as the property is still violated."""
    verdict, again = check(programs), True
    while again:
        again = False
        for cut in smaller(programs):
            found = check(cut)
            if found.answer == "violated":
                programs, verdict, again = cut, found, True
                break
    return verdict


def _report_progress(limits: Limits, tried: int, total: int, broken: Sequence[SetResult]) -> None:
    """Report how many of the sets were tried, and how many of these are broken."""
    if limits.progress is not None:
        limits.progress(f"{tried:,} of {total:,} sets tried, {len(broken)} broken")
