"""The picture of the bow-tie: its areas, its labels, and its files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.describe.picture import draw_shares, labels
from counterpoint.sim_web.describe.shapes import area, shapes
from counterpoint.sim_web.measure import NAMES

BRODER = dict(zip(NAMES, (0.2774, 0.2129, 0.2121, 0.2052, 0.0100, 0.0824), strict=True))
MEUSEL = dict(zip(NAMES, (0.513, 0.320, 0.061, 0.046, 0.002, 0.058), strict=True))


@st.composite
def some_shares(draw: st.DrawFn) -> dict[str, float]:
    """Draw shares that sum to 1; only the strong component always exists."""
    weights = [draw(st.integers(1, 60))] + [draw(st.integers(0, 60)) for _ in NAMES[1:]]
    return {name: w / sum(weights) for name, w in zip(NAMES, weights, strict=True)}


@given(some_shares(), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_areas_are_the_shares(shares: dict[str, float], off_in: float) -> None:
    """A component that looks larger than it is."""
    # Without bows, tendrils have no place.
    assume(shares["in"] or shares["out"] or not shares["tendrils"])
    for name, polygons in shapes(shares, off_in).items():
        assert sum(map(area, polygons)) == pytest.approx(shares[name], rel=1e-6, abs=1e-9)


def test_tendrils_hang_where_they_were_measured() -> None:
    """Tendrils drawn equally on both sides, whatever was measured."""
    parts = shapes(BRODER, 0.25)["tendrils"]
    left = sum(area(p) for p in parts if p[:, 0].mean() < 0)
    assert left == pytest.approx(0.25 * BRODER["tendrils"])


@pytest.mark.parametrize("shares", [BRODER, MEUSEL])
def test_components_do_not_cover_each_other(shares: dict[str, float]) -> None:
    """Right areas that overlap; disc, bows and islands are rasterised to check."""
    from matplotlib.path import Path as Outline

    parts = shapes(shares)
    corners = np.concatenate([p for part in parts.values() for p in part])
    low, high = corners.min(axis=0), corners.max(axis=0)
    across, up = (np.arange(low[k], high[k], 0.008) for k in (0, 1))
    points = np.array(np.meshgrid(across, up)).reshape(2, -1).T
    covered = np.zeros(len(points), int)
    for part in parts.values():
        for polygon in part:
            covered += Outline(polygon).contains_points(points)
    total = (covered > 0).sum() * 0.008**2
    assert total == pytest.approx(1, abs=0.012)


@given(some_shares())
@settings(max_examples=40, deadline=None)
def test_every_component_that_is_there_has_a_label(shares: dict[str, float]) -> None:
    """A component without its name, or a name without a component."""
    assume(shares["in"] or shares["out"] or not shares["tendrils"])
    texts = [label.text.replace("\n", " ") for label in labels(shares, shapes(shares))]
    assert sorted(texts) == sorted(f"{n.upper()} {s:.1%}" for n, s in shares.items() if s)


def test_an_svg_has_labels_and_one_outline_for_each_polygon(tmp_path: Path) -> None:
    """An empty picture, or text drawn as outlines, which cannot be searched."""
    path = tmp_path / "bowtie.svg"
    draw_shares(BRODER, path, "a title & more")
    root = ET.parse(path).getroot()
    texts = {"".join(t.itertext()).strip() for t in root.iter("{http://www.w3.org/2000/svg}text")}
    everything = " ".join(texts)
    for word in ("SCC", "27.7%", "IN", "21.3%", "TENDRILS 20.5%", "TUBES 1.0%", "a title & more"):
        assert word in everything
    fills = path.read_text().count("fill: #b8bec6")
    assert fills == len(shapes(BRODER)["disconnected"])


@pytest.mark.parametrize("suffix", ["svg", "png", "PNG"])
def test_a_picture_is_the_same_each_time(tmp_path: Path, suffix: str) -> None:
    """A time or a random name in the file."""
    one, two = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
    for path in (one, two):
        draw_shares(MEUSEL, path, "meusel-2012")
    assert one.read_bytes() == two.read_bytes()
    begins = b"<?xml" if suffix == "svg" else b"\x89PNG"
    assert one.read_bytes().startswith(begins)


def test_profiles_can_be_drawn() -> None:
    """A profile whose shares cannot be drawn."""
    for name in profile.names():
        shares = dict(zip(NAMES, profile.load(name).shares.all(), strict=True))
        total = sum(area(p) for part in shapes(shares).values() for p in part)
        assert total == pytest.approx(sum(shares.values()), abs=1e-6)
