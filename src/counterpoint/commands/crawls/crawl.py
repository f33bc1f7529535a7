"""``counterpoint crawl``: a crawl that a store keeps, with its options."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from counterpoint.commands.crawls.index import read_index
from counterpoint.commands.crawls.options import (
    check_manners,
    options_of_other_command,
    shared_options,
)
from counterpoint.commands.crawls.reporting import TOPIC, check_run, write_index
from counterpoint.commands.crawls.watching import CrawlDisplay, CrawlLog, summary
from counterpoint.commands.damages import name_damages_of
from counterpoint.console import FELL, INTERRUPTED, OK, must_be_writable, printing
from counterpoint.crawler.errors import ConnectionLostError, CrawlError

if TYPE_CHECKING:  # loaded where something is crawled
    from sqlalchemy import Connection

    from counterpoint.crawler.beebot.beginning import StartedPlan
    from counterpoint.crawler.beebot.engine import CrawlEnd
    from counterpoint.crawler.fetching.manners import Limits
    from counterpoint.crawler.fetching.network import Fetcher
    from counterpoint.crawler.store.lists import Seed
    from counterpoint.crawler.store.opening import Store

_KEPT = ("scheduler", "kind", "budget", "seed", "level", "cap", "stay", "normalize",
         "concurrency", "delay", "agent", "proxy", "robots", "allow_private", "warc",
         "query", "include", "exclude", "replay", "sitemaps", "nofollow",
         "canonical", "traps", "revisit", "every", "web")  # fmt: skip
"""Options that the store keeps: fields of `counterpoint.crawler.beebot.plan.CrawlSettings`."""


@click.command("crawl")
@click.argument("policy", metavar="[POLICY]", required=False)
@click.option("--db", metavar="FILE|URL",
              help="The store that keeps the crawl: a SQLite file, or postgresql://...  "
                   "[required]")  # fmt: skip
@click.option("--seeds", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="A list of start pages, one a line, to add.")  # fmt: skip
@click.option("--scheduler", metavar="POLICY", help="The same as POLICY.")
@click.option("--kind", type=click.Choice(["universities", "institutes", "unknown"]),
              help="The kind of the sites: chooses R3, R2 or equal-quanta.  [unknown]")  # fmt: skip
@click.option("--budget", metavar="N|TIME",
              help="Pages, or a time, or both: 2000, 30min, 2000,1.5h.  [2000]")  # fmt: skip
@click.option("--level", type=click.IntRange(0), metavar="N",
              help="The most links from a start page to a page.")  # fmt: skip
@click.option("--cap", type=click.IntRange(1), metavar="N", help="The most pages of one site.")
@click.option("--concurrency", type=click.IntRange(1, 1000), metavar="N",
              help="Requests at a time, one to each host.  [16]")  # fmt: skip
@click.option("--normalize", type=click.Choice(["safe", "paper"]),
              help="How addresses are compared: paper ignores case.  [safe]")  # fmt: skip
@click.option("--sitemaps/--no-sitemaps", default=False,
              help="Read the sitemaps of the sites: those that robots.txt names, else "
                   "/sitemap.xml.  [off]")  # fmt: skip
@click.option("--warc", metavar="DIR", help="Write every request and answer as WARC.")
@click.option("--replay", metavar="FILE|DIR",
              help="Ask no network, but WARC files; '' ends that.")  # fmt: skip
@click.option("--revisit", metavar="POLICY",
              help="Then keep the pages fresh until stopped, by a policy that revisits: uniform, "
                   "scent, optimal-freshness; '' ends that.")  # fmt: skip
@click.option("--every", metavar="TIME",
              help="With --revisit: the mean time between two visits of a page: 12h, 7d.  [1d]",
              )  # fmt: skip
@click.option("--web", metavar="PROFILE[,pages=N,seed=K]",
              help="Rehearse: ask no network, but a synthetic web, in virtual time with "
                   "--concurrency 1; '' ends that.")  # fmt: skip
@click.option("--retry", metavar="SITE", help="Fetch the start page of a site once more.")
@click.option("--resume", is_flag=True,
              help="Resume the crawl in the store, as a command without other options does.",
              )  # fmt: skip
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Append a line of JSON for each page.")  # fmt: skip
@click.option("--lease-log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Append what this worker does with its leases as lines of JSON; for a store in "
                   "PostgreSQL.")  # fmt: skip
@shared_options
@options_of_other_command({"--pages": "--budget", "--capture": "--warc"}, "try")
@click.pass_context
def crawl(
    context: click.Context, /, policy: str | None, form: str, db: str | None, **given: Any
) -> int:
    r"""Crawl sites by POLICY into a store that keeps pages, links and options.

    The crawl can be stopped or killed at any moment, and resumed without losing a link. At Ctrl-C
    it waits for the pages that are being fetched; at a second Ctrl-C it does not.

    POLICY is a name, NAME,key=value, or a policy of your own, module:attribute. The store keeps
    the options. If you change them, or the sites, a new plan begins; it takes pages that are
    stored from the store and does not fetch them again. To crawl without a store, use `try`.

    Exit code 0: the crawl is complete; 1: no site could be crawled, or the policy broke a rule for
    policies; 2: the command is wrong; 3: the connection to the database was lost, and did not come
    back; 130: the crawl was interrupted. After 3 or 130, run the same command again to resume it.

    \b
    counterpoint crawl R3 --db crawl.db --seeds sites.txt --budget 2000
    counterpoint crawl --db crawl.db                                  resume it
    counterpoint crawl --db crawl.db --sitemaps                       and read sitemaps
    counterpoint crawl --db crawl.db --budget 5000                    a larger budget
    counterpoint crawl --db crawl.db --run found.run                  write what it found
    counterpoint crawl opic --db old.db --start a.test --replay captures/
    counterpoint crawl R3 --db crawl.db --start a.test --nofollow --canonical
    counterpoint crawl R3 --db crawl.db --start a.test --traps usual,calendar=120
    counterpoint crawl R3 --db crawl.db --revisit optimal-freshness --every 7d
    counterpoint crawl breadth-first --db try.db --web living --concurrency 1 \
        --revisit scent --budget 5000,7d
    """
    if db is None:
        raise click.UsageError(
            "--db: is needed, since `crawl` keeps what it fetches; to try a policy without a "
            f"store: counterpoint try {policy or 'POLICY'} --start URL"
        )
    given = {name: value for name, value in given.items()
             if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}  # fmt: skip
    if policy is not None and given.setdefault("scheduler", policy) != policy:
        raise click.UsageError("--scheduler: another policy is given already")
    if given.pop("ignore_robots", False):
        given["robots"] = False
    check_manners(given.get("delay"), given.get("agent"))
    must_be_writable("--log", given.get("log"), replaces=False)
    must_be_writable("--lease-log", given.get("lease_log"), replaces=False)
    if "lease_log" in given and "://" not in db:
        raise click.UsageError("--lease-log: a SQLite store has one worker, and no leases")
    check_run(given.get("run"), given.get("topic", TOPIC), replaces=False)
    return _crawl_into(db, form, given)


def _crawl_into(where: str, form: str, given: Mapping[str, Any]) -> int:
    """Crawl into a store, and print how it went.

    Parameters
    ----------
    where : str
        A path or a URL.
    form : str
        ``text`` or ``json``.
    given : mapping
        All other options that the user gave.
    """
    wished, run = _wished(given), given.get("run")
    from counterpoint.crawler.beebot.beginning import check
    from counterpoint.crawler.beebot.holding import crawler_lock
    from counterpoint.crawler.store.opening import open_store
    from counterpoint.crawler.store.reconnecting import reconnecting

    sites = _sites(_starts(given, where), given.get("seeds"))
    starts = [seed.start for _, seed in sites]
    if "://" not in where and not Path(where).exists():
        if starts:
            check(None, wished, starts)
        elif Path(where).absolute().parent.is_dir():
            raise CrawlError(
                f"{where}: there is no such store, and a new crawl needs sites: --start URL or "
                "--seeds FILE"
            )
    with ExitStack() as stack:
        store = stack.enter_context(open_store(where, create=bool(sites)))
        stack.enter_context(crawler_lock(store))
        begun = reconnecting(partial(_begun, store, wished, sites, given))
        ended = _crawl(store, begun, given.get("log"), given.get("lease_log"))
        report = reconnecting(partial(summary, store, ended))
        with printing():
            if form == "json":
                click.echo(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
            else:
                click.echo(report.text(), nl=False)
        if run is not None and ended.over and not ended.failed:
            found = reconnecting(partial(read_index, store))
            write_index(run, given.get("topic", TOPIC), found.policy, found.pages)
        elif run is not None:
            why = "the policy failed" if ended.failed else "the crawl is not complete"
            click.echo(f"{run} is not written: {why}", err=True)
    if not ended.over:
        click.echo(_resumption(store), err=True)
        return INTERRUPTED
    return FELL if ended.failed or not report.has_sites() else OK


def _begun(
    store: Store, wished: Mapping[str, Any], sites: Sequence[tuple[str, Seed]],
    given: Mapping[str, Any],
) -> StartedPlan:  # fmt: skip
    """Add the given sites, and begin or resume a plan, in one transaction.

    Parameters
    ----------
    store : Store
    wished : mapping
        The options that the store keeps.
    sites : sequence of (str, Seed)
        Each with its place in the command.
    given : mapping
        All options.
    """
    from counterpoint.crawler.beebot.beginning import begin, check
    from counterpoint.crawler.store.seeds import add_all

    starts = [seed.start for _, seed in sites]
    # This loads the policy. Within the transaction, all other workers would wait for it.
    check(store, wished, starts)

    def join(connection: Connection) -> StartedPlan:
        one = store.within(connection)
        check(one, wished, starts)
        add_all(one, sites)
        if "retry" in given:
            _retry(one, given["retry"])
        begun = begin(one, wished)
        if given.get("run") is not None and begun.plan.revisits:
            raise click.UsageError("--run: the policy revisits known pages, and finds none")
        return begun

    return store.write(join)  # a kill in here changes nothing, or everything


def _resumption(store: Store) -> str:
    return f"resume with: counterpoint crawl --db {shlex.quote(store.where)}"


def _leave(store: Store) -> NoReturn:
    """End this process at once, as a kill would: the store rolls back what is not complete."""
    from counterpoint.crawler.documents.apart import READER

    READER.kill()
    with suppress(OSError, ValueError):
        shows = "\x1b[?25h\n" if sys.stderr.isatty() else ""  # the display has hidden the cursor
        os.write(sys.stderr.fileno(), f"{shows}{_resumption(store)}\n".encode())
    os._exit(INTERRUPTED)


def _leave_at_signals(store: Store) -> None:
    """Leave at a further signal, while the summary is printed and Python ends."""
    with suppress(ValueError):  # this is not the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: _leave(store))


def _wished(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the store keeps; refuse those that would fail later."""
    from counterpoint.crawler.fetching.proxies import proxy_address

    wished = {name: given[name] for name in _KEPT if name in given}
    if "kind" in wished:  # it replaces a policy that was chosen before
        wished.setdefault("scheduler", "")
    proxy_address(wished.get("proxy"))
    if "replay" in wished:
        wished.update(_replay(wished))
    if "web" in wished:
        wished.update(_web(wished))
    if wished.get("revisit") and given.get("run") is not None:
        raise click.UsageError("--run: not with --revisit, which ranks no pages")
    if wished.get("warc") is not None:
        wished["warc"] = str(_folder("--warc", wished["warc"]))
    return wished


