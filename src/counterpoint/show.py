"""Verdicts and results of the gate, as text for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import answer_in_words, command, title
from counterpoint.models.verdict import Verdict, by_length
from counterpoint.spec.notation import TEMPORAL

if TYPE_CHECKING:  # the gate takes long to load
    from counterpoint.ci.outcome import Outcome

COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}

GATE_COLOURS = {"as expected": "green", "fell": "red", "unknown": "yellow"}


def width() -> int:
    """Return the columns to use: the terminal's, from 40 to 120; 80 in a pipe."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))


def not_holding(verdicts: Sequence[Verdict]) -> None:
    """Print only what is violated or unknown, and the commands that reproduce it."""
    for verdict in verdicts:
        if verdict.answer != "holds":
            click.echo(wrapped(f"{verdict.engine}: {title(verdict)}"))
            click.echo(f"To reproduce: {command(verdict)}")


def report(verdicts: Sequence[Verdict], whole: bool = False) -> None:
    """Print the verdicts by engine, then the shortest counterexample.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Those of one spec.
    whole : bool
        Whether all lemmas, obstacles of proofs and changes are printed.
    """
    first = verdicts[0]
    click.echo(click.style(heading(first), bold=True))
    for engine in dict.fromkeys(v.engine for v in verdicts):
        mine = [v for v in verdicts if v.engine == engine]
        click.echo()
        click.echo(wrapped(f"{engine}: {_effort(mine)}"))
        kept = [v for v in mine if v.claim.kind == "lemma" and v.answer == "holds" and not whole]
        printed = [v for v in mine if v not in kept] or mine
        longest = max(len(v.claim.name) for v in printed)
        for verdict in printed:
            _line(verdict, max(26, min(longest, width() // 2 - 10)))
        if len(printed) < len(mine):
            other = "other " if any(v.claim.kind == "lemma" for v in printed) else ""
            lemmas = "lemma" if len(kept) == 1 else "lemmas"
            click.echo(f"  {click.style('holds   ', fg='green')}  {len(kept)} {other}{lemmas}")
    obstacles(verdicts, whole)
    worst = first_to_break(verdicts)
    if worst is not None:
        counterexample(verdicts, worst, whole)


def heading(verdict: Verdict) -> str:
    """Return the spec with its parameters."""
    model = verdict.model
    shown = {n: v for n, v in model.spec.parameters.items() if v != ""}
    changed = model.changed_parameters()
    order = sorted(shown, key=lambda n: n not in changed)
    text = ", ".join(f"{n}={shown[n]}" for n in order)
    return wrapped(f"{model.name}: {text}")


def wrapped(text: str, indent: int = 0) -> str:
    """Return a text folded to the terminal's width; all lines but the first are indented."""
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
    notes = [note for v in (first, *verdicts) if v is first or v.claim.kind in TEMPORAL
             for note in v.notes]  # fmt: skip
    return ", ".join([*parts, *dict.fromkeys(notes)])


def _line(verdict: Verdict, wide: int) -> None:
    answer = click.style(f"{verdict.answer:8}", fg=COLOURS[verdict.answer])
    text = answer_in_words(verdict).removeprefix(verdict.answer).lstrip(" :")
    if text.startswith("("):
        text = text[1:].removesuffix(")")
    if verdict.answer == "holds" and verdict.claim.kind == "sometimes":
        text = f"a run of {verdict.extent} reaches it"
    head = f"  {answer}  {verdict.claim.name:{wide}} "
    indent = " " * (wide + 13)
    lines = textwrap.wrap(text, max(20, width() - len(indent))) or [""]
    click.echo(head + f"\n{indent}".join(lines))


SHOWN = 3
"""How many obstacles of a proof are printed, unless all are wanted."""


def obstacles(verdicts: Sequence[Verdict], whole: bool = False) -> None:
    """Print the states from which a step breaks a property that is not inductive, smallest first.

    Such a state need not be reachable, so it shows only why the proof fails. Only the first few are
    printed, unless `whole`.
    """
    found = [
        v.explanation.lines
        for v in verdicts
        if v.engine == "induction" and v.answer == "unknown" and len(v.explanation.lines) > 1
        and (v.claim.kind in ("lemma", *TEMPORAL) or not v.model.lemmas)
    ]  # fmt: skip
    shown = len(found) if whole else SHOWN
    for lines in sorted(found, key=len)[:shown]:
        click.echo()
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())] + "  "
            click.echo(textwrap.fill(line, width(), subsequent_indent=indent))
    if len(found) > shown:
        click.echo(f"\n{len(found) - shown} more with -v")


def first_to_break(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the violation with the shortest trace; of several, that of the weakest criterion.

    One that a run shows at its end comes before a lasso.
    """
    broken = [v for v in verdicts if v.answer == "violated" and v.trace is not None]
    return min(broken, key=by_length) if broken else None


def counterexample(verdicts: Sequence[Verdict], shown: Verdict, whole: bool = False) -> None:
    """Print the chart of a violation, with all changes if wanted, and how to reproduce it."""
    same = [
        v.claim.name
        for v in verdicts
        if v.answer == "violated"
        and v.trace is not None
        and v.engine == shown.engine
        and by_length(v) == by_length(shown)
    ]
    click.echo()
    if len(same) > 1:
        click.echo(wrapped(f"{', '.join(same[:-1])} and {same[-1]} are violated first:"))
        click.echo()
    drawn = chart(shown, width(), whole)
    click.echo(drawn.rstrip())
    click.echo()
    if drawn != chart(shown, width(), whole=True):
        click.echo("+1, +2 ... stand for more changes: -v prints all of them.")
    click.echo(f"To reproduce: {command(shown)}")


def entry(name: str, text: str) -> None:
    """Print a name, and next to it its folded description."""
    indent = " " * 28
    lines = textwrap.wrap(text, max(20, width() - len(indent))) or [""]
    head = f"  {name:25} " if len(name) <= 25 else f"  {name}\n{indent}"
    click.echo(head + f"\n{indent}".join(lines))


def first_line(documented: type) -> str:
    """Return the first line of a class's docstring."""
    return (documented.__doc__ or "").strip().partition("\n")[0].replace("``", "")


def gate(outcomes: Sequence[Outcome], total: str, seconds: float) -> None:
    """Print the outcomes of the gate; unexpected ones with the command that reproduces them."""
    for outcome in outcomes:
        answer = click.style(f"{outcome.answer:11}", fg=GATE_COLOURS[outcome.answer])
        lines = textwrap.wrap(outcome.name, width() - 22, break_on_hyphens=False)
        click.echo(f"{answer}  {outcome.seconds:5.1f} s  " + ("\n" + " " * 22).join(lines))
        if second := getattr(outcome.detail, "second", ""):
            click.echo(wrapped(second, indent=22))
        not_as_expected(outcome)
    click.echo()
    click.echo(click.style(f"{total}, in {seconds:.0f} s", bold=True))


def not_as_expected(outcome: Outcome) -> None:
    """Print how an outcome differs from the expected one, and the command that reproduces it."""
    for finding in outcome.findings:
        head = "warning: " if finding.level == "warning" else ""
        for line in (head + finding.text).splitlines():
            click.echo(wrapped(line, indent=4))
    if outcome.answer != "as expected":
        click.echo(f"    To reproduce: {outcome.again}")
