"""Replays the logged calls of a plan that a scheduler has not seen yet.

For a new scheduler, all calls are replayed, so that it is in the state in which the crawl was; for
one of several workers, the calls that other workers have made since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.limits import TOGETHER_BYTES
from counterpoint.crawler.store.recording import Head, Recording

from .contents import PageContent, page_content, unpacked
from .frontier import NotRepeated
from .run import CrawlRun, PolicyFailure, Visit

CHUNK = 1000
"""How many visits are read at a time."""
NOWHERE = 2**31
"""The position of a page in a document that has no link to it."""


def replay(
    run: CrawlRun, recording: Recording, head: Head, report: Callable[[int], None] | None = None
) -> None:
    """Replay the calls of a plan, from the progress of a run to the progress of the plan.

    Parameters
    ----------
    run : CrawlRun
    recording : Recording
        It is only read.
    head : Head
        The progress of the plan.
    report : callable, optional
        Called from time to time with the number of calls that were replayed.

    Raises
    ------
    CrawlError
        If the policy decides differently than before.
    """
    run.frontier.recording = recording
    places = run.discovery.places
    run.in_flight.clear()
    for number, page, seed, address, issued, *copy in recording.read(
        "flying", plan=run.plan.number
    ):
        etag, modified = copy if run.known and copy[0] is not None else ("", "")
        visit = Visit(number, page, seed, address, etag, modified)
        run.in_flight[number] = visit._replace(sitemap=run.sitemap(recording, visit, issued))
    issued = _issued(run, recording)
    observed = _observed(run, recording)
    asked, answered = next(issued, None), next(observed, None)
    try:
        while run.events < head.events:
            if report is not None and run.events % CHUNK == 0:
                report(run.events)
            if asked is not None and asked.issued == run.events:
                _replay_request(run, asked.page, asked.seed)
                run.visits += 1
                asked = next(issued, None)
            elif answered is not None and answered[0].observed == run.events:
                _replay_outcome(run, *answered)
                answered = next(observed, None)
            else:
                _replay_request(run, None, None)
    except (NotRepeated, PolicyFailure) as error:
        raise CrawlError(
            f"{run.plan.policy}: does not repeat its decisions (call {run.events:,}: {error}), so "
            "the crawl cannot be resumed; with another --seed or policy a new plan begins"
        ) from error
    run.frontier.expected = None
    run.fetched = head.fetched
    offered = recording.read("offered", first=places, end=head.pages)
    run.discovery.catch_up(head, dict(map(tuple, offered)))


def _replay_request(run: CrawlRun, page: int | None, seed: int | None) -> None:
    """Call `next`, and check that it requests the same page again.

    Parameters
    ----------
    run : CrawlRun
    page : int or None
        The page that was requested; None: `next` returned None.
    seed : int or None
        The number of the page's site in the store.
    """
    run.frontier.expected = (-1, None) if page is None else (page, seed)
    found = run.ask()
    if found != page:
        names = ["nothing" if one is None else f"page {one}" for one in (found, page)]
        raise NotRepeated(f"it requests {names[0]} in place of {names[1]}")


def _replay_outcome(
    run: CrawlRun, visit: Any, links: list[int], content: PageContent | None
) -> None:
    """Call `observe` with the outcome of a visit.

    Parameters
    ----------
    run : CrawlRun
    visit : row
        A row of the query ``observed``.
    links : list of int
        The pages of `Outcome.links`.
    content : PageContent or None
        The page's content, for policies that read.
    """
    run.discovery.places += visit.fresh
    outcome = run.outcome(visit.page, visit.status, visit.external, visit.size, visit.difference,
                          visit.time)  # fmt: skip
    run.tell(visit.number, visit.seed, outcome, links, visit.fresh, content)


def _issued(run: CrawlRun, recording: Recording) -> Iterator[Any]:
    """Yield the requests that were not replayed yet: rows of the query ``issued``."""
    first = run.visits
    while rows := recording.read("issued", plan=run.plan.number, first=first, most=CHUNK):
        yield from rows
        first += len(rows)


def _observed(
    run: CrawlRun, recording: Recording
) -> Iterator[tuple[Any, list[int], PageContent | None]]:
    """Yield the visits in the order of their answers, with the links and content of each."""
    first = run.events
    while rows := recording.read("observed", plan=run.plan.number, first=first, most=CHUNK):
        first = rows[-1].observed + 1
        for some in _together(rows):
            links = _links_of(run, recording, some)
            contents = _contents(run, recording, some, links) if run.reads else {}
            for row in some:
                yield row, list(links.pop(row.observed, ())), contents.pop(row.observed, None)


def _together(rows: list[Any]) -> Iterator[list[Any]]:
    """Yield the visits in groups whose links are read together, since large pages have many."""
    found, size = list[Any](), 0
    for row in rows:
        found.append(row)
        size += row.size
        if size >= TOGETHER_BYTES:
            yield found
            found, size = [], 0
    if found:
        yield found


def _contents(
    run: CrawlRun, recording: Recording, rows: list[Any], links: dict[int, dict[int, int]]
) -> dict[int, PageContent]:
    """Return the contents of the pages of some outcomes.

    Parameters
    ----------
    run : CrawlRun
    recording : Recording
    rows : list
        Rows of the query ``observed``.
    links : dict
        As `_links_seen` returns them.

    Returns
    -------
    dict of int to PageContent
        By the number of the event.
    """
    kept = recording.read("contents", plan=run.plan.number, first=rows[0].observed,
                          last=rows[-1].observed)  # fmt: skip
    found = {}
    for event, data in kept:
        pages = links.get(event, {}).items()
        found[event] = page_content(unpacked(data), ((position, page) for page, position in pages))
    return found


def _links_of(run: CrawlRun, recording: Recording, rows: list[Any]) -> dict[int, dict[int, int]]:
    """Return the links that the scheduler saw in some outcomes, as `_links_seen` does."""
    if run.plan.keeps:
        return _links_met(run, recording, rows, {row.observed: {} for row in rows})
    return {} if run.frontier.used or run.known else _links_seen(run, recording, rows)


def _links_seen(run: CrawlRun, recording: Recording, rows: list[Any]) -> dict[int, dict[int, int]]:
    """Return the links that the scheduler saw in some outcomes.

    A page that was known before is included if it had its place by then. Pages to which the
    document has no link are those that came within the limits because their levels were lowered.
    A page is not seen if no link leads to it that the plan follows.

    Parameters
    ----------
    run : CrawlRun
    recording : Recording
    rows : list
        Rows of the query ``observed``.

    Returns
    -------
    dict of int to dict of int to int
        By the number of the event: the pages, each with the position of its first link.
    """
    end, ends = run.discovery.places, {}
    for row in rows:
        end += row.fresh
        ends[row.observed] = end
    seen: dict[int, dict[int, int]] = {row.observed: {} for row in rows}
    followed: dict[int, set[int]] = {row.observed: set() for row in rows}
    shut = run.discovery.shut
    kind = "site links" if run.plan.stays and run.plan.scope == "site" else "all links"
    links = recording.read(kind, plan=run.plan.number, first=rows[0].observed,
                           last=rows[-1].observed)  # fmt: skip
    for link in links:
        if link.place is not None and 0 <= link.place < ends[link.observed]:
            seen[link.observed].setdefault(link.target, link.position)
            if not link.mark & shut:
                followed[link.observed].add(link.target)
    if shut:
        seen = {event: {page: position for page, position in found.items()
                        if page in followed[event]} for event, found in seen.items()}  # fmt: skip
    return _links_met(run, recording, rows, seen)


def _links_met(
    run: CrawlRun, recording: Recording, rows: list[Any], seen: dict[int, dict[int, int]]
) -> dict[int, dict[int, int]]:
    """Add the pages that each outcome was the first to meet to the links that were seen.

    Parameters
    ----------
    run : CrawlRun
    recording : Recording
    rows : list
        Rows of the query ``observed``.
    seen : dict of int to dict of int to int
        By the number of the event: the pages, each with the position of its first link.
    """
    first = begin = run.discovery.places
    end = first + sum(row.fresh for row in rows)
    placed = {row.place: row.id for row in recording.read("places", first=first, end=end)}
    for row in rows:
        for place in range(begin, begin + row.fresh):
            seen[row.observed].setdefault(placed[place], NOWHERE)
        begin += row.fresh
    return seen
