"""``counterpoint control``: a crawl is paused, continued and slowed down while it runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.crawls.options import check_manners
from counterpoint.console import OK, printing

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.beebot.plan import CrawlSettings
    from counterpoint.crawler.store.opening import Store


@click.command("control")
@click.option("--db", "where", metavar="STORE", required=True,
              help="A file, or postgresql://user:password@host/database.")  # fmt: skip
@click.option("--pause/--continue", "paused", default=None,
              help="Begin no new request, or begin requests again.")  # fmt: skip
@click.option("--delay", type=click.FloatRange(0, 3600), metavar="SECONDS",
              help="The pause between requests to one host, from its next request on.",
              )  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N",
              help="Requests at a time, one to each host.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def control(
    where: str, paused: bool | None, delay: float | None, concurrency: int | None, form: str
) -> int:
    r"""Pause or continue a crawl, or change its pace, while it runs or before it is resumed.

    The processes that crawl the store follow within a second, also those on other machines. Pages
    that are being fetched are finished and stored. A paused crawl stays paused if it is stopped and
    resumed; its time does not count for a budget. Without an option, it only says how the crawl
    is set.

    Exit code 0: it is set; 2: the command is wrong, or there is no such store.

    \b
    counterpoint control --db crawl.db --pause
    counterpoint control --db crawl.db --continue --delay 5
    counterpoint control --db crawl.db --concurrency 4
    """
    check_manners(delay, None)
    given = {"paused": paused, "delay": delay, "concurrency": concurrency}
    wished = {name: value for name, value in given.items() if value is not None}
    from counterpoint.crawler.store.opening import open_store

    with open_store(where, reads=not wished) as store:
        settings, runs = _set(store, wished), _runs(store, where)
    said: dict[str, Any] = {"runs": runs, "paused": settings.paused, "delay": settings.delay,
                            "concurrency": settings.concurrency}  # fmt: skip
    with printing():
        click.echo(json.dumps(said, indent=2) if form == "json" else _text(said))
    return OK


def _set(store: Store, wished: dict[str, Any]) -> CrawlSettings:
    """Change some settings of a store, and return all."""
    from sqlalchemy import Connection

    from counterpoint.crawler.beebot.plan import CrawlSettings
    from counterpoint.crawler.store.recording import Recording

    def put(connection: Connection) -> None:
        Recording(connection).put_settings(
            {name: json.dumps(value) for name, value in wished.items()}
        )

    if wished:
        store.write(put)
    with store.reading() as connection:
        return CrawlSettings.of(dict(map(tuple, Recording(connection).read("settings"))))


def _runs(store: Store, where: str) -> bool:
    """Return whether a process crawls the store now."""
    from counterpoint.crawler.beebot.holding import is_crawled, locking_process

    return locking_process(where) is not None or (store.dialect != "sqlite" and is_crawled(store))


def _text(said: dict[str, Any]) -> str:
    runs = "is running" if said["runs"] else "is not running"
    state = f"{runs}, and paused" if said["paused"] else runs
    pause = "the polite default" if said["delay"] is None else f"{said['delay']:g} s"
    many = "1 request" if said["concurrency"] == 1 else f"{said['concurrency']} requests"
    return f"the crawl {state}; {many} at a time, delay {pause}"
