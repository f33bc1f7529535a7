"""A captured web as a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.graph.storage.store import GraphStore
from counterpoint.main import counterpoint
from counterpoint.studies.captured.building import arrays_of

from .webs import RECORDS, source, written


@pytest.mark.parametrize(("linked", "unknown"), [(None, False), ("1", True)])
def test_graph_of_a_captured_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: str | None, unknown: bool
) -> None:
    """A graph with links of other pages, or with pages that nobody captured."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "x.warc.gz", RECORDS, "gzip")
    more = [] if linked is None else ["--linked", linked]
    assert run(counterpoint, ["graph", "build", "x.warc.gz", "x.graph", *more]) == 0
    store = GraphStore(tmp_path / "x.graph")
    arrays = arrays_of(source(tmp_path))
    names = arrays.addresses.tolist()
    links = {
        (names[page], names[target])
        for page in range(arrays.pages)
        for target in arrays.targets[arrays.offsets[page] : arrays.offsets[page + 1]]
        if unknown or arrays.captured[target]
    }
    assert store.nodes == arrays.pages - (not unknown)
    found = {
        (store.name(page), store.name(int(target)))
        for page in range(store.nodes)
        for target in store.out_links(page)
    }
    assert found == links and len(links) > 5
