"""``counterpoint graph rank``: PageRank, hubs and authorities, and how stable the order is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from counterpoint import show
from counterpoint.commands.graph.opening import (
    OpenGraph,
    Tell,
    check_outputs,
    format_option,
    graph_argument,
    heading,
    open_graph,
    print_result,
    row,
    save_array,
    save_option,
    unpacking_option,
    written,
)
from counterpoint.console import OK, progress
from counterpoint.crawler.errors import CrawlError

if TYPE_CHECKING:
    from counterpoint.compiling import Array
    from counterpoint.graph.csr import Graph
    from counterpoint.graph.ranking.products import Run

KINDS = ("pagerank", "authorities", "hubs", "in-links")


class RankOptions(NamedTuple):
    """The options of the ranking.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    damping : float
        PageRank: the share of steps that follow a link.
    tolerance : float
        The iteration ends when the sum of all changes is not above it.
    most : int
        The iteration ends after so many steps at the latest.
    top : int
        How many pages are printed.
    block : int or None
        PageRank in blocks of so many pages; None: all in memory.
    outside : str
        PageRank in blocks: ``exact`` or ``average``.
    work : Path or None
        PageRank in blocks: the folder for temporary files.
    roots : tuple of int
        HITS: the pages of the root set; empty: the whole graph is ranked.
    into : int or None
        HITS: how many in-links of a root are in the base set at most.
    """

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


class RankingResult(NamedTuple):
    """The result of a ranking.

    Attributes
    ----------
    scores : float64, shape (pages,)
    run : Run or None
        The iteration; None if the scores were counted.
    more : dict
        Further entries of the JSON output.
    """

    scores: Array
    run: Run | None
    more: dict[str, Any]


@click.command()
@graph_argument
@click.option("--by", "kind", type=click.Choice(KINDS), default="pagerank", show_default=True,
              help="The weight by which pages are ranked.")  # fmt: skip
@click.option("--top", type=click.IntRange(1, 100_000), default=10, show_default=True, metavar="K",
              help="Print the K best pages.")  # fmt: skip
@click.option("--damping", type=float, default=0.85, show_default=True,
              help="PageRank: the share of steps that follow a link.")  # fmt: skip
@click.option("--tolerance", type=float, default=1e-9, show_default=True,
              help="End the iteration when the sum of all changes is at most this.")  # fmt: skip
@click.option("--iterations", "most", type=click.IntRange(1), default=1000, show_default=True,
              help="End the iteration after this number of steps at the latest.")  # fmt: skip
@click.option("--block", type=click.IntRange(1), metavar="PAGES",
              help="PageRank in blocks: keep only this number of pages in memory at a time.",
              )  # fmt: skip
@click.option("--outside", type=click.Choice(["exact", "average"]), default="exact",
              show_default=True, help="PageRank in blocks: use the exact weights of pages of other "
              "blocks, or their average as [COV] does.")  # fmt: skip
@click.option("--work", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="PageRank in blocks: put working files here.  [a temporary folder]",
              )  # fmt: skip
@click.option("--root", "roots", multiple=True, metavar="PAGE",
              help="HITS: rank only the base set of the roots, which are PAGE, the pages that it "
              "links to and the pages that link to it; repeatable.")  # fmt: skip
@click.option("--into", type=click.IntRange(0), metavar="N",
              help="HITS: of the pages that link to a root, take at most N into the base set, "
              "those with the lowest numbers.  [50]")  # fmt: skip
@click.option("--perturb", type=click.IntRange(0, 1000), default=0, show_default=True, metavar="N",
              help="Rank N more times, each time without some randomly drawn links.",
              )  # fmt: skip
@click.option("--without", "share", type=click.FloatRange(0, 1), default=0.1, show_default=True,
              help="With --perturb: the share of the links that is left out.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="With --perturb: seed of the random draws.")  # fmt: skip
@unpacking_option
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
    unpacking: str,
    save: Path | None,
    form: str,
) -> int:
    r"""Rank the pages of GRAPH, and show how stable the first places are.

    \b
    counterpoint graph rank crawl.graph
    counterpoint graph rank crawl.graph --by hubs --top 20
    counterpoint graph rank crawl.graph --by authorities --root https://example.org/ --into 20
    counterpoint graph rank crawl.graph --perturb 5 --without 0.2
    counterpoint graph rank crawl.graph --block 10000000 --work /big/disk
    """
    check_outputs(path, save)
    if roots and kind not in ("hubs", "authorities"):
        raise click.UsageError("--root needs --by hubs or --by authorities")
    if into is not None and not roots:
        raise click.UsageError("--into needs --root")
    options = RankOptions(kind, damping, tolerance, most, top, block, outside, work)
    if kind != "pagerank" and (block is not None or work is not None):
        raise click.UsageError("--block and --work need --by pagerank")
    if block is None and (work is not None or outside != "exact"):
        raise click.UsageError("--work and --outside need --block")
    with progress(kind) as tell:
        opened = open_graph(path, "packed" if block else unpacking, tell)
        options = options._replace(roots=tuple(map(opened.page, roots)), into=into)
        found = ranked(opened.graph, options, tell)
        save_array(save, found.scores)
        about = _about(opened, found, options)
        if perturb:
            about["perturbed"] = _perturbed(opened.graph, found.scores, options, share, perturb,
                                            seed, tell)  # fmt: skip
    print_result(form, about, lambda: _text(about))
    written(save, "contains the weight of each page")
    return OK


def ranked(graph: Graph, options: RankOptions, tell: Tell = None) -> RankingResult:
    """Rank the pages of a graph.

    Parameters
    ----------
    graph : Graph
    options : RankOptions
    tell : callable, optional
        Shows the progress.
    """
    rankings: dict[str, Callable[[Graph, RankOptions, Tell], RankingResult]] = {
        "pagerank": _pagerank, "in-links": _in_links,
        "hubs": _hits, "authorities": _hits,
    }  # fmt: skip
    return rankings[options.kind](graph, options, tell)


def _pagerank(graph: Graph, options: RankOptions, tell: Tell) -> RankingResult:
    from counterpoint.graph.ranking.blocked import blocked_pagerank
    from counterpoint.graph.ranking.pagerank import pagerank
    from counterpoint.graph.ranking.topk import certain

    if options.block is not None:
        found = blocked_pagerank(graph, options.work, block=options.block, outside=options.outside,
                                 damping=options.damping, tolerance=options.tolerance,
                                 most=options.most, tell=tell)  # fmt: skip
    else:
        found = pagerank(graph, damping=options.damping, tolerance=options.tolerance,
                         most=options.most, watched=options.top, tell=tell)  # fmt: skip
    exact = options.outside == "exact"
    sure = vars(certain(found.scores, options.top, found.bound)) if exact else None
    more = {"damping": options.damping, "dangling": found.dangling, "settled": found.settled,
            "bound": found.bound if exact else None, "outside": options.outside,
            "certain": sure}  # fmt: skip
    return RankingResult(found.scores, found.run, more)


def _hits(graph: Graph, options: RankOptions, tell: Tell) -> RankingResult:
    from counterpoint.graph.ranking.hits import hits, within

    base = _base(graph, options) if options.roots else None
    own = graph if base is None else within(graph, base)
    found = hits(
        own, tolerance=options.tolerance, most=options.most, watched=options.top, tell=tell
    )
    scores = found.hubs if options.kind == "hubs" else found.authorities
    if base is None:
        return RankingResult(scores, found.run, {"settled": found.settled})
    import numpy as np

    of_all = np.zeros(graph.nodes)
    of_all[base] = scores
    return RankingResult(of_all, found.run, {"settled": found.settled, "base": len(base)})


def _base(graph: Graph, options: RankOptions) -> Array:
    """Return the base set of the roots."""
    from counterpoint.graph.ranking.hits import MOST_INTO, base_set

    if (last := max(options.roots)) >= graph.nodes:  # it may be larger than any number of NumPy
        raise CrawlError(f"--root: there is no page {last}: there are {graph.nodes:,}")
    return base_set(graph, options.roots, MOST_INTO if options.into is None else options.into)


def _in_links(graph: Graph, options: RankOptions, tell: Tell) -> RankingResult:
    from counterpoint.graph.ranking.products import degrees

    return RankingResult(degrees(graph.into).astype(float), None, {})


def _perturbed(
    graph: Graph,
    scores: Array,
    options: RankOptions,
    share: float,
    repeats: int,
    seed: int,
    tell: Tell,
) -> dict[str, Any]:
    """Return how the top of a ranking changes when links are left out.

    Parameters
    ----------
    graph : Graph
    scores : array
        The scores of the whole graph.
    options : RankOptions
    share : float
        The share of links that is left out.
    repeats, seed : int
        The number of repetitions, and the seed of the choice.
    tell : callable, optional
        Called with lines of progress.
    """
    from counterpoint.graph.ranking.topk import perturbed

    plain = options._replace(block=None, outside="exact", work=None)
    found = perturbed(graph, lambda left: ranked(left, plain, tell).scores, scores, options.top,
                      share=share, repeats=repeats, seed=seed)  # fmt: skip
    return {"without": share, "seed": seed, "runs": [vars(one) for one in found]}


def _about(unpacking: OpenGraph, found: RankingResult, options: RankOptions) -> dict[str, Any]:
    from counterpoint.graph.ranking.topk import top

    first = top(found.scores, options.top).tolist()
    if options.roots:  # a page outside the base set has weight 0 and is not printed
        first = [page for page in first if found.scores[page] > 0]
    names = unpacking.names(first) or [""] * len(first)
    run = found.run
    return {
        "by": options.kind, "pages": unpacking.graph.nodes, "links": unpacking.graph.links,
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
        _say(f"the base set has {about['base']:,} pages")
    if about["rule"]:
        ended = "is small enough" if about["converged"] else "is NOT small enough"
        _say(f"ends when {about['rule']}: {about['iterations']:,} iterations, the residual "
             f"{about['residual']:.2g} {ended}")  # fmt: skip
    if about.get("bound") is not None:
        _say(f"the sum of all errors is at most {about['bound']:.2g}: "
             f"{about['certain']['members']:,} of these pages are certainly among the first "
             f"{len(about['top']):,}, and the order of the first {about['certain']['ranks']:,} "
             "is certain")  # fmt: skip
    if about.get("outside") == "average":
        _say("pages outside a block weigh the average: no bound of the error is known")
    if about.get("settled") is not None:
        _say(f"the set of the first pages did not change from iteration {about['settled']:,} on")
    for one in about.get("perturbed", {}).get("runs", []):
        tau = "" if one["tau"] is None else f", Kendall's tau {one['tau']:.2f}"
        _say(f"without {about['perturbed']['without']:.0%} of the links: {one['overlap']:.0%} of "
             f"these pages, the first {one['same']:,} in the same places{tau}")  # fmt: skip


def _say(text: str) -> None:
    click.echo(show.wrapped(f"  {text}"))
