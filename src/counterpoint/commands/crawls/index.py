"""``counterpoint index``: the pages that a crawl into a store found, the best first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.commands.crawls.reporting import TOPIC, check_run, write_index
from counterpoint.console import OK, printing, progress, shown

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.beebot.indexed import CrawlIndex
    from counterpoint.crawler.store.opening import Store


@click.command("index")
@click.option("--db", "where", required=True, metavar="STORE",
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N",
              help="The most pages to print.")  # fmt: skip
@click.option("--run", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write all of them for `evaluate` instead of printing.")  # fmt: skip
@click.option("--topic", default=TOPIC, show_default=True, metavar="NAME",
              help="The topic's name in --run.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def index_(where: str, limit: int, run: Path | None, topic: str, form: str) -> int:
    r"""Show the pages that the last crawl into STORE found, the best first, also while it runs.

    A policy that has an index (hits, tfidf, tfidf+hits, bm25, link-bandit) decides the order: the
    calls in the crawl's log are replayed, so an interrupted crawl has the same index as any other.
    The pages of a policy without an index are ranked by HITS, as the standard crawler does it.
    Exit code 0: the index was shown; 2: the command is wrong, or nothing was crawled.

    \b
    counterpoint index --db crawl.db
    counterpoint index --db crawl.db --limit 1000 --format json
    counterpoint index --db crawl.db --run found.run --topic text-encoding
    """
    check_run(run, topic)
    from counterpoint.crawler.store.opening import open_store

    with open_store(where, reads=True) as store:
        found = read_index(store)
    if run is not None:
        write_index(run, topic, found.policy, found.pages)
        return OK
    with printing():
        if form == "json":
            data = {"policy": found.policy, "found": len(found.pages),
                    "pages": found.pages[:limit]}  # fmt: skip
            click.echo(json.dumps(data, indent=2, ensure_ascii=False))
            return OK
        for rank, address in enumerate(found.pages[:limit], 1):
            click.echo(f"{rank:>7}  {shown(address)}")
        printed = min(limit, len(found.pages))
        click.echo(f"{found.policy}: {printed:,} of {len(found.pages):,} pages in the index")
    return OK


def read_index(store: Store) -> CrawlIndex:
    """Return the index of a store's last crawl; print the progress on a terminal."""
    from counterpoint.crawler.beebot.indexed import index

    with progress("index") as report:
        return index(store, report and (lambda calls: report(f"{calls:,} calls of the policy")))