def _web(wished: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the store keeps for a rehearsal, or after one."""
    from counterpoint.studies.rehearsal import rehearsed_web

    if wished["web"]:
        for name in ("proxy", "warc", "replay"):
            if wished.get(name):
                raise click.UsageError(f"--{name}: not with --web, which uses no network")
        web = rehearsed_web(wished["web"]).absolute()
        _ = web.web
        return {"proxy": None, "warc": None, "web": str(web)}
    return {}


def _starts(given: Mapping[str, Any], where: str) -> Sequence[str]:
    """Return the given start pages; by default, a new rehearsal begins at one of its web."""
    starts: Sequence[str] = given.get("starts", ())
    is_new = "://" not in where and not Path(where).exists()
    if given.get("web") and is_new and not starts and given.get("seeds") is None:
        from counterpoint.studies.rehearsal import first_start

        return [first_start(given["web"])]
    return starts


def _replay(wished: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the store keeps for a crawl of WARC files, or after one."""
    from counterpoint.crawler.archives.fetcher import ArchiveFetcher, is_archive

    if not wished["replay"]:
        return {"replay": None}
    for name in ("proxy", "warc"):
        if wished.get(name):
            raise click.UsageError(f"--{name}: not with --replay, which uses no network")
    path = Path(wished["replay"]).absolute()
    if not path.exists():
        raise click.UsageError(f"--replay: there is no file or folder {path}")
    if not is_archive(path):
        raise click.UsageError(f"--replay: {path} is no WARC file, and no folder of them")
    ArchiveFetcher(path).web.close()  # what is wrong with it is said before there is a store
    return {"replay": str(path), "proxy": None, "warc": None}


def _folder(option: str, text: str) -> Path:
    """Return a folder that exists or can be made."""
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
    """Return the given sites, each with the option or the line that names it."""
    from counterpoint.crawler.store.lists import Seed, checked, read, text_of

    found = [] if path is None else read(text_of(path), str(path))
    for start in starts:
        found.append((f"--start {start}", checked(Seed(start))))
    return found


def _retry(store: Store, text: str) -> None:
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.crawler.store.seeds import listed, retry

    for seed in listed(store):
        if seed.site == text or seed.start == normalized(text):
            return retry(store, seed.number)
    raise CrawlError(f"--retry {text}: is no site of this crawl")


def _rehearsal(text: str, now: Callable[[], float], limits: Limits) -> Fetcher:
    from counterpoint.studies.rehearsal import rehearsal

    return rehearsal(text, now, limits)


def _crawl(store: Store, begun: StartedPlan, log: Path | None, lease_log: Path | None) -> CrawlEnd:
    from counterpoint.crawler.beebot.crawling import crawl
    from counterpoint.crawler.beebot.engine import CrawlEnd

    if begun.ended:
        return CrawlEnd(begun.ended, True)
    if begun.settings.replay is not None:
        name_damages_of([Path(begun.settings.replay)])
    if begun.settings.paused:
        there = shlex.quote(store.where)
        click.echo(f"the crawl is paused: counterpoint control --db {there} --continue", err=True)
    with CrawlLog(log, begun) as lines, CrawlDisplay(store, begun) as display:

        def record(taken: Any) -> None:
            lines.add_page(taken)
            display.add_page(taken)

        try:
            ended = crawl(store, begun, record, display.set_engine,
                          leave=lambda: _leave(store), lease_log=lease_log,
                          webs=_rehearsal)  # fmt: skip
        except CrawlError as error:
            lost = isinstance(error, ConnectionLostError)
            kind = ConnectionLostError if lost else CrawlError
            raise kind(f"{error}; nothing that was stored is lost") from error
        if not ended.over:
            _leave_at_signals(store)
        lines.add_end(ended)
    return ended
