"""``counterpoint evaluate``: anyone's ranking, judged by anyone's judgments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from counterpoint.console import OK, printing, shown
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.measures import LEVELS, Interpolation, evaluate, means
from counterpoint.crawler.evaluation.trec import read_qrels, read_run

_BARS = 40
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("evaluate")
@click.argument("run", type=_FILE, metavar="RUN")
@click.argument("qrels", type=_FILE, metavar="QRELS")
@click.option("--level", type=click.IntRange(1), default=1, show_default=True,
              help="The least judgment that counts as relevant.")  # fmt: skip
@click.option("--complete", is_flag=True,
              help="Count topics of QRELS of which RUN has nothing, as 0.")  # fmt: skip
@click.option("--interpolation", type=click.Choice([str(one) for one in Interpolation]),
              default=str(Interpolation.TREC_EVAL_9), show_default=True,
              help="How many relevant documents a recall of the 11 points stands for.",
              )  # fmt: skip
@click.option("--topics", is_flag=True, help="Print each topic, then the means.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def evaluate_(
    run: Path, qrels: Path, level: int, complete: bool, interpolation: str, topics: bool, form: str
) -> int:
    r"""Measure RUN, a ranking in the form of TREC, by the judgments QRELS.

    RUN has lines `TOPIC Q0 DOCUMENT RANK SCORE TAG`, QRELS has `TOPIC ITERATION DOCUMENT
    RELEVANCE`. The score alone decides the order; equal ones are ordered by document, descending,
    as trec_eval has it. What is not judged is not relevant. Exit code 0: measured; 2: a file is
    not as it must be (the line is named), or they share no topic.

    \b
    counterpoint evaluate crawl.run judged.qrels
    counterpoint evaluate crawl.run judged.qrels --topics --format json
    counterpoint evaluate crawl.run judged.qrels --interpolation trec_eval-10
    """
    returned, judged = read_run(run), read_qrels(qrels)
    found = evaluate(returned, judged, level=level, complete=complete,
                     interpolation=Interpolation(interpolation))  # fmt: skip
    if not found:
        raise CrawlError(f"{run} and {qrels} have no topic in common")
    table = means(found)
    with printing():
        if form == "json":
            told = {"interpolation": interpolation, "level": level, "mean": table}
            told |= {"topics": found} if topics else {"topics": len(found)}
            click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        else:
            for topic, row in found.items() if topics else ():
                click.echo(_text(f"topic {shown(topic)}", row, interpolation))
            counted = f"{len(found)} topic{'s' * (len(found) != 1)}"
            click.echo(_text(f"mean of {counted}", table, interpolation), nl=False)
    return OK


def _text(title: str, row: Mapping[str, float], interpolation: str) -> str:
    """Return measures as a table, and the 11 points as bars."""
    lines = [title]
    for name, value in row.items():
        if not name.startswith("iprec"):
            shown = f"{value:>10,.0f}" if name.startswith("num_") else f"{value:>10.4f}"
            lines.append(f"  {name:<14} {shown}")
    lines.append(f"  precision at recall, as {interpolation}")
    for recall in LEVELS:
        value = row[f"iprec_at_recall_{recall:.2f}"]
        lines.append(f"    {recall:.1f}  {value:.4f}  {'#' * round(_BARS * value)}".rstrip())
    return "\n".join(lines) + "\n"
