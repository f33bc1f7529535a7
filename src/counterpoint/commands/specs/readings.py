"""``counterpoint readings``: which readings of a paper's description keep the paper's claim."""

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
from counterpoint.models.sweeps.readings import KINDS, ReadingsRow, ReadingsStudy, study
from counterpoint.models.sweeps.results import ModelOutcome
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
              help="Fix a bound, or a choice that then does not vary; repeatable.")  # fmt: skip
@click.option("--also", multiple=True, metavar="NAME=VALUE",
              help="Check every row at this bound as well; repeatable.")  # fmt: skip
@click.option("--changes", type=click.IntRange(0), metavar="N",
              help="Check only rows with at most N choices that differ from the default.",
              )  # fmt: skip
@click.option("--rows", is_flag=True, help="Print every row, not only those with one change.")
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Append results to FILE, and reuse the results of an earlier run in it.",
              )  # fmt: skip
@processes_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for all rows together; rows that are not decided then are unknown.",
              )  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(1), default=4096, metavar="MB",
              show_default=True, help="Memory limit of each process.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page with all rows.")  # fmt: skip
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
    r"""Check SPEC under every combination of readings, and show which ones keep its claim.

    A paper's description can often be read in several ways; each choice is a parameter of SPEC.
    The claim is that one value of a parameter violates a criterion and another value does not.
    Each row is a combination of the other choices. With --results, an interrupted run can be
    resumed: run the same command again.

    Exit code 0: the default readings keep the claim; 1: they do not; 2: the command is wrong;
    3: a row is undecided.

    \b
    counterpoint readings window-stm --changes 1
    counterpoint readings window-stm --results all.jsonl
    counterpoint readings window-stm --changes 1 --also transactions=3
    counterpoint readings tl2
    """
    must_be_page(html)
    must_be_writable("--results", results, replaces=False)
    with progress(f"readings of {reference}") as tell, _explain_interrupt(results):
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
def _explain_interrupt(results: Path | None) -> Iterator[None]:
    """Add to an interrupt how the run can be resumed, if its results are in a file."""
    try:
        yield
    except KeyboardInterrupt:
        if results is None:
            raise
        raise KeyboardInterrupt(
            f"run the same command again to resume with the results in {results}"
        ) from None


def exit_code(study: ReadingsStudy) -> int:
    """Return 3 if any row is undecided, 1 if the default row does not keep the claim, else 0."""
    criterion = study.claim.criterion
    default = study.default.kind(criterion)
    if default not in ("kept", "unknown"):
        return FELL
    return UNKNOWN if any(row.kind(criterion) == "unknown" for row in study.rows) else OK


def to_json(study: ReadingsStudy) -> dict[str, Any]:
    """Return the study with all rows and its summary, ready for JSON."""
    kinds = Counter(row.kind(study.claim.criterion) for row in study.rows)
    return {
        "spec": study.model.name,
        "reference": study.model.reference,
        "parameters": dict(study.model.spec.parameters),
        "claim": vars(study.claim),
        "criteria": list(study.criteria),
        "choices": {n: list(v) for n, v in study.choices.items()},
        "models": study.models,
        "different": study.different,
        "seconds": round(study.seconds, 3),
        "counts": {kind: kinds[kind] for kind in KINDS},
        "deciding": deciding(study) if study.complete else None,
        "conjunctions": [{"choices": {n: list(v) for n, v in c.items()}, "rows": k}
                         for c, k in conjunctions(study)] if study.complete else None,
        "summary": list(summary(study)),
        "rows": [
            {"choices": dict(row.choices), "claim": row.kind(study.claim.criterion),
             study.claim.broken: vars(row.broken), study.claim.clean: vars(row.clean)}
            for row in study.rows
        ],
    }  # fmt: skip


def report(study: ReadingsStudy, every_row: bool) -> None:
    """Print the table and the summary."""
    click.echo(click.style(f"Readings of {study.model.name}", bold=True))
    changed = ", ".join(f"{n}={v}" for n, v in study.model.changed_parameters().items())
    given = f" with {changed}" if changed else ""
    click.echo(show.wrapped(
        f"{_rows(len(study.rows))}, {study.models:,} models{given}, "
        f"{study.different:,} of them different, {study.known:,} known from an earlier run, "
        f"{study.seconds:.1f} s"
    ))  # fmt: skip
    click.echo()
    names = ", ".join(f"{i} {name}" for i, name in enumerate(study.criteria, start=1))
    click.echo(show.wrapped(f"Steps to the shortest counterexample (· none) for: {names}"))
    click.echo()
    _table(study, study.rows if every_row else [row for row, _ in single_changes(study)])
    click.echo()
    for paragraph in summary(study):
        click.echo(show.wrapped(paragraph))


