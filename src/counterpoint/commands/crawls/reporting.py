"""The report of a crawl, as text and as JSON, and its index as a run of TREC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import must_be_writable
from counterpoint.crawler.documents.addresses import site

if TYPE_CHECKING:
    from counterpoint.crawler.documents.exchange import Exchange, Source

TOPIC = "1"
"""The name of the topic in a run of TREC, if the user gives no other."""


class Journal:
    """A source that records the answers of another, without the links within sites.

    Parameters
    ----------
    source : Source
        Fetches the pages.
    report : callable or None
        Called with a line on the progress after each page.
    """

    def __init__(self, source: Source, report: Callable[[str], None] | None = None) -> None:
        self._source, self._report = source, report
        self.visits: list[Exchange] = []

    def get(self, address: str) -> Exchange:
        """Fetch an address from the other source, and record the answer."""
        exchange = self._source.get(address)
        self.visits.append(exchange._replace(links=tuple(exchange.outside)))
        if self._report is not None:
            self._report(f"{len(self.visits):,} pages, {address}")
        return exchange


@dataclass(frozen=True)
class CrawlReport:
    """What a crawl without a store visited.

    Attributes
    ----------
    policy, scope : str
        The policy as the user named it, and which links it follows.
    seed, pages : int
        The seed, and how many pages might be fetched.
    starts : sequence of str
        The addresses of the start pages.
    visits : sequence of Exchange
        In order; their links are those to other sites.
    why : str
        Why it ended.
    failed : bool
        Whether the policy broke a rule for policies.
    timed_out : bool
        Whether it failed only because a step took too long.
    """

    policy: str
    scope: str
    seed: int
    pages: int
    starts: Sequence[str]
    visits: Sequence[Exchange]
    why: str
    failed: bool
    timed_out: bool = False

    def has_pages(self) -> bool:
        """Return whether at least one page was fetched."""
        return any(visit.status == 200 for visit in self.visits)

    @property
    def unknown(self) -> int:
        """How many addresses were asked for that a replayed WARC file does not have."""
        from counterpoint.crawler.documents.exchange import NOT_CAPTURED

        return sum(visit.problem == NOT_CAPTURED for visit in self.visits)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "policy": self.policy, "scope": self.scope, "seed": self.seed, "pages": self.pages,
            "starts": list(self.starts), "ended": self.why, "failed": self.failed,
            "visited": len(self.visits), "unknown": self.unknown,
            "external": sum(visit.external for visit in self.visits),
            "sites": [
                {
                    "site": name,
                    "visits": [{"step": step, **_visit(visit)} for step, visit in visits],
                    "external": _external(visits),
                }
                for name, visits in self._by_site().items()
            ],
        }  # fmt: skip

    def text(self) -> str:
        """Return the report as text."""
        lines: list[str] = []
        for name, visits in self._by_site().items():
            links = sum(visit.external for _, visit in visits)
            elsewhere = _external(visits)
            where = f" to {counted(len(elsewhere), 'address', 'es')}" if links else ""
            external = counted(links, "external link")
            lines.append(f"{name}: {counted(len(visits), 'page')}, {external}{where}")
            lines += [_line(step, visit) for step, visit in visits]
            lines += [f"            -> {address}" for address in elsewhere]
            lines.append("")
        links = sum(visit.external for visit in self.visits)
        lines.append(f"{counted(len(self.visits), 'page')}, {counted(links, 'external link')}")
        if self.unknown:
            lines.append(f"unknown: {self.unknown:,} of these, which the capture does not have")
        lines.append(f"ended: {self.why}")
        return "\n".join(lines) + "\n"

    def _by_site(self) -> dict[str, list[tuple[int, Exchange]]]:
        """Return the numbered visits of each site; sites in the order of their first visit."""
        found: dict[str, list[tuple[int, Exchange]]] = {}
        for step, visit in enumerate(self.visits, 1):
            found.setdefault(site(visit.address), []).append((step, visit))
        return found


def _visit(visit: Exchange) -> dict[str, Any]:
    fields = {"address": visit.address, "status": visit.status, "external": visit.external,
            "size": visit.size, "time": round(visit.time, 3)}  # fmt: skip
    return fields | {k: v for k, v in (("final", visit.final), ("problem", visit.problem)) if v}


def _line(step: int, visit: Exchange) -> str:
    more = f" -> {visit.final}" * bool(visit.final) + f" ({visit.problem})" * bool(visit.problem)
    return f"{step:>7}  {visit.status or '---'}  {visit.address}{more}"


def _external(visits: Sequence[tuple[int, Exchange]]) -> list[str]:
    """Return the addresses to which visited pages of a site link on other sites, in order."""
    return list(dict.fromkeys(address for _, visit in visits for address in visit.links))


def counted(number: int, unit: str, plural: str = "s") -> str:
    """Return a number with its unit: ``1 page``, ``2 pages``."""
    return f"{number:,} {unit}{plural * (number != 1)}"


def check_run(path: Path | None, topic: str, replaces: bool = True) -> None:
    """Refuse a run of TREC that cannot be written, or that no reader would accept.

    Parameters
    ----------
    path : Path or None
        The file.
    topic : str
        The topic of all lines.
    replaces : bool
        Whether a file that exists is refused; a crawl that is resumed writes its run anew.
    """
    if len(topic.split()) != 1 or topic.startswith("#"):
        raise click.UsageError("--topic: must be one word, and not begin with #, as comments do")
    must_be_writable("--run", path, replaces)


def write_index(path: Path, topic: str, policy: str, addresses: Sequence[str]) -> None:
    """Write the index of a crawl as a run of TREC: the score of the n-th of k pages is k - n."""
    from counterpoint.crawler.evaluation.trec import write_run

    scores = {address: float(len(addresses) - n) for n, address in enumerate(addresses, 1)}
    write_run(path, {topic: scores}, "".join(policy.split()))
    click.echo(f"{path} has the pages that were found", err=True)
