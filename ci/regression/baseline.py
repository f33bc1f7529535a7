"""Baselines: the committed results of each policy on each web, a file for each pair.

A file contains the measures of each seed, the mean curves, the share of the visits of each site,
the digest of each order of visits, and the whole order on the first seed, so that the report can
name the first visit that changed. For a policy that fails (as a rule with a printing error does),
the file contains the error message. It also says which version of Counterpoint wrote it, and has
digests of the webs and of how measures are computed: if one of these has changed, a difference
says nothing about the policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.policy.protocol import Pages
from counterpoint.crawler.worlds.crawl import digest_of
from counterpoint.studies.comparison.canonical import digest_of_policy_measures
from counterpoint.studies.comparison.comparison import PolicyRuns
from counterpoint.studies.comparison.plan import ComparisonPlan

from ..baseline_files import files
from ..baseline_files.accepting import accepting
from ..baseline_files.files import short, version
from ..baseline_files.naming import file_name
from .layout import text_of

SCHEMA = 2
FOLDER = "policies"
"""The folder of these files within the folder of all baselines."""


@dataclass(frozen=True)
class Baseline:
    """The results of a policy on the webs of a profile.

    Attributes
    ----------
    policy, web : str
        The policy as its user named it, and the name of the profile.
    budget, web_pages : int
    counterpoint : str
        The version of Counterpoint that computed it; another version alone is no difference.
    measures_digest : str
        A digest of how measures are computed.
    web_digests : list of str
        Digests of the webs, by seed; empty if the policy failed.
    seeds : list of int
    steps : list of int
        The steps at which curves are sampled.
    values : dict of str to list of float
        Each measure at the end of the run, by seed.
    curves : dict of str to list of float
        Means over the seeds.
    sites : list of float
        The share of the visits of each site.
    why : list of str
        Why each run ended, by seed.
    digests : list of str
        Digests of the orders of visits, by seed.
    order : list of int
        The order of visits on the first seed.
    points : list of float
        The mean 11-point graph of the index; empty if the policy does not search.
    fell : str
        If the policy failed, the line that names policy and step, and nothing else is stored; else
        "".
    """

    policy: str
    web: str
    budget: int
    web_pages: int
    counterpoint: str = field(default="", compare=False)
    measures_digest: str = ""
    web_digests: list[str] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)
    sites: list[float] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    points: list[float] = field(default_factory=list)
    fell: str = ""

    @property
    def visits(self) -> Pages:
        """The order of visits on the first seed."""
        return np.array(self.order, dtype=np.int64)

    @property
    def name(self) -> str:
        """The name in the gate's report."""
        return f"{self.policy} on {self.web}"


def of(plan: ComparisonPlan, policy: PolicyRuns) -> Baseline:
    """Return the baseline of a policy's runs."""
    empty = Baseline(
        policy.name, plan.profile.name, plan.budget, plan.pages_of_web, version(),
        digest_of_policy_measures(), seeds=list(plan.seeds), fell=policy.fell or "",
    )  # fmt: skip
    if policy.fell:
        return empty
    first = policy.runs[0]
    found = {
        "web_digests": [run.web for run in policy.runs],
        "steps": plan.grid.tolist(),
        "values": {name: [short(v) for v in policy.values(name)] for name in first.final},
        "curves": {name: [short(m.value) for m in policy.curve(name)] for name in first.curves},
        "sites": [short(share) for share in policy.sites()],
        "why": [run.why for run in policy.runs],
        "digests": [run.digest for run in policy.runs],
        "order": first.order.tolist(),
        "points": [short(point.value) for point in policy.points()],
    }
    return Baseline(**{**asdict(empty), **found})


def path_of(folder: Path, web: str, policy: str) -> Path:
    """Return the file of a policy and a web, in the folder of all baselines."""
    return folder / FOLDER / file_name(web) / f"{file_name(policy)}.json"


def load(folder: Path, web: str, policy: str) -> Baseline | None:
    """Return a baseline; None if none was committed.

    Raises
    ------
    CrawlError
        If the file is no baseline of this policy and this web.
    """

    def made(content: dict[str, Any]) -> Baseline:
        baseline = Baseline(**content)
        if (baseline.policy, baseline.web) != (policy, web):
            raise ValueError(f"it is that of {baseline.name}")
        _check(baseline)
        return baseline

    name = f"{policy} on {web}"
    anew = f"remove it, then {accepting(name)} writes a new one"
    return files.load(path_of(folder, web, policy), SCHEMA, made, name, anew)


def _check(baseline: Baseline) -> None:
    """Refuse a baseline whose parts contradict each other, as after a bad merge."""
    if baseline.fell:
        return
    of_seeds = (baseline.why, baseline.digests, baseline.web_digests)
    if not baseline.seeds or any(len(some) != len(baseline.seeds) for some in of_seeds):
        raise ValueError("it does not have a reason and digests for each seed")
    for rows, of_what, length in (
        (baseline.values, "seed", len(baseline.seeds)),
        (baseline.curves, "step", len(baseline.steps)),
    ):  # fmt: skip
        for name, row in rows.items():
            if len(row) != length or not np.isfinite(row).all():
                raise ValueError(f"{name} does not have a number for each {of_what}")
    if len(baseline.points) not in (0, len(LEVELS)) or not np.isfinite(baseline.points).all():
        raise ValueError(f"its graph of recall and precision does not have {len(LEVELS)} points")
    if not np.isfinite(baseline.sites).all():
        raise ValueError("a share of the visits is no number")
    _check_order(baseline)


def _check_order(baseline: Baseline) -> None:
    visits = baseline.visits
    if digest_of(visits) != baseline.digests[0]:
        raise ValueError("its order of visits does not match its first digest")
    if len(visits) and not 0 <= visits.min() <= visits.max() < baseline.web_pages:
        raise ValueError("its order of visits has pages that are not in its web")


def save(folder: Path, baseline: Baseline) -> Path:
    """Write a baseline, complete or not at all; return its file."""
    path = path_of(folder, baseline.web, baseline.policy)
    files.save(path, text_of({"schema": SCHEMA, **asdict(baseline)}))
    return path


def committed(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of all baselines, sorted, with the names of policy and web that are in them.

    Files that are no baselines are left alone.
    """
    for path in sorted((folder / FOLDER).glob("*/*.json")):
        found = files.content(path)
        if {"policy", "web"} <= set(found):
            yield path, f"{found['policy']} on {found['web']}"
