"""The report on the figures of `freshness`."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoint.crawler.schedulers.allocation import optimal_frequencies

from .freshness import (
    BUDGET,
    FREQUENCIES,
    POLICIES,
    PRINTED,
    RATES,
    SETTLED,
    WEB_DAYS,
    Freshness,
    expected,
)
from .report import IN_PART, NOT_REPRODUCED, REPRODUCED, Finding, Report, Section, Table
from .statistics import contains, with_interval


def report(study: Freshness) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "freshness",
        "How fresh copies are: the five-page example and a web",
        "Cho and Garcia-Molina, Synchronizing a database to improve freshness (2000).",
        f"{len(study.seeds)} seeds. Intervals are 95%, Student's, over seeds.",
        _findings(study),
        (_five(study), _web(study)),
        f"counterpoint papers freshness --seeds {len(study.seeds)}",
    )


def _findings(study: Freshness) -> tuple[Finding, ...]:
    rates = np.array(RATES)
    got = tuple(round(float(f), 2) for f in optimal_frequencies(rates, BUDGET))
    values = {name: expected(name, rates, BUDGET) for name in PRINTED}
    exact = all(round(values[name], 4) == PRINTED[name] for name in PRINTED)
    known = [n for n in POLICIES if n == "uniform" or "rates=true" in n]
    off = [n for n in known if not contains(study.five[n][0], values[POLICIES[n]])]
    made = [f"{n}: {study.five[n][1].value:.4f}" for n in off]
    return (
        Finding("optimal frequencies", _several(FREQUENCIES, 2), _several(got, 2),
                REPRODUCED if got == FREQUENCIES else NOT_REPRODUCED),
        Finding("freshness uniform, proportional, optimal", _several(PRINTED.values(), 4),
                _several(values.values(), 4), REPRODUCED if exact else NOT_REPRODUCED),
        Finding("simulated freshness is what the formula says", _several(PRINTED.values(), 4),
                _several((study.five[n][0].value for n in known), 4),
                IN_PART if off else REPRODUCED,
                "the formula assumes even intervals, but visits wait for their turn; with the "
                f"actual intervals the formula gives for {', '.join(made)}" if off else ""),
    )  # fmt: skip


def _several(values: Any, digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


def _five(study: Freshness) -> Section:
    rates = np.array(RATES)
    rows = []
    for policy, name in POLICIES.items():
        analytic = expected(name, rates, BUDGET)
        one, must = study.five[policy]
        inside = "yes" if contains(one, analytic) else "no"
        rows.append((policy, f"{analytic:.4f}", f"{must.value:.4f}", with_interval(one, 4), inside))
    return Section(
        "Five pages that change 1 to 5 times a day, five visits a day",
        (f"Changes follow a Poisson process, for {study.days:,} days. Policies without rates=true "
         "do not know how often pages change; they estimate it from whether a page has changed "
         "between two visits, and are less fresh. Its visits: the expected freshness for the "
         "visits that were made. Inside: whether the interval of the simulated freshness contains "
         "the formula's value.",),
        (Table(("policy", "formula", "its visits", "simulated", "inside"), tuple(rows)),),
    )  # fmt: skip


def _web(study: Freshness) -> Section:
    rows = tuple(
        (
            policy,
            with_interval(one, 4),
            with_interval(above, 4),
            "yes" if contains(above, 0.0) else "no",
        )
        for policy, (one, above) in study.web.items()
    )
    return Section(
        f"The web living: {study.web_pages:,} pages, as many visits a day",
        (f"Freshness from day {SETTLED} to day {WEB_DAYS}. The formula uses the true change rate "
         "of each page of the same web. Inside: whether the interval of the difference contains "
         "0.",),
        (Table(("policy", "simulated", "minus the formula", "0 inside"), rows),),
    )  # fmt: skip
