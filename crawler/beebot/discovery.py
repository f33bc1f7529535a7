"""What pages lead to: which pages are new, at which level, and which of them may be asked for.

A page's level is the fewest links from a start page. Where several requests are in flight a page
may be found by a longer way first; when a shorter one is found its level is lowered, and that of
what it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.robots import Rules, origin
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.recording import BEYOND, Head, Page, Recording, Row
from counterpoint.crawler.store.schema import State

from .plan import Plan

NEW = -1
"""The state of a page that the store does not have yet."""


class Discovery:
    """Gives pages numbers, levels and places, within a plan's limits.

    Parameters
    ----------
    plan : Plan
    offered : mapping of int to int
        How many start pages of each site there are.

    Attributes
    ----------
    places : int
        How many pages the plan's scheduler was told of.
    pages : int
        How many pages there are.
    """

    def __init__(self, plan: Plan, offered: Mapping[int, int]) -> None:
        self.places, self.pages = len(plan.starts), 0
        self.everywhere = plan.scope is Scope.WEB
        self._stays = plan.stays
        self._offered = dict(offered)
        told = plan.told
        self.seeds = {of.site: of.number for of in told.sites}
        self._levels = {s.number: told.level if s.level is None else s.level for s in told.sites}
        self._caps = {s.number: told.cap if s.cap is None else s.cap for s in told.sites}
        self._level, self._robots = told.level, told.robots
        self._rules: Rules | None = None
        self._origin = ""
        self._added: list[Row] = []
        self._met: list[Row] = []
        self._adopted: list[tuple[Page, int]] = []
        self._lowered: dict[int, int] = {}

    def catch_up(self, head: Head, offered: Mapping[int, int]) -> None:
        """Take note of how far the plan is, and of how many more pages of each site it has met."""
        self.places = head.pages
        self.pages = 0 if head.last_page is None else head.last_page + 1
        for seed, count in offered.items():
            self._offered[seed] = self._offered.get(seed, 0) + count

    def new(self, address: str, key: str) -> Page:
        """Return a page that the store does not have yet; `lead` gives it a number."""
        return Page(-1, None, None, 0, NEW, None, address, key)

    def follows(self, address: str) -> bool:
        """Tell whether a link to another site is one that may be followed."""
        return self.everywhere and (not self._stays or site(address) in self.seeds)

    def enter(self, recording: Recording, page: Page, targets: Sequence[Page]) -> list[Page]:
        """Store new pages that a page leads to, before the plan meets them."""
        found = []
        for target in targets:
            seed = self.seeds.get(site(target.address))
            row = {"id": self.pages, "seed": seed, "place": None, "level": page.level + 1,
                   "found_on": page.id, "state": int(State.BEYOND), "problem": "",
                   "address": target.address, "key": target.key}  # fmt: skip
            self._added.append(row)
            found.append(target._replace(id=self.pages, seed=seed, state=State.BEYOND))
            self.pages += 1
        self._write(recording)
        return found

    def lead(
        self, recording: Recording, page: Page, targets: Sequence[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store that a page leads to others.

        Parameters
        ----------
        recording : Recording
        page : Page
        targets : sequence of Page
            Distinct, in the order of appearance.
        rules : Rules, optional
            What the page's origin forbids; if it was not asked now, what it forbade then counts.

        Returns
        -------
        list of Page
            The targets as they are then.
        """
        self._rules, self._origin = rules, origin(page.final or page.address)
        found = [self._meet(target, page.level + 1, page.id) for target in targets]
        self._write(recording)
        if self._lowered:
            self._lower(recording)
        return found

    def _meet(self, page: Page, level: int, found_on: int) -> Page:
        """Return a page as it is after a way to it at some level was found."""
        if page.place is not None and level >= page.level:
            return page
        seed = self.seeds.get(site(page.address))
        place, state, problem = page.place, page.state, page.problem
        if place is None or place == BEYOND:
            problem = self._problem(page)
            place = BEYOND if problem and page.status is None else self._place(level, seed)
            state = State.BEYOND if place == BEYOND else State.QUEUED
        row: Row = {"id": page.id, "seed": seed, "place": place, "level": level,
                    "found_on": found_on, "state": int(state), "problem": problem}  # fmt: skip
        if page.state == NEW:
            row["id"] = self.pages
            self.pages += 1
            self._added.append(row | {"address": page.address, "key": page.key})
        else:
            self._met.append(row)
            if seed is not None and page.seed is None:
                self._adopted.append((page, seed))
            if page.state == State.DONE and page.place is not None:
                self._lowered[page.id] = level
        return page._replace(id=row["id"], seed=seed, place=place, level=level, state=state)

    def _problem(self, page: Page) -> str:
        """Return why a page that has no answer is not to be asked for; else what its answer was."""
        if page.status is not None:
            return page.problem
        if self._rules is not None and origin(page.address) == self._origin:
            return self._rules.problem(page.address)
        return page.problem if self._robots else ""

    def _place(self, level: int, seed: int | None) -> int:
        """Return a page's place among those that the scheduler is told of."""
        limit = self._levels.get(seed, self._level) if seed is not None else self._level
        if limit is not None and level > limit:
            return BEYOND
        if seed is not None:
            cap, known = self._caps[seed], self._offered.get(seed, 0)
            if cap is not None and known >= cap:
                return BEYOND
            self._offered[seed] = known + 1
        self.places += 1
        return self.places - 1

    def _write(self, recording: Recording) -> None:
        """Write what is new, and count it for its site."""
        recording.write("add page", self._added)
        recording.write("meet page", self._met)
        known: dict[int, int] = {}
        for row in self._added:
            if row["seed"] is not None:
                known[row["seed"]] = known.get(row["seed"], 0) + 1
        for seed, count in known.items():
            recording.count(seed, known=count)
        for page, seed in self._adopted:
            recording.adopt(page, seed)
        self._added, self._met, self._adopted = [], [], []

    def _lower(self, recording: Recording) -> None:
        """Lower the levels of what pages lead to whose own levels were lowered."""
        self._rules = None
        while self._lowered:
            wave, self._lowered = self._lowered, {}
            latest: dict[int, Page] = {}
            for source, target in recording.targets(list(wave), everywhere=self.everywhere):
                if not self._stays or site(target.address) in self.seeds:
                    now = latest.get(target.id, target)
                    latest[target.id] = self._meet(now, wave[source] + 1, source)
            self._write(recording)
