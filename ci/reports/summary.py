"""The outcomes as Markdown: what fell, then a folded table for each kind."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from ..outcome import Answer, Outcome, exit_code
from .counterexamples import drawn
from .order import ANSWERS, KINDS, MARKS, counted, findings, totals
from .values import acceptance

HEADINGS: dict[Answer, str] = {"fell": "Fell", "unknown": "Unknown"}


def summary(outcomes: Sequence[Outcome], seconds: float, largest: float = float("inf")) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seconds : float
        The time that the gate took.
    largest : float
        The most bytes. What does not fit is left out from the end, and a line says so.
    """
    mark = {0: MARKS["as expected"], 1: MARKS["fell"], 3: MARKS["unknown"]}[exit_code(outcomes)]
    text = f"## {mark} Counterpoint gate\n\n{totals(outcomes)}, in {seconds:.0f} s.\n"
    note = "\nThe rest is left out here: the summary would be too long. The report has all of it.\n"
    left = largest - len((text + note).encode())
    whole = True
    for part in [*_unexpected(outcomes), *_tables(outcomes)]:
        left -= len(part.encode())
        if left < 0:
            whole = False
            break
        text += part
    return text if whole else text + note


def _unexpected(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for answer, heading in HEADINGS.items():
        own = [one for one in outcomes if one.answer == answer]
        for number, one in enumerate(own):
            yield (f"\n### {heading}\n" if number == 0 else "") + _section(one)
    warned = [o for o in outcomes if o.answer == "as expected" and o.findings]
    for number, one in enumerate(warned):
        yield ("\n### Warnings\n" if number == 0 else "") + _section(one)


def _section(outcome: Outcome) -> str:
    lines = ["", f"#### {escaped(outcome.name)}", ""]
    for one in findings(outcome):
        place = one.place or outcome.place
        where = f" ({code(str(place))})" if place is not None else ""
        first, _, rest = one.text.partition("\n")
        lines.append(f"- {'Warning: ' * (one.level == 'warning')}{escaped(first)}{where}")
        lines += ["", *(f"  {line}" for line in _fenced(rest)), ""] if rest else []
    if chart := drawn(outcome):
        lines += ["", *_fenced(chart)]
    if outcome.again:
        lines += ["", f"To reproduce: {code(outcome.again)}"]
    if accept := acceptance(outcome):
        lines += ["", f"If the change is intended: {code(accept)}"]
    return "\n".join(lines) + "\n"


def _fenced(text: str) -> list[str]:
    """Return lines as they are, as a block of code; they may contain backticks themselves."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *text.splitlines(), fence]


def _tables(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table for each kind and answer; those of what is as expected are folded."""
    for kind in KINDS:
        for answer in ANSWERS:
            own = [o for o in outcomes if o.kind == kind and o.answer == answer]
            if not own:
                continue
            heading = f"{MARKS[answer]} {counted(len(own), kind)} {answer}"
            opened = "" if answer == "as expected" else " open"
            yield (
                f"\n<details{opened}><summary>{heading}</summary>\n\n{_table(own)}\n</details>\n"
            )


def _table(outcomes: Sequence[Outcome]) -> str:
    shown = any(_why(one) for one in outcomes)
    head = ["name", "what it shows", "seconds"] if shown else ["name", "seconds"]
    rows = [f"| {' | '.join(head)} |", "|---" * (len(head) - 1) + "|---:|"]
    for one in outcomes:
        why = [escaped(_why(one))] if shown else []
        rows.append(f"| {' | '.join([escaped(one.name), *why, f'{one.seconds:.1f}'])} |")
    return "\n".join(rows) + "\n"


def _why(outcome: Outcome) -> str:
    """Return what an outcome shows; checks add the result of their second solver."""
    return str(outcome.detail.shown) if _has_shown(outcome) else outcome.why


def _has_shown(outcome: Outcome) -> bool:
    return outcome.kind == "check" and outcome.detail is not None


_SPECIAL = re.compile(r"([\\`*\[\]|~]|(?<!\w)_|_(?!\w))")


def escaped(text: str) -> str:
    """Return a text for a line or a cell of Markdown, in which no sign has a meaning."""
    return html.escape(_SPECIAL.sub(r"\\\1", " ".join(text.split())), quote=False)


def code(text: str) -> str:
    """Return a text as code within a line of Markdown; it may contain backticks itself."""
    line = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}"
