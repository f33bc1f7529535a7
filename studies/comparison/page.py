"""A comparison as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from .comparison import Compared, Comparison
from .measures import Measure
from .plots import bars, colour, plots
from .statistics import Mean
from .table import figure


def page(of: Comparison, command: str) -> str:
    """Return the page; ``command`` is what compares the same again."""
    plan = of.plan
    heading = (
        ("web", f"{plan.profile.name}, {plan.pages_of_web:,} pages"),
        ("seeds", f"{plan.seeds.start} to {plan.seeds.stop - 1}"),
        ("budget", f"{plan.budget:,} pages of each web"),
        ("command", command),
    )
    return _template().render(
        title=f"{', '.join(plan.policies)} on {plan.profile.name}",
        heading=heading,
        fell=of.fell,
        legend=[(policy.name, policy.about, *colour(k)) for k, policy in enumerate(of.policies)
                if not policy.fell],
        first=of.policies[0].name,
        tables=[_table(of, measure) for measure in of.measured()],
        plots=plots(of),
        bars=bars(of),
        sites=[*of.site_names(), "elsewhere"],
        ends=[(policy.name, policy.whys()) for policy in of.policies if not policy.fell],
    )  # fmt: skip


def write(path: Path, of: Comparison, command: str) -> None:
    """Write the page to a file: wholly, or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(page(of, command), encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _table(of: Comparison, measure: Measure) -> dict[str, Any]:
    shown = [policy for policy in of.policies if policy.values(measure.name)]
    return {"title": measure.title, "rows": [_row(of, policy, measure) for policy in shown]}


def _row(of: Comparison, policy: Compared, measure: Measure) -> tuple[str, ...]:
    first = of.policies[0]
    told = policy.mean(measure.name)
    assert told is not None
    if policy is first or (beside := policy.against(first, measure)) is None:
        return (policy.name, _cell(told, measure), "", "")
    won = f"{beside.wins}, {beside.ties}, {beside.losses}"
    return (policy.name, _cell(told, measure), _cell(beside.difference, measure, True), won)


def _cell(of: Mean, measure: Measure, signed: bool = False) -> str:
    value = figure(of.value, measure, signed)
    return value if of.half is None else f"{value} ± {figure(of.half, measure)}"


@cache
def _template() -> Template:
    return environment().get_template("comparison.html.j2")


TEMPLATES = Path(__file__).parents[1] / "templates"


def environment(*folders: Path) -> Environment:
    """Return the templates of pages with diagrams, those of other folders too."""
    return Environment(
        loader=FileSystemLoader([TEMPLATES, *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
