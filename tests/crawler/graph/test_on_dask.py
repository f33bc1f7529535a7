"""The recipe for graphs that fit no memory, on small ones, against what is computed here."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crawler.graph.csr import Both, both, csr
from crawler.graph.pagerank import pagerank
from crawler.graph.scc import Components, scc
from crawler.graph.wcc import wcc
from sim_web import profile
from sim_web.generator import Web
from tests.crawler.graph.forms import graph

RECIPE = Path(__file__).resolve().parents[3] / "docs" / "graph_on_dask.py"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pandas") is None and os.environ.get("CI") != "true",
    reason="dask.dataframe needs pandas",
)


def exported(web: Both, folder: Path) -> Path:
    """Write a graph as the store exports it, the links in parts."""
    import pyarrow
    from pyarrow import parquet

    folder.mkdir()
    ids = np.arange(web.nodes, dtype=np.uint32)
    parquet.write_table(pyarrow.table({"id": ids, "host": ids // 7}), folder / "pages.parquet")
    sources = np.repeat(ids, np.diff(web.out.offsets).astype(np.int64))
    links = pyarrow.table({"source": sources, "target": web.out.targets})
    parquet.write_table(links, folder / "links.parquet", row_group_size=100)
    return folder


def run(algorithm: str, folder: Path) -> dict[int, float]:
    """Run the recipe as its reader does; return what each page got."""
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


def check(web: Both, folder: Path) -> None:
    """Compare all three algorithms."""
    exported(web, folder)
    assert run("wcc", folder) == lowest(wcc(web))
    assert run("scc", folder) == lowest(scc(web))
    ranks = run("pagerank", folder)
    expected = pagerank(web, tolerance=1e-10).scores
    assert [ranks[page] for page in range(web.nodes)] == pytest.approx(expected, abs=1e-8)


def test_a_graph_of_every_kind_of_component(tmp_path: Path) -> None:
    """A component that joins another; a page without links whose weight is lost; a loop."""
    links = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0), (6, 6), (7, 8), (9, 7),
             (8, 9), (1, 7), (11, 12), (3, 3), (10, 5)]  # fmt: skip
    check(graph(14, links), tmp_path / "graph")


@pytest.mark.slow
def test_a_web(tmp_path: Path) -> None:
    """A join that goes wrong once there is more than a part, or a search that ends too early."""
    written = Web(profile.load("broder-1999"), 2000, 3).explicit()
    check(both(csr(written.offsets, written.targets)), tmp_path / "web")
