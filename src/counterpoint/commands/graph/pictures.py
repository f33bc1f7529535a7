"""Pictures of graphs, drawn with matplotlib where they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from counterpoint.commands.graph.tails import Direction

COLOURS = ("#2f7fb8", "#d9542b")
INK = "#22303c"


def draw_degrees(found: Sequence[Direction], path: Path, title: str) -> None:
    """Draw the share of pages with a degree of at least k against k, and the fitted laws."""
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
        figure.savefig(path, format=kind, dpi=120, metadata=plain)


def _curve(axes: Any, one: Direction, colour: str) -> None:
    from scipy.special import zeta

    above, share = tail_shares(*one.histogram)
    axes.plot(above, share, ".", markersize=3, color=colour, label=f"{one.name}-degrees")
    if one.law is None:
        return
    least = one.law.least
    k = np.geomspace(least, above[-1], 200)
    begins = float(share[np.searchsorted(above, least)])
    law = begins * zeta(one.law.exponent, k) / zeta(one.law.exponent, least)
    axes.plot(k, law, "-", linewidth=1.4, color=colour, alpha=0.8,
              label=f"k^-{one.law.exponent:.2f} from {least:,} on")  # fmt: skip


def tail_shares(degrees: Any, pages: Any) -> tuple[Any, Any]:
    """Return the degrees above 0, and for each the share of pages that have as many or more."""
    share = np.cumsum(pages[::-1])[::-1] / max(1, pages.sum())
    return degrees[degrees > 0], share[degrees > 0]
