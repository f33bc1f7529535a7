"""Every reader and every kernel that gets what a file of a graph contains."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from counterpoint.console import run
from counterpoint.graph.csr import Both, Graph, csr
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.blocked import blocked_pagerank
from counterpoint.graph.ranking.hits import base_set, hits, within
from counterpoint.graph.ranking.pagerank import pagerank
from counterpoint.graph.ranking.products import degrees
from counterpoint.graph.ranking.topk import agreement, certain, perturbed, top
from counterpoint.graph.search.bfs import DIRECTIONS, bfs
from counterpoint.graph.search.bowtie import bowtie
from counterpoint.graph.search.degrees import fitted, histogram
from counterpoint.graph.search.distances import distances
from counterpoint.graph.search.scc import scc
from counterpoint.graph.search.wcc import wcc
from counterpoint.graph.storage import exports
from counterpoint.graph.storage.store import GraphStore
from counterpoint.main import counterpoint

Reader = Callable[[GraphStore, Path], object]


def _pages(store: GraphStore) -> list[int]:
    return sorted({page for page in (0, 1, 63, 64, store.nodes - 1) if 0 <= page < store.nodes})


def _lists(store: GraphStore) -> None:
    for page in _pages(store):
        store.out_links(page)
        store.in_links(page)
        store.in_links(page, remote=True)
        store.out.degree_of(page)


def _batches(store: GraphStore) -> None:
    some = [*_pages(store), *range(min(store.nodes, 40)), *_pages(store)]
    must_be_links(store, store.out_lists(some).targets)
    must_be_links(store, store.in_lists(some, remote=True).targets)


def must_be_links(store: GraphStore, targets: np.ndarray) -> None:
    """Check that all targets are pages: no reader may return another number."""
    assert not len(targets) or int(targets.max()) < store.nodes, "a link leads out of the graph"


def _hosts(store: GraphStore) -> None:
    assert len(store.hosts) == store.nodes
    last = store.hosts_count - 1
    if last >= 0:
        store.pages_of(last)
        store.between(0, last)
    store.host_graph()


def _names(store: GraphStore) -> None:
    for page in _pages(store):
        found = store.id_of(store.name(page))
        assert found is None or 0 <= found < store.nodes
    many = [*range(min(store.nodes, 40))] * 2  # enough to be looked up together
    for page in store.ids([*store.names(many), "http://h0.test/", "x"]):
        assert page is None or 0 <= page < store.nodes
    store.host_named("h0.test")
    if store.hosts_count > 0:
        store.host_name(store.hosts_count - 1)


def _numbers(store: GraphStore) -> None:
    if store.numbers is not None:
        assert len(store.numbers) == store.nodes
        must_be_links(store, store.numbers)


def _expanded(store: GraphStore) -> Both:
    rows = [links.expanded() for links in (store.out, store.into)]
    for one in rows:
        csr(*one)  # checks that it is a graph
    return Both(*rows)


def _searched(graph: Graph) -> None:
    bowtie(graph)
    scc(graph)
    wcc(graph)
    if graph.nodes:
        for direction in DIRECTIONS:
            bfs(graph, [0], direction)
        distances(graph, 3)


def _ranked(graph: Graph) -> None:
    found = pagerank(graph, most=4, watched=3)
    certain(found.scores, 3, found.bound)
    hits(graph, most=4, watched=3)
    for links in (graph.out, graph.into):
        histogram(degrees(links))
    if graph.nodes:
        base = base_set(graph, [0])
        hits(within(graph, base), most=3)
        top(found.scores, 3)


def _rare(graph: Graph) -> None:
    scores = pagerank(graph, most=3).scores
    blocked = blocked_pagerank(graph, block=50, most=3).scores
    agreement(scores, blocked, 3)
    fitted(histogram(degrees(graph.into)))
    for one in perturbed(graph, lambda left: hits(left, most=3).hubs, scores, 3,
                         share=0.5, repeats=1, seed=1):  # fmt: skip
        assert 0 <= one.overlap <= 1


def _exported(store: GraphStore, folder: Path) -> None:
    exports.to_networkx(store)
    exports.to_scipy(store.out.expanded())
    exports.write_graphml(store, folder / "a.graphml")
    exports.write_parquet(store, folder / "tables")


READERS: dict[str, Reader] = {
    "verify": lambda store, _: (store.verify(), store.sizes),
    "lists": lambda store, _: _lists(store),
    "batches": lambda store, _: _batches(store),
    "hosts": lambda store, _: _hosts(store),
    "names": lambda store, _: store.has_addresses and _names(store),
    "numbers": lambda store, _: _numbers(store),
    "searches, expanded": lambda store, _: _searched(_expanded(store)),
    "searches, packed": lambda store, _: _searched(store),
    "rankings, expanded": lambda store, _: _ranked(_expanded(store)),
    "rankings, packed": lambda store, _: _ranked(store),
}
"""What is done with every file."""

RARE: dict[str, Reader] = {
    "rare, expanded": lambda store, _: _rare(_expanded(store)),
    "rare, packed": lambda store, _: _rare(store),
    "exports": _exported,
}
"""What is done with some files, because it takes longer."""

COMMANDS = (
    ("info", "FILE", "--verify"), ("links", "FILE", "0"), ("links", "FILE", "1", "--in"),
    ("links", "FILE", "1", "--in", "--remote"), ("links", "FILE", "--hosts"),
    ("links", "FILE", "--between", "0", "1"), ("bowtie", "FILE"),
    ("bowtie", "FILE", "--held", "packed"), ("wcc", "FILE"), ("scc", "FILE"),
    ("bfs", "FILE", "--start", "0"), ("distances", "FILE", "--sources", "2"), ("degrees", "FILE"),
    ("rank", "FILE"), ("rank", "FILE", "--by", "hubs"), ("rank", "FILE", "--block", "40"),
    ("rank", "FILE", "--by", "authorities", "--root", "0"), ("rank", "FILE", "--by", "in-links"),
    ("export", "FILE", "FOLDER/b.graphml", "--to", "graphml"),
)  # fmt: skip
"""The commands, each of which ends with 0, or with 2 and one line."""


def read(path: Path, folder: Path, rare: bool) -> Iterator[tuple[str, BaseException | None]]:
    """Read a file with every reader; yield each reader's name and how it failed.

    Parameters
    ----------
    path : Path
    folder : Path
        An existing folder for what is exported.
    rare : bool
        Whether the file is also read as in `RARE`.

    Yields
    ------
    str, BaseException or None
        The name, and None if the file was read; GraphError is what a reader should raise.
    """
    try:
        store = GraphStore(path)
    except Exception as error:
        yield "open", error
        return
    for name, reader in {**READERS, **(RARE if rare else {})}.items():
        try:
            reader(store, folder)
        except Exception as error:
            yield name, error
        else:
            yield name, None


def wrong_commands(path: Path, folder: Path) -> Iterator[str]:
    """Run the commands on a file; yield what is wrong with each that does not end as it should."""
    (folder / "b.graphml").unlink(missing_ok=True)
    for command in COMMANDS:
        given = [one.replace("FILE", str(path)).replace("FOLDER", str(folder)) for one in command]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(counterpoint, ["graph", *given])
        said = err.getvalue()
        shown = f"graph {' '.join(command)}: exit code {code}, {said[-300:]!r}"
        if code not in (0, 2) or (code == 2 and said.count("\n") != 1):
            yield shown
        elif code == 2 and str(path) not in said and not _asked_too_much(said):
            yield f"{shown} does not name the file"


def _asked_too_much(said: str) -> bool:
    """Return whether a command was refused because the graph has no page or no host 0 or 1."""
    return any(text in said for text in ("there is no page", "there is no host", "no page has"))


def is_refusal(error: BaseException) -> bool:
    """Return whether an error is the project's own, in one line."""
    return isinstance(error, GraphError) and "\n" not in str(error)
