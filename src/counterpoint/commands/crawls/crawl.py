"""``counterpoint crawl``: a policy on real pages, or on what an earlier crawl wrote down."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from counterpoint.commands.crawls.crawled import TOPIC, Crawled, Journal, check_run, write_index
from counterpoint.commands.crawls.stored import STORED, crawl_stored, options
from counterpoint.console import FELL, OK, must_be_writable, printing, progress
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope

if TYPE_CHECKING:  # aiohttp and numba are loaded where something is crawled
    from counterpoint.crawler.documents.exchange import Source
    from counterpoint.crawler.policy.protocol import Outcome, Pages, Scheduler
    from counterpoint.crawler.schedulers.finding import Chosen
    from counterpoint.crawler.worlds.web_world import WebWorld


@dataclass(frozen=True)
class _Wish:
    """What the command line asks for, beside the policy."""

    starts: Sequence[str]
    pages: int
    seed: int
    stay: bool
    proxy: str | None
    delay: float | None
    ignore_robots: bool
    allow_private: bool
    agent: str | None
    capture: Path | None
    replay: Path | None
    query: str
    run: Path | None
    topic: str


@click.command("crawl")
@click.argument("policy", metavar="[POLICY]", required=False)
@click.option("--start", "starts", multiple=True, metavar="URL",
              help="The start page of a site; repeatable.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1, 10_000_000), default=100, show_default=True,
              metavar="N", help="How many pages may be fetched in all.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the policy's chance.")  # fmt: skip
@click.option("--query", default="", metavar="WORDS",
              help="What is looked for, by policies that read: tfidf, tfidf+hits, bm25, "
                   "link-bandit.")  # fmt: skip
@click.option("--run", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write what was found, the best first, for `evaluate`.")  # fmt: skip
@click.option("--topic", default=TOPIC, show_default=True, metavar="NAME",
              help="What --run calls what is looked for.")  # fmt: skip
@click.option("--stay", is_flag=True, help="Follow links to the sites of --start only.")
@click.option("--proxy", metavar="URL", help="An HTTP proxy, such as `web serve` is.")
@click.option("--delay", type=click.FloatRange(0, 3600), metavar="SECONDS",
              help="Between requests to one host; a longer Crawl-delay of its robots.txt counts.  "
                   "[1; 0 for this machine and for a synthetic web]")  # fmt: skip
@click.option("--ignore-robots", is_flag=True, help="Do not ask for robots.txt.")
@click.option(
    "--allow-private",
    is_flag=True,
    help="Ask addresses of private networks, too; so it is anyway if a --start is one.",
)
@click.option("--agent", metavar="TEXT",
              help="The User-Agent: this tool's name, and perhaps whom to ask.",
              )  # fmt: skip
@click.option("--capture", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write every answer to a new file; packed if it ends with .gz.")  # fmt: skip
@click.option("--replay", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Crawl what --capture wrote, without a network.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
@options
@click.pass_context
def crawl_(
    context: click.Context, /, policy: str | None, form: str, db: str | None, **given: Any
) -> int:
    r"""Crawl sites by POLICY, one request at a time, and print what was visited.

    POLICY is a name, NAME,key=value, or a policy of your own, module:attribute. Policies over sites
    (one-by-one, equal-quanta, R1, R2, R3, ...) stay on the sites of --start; others (breadth-first,
    random, opic, ...) follow links to any site, or with --stay among those. robots.txt is honoured,
    and each host is left alone for a second between requests.

    Nothing is kept but what --capture writes: all that the policy was told. --replay makes the same
    crawl again, and other policies crawl the same pages as long as the capture has them.
    Exit code 0: crawled; 1: no page could be fetched, or the policy broke a rule for policies;
    2: the command is wrong, or the capture lacks a page.

    With --db the crawl is kept in a link store: it can be stopped or killed at any moment, and goes
    on without losing a link (Ctrl-C lets the pages under way come in; a second one does not).
    Options are kept there as well. If they change, or the sites do, a new plan begins: it takes
    pages that are stored from the store. Exit code 130: the crawl was interrupted; run the same
    command again to resume it.

    \b
    counterpoint crawl --db crawl.db --seeds sites.txt --scheduler R3 --budget 2000
    counterpoint crawl --db crawl.db                                  go on with it
    counterpoint crawl --db crawl.db --run found.run                  write what it found
    counterpoint crawl one-by-one --start https://example.org/ --pages 20
    counterpoint crawl breadth-first --start http://a.test/ --proxy http://127.0.0.1:8080
    counterpoint crawl one-by-one --start http://a.test/ --start http://b.test/ --pages 100000 \
                       --proxy http://127.0.0.1:8080 --capture both.jsonl.gz
    counterpoint crawl tfidf+hits --query "unicode encodings" --start http://docs.test/ \
                       --proxy http://127.0.0.1:8080 --run found.run
    counterpoint crawl R3 --replay both.jsonl.gz --pages 50 --format json
    """
    said = {name for name in given
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}  # fmt: skip
    if db is not None:
        return _stored(db, form, policy, {name: given[name] for name in said})
    for name in STORED:
        if name in said:
            raise click.UsageError(f"{_option(name)}: only with --db")
        given.pop(name)
    if policy is None:
        raise click.UsageError("Missing argument 'POLICY'.")
    asked = _Wish(**given)
    _check(asked)
    with progress("crawl") as tell:
        found = _crawled(policy, asked, tell)
    with printing():
        if form == "json":
            click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        else:
            click.echo(found.text(), nl=False)
    return FELL if found.failed or not found.reached() else OK


def _stored(db: str, form: str, policy: str | None, given: dict[str, Any]) -> int:
    """Crawl into a store."""
    elsewhere = {"pages": " (it is --budget there)", "capture": "", "replay": ""}
    for name, instead in elsewhere.items():
        if name in given:
            raise click.UsageError(f"{_option(name)}: not with --db{instead}")
    if policy is not None and given.setdefault("scheduler", policy) != policy:
        raise click.UsageError("--scheduler: another policy is given already")
    if given.pop("ignore_robots", False):
        given["robots"] = False
    _check_manners(given.get("delay"), given.get("agent"))
    return crawl_stored(db, form, given)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check(asked: _Wish) -> None:
    """Refuse options that do not go together."""
    if asked.replay is not None:
        for option, given in (
            ("--proxy", asked.proxy), ("--delay", asked.delay), ("--agent", asked.agent),
            ("--ignore-robots", asked.ignore_robots or None),
            ("--allow-private", asked.allow_private or None), ("--capture", asked.capture),
        ):  # fmt: skip
            if given is not None:
                raise click.UsageError(f"{option}: not with --replay, which asks nobody")
    elif not asked.starts:
        raise click.UsageError("--start: at least one is needed")
    _check_manners(asked.delay, asked.agent)
    check_run(asked.run, asked.topic)
    must_be_writable("--capture", asked.capture)


def _check_manners(delay: float | None, agent: str | None) -> None:
    if delay is not None and math.isnan(delay):
        raise click.UsageError("--delay: nan is no number of seconds")
    if agent is not None and not agent.lower().startswith("counterpoint"):
        raise click.UsageError("--agent: must begin with counterpoint, as robots.txt knows it")
    if agent is not None and not (agent.isascii() and agent.isprintable()):
        raise click.UsageError("--agent: must be printable ASCII")


def _crawled(text: str, asked: _Wish, tell: Callable[[str], None] | None) -> Crawled:
    from counterpoint.crawler.schedulers.finding import find
    from counterpoint.crawler.worlds.crawl import crawl
    from counterpoint.crawler.worlds.web_world import WebWorld

    chosen = find(text)
    policy = chosen.policy
    if policy.oracle:
        raise CrawlError(f"{text}: wants to be told the truth, which nobody knows of real pages")
    if policy.scope is Scope.KNOWN:
        raise CrawlError(f"{text}: visits known pages again and again; it finds none by crawling")
    with _source(chosen, asked) as (source, starts, query):
        journal = Journal(source, tell)
        world = WebWorld(journal, starts, policy.scope, stay=asked.stay, reads=policy.reads)
        scheduler = chosen.scheduler(world.starts, asked.pages, asked.seed, query=query,
                                     hosts=world.host)  # fmt: skip
        links: dict[int, Pages] = {}
        try:
            ended = crawl(text, scheduler, world, world.starts, asked.pages, policy.scope,
                          on_outcome=_kept(links))  # fmt: skip
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_so_far(len(journal.visits), asked.capture)) from None
    if asked.run is not None and not ended.failed:
        write_index(asked.run, asked.topic, text, _found(scheduler, world, links))
    return Crawled(text, str(policy.scope), asked.seed, asked.pages, starts, journal.visits,
                   ended.why, ended.failed)  # fmt: skip


def _kept(links: dict[int, Pages]) -> Callable[[Outcome], None]:
    """Return what keeps the links of each page that came."""

    def keep(outcome: Outcome) -> None:
        if outcome.status == 200:
            links[outcome.page] = outcome.links

    return keep


def _found(scheduler: Scheduler, world: WebWorld, links: dict[int, Pages]) -> list[str]:
    """Return the addresses in the index of a crawl, the best first."""
    from counterpoint.crawler.evaluation.indices import index_of

    found = index_of(scheduler, list(links), links.__getitem__)
    return [world.handles.address(page) for page in found]


def _is_private(start: str) -> bool:
    """Tell whether a start page is on a private network, as its address says."""
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.crawler.fetching.guard import Guard
    from counterpoint.crawler.fetching.politeness import is_here

    address = normalized(start)
    return address is not None and (is_here(address) or bool(Guard().problem(address)))


def _so_far(count: int, capture: Path | None) -> str:
    said = f"{count:,} pages were fetched" if count != 1 else "1 page was fetched"
    if capture is None or not count:
        return f"{said}; nothing was written"
    return f"{said}; {capture} has {'them' if count != 1 else 'it'}"


@contextmanager
def _source(chosen: Chosen, asked: _Wish) -> Iterator[tuple[Source, Sequence[str], str]]:
    """Yield where pages come from, the start addresses, and what is looked for."""
    from counterpoint.crawler.worlds.capture import Capture, Recorder

    if asked.replay is not None:
        kept = Capture(asked.replay)
        if kept.torn:
            click.echo(f"counterpoint: {asked.replay} breaks off; its {kept.exchanges:,} whole "
                       "lines are replayed", err=True)  # fmt: skip
        if chosen.policy.reads:
            kept.must_tell(chosen.text)
        yield kept, asked.starts or kept.starts, asked.query or kept.query
        return
    from counterpoint.crawler.fetching.manners import Manners
    from counterpoint.crawler.worlds.client import Client

    agent = asked.agent or f"counterpoint/{version('counterpoint')}"
    scope = chosen.policy.scope
    leaves = scope is not Scope.SITE and not asked.stay
    private = asked.allow_private or any(map(_is_private, asked.starts))
    manners = Manners(agent, not asked.ignore_robots, asked.delay, leaves, private=private)
    about = {"policy": chosen.text, "scope": str(scope), "stay": asked.stay, "seed": asked.seed,
             "pages": asked.pages, "starts": list(asked.starts), "robots": manners.robots,
             "agent": agent, "contents": chosen.policy.reads, "query": asked.query}  # fmt: skip
    with ExitStack() as stack:
        source: Source = stack.enter_context(
            Client(asked.proxy, manners, contents=chosen.policy.reads)
        )
        if asked.capture is not None:
            source = stack.enter_context(Recorder(source, asked.capture, about))
        yield source, asked.starts, asked.query
