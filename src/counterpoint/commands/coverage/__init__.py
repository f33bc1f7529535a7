"""``counterpoint coverage``: how much of a web a crawl has."""

from __future__ import annotations

import click

from .estimate import estimate
from .report import report
from .sample import sample


@click.group()
def coverage() -> None:
    r"""Sample a web, estimate how much of it a crawl has, and see which estimate to believe.

    \b
    counterpoint coverage sample addresses --block 198.51.100.0/24 --draw 10
    counterpoint coverage estimate --sample seen.txt --crawled crawl.txt
    counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 --budget 6000
    """


for _command in (sample, estimate, report):
    coverage.add_command(_command)
