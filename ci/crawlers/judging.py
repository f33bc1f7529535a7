"""Judges the runs of a crawler by its conditions and its baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from counterpoint.studies.subjects import Subject, SubjectRun

from ..baseline_files.accepting import accepting
from . import describing
from .baseline import CrawlBaseline, digest_of_order
from .cases import CrawlerCase
from .moved import moves_of
from .must import Condition
from .result import CrawlerResult, baseline_of


@dataclass
class Sentences:
    """Sentences about a crawler, by what they mean; see `CrawlerResult`."""

    fell: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def judge_runs(
    case: CrawlerCase, subject: Subject, runs: Sequence[SubjectRun], before: CrawlBaseline | None,
    accept: str = "", needed: bool = True,
) -> CrawlerResult:  # fmt: skip
    """Compare a crawler's runs with what is asked of it.

    Parameters
    ----------
    case : CrawlerCase
    subject : Subject
        The crawler of the case.
    runs : sequence of SubjectRun
        By seed and repeat.
    before : CrawlBaseline or None
        The baseline; None if there is none.
    accept : str
        The command that makes the runs the baseline; by default the gate's.
    needed : bool
        Whether a missing baseline falls.
    """
    accept = accept or accepting(case.name)
    found = Sentences()
    _of_runs(runs, found)
    judged = [run for run in runs if run.measures and run.ended != "timeout"]
    others = len(found.fell)
    for condition in case.conditions:
        _of_condition(condition, judged, found)
    broken = tuple(found.fell[others:])
    whole = not any(run.findings for run in runs)
    now = baseline_of(case, runs, subject.pages_of_web) if whole else None
    if before is None:
        if whole and needed:
            found.fell.append(f"it has no baseline; {accept} writes one")
    elif whole and now is not None:
        _against(case, runs, now, before, found, accept)
    if found.fell:
        other = before is not None and now is not None and not_comparable(case.name, now, before)
        found.details += describing.details(runs, None if other else before)
    return CrawlerResult(
        case, tuple(runs), tuple(found.fell), tuple(found.unknown), tuple(found.details),
        tuple(found.warnings), before, now, broken,
    )  # fmt: skip


def _of_runs(runs: Sequence[SubjectRun], found: Sentences) -> None:
    """Report runs that did not do their work, each reason once."""
    reasons: dict[tuple[str, str], list[SubjectRun]] = {}
    for run in runs:
        for finding in run.findings:
            reasons.setdefault((finding.answer, finding.text), []).append(run)
    for (answer, text), of in reasons.items():
        sentence = f"{text} ({describing.named(of, len(runs))})"
        (found.fell if answer == "fell" else found.unknown).append(sentence)
    worst = next((run for run in runs if run.findings), None)
    if worst is not None and worst.ended != "not started":
        found.details.append(describing.tail(worst))


def _of_condition(condition: Condition, runs: Sequence[SubjectRun], found: Sentences) -> None:
    """Judge a condition, which must hold for every run."""
    name = condition.measure.name
    broken = [run for run in runs if name in run.measures
              and not condition.holds(run.measures[name])]  # fmt: skip
    if broken:
        worst = max(broken, key=lambda run: abs(run.measures[name] - condition.number))
        value = describing.figure(worst.measures[name], condition.measure)
        found.fell.append(
            f"{condition.text} does not hold: it is {value} "
            f"({describing.named([worst, *broken], len(runs), len(broken))})"
        )
        return
    for run in runs:
        if name not in run.measures:
            why = run.unknown.get(name, "the run has no such value")
            found.unknown.append(f"{condition.text} is unknown ({run.name}): {why}")
            return


def _against(
    case: CrawlerCase, runs: Sequence[SubjectRun], now: CrawlBaseline, before: CrawlBaseline,
    found: Sentences, accept: str,
) -> None:  # fmt: skip
    """Compare with the baseline."""
    if why := not_comparable(case.name, now, before):
        found.fell.append(f"{why}; {accept} renews it")
        return
    found.fell += list(_of_order(case, runs, now, before))
    found.fell += describing.dropped(runs, before.values[case.name])
    moves = moves_of(now.values[case.name], before.values[case.name], case.bands)
    found.fell += moves.fell
    found.unknown += moves.unknown
    found.warnings += moves.warnings
    if found.fell and now.measures_digest != before.measures_digest:
        found.details.append(
            f"{before.counterpoint} made the baseline, and since then the way in which measures "
            "are computed has changed: the cause need not be the crawler"
        )


def not_comparable(name: str, now: CrawlBaseline, before: CrawlBaseline) -> str:
    """Return why a baseline cannot be compared with, in a sentence; empty if it can."""
    if name not in before.values:
        return f"its baseline has no {name}"
    if (now.web, now.pages, now.web_pages) != (before.web, before.pages, before.web_pages):
        return (
            f"its baseline is for {before.web}, {before.web_pages:,} pages, of which "
            f"{before.pages or 'any number'} are fetched"
        )
    if now.seeds(name) != before.seeds(name):
        return f"its baseline has the seeds {', '.join(before.seeds(name))}"
    if now.web_digest == before.web_digest:
        return ""
    if now.counterpoint == before.counterpoint:
        return "the web is not that of its baseline: its profile was changed"
    return (
        f"the web is not that of its baseline: Counterpoint {before.counterpoint} made the "
        f"baseline, and {now.counterpoint} generates another web, or the profile was changed"
    )


def _of_order(
    case: CrawlerCase, runs: Sequence[SubjectRun], now: CrawlBaseline, before: CrawlBaseline
) -> Iterator[str]:
    """Report a changed order of requests, where it is meant to be exact."""
    if case.order != "exact":
        return
    old, new = before.orders.get(case.name), now.orders[case.name]
    if not old:
        yield f"its baseline has no order; {accepting(case.name)} writes one"
        return
    several = [seed for seed, row in new.items() if len(set(row)) > 1]
    if several:
        yield f"the order of requests differs between repeats of seed {several[0]}"
    changed = [seed for seed in new if not set(new[seed]) <= set(old[seed])]
    if changed:
        run = next(one for one in runs if str(one.seed) == changed[0]
                   and digest_of_order(one.order) not in old[changed[0]])  # fmt: skip
        first = describing.first_request(run, before.requests[case.name][changed[0]])
        yield f"the order of requests changed on {len(changed)} of {len(new)} webs: {first}"
