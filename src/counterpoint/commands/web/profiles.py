"""``counterpoint web profiles``: the profiles that come with the project."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import click

from counterpoint import show
from counterpoint.console import printing
from counterpoint.sim_web import profile
from counterpoint.sim_web.profile import Profile

PERCENT = ("scc", "in", "out", "tendrils", "tubes", "disconnected")


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True,
              help="Output format; JSON has every number of each profile.")  # fmt: skip
def profiles(form: str) -> None:
    r"""List the profiles of webs, with their key figures and the sources of these.

    \b
    counterpoint web profiles
    counterpoint web profiles --format json
    """
    found = [profile.load(name) for name in profile.names()]
    with printing():
        if form == "json":
            rows = [{"name": p.name, **profile.to_mapping(p)} for p in found]
            click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
            return
        for one in found:
            _show(one)
        click.echo(
            "counterpoint web describe --profile NAME measures one; NAME may be a TOML file."
        )


def _show(shown: Profile) -> None:
    click.echo(click.style(shown.name, bold=True))
    for line in (shown.about, shown.source):
        if line:
            click.echo(_folded(line))
    for head, figures in _figures(shown).items():
        click.echo(_folded(f"{head}: {', '.join(figures)}"))
    click.echo()


def _folded(text: str) -> str:
    return textwrap.fill(text, show.width(), initial_indent="  ", subsequent_indent="    ",
                         break_on_hyphens=False)  # fmt: skip


def _figures(shown: Profile) -> dict[str, list[str]]:
    degrees, far = shown.degrees, shown.distances
    found: dict[str, list[str]] = {"pages": [f"{int(shown.pages):,} by default"]}
    if shown.sites:
        names = [f"{site.name} {int(site.pages):,}" for site in shown.sites[:4]]
        more = len(shown.sites) - len(names)
        found["sites, pages"] = [*names, *([f"and {more} more"] if more else [])]
    elif shown.articles.languages:
        found["articles"] = _articles(shown)
    else:
        shares = zip(PERCENT, shown.shares.all(), strict=True)
        found["shares"] = [f"{name} {100 * share:.2f}%" for name, share in shares]
    found["links"] = [f"{degrees.mean:g} of a page"]
    if not shown.articles.languages:
        found["links"] += [f"tails {degrees.in_exponent:g} in", f"{degrees.out_exponent:g} out"]
    if shown.themes.count > 1:
        found["themes"] = [f"{shown.themes.count:g}"]
    if far.directed or far.undirected:
        of = f"of {int(far.of_pages):,} pages" if far.of_pages else ""
        found["average distance"] = _distances(far) + [of] * bool(of)
    return found


def _articles(shown: Profile) -> list[str]:
    section = shown.articles
    topics = [f"{name} in {editions:g}" for name, editions in section.topics.items()]
    return [f"{section.languages:g} languages", *topics,
            f"{section.mains:g} main pages linked to each other"]  # fmt: skip


def _distances(far: Any) -> list[str]:
    pairs = (("directed", far.directed), ("undirected", far.undirected))
    return [f"{value:g} {name}" for name, value in pairs if value]
