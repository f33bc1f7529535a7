"""Runs one subject of `graph_algorithms.py`, in a process and an interpreter of its own.

    python benchmarks/graph_peers.py SUBJECT GRAPH.npz ROUNDS [TASK...]

Prints a line of JSON: the processor seconds of each round of each task, the results, the memory of
the process after it loaded the graph, and its peak memory. The subject loads the graph in its own
form, in both directions where it can, before the first measurement.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent

ITERATIONS = 20

Tasks = dict[str, Callable[[], Any]]


def load(path: str) -> tuple[Any, Any]:
    """Return offsets and targets."""
    with np.load(path) as arrays:
        return arrays["offsets"].astype(np.int64), arrays["targets"]


def sources_of(offsets: Any) -> Any:
    """Return the source page of each link."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))


def counted(core: Any, before: Any, after: Any, from_in: Any, to_out: Any, weak: Any) -> list[int]:
    """Return the sizes of the six components of the bow-tie.

    Parameters
    ----------
    core, before, after, from_in, to_out, weak : bool, shape (pages,)
        Whether a page is in SCC, reaches it, is reached from it, is reached from IN, reaches OUT,
        is in the largest weak component.
    """
    into, out = before & ~core, after & ~core
    tubes = from_in & to_out & ~before & ~after
    tendrils = weak & ~before & ~after & ~tubes
    return [int(one.sum()) for one in (core, into, out, tendrils, tubes, ~weak)]


def ours(path: str) -> Tasks:
    """Counterpoint, with links in compressed sparse rows."""
    sys.path.insert(0, str(ROOT / "src"))
    from counterpoint.graph.csr import both, csr

    return _ours(both(csr(*load(path))))


