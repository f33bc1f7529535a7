"""``counterpoint export``: a spec, its states or a counterexample in a format of another tool."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from counterpoint.console import OK, UNKNOWN, must_be_writable, printing, progress, seconds
from counterpoint.models.export import (
    FORMATS,
    ExportRequest,
    UndecidedExport,
    format_named,
    tla_formulas,
)
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.spec.notation import TEMPORAL, Model, Property


@click.command()
@click.argument("reference", metavar="SPEC")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Set a parameter of the spec; repeatable.")  # fmt: skip
@click.option("--to", "form", required=True, metavar="FORMAT",
              help=f"Export to this format: {', '.join(FORMATS)}.")  # fmt: skip
@click.option("--property", "names", multiple=True, metavar="NAME",
              help="Export this property, or its counterexample, or the witness of a `sometimes` "
                   "property; repeatable.")  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write to FILE instead of standard output.")  # fmt: skip
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Time limit for the search of states or counterexamples.")  # fmt: skip
@click.option("--most-states", type=click.IntRange(1), default=200, show_default=True,
              metavar="NUMBER", help="Refuse to export a graph of more states.")  # fmt: skip
@click.option("--still", is_flag=True,
              help="Format pytest: write a test that passes as long as the counterexample exists, "
                   "instead of one that fails.")  # fmt: skip
def export(
    reference: str,
    settings: tuple[str, ...],
    form: str,
    names: tuple[str, ...],
    output: Path | None,
    time_limit: float | None,
    most_states: int,
    still: bool,
) -> int:
    r"""Export SPEC, its states or its counterexample to a format of another tool.

    \b
    counterpoint export window-stm --to promela > window.pml
    counterpoint export window-stm --set fetch-and-increment=old --to itf
    counterpoint export my_spec.py:Counter --to pytest --output test_found.py
    counterpoint export peterson --to dot | dot -Tsvg > peterson.svg

    \b
    promela         the spec, for Spin; the file's header says how to run it
    tla             the spec as a TLA+ module; a comment has its configuration
    itf             a counterexample as JSON, Apalache's Informal Trace Format
    mermaid         a counterexample as a sequence diagram for Markdown
    pytest          a counterexample as a test that fails while it exists
    scenario        a counterexample as a scenario, which replay checks
    dot, graphml    all states and steps, for Graphviz; for networkx, Gephi
    mermaid-states  all states and steps as a diagram for Markdown

    Exit code 0: exported; 2: the command is wrong, or there is nothing to export; 3: it is
    undecided whether there is a counterexample.
    """
    chosen = format_named(form)
    model = load(reference, settings)
    wanted = [model.property_named(n) for n in dict.fromkeys(names)]
    must_be_writable("--output", output)
    if form in (*WITHOUT_RUNS, "promela", "tla"):
        _leave_out_temporal(model, form, wanted)
    with progress(f"exporting {model.name}") as tell:
        limits = Limits(time_limit, None, tell)
        try:
            text = chosen.write(ExportRequest(model, wanted, limits, most_states, still))
        except UndecidedExport as undecided:
            click.echo(f"counterpoint: unknown: {undecided}", err=True)
            return UNKNOWN
    if output is None or str(output) == "-":
        with printing():
            click.echo(text, nl=False)
    else:
        _write(output, text)
    return OK


WITHOUT_RUNS = ("dot", "graphml", "mermaid-states")
"""The formats that have no temporal properties."""


def _leave_out_temporal(model: Model, form: str, wanted: Sequence[Property]) -> None:
    """Say on standard error which properties are left out; refuse those that cannot be exported."""
    for claim in wanted:
        if claim.kind in TEMPORAL and form in WITHOUT_RUNS:
            raise click.UsageError(f"{claim.name} is a temporal property, and --to {form} does not "
                                   "have these")  # fmt: skip
    if form == "tla":
        _leave_out_formulas(model, wanted)
        return
    left = [claim.name for claim in model.temporal]
    one = left and form == "promela" and not model.spec.endless
    advice = f"; --property {left[0]} exports one" if one else ""
    if left and not wanted:
        click.echo(f"counterpoint: --to {form} leaves out temporal properties ({', '.join(left)}) "
                   f"and fairness{advice}", err=True)  # fmt: skip


def _leave_out_formulas(model: Model, wanted: Sequence[Property]) -> None:
    """Say which temporal properties a TLA+ module of all properties does not have."""
    left = {claim.name: why for claim in model.temporal
            if (why := tla_formulas.why_unsaid(model, claim))}  # fmt: skip
    if left and not wanted:
        why = next(iter(left.values()))
        click.echo(f"counterpoint: --to tla leaves out {', '.join(left)}: {why}", err=True)


def _write(path: Path, text: str) -> None:
    """Write a file under a temporary name first, so that it is complete or missing."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    except OSError as error:  # its message names the unfinished file
        raise click.UsageError(f"--output: {path}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
