"""Runs cases again and compares them with their baselines; saves and removes baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from counterpoint.crawler.errors import CrawlError
from counterpoint.memory import is_exhausted
from counterpoint.models.checking.processes import interrupts_held
from counterpoint.studies.comparison.comparison import checked, compare
from counterpoint.studies.comparison.plan import STEP_LIMIT, ComparisonPlan

from . import baseline
from .baseline import Baseline
from .cases import RegressionCase
from .judging import PolicyResult, judge_runs, unknown_result

Tell = Callable[[str], None]


def run(
    cases: Sequence[RegressionCase],
    folder: Path,
    processes: int = 2,
    tell: Tell | None = None,
    step_limit: float = STEP_LIMIT,
    instead: Mapping[str, str] | None = None,
) -> list[PolicyResult]:
    """Crawl cases again, and compare them with their baselines.

    Parameters
    ----------
    cases : sequence of RegressionCase
    folder : Path
        The folder of all baselines.
    processes : int
        How many webs are crawled at the same time.
    tell : callable, optional
        Shows the progress.
    step_limit : float
        Seconds of processor time that a policy may take for a step.
    instead : mapping of str to str, optional
        Replacements of policies: for a name, the policy (``module:attribute``) to run.

    Raises
    ------
    CrawlError, WebError
        If a policy or a web does not exist or is named twice, or a file of the folder is no
        baseline. Nothing was crawled then.
    """
    plans = _plans(cases, step_limit)
    for plan in plans:
        checked(plan)
    before = _loaded(plans, folder)
    found: list[PolicyResult] = []
    for case, plan in zip(cases, plans, strict=True):
        found += _case(case, plan, before, processes, tell, instead or {})
    return found


def baselines(
    cases: Sequence[RegressionCase], folder: Path
) -> dict[tuple[str, str], Baseline | None]:
    """Return the baseline of each web and policy of some cases, None if there is none.

    Raises
    ------
    CrawlError, WebError
        If a file is no baseline, or two policies of a web have one.
    """
    return _loaded(_plans(cases, STEP_LIMIT), folder)


def _loaded(
    plans: Iterable[ComparisonPlan], folder: Path
) -> dict[tuple[str, str], Baseline | None]:
    return {one: baseline.load(folder, *one) for one in _pairs(plans)}


def _plans(cases: Sequence[RegressionCase], step_limit: float) -> list[ComparisonPlan]:
    """Return the plans of cases.

    Raises
    ------
    CrawlError
        If two of them have the same baselines.
    """
    plans = [case.plan(step_limit) for case in cases]
    twice = [one for one, count in Counter(_pairs(plans)).items() if count > 1]
    if twice:
        web, policy = twice[0]
        raise CrawlError(f"{policy} on {web} is named twice, and has one baseline; give one of the "
                         "webs another name")  # fmt: skip
    return plans


def _pairs(plans: Iterable[ComparisonPlan]) -> list[tuple[str, str]]:
    """Return the name of the web and the policy of each baseline of some plans."""
    return [(plan.profile.name, policy) for plan in plans for policy in plan.policies]


def _case(
    case: RegressionCase, plan: ComparisonPlan, before: Mapping[tuple[str, str], Baseline | None],
    processes: int, tell: Tell | None, instead: Mapping[str, str],
) -> Iterable[PolicyResult]:  # fmt: skip
    web = plan.profile.name
    run_ = replace(plan, policies=tuple(instead.get(name, name) for name in case.policies))
    try:
        comparison = compare(run_, processes, tell and (lambda line: tell(f"{web}: {line}")))
    except Exception as error:
        if not is_exhausted(error):
            raise
        why = f"no memory is left: {error}"
        for name in case.policies:
            yield unknown_result(case, plan, name, before[web, name], why)
        return
    for name, one in zip(case.policies, comparison.policies, strict=True):
        yield judge_runs(case, plan, replace(one, name=name), before[web, name])


def accept(found: Iterable[PolicyResult], folder: Path, failures: bool = False) -> list[str]:
    """Save results as new baselines, all of them even after Ctrl-C.

    A policy that fails, and did not fail in the same way before, is saved only if that is asked
    for: from then on the gate would expect it to fail.

    Parameters
    ----------
    found : iterable of PolicyResult
    folder : Path
        The folder of all baselines.
    failures : bool
        Whether to save that a policy fails.

    Returns
    -------
    list of str
        A line for each file that was written, and for each policy whose crawl is unknown or failed.
    """
    with interrupts_held():
        return list(_accepted(found, folder, failures))


def _accepted(found: Iterable[PolicyResult], folder: Path, failures: bool) -> Iterator[str]:
    for one in found:
        if one.now is None:
            yield f"{one.name}: unknown, so that no baseline was written: {one.unknown}"
        elif one.fails_newly and not failures:
            yield (
                f"{one.name}: not written, because the policy fails: {one.now.fell}; with --force "
                "the gate expects this failure"
            )
        elif one.now != one.before:
            path = baseline.save(folder, one.now)
            change = "; ".join(one.changes) if one.before is not None else "new"
            yield f"{path.relative_to(folder)}: {change or 'written again'}"


def unused(cases: Sequence[RegressionCase], folder: Path) -> list[tuple[Path, str]]:
    """Return the file of each baseline that no case uses, with the policy and its web."""
    known = {baseline.path_of(folder, *one) for one in _pairs(_plans(cases, STEP_LIMIT))}
    return [(path, name) for path, name in baseline.committed(folder) if path not in known]
