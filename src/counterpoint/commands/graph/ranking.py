"""``counterpoint graph rank``: PageRank, hubs and authorities, and how firm the order is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    Opened,
    Tell,
    format_option,
    graph_argument,
    heading,
    held_option,
    must_fit,
    opened,
    row,
    save_option,
    saved,
    told,
    written,
)
from counterpoint.console import OK, progress
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:
    from counterpoint.compiling import Array
    from counterpoint.graph.csr import Graph
    from counterpoint.graph.ranking.products import Run

KINDS = ("pagerank", "authorities", "hubs", "in-links")


class Wish(NamedTuple):
    """What the user asked for."""

    kind: str
    damping: float
    tolerance: float
    most: int
    top: int
    block: int | None
    outside: str
    work: Path | None
    roots: tuple[int, ...] = ()
    into: int | None = None


class Ranked(NamedTuple):
    """Scores of pages, how they were come to, and what else is known of them."""

    scores: Array
    run: Run | None
    more: dict[str, Any]


@click.command()
@graph_argument
@click.option("--by", "kind", type=click.Choice(KINDS), default="pagerank", show_default=True)
@click.option("--top", type=click.IntRange(1, 100_000), default=10, show_default=True, metavar="K",
              help="Pages that are told.")  # fmt: skip
@click.option("--damping", type=float, default=0.85, show_default=True,
              help="PageRank: the share of steps that follow a link.")  # fmt: skip
@click.option("--tolerance", type=float, default=1e-9, show_default=True,
              help="The iteration ends when the sum of all changes is not above.")  # fmt: skip
@click.option("--iterations", "most", type=click.IntRange(1), default=1000, show_default=True,
              help="The iteration ends after so many at the latest.")  # fmt: skip
@click.option("--block", type=click.IntRange(1), metavar="PAGES",
              help="PageRank: hold so many pages in memory at a time.")  # fmt: skip
@click.option("--outside", type=click.Choice(["exact", "average"]), default="exact",
              show_default=True, help="PageRank in blocks: what pages of other blocks weigh. "
              "Average is the approximation of [COV].")  # fmt: skip
@click.option("--work", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="PageRank in blocks: the place for files.  [a folder that goes]")  # fmt: skip
@click.option("--root", "roots", multiple=True, metavar="PAGE",
              help="HITS: rank only the base set of this page and others, which has what they link "
              "to and what links to them; repeatable.")  # fmt: skip
@click.option("--into", type=click.IntRange(0), metavar="N",
              help="Of the pages that link to a root at most so many are in the base set, those of "
              "the lowest numbers.  [50]")  # fmt: skip
@click.option("--perturb", type=click.IntRange(0, 1000), default=0, show_default=True, metavar="N",
              help="Rank again so often, each time without some links drawn anew.")  # fmt: skip
@click.option("--without", "share", type=click.FloatRange(0, 1), default=0.1, show_default=True,
              help="The share of the links that is left out then.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of these draws.")  # fmt: skip
@held_option
@save_option
@format_option
def rank(
    path: Path,
    kind: str,
    top: int,
    damping: float,
    tolerance: float,
    most: int,
    block: int | None,
    outside: str,
    work: Path | None,
    roots: tuple[str, ...],
    into: int | None,
    perturb: int,
    share: float,
    seed: int,
    held: str,
    save: Path | None,
    form: str,
) -> int:
    r"""Rank the pages of GRAPH, and tell how firm the first places are.

    \b
    counterpoint graph rank crawl.graph
    counterpoint graph rank crawl.graph --by hubs --top 20
    counterpoint graph rank crawl.graph --by authorities --root https://example.org/ --into 20
    counterpoint graph rank crawl.graph --perturb 5 --without 0.2
    counterpoint graph rank crawl.graph --block 10000000 --work /big/disk
    """
    must_fit(path, save)
    if roots and kind not in ("hubs", "authorities"):
        raise click.UsageError("--root: only hubs and authorities are those of a base set")
    if into is not None and not roots:
        raise click.UsageError("--into needs --root")
    wish = Wish(kind, damping, tolerance, most, top, block, outside, work)
    if kind != "pagerank" and (block is not None or work is not None):
        raise click.UsageError("--block and --work: only PageRank is computed block by block")
    if block is None and (work is not None or outside != "exact"):
        raise click.UsageError("--work and --outside go with --block")
    with progress(kind) as tell:
        held_graph = opened(path, "packed" if block else held, tell)
        wish = wish._replace(roots=tuple(map(held_graph.page, roots)), into=into)
        found = ranked(held_graph.graph, wish, tell)
        saved(save, found.scores)
        about = _about(held_graph, found, wish)
        if perturb:
            about["perturbed"] = _perturbed(held_graph.graph, found.scores, wish, share, perturb,
                                            seed, tell)  # fmt: skip
    told(form, about, lambda: _text(about))
    written(save, "holds the weight of each page")
    return OK


def ranked(graph: Graph, wish: Wish, tell: Tell = None) -> Ranked:
    """Rank the pages of a graph."""
    rankings: dict[str, Callable[[Graph, Wish, Tell], Ranked]] = {
        "pagerank": _pagerank, "in-links": _in_links,
        "hubs": _hits, "authorities": _hits,
    }  # fmt: skip
    return rankings[wish.kind](graph, wish, tell)


def _pagerank(graph: Graph, wish: Wish, tell: Tell) -> Ranked:
    from counterpoint.graph.ranking.blocked import blocked_pagerank
    from counterpoint.graph.ranking.pagerank import pagerank
    from counterpoint.graph.ranking.topk import certain

    if wish.block is not None:
        found = blocked_pagerank(graph, wish.work, block=wish.block, outside=wish.outside,
                                 damping=wish.damping, tolerance=wish.tolerance, most=wish.most,
                                 tell=tell)  # fmt: skip
    else:
        found = pagerank(graph, damping=wish.damping, tolerance=wish.tolerance, most=wish.most,
                         watched=wish.top, tell=tell)  # fmt: skip
    exact = wish.outside == "exact"
    sure = vars(certain(found.scores, wish.top, found.bound)) if exact else None
    more = {"damping": wish.damping, "dangling": found.dangling, "settled": found.settled,
            "bound": found.bound if exact else None, "outside": wish.outside,
            "certain": sure}  # fmt: skip
    return Ranked(found.scores, found.run, more)


def _hits(graph: Graph, wish: Wish, tell: Tell) -> Ranked:
    from counterpoint.graph.ranking.hits import hits, within

    base = _base(graph, wish) if wish.roots else None
    own = graph if base is None else within(graph, base)
    found = hits(own, tolerance=wish.tolerance, most=wish.most, watched=wish.top, tell=tell)
    scores = found.hubs if wish.kind == "hubs" else found.authorities
    if base is None:
        return Ranked(scores, found.run, {"settled": found.settled})
    import numpy as np

    of_all = np.zeros(graph.nodes)
    of_all[base] = scores
    return Ranked(of_all, found.run, {"settled": found.settled, "base": len(base)})


def _base(graph: Graph, wish: Wish) -> Array:
    """Return the base set of the roots."""
    from counterpoint.graph.ranking.hits import MOST_INTO, base_set

    if (last := max(wish.roots)) >= graph.nodes:  # it may be larger than any number of NumPy
        raise CrawlError(f"--root: there is no page {last}: there are {graph.nodes:,}")
    return base_set(graph, wish.roots, MOST_INTO if wish.into is None else wish.into)


def _in_links(graph: Graph, wish: Wish, tell: Tell) -> Ranked:
    from counterpoint.graph.ranking.products import degrees

    return Ranked(degrees(graph.into).astype(float), None, {})


def _perturbed(
    graph: Graph, scores: Array, wish: Wish, share: float, repeats: int, seed: int, tell: Tell
) -> dict[str, Any]:
    from counterpoint.graph.ranking.topk import perturbed

    plain = wish._replace(block=None, outside="exact", work=None)
    found = perturbed(graph, lambda left: ranked(left, plain, tell).scores, scores, wish.top,
                      share=share, repeats=repeats, seed=seed)  # fmt: skip
    return {"without": share, "seed": seed, "runs": [vars(one) for one in found]}


def _about(held: Opened, found: Ranked, wish: Wish) -> dict[str, Any]:
    from counterpoint.graph.ranking.topk import top

    first = top(found.scores, wish.top).tolist()
    if wish.roots:  # a page outside the base set weighs nothing, and is not in the list
        first = [page for page in first if found.scores[page] > 0]
    names = held.names(first) or [""] * len(first)
    run = found.run
    return {
        "by": wish.kind, "pages": held.graph.nodes, "links": held.graph.links,
        "top": [{"page": page, "weight": float(found.scores[page])} | ({"address": n} if n else {})
                for page, n in zip(first, names, strict=True)],
        "rule": run.rule if run else None,
        "iterations": run.iterations if run else None,
        "residual": run.residual if run else None,
        "converged": run.converged if run else None,
        **found.more,
    }  # fmt: skip


def _text(about: dict[str, Any]) -> None:
    heading(f"{about['by']}, {about['pages']:,} pages", "weight")
    for place, one in enumerate(about["top"], 1):
        row(f"{place}. page {one['page']}", f"{one['weight']:.6g}", f"  {one.get('address', '')}")
    if "base" in about:
        _say(f"of {about['base']:,} pages of the base set")
    if about["rule"]:
        ended = "is small enough" if about["converged"] else "is NOT small enough"
        _say(f"ends when {about['rule']}: {about['iterations']:,} iterations, the residual "
             f"{about['residual']:.2g} {ended}")  # fmt: skip
    if about.get("bound") is not None:
        _say(f"all errors together are at most {about['bound']:.2g}, so that "
             f"{about['certain']['members']:,} of these pages are among the first "
             f"{len(about['top']):,} for certain, and the first {about['certain']['ranks']:,} "
             "stand in this order")  # fmt: skip
    if about.get("outside") == "average":
        _say("pages outside a block weigh the average: no bound of the error is known")
    if about.get("settled") is not None:
        _say(f"the first pages were the same ones from iteration {about['settled']:,} on")
    for one in about.get("perturbed", {}).get("runs", []):
        tau = "" if one["tau"] is None else f", Kendall's tau {one['tau']:.2f}"
        _say(f"without {about['perturbed']['without']:.0%} of the links: {one['overlap']:.0%} of "
             f"these pages, the first {one['same']:,} in place{tau}")  # fmt: skip


def _say(text: str) -> None:
    click.echo(show.wrapped(f"  {text}"))
