"""Judges a log of ``web serve`` by conditions and by a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from counterpoint.ci.outcome import Outcome
from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.referee import Judgment, read_header
from counterpoint.sim_web.referee.known import truth
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.subjects import Subject, SubjectRun, command_of
from counterpoint.studies.subjects.digests import digest_of_web
from counterpoint.studies.subjects.judging import LogJudge, OpenWeb
from counterpoint.studies.subjects.measures import LARGE, values_of
from counterpoint.studies.subjects.runs import RunFacts, separated

from .bands import bands_of
from .baseline import CrawlBaseline
from .cases import CrawlerCase
from .judging import judge_runs
from .must import condition_of
from .outcomes import outcome_of
from .result import CrawlerResult

NAME = "crawler"
"""The name of the crawler of a log in a baseline."""

SELECTED = "only a part of the log is judged"


@dataclass(frozen=True)
class LogDemands:
    """What is asked of a log.

    Attributes
    ----------
    must : tuple of str
        Conditions.
    band : mapping of str to (float or str)
    before : CrawlBaseline or None
        The baseline; None if there is none.
    baseline : bool
        Whether a baseline was named.

    Raises
    ------
    CrawlError
        If a condition or a band is wrong.
    """

    must: tuple[str, ...] = ()
    band: Mapping[str, float | str] = field(default_factory=dict)
    before: CrawlBaseline | None = None
    baseline: bool = False

    def __post_init__(self) -> None:
        for text in self.must:
            condition_of(text)
        bands_of(self.band)


def run_of(path: Path, judgment: Judgment, whole: bool) -> tuple[SubjectRun, Profile]:
    """Return a log as the run of a crawler, and the profile of its web.

    Parameters
    ----------
    path : Path
        The log; ``-`` is standard input, which cannot be read again.
    judgment : Judgment
    whole : bool
        Whether all requests of the log are judged. The crawler is then taken to have begun at the
        first page that it fetched.
    """
    about = judgment.about
    values = values_of(judgment, about.real_time)
    facts, digest = RunFacts(), ""
    order: tuple[str, ...] = ()
    with path.open("rb") as file:
        header = read_header(file, str(path))
    profile = profiles.from_mapping(header.profile, str(path), "")
    known = truth(profile, header.pages, header.seed)
    plan = ComparisonPlan((NAME,), profile, 1, header.pages)
    if known.small:
        planted = OpenWeb(plan, header.seed)
        digest = digest_of_web(planted)
        if whole:
            judged = LogJudge(planted).judge(path, None, None, None)
            values, facts, order = judged.values, judged.facts, judged.order
    why = LARGE if whole else SELECTED
    measures, unknown = separated(values)
    missing = ("starving-sites", "coverage.reachable", "followed")
    unknown |= {name: why for name in missing if name not in measures}
    run = SubjectRun(about.seed, 0, "exit", 0, 0.0, measures, unknown, order, facts,
                     web_digest=digest)  # fmt: skip
    return run, profile


def judge_log(
    path: Path, judgment: Judgment, whole: bool, demands: LogDemands, accept: str
) -> CrawlerResult:
    """Judge a log by what is asked of it.

    Parameters
    ----------
    path : Path
    judgment : Judgment
    whole : bool
        See `run_of`.
    demands : LogDemands
    accept : str
        The command that writes the baseline.
    """
    run, profile = run_of(path, judgment, whole)
    about = judgment.about
    case = CrawlerCase(
        NAME, NAME, profile.name, None, about.pages, (about.seed,),
        must=demands.must, band=demands.band,
    )  # fmt: skip
    subject = Subject(NAME, command_of(NAME), profile, None, about.pages, (about.seed,))
    return judge_runs(case, subject, [run], demands.before, accept, demands.baseline)


def as_outcome(result: CrawlerResult, path: Path, again: str) -> Outcome:
    """Return what a log came to."""
    return outcome_of(
        result.case.web, str(path), result.fell, result.unknown, result.details,
        result.warnings, 0.0, again, None, result,
    )  # fmt: skip
