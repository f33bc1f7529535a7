"""Writes a comparison as a self-contained HTML page."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from .agreement import Agreement, agreements, ranks
from .agreement_lines import reversed_pairs, summary
from .comparison import Comparison, PolicyRuns
from .measures import Measure
from .plots import bars, colour, plots
from .statistics import Mean
from .table import figure


def page(comparison: Comparison, command: str, beside: Comparison | None = None) -> str:
    """Return the page.

    Parameters
    ----------
    comparison : Comparison
    command : str
        The command that repeats the comparison.
    beside : Comparison, optional
        The comparison on a second web; the page says how well both webs agree.
    """
    plan = comparison.plan
    heading = (
        ("web", f"{plan.profile.name}, {plan.pages_of_web:,} pages"),
        ("seeds", f"{plan.seeds[0]} to {plan.seeds[-1]}"),
        ("budget", f"{plan.budget:,} pages of each web"),
        ("command", command),
    )
    return _template().render(
        title=f"{', '.join(plan.policies)} on {plan.profile.name}",
        heading=heading,
        fell=comparison.fell + comparison.unknown,
        legend=[(policy.name, policy.about, *colour(k))
                for k, policy in enumerate(comparison.policies) if not policy.fell],
        first=comparison.first.name,
        tables=[_table(comparison, measure) for measure in comparison.measured()],
        plots=plots(comparison),
        bars=bars(comparison),
        sites=[*comparison.site_names(), "elsewhere"],
        ends=[(policy.name, policy.whys()) for policy in comparison.policies if not policy.fell],
        beside="" if beside is None else beside.plan.profile.name,
        web=plan.profile.name,
        agreements=[] if beside is None else [
            _agreement(one) for one in agreements(comparison, beside)
        ],
    )  # fmt: skip


def write(
    path: Path, comparison: Comparison, command: str, beside: Comparison | None = None
) -> None:
    """Write the page to a file; if that fails, an existing file is left unchanged.

    Parameters
    ----------
    path : Path
    comparison : Comparison
    command : str
        The command that repeats the comparison.
    beside : Comparison, optional
        The comparison on a second web.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(page(comparison, command, beside), encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _agreement(one: Agreement) -> dict[str, Any]:
    cells = {name: [_cell(mean, one.measure) for mean in means]
             for name, means in zip(one.policies, one.means, strict=True)}  # fmt: skip
    rows = [(name, first, cells[name][0], second, cells[name][1])
            for name, first, second in ranks(one)]  # fmt: skip
    return {"title": one.measure.title, "rows": rows, "summary": summary(one),
            "reverse": reversed_pairs(one)}  # fmt: skip


def _table(comparison: Comparison, measure: Measure) -> dict[str, Any]:
    shown = [policy for policy in comparison.policies if policy.values(measure.name)]
    rests = [f"{policy.name} {share:.1%}" for policy in shown
             if (share := policy.unknown(measure.name)) is not None]  # fmt: skip
    return {"title": measure.title, "rests": ", ".join(rests),
            "rows": [_row(comparison, policy, measure) for policy in shown]}  # fmt: skip


def _row(comparison: Comparison, policy: PolicyRuns, measure: Measure) -> tuple[str, ...]:
    first = comparison.first
    own = policy.mean(measure.name)
    assert own is not None
    if policy is first or (paired := policy.against(first, measure)) is None:
        return (policy.name, _cell(own, measure), "", "")
    won = f"{paired.wins}, {paired.ties}, {paired.losses}"
    return (policy.name, _cell(own, measure), _cell(paired.difference, measure, True), won)


def _cell(mean: Mean, measure: Measure, signed: bool = False) -> str:
    value = figure(mean.value, measure, signed)
    return value if mean.half is None else f"{value} ± {figure(mean.half, measure)}"


@cache
def _template() -> Template:
    return environment().get_template("comparison.html.j2")


TEMPLATES = Path(__file__).parents[1] / "templates"


def environment(*folders: Path) -> Environment:
    """Return an environment with the templates of this room and of other folders."""
    return Environment(
        loader=FileSystemLoader([TEMPLATES, *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
