"""``counterpoint drive --explore``: real code under all schedules."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, printing, progress, shown
from counterpoint.histories.report import BY_NAME
from counterpoint.memories.conforming import RunDiffers
from counterpoint.memories.exploring import Explored, Fault, explored
from counterpoint.memories.exploring.conforming import Conforming
from counterpoint.models.explore.compiled.compiler import NoCompiler
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.spec.notation import Model, SpecError

from .conforming import (
    as_json,
    compared_as_json,
    mapping_named,
    must_compare,
    print_compared,
    print_difference,
)

EXPLORING = ("criterion", "preemptions", "at_random", "seed", "time_limit")
FOLLOWING = ("path", "claim", "times")

LAST = 40
"""How many of the last steps of a schedule are printed."""


@dataclass(frozen=True)
class Wish:
    """How to explore; see `explored`."""

    criterion: str
    preemptions: int | None
    at_random: int
    seed: int
    limit: float
    time_limit: float | None
    conform: bool
    mapping: str


def only_with(context: click.Context, explore: bool) -> None:
    """Refuse options that have no meaning with, or without, --explore."""
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in (FOLLOWING if explore else EXPLORING):
            word = "has no meaning with" if explore else "needs"
            raise click.UsageError(f"{parameter.opts[-1]} {word} --explore")


def must_fit(conform: bool, mapping: str, context: click.Context) -> None:
    """Refuse options that have no meaning with, or without, --conform."""
    if mapping and not conform:
        raise click.UsageError("--mapping needs --conform")
    given = context.get_parameter_source("criterion") is ParameterSource.COMMANDLINE
    if conform and given:
        raise click.UsageError("--criterion has no meaning with --conform: no history is judged")


def explore_code(
    reference: str,
    settings: Sequence[str],
    name: str,
    make: Callable[[], Any],
    wish: Wish,
    form: str,
) -> int:
    """Explore code under the bounds of a spec, print what came of it, and return the exit code."""
    if wish.criterion not in BY_NAME:
        raise click.UsageError(f"--criterion: {wish.criterion!r} is none of {', '.join(BY_NAME)}")
    if wish.preemptions is not None and wish.at_random:
        raise click.UsageError("--preemptions and --random exclude each other")
    with progress("explore") as say:
        model = load(reference, settings)
        subject = make()
        limits = Limits(wish.time_limit, progress=say)
        beside = _beside(model, subject, wish, limits)
        found = _explored(subject, name, dict(model.spec.parameters), wish, limits, beside)
        if beside is not None and not (found.faults or found.reason):
            must_compare(beside.comparisons, wish.mapping or name)
    with printing():
        if form == "json":
            click.echo(
                json.dumps(_as_json(name, wish, found, beside), indent=2, ensure_ascii=False)
            )
        else:
            _print(name, wish, found, beside)
    if any(not one.is_unknown for one in found.faults):
        return FELL
    return UNKNOWN if found.faults or found.reason else OK


def _beside(model: Model, subject: Any, wish: Wish, limits: Limits) -> Conforming | None:
    if not wish.conform:
        return None
    points = getattr(subject, "actions", None)
    mapping = mapping_named(wish.mapping)
    return Conforming(model, mapping, wish.mapping or "state()", points, limits)


def _explored(
    subject: Any,
    name: str,
    parameters: dict[str, Any],
    wish: Wish,
    limits: Limits,
    beside: Conforming | None,
) -> Explored:
    """Explore a subject; an error of its code names the line."""
    if not callable(getattr(subject, "cases", None)):
        raise SpecError(f"{name}: {type(subject).__name__} has no method cases(parameters), so "
                        "there is nothing to explore")  # fmt: skip
    try:
        found = explored(
            subject.cases(parameters),
            wish.criterion,
            preemptions=wish.preemptions,
            at_random=wish.at_random,
            seed=wish.seed,
            limit=wish.limit,
            limits=limits,
            conforming=beside,
        )
    except (SpecError, NoCompiler) as error:
        raise SpecError(str(error)) from error
    except Exception as error:
        place = line_of_user(error) or name
        raise SpecError(f"{place}: {type(error).__name__}: {error}") from error
    if not found.cases:
        raise SpecError(f"{name}: cases(parameters) yields nothing, so nothing is explored")
    return found


def _as_json(name: str, wish: Wish, found: Explored, beside: Conforming | None) -> dict[str, Any]:
    return {
        "subject": name,
        "criterion": None if wish.conform else wish.criterion,
        "programs": found.cases,
        "schedules": found.schedules,
        "histories": found.histories,
        "warnings": _warnings(found, beside),
        "reason": found.reason,
        "conform": None if beside is None else compared_as_json(beside.comparisons),
        "faults": [
            {
                "programs": one.case,
                "kind": one.kind,
                "why": list(one.why),
                "schedule": [str(point) for point in one.schedule],
                "difference": as_json(one.differed),
            }
            for one in found.faults
        ],
    }


def _counts(wish: Wish, found: Explored, beside: Conforming | None) -> str:
    """Return how much was explored, in words."""
    what = f"{'random ' if wish.at_random else ''}schedule{'s'[: found.schedules != 1]}"
    if wish.preemptions is not None:
        most = wish.preemptions
        what += f" with at most {most} preemption{'s'[: most != 1]}"
    counts = f"{found.cases:,} program{'s'[: found.cases != 1]}, {found.schedules:,} {what}"
    if found.histories:
        counts += f", {found.histories:,} different histories"
    if beside is not None:
        steps = sum(one.steps for one in beside.comparisons)
        counts += f", {steps:,} step{'s'[: steps != 1]}"
    return counts


def _print(name: str, wish: Wish, found: Explored, beside: Conforming | None) -> None:
    counts = _counts(wish, found, beside)
    if found.faults:
        _print_faults(name, counts, found, beside)
    elif found.reason:
        click.secho(show.wrapped(f"{name}: unknown after {counts}: {found.reason}", indent=0),
                    fg="yellow")  # fmt: skip
    else:
        what = f"each satisfies {wish.criterion}" if found.histories else "nothing is wrong"
        if not found.judged:
            what = "all threads ended"
        if beside is not None:
            what = f"after each step it is in a state that {beside.model.name} allows"
        click.secho(show.wrapped(f"{name}: {counts}; {what}.", indent=0), fg="green")
        if beside is not None:
            print_compared(beside.comparisons)
    for warning in _warnings(found, beside):
        click.secho(show.wrapped(warning, indent=0), fg="yellow")


def _warnings(found: Explored, beside: Conforming | None) -> list[str]:
    """Return what makes a result say less than it seems to."""
    if found.faults:
        return []
    said = []
    if not found.steps:
        said.append("No thread came to a point, so each program ran in one order: call step(...) "
                    "where threads can be interleaved.")  # fmt: skip
    if beside is None and not found.judged:
        said.append("Only errors and deadlocks would have been seen: no run has a method fault() "
                    "or record().")  # fmt: skip
    return said


def _print_faults(name: str, counts: str, found: Explored, beside: Conforming | None) -> None:
    first = found.faults[0]
    if beside is not None and first.differed is not None:
        _print_difference(name, beside, counts, first, first.differed)
        return
    is_certain = any(not one.is_unknown for one in found.faults)
    said, colour = ("something is wrong", "red") if is_certain else ("unknown", "yellow")
    click.secho(show.wrapped(f"{name}: {said} after {counts}.", indent=0), fg=colour)
    for one in found.faults:
        _print_fault(one)


def _print_difference(
    name: str, beside: Conforming, counts: str, one: Fault, differed: RunDiffers
) -> None:
    print_difference(name, beside.model.name, f" in {one.case},", differed)
    click.echo()
    click.echo(show.wrapped(f"Found after {counts}.", indent=0))
    _print_schedule(one)


def _print_fault(one: Fault) -> None:
    click.echo(show.wrapped(f"{one.kind}, of {one.case}:", indent=2))
    for line in one.why:
        click.echo(show.wrapped(f"{shown(line)}.", indent=4))
    _print_schedule(one)


def _print_schedule(one: Fault) -> None:
    if not one.schedule:
        return
    threads = 1 + max((point.thread for point in one.schedule), default=0)
    left_out = max(0, len(one.schedule) - LAST)
    last = one.schedule[left_out:]
    steps = [(point.thread, str(point).replace(", waiting", "")) for point in last]
    widths = [
        max([len(f"thread {k}"), *(len(text) for thread, text in steps if thread == k)])
        for k in range(threads)
    ]
    heads = [f"thread {k}".ljust(width) for k, width in enumerate(widths)]
    click.echo(f"\n      {'  '.join(heads)}".rstrip())
    if left_out:
        click.echo(f"      ... {left_out:,} steps before (--format json has them)")
    for number, (thread, text) in enumerate(steps, start=left_out + 1):
        before = "".join("│".ljust(widths[k] + 2) for k in range(thread))
        click.echo(f"  {number:>2}  {before}{text}")
