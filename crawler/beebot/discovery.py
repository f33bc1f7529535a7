"""Adds the pages that a page links to: gives them ids, levels, and places in the frontier.

The level of a page is the smallest number of links on a path from a start page. If several requests
are in flight, a longer path to a page may be found first. When a shorter one is found, the page's
level is lowered, and the levels of the pages that it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.crawler.documents.addresses import Spelling, site
from counterpoint.crawler.documents.robots import Rules, origin
from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.limits import ROWS
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.store.recording import BEYOND, Head, Page, Recording, Row
from counterpoint.crawler.store.schema import State

from .plan import CrawlPlan
from .trapping import TrapCounts

NEW = -1
"""The state of a page that the store does not have yet."""


class Discovery:
    """Gives pages ids, levels and places, within a plan's limits.

    Parameters
    ----------
    plan : CrawlPlan
    offered : mapping of int to int
        How many start pages of each site there are.

    Attributes
    ----------
    places : int
        How many pages have a place: the plan's scheduler knows them.
    pages : int
        How many pages the store has.
    shut : int
        The marks of links that the plan does not follow.
    """

    def __init__(self, plan: CrawlPlan, offered: Mapping[int, int]) -> None:
        self.places, self.pages = len(plan.starts), 0
        self.everywhere = plan.scope is Scope.WEB
        self._stays = plan.stays
        self._offered = dict(offered)
        given = plan.options
        self.seeds = {one.site: one.number for one in given.sites}
        self._levels = {s.number: given.level if s.level is None else s.level for s in given.sites}
        self._caps = {s.number: given.cap if s.cap is None else s.cap for s in given.sites}
        self._level, self._robots = given.level, given.robots
        self._most = plan.budget if plan.keeps else None
        self._scope, self.shut = given.rules, given.shut
        self._traps = TrapCounts(given.rules.detectors, Spelling(given.normalize).key)
        self._rules: Rules | None = None
        self._origin = ""
        self._added: list[Row] = []
        self._met: list[Row] = []
        self._adopted: list[tuple[Page, int]] = []
        self._lowered: dict[int, int] = {}

    def catch_up(self, head: Head, offered: Mapping[int, int]) -> None:
        """Take over the progress of the plan after a replay.

        Parameters
        ----------
        head : Head
            The progress of the plan.
        offered : mapping of int to int
            How many more pages of each site got a place.
        """
        self.places = head.pages
        self.pages = 0 if head.last_page is None else head.last_page + 1
        for seed, count in offered.items():
            self._offered[seed] = self._offered.get(seed, 0) + count

    def new(self, address: str, key: str) -> Page:
        """Return a page that the store does not have yet; `lead` gives it an id."""
        return Page(-1, None, None, 0, NEW, None, address, key)

    def follows(self, address: str) -> bool:
        """Return whether a link to another site may be followed."""
        return self.everywhere and (not self._stays or site(address) in self.seeds)

    def allows(
        self, recording: Recording, page: Page, target: Page, rules: Rules | None
    ) -> bool:  # fmt: skip
        """Return whether a page to which another one links can be fetched in this plan.

        A rule of scope, a detector of traps, robots.txt, the level or the cap of its site may leave
        it out.

        Parameters
        ----------
        recording : Recording
        page, target : Page
        rules : Rules or None
            As for `lead`.
        """
        self._rules, self._origin = rules, origin(page.final or page.address)
        left_out = self._scope.problem(target.address)
        if left_out or (target.status is None and self._problem(target, "")):
            return False
        if target.place is not None and target.place != BEYOND:
            return True
        self._traps.look(recording, [target])
        fits = self._fits(page.level + 1, self.seeds.get(site(target.address)))
        return fits and not self._traps.problem(target)

    def leave(
        self, recording: Recording, page: Page, targets: Sequence[tuple[Page, str]]
    ) -> list[Page]:
        """Store pages to which only links lead that the plan does not follow.

        Parameters
        ----------
        recording : Recording
        page : Page
        targets : sequence of (Page, str)
            Each with the reason, which becomes its problem if no rule of scope has another one.

        Returns
        -------
        list of Page
            The targets with their ids.
        """
        found = [target for target, _ in targets if target.state != NEW]
        left = [(one, self._scope.problem(one.address) or why) for one, why in targets]
        for why in dict.fromkeys(why for _, why in left):
            new = [one for one, other in left if other == why and one.state == NEW]
            found += self.enter(recording, page, new, why)
        recording.write("leave page", [
            {"id": one.id, "problem": why} for one, why in left
            if one.state == State.BEYOND and one.problem != why
        ])  # fmt: skip
        return found

    def enter(
        self, recording: Recording, page: Page, targets: Sequence[Page], problem: str = ""
    ) -> list[Page]:
        """Store new pages that a page links to, before the plan meets them.

        Parameters
        ----------
        recording : Recording
        page : Page
        targets : sequence of Page
            Pages from `new`.
        problem : str
            Why they are not followed; "": the plan has not met them.

        Returns
        -------
        list of Page
            The targets with their ids.
        """
        found = []
        for target in targets:
            seed = self.seeds.get(site(target.address))
            row = {"id": self.pages, "seed": seed, "place": None, "level": page.level + 1,
                   "found_on": page.id, "state": int(State.BEYOND), "problem": problem,
                   "address": target.address, "key": target.key}  # fmt: skip
            self._added.append(row)
            found.append(target._replace(id=self.pages, seed=seed, state=State.BEYOND))
            self.pages += 1
        self._write(recording)
        return found

    def lead(
        self, recording: Recording, page: Page, targets: Sequence[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store that a page links to other pages.

        Parameters
        ----------
        recording : Recording
        page : Page
        targets : sequence of Page
            Distinct, in the order of appearance.
        rules : Rules, optional
            The robots.txt rules of the page's origin; None: they were not requested now, and the
            problems that the store has are valid.

        Returns
        -------
        list of Page
            The targets with their present ids, levels, places and states.
        """
        self._rules, self._origin = rules, origin(page.final or page.address)
        found: list[Page] = []
        for first in range(0, len(targets), ROWS):
            some = targets[first : first + ROWS]
            self._traps.look(recording, some)
            found += [self._meet(target, page.level + 1, page.id) for target in some]
            self._write(recording)
        if self._lowered:
            self._lower(recording)
        return found

    def _meet(self, page: Page, level: int, found_on: int) -> Page:
        """Record that a path to a page was found, and return the page with its new values.

        Parameters
        ----------
        page : Page
        level : int
            The length of the path.
        found_on : int
            The last page before it on the path.
        """
        if page.place is not None and level >= page.level:
            return page
        seed = self.seeds.get(site(page.address))
        place, state, problem = page.place, page.state, page.problem
        if place is None or place == BEYOND:
            left_out = self._scope.problem(page.address) or self._traps.problem(page)
            problem = self._problem(page, left_out)
            shut = left_out or (problem and page.status is None)
            place = BEYOND if shut else self._place(level, seed)
            if place != BEYOND:
                self._traps.count(page)
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

    def _problem(self, page: Page, left_out: str) -> str:
        """Return why a page must not be requested, or the problem of its answer if it has one.

        Parameters
        ----------
        page : Page
        left_out : str
            Which rule of scope leaves it out.
        """
        if page.status is not None:
            return page.problem
        if left_out:
            return left_out
        if self._rules is not None and origin(page.address) == self._origin:
            return self._rules.problem(page.address)
        earlier = page.problem.startswith(LEFT_OUT)  # by the rules of an earlier plan
        return page.problem if self._robots and not earlier else ""

    def _place(self, level: int, seed: int | None) -> int:
        """Return the next place, or `BEYOND` if the level or the site's cap excludes the page."""
        if not self._fits(level, seed):
            return BEYOND
        if seed is not None:
            self._offered[seed] = self._offered.get(seed, 0) + 1
        self.places += 1
        return self.places - 1

    def _fits(self, level: int, seed: int | None) -> bool:
        """Return whether the level, the cap of a site and the budget allow one more page of it."""
        if self._most is not None and self.places >= self._most:
            return False
        limit = self._levels.get(seed, self._level) if seed is not None else self._level
        cap = None if seed is None else self._caps[seed]
        known = 0 if seed is None else self._offered.get(seed, 0)
        return (limit is None or level <= limit) and (cap is None or known < cap)

    def _write(self, recording: Recording) -> None:
        """Write new and changed pages, and count new ones for their sites."""
        if not (self._added or self._met or self._adopted):
            return
        recording.write("add page", self._added)
        recording.write("meet page", self._met)
        self._traps.write(recording)
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
        """Lower the levels of the pages that are linked from pages whose levels were lowered."""
        self._rules = None
        while self._lowered:
            wave, self._lowered = self._lowered, {}
            latest: dict[int, Page] = {}
            links = recording.targets(list(wave), everywhere=self.everywhere)
            self._traps.look(recording, [target for _, _, target in links])
            for source, mark, target in links:
                allowed = not self._stays or site(target.address) in self.seeds
                if allowed and not mark & self.shut:
                    now = latest.get(target.id, target)
                    latest[target.id] = self._meet(now, wave[source] + 1, source)
            self._write(recording)
