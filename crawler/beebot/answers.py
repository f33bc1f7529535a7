"""Answers become part of the store: those that were fetched, and those that it has already."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from counterpoint.crawler.documents.addresses import Spelling, domain, site
from counterpoint.crawler.documents.links import Kind, Reference
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.policy.protocol import Content, Outcome
from counterpoint.crawler.store.recording import TAKEN_OUT, Page, Recording, Row
from counterpoint.crawler.store.schema import Standing, State, stored_key
from counterpoint.crawler.worlds.web_world import LEFT

from .contents import Said, packed, said, unpacked
from .document import Document
from .run import Flying, Run


class Taken(NamedTuple):
    """What an answer brought, for those who watch.

    Attributes
    ----------
    address : str
    seed : int or None
        The number of its site.
    status : int
    internal, external, bad : int
        References.
    size : int
    time : float
    problem : str
    """

    address: str
    seed: int | None
    status: int
    internal: int = 0
    external: int = 0
    bad: int = 0
    size: int = 0
    time: float = 0.0
    problem: str = ""


class Answers:
    """What becomes of answers in a plan that is under way.

    Parameters
    ----------
    run : Run

    Attributes
    ----------
    taken : list of Taken
        What was taken in the present transaction.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._key = Spelling(run.plan.told.normalize).key
        self._started: set[int] = set()
        self._told: list[int] = []
        self._led_to: list[tuple[int, int]] = []
        self.taken: list[Taken] = []

    def take(
        self, recording: Recording, visit: Flying, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Store what was fetched and what it brought, and tell the scheduler."""
        run = self._run
        page = recording.page(visit.page)
        if page is None:
            run.flying.pop(visit.number)  # its site was removed; another plan is about to begin
            return
        places = run.discovery.places
        if page.status == 200 != found.status:
            self._failed_again(recording, visit, page, fetched, found)
            return
        asked = page._replace(final=fetched.final)
        counts = self._links(recording, asked, found.references, fetched.rules)
        external = counts[Kind.EXTERNAL]
        self.taken.append(
            Taken(page.address, page.seed, found.status, counts[Kind.INTERNAL], external,
                  counts[Kind.BAD], found.size, fetched.time, found.problem)
        )  # fmt: skip
        recording.write("answer page", {
            "id": page.id, "status": found.status, "final": fetched.final,
            "problem": found.problem, "size": found.size, "external": external,
        })  # fmt: skip
        self._stand(recording, page, found)
        recording.count(page.seed, fetched=int(page.status is None))
        outcome = run.outcome(page.id, found.status, external, found.size, 0, fetched.time)
        says = None
        if run.reads and found.status == 200:
            content = found.content or Content("", "")
            recording.write("content", {"page": page.id, "packed": packed(content)})
            says = said(content, self._led_to)
        self._observe(recording, visit, outcome, places, problem=found.problem, says=says)

    def _failed_again(
        self, recording: Recording, visit: Flying, page: Page, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Tell the scheduler that a page did not come; what the store has of it stays."""
        self._told = []
        self.taken.append(
            Taken(page.address, page.seed, found.status, time=fetched.time, problem=found.problem)
        )
        recording.write("recall page", {"id": page.id})
        self._stand(recording, page, found)
        outcome = self._run.outcome(page.id, found.status, 0, 0, 0, fetched.time)
        self._observe(recording, visit, outcome, self._run.discovery.places,
                      problem=found.problem)  # fmt: skip

    def recall(self, recording: Recording, visit: Flying, page: Page) -> None:
        """Take an answer from the store."""
        run, dropped = self._run, page.state == State.DROPPED
        status = 0 if dropped else page.status or 0
        places = run.discovery.places
        problem = TAKEN_OUT if dropped else page.problem
        self._told = []
        if status == 200 and run.plan.stays and page.final and (
            site(page.final) != site(page.address)
        ):  # fmt: skip
            status = LEFT
        elif status == 200:
            self._led(recording, page, self._known_targets(recording, page))
        if dropped:
            recording.write("answer page", {
                "id": page.id, "status": 0, "final": "", "problem": problem, "size": page.size,
                "external": page.external,
            })  # fmt: skip
        else:
            recording.write("recall page", {"id": page.id})
        self._stand(recording, page, Document(status, size=page.size, problem=problem))
        outcome = run.outcome(page.id, status, page.external, page.size, 0, 0.0)
        says = None
        if run.reads and status == 200:
            content = unpacked(recording.read("content", page=page.id)[0][0])
            says = said(content, map(tuple, recording.read("positions", page=page.id)))
        self._observe(recording, visit, outcome, places, problem=problem, recalled=True, says=says)

    def is_known(self, recording: Recording, page: Page) -> bool:
        """Tell whether a page need not be fetched: its answer is known, or somebody took it out.

        What led off its site is asked for again where sites are left, and for a policy that reads
        a page of which the store does not have what it says.
        """
        if page.state == State.DROPPED:
            return True
        if self._run.reads and page.status == 200:
            return bool(recording.read("has content", page=page.id))
        led_off = page.status is not None and 300 <= page.status < 400
        return page.status is not None and (not led_off or self._run.plan.stays)

    def _observe(
        self, recording: Recording, visit: Flying, outcome: Outcome, places: int, *,
        problem: str, recalled: bool = False, says: Said | None = None,
    ) -> None:  # fmt: skip
        """Tell the scheduler, of pages as well to which it was not this page that linked."""
        discovery = self._run.discovery
        fresh = discovery.places - places
        told = self._told if outcome.status == 200 else []
        if fresh and not self._run.frontier.used:
            direct = set(told)
            rows = recording.read("places", first=places, end=discovery.places)
            told += [page for _, page in rows if page not in direct]
        self._run.observe(recording, visit, outcome, told, fresh, recalled=recalled,
                          problem=problem, said=says)  # fmt: skip

    def _led(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store what a page leads to, and keep what of it the scheduler is told."""
        found = self._run.discovery.lead(recording, page, targets, rules)
        self._told = [one.id for one in found if one.place is not None and one.place >= 0]
        return found

    def _links(
        self, recording: Recording, page: Page, references: tuple[Reference, ...],
        rules: Rules | None,
    ) -> dict[Kind, int]:  # fmt: skip
        """Store the references of a page; return how many of each kind there are."""
        follows, discovery = self._run.discovery.follows, self._run.discovery
        keys = {
            one.address: stored_key(self._key(one.address)) for one in references
            if one.kind is Kind.INTERNAL or (one.kind is Kind.EXTERNAL and follows(one.address))
        }  # fmt: skip
        known = recording.known(list(dict.fromkeys(keys.values())))
        targets: dict[str, Page] = {}
        for address, key in keys.items():
            targets.setdefault(key, known.get(key) or discovery.new(address, key))
        found = self._led(recording, page, list(targets.values()), rules)
        ids = {one.key: one.id for one in found}
        self._led_to = [
            (one.position, ids[keys[one.address]]) for one in references
            if keys.get(one.address, "") in ids
        ]  # fmt: skip
        rows: dict[Kind, list[Row]] = {kind: [] for kind in Kind}
        for one in references:
            row: Row = {"page": page.id, "position": one.position, "seed": page.seed}
            key = keys.get(one.address, "")
            rows[one.kind].append(row | _COLUMNS[one.kind](one, ids.get(key)))
        internal, external, bad = (rows[kind] for kind in Kind)
        again = page.status is not None
        if again:
            before = recording.read("counts", page=page.id)[0]
            recording.count(page.seed, internal=-before[0], external=-before[1], bad=-before[2])
        recording.add_links(page.id, internal, external, bad, again=again)
        recording.count(page.seed, internal=len(internal), external=len(external), bad=len(bad))
        return {kind: len(of_kind) for kind, of_kind in rows.items()}

    def _known_targets(self, recording: Recording, page: Page) -> list[Page]:
        """Return what a page that the store has leads to."""
        discovery = self._run.discovery
        if discovery.everywhere:
            self._follow(recording, page)
        rows = recording.targets([page.id], everywhere=discovery.everywhere)
        own = site(page.final or page.address)
        return list({
            target.id: target for _, target in rows
            if site(target.address) == own or discovery.follows(target.address)
        }.values())  # fmt: skip

    def _follow(self, recording: Recording, page: Page) -> None:
        """Give pages to links to other sites that an earlier plan did not follow."""
        discovery = self._run.discovery
        rows = [row for row in recording.read("unfollowed", page=page.id)
                if discovery.follows(row[1])]  # fmt: skip
        if not rows:
            return
        keys = {address: stored_key(self._key(address)) for _, address in rows}
        known = recording.known(list(dict.fromkeys(keys.values())))
        made: dict[str, Page] = {}
        for address, key in keys.items():
            if key not in known:
                made.setdefault(key, discovery.new(address, key))
        entered = discovery.enter(recording, page, list(made.values()))
        ids = {one.key: one.id for one in (*known.values(), *entered)}
        recording.write("follow external", [
            {"page": page.id, "position": position, "target": ids[keys[address]]}
            for position, address in rows
        ])  # fmt: skip

    def _stand(self, recording: Recording, page: Page, found: Document) -> None:
        """Say how the page's site stands, if that has changed."""
        if page.seed is None:
            return
        if page.id in self._run.starts:
            none = found.status != 200 or (found.problem and not found.size)
            why = (found.problem or f"HTTP {found.status}") if none else ""
            recording.stand(page.seed, Standing.UNAVAILABLE if none else Standing.STARTED, why)
        elif page.seed not in self._started:
            recording.write("start", {"seed": page.seed})
        self._started.add(page.seed)


def storable(text: str) -> str:
    """Return a text without what no database takes: NUL, and halves of characters."""
    return _NOT_STORABLE.sub("\ufffd", text)


_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")

_COLUMNS: dict[Kind, Callable[[Reference, int | None], Row]] = {
    Kind.INTERNAL: lambda one, target: {"target": target},
    Kind.EXTERNAL: lambda one, target: {
        "address": one.address, "host": site(one.address), "domain": domain(one.address),
        "anchor": storable(one.anchor), "target": target,
    },
    Kind.BAD: lambda one, target: {"text": storable(one.text), "reason": str(one.reason)},
}  # fmt: skip
"""What the tables of links hold, beside what all three do."""
