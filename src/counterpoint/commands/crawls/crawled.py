"""What a crawl visited, for people and for programs."""

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
"""What a run of TREC calls what is looked for, if nothing else is said."""


class Journal:
    """A source that keeps what another brings, but for links within sites.

    Parameters
    ----------
    source : Source
    tell : callable or None
        Told how far it is.
    """

    def __init__(self, source: Source, tell: Callable[[str], None] | None = None) -> None:
        self._source, self._tell = source, tell
        self.visits: list[Exchange] = []

    def get(self, address: str) -> Exchange:
        """Ask the other source."""
        told = self._source.get(address)
        self.visits.append(told._replace(links=tuple(told.outside)))
        if self._tell is not None:
            self._tell(f"{len(self.visits):,} pages, {address}")
        return told


@dataclass(frozen=True)
class Crawled:
    """A crawl that is over.

    Attributes
    ----------
    policy, scope : str
    seed, pages : int
        As asked for.
    starts : sequence of str
    visits : sequence of Exchange
        In order; their links are those to other sites.
    why : str
        Why it ended.
    failed : bool
        Whether the policy broke a rule for policies.
    """

    policy: str
    scope: str
    seed: int
    pages: int
    starts: Sequence[str]
    visits: Sequence[Exchange]
    why: str
    failed: bool

    def reached(self) -> bool:
        """Tell whether any page came."""
        return any(visit.status == 200 for visit in self.visits)

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "policy": self.policy, "scope": self.scope, "seed": self.seed, "pages": self.pages,
            "starts": list(self.starts), "ended": self.why, "failed": self.failed,
            "visited": len(self.visits),
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
        """Return it for people."""
        lines: list[str] = []
        for name, visits in self._by_site().items():
            links = sum(visit.external for _, visit in visits)
            elsewhere = _external(visits)
            where = f" to {counted(len(elsewhere), 'address', 'es')}" if links else ""
            links_said = counted(links, "external link")
            lines.append(f"{name}: {counted(len(visits), 'page')}, {links_said}{where}")
            lines += [_line(step, visit) for step, visit in visits]
            lines += [f"            -> {address}" for address in elsewhere]
            lines.append("")
        links = sum(visit.external for visit in self.visits)
        lines.append(f"{counted(len(self.visits), 'page')}, {counted(links, 'external link')}")
        lines.append(f"ended: {self.why}")
        return "\n".join(lines) + "\n"

    def _by_site(self) -> dict[str, list[tuple[int, Exchange]]]:
        """Return the visits of each site with their numbers, from 1 on; sites as they came."""
        found: dict[str, list[tuple[int, Exchange]]] = {}
        for step, visit in enumerate(self.visits, 1):
            found.setdefault(site(visit.address), []).append((step, visit))
        return found


def _visit(visit: Exchange) -> dict[str, Any]:
    told = {"address": visit.address, "status": visit.status, "external": visit.external,
            "size": visit.size, "time": round(visit.time, 3)}  # fmt: skip
    return told | {k: v for k, v in (("final", visit.final), ("problem", visit.problem)) if v}


def _line(step: int, visit: Exchange) -> str:
    more = f" -> {visit.final}" * bool(visit.final) + f" ({visit.problem})" * bool(visit.problem)
    return f"{step:>7}  {visit.status or '---'}  {visit.address}{more}"


def _external(visits: Sequence[tuple[int, Exchange]]) -> list[str]:
    """Return the addresses to which visited pages of a site link on other sites, as met."""
    return list(dict.fromkeys(address for _, visit in visits for address in visit.links))


def counted(number: int, what: str, plural: str = "s") -> str:
    """Return a number with what it counts: ``1 page``, ``2 pages``."""
    return f"{number:,} {what}{plural * (number != 1)}"


def check_run(path: Path | None, topic: str) -> None:
    """Refuse a run of TREC that cannot be written, or that nobody could read."""
    if len(topic.split()) != 1:
        raise click.UsageError("--topic: must be one word")
    must_be_writable("--run", path)


def write_index(path: Path, topic: str, policy: str, addresses: Sequence[str]) -> None:
    """Write the index of a crawl as a run of TREC: the score of the n-th of k pages is k - n."""
    from counterpoint.crawler.evaluation.trec import write_run

    scores = {address: float(len(addresses) - n) for n, address in enumerate(addresses, 1)}
    write_run(path, {topic: scores}, "".join(policy.split()))
    click.echo(f"{path} holds what was found", err=True)
