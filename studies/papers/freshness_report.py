"""What the figures of `freshness` say."""

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
from .statistics import contains, told


def report(of: Freshness) -> Report:
    """Return what the figures say."""
    return Report(
        "freshness",
        "How fresh copies are: the five-page example and a web",
        "Cho and Garcia-Molina, Synchronizing a database to improve freshness (2000).",
        f"{len(of.seeds)} seeds. Intervals are 95%, Student's, over seeds.",
        _findings(of),
        (_five(of), _web(of)),
        f"counterpoint papers freshness --seeds {len(of.seeds)}",
    )


def _findings(of: Freshness) -> tuple[Finding, ...]:
    rates = np.array(RATES)
    got = tuple(round(float(f), 2) for f in optimal_frequencies(rates, BUDGET))
    values = {name: expected(name, rates, BUDGET) for name in PRINTED}
    exact = all(round(values[name], 4) == PRINTED[name] for name in PRINTED)
    known = [n for n in POLICIES if n == "uniform" or "rates=true" in n]
    off = [n for n in known if not contains(of.five[n][0], values[POLICIES[n]])]
    made = [f"{n}: {of.five[n][1].value:.4f}" for n in off]
    return (
        Finding("optimal frequencies", _several(FREQUENCIES, 2), _several(got, 2),
                REPRODUCED if got == FREQUENCIES else NOT_REPRODUCED),
        Finding("freshness uniform, proportional, optimal", _several(PRINTED.values(), 4),
                _several(values.values(), 4), REPRODUCED if exact else NOT_REPRODUCED),
        Finding("simulated freshness is what the formula says", _several(PRINTED.values(), 4),
                _several((of.five[n][0].value for n in known), 4), IN_PART if off else REPRODUCED,
                "the formula wants even intervals, but visits wait their turn; at the intervals "
                f"as they were it gives for {', '.join(made)}" if off else ""),
    )  # fmt: skip


def _several(values: Any, digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


def _five(of: Freshness) -> Section:
    rates = np.array(RATES)
    rows = []
    for policy, name in POLICIES.items():
        analytic = expected(name, rates, BUDGET)
        one, must = of.five[policy]
        inside = "yes" if contains(one, analytic) else "no"
        rows.append((policy, f"{analytic:.4f}", f"{must.value:.4f}", told(one, 4), inside))
    return Section(
        "Five pages that change 1 to 5 times a day, five visits a day",
        (f"Changes are drawn from Poisson's law, for {of.days:,} days. Policies without "
         "rates=true estimate how often pages change from whether they had changed between two "
         "visits; what they fall short by is the price of not knowing.",),
        (Table(("policy", "formula", "its visits", "simulated", "formula in"), tuple(rows)),),
    )  # fmt: skip


def _web(of: Freshness) -> Section:
    rows = tuple(
        (policy, told(one, 4), told(above, 4), "yes" if contains(above, 0.0) else "no")
        for policy, (one, above) in of.web.items()
    )
    return Section(
        f"The web living: {of.web_pages:,} pages, as many visits a day",
        (f"Freshness from day {SETTLED} to day {WEB_DAYS}. The formula is given the true rate of "
         "each page of the same web.",),
        (Table(("policy", "simulated", "less the formula", "0 in it"), rows),),
    )  # fmt: skip
