"""A run held against its baseline: what changed, and what it looks like from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.policy.protocol import Pages, Scope
from counterpoint.studies.comparison.comparison import Compared
from counterpoint.studies.comparison.measures import BY_NAME
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import mean

from .baseline import Baseline
from .cases import BAND

_SHIFT = 0.05
"""By how much a site's share of the visits has to move to be named."""


@dataclass(frozen=True)
class Judged:
    """A policy on the webs of a profile, held against its baseline.

    Attributes
    ----------
    name : str
    changes : tuple of str
        What changed, the cause first; empty if nothing did.
    now, before : Baseline or None
        For the plot; None where there is none.
    again : str
        The command that runs it again.
    """

    name: str
    changes: tuple[str, ...]
    now: Baseline | None
    before: Baseline | None
    again: str

    @property
    def answer(self) -> str:
        """``as expected`` or ``fell``."""
        return "fell" if self.changes else "as expected"

    @property
    def moved(self) -> list[str]:
        """The measures whose curves are no longer the same."""
        if self.now is None or self.before is None:
            return []
        now, before = self.now.curves, self.before.curves
        return [name for name in before if name in now and now[name] != before[name]]


def judged(plan: Plan, told: Compared, now: Baseline, before: Baseline | None) -> Judged:
    """Hold a policy's runs against what was committed.

    Parameters
    ----------
    plan : Plan
    told : Compared
        The runs.
    now : Baseline
        The same as it would be committed.
    before : Baseline or None
        None: nothing was committed.
    """
    changes = tuple(_changes(plan, told.scope, now, before))
    return Judged(now.name, changes, now, before, again(plan, told))


def again(plan: Plan, told: Compared) -> str:
    """Return the command that runs a policy of a plan."""
    return (
        f"counterpoint compare {told.name} --web {plan.profile.name} --pages {plan.budget} "
        f"--web-pages {plan.pages_of_web} --seeds {len(plan.seeds)}"
    )


def _changes(plan: Plan, scope: Scope, now: Baseline, before: Baseline | None) -> Iterator[str]:
    if before is None:
        yield now.fell or "there is no baseline of it; counterpoint gate --accept makes one"
    elif (now.budget, now.web_pages) != (before.budget, before.web_pages):
        yield "its baseline is of another budget or web; counterpoint gate --accept makes one"
    elif now.fell or before.fell:
        if now.fell != before.fell:
            yield f"{now.fell or 'it no longer falls'}; before: {before.fell or 'it did not fall'}"
    elif len(now.digests) != len(before.digests):
        yield "its baseline is of another number of seeds; counterpoint gate --accept makes one"
    else:
        yield from _of_runs(plan, scope, now, before)


def _of_runs(plan: Plan, scope: Scope, now: Baseline, before: Baseline) -> Iterator[str]:
    if now.digests != before.digests:
        yield from _of_order(plan, scope, now, before)
    else:  # a curve follows from the order, so that only how it is measured can have changed
        yield from _of_curves(now, before)
    yield from _of_measures(now, before)
    yield from _of_points(now, before)
    if now.why != before.why:
        yield _of_ends(now, before)


def _of_ends(now: Baseline, before: Baseline) -> str:
    seed = next(k for k, (a, b) in enumerate(zip(now.why, before.why, strict=True)) if a != b)
    return f"seed {seed} now ends because {now.why[seed]}; before, because {before.why[seed]}"


def _of_order(plan: Plan, scope: Scope, now: Baseline, before: Baseline) -> Iterator[str]:
    """Say what is seen of another order of visits."""
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
        yield f"pages of a site no longer come by level: {levels}"
    yield from _of_sites(planted, now, before)
    yield from _of_pages(scope, new, old)


def _first_visit(planted: Planted, scope: Scope, new: Pages, old: Pages) -> str:
    """Name the first visit that is another one."""
    length = min(len(new), len(old))
    differ = np.flatnonzero(new[:length] != old[:length])
    if not len(differ):
        return f"{len(new)} visits, where there were {len(old)}"
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
    """Say where a page of a site comes after one of a higher level; "" if nowhere."""
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
    """Say what happened to the numbers of visits of each page, where pages are known."""
    if scope is not Scope.KNOWN:
        return
    visited, before = len(np.unique(new)), len(np.unique(old))
    if visited != before:
        yield f"{visited} pages are visited at all, before {before}"


def _of_curves(now: Baseline, before: Baseline) -> Iterator[str]:
    """Name the curves that left their bands, though they may end where they did."""
    if now.steps != before.steps:
        yield "the curves of its baseline have other steps; counterpoint gate --accept makes one"
        return
    for name, curve in before.curves.items():
        if name not in now.curves:
            continue
        apart = np.abs(np.subtract(now.curves[name], curve))
        worst = int(apart.argmax())
        if not apart[worst] <= BAND * np.abs(curve).max():  # also where it is no number
            yield (
                f"{BY_NAME[name].title}: {now.curves[name][worst]:.4g} after {now.steps[worst]:,} "
                f"visits, before {curve[worst]:.4g}, though the order of visits is the same"
            )


def _of_points(now: Baseline, before: Baseline) -> Iterator[str]:
    """Say where the graph of recall and precision left its band, `BAND` in either direction."""
    if len(now.points) != len(before.points):
        yield "the 11-point graph is measured now and was not before, or the other way round"
        return
    moved = [k for k, (a, b) in enumerate(zip(now.points, before.points, strict=True))
             if abs(a - b) > BAND]  # fmt: skip
    if moved:
        worst = max(moved, key=lambda k: abs(now.points[k] - before.points[k]))
        yield (
            f"precision at recall {LEVELS[worst]:.1f}: {now.points[worst]:.4g}, before "
            f"{before.points[worst]:.4g}; {len(moved)} of {len(LEVELS)} points moved by more "
            f"than {BAND:g}"
        )


def _of_measures(now: Baseline, before: Baseline) -> Iterator[str]:
    """Name the measures that left their bands."""
    for name, values in before.values.items():
        if name not in now.values:
            yield f"{name} is no longer measured"
            continue
        differences = [a - b for a, b in zip(now.values[name], values, strict=True)]
        moved, base = mean(differences), float(np.mean(values))
        if abs(moved.value) <= BAND * abs(base):
            continue
        title, share = BY_NAME[name].title, f" ({moved.value / base:+.1%})" if base else ""
        ends = moved.interval
        interval = f", 95% interval {ends[0]:+.4g} to {ends[1]:+.4g}" if ends else ""
        yield (
            f"{title}: {base + moved.value:.4g}, before {base:.4g}{share}; difference "
            f"{moved.value:+.4g}{interval}; the band is {BAND:.0%}"
        )
    for name in now.values:
        if name not in before.values:
            yield f"{name} is measured now, and was not before"
