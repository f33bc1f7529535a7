"""``counterpoint graph degrees``: how many links pages have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    format_option,
    graph_argument,
    heading,
    held_option,
    must_fit,
    opened,
    picture_option,
    row,
    told,
    written,
)
from counterpoint.console import OK, progress

if TYPE_CHECKING:
    from counterpoint.graph.search.degrees import Histogram, PowerLaw

METHOD = ("discrete maximum likelihood; the tail begins where law and data are nearest by "
          "Kolmogorov and Smirnov's distance")  # fmt: skip


class Direction(NamedTuple):
    """The degrees of one direction."""

    name: str
    histogram: Histogram
    law: PowerLaw | None

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        degrees, pages = self.histogram
        number = int(pages.sum())
        return {
            "mean": float((degrees * pages).sum()) / number if number else 0.0,
            "greatest": int(degrees.max(initial=0)),
            "without": int(pages[degrees == 0].sum()),
            "tail": None if self.law is None else vars(self.law),
            "degrees": degrees.tolist(),
            "pages": pages.tolist(),
        }


@click.command()
@graph_argument
@click.option("--resamples", type=click.IntRange(0, 10_000), default=0, show_default=True,
              metavar="K", help="Resample the pages for an interval of the exponent.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the resamples.")  # fmt: skip
@held_option
@picture_option
@format_option
def degrees(
    path: Path, resamples: int, seed: int, held: str, picture: Path | None, form: str
) -> int:
    r"""Count the links of the pages of GRAPH, and fit the exponent of the tail.

    \b
    counterpoint graph degrees crawl.graph --picture degrees.svg
    counterpoint graph degrees crawl.graph --resamples 100 --format json
    """
    must_fit(path, picture=picture)
    with progress("degrees") as tell:
        graph = opened(path, held, tell).graph
        from counterpoint.graph.ranking.products import degrees as counted
        from counterpoint.graph.search.degrees import fitted, histogram

        found = []
        for name, links in (("in", graph.into), ("out", graph.out)):
            if tell:
                tell(f"fitting the {name}-degrees")
            held_degrees = histogram(counted(links))
            law = fitted(held_degrees, resamples=resamples, seed=seed)
            found.append(Direction(name, held_degrees, law))
        if picture is not None:
            from counterpoint.commands.graph.pictures import draw_degrees

            draw_degrees(found, picture, f"{path.name}: {graph.nodes:,} pages")
    about = {"pages": graph.nodes, "links": graph.links, "method": METHOD,
             **{f"{one.name}_degrees": one.to_json() for one in found}}  # fmt: skip
    told(form, about, lambda: _text(found, about))
    written(picture, "shows the degrees")
    return OK


def _text(found: list[Direction], about: dict[str, Any]) -> None:
    told_of = [about[f"{one.name}_degrees"] for one in found]
    heading(f"{about['pages']:,} pages", *(f"{one.name}-degrees" for one in found))
    row("mean", *(f"{one['mean']:.2f}" for one in told_of))
    row("greatest", *(f"{one['greatest']:,}" for one in told_of))
    row("pages without", *(f"{one['without'] / max(1, about['pages']):.2%}" for one in told_of))
    laws = [one.law for one in found]
    row("exponent", *(f"{law.exponent:.3f}" if law else "no tail" for law in laws))
    row("standard error", *(f"± {law.error:.3f}" if law else "" for law in laws))
    if any(law and law.interval for law in laws):
        row("95%, resampled", *("{:.3f}–{:.3f}".format(*law.interval)
                                if law and law.interval else "" for law in laws))  # fmt: skip
    row("tail begins at", *(f"{law.least:,}" if law else "" for law in laws))
    row("pages in the tail", *(f"{law.points:,}" if law else "" for law in laws))
    row("distance to the law", *(f"{law.distance:.4f}" if law else "" for law in laws))
    click.echo(show.wrapped(f"  {METHOD}; the standard error takes the beginning as given"))
