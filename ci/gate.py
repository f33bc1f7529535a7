"""The main job: every registered check within a time budget, and what was expected of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from counterpoint.models.checking.engines import check
from counterpoint.models.checking.processes import end, executor, interrupts_held
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.prove import second_opinion
from counterpoint.models.verdict import Verdict, in_steps
from counterpoint.spec.notation import SpecError

from .registry import JOBS, Job

DEFAULT_BUDGET = 240.0
"""Seconds."""

LEAST_CONFIRMED = 0.9
"""Share of the obligations that a second solver must confirm where a job asks one."""

MEMORY = 4 * 2**30
"""Bytes that one job may use."""


@dataclass(frozen=True)
class Outcome:
    """A job with its verdicts, held against what was expected.

    Attributes
    ----------
    surprises : tuple of (str, str)
        What came out differently: the property, or "" for the whole, and a sentence.
    unknown : tuple of (str, str)
        What was not decided, likewise.
    """

    job: Job
    verdicts: tuple[Verdict, ...]
    seconds: float
    surprises: tuple[tuple[str, str], ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()

    @property
    def answer(self) -> str:
        """``fell``, ``unknown`` or ``as expected``."""
        return "fell" if self.surprises else "unknown" if self.unknown else "as expected"

    @property
    def second(self) -> str:
        """What a second solver says, if the job asks one."""
        solver = self.job.options.second_solver
        said = next((v.second.note for v in self.verdicts if v.second is not None), "")
        return said or (f"{solver} was not asked: it is not installed" if solver else "")

    @property
    def shown(self) -> str:
        """What the job shows, and what a second solver says of it."""
        return f"{self.job.why} {self.second}." if self.second else self.job.why


def run_job(job: Job, until: float) -> Outcome:
    """Run one job, until a moment of `time.monotonic` at the latest; an error is a surprise.

    Parameters
    ----------
    job : Job
        What to check.
    until : float
        The moment at which the gate's budget ends.
    """
    begun = time.monotonic()
    if begun >= until:
        return _undecided(job, "the budget was used up before it began")
    try:
        verdicts = _verdicts(job, Limits(until - begun, MEMORY))
    except SpecError as error:
        return Outcome(job, (), time.monotonic() - begun, surprises=(("", str(error)),))
    return judged(Outcome(job, verdicts, time.monotonic() - begun))


def _verdicts(job: Job, limits: Limits) -> tuple[Verdict, ...]:
    model = load(job.reference, [f"{n}={v}" for n, v in job.parameters.items()])
    wanted = [p for p in model.properties if not job.only or p.name in job.only]
    options, second = job.options, job.options.second_solver
    if second is not None and not second_opinion.is_installed(second):
        options = replace(options, second_solver=None)  # an extra, which not everyone has
    return tuple(check(model, job.engine, limits, wanted, options))


def _undecided(job: Job, why: str) -> Outcome:
    return Outcome(job, (), 0.0, unknown=(("", why),))


def judged(outcome: Outcome) -> Outcome:
    """Return an outcome held against what its job expects."""
    surprises: list[tuple[str, str]] = []
    unknown: list[tuple[str, str]] = []
    for verdict in outcome.verdicts:
        name = verdict.claim.name
        if verdict.answer == "unknown":
            unknown.append((name, f"{name} is unknown: {verdict.reason}"))
        else:
            surprises += [(name, text) for text in _against(verdict, outcome.job)]
    unknown += [("", text) for text in _unconfirmed(outcome)]
    surprises += [("", text) for text in _missing(outcome) + _states(outcome)]
    return replace(outcome, surprises=tuple(surprises), unknown=tuple(unknown))


def _against(verdict: Verdict, job: Job) -> list[str]:
    """Return how a decided verdict differs from what the job expects."""
    name = verdict.claim.name
    if name not in job.violated:
        wrong = verdict.answer == "violated"
        return [f"{name} is violated ({verdict.extent}); it should hold"] if wrong else []
    if verdict.answer == "holds":
        return [f"{name} holds ({verdict.extent}); it should be violated"]
    steps = job.violated[name]
    if steps is not None and verdict.depth != steps:
        return [
            f"{name} is violated after {in_steps(verdict.depth or 0)}; it should be after {steps}"
        ]
    return []


def _unconfirmed(outcome: Outcome) -> list[str]:
    """Return whether a second solver has decided too little to be one."""
    said = next((v.second for v in outcome.verdicts if v.second is not None), None)
    if said is None or said.confirmed >= LEAST_CONFIRMED * said.asked:
        return []
    return [f"{said.note}; it should be at least {LEAST_CONFIRMED:.0%}"]


def _missing(outcome: Outcome) -> list[str]:
    known = {v.claim.name for v in outcome.verdicts}
    expected = dict.fromkeys([*outcome.job.violated, *outcome.job.only])
    return [f"there is no property {n} any more" for n in expected if n not in known]


def _states(outcome: Outcome) -> list[str]:
    wanted = outcome.job.states
    counted = {v.states for v in outcome.verdicts if v.extent == "all states"}
    if wanted is None or not counted or counted == {wanted}:
        return []
    found = ", ".join(f"{n:,}" for n in counted if n is not None)
    return [f"{found} reachable states; there should be {wanted:,}"]


def run(
    budget: float = DEFAULT_BUDGET,
    jobs: Sequence[Job] = JOBS,
    processes: int = 2,
    tell: Callable[[str], None] | None = None,
) -> list[Outcome]:
    """Run the jobs side by side and return their outcomes in the given order.

    Parameters
    ----------
    budget : float
        Seconds for all jobs; what is not decided then is unknown.
    jobs : sequence of Job
        What to run, the most important first; those that need a larger budget are left out.
    processes : int
        How many run at a time.
    tell : callable, optional
        Called with a line whenever a job has ended.
    """
    until = time.monotonic() + budget
    jobs = [job for job in jobs if job.least_budget <= budget]
    pool = executor(processes)
    try:
        with interrupts_held():
            waiting = {pool.submit(run_job, job, until): job for job in jobs}
        found = dict(_collected(waiting, tell))
    except BaseException:
        end(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return [found[id(job)] for job in jobs]


def _collected(
    waiting: dict[Future[Outcome], Job], tell: Callable[[str], None] | None
) -> Iterable[tuple[int, Outcome]]:
    for done, future in enumerate(as_completed(waiting), start=1):
        job = waiting[future]
        outcome = _result(future, job)
        if tell is not None:
            tell(f"{done} of {len(waiting)}: {job.name}: {outcome.answer}")
        yield id(job), replace(outcome, job=job)


def _result(future: Future[Outcome], job: Job) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return _undecided(job, "the process was ended from outside, perhaps for want of memory")
    except (MemoryError, RecursionError) as error:
        return _undecided(job, f"{type(error).__name__}: the problem is too large")


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """Return 1 if anything fell, else 3 if anything is unknown, else 0."""
    answers = {o.answer for o in outcomes}
    return 1 if "fell" in answers else 3 if "unknown" in answers else 0
