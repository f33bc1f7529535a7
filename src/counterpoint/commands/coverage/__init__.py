"""``counterpoint coverage``: how much of a web a crawl covers."""

from __future__ import annotations

import click

from counterpoint.commands.coverage.estimate import estimate
from counterpoint.commands.coverage.report import report
from counterpoint.commands.coverage.sample import sample
from counterpoint.commands.coverage.viewable import viewable


@click.group()
def coverage() -> None:
    r"""Estimate how much of a web a crawl covers, and measure how good the estimators are.

    \b
    counterpoint coverage sample addresses --block 198.51.100.0/24 --draw 10
    counterpoint coverage estimate --sample seen.txt --crawled crawl.txt
    counterpoint coverage viewable --warc archive/
    counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 --budget 6000
    """


for _command in (sample, estimate, viewable, report):
    coverage.add_command(_command)
