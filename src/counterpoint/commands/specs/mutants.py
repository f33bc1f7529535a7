"""``check SPEC --mutants``: which properties kill which mutants."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from counterpoint import show
from counterpoint.console import printing, progress
from counterpoint.models.checking.engines import Options, engines_named
from counterpoint.models.limits import Limits
from counterpoint.models.loading import mutants
from counterpoint.models.present.formats import JUnitCase, annotation, as_junit, command_line
from counterpoint.models.sweeps.mutants import Trial, exit_code, kills_of, only_by, to_json, trials
from counterpoint.models.verdict import in_steps

OWN_BOUNDS = (
    "--mutants checks every property of each mutant at the mutant's own bounds; "
    "--set, --property, --html, --smtlib and --second-solver need a single mutant, as in: "
    "check SPEC/MUTANT --html page.html"
)

COLOURS = {"killed": "green", "survives": "red", "unknown": "yellow"}


def check(
    reference: str, engine: str, limits: Limits, options: Options, processes: int, form: str
) -> int:
    """Check all mutants of a spec, print the table, and return the exit code.

    Parameters
    ----------
    reference : str
        The spec.
    engine : str
        The name of an engine, or ``all``.
    limits : Limits
        Time and memory for each engine.
    options : Options
        Options of the engines.
    processes : int
        How many mutants are checked at the same time.
    form : str
        ``text``, ``json``, ``junit`` or ``github``.

    Returns
    -------
    int
        0: each mutant is killed as it declares; 1: one is not; 3: undecided.
    """
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


def _trial(trial: Trial, options: Options) -> None:
    answer = click.style(f"{trial.answer:8}", fg=COLOURS[trial.answer])
    click.echo(f"{answer}  {click.style(trial.name, bold=True)}")
    click.echo(show.wrapped(trial.why, indent=10))
    if trial.at:
        states = max((v.states or 0 for v in trial.default), default=0)
        click.echo(f"          survives at the default bounds ({states:,} states); killed with")
        click.echo(f"          {_settings(trial)}")
    for steps, names in _by_steps(trial).items():
        click.echo(show.wrapped(f"{steps}: {', '.join(names)}", indent=10))
    for text in (*trial.surprises, *([f"unknown: {trial.unknown}"] if trial.unknown else [])):
        click.echo(click.style(show.wrapped(f"! {text}", indent=10), fg="red"))
    if trial.surprises or trial.unknown:
        click.echo(f"          To reproduce: {reproduce(trial, options)}")
    click.echo()


def _settings(trial: Trial) -> str:
    return ", ".join(f'{name}="{value}"' for name, value in trial.at.items())


def _by_steps(trial: Trial) -> dict[str, list[str]]:
    """Return the properties that kill a mutant, the first to break first."""
    found: dict[str, list[str]] = {}
    for name, steps in sorted(trial.violated.items(), key=lambda i: (i[1] is None, i[1] or 0)):
        found.setdefault("no run reaches" if steps is None else in_steps(steps), []).append(name)
    return found


def _summary(found: Sequence[Trial]) -> None:
    killed = sum(t.answer == "killed" and not t.surprises for t in found)
    early = sum(t.killed and not t.at for t in found)
    total = len(found)
    click.echo(click.style(f"{killed} of {total} mutants are killed as declared, "
                           f"{early} of {total} at the default bounds.", bold=True))  # fmt: skip
    kills = ", ".join(f"{name} {len(names)}" for name, names in kills_of(found).items())
    if kills:
        click.echo(show.wrapped(f"Mutants killed by each property: {kills}."))
    for name, by in only_by(found).items():
        click.echo(show.wrapped(f"Only {by} kills {name}."))


def reproduce(trial: Trial, options: Options) -> str:
    """Return the command line that runs one trial again."""
    reference = trial.verdicts[0].model.reference
    return command_line(reference, trial.at, trial.engine, options=options)


def _cases(found: Sequence[Trial], options: Options) -> list[tuple[Trial, JUnitCase]]:
    cases = []
    for one in found:
        wrong = "; ".join(one.surprises) or one.unknown
        answer = "unknown" if one.unknown else "violated" if one.surprises else "holds"
        text = f"{one.why}\n{wrong}\nTo reproduce: {reproduce(one, options)}"
        taken = max(v.seconds for v in one.default + one.verdicts)
        cases.append((one, JUnitCase(f"{one.name} {one.engine}", answer, wrong, text, taken)))
    return cases


def _junit(reference: str, cases: Sequence[tuple[Trial, JUnitCase]]) -> str:
    return as_junit([(f"{reference} mutants", [case for _, case in cases])])


def _github(reference: str, cases: Sequence[tuple[Trial, JUnitCase]]) -> str:
    levels = {"violated": "error", "unknown": "warning", "holds": "notice"}
    lines = []
    for one, case in cases:
        first = next(iter(_by_steps(one).items()), ("", []))
        message = case.message or f"killed after {first[0]} by {', '.join(first[1])}"
        heading = f"counterpoint {reference}/{one.name}"
        text = f"{message}\n{case.text}" if case.message else message
        lines.append(annotation(levels[case.answer], heading, text))
    return "\n".join(lines)
