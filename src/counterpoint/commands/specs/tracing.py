"""``counterpoint trace``: the log of a running system against a spec."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import click

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, printing, progress, seconds, shown, user_code
from counterpoint.models.limits import Limits

if TYPE_CHECKING:
    from counterpoint.models.logs.explaining import Explanation
    from counterpoint.models.logs.reading import Line
    from counterpoint.spec.notation import Model

LAST = 12
"""How many of the last steps are shown."""
MOST_NAMED = 8
"""How many possible steps are named."""


@click.command()
@click.argument("spec", metavar="SPEC")
@click.argument("log", type=click.File("rb"), metavar="LOG")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option("--map", "mapping", default="", metavar="FILE.py:NAME",
              help="A function that makes a line of this kind (or several, or None) of each line "
                   "of LOG, or a class of such functions.")  # fmt: skip
@click.option("--by-time", is_flag=True,
              help="Put the lines into the order of their times first, as when several wrote them.",
              )  # fmt: skip
@click.option("--silent", multiple=True, metavar="ACTION",
              help="Steps of this action may be missing in LOG; repeatable.  [the actions that LOG "
                   "does not name]")  # fmt: skip
@click.option("--every-step", is_flag=True, help="No step may be missing in LOG.")
@click.option("--follow", is_flag=True,
              help="Judge each line when it is written, until one is wrong, a pipe ends or Ctrl-C.",
              )  # fmt: skip
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit; without an answer by then it is unknown.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="Memory limit of this process.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print the whole run.")
def trace(
    spec: str,
    log: Any,
    settings: tuple[str, ...],
    mapping: str,
    by_time: bool,
    silent: tuple[str, ...],
    every_step: bool,
    follow: bool,
    time_limit: float | None,
    memory_limit: int,
    form: str,
    verbose: bool,
) -> int:
    r"""Say whether a run of SPEC explains LOG, the log of a running system.

    Each line of LOG is a JSON object that says which step was taken ("step": "grant w=W0"), what
    was true after it ("state": {"has[W0]": true}) or before it ("before"), or both. Parameters,
    variables and whole steps may be missing. If no run explains the log, the command names the
    first line that none explains, and what the spec allowed instead.

    With --follow it watches a running system: it judges each line when it comes, and ends at the
    first that no run explains. No step may be missing then, except those that --silent names.
    LOG is a file that grows, or - for a pipe.

    Exit code 0: a run explains the log, so far as it came; 1: none does; 2: the command, the spec
    or LOG is wrong; 3: a limit was reached.

    \b
    counterpoint trace lock.py lock.log
    counterpoint trace lock.py lock.log --set workers=5 --silent ask -v
    counterpoint trace lock.py server.jsonl --map my_log.py:as_steps
    counterpoint trace lock.py server.jsonl --map my_log.py:as_steps --silent ask --follow
    """
    if silent and every_step:
        raise click.UsageError("--silent and --every-step exclude each other")
    if follow and (by_time or time_limit is not None):
        other = "--by-time" if by_time else "--time-limit"
        raise click.UsageError(f"--follow and {other} exclude each other")
    with progress("trace") as say:
        from counterpoint.models.loading import load
        from counterpoint.models.logs.explaining import explained

        model = load(spec, settings)
        limits = Limits(time_limit, memory_limit * 2**20, say)
        if follow:
            found, lines = _followed(model, log, mapping, silent, limits)
        else:
            lines = _lines(model, log, mapping, by_time)
            quiet = () if every_step else silent or None
            found = explained(model, lines, quiet, limits)
    with printing():
        if form == "json":
            click.echo(json.dumps(_as_json(model, log.name, lines, found), indent=2,
                                  ensure_ascii=False))  # fmt: skip
        else:
            _print(model, log.name, lines, found, verbose)
    return {"holds": OK, "violated": FELL, "unknown": UNKNOWN}[found.answer]


def _followed(
    model: Model, log: Any, mapping: str, silent: tuple[str, ...], limits: Limits
) -> tuple[Explanation, list[Line]]:
    """Judge lines as they come; return the last ones with what was found."""
    from counterpoint.models.logs.following import CtrlC, followed, lines_as_they_come
    from counterpoint.models.logs.reading import LogError, read_lines

    try:
        with user_code(), CtrlC() as stop:
            lines = read_lines(model, lines_as_they_come(log), _mapping(mapping))
            found, kept = followed(model, stop.until(lines), silent, limits)
    except LogError as error:
        raise click.UsageError(f"{log.name}: {error}") from None
    return found, kept


def _mapping(name: str) -> Any:
    """Return the function of --map; None if there is none."""
    from counterpoint.models.loading import find_any

    made = find_any(name) if name else None
    if made is not None and not callable(made):
        raise click.UsageError(f"--map: {name} is no function")
    return _made(name, made) if isinstance(made, type) else made


def _lines(model: Model, log: Any, mapping: str, by_time: bool) -> list[Line]:
    from counterpoint.models.logs.reading import LogError, lines_of, read_log

    try:
        with user_code():
            lines = read_log(model, lines_of(log), _mapping(mapping), by_time)
    except LogError as error:
        raise click.UsageError(f"{log.name}: {error}") from None
    if not lines:
        raise click.UsageError(f"{log.name}: it has no line that says something")
    return lines


def _made(mapping: str, of: type) -> Any:
    """Return an object of a class, which is made anew for each log."""
    try:
        inspect.signature(of).bind()
    except TypeError as error:
        raise click.UsageError(f"--map: {mapping}: {error}; it is made without any") from None
    except ValueError:  # it has no signature that Python knows
        pass
    return of()


def _as_json(model: Model, name: str, lines: list[Line], found: Explanation) -> dict[str, Any]:
    record: dict[str, Any] = {
        "spec": model.name,
        "log": name,
        "lines": max(len(lines), found.explained + (found.obstacle is not None)),
        "answer": found.answer,
        "explained": found.explained,
        "steps": found.trace.to_json(model),
        "steps_at_line": found.places,
    }
    if found.reason:
        record["reason"] = found.reason
    if found.obstacle is not None:
        wrong = found.obstacle
        record["obstacle"] = {
            "line": wrong.line.number,
            "says": wrong.line.text,
            "note": wrong.line.note,
            "states": wrong.states,
            "differs": [{"variable": v, "log": a, "spec": b} for v, a, b in wrong.facts],
            "reason": wrong.reason,
            "allowed": [model.show_step(step) for step in wrong.allowed],
        }
    return record


def _print(
    model: Model, name: str, lines: list[Line], found: Explanation, verbose: bool
) -> None:  # fmt: skip
    number = max(len(lines), found.explained)
    count = f"{number:,} line{'s'[: number != 1]}"
    steps = len(found.trace.steps)
    run = f"a run of {steps:,} step{'s'[: steps != 1]} of {model.name}"
    if _is_cut(found):  # the first steps are no longer known
        run = f"a run of {model.name}"
    if found.answer == "holds":
        _say(f"{name}: {run} explains {count}", "green")
    elif found.reason:
        _say(f"{name}: unknown after {found.explained:,} of {count}: {found.reason}", "yellow")
    else:
        _say(f"{name}: no run of {model.name} explains line {_line(found)}", "red")
        _print_obstacle(model, found)
    if verbose or found.answer != "holds":
        _print_run(model, lines, found, verbose)


def _is_cut(found: Explanation) -> bool:
    """Return whether only the last steps of the run are known, since the log was long."""
    return found.explained > len(found.places)


def _line(found: Explanation) -> str:
    assert found.obstacle is not None
    line = found.obstacle.line
    note = f" ({shown(line.note)})" if line.note else ""
    return f"{line.number:,}: {shown(line.text)}{note}"


def _say(text: str, colour: str) -> None:
    click.secho(show.wrapped(text, indent=0), fg=colour)


def _print_obstacle(model: Model, found: Explanation) -> None:
    wrong = found.obstacle
    assert wrong is not None
    if wrong.facts:
        rows = [("", "log", "spec"), *wrong.facts]
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        click.echo("  The nearest run has other values:")
        for row in rows:
            cells = (shown(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
            click.echo(f"    {'  '.join(cells)}".rstrip())
    elif wrong.reason:
        click.echo(show.wrapped(f"Not possible: {shown(wrong.reason)}", indent=2))
    names = [model.show_step(step) for step in wrong.allowed]
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    allowed = ", ".join(names[:MOST_NAMED]) + more if names else "no step that the log could name"
    click.echo(show.wrapped(f"The spec allowed: {allowed}.", indent=2))
    if wrong.states > 1:
        click.echo(f"  ({wrong.states:,} states are possible before this line.)")


def _print_run(model: Model, lines: list[Line], found: Explanation, verbose: bool) -> None:
    steps = found.trace.steps
    if not steps:
        return
    first = 0 if verbose else max(0, len(steps) - LAST)
    shown_steps = len(steps) - first
    head = f"The last {shown_steps:,} steps of a run" if first or _is_cut(found) else "The run"
    many = f"{found.explained:,} line{'s'[: found.explained != 1]}"
    click.echo(f"\n{head} that explains the first {many}:" if found.obstacle else f"\n{head}:")
    number = {place: lines[k].number for k, place in enumerate(found.places)}
    width = len(str(len(steps)))
    for k in range(first, len(steps)):
        note = f"  (line {number[k + 1]:,})" if k + 1 in number else "  (not in the log)"
        place = " " * width if _is_cut(found) else f"{k + 1:>{width}}"
        click.echo(f"  {place}  {model.show_step(steps[k])}{note}")
