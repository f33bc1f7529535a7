"""Draws figures as SVG elements for a page; they use the page's text colour, light or dark."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np

from .report import Figure, Line

COLOURS = ("#2f7fb8", "#d9542b", "#3c9a6a", "#8d6cc0", "#c08a1e", "#7c848d", "#c23b7a", "#1fa3a3")
_INK = "#010203"
"""A placeholder for the page's text colour; it is replaced in the finished SVG."""


_LETTERS = 84
"""About so many letters of a legend fit into the width of a figure."""

CROWDED = 8
"""Of more labels than these, each is turned."""


def svg(figure: Figure, name: str) -> str:
    """Return a figure as an SVG element.

    Parameters
    ----------
    figure : Figure
    name : str
        A name that is unique in the page; all identifiers within the figure begin with it.
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
        columns, rows = _legend(figure)
        canvas = Canvas(figsize=(5.6, 3.5 + 0.17 * rows), layout="constrained")
        canvas.patch.set_alpha(0)
        axes = canvas.add_subplot()
        _draw(figure, axes)
        if rows:  # below the axes, where it covers no point
            canvas.legend(loc="outside lower center", ncols=columns, fontsize=7.5, labelcolor=_INK)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), name, figure.title)


def _legend(figure: Figure) -> tuple[int, int]:
    """Return the numbers of columns and rows of a figure's legend; no rows: it needs none."""
    names = [*(line.name for line in figure.lines), *(name for name, _ in figure.levels)]
    if len(names) < 2:
        return 0, 0
    columns = min(len(names), max(1, _LETTERS // (max(map(len, names)) + 6)))
    return columns, math.ceil(len(names) / columns)


def _draw(figure: Figure, axes: Any) -> None:
    axes.patch.set_alpha(0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=_INK, alpha=0.12, linewidth=0.6)
    if "y" in figure.logarithmic:
        axes.set_yscale("log")
    for k, line in enumerate(figure.lines):
        place = k if line.colour is None else line.colour
        _line(line, COLOURS[place % len(COLOURS)], axes, figure.share)
    paired = len(figure.levels) == len(figure.lines)  # then each level has the colour of its line
    for k, (label, height) in enumerate(figure.levels, 0 if paired else len(figure.lines)):
        colour = COLOURS[k % len(COLOURS)]
        axes.axhline(height, color=colour, linestyle=":", linewidth=1.3, label=label)
    if "x" in figure.logarithmic:
        _logarithmic_x(figure, axes)
    if figure.share:
        axes.set_ylim(-0.02, 1.04)
    _label(figure, axes)
    axes.set_xlabel(figure.across)
    axes.set_ylabel(figure.up)


def _label(figure: Figure, axes: Any) -> None:
    """Put names in place of numbers."""
    if figure.places:
        axes.set_xticks(range(1, len(figure.places) + 1), figure.places)
        if len(figure.places) > CROWDED:
            axes.tick_params("x", rotation=60)
            for label in axes.get_xticklabels():
                label.set_horizontalalignment("right")
                label.set_rotation_mode("anchor")
    if figure.rows:
        axes.set_yticks(range(len(figure.rows)), figure.rows)
        axes.set_ylim(-0.5, len(figure.rows) - 0.5)


def _logarithmic_x(figure: Figure, axes: Any) -> None:
    least = min((x for line in figure.lines for x in line.xs if x > 0), default=1.0)
    if any(x == 0 for line in figure.lines for x in line.xs):
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xlim(0, max(x for line in figure.lines for x in line.xs))
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
    """Return an SVG document as an element whose identifiers begin with `name`."""
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(url\(|href=")#', rf"\1#{name}-", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = text.replace(_INK, "currentColor")
    label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
