"""``counterpoint readings``: which combinations of choices keep a paper's claim."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from counterpoint import show
from counterpoint.console import (
    FELL,
    OK,
    UNKNOWN,
    must_be_page,
    must_be_writable,
    printing,
    processes_option,
    progress,
    seconds,
)
from counterpoint.models.limits import Limits
from counterpoint.models.present.formats import command_line
from counterpoint.models.sweeps.deciding import conjunctions, deciding, hopeless, single_changes
from counterpoint.models.sweeps.readings import KINDS, Row, Study, study
from counterpoint.models.sweeps.results import Outcome
from counterpoint.models.verdict import in_steps

WORDS = {
    "kept": "the claim is kept",
    "both clean": "{broken} is clean too",
    "both broken": "{clean} is broken too",
    "reversed": "only {clean} is broken",
    "unknown": "undecided",
}


@click.command()
@click.argument("reference", metavar="SPEC")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="A bound, or a reading that does not vary.")  # fmt: skip
@click.option("--also", multiple=True, metavar="NAME=VALUE",
              help="Bounds at which every row is checked besides.")  # fmt: skip
@click.option("--changes", type=click.IntRange(0), metavar="N",
              help="Only rows with at most N choices that are not the default.")  # fmt: skip
@click.option("--rows", is_flag=True, help="Print every row.")
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Append results to FILE, and take those of an earlier run from it.")  # fmt: skip
@processes_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="For all; what is open then is unknown.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="For each process.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path),
              help="Write all rows as one page.")  # fmt: skip
def readings(
    reference: str,
    settings: tuple[str, ...],
    also: tuple[str, ...],
    changes: int | None,
    rows: bool,
    results: Path | None,
    processes: int,
    time_limit: float | None,
    memory_limit: int,
    form: str,
    html: Path | None,
) -> int:
    r"""Check SPEC under every combination of its readings, and say which keep the paper's claim.

    The claim is that one value of a parameter violates a criterion and another does not; each row
    is a combination of the other choices. Exit code 0: the default readings keep the claim;
    1: they do not; 3: something is undecided.

    \b
    counterpoint readings window-stm --changes 1
    counterpoint readings window-stm --results all.jsonl   every row; can be stopped
    counterpoint readings window-stm --changes 1 --also transactions=3
    counterpoint readings tl2
    """
    must_be_page(html)
    must_be_writable("--results", results)
    with progress(f"readings of {reference}") as tell, _kept_in(results):
        limits = Limits(time_limit, memory_limit * 2**20, tell)
        found = study(
            reference, settings, also=also, changes=changes, processes=processes, path=results,
            limits=limits,
        )  # fmt: skip
    with printing():
        if form == "json":
            click.echo(json.dumps(to_json(found), indent=2, ensure_ascii=False))
        else:
            report(found, rows)
    if html is not None:
        from counterpoint.models.sweeps.page import write

        write(html, found, list(summary(found)))
        click.echo(f"{html} shows all rows", err=True)
    return exit_code(found)


@contextmanager
def _kept_in(results: Path | None) -> Iterator[None]:
    """Say, when a run is interrupted, where its results are."""
    try:
        yield
    except KeyboardInterrupt:
        if results is None:
            raise
        raise KeyboardInterrupt(f"the same command goes on with what {results} has") from None


def exit_code(of: Study) -> int:
    """Return 3 if any row is undecided, 1 if the default row does not keep the claim, else 0."""
    criterion = of.claim.criterion
    default = of.default.kind(criterion)
    if default not in ("kept", "unknown"):
        return FELL
    return UNKNOWN if any(row.kind(criterion) == "unknown" for row in of.rows) else OK


def to_json(of: Study) -> dict[str, Any]:
    """Return the study with all rows, and what follows from them."""
    kinds = Counter(row.kind(of.claim.criterion) for row in of.rows)
    return {
        "spec": of.model.name,
        "reference": of.model.reference,
        "parameters": dict(of.model.spec.parameters),
        "claim": vars(of.claim),
        "criteria": list(of.criteria),
        "choices": {n: list(v) for n, v in of.choices.items()},
        "models": of.models,
        "different": of.different,
        "seconds": round(of.seconds, 3),
        "counts": {kind: kinds[kind] for kind in KINDS},
        "deciding": deciding(of) if of.complete else None,
        "conjunctions": [{"choices": {n: list(v) for n, v in c.items()}, "rows": k}
                         for c, k in conjunctions(of)] if of.complete else None,
        "summary": list(summary(of)),
        "rows": [
            {"choices": dict(row.choices), "claim": row.kind(of.claim.criterion),
             of.claim.broken: vars(row.broken), of.claim.clean: vars(row.clean)}
            for row in of.rows
        ],
    }  # fmt: skip


def report(of: Study, every_row: bool) -> None:
    """Print the table and the summary."""
    click.echo(click.style(f"Readings of {of.model.name}", bold=True))
    changed = ", ".join(f"{n}={v}" for n, v in of.model.changed_parameters().items())
    click.echo(show.wrapped(
        f"{_rows(len(of.rows))}, {of.models:,} models{f' with {changed}' if changed else ''}, "
        f"{of.different:,} of them different, {of.known:,} known from before, {of.seconds:.1f} s"
    ))  # fmt: skip
    click.echo()
    names = ", ".join(f"{i} {name}" for i, name in enumerate(of.criteria, start=1))
    click.echo(show.wrapped(f"Steps to the shortest counterexample (· none) for: {names}"))
    click.echo()
    _table(of, of.rows if every_row else [row for row, _ in single_changes(of)])
    click.echo()
    for paragraph in summary(of):
        click.echo(show.wrapped(paragraph))


def _table(of: Study, rows: Any) -> None:
    wide = 3 * len(of.criteria)
    label = max(20, show.width() - 2 * wide - 18)
    numbers = "".join(f"{i:3}" for i in range(1, len(of.criteria) + 1))
    click.echo(f"{'':{label}} {of.claim.broken:>{wide}}   {of.claim.clean:>{wide}}")
    click.echo(f"{'':{label}} {numbers}   {numbers}   claim")
    for row in rows:
        changes = [f"{n}={v}" for n, v in of.changes(row).items()] or ["(the default)"]
        for text in changes[:-1]:
            click.echo(text)
        cells = f"{_depths(of, row.broken)}   {_depths(of, row.clean)}"
        kind = row.kind(of.claim.criterion)
        colour = "green" if kind == "kept" else "yellow"
        click.echo(f"{changes[-1]:{label}} {cells}   {click.style(kind, fg=colour)}")


def _depths(of: Study, outcome: Outcome) -> str:
    missing = "?" if outcome.unknown else "·"
    return "".join(f"{outcome.violated.get(name, missing):>3}" for name in of.criteria)


def summary(of: Study) -> Iterator[str]:
    """Yield sentences that are computed from the rows."""
    claim = of.claim
    yield (
        f"The claim: {claim.parameter}={claim.broken} breaks {claim.criterion}, "
        f"{claim.clean} does not."
    )
    kinds = Counter(row.kind(claim.criterion) for row in of.rows)
    counts = "; ".join(f"{kinds[k]:,}: {_said(of, k)}" for k in KINDS if kinds[k])
    yield f"{_rows(len(of.rows))}. {counts}."
    default = of.default.broken.violated.get(claim.criterion)
    yield (
        f"With the default readings, {_said(of, of.default.kind(claim.criterion))}"
        + (f" ({claim.broken}: {in_steps(default)})." if default is not None else ".")
    )
    yield from _one_choice(of)
    if of.complete and not kinds["unknown"]:
        yield from _all_rows(of)
    elif not of.complete:
        yield "Not all combinations were checked: without --changes, all rows are."


def _said(of: Study, kind: str) -> str:
    return WORDS[kind].format(broken=of.claim.broken, clean=of.claim.clean)


def _one_choice(of: Study) -> Iterator[str]:
    changed = [(of.changes(row), kind) for row, kind in single_changes(of)]
    groups: dict[str, list[str]] = {}
    for change, kind in changed:
        groups.setdefault(kind, []).extend(f"{n}={v}" for n, v in change.items())
    for kind in KINDS[:-1]:
        if groups.get(kind):
            yield f"One choice changed: {_said(of, kind)} with {_listed(groups[kind], 'or')}."
    if len(changed) > 1 and all(kind == "kept" for _, kind in changed):
        yield "No single choice decides: the claim is kept whichever is changed."


def _all_rows(of: Study) -> Iterator[str]:
    counts = {n: k for n, k in deciding(of).items() if k}
    if counts:
        first = next(iter(counts))
        shares = ", ".join(f"{n} {k:,}" for n, k in counts.items())
        yield (
            f"{first} decides most often. Rows in which a choice, changed alone, makes or ends the "
            f"claim: {shares}."
        )
    without = [n for n in of.choices if n not in counts]
    if without:
        yield f"Of no influence on the claim, in any row: {_listed(without, 'and')}."
    never = [f"{n}={v}" for n, v in hopeless(of)]
    if never:
        yield f"No row keeps the claim with {_listed(never, 'or')}."
    yield from _where_kept(conjunctions(of))


def _where_kept(terms: list[tuple[dict[str, tuple[str, ...]], int]]) -> Iterator[str]:
    """Yield what all terms have in common, then each with the rest."""
    if not terms:
        return
    first = terms[0][0]
    common = {n: v for n, v in first.items() if all(t.get(n) == v for t, _ in terms)}
    if len(terms) == 1:
        yield f"The claim is kept exactly with {_term(common)} ({_rows(terms[0][1])})."
        return
    begins = f"with {_term(common)}, and " if common else "with "
    yield f"The claim is kept exactly {begins}one of these (a row may be in several):"
    for term, number in terms:
        rest = {n: v for n, v in term.items() if n not in common}
        yield f"- {_term(rest)} ({_rows(number)})"


def _term(term: Mapping[str, tuple[str, ...]]) -> str:
    parts = [f"{n}={_listed(list(values), 'or')}" for n, values in term.items()]
    return "; ".join(parts) or "any choices"


def _rows(number: int) -> str:
    return f"{number:,} row{'' if number == 1 else 's'}"


def _listed(names: list[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def reproduce(of: Study, row: Row, value: str) -> str:
    """Return the command line that checks one model of a row."""
    given = {**of.model.changed_parameters(), **of.changes(row), of.claim.parameter: value}
    return command_line(of.model.reference, given)
