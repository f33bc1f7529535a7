"""``counterpoint evaluate``: measures any ranking by any relevance judgments, as trec_eval does."""

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
              help="Count a document as relevant if its judgment is at least this.")  # fmt: skip
@click.option("--complete", is_flag=True,
              help="Count topics of QRELS that RUN lacks as 0.")  # fmt: skip
@click.option("--interpolation", type=click.Choice([str(one) for one in Interpolation]),
              default=str(Interpolation.TREC_EVAL_9), show_default=True,
              help="Interpolate precision at the 11 recall levels as this version does.",
              )  # fmt: skip
@click.option("--topics", is_flag=True, help="Print each topic, then the means.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="Output format.")  # fmt: skip
def evaluate_(
    run: Path, qrels: Path, level: int, complete: bool, interpolation: str, topics: bool, form: str
) -> int:
    r"""Measure RUN, a ranking in the format of TREC, by the relevance judgments in QRELS.

    Lines of RUN are `TOPIC Q0 DOCUMENT RANK SCORE TAG`, lines of QRELS are `TOPIC ITERATION
    DOCUMENT RELEVANCE`. As in trec_eval, only the score decides the order; documents with equal
    scores are ordered by name, descending. A document without a judgment is not relevant.

    Exit code 0: measured; 2: a file has a wrong line (the message names it), the files have no
    topic in common, or the command is wrong.

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
            result = {"interpolation": interpolation, "level": level, "mean": table}
            result |= {"topics": found} if topics else {"topics": len(found)}
            click.echo(json.dumps(result, indent=2, ensure_ascii=False))
        else:
            for topic, row in found.items() if topics else ():
                click.echo(_text(f"topic {shown(topic)}", row, interpolation))
            counted = f"{len(found)} topic{'s' * (len(found) != 1)}"
            click.echo(_text(f"mean of {counted}", table, interpolation), nl=False)
    return OK


def _text(title: str, row: Mapping[str, float], interpolation: str) -> str:
    """Return a table of measures, and the precision at the 11 recall levels as bars."""
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
