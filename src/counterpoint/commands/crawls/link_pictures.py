"""Pictures of where external links lead and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import must_be_writable
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.outputs import replacing

if TYPE_CHECKING:  # SQLAlchemy is loaded where a store is opened
    from counterpoint.crawler.store.companions import CompanionSet
    from counterpoint.crawler.store.placement import Placement

PICTURES = (".png", ".svg")
BLUE, RED, INK, PALE = "#2f7fb8", "#d9542b", "#22303c", "#e3e6ea"

MOST_COLUMNS, MOST_ROWS = 30, 40
"""How many companions and how many sites a picture shows."""

picture_option = click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Draw the result: FILE.svg or FILE.png.",
)  # fmt: skip


def check_picture(picture: Path | None, where: str) -> None:
    """Refuse the file of ``--picture`` if it cannot be written, or is the store.

    Raises
    ------
    UsageError, CrawlError
        If it is refused.
    """
    if picture is None:
        return
    if picture.suffix.lower() not in PICTURES:
        raise CrawlError(f"--picture: {picture} ends neither in {' nor in '.join(PICTURES)}")
    store = Path(where)
    if "://" not in where and picture.exists() and store.exists() and picture.samefile(store):
        raise click.UsageError(f"--picture: {picture} is the store itself")
    must_be_writable("--picture", picture)


def draw_companions(found: CompanionSet, path: Path) -> None:
    """Draw the parts of the companion set, and the links of the strongest companions.

    Parameters
    ----------
    found : CompanionSet
    path : Path
        A file that ends in .png or .svg.
    """

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[1, 2.2])
        _draw_parts(left, found)
        _draw_strongest(figure, right, found)

    _draw(path, (13, 6), draw)


def _draw_parts(axes: Any, found: CompanionSet) -> None:
    numbers = [part.target_sites for part in found.parts]
    # Dots, since the length of a bar has no meaning on a logarithmic axis.
    for colour, name, values in (
        (BLUE, "companions", [part.companions for part in found.parts]),
        (RED, "links to them", [part.links for part in found.parts]),
    ):
        axes.plot(values, numbers, "o", color=colour, label=name)
    axes.set_xscale("log")
    axes.set_xlim(left=0.8)
    axes.margins(y=0.1)
    if len(numbers) <= MOST_ROWS:
        axes.set_yticks(numbers)
    axes.set_ylabel("target sites with links to a companion")
    axes.set_title(f"{found.companions:,} companions of {len(found.target_sites):,} sites",
                   color=INK)  # fmt: skip
    axes.grid(True, color=PALE, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if found.parts:
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=2)


def _draw_strongest(figure: Any, axes: Any, found: CompanionSet) -> None:
    from matplotlib.colors import LogNorm

    columns = found.strongest[:MOST_COLUMNS]
    of_site = {number: sum(one.links.get(number, 0) for one in columns)
               for number in found.target_sites}  # fmt: skip
    linking = [number for number, links in of_site.items() if links]
    rows = sorted(linking, key=lambda number: (-of_site[number], number))[:MOST_ROWS]
    cells = [[one.links.get(number, 0) or float("nan") for one in columns] for number in rows]
    axes.set_title("Links to the companions with most target sites", color=INK)
    if not columns:
        axes.set_axis_off()
        return
    most = max(max(one.links.values()) for one in columns)
    image = axes.imshow(cells, aspect="auto", cmap="viridis_r", norm=LogNorm(1, max(2, most)))
    axes.set_xticks(range(len(columns)), [_short(one.name) for one in columns], rotation=60,
                    ha="right", rotation_mode="anchor", fontsize=8)  # fmt: skip
    axes.set_yticks(range(len(rows)), [_short(found.target_sites[number]) for number in rows],
                    fontsize=8)  # fmt: skip
    figure.colorbar(image, ax=axes, label="links", fraction=0.04)


def draw_placement(found: list[Placement], path: Path) -> None:
    """Draw where external links stand, a line for each site.

    Parameters
    ----------
    found : list of Placement
        The last one, of all sites together, is drawn thick if there are several.
    path : Path
        A file that ends in .png or .svg.
    """

    def draw(figure: Any) -> None:
        levels, order, share = figure.subplots(1, 3)
        for one in [*found[:-1][:MOST_ROWS], *found[-1:]]:
            if one.counts.links:
                _draw_site(levels, order, share, one, one is found[-1])
        _named(levels, "level", "share of the pages with external links", "By level")
        levels.xaxis.get_major_locator().set_params(integer=True)
        _named(order, "share of the pages, in the order of scanning", "share of the links found",
               "By order of scanning")  # fmt: skip
        _named(share, "share of the pages, those with most links first", "share of the links",
               "On how few pages")  # fmt: skip
        share.set_xscale("log")
        lines = order.get_legend_handles_labels()
        if lines[0]:
            figure.legend(*lines, frameon=False, fontsize=8, loc="outside lower center")

    _draw(path, (13, 4.6), draw)


def _draw_site(levels: Any, order: Any, share: Any, one: Placement, is_last: bool) -> None:
    style: dict[str, Any] = (
        {"color": RED, "linewidth": 2.4, "zorder": 3, "label": one.start} if is_last
        else {"color": BLUE, "linewidth": 0.9, "alpha": 0.6}
    )  # fmt: skip
    total, pages = one.counts.links, one.counts.pages
    by_level = sorted(one.levels.items())
    levels.plot([k for k, _ in by_level], [c.with_links / c.pages for _, c in by_level], ".-",
                **style)  # fmt: skip
    xs, ys = [0.0], [0.0]
    for tenth in one.tenths:
        xs.append(xs[-1] + tenth.pages / pages)
        ys.append(ys[-1] + tenth.links / total)
    order.plot(xs, ys, **style)
    most = max(one.histogram)
    xs, ys = [1 / pages], [most / total]
    seen, found = 0, 0
    for links, number in sorted(one.histogram.items(), reverse=True):
        seen, found = seen + number, found + links * number
        xs.append(seen / pages)
        ys.append(found / total)
    share.plot(xs, ys, **style)


def _named(axes: Any, x: str, y: str, title: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, color=INK)
    axes.set_ylim(0, 1.02)
    axes.grid(True, color=PALE, linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)


def _short(name: str) -> str:
    return name if len(name) <= 28 else name[:27] + "…"


def _draw(path: Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    settings: Any = {"svg.hashsalt": "counterpoint", "svg.fonttype": "none",
                     "font.family": "sans-serif"}  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size, facecolor="white", layout="constrained")
        draw(figure)
        kind = path.suffix.lower()[1:]
        plain: Any = {"Date": None} if kind == "svg" else {"Software": None}
        with replacing(path) as written:
            figure.savefig(written, format=kind, dpi=120, metadata=plain)
