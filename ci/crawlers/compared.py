"""Compares the measures of a comparison of policies and crawlers with a baseline."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from counterpoint.ci.outcome import Outcome
from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.comparison.canonical import digest_of_policy_measures
from counterpoint.studies.comparison.comparison import Comparison
from counterpoint.studies.comparison.measures import BY_NAME, MEASURES
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.subjects import LogMeasure
from counterpoint.studies.subjects.digests import digest_of_web

from ..baseline_files.files import short, version
from .bands import Bands
from .baseline import CrawlBaseline
from .judging import not_comparable
from .moved import moves_of
from .outcomes import outcome_of

_MEASURES = {one.name: LogMeasure(one.name, one.title, one.share, one.best) for one in MEASURES}


def measure_of_policies(name: str) -> str:
    """Return the name of a measure of comparisons; raise CrawlError if there is none."""
    if name in BY_NAME:
        return name
    near = get_close_matches(name, BY_NAME, 3, 0.5)
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    raise CrawlError(f"there is no measure '{name}'{meant}; the measures are {', '.join(BY_NAME)}")


def baseline_of(comparison: Comparison) -> CrawlBaseline:
    """Return a comparison in the form of a baseline; what failed is left out."""
    plan = comparison.plan
    values = {
        policy.name: {
            measure.name: {
                str(run.seed): [short(run.final[measure.name])]
                for run in policy.runs
                if measure.name in run.final
            }
            for measure in comparison.measured()
            if policy.values(measure.name)
        }
        for policy in comparison.policies
        if not policy.fell
    }
    return CrawlBaseline(
        version(),
        plan.profile.name,
        digest_of_web(Planted(plan, plan.seeds[0])),
        digest_of_policy_measures(),
        plan.budget,
        plan.pages_of_web,
        values,
    )


def against(
    comparison: Comparison, now: CrawlBaseline, before: CrawlBaseline | None, bands: Bands,
    accept: str, again: str,
) -> list[Outcome]:  # fmt: skip
    """Return an outcome for each policy and crawler of a comparison.

    Parameters
    ----------
    comparison : Comparison
    now : CrawlBaseline
        The comparison in the form of a baseline.
    before : CrawlBaseline or None
        The baseline; None if there is no file.
    bands : Bands
    accept, again : str
        The commands that write the baseline, and that repeat the comparison.
    """
    found = []
    for policy in comparison.policies:
        fell, warnings = _of_one(policy.name, policy.fell, now, before, bands, accept)
        late = fell if policy.timed_out else []
        found.append(outcome_of(
            now.web, policy.name, [] if late else fell, late, (), warnings, 0.0, again,
        ))  # fmt: skip
    return found


def _of_one(
    name: str, failed: str | None, now: CrawlBaseline, before: CrawlBaseline | None, bands: Bands,
    accept: str,
) -> tuple[list[str], list[str]]:  # fmt: skip
    if failed:
        return [failed], []
    if before is None:
        return [f"it has no baseline; {accept} writes one"], []
    if why := not_comparable(name, now, before):
        return [f"{why}; {accept} renews it"], []
    moves = moves_of(now.values[name], before.values[name], bands, _MEASURES)
    fell = moves.fell + moves.unknown
    if fell and now.measures_digest != before.measures_digest:
        fell.append(
            f"{before.counterpoint} made the baseline, and since then the way in which measures "
            "are computed has changed: the cause need not be the policy"
        )
    return fell, moves.warnings


def renewed(now: CrawlBaseline, before: CrawlBaseline | None) -> CrawlBaseline:
    """Return the new baseline; it keeps others of the same web that were not compared now."""
    if before is None:
        return now
    same = [
        (one.web, one.web_digest, one.measures_digest, one.pages, one.web_pages)
        for one in (now, before)
    ]
    return replace(now, values={**before.values, **now.values}) if same[0] == same[1] else now