def _table(study: ReadingsStudy, rows: Any) -> None:
    wide = 3 * len(study.criteria)
    label = max(20, show.width() - 2 * wide - 18)
    numbers = "".join(f"{i:3}" for i in range(1, len(study.criteria) + 1))
    click.echo(f"{'':{label}} {study.claim.broken:>{wide}}   {study.claim.clean:>{wide}}")
    click.echo(f"{'':{label}} {numbers}   {numbers}   claim")
    for row in rows:
        changes = [f"{n}={v}" for n, v in study.changes(row).items()] or ["(the default)"]
        for text in changes[:-1]:
            click.echo(text)
        cells = f"{_depths(study, row.broken)}   {_depths(study, row.clean)}"
        kind = row.kind(study.claim.criterion)
        colour = "green" if kind == "kept" else "yellow"
        click.echo(f"{changes[-1]:{label}} {cells}   {click.style(kind, fg=colour)}")


def _depths(study: ReadingsStudy, outcome: ModelOutcome) -> str:
    missing = "?" if outcome.unknown else "·"
    return "".join(f"{outcome.violated.get(name, missing):>3}" for name in study.criteria)


def summary(study: ReadingsStudy) -> Iterator[str]:
    """Yield the sentences of the summary, computed from the rows."""
    claim = study.claim
    yield (
        f"The claim: {claim.parameter}={claim.broken} breaks {claim.criterion}, "
        f"{claim.clean} does not."
    )
    kinds = Counter(row.kind(claim.criterion) for row in study.rows)
    counts = "; ".join(f"{kinds[k]:,}: {_phrase(study, k)}" for k in KINDS if kinds[k])
    yield f"{_rows(len(study.rows))}. {counts}."
    default = study.default.broken.violated.get(claim.criterion)
    yield (
        f"With the default readings, {_phrase(study, study.default.kind(claim.criterion))}"
        + (f" ({claim.broken}: {in_steps(default)})." if default is not None else ".")
    )
    yield from _one_choice(study)
    yield from _beside(study)
    if study.complete and not kinds["unknown"]:
        yield from _all_rows(study)
    elif not study.complete:
        yield "Not all combinations were checked: run the command without --changes for all rows."


def _phrase(study: ReadingsStudy, kind: str) -> str:
    return WORDS[kind].format(broken=study.claim.broken, clean=study.claim.clean)


def _one_choice(study: ReadingsStudy) -> Iterator[str]:
    changed = [(study.changes(row), kind) for row, kind in single_changes(study)]
    groups: dict[str, list[str]] = {}
    for change, kind in changed:
        groups.setdefault(kind, []).extend(f"{n}={v}" for n, v in change.items())
    for kind in KINDS[:-1]:
        if groups.get(kind):
            yield f"One choice changed: {_phrase(study, kind)} with {_listed(groups[kind], 'or')}."
    if len(changed) > 1 and all(kind == "kept" for _, kind in changed):
        yield "No single choice decides: whichever choice is changed, the claim is kept."


def _beside(study: ReadingsStudy) -> Iterator[str]:
    """Yield for each property beside the claim the rows that keep the criterion and lose it."""
    claim = study.claim
    for name in (one for one in claim.beside if one in study.criteria):
        lost = [
            (row, value)
            for row in study.rows
            for value, outcome in ((claim.broken, row.broken), (claim.clean, row.clean))
            if name in outcome.violated and claim.criterion not in outcome.violated
        ]
        if not lost:
            decided = not any(o.unknown for row in study.rows for o in (row.broken, row.clean))
            none = "No model" if decided else "Of the models that are decided, none"
            yield f"{none} keeps {claim.criterion} and loses {name}."
            continue
        row, value = lost[0]
        changes = {**study.changes(row), claim.parameter: value}
        number = f"{len(lost):,} model{' keeps' if len(lost) == 1 else 's keep'}"
        first = _listed([f"{n}={v}" for n, v in changes.items()], "and")
        ends = "s" if len(lost) == 1 else ""
        yield f"{number} {claim.criterion} and lose{ends} {name}, the first with {first}."


def _all_rows(study: ReadingsStudy) -> Iterator[str]:
    counts = {n: k for n, k in deciding(study).items() if k}
    if counts:
        first = next(iter(counts))
        shares = ", ".join(f"{n} {k:,}" for n, k in counts.items())
        yield (
            f"{first} decides most often. Number of rows in which the change of this single choice "
            f"decides whether the claim is kept: {shares}."
        )
    without = [n for n in study.choices if n not in counts]
    if without:
        yield f"These choices do not influence the claim in any row: {_listed(without, 'and')}."
    never = [f"{n}={v}" for n, v in hopeless(study)]
    if never:
        yield f"No row keeps the claim with {_listed(never, 'or')}."
    yield from _where_kept(conjunctions(study))


def _where_kept(terms: list[tuple[dict[str, tuple[str, ...]], int]]) -> Iterator[str]:
    """Yield the choices that all terms have in common, then each term with its other choices."""
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


def reproduce(study: ReadingsStudy, row: ReadingsRow, value: str) -> str:
    """Return the command line that checks one model of a row."""
    given = {**study.model.changed_parameters(), **study.changes(row), study.claim.parameter: value}
    return command_line(study.model.reference, given)
