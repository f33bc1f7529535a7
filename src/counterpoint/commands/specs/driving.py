"""``counterpoint drive``: real code follows a counterexample of a spec."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from counterpoint import show
from counterpoint.console import FELL, OK, UNKNOWN, above_zero, printing, seconds, user_code
from counterpoint.files.inputs import TooLargeError, whole
from counterpoint.memories.driving import Followed, Trace, follow
from counterpoint.memories.driving.trace import trace_of
from counterpoint.models.checking.engines import check
from counterpoint.models.checking.replaying import read_records, start_of
from counterpoint.models.explore.compiled.compiler import NoCompiler
from counterpoint.models.importing.files import line_of_user
from counterpoint.models.loading import find_any, load
from counterpoint.models.verdict import in_steps
from counterpoint.spec.notation import Model, SpecError, Values

from .conforming import TraceComparison, as_json, must_compare, print_compared, print_difference
from .exploring import Wish, explore_code, must_fit, only_with


@click.command()
@click.argument("reference", metavar="SPEC")
@click.option("--subject", "name", required=True, metavar="CODE",
              help="What is driven: window, window-c, or the class or function that makes it "
                   "(my_code.py:Subject or package.module:name).")  # fmt: skip
@click.option("--with", "given", multiple=True, metavar="NAME=VALUE",
              help="An argument of CODE; repeatable.")  # fmt: skip
@click.option("--trace", "path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Follow a trace of FILE, an output of check --format json; without it, SPEC is "
                   "checked first.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option("--property", "claim", metavar="NAME",
              help="Follow the trace of this property; by default the shortest violation.",
              )  # fmt: skip
@click.option("--times", type=click.IntRange(1, 10_000), default=1, show_default=True,
              help="How often the code follows it.")  # fmt: skip
@click.option("--limit", type=float, default=10.0, show_default=True, callback=above_zero,
              metavar="SECONDS", help="How long a thread may take from one step to the next.",
              )  # fmt: skip
@click.option("--explore", is_flag=True,
              help="Run all schedules of small programs instead, and judge each history.",
              )  # fmt: skip
@click.option("--conform", is_flag=True,
              help="After each step, compare the state of the code with the states that SPEC "
                   "allows.")  # fmt: skip
@click.option("--mapping", default="", metavar="FILE.py:NAME",
              help="With --conform: a function that gets the subject (with --explore: what "
                   "threads() returns) and returns the values of variables of SPEC.  [its method "
                   "state()]")  # fmt: skip
@click.option("--criterion", default="opacity", show_default=True, metavar="NAME",
              help="With --explore: what each history must satisfy.")  # fmt: skip
@click.option("--preemptions", type=click.IntRange(0), metavar="N",
              help="With --explore: only schedules that leave a thread at most N times that could "
                   "go on.")  # fmt: skip
@click.option("--random", "at_random", type=click.IntRange(1), metavar="N",
              help="With --explore: N random schedules of each program, and not all.",
              )  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, help="Of --random.")
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="With --explore: what is not explored then is unknown.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.pass_context
def drive(
    context: click.Context,
    reference: str,
    name: str,
    given: tuple[str, ...],
    path: Path | None,
    settings: tuple[str, ...],
    claim: str | None,
    times: int,
    limit: float,
    explore: bool,
    conform: bool,
    mapping: str,
    criterion: str,
    preemptions: int | None,
    at_random: int | None,
    seed: int,
    time_limit: float | None,
    form: str,
) -> int:
    r"""Let real threads take the steps of a counterexample of SPEC, in its order.

    The code says by step points where its steps are; each thread stops before each step until the
    trace comes to it. If the code cannot take a step as the trace says, the command says at which
    step, and why. With --explore no trace is followed: the threads run small programs, of the
    bounds of SPEC, under all schedules, each once up to steps that commute, and every history is
    judged. With --conform the state of the code is compared after each step with the states that
    SPEC allows, and the first difference is shown; histories are not judged then.

    Exit code 0: the code follows the trace, and sees what the spec says (with --explore: nothing is
    wrong); 1: it does not; 2: the command, the spec or the code is wrong; 3: a thread got lost
    between two steps (with --explore also: not all was explored, or a judgement is unknown).

    \b
    counterpoint drive window-stm --set fetch-and-increment=old --subject window-c
    counterpoint drive window-stm --set fetch-and-increment=old --subject window \
        --with fetch-and-increment=new
    counterpoint check window-stm --set fetch-and-increment=old --format json > old.json
    counterpoint drive window-stm --trace old.json --subject window-c --times 20
    counterpoint drive my_spec.py:Account --subject my_account.py:Subject
    counterpoint drive window-stm --subject window-c --explore
    counterpoint drive window-stm/no-validation --subject window-c --explore --preemptions 1
    counterpoint drive window-stm --subject window-c --explore --conform --random 100
    counterpoint drive my_spec.py:Account --subject my_account.py:Subject --explore --conform \
        --mapping my_account.py:state
    counterpoint drive window-stm --set programs="r x, w y; r y, w x" --subject window --explore
    """
    must_fit(conform, mapping, context)
    if explore:
        only_with(context, explore=True)
        wish = Wish(criterion, preemptions, at_random or 0, seed, limit, time_limit, conform,
                    mapping)  # fmt: skip
        return explore_code(reference, settings, name, _maker(name, given, reference), wish, form)
    only_with(context, explore=False)
    if path and settings:
        raise click.UsageError("--set and --trace exclude each other: FILE has parameters")
    with user_code():
        found = _read(path, reference, claim) if path else _found(reference, settings, claim)
        beside = TraceComparison(found.model, found.start, mapping) if conform else None
        make, trace = _maker(name, given, found.trace.spec), found.trace
        runs = [_followed(trace, make, name, limit, beside) for _ in range(times)]
        if beside is not None and all(run.agrees for run in runs):
            must_compare(beside.comparisons, mapping or name)
    with printing():
        if form == "json":
            _print_json(trace, name, runs)
        else:
            _print(trace, name, runs, beside)
    if any(run.unknown for run in runs):
        return UNKNOWN
    return OK if all(run.agrees for run in runs) else FELL


# The trace


@dataclass(frozen=True)
class _Given:
    """A trace, its spec, and the state in which it begins."""

    trace: Trace
    model: Model
    start: Values


def _found(reference: str, settings: Sequence[str], claim: str | None) -> _Given:
    """Return the trace that a check finds now."""
    model = load(reference, settings)
    wanted = [model.property_named(claim)] if claim else model.all_properties
    verdicts = [v for v in check(model, wanted=wanted) if v.trace is not None]
    fallen = [v for v in verdicts if claim or v.answer == "violated"]
    finite = [v for v in fallen if v.trace and v.trace.loop is None]
    if not finite:
        why = "its trace repeats steps for ever" if fallen else "nothing is violated"
        raise SpecError(f"{model.name}: {why}, so there is no trace to follow; "
                        "set other parameters, or name a witness by --property")  # fmt: skip
    published = getattr(model.spec.published_claim, "criterion", "")
    best = min(finite, key=lambda v: (v.depth or 0, v.claim.name != published))
    assert best.trace is not None
    start = best.trace.states[0]
    return _Given(trace_of(model, start, best.trace.steps, best.claim.name), model, start)


def _read(path: Path, reference: str, claim: str | None) -> _Given:
    """Return the trace of a file."""
    try:
        with path.open("rb") as file:
            text = whole(file).decode("utf-8-sig")
    except TooLargeError as error:
        raise SpecError(f"{path} {error}") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is no text in UTF-8: {error.reason}") from None
    records = [r for r in read_records(text, str(path)) if r.get("loop") is None]
    fitting = [
        r
        for r in records
        if reference in (r["reference"], r["spec"])
        and (r["property"] == claim if claim else r["verdict"] == "violated")
    ]
    if not fitting:
        wanted = f"of {claim}" if claim else "of a violated property"
        raise SpecError(f"{path} has no finite trace {wanted} of {reference}")
    model = load(fitting[0]["reference"], [f"{n}={v}" for n, v in fitting[0]["parameters"].items()])
    published = getattr(model.spec.published_claim, "criterion", "")
    record = min(fitting, key=lambda r: (len(r["trace"]), r["property"] != published))
    model = load(record["reference"], [f"{n}={v}" for n, v in record["parameters"].items()])
    steps = [model.read_step(e["action"], e["parameters"]) for e in record["trace"]]
    start = start_of(model, record["initial"])
    return _Given(trace_of(model, start, steps, record["property"]), model, start)


# The code


def _maker(name: str, given: Sequence[str], spec: str) -> Callable[[], Any]:
    """Return a function that makes the subject anew; with a mutant's fault, if SPEC is a mutant."""
    from counterpoint.memories.driving.window import SUBJECTS

    arguments = {}
    for one in given:
        key, sign, value = one.partition("=")
        if not sign or not key:
            raise SpecError(f"--with takes name=value, not {one!r}")
        arguments[key.replace("-", "_")] = value
    if name in SUBJECTS and "/" in spec:
        arguments.setdefault("fault", spec.partition("/")[2])
    if name not in SUBJECTS and ":" not in name:
        known = ", ".join(SUBJECTS)
        raise SpecError(f"there is no subject {name!r}; there are {known}, and my_code.py:Subject")
    made = SUBJECTS[name] if name in SUBJECTS else find_any(name)
    if not callable(made):
        raise SpecError(f"{name} is no class or function that makes a subject")
    _must_take(name, made, arguments)
    return lambda: made(**arguments)


