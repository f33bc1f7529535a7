"""Runs checks within a time budget, and compares the results with the expected ones."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace

from counterpoint.memory import is_exhausted
from counterpoint.models.checking.engines import check
from counterpoint.models.checking.pool import ProcessEndedError, ProcessPool
from counterpoint.models.checking.processes import interrupts_held
from counterpoint.models.limits import Limits
from counterpoint.models.loading import find, load
from counterpoint.models.prove import second_opinion
from counterpoint.models.verdict import Verdict, in_steps, reachable_states
from counterpoint.spec.notation import SpecError

from .job import Job

LEAST_CONFIRMED = 0.9
"""Share of the obligations that the second solver of a job must confirm."""

MEMORY = 4 * 2**30
"""Bytes that one job may use."""


@dataclass(frozen=True)
class JobOutcome:
    """A job with its verdicts, and how they differ from the expected ones.

    Attributes
    ----------
    surprises : tuple of (str, str)
        The unexpected results: the property, or "" for the whole job, and a sentence.
    unknown : tuple of (str, str)
        The undecided results, in the same form.
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
        """The result of the second solver, if the job uses one."""
        solver = self.job.options.second_solver
        note = next((v.second.note for v in self.verdicts if v.second is not None), "")
        return note or (f"{solver} was not used: it is not installed" if solver else "")

    @property
    def shown(self) -> str:
        """The statement that the job shows, and the result of the second solver."""
        return f"{self.job.why} {self.second}." if self.second else self.job.why


def run_job(job: Job, until: float) -> JobOutcome:
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
        return _undecided(job, "the budget was used up before the check began")
    try:
        verdicts = _verdicts(job, Limits(until - begun, MEMORY))
    except SpecError as error:
        return _without_verdicts(job, error, time.monotonic() - begun)
    return with_surprises(JobOutcome(job, verdicts, time.monotonic() - begun))


def _verdicts(job: Job, limits: Limits) -> tuple[Verdict, ...]:
    model = load(job.reference, [f"{n}={v}" for n, v in job.parameters.items()])
    options, second = job.options, job.options.second_solver
    if second is not None and not second_opinion.is_installed(second):
        options = replace(options, second_solver=None)  # the solver is an extra
    return tuple(check(model, job.engine, limits, job.wanted(model), options))


def _undecided(job: Job, why: str) -> JobOutcome:
    return JobOutcome(job, (), 0.0, unknown=(("", why),))


def _without_verdicts(job: Job, error: SpecError, seconds: float) -> JobOutcome:
    """Return the outcome of a spec that cannot be checked: unknown if there is no memory."""
    if is_exhausted(error):
        return _undecided(job, f"no memory is left: {error}")
    return JobOutcome(job, (), seconds, surprises=(("", str(error)),))


def with_surprises(outcome: JobOutcome) -> JobOutcome:
    """Return an outcome with its surprises: the differences to the results its job expects."""
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


def _unconfirmed(outcome: JobOutcome) -> list[str]:
    """Return a sentence if the second solver has confirmed too few obligations."""
    second = next((v.second for v in outcome.verdicts if v.second is not None), None)
    if second is None or second.confirmed >= LEAST_CONFIRMED * second.asked:
        return []
    return [f"{second.note}; it should be at least {LEAST_CONFIRMED:.0%}"]


def _missing(outcome: JobOutcome) -> list[str]:
    known = {v.claim.name for v in outcome.verdicts}
    if not outcome.job.temporal:
        known |= {claim.name for v in outcome.verdicts for claim in v.model.temporal}
    expected = dict.fromkeys([*outcome.job.violated, *outcome.job.holds, *outcome.job.only])
    return [f"the spec has no property {n}" for n in expected if n not in known]


def _states(outcome: JobOutcome) -> list[str]:
    wanted, counted = outcome.job.states, reachable_states(outcome.verdicts)
    if wanted is None or not counted or counted == {wanted}:
        return []
    found = ", ".join(f"{n:,}" for n in counted)
    return [f"{found} reachable states; there should be {wanted:,}"]


def run(
    budget: float,
    jobs: Sequence[Job],
    processes: int = 2,
    tell: Callable[[str], None] | None = None,
) -> list[JobOutcome]:
    """Run the jobs in parallel, and return their outcomes in the given order.

    Parameters
    ----------
    budget : float
        Seconds for all jobs; properties that are not decided then are unknown.
    jobs : sequence of Job
        The jobs, the most important first; jobs that need a larger budget are left out.
    processes : int
        How many jobs run at the same time.
    tell : callable, optional
        Called with a line whenever a job has ended.
    """
    until = time.monotonic() + budget
    jobs = [job for job in jobs if job.least_budget <= budget]
    pool = ProcessPool(processes)
    try:
        with interrupts_held():
            waiting = {pool.submit(_packed, job, until): job for job in jobs}
        found = dict(_collected(waiting, tell))
    except BaseException:
        pool.end()
        raise
    finally:
        pool.close()
    return [found[id(job)] for job in jobs]


def _packed(job: Job, until: float) -> bytes:
    """Run a job, and return its outcome as text that `_unpacked` reads."""
    return pickle.dumps(run_job(job, until))


def _unpacked(packed: bytes, job: Job) -> JobOutcome:
    """Return an outcome from another process.

    The spec is loaded first: the verdicts name its class by a module that only loading makes, and
    two files of the same name in two folders have each their own.
    """
    try:
        find(job.reference)
    except SpecError as error:
        return _without_verdicts(job, error, 0.0)
    try:
        found: JobOutcome = pickle.loads(packed)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever the classes of the user's spec do
        why = f"the result of its process cannot be read: {type(error).__name__}: {error}"
        return _undecided(job, why)
    return found


def _collected(
    waiting: dict[Future[bytes], Job], tell: Callable[[str], None] | None
) -> Iterable[tuple[int, JobOutcome]]:
    for done, future in enumerate(as_completed(waiting), start=1):
        job = waiting[future]
        outcome = _result(future, job)
        if tell is not None:
            tell(f"{done} of {len(waiting)}: {job.name}: {outcome.answer}")
        yield id(job), replace(outcome, job=job)


def _result(future: Future[bytes], job: Job) -> JobOutcome:
    try:
        return _unpacked(future.result(), job)
    except ProcessEndedError:
        return _undecided(job, "the process was killed, perhaps because memory ran out")
    except (MemoryError, RecursionError) as error:
        return _undecided(job, f"{type(error).__name__}: the problem is too large")
    except Exception as error:
        return _undecided(job, f"the check ended with an error: {type(error).__name__}: {error}")
