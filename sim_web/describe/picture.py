"""Draws a measured bow-tie; the area of each component is proportional to its share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoint.files.outputs import replacing

from .shapes import GAP, Polygon, shapes

if TYPE_CHECKING:
    from .description import Description

COLOURS = {
    "scc": "#d9542b",
    "in": "#2f7fb8",
    "out": "#3c9a6a",
    "tendrils": "#b9a6d6",
    "tubes": "#e3a72f",
    "disconnected": "#b8bec6",
}
INK = "#22303c"


@dataclass(frozen=True)
class Label:
    """A text with a component's name and share, and its position in the units of `shapes`."""

    text: str
    x: float
    y: float
    colour: str
    size: float


def draw(description: Description, path: Path) -> None:
    """Draw the measured bow-tie of a web; the suffix .svg or .png decides the file's format."""
    web, bowtie = description.web, description.bowtie
    title = f"{web.profile.name}: {web.pages:,} pages, {description.links:,} links"
    draw_shares(bowtie.shares, path, title, bowtie.hanging_off_in)


def draw_shares(
    shares: dict[str, float], path: Path, title: str, hanging_off_in: float = 0.5
) -> None:
    """Draw a bow-tie with given shares.

    Parameters
    ----------
    shares : dict of str to float
        The share of each component, by the names that `shapes.shapes` expects.
    path : Path
        The file; its suffix .svg or .png decides the format.
    title : str
        The text above the picture.
    hanging_off_in : float
        The share of the tendrils that hang off IN.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    parts = shapes(shares, hanging_off_in)
    corners = np.concatenate([p for part in parts.values() for p in part])
    low, high = corners.min(axis=0), corners.max(axis=0)
    low, high = low - np.array([0.09, 0.14]), high + np.array([0.09, 0.15])
    wide = 11.0
    tall = wide * float((high[1] - low[1]) / (high[0] - low[0]))
    # The same web gives the same file: without a date, and with fixed names of parts.
    settings: Any = {
        "svg.hashsalt": "counterpoint",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(wide, tall), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_aspect("equal")
        axes.axis("off")
        _paint(axes, parts)
        for label in labels(shares, parts):
            axes.text(label.x, label.y, label.text, color=label.colour, fontsize=label.size,
                      ha="center", va="center", linespacing=1.35, weight="bold")  # fmt: skip
        axes.text((low[0] + high[0]) / 2, high[1] - 0.055, title, fontsize=15, color=INK,
                  ha="center", va="center")  # fmt: skip
        axes.text((low[0] + high[0]) / 2, low[1] + 0.03, "areas are drawn to the measured shares",
                  fontsize=9, color="#6b7680", ha="center", va="center")  # fmt: skip
        kind = path.suffix.lower()[1:]
        plain: Any = {"Date": None} if kind == "svg" else {"Software": None}
        with replacing(path) as written:
            figure.savefig(written, format=kind, dpi=120, metadata=plain)


def _paint(axes: Any, parts: dict[str, list[Polygon]]) -> None:
    from matplotlib.patches import Polygon as Patch

    for name in ("tendrils", "tubes", "in", "out", "scc", "disconnected"):
        for corners in parts[name]:
            axes.add_patch(Patch(corners, closed=True, facecolor=COLOURS[name], linewidth=0))
    for corners in _arrows(parts):
        axes.add_patch(Patch(corners, closed=True, facecolor=INK, linewidth=0))


def _arrows(parts: dict[str, list[Polygon]]) -> list[Polygon]:
    """Return arrowheads in the gaps around the disc: from IN to SCC, and from SCC to OUT."""
    radius = float(parts["scc"][0][:, 0].max())
    tip = np.array([[0.0, 0.45], [0.0, -0.45], [0.8, 0.0]]) * GAP
    found = []
    for name, sign in (("in", -1.0), ("out", 1.0)):
        if parts[name]:
            for turn in (-25, 0, 25):
                angle = np.radians(turn)
                along = np.array([np.cos(angle) * sign, np.sin(angle)])
                # Inward on the left, outward on the right: every arrow points to the right.
                place = along * (radius + GAP * (0.9 if sign < 0 else 0.1))
                ahead = along * sign
                found.append(
                    place + tip[:, :1] * ahead + tip[:, 1:] * np.array([-ahead[1], ahead[0]])
                )
    return found


def labels(shares: dict[str, float], parts: dict[str, list[Polygon]]) -> list[Label]:
    """Return the labels of the components; a label stands next to its area if that is too small."""
    radius = float(parts["scc"][0][:, 0].max())
    lowest = min(float(p[:, 1].min()) for p in parts["scc"] + parts["tubes"])
    found = [_inside("scc", shares, 0.0, 2 * radius, lowest - 0.05)]
    for name, sign in (("in", -1.0), ("out", 1.0)):
        if parts[name]:
            inner, end = radius + GAP, float((parts[name][0][:, 0] * sign).max())
            found.append(
                _inside(name, shares, sign * (inner + end) / 2, end - inner, sign * (end + 0.1))
            )
    return found + _outside(shares, parts)


def _text(name: str, shares: dict[str, float], between: str = "\n") -> str:
    return f"{name.upper()}{between}{shares[name]:.1%}"


def _inside(name: str, shares: dict[str, float], x: float, room: float, beside: float) -> Label:
    """Return the label of a part at ``x``; if there is little room, it is placed at ``beside``."""
    if room > 0.17:
        return Label(_text(name, shares), x, 0.0, "white", min(22.0, 62 * room))
    if name == "scc":
        return Label(_text(name, shares, " "), 0.0, beside, COLOURS[name], 11.0)
    return Label(_text(name, shares), beside, 0.0, COLOURS[name], 13.0)


def _outside(shares: dict[str, float], parts: dict[str, list[Polygon]]) -> list[Label]:
    found = []
    top = max(float(p[:, 1].max()) for p in parts["scc"] + parts["tubes"])
    if parts["tubes"]:
        found.append(Label(_text("tubes", shares, " "), 0.0, top + 0.045, "#a87409", 12.0))
    if parts["tendrils"]:
        y = max(float(p[:, 1].max()) for p in parts["tendrils"])
        found.append(Label(_text("tendrils", shares, " "), 0.0, y, "#7d63a8", 13.0))
    if parts["disconnected"]:
        islands = np.concatenate(parts["disconnected"])
        x = float(islands[:, 0].min() + islands[:, 0].max()) / 2
        y = float(islands[:, 1].min())
        found.append(Label(_text("disconnected", shares, " "), x, y - 0.05, "#7c848d", 12.0))
    return found
