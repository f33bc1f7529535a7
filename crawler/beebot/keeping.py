"""Plans that keep the pages of an earlier plan fresh until the crawl is stopped.

Such a plan visits all pages that were asked for again and again, in the order of a policy of scope
`Scope.KNOWN`, and meets the pages to which new links lead. Its visits are spread over time: with n
pages, one is due every ``every`` / n seconds.
"""

from __future__ import annotations

from dataclasses import replace

from counterpoint.crawler.documents.links import Kind
from counterpoint.crawler.documents.robots import Rules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.policy.protocol import Outcome, Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.revisit import GONE
from counterpoint.crawler.store.page_kinds import was_asked
from counterpoint.crawler.store.recording import TAKEN_OUT, Page, Recording
from counterpoint.crawler.store.schema import State

from .amounts import budget, period
from .contents import PageContent
from .document import Document, is_left_out
from .plan import CrawlPlan, CrawlSettings
from .revisits import SAME, Revisits
from .run import CrawlRun, Visit
from .stored_answer import StoredAnswer

SLACK = 5.0
"""Seconds by which a visit may be late without a delay of those after it. What a stopped crawl has
missed is not made up for: the visits would come all at once."""
FAILED = "the last visit failed: "
"""How the note begins on a page that came before, and whose last visit failed."""


def kept_fresh(plan: CrawlPlan, settings: CrawlSettings) -> CrawlPlan:
    """Return the plan that keeps the pages of a plan fresh.

    Raises
    ------
    CrawlError
        If the settings name no policy for that, or the plan finds no pages.
    """
    policy = find(settings.revisit).policy
    if policy.scope is not Scope.KNOWN:
        raise CrawlError(f"--revisit {settings.revisit}: it finds pages, and revisits none; "
                         "`counterpoint list` shows the policies that do")  # fmt: skip
    if plan.scope is Scope.KNOWN:
        raise CrawlError(f"--revisit: {plan.policy} finds no pages, so that nothing is there to be "
                         "kept fresh; give a policy that does, such as breadth-first")  # fmt: skip
    options = replace(plan.options, first=plan.policy, every=period(settings.every))
    return replace(plan, policy=settings.revisit, options=options)


def following(
    plan: CrawlPlan, settings: CrawlSettings, before: CrawlPlan, *, ended: bool
) -> CrawlPlan:
    """Return the plan to which settings lead after another plan.

    Parameters
    ----------
    plan : CrawlPlan
        The plan that finds pages, by the settings.
    settings : CrawlSettings
    before : CrawlPlan
        The last plan.
    ended : bool
        Whether the last plan has ended.
    """
    found = before
    if before.keeps:
        options = replace(before.options, first="", every=0.0)
        found = replace(before, policy=before.options.first, options=options)
    if budget(settings.budget).pages is None and found == replace(plan, budget=found.budget):
        plan = found  # the pages of a time were reckoned with the delay at its beginning
    if settings.revisit and (before.keeps or ended) and found == plan:
        return kept_fresh(plan, settings)
    return plan


def next_due(run: CrawlRun, now: float) -> float:
    """Return when the next visit is due, after one that begins now, in seconds.

    Parameters
    ----------
    run : CrawlRun
        The run of a plan that keeps pages fresh.
    now : float
    """
    begun = run.due if now - run.due <= SLACK else now
    return begun + run.plan.options.every / run.discovery.places


def _leads_off(status: int) -> bool:
    """Return whether a page redirects to where the crawl does not follow."""
    return 300 <= status < 400 and status != SAME


