"""``counterpoint compare --beside``: the ranks of policies on two webs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:  # numba is loaded where a web is made
    from counterpoint.studies.comparison.comparison import Comparison
    from counterpoint.studies.comparison.plan import ComparisonPlan


def check_beside(policies: tuple[str, ...], baseline: Path | None, form: str) -> None:
    """Refuse what cannot be ranked on two webs.

    Raises
    ------
    UsageError
        If there is one policy alone, a crawler, a baseline, or a format without ranks.
    """
    if len(policies) < 2:
        raise click.UsageError("--beside: a rank needs two policies or more")
    if any("cmd:" in policy for policy in policies):
        raise click.UsageError("--beside: ranks policies only, and no crawlers (cmd:)")
    if baseline is not None:
        raise click.UsageError("--beside: not with --baseline, which is of one web")
    if form not in ("text", "json"):
        raise click.UsageError(f"--beside: --format {form} has no ranks; use text, json or --html")


def beginning_alike(
    plan: ComparisonPlan, other: ComparisonPlan
) -> tuple[ComparisonPlan, ComparisonPlan]:
    """Return two plans whose crawls begin in the same way: as on a captured web, if one is that.

    Sites that a profile names stay its target set.
    """
    if plan.captured is None and other.captured is None:
        return plan, other

    def alike(one: ComparisonPlan) -> ComparisonPlan:
        fixed = one.captured is not None or bool(one.profile.sites)
        return one if fixed else replace(one, draws=True)

    return alike(plan), alike(other)


def show_agreement(found: Comparison, beside: Comparison) -> None:
    """Print the comparison on the second web, and how well both agree."""
    from counterpoint.studies.comparison.agreement import agreements
    from counterpoint.studies.comparison.agreement_lines import lines
    from counterpoint.studies.comparison.table import lines as lines_of_comparison

    click.echo("\n".join(["", *lines_of_comparison(beside), ""]))
    names = (found.plan.profile.name, beside.plan.profile.name)
    click.echo("\n".join(lines(agreements(found, beside), names)))


def agreement_as_json(found: Comparison, beside: Comparison) -> dict[str, Any]:
    """Return the comparison on the second web and the agreement for JSON."""
    from counterpoint.studies.comparison.agreement import agreements, as_json
    from counterpoint.studies.comparison.comparison import as_json as json_of_comparison

    return {
        "beside": json_of_comparison(beside),
        "agreement": as_json(agreements(found, beside)),
    }
