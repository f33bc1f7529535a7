"""The text output of ``web describe``: tables and bars for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from counterpoint import show

if TYPE_CHECKING:
    from counterpoint.sim_web.describe.description import Description
    from counterpoint.sim_web.measure import Distances, Tail

LEVELS = 30
"""How many levels of pages are printed; the deeper ones are summed up."""


def report(found: Description, name: str) -> None:
    """Print everything about a web that was measured."""
    web = found.web
    click.echo(click.style(f"{web.profile.name}, seed {web.seed}", bold=True))
    if web.profile.about:
        click.echo(show.wrapped(web.profile.about))
    click.echo(show.wrapped(
        f"{web.pages:,} pages on {web.hosts:,} hosts (the largest has {found.largest_host:,}), "
        f"{found.links:,} links"
    ))  # fmt: skip
    if found.hidden:
        click.echo(show.wrapped(
            f"{found.hidden:,} more pages behind forms, to which no link leads"
        ))  # fmt: skip
    click.echo()
    _components(found)
    click.echo()
    _links(found)
    click.echo()
    _distances(found)
    click.echo()
    _levels(found)
    click.echo()
    if found.misplaced:
        click.echo(click.style(f"{found.misplaced:,} pages are misplaced", fg="red")
                   + ": they are in another component than planted")  # fmt: skip
        click.echo(f"To reproduce: counterpoint web describe --profile {name} "
                   f"--pages {web.pages} --seed {web.seed}")  # fmt: skip
    else:
        click.echo(click.style("No page is misplaced", fg="green")
                   + ": each is in the component in which it was planted.")  # fmt: skip


def _row(name: str, *cells: str) -> None:
    click.echo(f"  {name:22}" + "".join(f"{cell:>14}" for cell in cells))


def _head(name: str, *cells: str) -> None:
    click.echo(click.style(f"{name:24}" + "".join(f"{cell:>14}" for cell in cells), bold=True))


def _components(found: Description) -> None:
    profile = found.profile_shares()
    planted, measured = found.planted_shares(), found.bowtie.shares
    _head("Components", "profile", "planted", "measured", "pages")
    for name in measured:
        _row(name.upper(), "" if profile is None else f"{profile[name]:.2%}",
             f"{planted[name]:.2%}", f"{measured[name]:.2%}",
             f"{found.bowtie.counts[name]:,}")  # fmt: skip
    _row("weak component", "", "", f"{found.bowtie.weak_share:.2%}")


def _links(found: Description) -> None:
    degrees, (mean, in_exponent, out_exponent) = found.web.profile.degrees, found.profile_degrees()
    _head("Links", "profile", "measured", "error", "greatest")
    _row("of a page", "" if mean is None else f"{mean:.2f}", f"{found.mean_degree:.2f}", "",
         f"{found.greatest_out:,}")  # fmt: skip
    _tail("in-degree exponent", in_exponent, found.in_degrees, found.greatest_in)
    _tail("out-degree exponent", out_exponent, found.out_degrees, found.greatest_out)
    _row("copies of a link", f"{degrees.multiplicity:.2f}", f"{found.multiplicity:.2f}")
    _row("within a host", "", f"{found.internal:.2%}")
    _row("pages without in-links", "", f"{found.without_in_links:.2%}")
    fits = (("in", found.in_degrees), ("out", found.out_degrees))
    tails = [f"{name}-degrees from {fit.least:,} on ({fit.points:,} pages)"
             for name, fit in fits if fit]  # fmt: skip
    if tails:
        click.echo(show.wrapped("  exponents by maximum likelihood: " + ", ".join(tails)))


def _tail(name: str, planted: float | None, fit: Tail | None, greatest: int) -> None:
    """Print a row that compares the profile's exponent of a tail with the fitted one."""
    given = "" if planted is None else f"{planted:.2f}"
    if fit is None:
        _row(name, given, "no tail", "", f"{greatest:,}")
    else:
        _row(name, given, f"{fit.exponent:.2f}", f"± {fit.error:.2f}", f"{greatest:,}")


def _distances(found: Description) -> None:
    far = found.web.profile.distances
    _head("Average distance", "source", "at this size", "measured", "95%")
    _distance("directed", found, far.directed, found.directed)
    _distance("undirected", found, far.undirected, found.undirected)
    _row("pairs with a path", "", "", f"{found.directed.connected:.1%}",
         "{:.1%}–{:.1%}".format(*found.directed.connected_interval))  # fmt: skip
    click.echo(show.wrapped(
        f"  searched from {found.directed.sources:,} pages; the longest path found has "
        f"{found.directed.greatest:,} links"
    ))  # fmt: skip
    if found.at_this_size(far.directed or far.undirected):
        click.echo(show.wrapped(
            f"  at this size: the source's figure, of {int(far.of_pages):,} pages, "
            f"times ln {found.web.pages:,} / ln {int(far.of_pages):,}"
        ))  # fmt: skip


def _distance(name: str, found: Description, source: float, measured: Distances) -> None:
    """Print a row of distances: those of the source, those at this size, and the measured ones."""
    scaled = found.at_this_size(source)
    _row(name, f"{source:.1f}" if source else "", f"{scaled:.1f}" if scaled else "",
         f"{measured.mean:.2f}" if measured.mean else "no path",
         "{:.2f}–{:.2f}".format(*measured.interval) if measured.interval else "")  # fmt: skip


def _levels(found: Description) -> None:
    _head("Levels below start pages", "pages")
    shown = found.levels[:LEVELS]
    most = max(*shown, found.unleveled)
    wide = show.width() - 42
    for level, pages in enumerate(shown):
        _bar(str(level), pages, most, wide)
    if len(found.levels) > LEVELS:
        _bar("deeper", sum(found.levels[LEVELS:]), most, wide)
    if found.unleveled:
        _bar("no internal path", found.unleveled, most, wide)


def _bar(name: str, pages: int, most: int, wide: int) -> None:
    """Print a number of pages with a bar; ``wide`` is the width of the bar of ``most`` pages."""
    click.echo(f"  {name:22}{pages:>14,}  {'█' * round(wide * pages / most)}".rstrip())
