"""What the gate says about a crawler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.studies.subjects import SubjectRun
from counterpoint.studies.subjects.canonical import digest_of_log_measures

from ..baseline_files.files import short, version
from .baseline import CrawlBaseline, digest_of_order, packed
from .cases import CrawlerCase


@dataclass(frozen=True)
class CrawlerResult:
    """The comparison of a crawler's runs with its conditions and its baseline.

    Attributes
    ----------
    case : CrawlerCase
    runs : tuple of SubjectRun
        By seed and repeat.
    fell, unknown : tuple of str
        Sentences on what is not as expected, and on what could not be decided; the cause first.
    details : tuple of str
        Sentences that explain them.
    warnings : tuple of str
        Sentences on what should be changed, though nothing fell.
    before, now : CrawlBaseline or None
        The baseline, and the runs in its form; None if missing.
    broken : tuple of str
        Of `fell`, the sentences on conditions that do not hold.
    """

    case: CrawlerCase
    runs: tuple[SubjectRun, ...]
    fell: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    before: CrawlBaseline | None = None
    now: CrawlBaseline | None = field(default=None, compare=False)
    broken: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The crawler and its web."""
        return f"{self.case.name} on {self.case.web}"

    @property
    def answer(self) -> str:
        """``fell``, ``unknown`` or ``as expected``."""
        return "fell" if self.fell else "unknown" if self.unknown else "as expected"

    @property
    def findings(self) -> tuple[str, ...]:
        """All sentences on what fell or is unknown, then their details."""
        return (*self.fell, *self.unknown, *self.details)

    @property
    def values(self) -> Mapping[str, float]:
        """The mean of each measure over all runs that have it."""
        rows = {name: [run.measures[name] for run in self.runs if name in run.measures]
                for run in self.runs for name in run.measures}  # fmt: skip
        return {name: sum(row) / len(row) for name, row in rows.items()}

    @property
    def seconds(self) -> float:
        """The time of all runs together."""
        return sum(run.seconds for run in self.runs)

    @property
    def again(self) -> str:
        """The command that runs the crawler again."""
        return f"counterpoint gate {self.case.name}"


def baseline_of(case: CrawlerCase, runs: Sequence[SubjectRun], web_pages: int) -> CrawlBaseline:
    """Return runs in the form of a baseline."""
    first = min(runs, key=lambda run: run.seed)
    total = sum(first.facts.sites.values())
    rows: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        for measure, value in run.measures.items():
            rows.setdefault(measure, {}).setdefault(str(run.seed), []).append(short(value))
    orders: dict[str, list[str]] = {}
    requests: dict[str, str] = {}
    for run in runs if case.order == "exact" else ():
        orders.setdefault(str(run.seed), []).append(digest_of_order(run.order))
        requests.setdefault(str(run.seed), packed(run.order))
    return CrawlBaseline(
        version(),
        first_profile(case),
        first.web_digest,
        digest_of_log_measures(),
        case.pages,
        web_pages,
        {case.name: rows},
        {case.name: orders} if orders else {},
        {case.name: requests} if orders else {},
        {case.name: {site: short(n / total) for site, n in first.facts.sites.items()}}
        if total else {},
    )  # fmt: skip


def first_profile(case: CrawlerCase) -> str:
    """Return the name of the case's web, the file's own if it is one."""
    return case.web.rpartition("/")[2].removesuffix(".toml")