class KeepingAnswers(Revisits):
    """Stores the answers of a plan that keeps pages fresh, and meets new pages.

    A page that is gone is stored as such, and its links are removed. Any other visit that fails
    leaves a page as it is, if it came before; so does one for which nothing could be asked.
    """

    def __init__(self, run: CrawlRun) -> None:
        super().__init__(run)
        self._start_keys = run.plan.start_keys().keys()

    def _is_start(self, page: Page) -> bool:
        """Return whether a page is the start page of a site; the plan begins with all pages."""
        return page.key in self._start_keys

    def is_known(self, recording: Recording, page: Page) -> bool:
        """Return whether the user has taken the page out, so that it is not fetched."""
        return page.state == State.DROPPED or page.problem == TAKEN_OUT

    def take(
        self, recording: Recording, visit: Visit, fetched: Fetched, found: Document
    ) -> None:  # fmt: skip
        """Store an answer; the parameters are those of `Revisits.take`."""
        run, page = self._run, recording.page(visit.page)
        if page is None:
            run.in_flight.pop(visit.number)
            return
        places, counts = run.discovery.places, dict.fromkeys(Kind, 0)
        known = page.status is not None and was_asked(State.DONE, page.status, page.problem)
        if found.status == 200 and not (page.size and is_left_out(found)):
            outcome, found, counts = self._came(recording, page, fetched, found)
        elif known and not was_asked(State.DONE, found.status, found.problem):
            outcome = run.outcome(page.id, found.status, 0, 0, 0, fetched.time)
        elif page.status != 200 or found.status in GONE or _leads_off(found.status):
            outcome = self._is_gone(recording, page, fetched, found)
        else:
            self._note(recording, page, found)
            outcome = run.outcome(page.id, found.status, page.external, page.size, 0, fetched.time)
        if page.status is None:
            recording.count(page.seed, fetched=1)
        self.stored.append(
            StoredAnswer(page.address, page.seed, found.status, counts[Kind.INTERNAL],
                         outcome.external, counts[Kind.BAD], outcome.size, fetched.time,
                         found.problem)
        )  # fmt: skip
        self._observe(recording, visit, outcome, places, problem=found.problem)

    def _came(
        self, recording: Recording, page: Page, fetched: Fetched, found: Document
    ) -> tuple[Outcome, Document, dict[Kind, int]]:
        """Store a document; the parameters are those of `take`, with the page.

        Returns
        -------
        outcome : Outcome
        document : Document
            With a note on its canonical address.
        counts : dict of Kind to int
            How many references of each kind it has.
        """
        changed = self._compared(recording, page, fetched, found.text)
        asked = page._replace(final=fetched.final)
        counts = self._links(recording, asked, found.references, fetched.rules)
        external = counts[Kind.EXTERNAL]
        self._sitemaps.take(recording, asked, fetched, found, self._link_targets)
        noted = self._noted(recording, page, found)
        recording.write("forget content", {"page": page.id})
        self._answer(recording, page, noted, fetched.final, external)
        outcome = self._run.outcome(page.id, 200, external, noted.size, changed, fetched.time)
        return outcome, noted, counts

    def _is_gone(
        self, recording: Recording, page: Page, fetched: Fetched, found: Document
    ) -> Outcome:
        """Store that a page is not there; the parameters are those of `take`, with the page."""
        if page.status == 200:
            self._links(recording, page, (), None)
            # Without validators, since an unchanged page that comes back must bring its links.
            kept = recording.read("copy", page=page.id)
            recording.write("copy", {"page": page.id, "etag": "", "modified": "",
                                     "blocks": kept[0].blocks if kept else None})  # fmt: skip
        self._answer(recording, page, found._replace(size=0), fetched.final, 0)
        return self._run.outcome(page.id, found.status, 0, 0, 0, fetched.time)

    def _note(self, recording: Recording, page: Page, found: Document) -> None:
        """Note on a page that came before whether its last visit failed.

        Parameters
        ----------
        recording : Recording
        page : Page
        found : Document
            The answer, which brought no document.
        """
        problem = page.problem.partition(FAILED)[0].removesuffix("; ")
        if found.status not in (200, SAME):  # 200: a rule leaves the document out
            note = FAILED + (found.problem or f"HTTP {found.status}")
            problem = f"{problem}; {note}" if problem else note
        if problem != page.problem:
            recording.write("note page", {"id": page.id, "problem": problem})

    def _answer(
        self, recording: Recording, page: Page, found: Document, final: str, external: int
    ) -> None:
        recording.write("answer page", {
            "id": page.id, "status": found.status, "final": final, "problem": found.problem,
            "size": found.size, "external": external,
        })  # fmt: skip
        self._stand(recording, page, found)

    def _observe(
        self, recording: Recording, visit: Visit, outcome: Outcome, places: int, *,
        problem: str, recalled: bool = False, content: PageContent | None = None,
    ) -> None:  # fmt: skip
        """Store an outcome and pass it to the scheduler, with the pages that it was first to meet.

        The parameters are those of `Answers._observe`.
        """
        discovery = self._run.discovery
        rows = recording.read("places", first=places, end=discovery.places)
        self._run.observe(
            recording, visit, outcome, [row.id for row in rows], discovery.places - places,
            recalled=recalled, problem=problem,
        )  # fmt: skip

    def _meet(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Store the pages to which a page leads; the parameters are those of `Discovery.lead`."""
        return self._run.discovery.lead(recording, page, targets, rules)
