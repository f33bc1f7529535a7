"""The recipe for graphs larger than the memory, compared with this package on small graphs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.console import run as command_line
from counterpoint.graph.ranking.pagerank import pagerank
from counterpoint.graph.search.scc import Components, scc
from counterpoint.graph.search.wcc import wcc
from counterpoint.graph.storage.store import GraphStore
from counterpoint.main import counterpoint

RECIPE = Path(__file__).resolve().parents[2] / "docs" / "graph_on_dask.py"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pandas") is None and os.environ.get("CI") != "true",
    reason="dask.dataframe needs pandas",
)


def run(algorithm: str, folder: Path) -> dict[int, float]:
    """Run the recipe as its reader does; return the result of each page."""
    from pyarrow import parquet

    result = folder / algorithm
    done = subprocess.run(
        [sys.executable, str(RECIPE), algorithm, str(folder), str(result)],
        capture_output=True, text=True, check=False, env={**os.environ, "DASK_SCHEDULER": "sync"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not list(folder.glob("*.work"))
    table = parquet.read_table(result).to_pydict()
    ids, values = table.pop("id"), next(iter(table.values()))
    assert len(ids) == len(set(ids))
    return dict(zip(ids, values, strict=True))


def lowest(found: Components) -> dict[int, int]:
    """Return the lowest page of the component of each page."""
    first = {int(label): page for page, label in reversed(list(enumerate(found.labels)))}
    return {page: first[int(label)] for page, label in enumerate(found.labels)}


def exported(folder: Path, *source: str) -> GraphStore:
    """Build a store, and write its Parquet files, as a user does."""
    store = folder / "it.graph"
    assert command_line(counterpoint, ["graph", "build", *source, str(store)]) == 0
    export = ["graph", "export", str(store), str(folder), "--to", "parquet"]
    assert command_line(counterpoint, export) == 0
    return GraphStore(store)


def every_kind(folder: Path) -> GraphStore:
    """Return a graph of every kind of component, exported."""
    links = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0), (6, 6), (7, 8), (9, 7),
             (8, 9), (1, 7), (11, 12), (3, 3), (10, 5), (13, 13)]  # fmt: skip
    edges = folder / "edges.txt"
    edges.write_text("".join(f"{source} {target}\n" for source, target in links))
    return exported(folder, str(edges))


def test_weak_components(tmp_path: Path) -> None:
    """A component that is joined to another, or a label that does not reach all of its pages."""
    store = every_kind(tmp_path)
    assert run("wcc", tmp_path) == lowest(wcc(store))


@pytest.mark.slow
def test_strong_components_and_pagerank(tmp_path: Path) -> None:
    """Two joined components, lost weight of a page without links, or a miscounted loop."""
    store = every_kind(tmp_path)
    assert run("scc", tmp_path) == lowest(scc(store))
    check_ranks(store, tmp_path)


def check_ranks(store: GraphStore, folder: Path) -> None:
    """Compare PageRank."""
    ranks = run("pagerank", folder)
    expected = pagerank(store, tolerance=1e-10).scores
    assert [ranks[page] for page in range(store.nodes)] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
def test_a_web(tmp_path: Path) -> None:
    """A join that fails on larger tables, or a search that ends too early."""
    store = exported(tmp_path, "--web", "broder-1999", "--pages", "1000", "--seed", "3")
    assert run("wcc", tmp_path) == lowest(wcc(store))
    assert run("scc", tmp_path) == lowest(scc(store))
    check_ranks(store, tmp_path)