def packed(path: str) -> Tasks:
    """Counterpoint, with packed links; hosts are unknown here, so links pack a little worse."""
    sys.path.insert(0, str(ROOT / "src"))
    from counterpoint.graph.csr import Both, csr
    from counterpoint.graph.storage.packed import pack

    rows = csr(*load(path))
    back = rows.reversed()
    rows = back.reversed()  # each row is sorted
    hosts = np.arange(0, rows.nodes + 1, max(1, rows.nodes // 100_000), dtype=np.uint32)
    hosts[-1] = rows.nodes
    # Packed links have the methods that these tasks need; other tasks need a `Csr`.
    # rows and back have three arrays each, which mypy cannot count
    tasks = _ours(Both(pack(*rows, hosts), pack(*back, hosts)))  # type: ignore[arg-type]
    return {name: tasks[name] for name in ("bow-tie", "scc", "wcc", "bfs")}


def _ours(graph: Any) -> Tasks:
    from counterpoint.graph.csr import Csr, both, csr
    from counterpoint.graph.ranking.hits import hits
    from counterpoint.graph.ranking.pagerank import pagerank
    from counterpoint.graph.search.bfs import bfs
    from counterpoint.graph.search.bowtie import bowtie
    from counterpoint.graph.search.scc import scc
    from counterpoint.graph.search.wcc import wcc

    tasks: Tasks = {
        "bow-tie": lambda: list(bowtie(graph).counts.values()),
        "scc": lambda: scc(graph).number,
        "wcc": lambda: wcc(graph).number,
        "bfs": lambda: bfs(graph, [0]).reached,
        "pagerank": lambda: pagerank(graph, tolerance=0, most=ITERATIONS).run.residual,
        "hits": lambda: hits(graph, tolerance=0, most=ITERATIONS).run.residual,
    }
    if isinstance(graph.out, Csr):
        tasks["links backward"] = lambda: graph.out.reversed().links
    small = both(csr([0, 1, 2], [1, 0]))
    for task in (bowtie, scc, wcc, pagerank, hits):  # compile, or load what was compiled
        task(small)
    bfs(small, [0])
    return tasks


def scipy(path: str) -> Tasks:
    """scipy.sparse.csgraph, with a matrix in each direction; rankings are only the products."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    offsets, targets = load(path)
    n = len(offsets) - 1
    ones = np.ones(len(targets))
    forward = csr_matrix((ones, targets.astype(np.int32), offsets.astype(np.int32)), shape=(n, n))
    backward = forward.T.tocsr()

    def reached(matrix: Any, page: int) -> Any:
        found = np.zeros(matrix.shape[0], bool)
        found[breadth_first_order(matrix, page, return_predecessors=False)] = True
        return found

    def reached_from(matrix: Any, pages: Any) -> Any:
        """Search from an extra page that links to all of the pages."""
        indices = np.concatenate([matrix.indices, pages.astype(np.int32)])
        ends = np.append(matrix.indptr, np.int32(len(indices)))
        values = np.ones(len(indices), np.int8)
        return reached(csr_matrix((values, indices, ends), shape=(n + 1, n + 1)), n)[:n]

    def bowtie() -> list[int]:
        _, label = connected_components(forward, connection="strong")
        core = label == np.bincount(label).argmax()
        page = int(core.argmax())
        after, before = reached(forward, page), reached(backward, page)
        from_in = reached_from(forward, np.flatnonzero(before & ~core))
        to_out = reached_from(backward, np.flatnonzero(after & ~core))
        _, weak = connected_components(forward, connection="weak")
        return counted(core, before, after, from_in, to_out, weak == weak[page])

    def products(times: int) -> float:
        weights = np.full(n, 1 / n)
        for i in range(times):
            weights = (backward if i % 2 == 0 or times == ITERATIONS else forward) @ weights
        return float(weights[0])

    return {
        "bow-tie": bowtie,
        "scc": lambda: connected_components(forward, connection="strong")[0],
        "wcc": lambda: connected_components(forward, connection="weak")[0],
        "bfs": lambda: int(reached(forward, 0).sum()),
        "pagerank": lambda: products(ITERATIONS),
        "hits": lambda: products(2 * ITERATIONS),
        "links backward": lambda: forward.T.tocsr().nnz,
    }


def networkit(path: str) -> Tasks:
    """NetworKit, one thread."""
    import networkit as nk

    nk.setNumberOfThreads(1)
    offsets, targets = load(path)
    n = len(offsets) - 1
    ends = sources_of(offsets).astype(np.uint64), targets.astype(np.uint64)
    graph = nk.GraphFromCoo(ends, n=n, directed=True)
    del ends
    back = nk.graphtools.transpose(graph)

    def reached(one: Any, page: int) -> Any:
        search = nk.distance.BFS(one, page, storePaths=False).run()
        return np.asarray(search.getDistances(False))[:n] < 1e300

    def reached_from(one: Any, pages: Any) -> Any:
        more = one.addNode()
        one.addEdges((np.full(len(pages), more, np.uint64), pages.astype(np.uint64)))
        found = reached(one, more)
        one.removeNode(more)
        return found

    def labels(kind: Any, one: Any) -> Any:
        found = kind(one).run().getPartition().getVector()
        return np.asarray(found, np.uint64)[:n].astype(np.int64)  # a removed page has the last

    def bowtie() -> list[int]:
        label = labels(nk.components.StronglyConnectedComponents, graph)
        core = label == np.bincount(label).argmax()
        page = int(core.argmax())
        after, before = reached(graph, page), reached(back, page)
        from_in = reached_from(graph, np.flatnonzero(before & ~core))
        to_out = reached_from(back, np.flatnonzero(after & ~core))
        weak = labels(nk.components.WeaklyConnectedComponents, graph)
        return counted(core, before, after, from_in, to_out, weak == weak[page])

    def pagerank() -> float:
        ranking = nk.centrality.PageRank(graph, 0.85, 1e-300)
        ranking.maxIterations = ITERATIONS
        return float(ranking.run().scores()[0])

    return {
        "bow-tie": bowtie,
        "scc": lambda: len(np.unique(labels(nk.components.StronglyConnectedComponents, graph))),
        "wcc": lambda: len(np.unique(labels(nk.components.WeaklyConnectedComponents, graph))),
        "bfs": lambda: int(reached(graph, 0).sum()),
        "pagerank": pagerank,
        "links backward": lambda: nk.graphtools.transpose(graph).numberOfEdges(),
    }


def igraph(path: str) -> Tasks:
    """Igraph."""
    import igraph as ig

    offsets, targets = load(path)
    n = len(offsets) - 1
    pairs = np.column_stack([sources_of(offsets), targets]).astype(np.int64)
    graph = ig.Graph(n=n, edges=pairs, directed=True)
    del pairs

    def reached(one: Any, page: int, mode: str) -> Any:
        found = np.zeros(one.vcount(), bool)
        found[one.subcomponent(page, mode=mode)] = True
        return found[:n]

    def reached_from(pages: Any, mode: str) -> Any:
        more = np.column_stack([np.full(len(pages), n), pages])
        one = graph.copy()
        one.add_vertices(1)
        one.add_edges(more if mode == "out" else more[:, ::-1])
        return reached(one, n, mode)

    def labels(mode: str) -> Any:
        return np.asarray(graph.connected_components(mode=mode).membership)

    def bowtie() -> list[int]:
        label = labels("strong")
        core = label == np.bincount(label).argmax()
        page = int(core.argmax())
        after, before = reached(graph, page, "out"), reached(graph, page, "in")
        from_in = reached_from(np.flatnonzero(before & ~core), "out")
        to_out = reached_from(np.flatnonzero(after & ~core), "in")
        weak = labels("weak")
        return counted(core, before, after, from_in, to_out, weak == weak[page])

    return {
        "bow-tie": bowtie,
        "scc": lambda: int(labels("strong").max()) + 1,
        "wcc": lambda: int(labels("weak").max()) + 1,
        "bfs": lambda: int(reached(graph, 0, "out").sum()),
    }


def graph_tool(path: str) -> Tasks:
    """graph-tool, one thread."""
    import graph_tool as gt
    from graph_tool import centrality, topology

    gt.openmp_set_num_threads(1)
    offsets, targets = load(path)
    n = len(offsets) - 1
    graph = gt.Graph(directed=True)
    graph.add_vertex(n)
    graph.add_edge_list(np.column_stack([sources_of(offsets), targets]))

    def labels(directed: bool) -> Any:
        return topology.label_components(graph, directed=directed)[0].a[:n]

    def reached(page: int, backward: bool) -> Any:
        view = gt.GraphView(graph, reversed=True) if backward else graph
        return topology.label_out_component(view, view.vertex(page)).a[:n].astype(bool)

    def reached_from(pages: Any, backward: bool) -> Any:
        more = int(graph.add_vertex())
        ends = [np.full(len(pages), more), pages]
        graph.add_edge_list(np.column_stack(ends[::-1] if backward else ends))
        found = reached(more, backward)
        graph.remove_vertex(more)
        return found

    def bowtie() -> list[int]:
        label = labels(True)
        core = label == np.bincount(label).argmax()
        page = int(core.argmax())
        after, before = reached(page, False), reached(page, True)
        from_in = reached_from(np.flatnonzero(before & ~core), False)
        to_out = reached_from(np.flatnonzero(after & ~core), True)
        weak = labels(False)
        return counted(core, before, after, from_in, to_out, weak == weak[page])

    return {
        "bow-tie": bowtie,
        "scc": lambda: int(labels(True).max()) + 1,
        "wcc": lambda: int(labels(False).max()) + 1,
        "bfs": lambda: int(reached(0, False).sum()),
        "pagerank": lambda: float(
            centrality.pagerank(graph, epsilon=1e-300, max_iter=ITERATIONS).a[0]
        ),
        "hits": lambda: float(centrality.hits(graph, epsilon=1e-300, max_iter=ITERATIONS)[0]),
    }


SUBJECTS = {
    "counterpoint": ours, "counterpoint-packed": packed, "scipy": scipy, "networkit": networkit,
    "igraph": igraph, "graph-tool": graph_tool,
}  # fmt: skip


def megabytes() -> dict[str, float]:
    """Return the present and the peak memory of the process."""
    fields = map(str.split, Path("/proc/self/status").read_text().splitlines())
    values = {one[0].rstrip(":"): one[1] for one in fields if len(one) > 1}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"held": int(values["VmRSS"]) / 1000, "peak": peak / 1000}


def main() -> None:
    """Run the tasks of a subject in turns, and print the figures."""
    subject, path, rounds, *chosen = sys.argv[1:]
    tasks = SUBJECTS[subject](path)
    tasks = {name: task for name, task in tasks.items() if not chosen or name in chosen}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    held = megabytes()["held"]
    found: dict[str, Any] = {}
    for _ in range(int(rounds)):
        for name, task in tasks.items():
            begun = time.process_time()
            found[name] = task()
            seconds[name].append(round(time.process_time() - begun, 4))
    print(json.dumps({"seconds": seconds, "found": found, "held": held,
                      "peak": megabytes()["peak"]}))  # fmt: skip


if __name__ == "__main__":
    main()