def _must_take(name: str, made: Callable[..., Any], arguments: dict[str, str]) -> None:
    """Refuse arguments that what makes a subject does not have, or lacks."""
    try:
        inspect.signature(made).bind(**arguments)
    except TypeError as error:
        raise SpecError(f"{name}: {error} (--with NAME=VALUE gives one)") from None
    except ValueError:  # it has no signature that Python knows
        return


def _followed(
    trace: Trace, make: Callable[[], Any], name: str, limit: float, beside: TraceComparison | None
) -> Followed:
    try:
        subject = make()
        if not callable(getattr(subject, "programs", None)):
            raise SpecError(f"{name}: {type(subject).__name__} has no method programs(trace)")
        return follow(trace, subject, limit, beside.watch if beside else None)
    except SpecError:
        raise
    except NoCompiler as error:
        hint = "; the subject window needs none" if name == "window-c" else ""
        raise SpecError(f"{name}: {error}{hint}") from error
    except Exception as error:
        place = line_of_user(error) or name
        raise SpecError(f"{place}: {type(error).__name__}: {error}") from error


# What is printed


def _answer(trace: Trace, name: str, run: Followed) -> str:
    if run.reason:
        step = trace.steps[run.taken] if run.taken < len(trace.steps) else "the end"
        return f"{name} cannot follow at step {run.taken + 1}, {step}: {run.reason}."
    if not run.agrees:
        return f"{name} follows the trace, but what it sees differs from what the spec says."
    return f"{name} follows the whole trace, and sees what the spec says."


