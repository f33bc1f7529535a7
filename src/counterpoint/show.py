"""Verdicts as a person reads them in a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command, said
from counterpoint.models.verdict import Verdict

if TYPE_CHECKING:  # the gate takes long to load
    from counterpoint.ci.gate import Outcome
    from counterpoint.ci.regression.judging import Judged

COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}

GATE_COLOURS = {"as expected": "green", "fell": "red", "unknown": "yellow"}


def width() -> int:
    """Return the columns to use: the terminal's, from 40 to 120; 80 in a pipe."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))


def report(verdicts: Sequence[Verdict]) -> None:
    """Print verdicts engine by engine, then the counterexample that comes first."""
    first = verdicts[0]
    click.echo(click.style(heading(first), bold=True))
    for engine in dict.fromkeys(v.engine for v in verdicts):
        mine = [v for v in verdicts if v.engine == engine]
        click.echo()
        click.echo(wrapped(f"{engine}: {_effort(mine)}"))
        kept = [v for v in mine if v.claim.kind == "lemma" and v.answer == "holds"]
        told = [v for v in mine if v not in kept] or mine
        longest = max(len(v.claim.name) for v in told)
        for verdict in told:
            _line(verdict, max(26, min(longest, width() // 2 - 10)))
        if len(told) < len(mine):
            other = "other " if any(v.claim.kind == "lemma" for v in told) else ""
            lemmas = "lemma" if len(kept) == 1 else "lemmas"
            click.echo(f"  {click.style('holds   ', fg='green')}  {len(kept)} {other}{lemmas}")
    obstacles(verdicts)
    worst = first_to_break(verdicts)
    if worst is not None:
        counterexample(verdicts, worst)


def heading(verdict: Verdict) -> str:
    """Return the spec with its parameters."""
    model = verdict.model
    shown = {n: v for n, v in model.spec.parameters.items() if v != ""}
    changed = model.changed_parameters()
    order = sorted(shown, key=lambda n: n not in changed)
    text = ", ".join(f"{n}={shown[n]}" for n in order)
    return wrapped(f"{model.name}: {text}")


def wrapped(text: str, indent: int = 0) -> str:
    """Return a text folded to the terminal's width, all of it or what follows the first line in."""
    return textwrap.fill(
        text,
        width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent or 2),
        break_on_hyphens=False,
    )


def _effort(verdicts: Sequence[Verdict]) -> str:
    first = verdicts[0]
    parts = []
    if first.states is not None:
        parts.append(f"{first.states:,} states")
    if first.transitions is not None:
        parts.append(f"{first.transitions:,} transitions")
    parts.append(f"{max(v.seconds for v in verdicts):.1f} s")
    if first.compared is not None:
        parts.append(f"{first.compared:,} compared with plain runs")
    return ", ".join([*parts, *first.notes])


def _line(verdict: Verdict, wide: int) -> None:
    answer = click.style(f"{verdict.answer:8}", fg=COLOURS[verdict.answer])
    text = said(verdict).removeprefix(verdict.answer).lstrip(" :")
    if text.startswith("("):
        text = text[1:].removesuffix(")")
    if verdict.answer == "holds" and verdict.claim.kind == "sometimes":
        text = f"a run of {verdict.extent} reaches it"
    head = f"  {answer}  {verdict.claim.name:{wide}} "
    indent = " " * (wide + 13)
    lines = textwrap.wrap(text, max(20, width() - len(indent))) or [""]
    click.echo(head + f"\n{indent}".join(lines))


SHOWN = 3
"""Obstacles of a proof that are printed; `--format json` has all of them."""


def obstacles(verdicts: Sequence[Verdict]) -> None:
    """Print from which states what is not inductive is broken, the smallest state first."""
    found = [
        v.explanation.lines
        for v in verdicts
        if v.engine == "induction" and v.answer == "unknown" and len(v.explanation.lines) > 1
        and (v.claim.kind == "lemma" or not v.model.lemmas)
    ]  # fmt: skip
    for lines in sorted(found, key=len)[:SHOWN]:
        click.echo()
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())] + "  "
            click.echo(textwrap.fill(line, width(), subsequent_indent=indent))
    if len(found) > SHOWN:
        click.echo(f"\n{len(found) - SHOWN} more: --format json")


def first_to_break(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the violation with the shortest trace; of several, the weakest criterion's."""
    broken = [v for v in verdicts if v.answer == "violated" and v.trace is not None]
    return min(broken, key=lambda v: v.depth or 0) if broken else None


def counterexample(verdicts: Sequence[Verdict], shown: Verdict) -> None:
    """Print the chart of a violation, and how to see it and the others again."""
    same = [
        v.claim.name
        for v in verdicts
        if v.answer == "violated" and v.depth == shown.depth and v.engine == shown.engine
    ]
    click.echo()
    if len(same) > 1:
        click.echo(wrapped(f"{', '.join(same[:-1])} and {same[-1]} break first:"))
        click.echo()
    click.echo(chart(shown, width()).rstrip())
    click.echo()
    click.echo(f"To reproduce: {command(shown)}")


def entry(name: str, text: str) -> None:
    """Print a name with what it is, folded beside it."""
    indent = " " * 28
    lines = textwrap.wrap(text, max(20, width() - len(indent))) or [""]
    head = f"  {name:25} " if len(name) <= 25 else f"  {name}\n{indent}"
    click.echo(head + f"\n{indent}".join(lines))


def first_line(of: type) -> str:
    """Return the first line of a class's docstring."""
    return (of.__doc__ or "").strip().partition("\n")[0].replace("``", "")


def gate(outcomes: Sequence[Outcome], total: str, seconds: float) -> None:
    """Print the gate's outcomes, what is not as expected with the command that shows it."""
    for outcome in outcomes:
        answer = click.style(f"{outcome.answer:11}", fg=GATE_COLOURS[outcome.answer])
        lines = textwrap.wrap(outcome.job.name, width() - 22, break_on_hyphens=False)
        click.echo(f"{answer}  {outcome.seconds:5.1f} s  " + ("\n" + " " * 22).join(lines))
        if outcome.second:
            click.echo(wrapped(outcome.second, indent=22))
        not_as_expected(outcome)
    click.echo()
    click.echo(click.style(f"{total}, in {seconds:.0f} s", bold=True))


def not_as_expected(outcome: Outcome) -> None:
    """Print how an outcome differs from what must come out, with the command that shows it."""
    from counterpoint.ci.report import reproduce

    for _, text in (*outcome.surprises, *outcome.unknown):
        click.echo(textwrap.fill(text, width(), initial_indent="    ", subsequent_indent="    "))
    if outcome.answer != "as expected":
        click.echo(f"    To reproduce: {reproduce(outcome)}")


def policies(found: Sequence[Judged], total: str) -> None:
    """Print what changed of the policies, with the command that shows it."""
    for one in found:
        if one.changes:
            click.echo(f"{click.style(f'{one.answer:11}', fg='red')}  {one.name}")
            for change in one.changes:
                click.echo(wrapped(change, indent=4))
            click.echo(f"    To reproduce: {one.again}")
    click.echo(click.style(total, bold=True))
