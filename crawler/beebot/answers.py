"""Stores answers and passes them to the scheduler; also answers that the store already has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from counterpoint.crawler.documents.addresses import Spelling, site
from counterpoint.crawler.documents.copies import noted, together
from counterpoint.crawler.documents.links import Kind, Reference
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.limits import ROWS
from counterpoint.crawler.policy.protocol import Content, Outcome
from counterpoint.crawler.store.recording import TAKEN_OUT, Page, Recording, Row, Target
from counterpoint.crawler.store.schema import Standing, State, stored_key
from counterpoint.crawler.worlds.web_world import LEFT

from .columns import ROW
from .contents import PageContent, packed, page_content, unpacked
from .document import Document, is_left_out
from .following import Following, reason, within
from .run import CrawlRun, Visit
from .sitemaps import SitemapNames
from .stored_answer import StoredAnswer


class Answers:
    """Stores the answers of a plan, and passes them to its scheduler.

    Parameters
    ----------
    run : CrawlRun

    Attributes
    ----------
    stored : list of StoredAnswer
        The answers of the present transaction.
    """

    def __init__(self, run: CrawlRun) -> None:
        self._run = run
        self._key = Spelling(run.plan.options.normalize).key
        self._following = Following(run.discovery, run.plan.options.canonical, self._key)
        self._started: set[int] = set()
        self._links_seen: list[int] = []
        self._reads_targets = run.reads or run.known or run.plan.options.sitemaps
        self._link_targets: list[tuple[int, int]] = []
        self._followed: set[int] = set()
        self._sitemaps = SitemapNames(run.plan, run.discovery, self._meet)
        self.stored: list[StoredAnswer] = []

    def take(
        self, recording: Recording, visit: Visit, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Store an answer with its links, and pass the outcome to the scheduler.

        Parameters
        ----------
        recording : Recording
        visit : Visit
        fetched : Fetched
            The answer.
        found : Document
            The document of the answer.
        """
        run, page = self._run, recording.page(visit.page)
        if page is None:
            run.in_flight.pop(visit.number)  # its site was removed; a new plan is about to begin
            return
        places = run.discovery.places
        if self._keeps(recording, page, found):
            self.stored.append(StoredAnswer(page.address, page.seed, found.status, size=page.size,
                                            time=fetched.time, problem=found.problem))  # fmt: skip
            self.recall(recording, visit, page)
            return
        if page.status == 200 != found.status:
            self._failed_again(recording, visit, page, fetched, found)
            return
        asked = page._replace(final=fetched.final)
        counts = self._links(recording, asked, found.references, fetched.rules)
        self._sitemaps.take(recording, asked, fetched, found, self._link_targets)
        external = counts[Kind.EXTERNAL]
        found = self._noted(recording, page, found)
        self.stored.append(
            StoredAnswer(page.address, page.seed, found.status, counts[Kind.INTERNAL], external,
                  counts[Kind.BAD], found.size, fetched.time, found.problem)
        )  # fmt: skip
        recording.write("answer page", {
            "id": page.id, "status": found.status, "final": fetched.final,
            "problem": found.problem, "size": found.size, "external": external,
        })  # fmt: skip
        self._stand(recording, page, found)
        recording.count(page.seed, fetched=int(page.status is None))
        outcome = run.outcome(page.id, found.status, external, found.size, 0, fetched.time)
        content = None
        if run.reads and found.status == 200:
            read = found.content or Content("", "")
            recording.write("content", {"page": page.id, "packed": packed(read)})
            content = page_content(read, self._link_targets)
        self._observe(recording, visit, outcome, places, problem=found.problem, content=content)

    def _keeps(self, recording: Recording, page: Page, found: Document) -> bool:
        """Return whether the store's document stands, and not the answer that came now.

        A rule has left out the answer, or it failed and was asked for only because of sitemaps.
        """
        if page.status != 200 or not page.size:
            return False
        return is_left_out(found) or (found.status != 200 and self._has(recording, page))

    def _noted(self, recording: Recording, page: Page, found: Document) -> Document:
        """Return a document whose problem says what its canonical address means for the crawl."""
        if not self._run.plan.options.canonical:
            return found
        if found.status == 200 and found.size:
            return found._replace(problem=noted(found.problem, self._following.original))
        problem = together(found.problem, self._following.failed(recording, page))
        return found._replace(problem=problem)

    def _failed_again(
        self, recording: Recording, visit: Visit, page: Page, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Pass a failed request to the scheduler; the page and its links in the store stay.

        The parameters are those of `take`, with the page.
        """
        self._links_seen = []
        self.stored.append(StoredAnswer(page.address, page.seed, found.status, time=fetched.time,
                                        problem=found.problem))  # fmt: skip
        recording.write("recall page", {"id": page.id})
        self._stand(recording, page, found)
        outcome = self._run.outcome(page.id, found.status, 0, 0, 0, fetched.time)
        self._observe(recording, visit, outcome, self._run.discovery.places,
                      problem=found.problem)  # fmt: skip

    def recall(self, recording: Recording, visit: Visit, page: Page) -> None:
        """Answer a visit from the store, and pass the outcome to the scheduler.

        Parameters
        ----------
        recording : Recording
        visit : Visit
        page : Page
            A page for which `is_known` is true.
        """
        run, dropped = self._run, page.state == State.DROPPED
        status = 0 if dropped else page.status or 0
        places = run.discovery.places
        problem = TAKEN_OUT if dropped else noted(page.problem, "")
        self._links_seen = []
        if status == 200 and run.plan.stays and page.final and (
            site(page.final) != site(page.address)
        ):  # fmt: skip
            status = LEFT
        elif status == 200:
            links = self._known_links(recording, page)
            targets = {one.page.key: one.page for one in links}
            self._met(recording, page, targets, [(one.page.key, one.mark) for one in links])
            problem = noted(problem, self._following.original)
            self._sitemaps.recall(recording, page)
        if dropped:
            recording.write("answer page", {
                "id": page.id, "status": 0, "final": "", "problem": problem, "size": page.size,
                "external": page.external,
            })  # fmt: skip
        else:
            recording.write("recall page", {"id": page.id})
            if problem != page.problem:
                recording.write("note page", {"id": page.id, "problem": problem})
        self._stand(recording, page, Document(status, size=page.size, problem=problem))
        outcome = run.outcome(page.id, status, page.external, page.size, 0, 0.0)
        content = None
        if run.reads and status == 200:
            kept = recording.read("content", page=page.id)
            stored = unpacked(kept[0].packed) if kept else Content("", "")
            rows = recording.read("positions", page=page.id)
            content = page_content(stored, [
                (row.position, row.target) for row in rows if row.target in self._followed
            ])  # fmt: skip
        self._observe(recording, visit, outcome, places, problem=problem, recalled=True,
                      content=content)  # fmt: skip

    def is_known(self, recording: Recording, page: Page) -> bool:
        """Return whether the store can answer: it has the page's answer, or the user dropped it.

        Pages that redirected to another site are requested again if the plan may leave its sites.
        For a policy that reads, pages without stored content are requested again, and so are pages
        whose documents a rule has left out that the plan does not have; for a plan with sitemaps,
        pages that were requested without them.
        """
        if page.state == State.DROPPED:
            return True
        return self._has(recording, page) and not self._sitemaps.are_unread(recording, page)

    def _has(self, recording: Recording, page: Page) -> bool:
        """Return whether the store has all of a page that the plan needs, but for sitemaps."""
        left_out = page.status == 200 and page.problem.startswith(LEFT_OUT)
        if left_out and not self._run.plan.options.rules.left_out(noted(page.problem, "")):
            return False
        if self._run.reads and page.status == 200:
            return bool(recording.read("has content", page=page.id))
        led_off = page.status is not None and 300 <= page.status < 400
        return page.status is not None and (not led_off or self._run.plan.stays)

    def _observe(
        self, recording: Recording, visit: Visit, outcome: Outcome, places: int, *,
        problem: str, recalled: bool = False, content: PageContent | None = None,
    ) -> None:  # fmt: skip
        """Store an outcome and pass it to the scheduler.

        Its links include pages that got a place by this outcome although the page does not link to
        them, because their levels were lowered.

        Parameters
        ----------
        recording : Recording
        visit : Visit
        outcome : Outcome
            Without links and content.
        places : int
            How many pages had places before this answer.
        problem : str
            Why there is no document, or what is wrong with it.
        recalled : bool
            Whether the answer came from the store.
        content : PageContent, optional
        """
        discovery = self._run.discovery
        fresh = discovery.places - places
        links = self._links_seen if outcome.status == 200 else []
        if fresh and not self._run.frontier.used:
            direct = set(links)
            rows = recording.read("places", first=places, end=discovery.places)
            links += [row.id for row in rows if row.id not in direct]
        self._run.observe(recording, visit, outcome, links, fresh, recalled=recalled,
                          problem=problem, content=content)  # fmt: skip

    def _led(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store the pages that a page links to, and note which of them the scheduler sees.

        The parameters and the result are those of `Discovery.lead`.
        """
        found = self._meet(recording, page, targets, rules)
        self._links_seen = [one.id for one in found if one.place is not None and one.place >= 0]
        return found

    def _meet(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store the pages to which a page leads, whether the scheduler sees them as its links.

        The parameters and the result are those of `Discovery.lead`.
        """
        return self._run.discovery.lead(recording, page, targets, rules)

    def _links(
        self, recording: Recording, page: Page, references: tuple[Reference, ...],
        rules: Rules | None,
    ) -> dict[Kind, int]:  # fmt: skip
        """Store the references of a page.

        Parameters
        ----------
        recording : Recording
        page : Page
        references : tuple of Reference
        rules : Rules or None
            The robots.txt rules of the page's origin; None: they were not requested now.

        Returns
        -------
        dict of Kind to int
            How many references of each kind there are.
        """
        follows, discovery = self._run.discovery.follows, self._run.discovery
        keys = {
            one.address: stored_key(self._key(one.address)) for one in references
            if one.kind is Kind.INTERNAL or (one.kind is Kind.EXTERNAL and follows(one.address))
        }  # fmt: skip
        known = recording.known(list(dict.fromkeys(keys.values())))
        targets: dict[str, Page] = {}
        for address, key in keys.items():
            targets.setdefault(key, known.get(key) or discovery.new(address, key))
        to = [keys.get(one.address, "") for one in references]
        marks = self._following.marks(recording, page, references, targets, to, rules)
        found = self._met(recording, page, targets, zip(to, marks, strict=True), rules)
        ids = {one.key: one.id for one in found}
        ends = [ids.get(key) for key in to]
        if self._reads_targets:
            self._link_targets = [
                (one.position, target) for one, target in zip(references, ends, strict=True)
                if target is not None and target in self._followed
            ]  # fmt: skip

        def parts() -> Iterator[list[list[Row]]]:
            for first in range(0, len(references), ROWS):
                rows: dict[Kind, list[Row]] = {kind: [] for kind in Kind}
                part = slice(first, first + ROWS)
                some = zip(references[part], ends[part], marks[part], strict=True)
                for one, target, mark in some:
                    rows[one.kind].append(ROW[one.kind](page, one, target, mark))
                yield list(rows.values())

        again = page.status is not None
        if again:
            before = recording.read("counts", page=page.id)[0]
            recording.count(page.seed, internal=-before.internal, external=-before.external,
                            bad=-before.bad)  # fmt: skip
        added = counts = recording.add_links(page.id, parts(), again=again)
        if again:  # links that the user deleted stay deleted, and are not counted
            counts = recording.read("counts", page=page.id)[0]
        recording.count(page.seed, **dict(zip(("internal", "external", "bad"), counts,
                                              strict=True)))  # fmt: skip
        return dict(zip(Kind, added, strict=True))

    def _met(
        self, recording: Recording, page: Page, targets: Mapping[str, Page],
        links: Iterable[tuple[str, int]], rules: Rules | None = None,
    ) -> list[Page]:  # fmt: skip
        """Store the pages that a page links to, whether the plan follows the links or not.

        Parameters
        ----------
        recording : Recording
        page : Page
        targets : mapping of str to Page
            The pages by key, in the order in which the document first links to them.
        links : iterable of (str, int)
            The key and the mark of each link; "" for one that may not be followed.
        rules : Rules, optional

        Returns
        -------
        list of Page
            All targets with their ids.
        """
        shut, marks = self._run.discovery.shut, dict[str, int]()
        if shut:
            for key, mark in links:
                marks[key] = mark if key not in marks or marks[key] & shut else marks[key]
        left = {key: mark for key, mark in marks.items() if key and mark & shut}
        met = [target for key, target in targets.items() if key not in left]
        found = self._led(recording, page, met, rules)
        if self._reads_targets:
            self._followed = {one.id for one in found}
        if not left:
            return found
        return found + self._run.discovery.leave(
            recording, page, [(targets[key], reason(mark)) for key, mark in left.items()]
        )

    def _known_links(self, recording: Recording, page: Page) -> list[Target]:
        """Return the links of a page of the store that lead where the plan may follow."""
        discovery = self._run.discovery
        if discovery.everywhere:
            self._following.beyond(recording, page)
        rows = recording.targets([page.id], everywhere=discovery.everywhere)
        return self._following.again(recording, page, within(page, rows, discovery.follows))

    def _is_start(self, page: Page) -> bool:
        """Return whether a page is the start page of a site."""
        return page.id in self._run.starts

    def _stand(self, recording: Recording, page: Page, found: Document) -> None:
        """Store the standing of the page's site, if this answer can change it.

        Parameters
        ----------
        recording : Recording
        page : Page
        found : Document
            The answer.
        """
        if page.seed is None:
            return
        if self._is_start(page):
            none = found.status != 200 or (found.problem and not found.size)
            why = (found.problem or f"HTTP {found.status}") if none else ""
            recording.stand(page.seed, Standing.UNAVAILABLE if none else Standing.STARTED, why)
        elif page.seed not in self._started:
            recording.write("start", {"seed": page.seed})
        self._started.add(page.seed)