def _print(
    trace: Trace, name: str, runs: Sequence[Followed], beside: TraceComparison | None
) -> None:
    first = next((run for run in runs if not run.agrees), runs[0])
    settings = "".join(f" {name}={value}" for name, value in trace.changed.items())
    click.echo(show.wrapped(f"{trace.spec}{settings}: the trace of {trace.claim}, "
                            f"{in_steps(len(trace.steps))}", indent=0))  # fmt: skip
    click.echo()
    for number, step in enumerate(trace.steps, 1):
        mark = " " if number <= first.taken else "x" if number == first.taken + 1 else "-"
        line = f"{mark} {number:3}  {step}"
        click.echo(click.style(line, fg="red" if mark == "x" else None, dim=mark == "-"))
    click.echo()
    if first.differed is not None:
        print_difference(name, trace.spec, "", first.differed)
    else:
        for line in _columns(first):
            click.echo(line)
        colour = "green" if first.agrees else "red"
        click.echo(click.style(show.wrapped(_answer(trace, name, first), indent=0), fg=colour))
    if beside is not None and first.differed is None:
        taken = f"After each step it is in a state that {trace.spec} allows."
        click.echo(show.wrapped(taken, indent=0))
        print_compared(beside.comparisons, missing=False)
    if len(runs) > 1:
        good = sum(run.agrees for run in runs)
        alike = len({run.points for run in runs}) == 1
        same = "all runs took the same steps" if alike else "the runs differ"
        click.echo(f"It followed {good} times of {len(runs)}; {same}.")


def _columns(run: Followed) -> list[str]:
    """Return what the spec says and what the code saw, beside each other."""
    names = list(dict.fromkeys([*run.expected, *run.observed]))
    if not names:
        return []
    rows = [(n, str(run.expected.get(n, "")), str(run.observed.get(n, ""))) for n in names]
    rows.insert(0, ("", "spec", "code"))
    wide = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = []
    for row in rows:
        differs = "  differs" if row[0] and row[1] != row[2] else ""
        lines.append(f"  {row[0]:{wide[0]}}  {row[1]:{wide[1]}}  {row[2]}{differs}".rstrip())
    return [*lines, ""]


def _print_json(trace: Trace, name: str, runs: Sequence[Followed]) -> None:
    records = [
        {
            "spec": trace.spec,
            "property": trace.claim,
            "subject": name,
            "steps": len(trace.steps),
            "taken": run.taken,
            "agrees": run.agrees,
            "reason": run.reason,
            "points": [str(point) for point in run.points],
            "expected": dict(run.expected),
            "observed": dict(run.observed),
            "difference": as_json(run.differed),
        }
        for run in runs
    ]
    click.echo(json.dumps(records, indent=2, ensure_ascii=False, default=str))
