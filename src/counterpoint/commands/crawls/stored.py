"""``counterpoint crawl --db``: a crawl that is kept in a store, with its options."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.crawls.crawled import TOPIC, check_run, write_index
from counterpoint.commands.crawls.index import found_in
from counterpoint.commands.crawls.watching import Log, Watch, summary
from counterpoint.console import FELL, INTERRUPTED, OK, must_be_writable, printing
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope

if TYPE_CHECKING:  # loaded where something is crawled
    from counterpoint.crawler.beebot.beginning import Begun
    from counterpoint.crawler.beebot.engine import Ended
    from counterpoint.crawler.store.lists import Seed
    from counterpoint.crawler.store.opening import Store

F = Callable[..., Any]

_WISHES = ("scheduler", "kind", "budget", "seed", "level", "cap", "stay", "normalize",
           "concurrency", "delay", "agent", "proxy", "robots", "allow_private", "warc",
           "query")  # fmt: skip
"""Options that are kept in the store, by the names of `counterpoint.crawler.beebot.plan.Wishes`."""

_OPTIONS = (
    click.option("--db", metavar="FILE|URL",
                 help="Keep the crawl in a link store: a SQLite file, or postgresql://..."),
    click.option("--seeds", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                 metavar="FILE", help="Start pages, one a line; the sites are added."),
    click.option("--scheduler", metavar="POLICY", help="The policy, if not chosen by --kind."),
    click.option("--kind", type=click.Choice(["universities", "institutes", "unknown"]),
                 help="Of the sites: chooses R3, R2 or equal-quanta.  [unknown]"),
    click.option("--budget", metavar="N|TIME",
                 help="Pages, or a time, or both: 2000, 30min, 2000,1.5h.  [2000]"),
    click.option("--level", type=click.IntRange(0), metavar="N",
                 help="How many links a page may be from its start page."),
    click.option("--cap", type=click.IntRange(1), metavar="N", help="Most pages of one site."),
    click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N",
                 help="Requests at a time, one to each host.  [16]"),
    click.option("--normalize", type=click.Choice(["safe", "paper"]),
                 help="How addresses are compared: paper minds no case.  [safe]"),
    click.option("--warc", metavar="DIR", help="Keep every request and answer as WARC."),
    click.option("--retry", metavar="SITE", help="Ask for the start page of a site again."),
    click.option("--resume", is_flag=True,
                 help="Go on with what FILE holds; also what happens without other options."),
    click.option("--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                 help="Append a line of JSON for each page."),
)  # fmt: skip


STORED = ("seeds", "scheduler", "kind", "budget", "level", "cap", "concurrency", "normalize",
          "warc", "retry", "resume", "log")  # fmt: skip
"""Options that go with --db only."""


def options(command: F) -> F:
    """Add the options of a crawl that is kept in a store."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def crawl_stored(db: str, form: str, given: Mapping[str, Any]) -> int:
    """Crawl into a store, and say how it went.

    Parameters
    ----------
    db : str
        A path or a URL.
    form : str
        ``text`` or ``json``.
    given : mapping
        All other options that were given.
    """
    wished, run = _wished(given), given.get("run")
    must_be_writable("--log", given.get("log"))
    check_run(run, given.get("topic", TOPIC))
    from counterpoint.crawler.beebot.beginning import begin, check
    from counterpoint.crawler.beebot.holding import held
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.seeds import add_all

    sites = _sites(given.get("starts", ()), given.get("seeds"))
    starts = [seed.start for _, seed in sites]
    if starts and "://" not in db and not Path(db).exists():
        check(None, wished, starts)
    with ExitStack() as stack:
        store = stack.enter_context(open_store(db, create=bool(sites)))
        stack.enter_context(held(store))
        with store.together() as one:  # who is killed here has changed nothing, or all
            check(one, wished, starts)
            add_all(one, sites)
            if "retry" in given:
                _retry(one, given["retry"])
            begun = begin(one, wished)
            if run is not None and begun.plan.scope is Scope.KNOWN:
                raise click.UsageError("--run: the policy visits known pages again, and finds none")
        ended = _crawled(store, begun, given.get("log"))
        told = summary(store, ended)
        with printing():
            if form == "json":
                click.echo(json.dumps(told.to_json(), indent=2, ensure_ascii=False))
            else:
                click.echo(told.text(), nl=False)
        if run is not None and ended.over and not ended.failed:
            found = found_in(store)
            write_index(run, given.get("topic", TOPIC), found.policy, found.pages)
        elif run is not None:
            why = "the policy failed" if ended.failed else "the crawl is not at its end"
            click.echo(f"{run} is not written: {why}", err=True)
    if not ended.over:
        click.echo(f"go on with: counterpoint crawl --db {shlex.quote(store.where)}", err=True)
        return INTERRUPTED
    return FELL if ended.failed or not told.reached() else OK


def _wished(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is to be kept in the store; refuse what could not be used later."""
    from counterpoint.crawler.fetching.network import proxy_address

    wished = {name: given[name] for name in _WISHES if name in given}
    if "kind" in wished:  # it chooses, whatever was chosen before
        wished.setdefault("scheduler", "")
    proxy_address(wished.get("proxy"))
    if "warc" in wished:
        wished["warc"] = str(_folder("--warc", wished["warc"]))
    return wished


def _folder(option: str, text: str) -> Path:
    """Return a folder that is there, or can be made."""
    if not text or "\0" in text:
        raise click.UsageError(f"{option}: {text!r} names no folder")
    folder = Path(text).absolute()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise click.UsageError(f"{option}: {there} is no folder")
    if not os.access(there, os.W_OK):
        raise click.UsageError(f"{option}: nothing can be written in {there}")
    return folder


def _sites(starts: Iterable[str], path: Path | None) -> list[tuple[str, Seed]]:
    """Return the sites that are given, each with where it stands."""
    from counterpoint.crawler.store.lists import Seed, checked, read, text_of

    found = [] if path is None else read(text_of(path), str(path))
    for start in starts:
        found.append((f"--start {start}", checked(Seed(start))))
    return found


def _retry(store: Store, text: str) -> None:
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.crawler.store.seeds import listed, retry

    for of in listed(store):
        if of.site == text or of.start == normalized(text):
            return retry(store, of.number)
    raise CrawlError(f"--retry {text}: is no site of this crawl")


def _crawled(store: Store, begun: Begun, log: Path | None) -> Ended:
    from counterpoint.crawler.beebot.crawling import crawl
    from counterpoint.crawler.beebot.engine import Ended

    if begun.ended:
        return Ended(begun.ended, True)
    with Log(log, begun) as logged, Watch(store, begun) as watch:

        def told(taken: Any) -> None:
            logged.page(taken)
            watch.page(taken)

        try:
            ended = crawl(store, begun, told, watch.started)
        except CrawlError as error:
            raise CrawlError(f"{error}; nothing that was stored is lost") from error
        logged.ended(ended)
    return ended
