"""Compares a run with its baseline, and describes the changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.policy.protocol import Pages, Scope
from counterpoint.studies.comparison.comparison import PolicyRuns
from counterpoint.studies.comparison.measures import BY_NAME
from counterpoint.studies.comparison.plan import STEP_LIMIT, ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import mean

from ..baseline_files.accepting import accepting
from .baseline import Baseline, of
from .cases import POINTS, RegressionCase

_SHIFT = 0.05
"""A site is named if its share of the visits moves by more than this."""


@dataclass(frozen=True)
class PolicyResult:
    """The comparison of a policy on the webs of a profile with its baseline.

    Attributes
    ----------
    name : str
    changes : tuple of str
        The changes, the cause first; empty if nothing changed.
    now, before : Baseline or None
        The current results and the baseline; None if missing.
    again : str
        The command that runs the policy again, without its baseline.
    unknown : str
        Why it is not known how the policy crawls: it took too long, or there was no memory; or "".
    seconds : float
        Wall time of all runs; 0 if the policy failed.
    step_limit : float
        Seconds of processor time that a step could take.
    """

    name: str
    changes: tuple[str, ...]
    now: Baseline | None
    before: Baseline | None
    again: str
    unknown: str = ""
    seconds: float = field(default=0.0, compare=False)
    step_limit: float = STEP_LIMIT

    @property
    def answer(self) -> str:
        """``as expected``, ``fell`` or ``unknown``."""
        return "fell" if self.changes else "unknown" if self.unknown else "as expected"

    @property
    def fails_newly(self) -> bool:
        """Whether the policy fails, and its baseline does not say so."""
        before = None if self.before is None else self.before.fell
        return self.now is not None and bool(self.now.fell) and self.now.fell != before

    @property
    def moved(self) -> list[str]:
        """The measures whose curves have changed."""
        if self.now is None or self.before is None:
            return []
        now, before = self.now.curves, self.before.curves
        if self.now.steps != self.before.steps:
            return []
        return [name for name in before if name in now and now[name] != before[name]]


def unknown_result(
    case: RegressionCase, plan: ComparisonPlan, name: str, before: Baseline | None, why: str
) -> PolicyResult:
    """Return the result of a policy of which it is not known how it crawls."""
    again, shown = case.again(name, plan), f"{name} on {plan.profile.name}"
    return PolicyResult(shown, (), None, before, again, why, step_limit=plan.step_limit)


def judge_runs(
    case: RegressionCase, plan: ComparisonPlan, runs: PolicyRuns, before: Baseline | None
) -> PolicyResult:
    """Compare a policy's runs with its baseline.

    Parameters
    ----------
    case : RegressionCase
    plan : ComparisonPlan
        The plan of the case.
    runs : PolicyRuns
    before : Baseline or None
        The baseline; None if there is none.
    """
    again, name = case.again(runs.name, plan), f"{runs.name} on {plan.profile.name}"
    if runs.timed_out:
        return unknown_result(case, plan, runs.name, before, runs.fell or "")
    now = of(plan, runs)
    changes = tuple(_changes(case, plan, runs.scope, now, before))
    seconds = sum(run.took for run in runs.runs)
    return PolicyResult(name, changes, now, before, again, "", seconds, plan.step_limit)


def _changes(
    case: RegressionCase, plan: ComparisonPlan, scope: Scope, now: Baseline, before: Baseline | None
) -> Iterator[str]:
    renew = f"{accepting(now.name)} makes a new one"
    if before is None:
        if now.fell:
            yield now.fell
        yield f"it has no baseline; {accepting(now.name)} makes it"
    elif what := _other_case(now, before):
        yield f"its baseline has {what}; {renew}"
    elif now.fell or before.fell:
        if now.fell != before.fell:
            yield f"{now.fell or 'it no longer fails'}; before: {before.fell or 'it did not fail'}"
    elif now.web_digests != before.web_digests:
        yield f"{_of_webs(now, before)}; {renew}"
    else:
        yield from _of_runs(case, plan, scope, now, before)


def _other_case(now: Baseline, before: Baseline) -> str:
    """Return in words how the case of a baseline differs; "" if it does not."""
    if now.seeds != before.seeds:
        return "other seeds"
    if now.budget != before.budget:
        return f"a budget of {before.budget:,} pages, and this run {now.budget:,}"
    if now.web_pages != before.web_pages:
        return f"webs of {before.web_pages:,} pages, and this run {now.web_pages:,}"
    return ""


def _of_webs(now: Baseline, before: Baseline) -> str:
    """Say that a difference would be one of the web, and where that comes from."""
    pairs = zip(now.web_digests, before.web_digests, strict=True)
    number, total = sum(a != b for a, b in pairs), len(now.web_digests)
    head = f"{number} of {total} webs are not those of the baseline"
    if now.counterpoint == before.counterpoint:
        why = f"the profile {now.web} or the code of the synthetic web was edited"
    else:
        why = (f"Counterpoint {now.counterpoint} generates another web than "
               f"{before.counterpoint}, or the profile {now.web} was edited")  # fmt: skip
    return f"{head}, so the policy cannot be compared: {why}"


def _of_computing(now: Baseline, before: Baseline, *, same: bool) -> str:
    """Say that a difference of measures would be one of how they are computed."""
    if now.counterpoint == before.counterpoint:
        why = "the measures are computed differently than for the baseline"
    else:
        why = (f"Counterpoint {now.counterpoint} computes the measures differently than "
               f"{before.counterpoint}, which wrote the baseline")  # fmt: skip
    order = "; the order of visits is the same" if same else ""
    return f"{why}, so they cannot be compared{order}; {accepting(now.name)} makes a new one"


def _of_runs(
    case: RegressionCase, plan: ComparisonPlan, scope: Scope, now: Baseline, before: Baseline
) -> Iterator[str]:
    same = now.digests == before.digests
    if not same:
        yield from _of_order(plan, scope, now, before)
    if now.measures_digest != before.measures_digest:
        yield _of_computing(now, before, same=same)
    else:
        if same:  # a curve follows from the order, so it differs only if its numbers were edited
            yield from _of_curves(case, now, before)
        yield from _of_measures(case, now, before)
        yield from _of_points(case, now, before)
    if now.why != before.why:
        yield _of_ends(now, before)


def _of_ends(now: Baseline, before: Baseline) -> str:
    seed = next(k for k, (a, b) in enumerate(zip(now.why, before.why, strict=True)) if a != b)
    return f"seed {seed} now ends because {now.why[seed]}; before, because {before.why[seed]}"


def _of_order(plan: ComparisonPlan, scope: Scope, now: Baseline, before: Baseline) -> Iterator[str]:
    """Describe the effects of a changed order of visits."""
    changed = sum(a != b for a, b in zip(now.digests, before.digests, strict=True))
    head = f"the order of visits changed on {changed} of {len(now.digests)} webs"
    new, old = now.visits, before.visits
    if now.digests[0] == before.digests[0]:
        yield f"{head}, not on the first"
        return
    planted = Planted(plan, plan.seeds[0])
    yield f"{head}: {_first_visit(planted, scope, new, old)}"
    levels = _levels_fall(planted, new)
    if scope is not Scope.KNOWN and levels and not _levels_fall(planted, old):
        yield f"pages of a site are no longer visited in the order of levels: {levels}"
    yield from _of_sites(planted, now, before)
    yield from _of_pages(scope, new, old)


def _first_visit(planted: Planted, scope: Scope, new: Pages, old: Pages) -> str:
    """Name the first visit that changed."""
    length = min(len(new), len(old))
    differ = np.flatnonzero(new[:length] != old[:length])
    if not len(differ):
        return f"{len(new)} visits, before {len(old)}"
    step = int(differ[0])
    return (
        f"step {step + 1} visits {_called(planted, scope, int(new[step]))}, "
        f"not {_called(planted, scope, int(old[step]))}"
    )


def _called(planted: Planted, scope: Scope, page: int) -> str:
    web = planted.web
    if scope is Scope.KNOWN:
        return f"page {page}"
    return f"page {page} ({web.name(web.host(page))}, level {web.level(page)})"


def _levels_fall(planted: Planted, order: Pages) -> str:
    """Name a page of a site that is visited after one of a higher level; "" if there is none."""
    deepest: dict[int, tuple[int, int]] = {}
    for step, page in enumerate(order.tolist(), start=1):
        site, level = int(planted.host[page]), planted.web.level(page)
        high, at = deepest.get(site, (level, step))
        if level < high:
            name = planted.web.name(site)
            return f"{name} has level {level} at step {step}, after level {high} at step {at}"
        deepest[site] = (level, step)
    return ""


def _of_sites(planted: Planted, now: Baseline, before: Baseline) -> Iterator[str]:
    """Name the sites whose share of the visits moved most."""
    if len(now.sites) != len(before.sites):
        yield f"the target set has {len(now.sites) - 1} sites, before {len(before.sites) - 1}"
        return
    names = [planted.web.name(site) for site in planted.sites] + ["other hosts"]
    rows = zip(names, now.sites, before.sites, strict=True)
    moved = sorted(
        ((abs(a - b), name, a, b) for name, a, b in rows if abs(a - b) > _SHIFT or a == 0 < b),
        reverse=True,
    )
    for _, name, a, b in moved[:3]:
        if a == 0:
            yield f"{name} is starved: none of the visits, before {b:.1%}"
        else:
            yield f"{name} gets {a:.1%} of the visits, before {b:.1%}"


def _of_pages(scope: Scope, new: Pages, old: Pages) -> Iterator[str]:
    """Report how many pages are visited, if the policy knows all pages from the start."""
    if scope is not Scope.KNOWN:
        return
    visited, before = len(np.unique(new)), len(np.unique(old))
    if visited != before:
        yield f"{visited} pages are visited at all, before {before}"


def _of_curves(case: RegressionCase, now: Baseline, before: Baseline) -> Iterator[str]:
    """Name the curves that left their bands, even if they end at the same value as before."""
    if now.steps != before.steps:
        yield f"the curves of its baseline have other steps; {accepting(now.name)} makes a new one"
        return
    for name, curve in before.curves.items():
        if name not in now.curves:
            continue
        apart = np.abs(np.subtract(now.curves[name], curve))
        worst = int(apart.argmax())
        if not apart[worst] <= case.band(name) * np.abs(curve).max():  # also if a value is NaN
            yield (
                f"{BY_NAME[name].title}: {now.curves[name][worst]:.4g} after {now.steps[worst]:,} "
                f"visits, before {curve[worst]:.4g}, though the order of visits is the same"
            )


def _of_points(case: RegressionCase, now: Baseline, before: Baseline) -> Iterator[str]:
    """Report where the graph of recall and precision left its band in either direction."""
    band = case.band(POINTS)
    if len(now.points) != len(before.points):
        yield "the 11-point graph is measured now and was not before, or the other way round"
        return
    moved = [k for k, (a, b) in enumerate(zip(now.points, before.points, strict=True))
             if abs(a - b) > band]  # fmt: skip
    if moved:
        worst = max(moved, key=lambda k: abs(now.points[k] - before.points[k]))
        yield (
            f"precision at recall {LEVELS[worst]:.1f}: {now.points[worst]:.4g}, before "
            f"{before.points[worst]:.4g}; {len(moved)} of {len(LEVELS)} points moved by more "
            f"than {band:g}"
        )


def _of_measures(case: RegressionCase, now: Baseline, before: Baseline) -> Iterator[str]:
    """Name the measures that left their bands."""
    for name, values in before.values.items():
        if name not in now.values:
            yield f"{name} is no longer measured"
            continue
        differences = [a - b for a, b in zip(now.values[name], values, strict=True)]
        moved, base, band = mean(differences), float(np.mean(values)), case.band(name)
        if abs(moved.value) <= band * abs(base):
            continue
        title, share = BY_NAME[name].title, f" ({moved.value / base:+.1%})" if base else ""
        ends = moved.interval
        interval = f", 95% interval {ends[0]:+.4g} to {ends[1]:+.4g}" if ends else ""
        yield (
            f"{title}: {base + moved.value:.4g}, before {base:.4g}{share}; difference "
            f"{moved.value:+.4g}{interval}; the band is {100 * band:g}%"
        )
    for name in now.values:
        if name not in before.values:
            yield f"{name} is measured now, and was not before"
