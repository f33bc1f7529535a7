"""``check SPEC --mutants``: who killed whom."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from counterpoint import show
from counterpoint.console import printing, progress
from counterpoint.models.checking.engines import Options, engines_named
from counterpoint.models.limits import Limits
from counterpoint.models.loading import mutants
from counterpoint.models.present.formats import Case, annotation, as_junit, command_line
from counterpoint.models.sweeps.mutants import Trial, exit_code, kills_of, only_by, to_json, trials
from counterpoint.models.verdict import in_steps

OWN_BOUNDS = (
    "--mutants checks every property of each mutant at the mutant's own bounds; "
    "--set, --property, --html, --smtlib and --second-solver go with one mutant, as in: "
    "check SPEC/MUTANT --html page.html"
)

COLOURS = {"killed": "green", "survives": "red", "unknown": "yellow"}


def check(
    reference: str, engine: str, limits: Limits, options: Options, processes: int, form: str
) -> int:
    """Check all mutants of a spec, print the table, and return the exit code."""
    engines_named(engine)
    with progress(f"mutants of {reference}") as tell:
        found = trials(
            reference, engine, limits=limits, options=options, processes=processes, tell=tell
        )
    with printing():
        if form == "json":
            click.echo(json.dumps(to_json(found), indent=2, ensure_ascii=False))
        elif form == "text":
            _report(reference, found, options)
        else:
            cases = _cases(found, options)
            click.echo(_junit(reference, cases) if form == "junit" else _github(reference, cases))
    return exit_code(found)


def section(reference: str) -> dict[str, dict[str, str]]:
    """Return the mutants of a spec for ``counterpoint list``; nothing if it has none."""
    found = {
        f"{reference}/{name}": show.first_line(mutant)
        for name, mutant in mutants(reference).items()
    }
    return {"mutants": found} if found else {}


def _report(reference: str, found: Sequence[Trial], options: Options) -> None:
    for engine in dict.fromkeys(t.engine for t in found):
        mine = [t for t in found if t.engine == engine]
        click.echo(click.style(f"Mutants of {reference}, {engine}", bold=True))
        click.echo()
        for one in mine:
            _trial(one, options)
        _summary(mine)


def _trial(one: Trial, options: Options) -> None:
    answer = click.style(f"{one.answer:8}", fg=COLOURS[one.answer])
    click.echo(f"{answer}  {click.style(one.name, bold=True)}")
    click.echo(show.wrapped(one.why, indent=10))
    if one.at:
        states = max((v.states or 0 for v in one.default), default=0)
        click.echo(f"          survives the default bounds ({states:,} states); with")
        click.echo(f"          {_settings(one)}")
    for steps, names in _by_steps(one).items():
        click.echo(show.wrapped(f"{steps}: {', '.join(names)}", indent=10))
    for text in (*one.surprises, *([f"unknown: {one.unknown}"] if one.unknown else [])):
        click.echo(click.style(show.wrapped(f"! {text}", indent=10), fg="red"))
    if one.surprises or one.unknown:
        click.echo(f"          To reproduce: {reproduce(one, options)}")
    click.echo()


def _settings(one: Trial) -> str:
    return ", ".join(f'{name}="{value}"' for name, value in one.at.items())


def _by_steps(one: Trial) -> dict[str, list[str]]:
    """Return the properties that kill a mutant, the first to break first."""
    found: dict[str, list[str]] = {}
    for name, steps in sorted(one.violated.items(), key=lambda i: (i[1] is None, i[1] or 0)):
        found.setdefault("no run reaches" if steps is None else in_steps(steps), []).append(name)
    return found


def _summary(found: Sequence[Trial]) -> None:
    killed = sum(t.answer == "killed" and not t.surprises for t in found)
    early = sum(t.killed and not t.at for t in found)
    click.echo(click.style(f"{killed} of {len(found)} mutants are killed as declared, "
                           f"{early} of them at the default bounds.", bold=True))  # fmt: skip
    kills = ", ".join(f"{name} {len(names)}" for name, names in kills_of(found).items())
    if kills:
        click.echo(show.wrapped(f"Who kills how many: {kills}."))
    for name, by in only_by(found).items():
        click.echo(show.wrapped(f"Nothing but {by} kills {name}."))


def reproduce(one: Trial, options: Options) -> str:
    """Return the command line that runs one trial again."""
    reference = one.verdicts[0].model.reference
    return command_line(reference, one.at, one.engine, options=options)


def _cases(found: Sequence[Trial], options: Options) -> list[tuple[Trial, Case]]:
    cases = []
    for one in found:
        wrong = "; ".join(one.surprises) or one.unknown
        answer = "unknown" if one.unknown else "violated" if one.surprises else "holds"
        text = f"{one.why}\n{wrong}\nTo reproduce: {reproduce(one, options)}"
        taken = max(v.seconds for v in one.default + one.verdicts)
        cases.append((one, Case(f"{one.name} {one.engine}", answer, wrong, text, taken)))
    return cases


def _junit(reference: str, cases: Sequence[tuple[Trial, Case]]) -> str:
    return as_junit([(f"{reference} mutants", [case for _, case in cases])])


def _github(reference: str, cases: Sequence[tuple[Trial, Case]]) -> str:
    levels = {"violated": "error", "unknown": "warning", "holds": "notice"}
    lines = []
    for one, case in cases:
        first = next(iter(_by_steps(one).items()), ("", []))
        said = case.message or f"killed after {first[0]} by {', '.join(first[1])}"
        heading = f"counterpoint {reference}/{one.name}"
        text = f"{said}\n{case.text}" if case.message else said
        lines.append(annotation(levels[case.answer], heading, text))
    return "\n".join(lines)
