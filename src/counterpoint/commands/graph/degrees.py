"""``counterpoint graph degrees``: degree distributions, and the power laws of their tails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    check_outputs,
    format_option,
    graph_argument,
    heading,
    open_graph,
    picture_option,
    print_result,
    row,
    unpacking_option,
    written,
)
from counterpoint.console import OK, progress
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:
    from counterpoint.graph.search.degrees import Histogram, PowerLaw

METHOD = ("discrete maximum likelihood; the tail begins where the Kolmogorov-Smirnov distance "
          "between law and data is smallest")  # fmt: skip

COLOURS = ("#2f7fb8", "#d9542b")
INK = "#22303c"


class DegreeDistribution(NamedTuple):
    """The in-degrees or the out-degrees of a graph; ``law`` is None if they have no tail."""

    name: str
    histogram: Histogram
    law: PowerLaw | None

    def to_json(self) -> dict[str, Any]:
        """Return the distribution, ready for JSON."""
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
              metavar="K",
              help="Compute an interval of the exponent from K bootstrap samples.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the bootstrap samples.")  # fmt: skip
@unpacking_option
@picture_option
@format_option
def degrees(
    path: Path, resamples: int, seed: int, unpacking: str, picture: Path | None, form: str
) -> int:
    r"""Count the in-links and out-links of the pages of GRAPH, and fit power laws to the tails.

    \b
    counterpoint graph degrees crawl.graph --picture degrees.svg
    counterpoint graph degrees crawl.graph --resamples 100 --format json
    """
    check_outputs(path, picture=picture)
    with progress("degrees") as tell:
        graph = open_graph(path, unpacking, tell).graph
        from counterpoint.graph.ranking.products import degrees as counted
        from counterpoint.graph.search.degrees import fitted, histogram

        found = []
        for name, links in (("in", graph.into), ("out", graph.out)):
            if tell:
                tell(f"fitting the {name}-degrees")
            counts = histogram(counted(links))
            law = fitted(counts, resamples=resamples, seed=seed)
            found.append(DegreeDistribution(name, counts, law))
        if picture is not None:
            draw_degrees(found, picture, f"{path.name}: {graph.nodes:,} pages")
    about = {"pages": graph.nodes, "links": graph.links, "method": METHOD,
             **{f"{one.name}_degrees": one.to_json() for one in found}}  # fmt: skip
    print_result(form, about, lambda: _text(found, about))
    written(picture, "shows the degrees")
    return OK


def _text(found: list[DegreeDistribution], about: dict[str, Any]) -> None:
    rows = [about[f"{one.name}_degrees"] for one in found]
    heading(f"{about['pages']:,} pages", *(f"{one.name}-degrees" for one in found))
    row("mean", *(f"{one['mean']:.2f}" for one in rows))
    row("greatest", *(f"{one['greatest']:,}" for one in rows))
    row("pages without", *(f"{one['without'] / max(1, about['pages']):.2%}" for one in rows))
    laws = [one.law for one in found]
    row("exponent", *(f"{law.exponent:.3f}" if law else "no tail" for law in laws))
    row("standard error", *(f"± {law.error:.3f}" if law else "" for law in laws))
    if any(law and law.interval for law in laws):
        row("95%, resampled", *("{:.3f}–{:.3f}".format(*law.interval)
                                if law and law.interval else "" for law in laws))  # fmt: skip
    row("tail begins at", *(f"{law.least:,}" if law else "" for law in laws))
    row("pages in the tail", *(f"{law.points:,}" if law else "" for law in laws))
    row("distance to the law", *(f"{law.distance:.4f}" if law else "" for law in laws))
    click.echo(show.wrapped(f"  {METHOD}; the standard error takes this point as given"))


def draw_degrees(found: Sequence[DegreeDistribution], path: Path, title: str) -> None:
    """Draw the share of pages with a degree of at least k against k, and the fitted power laws.

    Parameters
    ----------
    found : sequence of DegreeDistribution
        In-degrees and out-degrees.
    path : Path
        A file that ends in .png or .svg.
    title : str
        The heading of the plot.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    settings: Any = {"svg.hashsalt": "counterpoint", "svg.fonttype": "none",
                     "font.family": "sans-serif"}  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(7.5, 5.2), facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        for one, colour in zip(found, COLOURS, strict=True):
            _curve(axes, one, colour)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("degree k")
        axes.set_ylabel("share of the pages with k links or more")
        axes.set_title(title, color=INK)
        axes.grid(True, which="major", color="#e3e6ea", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        kind = path.suffix.lower()[1:]
        plain: Any = {"Date": None} if kind == "svg" else {"Software": None}
        with replacing(path) as written:
            figure.savefig(written, format=kind, dpi=120, metadata=plain)


def _curve(axes: Any, distribution: DegreeDistribution, colour: str) -> None:
    import numpy as np
    from scipy.special import zeta

    above, share = tail_shares(*distribution.histogram)
    axes.plot(above, share, ".", markersize=3, color=colour, label=f"{distribution.name}-degrees")
    if distribution.law is None:
        return
    least = distribution.law.least
    k = np.geomspace(least, above[-1], 200)
    begins = float(share[np.searchsorted(above, least)])
    law = begins * zeta(distribution.law.exponent, k) / zeta(distribution.law.exponent, least)
    axes.plot(k, law, "-", linewidth=1.4, color=colour, alpha=0.8,
              label=f"k^-{distribution.law.exponent:.2f} from {least:,} on")  # fmt: skip


def tail_shares(degrees: Any, pages: Any) -> tuple[Any, Any]:
    """Return the degrees above 0, and for each the share of pages with that degree or more.

    Parameters
    ----------
    degrees : int64, shape (n,)
        The degrees that occur, ascending.
    pages : int64, shape (n,)
        How many pages have each degree.

    Returns
    -------
    int64, shape (m,)
        The degrees above 0.
    float64, shape (m,)
        The shares.
    """
    import numpy as np

    share = np.cumsum(pages[::-1])[::-1] / max(1, pages.sum())
    return degrees[degrees > 0], share[degrees > 0]
