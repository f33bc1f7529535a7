"""What was committed: a file for each policy and profile.

A file holds the measures of each seed, the mean curves, the share of the visits of each site, the
digest of each order, and the whole order on the first seed, so that the first visit that changed
can be named. Of a policy that fails, as a rule that is printed wrong may, it holds the line that
says so.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.policy.protocol import NONE, Pages
from counterpoint.crawler.worlds.crawl import digest_of
from counterpoint.studies.comparison.comparison import Compared
from counterpoint.studies.comparison.plan import Plan

VERSION = 1
ANEW = "remove it, and counterpoint gate --accept makes it anew"
DIGITS = 9
"""Significant digits of what is kept; orders are kept exactly."""


@dataclass(frozen=True)
class Baseline:
    """What came of a policy on the webs of a profile.

    Attributes
    ----------
    policy, profile : str
    budget, web_pages : int
    steps : list of int
        At which curves are sampled.
    values : dict of str to list of float
        Each measure at the end, by seed.
    curves : dict of str to list of float
        Means over the seeds.
    sites : list of float
        Shares of the visits.
    why : list of str
        Why each run ended, by seed.
    digests : list of str
        Of the orders of visits, by seed.
    order : str
        That of the first seed, packed.
    points : list of float
        The mean 11-point graph of the index; empty if nothing was looked for.
    fell : str
        Why there is nothing else: the line that names policy and step; "" if it did not fail.
    """

    policy: str
    profile: str
    budget: int
    web_pages: int
    steps: list[int] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)
    sites: list[float] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    order: str = ""
    points: list[float] = field(default_factory=list)
    fell: str = ""

    @property
    def visits(self) -> Pages:
        """The order of visits on the first seed."""
        return unpacked(self.order) if self.order else NONE

    @property
    def name(self) -> str:
        """As the gate names it."""
        return f"{self.policy} on {self.profile}"


def packed(order: Pages) -> str:
    """Return an order of visits as text."""
    return base64.b64encode(zlib.compress(order.astype("<i4").tobytes(), 9)).decode()


def unpacked(text: str) -> Pages:
    """Return the order that `packed` made into text."""
    raw = zlib.decompress(base64.b64decode(text, validate=True))
    return np.frombuffer(raw, dtype="<i4").astype(np.int64)


def of(plan: Plan, told: Compared) -> Baseline:
    """Return what is kept of a policy's runs."""
    if told.fell:
        return Baseline(
            told.name, plan.profile.name, plan.budget, plan.pages_of_web, fell=told.fell
        )
    measures = list(told.runs[0].final)
    return Baseline(
        policy=told.name,
        profile=plan.profile.name,
        budget=plan.budget,
        web_pages=plan.pages_of_web,
        steps=plan.grid.tolist(),
        values={name: [_short(v) for v in told.values(name)] for name in measures},
        curves={name: [_short(m.value) for m in told.curve(name)] for name in told.runs[0].curves},
        sites=[_short(share) for share in told.sites()],
        why=[run.why for run in told.runs],
        digests=[run.digest for run in told.runs],
        order=packed(told.runs[0].order),
        points=[_short(point.value) for point in told.points()],
    )


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def path_of(folder: Path, profile: str, policy: str) -> Path:
    """Return the file of a policy and a profile."""
    return folder / profile / f"{policy}.json"


def load(folder: Path, profile: str, policy: str) -> Baseline | None:
    """Return a baseline; None if none was committed.

    Raises
    ------
    CrawlError
        If the file is no baseline.
    """
    path = path_of(folder, profile, policy)
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if found.pop("version", None) != VERSION:
            raise ValueError(f"a baseline of version {VERSION} is needed")
        baseline = Baseline(**found)
        _check(baseline)
    except (ValueError, TypeError, AttributeError, zlib.error) as error:
        raise CrawlError(f"{path} is no baseline: {error}; {ANEW}") from error
    return baseline


def _check(of: Baseline) -> None:
    """Refuse what does not fit together, as after a merge."""
    if of.fell:
        return
    if not of.digests or len(of.digests) != len(of.why):
        raise ValueError("it has not as many reasons as digests")
    for rows, of_what, length in (
        (of.values, "digest", len(of.digests)), (of.curves, "step", len(of.steps)),
    ):  # fmt: skip
        for name, row in rows.items():
            if len(row) != length or not np.isfinite(row).all():
                raise ValueError(f"{name} has not a number for each {of_what}")
    if len(of.points) not in (0, len(LEVELS)) or not np.isfinite(of.points).all():
        raise ValueError(f"its graph of recall and precision has not {len(LEVELS)} points")
    if not np.isfinite(of.sites).all():
        raise ValueError("a share of the visits is no number")
    _check_order(of)


def _check_order(of: Baseline) -> None:
    visits = of.visits
    if digest_of(visits) != of.digests[0]:
        raise ValueError("its order of visits is not the one of its first digest")
    if len(visits) and not 0 <= visits.min() <= visits.max() < of.web_pages:
        raise ValueError("its order of visits has pages that its web has not")


def save(folder: Path, baseline: Baseline) -> Path:
    """Write a baseline, as a whole or not at all; return its file."""
    path = path_of(folder, baseline.profile, baseline.policy)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    text = json.dumps({"version": VERSION, **asdict(baseline)}, indent=1, sort_keys=True)
    new.write_text(_compact(text) + "\n", encoding="utf-8")
    os.replace(new, path)
    return path


def _compact(text: str) -> str:
    """Return JSON in which each list stands on one line, so that a change is a few lines."""
    return "\n".join(_joined(iter(text.splitlines())))


def _joined(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line.endswith("["):
            yield line
            continue
        parts = [line]
        for inner in lines:
            parts.append(inner.strip())
            if inner.strip() in ("]", "],"):
                break
        yield parts[0] + " ".join(parts[1:-1]) + parts[-1]


def committed(folder: Path) -> set[tuple[str, str]]:
    """Return the profiles and policies of which there are files."""
    return {(path.parent.name, path.stem) for path in folder.glob("*/*.json")}
