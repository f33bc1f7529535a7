"""Leads a scheduler through the calls of a plan's log that it has not made itself.

A new one is led through all of them, so that it is where the crawl was; one of several workers
through those that others have made since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.recording import Head, Recording

from .contents import Said, said, unpacked
from .frontier import NotRepeated
from .run import Failed, Flying, Run

CHUNK = 1000
"""Visits that are read at a time."""
NOWHERE = 2**31
"""The position of a page in a document that has no link to it."""


def replay(
    run: Run, recording: Recording, head: Head, tell: Callable[[int], None] | None = None
) -> None:
    """Repeat the calls of a plan from where a run is.

    Parameters
    ----------
    run : Run
    recording : Recording
        Only read.
    head : Head
        Where the plan is.
    tell : callable, optional
        Told from time to time how many calls have been repeated.

    Raises
    ------
    CrawlError
        If the policy does not repeat itself.
    """
    run.frontier.recording = recording
    places = run.discovery.places
    run.flying.clear()
    for number, page, seed, address, *copy in recording.read("flying", plan=run.plan.number):
        etag, modified = copy if run.known and copy[0] is not None else ("", "")
        run.flying[number] = Flying(number, page, seed, address, etag, modified)
    issued = _issued(run, recording)
    observed = _observed(run, recording)
    asked, answered = next(issued, None), next(observed, None)
    try:
        while run.events < head.events:
            if tell is not None and run.events % CHUNK == 0:
                tell(run.events)
            if asked is not None and asked[0] == run.events:
                _ask(run, asked[1], asked[2])
                run.visits += 1
                asked = next(issued, None)
            elif answered is not None and answered[0] == run.events:
                _tell(run, answered)
                answered = next(observed, None)
            else:
                _ask(run, None, None)
    except (NotRepeated, Failed) as error:
        raise CrawlError(
            f"{run.plan.policy}: does not repeat itself (call {run.events:,}: {error}), so the "
            "crawl cannot go on as it was; with another --seed or policy it begins a new plan"
        ) from error
    run.frontier.expected = None
    run.fetched = head.fetched
    offered = recording.read("offered", first=places, end=head.pages)
    run.discovery.catch_up(head, dict(map(tuple, offered)))


def _ask(run: Run, page: int | None, seed: int | None) -> None:
    run.frontier.expected = (-1, None) if page is None else (page, seed)
    found = run.ask()
    if found != page:
        said = ["nothing" if one is None else f"page {one}" for one in (found, page)]
        raise NotRepeated(f"it asks for {said[0]} in place of {said[1]}")


def _tell(run: Run, visit: tuple[Any, ...]) -> None:
    _, number, page, seed, status, external, fresh, size, difference, time, told, says = visit
    run.discovery.places += fresh
    outcome = run.outcome(page, status, external, size, difference, time)
    run.tell(number, seed, outcome, told, fresh, says)


def _issued(run: Run, recording: Recording) -> Iterator[tuple[int, int, int | None]]:
    first = run.visits
    while rows := recording.read("issued", plan=run.plan.number, first=first, most=CHUNK):
        yield from rows
        first += len(rows)


def _observed(run: Run, recording: Recording) -> Iterator[tuple[Any, ...]]:
    """Yield visits as they were answered, with the pages that the scheduler was told of."""
    first = run.events
    while rows := recording.read("observed", plan=run.plan.number, first=first, most=CHUNK):
        told = {} if run.frontier.used or run.known else _told(run, recording, rows)
        says = _said(run, recording, rows, told) if run.reads else {}
        for row in rows:
            yield (*row, list(told.get(row[0], ())), says.get(row[0]))
        first = rows[-1][0] + 1


def _said(
    run: Run, recording: Recording, rows: list[Any], told: dict[int, dict[int, int]]
) -> dict[int, Said]:
    """Return what the page of each of some outcomes says, by the number of its event."""
    kept = recording.read("contents", plan=run.plan.number, first=rows[0][0], last=rows[-1][0])
    found = {}
    for event, data in kept:
        links = told.get(event, {}).items()
        found[event] = said(unpacked(data), ((position, page) for page, position in links))
    return found


def _told(run: Run, recording: Recording, rows: list[Any]) -> dict[int, dict[int, int]]:
    """Return what each of some outcomes led to, by the number of its event: page and position.

    A page that was known before was told of if it had its place by then. Pages to which no link of
    the document leads are such as came within the limits by its levels.
    """
    end = run.discovery.places
    ends, begins = {}, {}
    for row in rows:
        begins[row[0]], end = end, end + row[6]
        ends[row[0]] = end
    told: dict[int, dict[int, int]] = {row[0]: {} for row in rows}
    kind = "told" if run.plan.stays and run.plan.scope == "site" else "all told"
    links = recording.read(kind, plan=run.plan.number, first=rows[0][0], last=rows[-1][0])
    for event, position, target, place in links:
        if place is not None and 0 <= place < ends[event]:
            told[event].setdefault(target, position)
    placed = dict(map(tuple, recording.read("places", first=begins[rows[0][0]], end=end)))
    for row in rows:
        for place in range(begins[row[0]], ends[row[0]]):
            told[row[0]].setdefault(placed[place], NOWHERE)
    return told
