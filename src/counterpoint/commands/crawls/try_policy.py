"""``counterpoint try``: a policy on real pages, or on the answers of an earlier crawl."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.commands.crawls.options import (
    check_manners,
    options_of_other_command,
    shared_options,
)
from counterpoint.commands.crawls.reporting import CrawlReport, Journal, check_run, write_index
from counterpoint.commands.damages import name_damages
from counterpoint.console import FELL, OK, UNKNOWN, must_be_writable, printing, progress
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope

if TYPE_CHECKING:  # aiohttp and numba are loaded where something is crawled
    from counterpoint.crawler.documents.exchange import Source
    from counterpoint.crawler.documents.scope import ScopeRules
    from counterpoint.crawler.policy.protocol import Outcome, Pages, Scheduler
    from counterpoint.crawler.schedulers.finding import ChosenPolicy
    from counterpoint.crawler.worlds.web_world import WebWorld


@dataclass(frozen=True)
class _Trial:
    """The options of the command, without the policy."""

    starts: Sequence[str]
    pages: int
    seed: int
    stay: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    nofollow: bool
    canonical: bool
    traps: str | None
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


@click.command("try")
@click.argument("policy")
@click.option("--pages", type=click.IntRange(1, 10_000_000), default=100, show_default=True,
              metavar="N", help="How many pages may be fetched in all.")  # fmt: skip
@click.option("--capture", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write every answer to a new file; compressed if it ends with .gz.")  # fmt: skip
@click.option("--replay", type=click.Path(path_type=Path), metavar="FILE|DIR",
              help="Crawl without a network: the answers that --capture wrote, or a WARC file or a "
                   "folder of them.")  # fmt: skip
@shared_options
@options_of_other_command(
    {"--db": "", "--seeds": "--start", "--scheduler": "POLICY", "--budget": "--pages", "--log": ""},
    "crawl",
)
def try_(policy: str, form: str, **given: Any) -> int:
    r"""Try POLICY on real pages, one request at a time, and print the visited pages.

    POLICY is a name, NAME,key=value, or a policy of your own, module:attribute. Policies over sites
    (one-by-one, equal-quanta, R1, R2, R3, ...) stay on the sites of --start; others (breadth-first,
    random, opic, ...) follow links to any site, or with --stay among those. robots.txt is honoured,
    and one second passes between requests to one host.

    Nothing is kept, except in the file of --capture, which has every answer. --replay repeats that
    crawl without a network. Another policy can crawl the same file, as long as the file has the
    pages that it asks for. What a WARC file lacks counts as unknown, and the crawl goes on; each
    address answers its first capture. To keep a crawl and resume it, use `crawl`.

    Exit code 0: at least one page was fetched; 1: no page could be fetched, or the policy broke a
    rule for policies; 2: the command is wrong, or the capture lacks a page; 3: the policy took too
    long for a step.

    \b
    counterpoint try one-by-one --start https://example.org/ --pages 20
    counterpoint try breadth-first --start http://a.test/ --proxy http://127.0.0.1:8080
    counterpoint try one-by-one --start http://a.test/ --start http://b.test/ --pages 100000 \
                       --proxy http://127.0.0.1:8080 --capture both.jsonl.gz
    counterpoint try tfidf+hits --query "unicode encodings" --start http://docs.test/ \
                       --proxy http://127.0.0.1:8080 --run found.run
    counterpoint try R3 --replay both.jsonl.gz --pages 50 --format json
    counterpoint try breadth-first --start http://a.test/ --traps usual --pages 500
    counterpoint try breadth-first --replay captures/ --pages 500
    """
    trial = _Trial(**given | {"starts": _typed(given["starts"])})
    _check(trial)
    with progress("try") as report:
        found = _crawl(policy, trial, report)
    with printing():
        if form == "json":
            click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        else:
            click.echo(found.text(), nl=False)
    if found.timed_out:
        return UNKNOWN
    return FELL if found.failed or not found.has_pages() else OK


def _typed(starts: Sequence[str]) -> list[str]:
    """Return start addresses with the schemes that they lack; what is no address stays as it is."""
    from counterpoint.crawler.documents.addresses import as_typed, normalized

    return [start if normalized(start) else as_typed(start) or start for start in starts]


def _check(trial: _Trial) -> None:
    """Refuse options that do not go together."""
    if trial.replay is not None:
        from counterpoint.crawler.archives.fetcher import is_archive

        robots = None if is_archive(trial.replay) else trial.ignore_robots or None
        for option, given in (
            ("--proxy", trial.proxy), ("--delay", trial.delay), ("--agent", trial.agent),
            ("--ignore-robots", robots),  # a WARC file has the robots.txt of its sites
            ("--allow-private", trial.allow_private or None), ("--capture", trial.capture),
        ):  # fmt: skip
            if given is not None:
                raise click.UsageError(f"{option}: not with --replay, which uses no network")
    elif not trial.starts:
        raise click.UsageError("--start: at least one is needed")
    check_manners(trial.delay, trial.agent)
    check_run(trial.run, trial.topic)
    must_be_writable("--capture", trial.capture, replaces=False)


def _crawl(text: str, trial: _Trial, report: Callable[[str], None] | None) -> CrawlReport:
    from counterpoint.crawler.documents.scope import ScopeRules
    from counterpoint.crawler.schedulers.finding import find
    from counterpoint.crawler.worlds.crawl import crawl
    from counterpoint.crawler.worlds.following import Following
    from counterpoint.crawler.worlds.web_world import WebWorld

    chosen = find(text)
    policy = chosen.policy
    if policy.oracle:
        raise CrawlError(f"{text}: needs the truth about a web, which is not known of real pages")
    if policy.scope is Scope.KNOWN:
        raise CrawlError(f"{text}: revisits known pages and follows no links, so it cannot crawl")
    rules = ScopeRules(trial.include, trial.exclude, trial.traps or "")
    with _source(chosen, trial, rules) as (source, starts, query):
        followed = Following(source, rules, nofollow=trial.nofollow, canonical=trial.canonical)
        journal = Journal(followed, report)
        world = WebWorld(journal, starts, policy.scope, stay=trial.stay, reads=policy.reads,
                         rules=rules)  # fmt: skip
        scheduler = chosen.scheduler(world.starts, trial.pages, trial.seed, query=query,
                                     hosts=world.host)  # fmt: skip
        links: dict[int, Pages] = {}
        try:
            ended = crawl(text, scheduler, world, world.starts, trial.pages, policy.scope,
                          on_outcome=_keep_links(links))  # fmt: skip
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_so_far(len(journal.visits), trial.capture)) from None
        if ended.exhausted:
            raise MemoryError(ended.why)
    if trial.run is not None and not ended.failed:
        write_index(trial.run, trial.topic, text, _found(scheduler, world, links))
    return CrawlReport(text, str(policy.scope), trial.seed, trial.pages, starts, journal.visits,
                   ended.why, ended.failed, ended.timed_out)  # fmt: skip


def _keep_links(links: dict[int, Pages]) -> Callable[[Outcome], None]:
    """Return a function that adds the links of each fetched page to `links`."""

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
    """Return whether the address of a start page is on a private network."""
    from counterpoint.crawler.documents.addresses import normalized
    from counterpoint.crawler.fetching.guard import Guard
    from counterpoint.crawler.fetching.politeness import is_here

    address = normalized(start)
    return address is not None and (is_here(address) or bool(Guard().problem(address)))


def _so_far(count: int, capture: Path | None) -> str:
    fetched = f"{count:,} pages were fetched" if count != 1 else "1 page was fetched"
    if capture is None or not count:
        return f"{fetched}; nothing was written"
    return f"{fetched}; {capture} has {'them' if count != 1 else 'it'}"


@contextmanager
def _source(
    chosen: ChosenPolicy, trial: _Trial, rules: ScopeRules
) -> Iterator[tuple[Source, Sequence[str], str]]:
    """Yield the source of pages, the start addresses, and the query."""
    from counterpoint.crawler.archives.fetcher import is_archive
    from counterpoint.crawler.worlds.capture import Recorder

    if trial.replay is not None and not is_archive(trial.replay):
        yield _recorded(chosen, trial, trial.replay)
        return
    if trial.replay is not None:
        with _archived(chosen, trial, rules, trial.replay) as (client, starts):
            yield client, starts, trial.query
        return
    from counterpoint.crawler.fetching.manners import Limits, Manners
    from counterpoint.crawler.worlds.client import Client

    agent = trial.agent or f"counterpoint/{version('counterpoint')}"
    scope = chosen.policy.scope
    leaves = scope is not Scope.SITE and not trial.stay
    private = trial.allow_private or any(map(_is_private, trial.starts))
    manners = Manners(agent, not trial.ignore_robots, trial.delay, leaves, private=private,
                      left_out=rules.problem)  # fmt: skip
    about = {"policy": chosen.text, "scope": str(scope), "stay": trial.stay, "seed": trial.seed,
             "pages": trial.pages, "starts": list(trial.starts), "robots": manners.robots,
             "include": list(trial.include), "exclude": list(trial.exclude),
             "nofollow": trial.nofollow, "canonical": trial.canonical,
             "traps": rules.detectors.spelled(),
             "agent": agent, "contents": chosen.policy.reads, "query": trial.query}  # fmt: skip
    with ExitStack() as stack:
        source: Source = stack.enter_context(
            Client(trial.proxy, manners, Limits(rules=rules.answers), contents=chosen.policy.reads)
        )
        if trial.capture is not None:
            source = stack.enter_context(Recorder(source, trial.capture, about))
        yield source, trial.starts, trial.query


def _recorded(
    chosen: ChosenPolicy, trial: _Trial, path: Path
) -> tuple[Source, Sequence[str], str]:  # fmt: skip
    """Return the answers that --capture wrote, the start addresses, and the query."""
    from counterpoint.crawler.documents.scope import ScopeRules
    from counterpoint.crawler.worlds.capture import Capture

    if ScopeRules(trial.include, trial.exclude).answers:
        raise click.UsageError(
            "--replay: a file of --capture does not have the types and sizes of answers, so rules "
            "of type: and size: need a WARC file or a network"
        )
    capture = Capture(path)
    if capture.torn:
        click.echo(f"counterpoint: {path} is incomplete; its {capture.exchanges:,} "
                   "whole lines are replayed", err=True)  # fmt: skip
    if chosen.policy.reads:
        capture.require_contents(chosen.text)
    return capture, trial.starts or capture.starts, trial.query or capture.query


@contextmanager
def _archived(
    chosen: ChosenPolicy, trial: _Trial, rules: ScopeRules, path: Path
) -> Iterator[tuple[Source, Sequence[str]]]:  # fmt: skip
    """Yield the answers of WARC files, and the start addresses."""
    from counterpoint.crawler.archives.fetcher import ArchiveFetcher
    from counterpoint.crawler.fetching.clock import VirtualClock
    from counterpoint.crawler.fetching.manners import Limits, Manners
    from counterpoint.crawler.worlds.client import Client

    limits = Limits(rules=rules.answers)
    fetcher = ArchiveFetcher(path, limits)
    name_damages(fetcher.web.index.damages)
    starts = trial.starts or fetcher.web.starts(1)
    if not starts:
        fetcher.web.close()
        raise click.UsageError(f"--start: is needed, since {path} has no HTML page")
    leaves = chosen.policy.scope is not Scope.SITE and not trial.stay
    manners = Manners(robots=not trial.ignore_robots, delay=0.0, leaves_site=leaves,
                      left_out=rules.problem)  # fmt: skip
    clock = VirtualClock(float(fetcher.web.begin))
    with Client(None, manners, limits, clock.now, clock.sleep, contents=chosen.policy.reads,
                fetcher=fetcher) as client:  # fmt: skip
        yield client, starts
