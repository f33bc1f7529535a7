"""``counterpoint index``: what a crawl into a store found, the best first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from counterpoint.commands.crawls.crawled import TOPIC, check_run, write_index
from counterpoint.console import OK, printing, progress, shown

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.beebot.indexed import Index
    from counterpoint.crawler.store.opening import Store


@click.command("index")
@click.option("--db", "where", required=True, metavar="STORE",
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N",
              help="How many are printed at most.")  # fmt: skip
@click.option("--run", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write all of them for `evaluate` instead of printing.")  # fmt: skip
@click.option("--topic", default=TOPIC, show_default=True, metavar="NAME",
              help="What --run calls what is looked for.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def index_(where: str, limit: int, run: Path | None, topic: str, form: str) -> int:
    r"""Show what the last crawl into STORE found, the best first, also while it runs.

    The index is the policy's own (hits, tfidf, tfidf+hits, bm25, link-bandit): a new one is led
    through the calls of the crawl's log, so that a crawl that was killed has the index of one that
    was not. What a policy without one collected is ranked by HITS, as the standard crawler does it.
    Exit code 0: shown; 2: the command is wrong, or nothing was crawled.

    \b
    counterpoint index --db crawl.db
    counterpoint index --db crawl.db --limit 1000 --format json
    counterpoint index --db crawl.db --run found.run --topic text-encoding
    """
    check_run(run, topic)
    from counterpoint.crawler.store.opening import open_store

    with open_store(where) as store:
        found = found_in(store)
    if run is not None:
        write_index(run, topic, found.policy, found.pages)
        return OK
    with printing():
        if form == "json":
            told = {"policy": found.policy, "found": len(found.pages),
                    "pages": found.pages[:limit]}  # fmt: skip
            click.echo(json.dumps(told, indent=2, ensure_ascii=False))
            return OK
        for rank, address in enumerate(found.pages[:limit], 1):
            click.echo(f"{rank:>7}  {shown(address)}")
        printed = min(limit, len(found.pages))
        click.echo(f"{found.policy}: {printed:,} of {len(found.pages):,} pages in the index")
    return OK


def found_in(store: Store) -> Index:
    """Return what a store's last crawl has found, and tell how far it is."""
    from counterpoint.crawler.beebot.indexed import index

    with progress("index") as tell:
        return index(store, tell and (lambda calls: tell(f"{calls:,} calls of the policy")))
