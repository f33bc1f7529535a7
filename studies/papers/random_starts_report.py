"""The part of the report on [COV] about crawls that begin at random addresses."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.studies.comparison.statistics import Mean, against, mean

from .random_starts import DRAWN, PAGES, WEB, Starts
from .report import IN_PART, NOT_REPRODUCED, REPRODUCED, Finding, Section, Table
from .statistics import in_percent, with_interval

STARTS = "Random addresses among the start pages"


def finding(webs: Sequence[Starts]) -> Finding:
    """Return whether crawls reach more pages that begin at random addresses, too."""
    gains = [_gain(webs, k) for k in range(len(DRAWN))]
    raised = [gain.half is not None and gain.value > gain.half for gain in gains]
    return Finding(
        "random addresses among the start pages raise a crawl's coverage", "suggested",
        f"a crawl without a budget reaches {in_percent(mean([one.alone for one in webs]))} of the "
        "pages from one well-known page; "
        + "; ".join(
            f"with {share:.0%} of the addresses {_points(gain)} points more"
            for share, gain in zip(DRAWN, gains, strict=True)
        ),
        REPRODUCED if all(raised) else IN_PART if any(raised) else NOT_REPRODUCED,
        "" if all(raised) else f"not all gains exceed their intervals (“{STARTS}”)",
    )  # fmt: skip


def section(webs: Sequence[Starts]) -> Section:
    """Return the table, with the ablation: other well-known pages in place of random sites."""
    rows = [("none", "", in_percent(mean([one.alone for one in webs]), unit=""), "")]
    for k, share in enumerate(DRAWN):
        rows.append((
            f"{share:.0%}", f"{mean([float(one.sites[k]) for one in webs]).value:.0f}",
            in_percent(mean([one.random[k] for one in webs]), unit=""),
            in_percent(mean([one.known[k] for one in webs]), unit=""),
        ))  # fmt: skip
    return Section(
        STARTS,
        (f"{len(webs)} webs of {WEB} with {PAGES:,} pages. A crawl without a budget fetches all "
         "pages to which links lead from its start pages: one well-known page, and the sites of "
         "random addresses. In the last column as many other well-known pages take the place of "
         "these sites. A crawl with a budget spends it on any start pages.",),
        (Table(("drawn", "sites", "share reached, %", "with well-known pages, %"), tuple(rows)),),
        ablation=True,
    )  # fmt: skip


def _gain(webs: Sequence[Starts], k: int) -> Mean:
    return against([one.random[k] for one in webs], [one.alone for one in webs]).difference


def _points(found: Mean) -> str:
    """Return a difference of shares in percentage points, with its interval."""
    half = None if found.half is None else 100 * found.half
    return with_interval(Mean(100 * found.value, half), 1)
