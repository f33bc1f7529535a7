"""Figures as SVG that stands in a page: it takes the page's colour of ink, light or dark."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np

from .report import Figure, Line

COLOURS = ("#2f7fb8", "#d9542b", "#3c9a6a", "#8d6cc0", "#c08a1e", "#7c848d", "#c23b7a", "#1fa3a3")
_INK = "#010203"
"""Stands for the page's ink until the figure is drawn."""


def svg(of: Figure, name: str) -> str:
    """Return a figure as an SVG element.

    Parameters
    ----------
    of : Figure
    name : str
        Told apart from all others of the page: names within the figure begin with it.
    """
    import matplotlib  # it takes a while to load, and only pages need it

    matplotlib.use("agg")
    from matplotlib.figure import Figure as Canvas

    settings: Any = {
        "svg.hashsalt": name,  # the same figure gives the same text
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
        **{f"{part}.color": _INK for part in ("text", "xtick", "ytick")},
        "axes.labelcolor": _INK,
        "axes.edgecolor": _INK,
        "legend.frameon": False,
    }
    with matplotlib.rc_context(settings):
        canvas = Canvas(figsize=(5.6, 3.5), layout="constrained")
        canvas.patch.set_alpha(0)
        axes = canvas.add_subplot()
        _draw(of, axes)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), name, of.title)


def _draw(of: Figure, axes: Any) -> None:
    axes.patch.set_alpha(0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=_INK, alpha=0.12, linewidth=0.6)
    if "y" in of.logarithmic:
        axes.set_yscale("log")
    for k, line in enumerate(of.lines):
        place = k if line.colour is None else line.colour
        _line(line, COLOURS[place % len(COLOURS)], axes, of.share)
    paired = len(of.levels) == len(of.lines)  # then each level is of the line at its place
    for k, (label, height) in enumerate(of.levels, 0 if paired else len(of.lines)):
        colour = COLOURS[k % len(COLOURS)]
        axes.axhline(height, color=colour, linestyle=":", linewidth=1.3, label=label)
    if "x" in of.logarithmic:
        _logarithmic_x(of, axes)
    if of.share:
        axes.set_ylim(-0.02, 1.04)
    if of.places:
        axes.set_xticks(range(1, len(of.places) + 1), of.places)
    axes.set_xlabel(of.across)
    axes.set_ylabel(of.up)
    if len(of.lines) + len(of.levels) > 1:
        axes.legend(fontsize=7.5, labelcolor=_INK)


def _logarithmic_x(of: Figure, axes: Any) -> None:
    least = min((x for line in of.lines for x in line.xs if x > 0), default=1.0)
    if any(x == 0 for line in of.lines for x in line.xs):
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xlim(0, max(x for line in of.lines for x in line.xs))
    else:
        axes.set_xscale("log")


def _line(line: Line, colour: str, axes: Any, share: bool) -> None:
    low, high = (0.0, 1.0) if share else (-math.inf, math.inf)
    below = [y - max(low, y - h) for y, h in zip(line.ys, line.halves, strict=False)]
    above = [min(high, y + h) - y for y, h in zip(line.ys, line.halves, strict=False)]
    if line.dots:
        face = "none" if line.dashed else colour
        axes.errorbar(line.xs, line.ys, yerr=[below, above] if below else None, fmt="o",
                      color=colour, markersize=4, markerfacecolor=face, alpha=0.75,
                      label=line.name)  # fmt: skip
        return
    style, mark = ("--", "") if line.dashed else ("-", "o" if len(line.xs) < 20 else "")
    axes.plot(line.xs, line.ys, style, marker=mark, color=colour, linewidth=1.5, markersize=3.5,
              label=line.name)  # fmt: skip
    if line.halves:
        axes.fill_between(line.xs, np.subtract(line.ys, below), np.add(line.ys, above),
                          color=colour, alpha=0.18, linewidth=0)  # fmt: skip


def _inline(text: str, name: str, title: str) -> str:
    """Return an SVG document as an element whose names begin with its own."""
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(url\(|href=")#', rf"\1#{name}-", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = text.replace(_INK, "currentColor")
    told = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<svg ", f'<svg role="img" aria-label="{told}" ', 1)
