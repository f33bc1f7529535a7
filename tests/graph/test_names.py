"""Names for the nodes of numbered graphs: lists of addresses, and vertices of Common Crawl."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.commands.graph.sources import source_of
from counterpoint.console import run
from counterpoint.graph.errors import GraphError
from counterpoint.graph.sources.named import NamedGraph
from counterpoint.graph.sources.numbered import AdjacencyText, EdgeList
from counterpoint.graph.storage.build import build
from counterpoint.graph.storage.store import GraphStore
from counterpoint.main import counterpoint

labels = st.text("abcxyz019-", min_size=1, max_size=6)
hosts = st.lists(labels, min_size=1, max_size=4).map(".".join)


def links_of(store: GraphStore) -> set[tuple[str, str]]:
    """Return the links of a store by names."""
    rows = store.out_lists(np.arange(store.nodes))
    return {
        (store.name(page), store.name(int(target)))
        for page in range(store.nodes)
        for target in rows.targets[rows.offsets[page] : rows.offsets[page + 1]]
    }


@settings(max_examples=25, deadline=None)
@given(st.data(), st.lists(hosts, min_size=1, max_size=12, unique=True))
def test_vertices_of_common_crawl(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, names: list[str]
) -> None:
    """Catches a link between other hosts, a name that stays reversed, or a host without links."""
    folder = tmp_path_factory.mktemp("cc")
    node = st.integers(0, len(names) - 1)
    links = data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=20))
    more = data.draw(st.sampled_from(["", "\t7"]))
    vertices, edges = folder / "v.txt.gz", folder / "e.txt"
    lines = (f"{k}\t{'.'.join(reversed(one.split('.')))}{more}\n" for k, one in enumerate(names))
    vertices.write_bytes(gzip.compress("".join(lines).encode()))
    edges.write_text("".join(f"{a}\t{b}\n" for a, b in links))
    path = folder / "x.graph"
    build(source_of(str(edges), names=vertices), path)
    store = GraphStore(path)
    assert {store.name(page) for page in range(store.nodes)} == {f"http://{n}/" for n in names}
    assert store.hosts_count == len(names)
    assert links_of(store) == {
        (f"http://{names[a]}/", f"http://{names[b]}/") for a, b in links if a != b
    } | {(f"http://{names[a]}/",) * 2 for a, b in links if a == b}


def test_addresses_one_a_line(tmp_path: Path) -> None:
    """Catches pages of one host that become several hosts, or a list of WebGraph without names."""
    names = ["http://a.test/", "http://a.test/x", "https://a.test/y", "http://b.test/"]
    (tmp_path / "names").write_text("\n".join(names))
    (tmp_path / "graph").write_text("4\n1 3\n2\n\n0\n")
    path = tmp_path / "x.graph"
    build(source_of(str(tmp_path / "graph"), names=tmp_path / "names"), path)
    store = GraphStore(path)
    assert (store.nodes, store.hosts_count) == (4, 2)
    assert links_of(store) == {
        (names[0], names[1]), (names[0], names[3]), (names[1], names[2]), (names[3], names[0]),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("0\torg.a\n2\torg.b\n", r"line 2: '2\\torg.b' is not the number 1 and a name"),
        ("0\torg.a\norg.b\n", "line 2: 'org.b' is not the number 1"),
        ("0\torg.a\n1\torg.a\n2\torg.c\n", "line 2: 'http://a.org/': another node has this name"),
        ("http://a.test/\n", "has 1 names, and the graph 3 nodes"),
        ("http://a.test/\nhttp://b.test/\nhttp://a.test/x\n",
         "line 3: 'http://a.test/x': the pages of its host are not consecutive"),
        ("http://a.test/\n\nhttp://b.test/\n", "line 2: '': is no address"),
        ("", "has 0 names, and the graph 3 nodes"),
    ],
)  # fmt: skip
def test_wrong_names(tmp_path: Path, names: str, message: str) -> None:
    """Catches names that move by a line, so that all later nodes have wrong ones."""
    (tmp_path / "names").write_text(names)
    (tmp_path / "links").write_text("0 1\n1 2\n")
    with pytest.raises(GraphError, match=message):
        NamedGraph(EdgeList(tmp_path / "links"), tmp_path / "names").read(tmp_path, None)
    (tmp_path / "many").write_text("".join(f"http://h{k}.test/\n" for k in range(5)))
    (tmp_path / "other").mkdir()
    (tmp_path / "two").write_text("2\n1\n\n")
    with pytest.raises(GraphError, match="has 5 names, and the graph 2 nodes"):
        NamedGraph(AdjacencyText(tmp_path / "two"), tmp_path / "many").read(
            tmp_path / "other", None
        )


def test_graph_build_as_a_user_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches names that are passed over for a source that has its own."""
    monkeypatch.chdir(tmp_path)
    Path("v.txt").write_text("0\ttest.a\n1\ttest.b\n2\ttest.c\n")
    Path("e.txt").write_text("0\t1\n")
    assert run(counterpoint, ["graph", "build", "e.txt", "--names", "v.txt", "h.graph"]) == 0
    assert run(counterpoint, ["graph", "links", "h.graph", "http://a.test/"]) == 0
    assert "http://a.test/\thttp://b.test/" in capsys.readouterr().out
    Path("links.txt").write_text("http://a.test/ http://b.test/\n")
    (tmp_path / "warcs").mkdir()
    for source, message in (("links.txt", "--names does not apply to addresses"),
                            ("warcs", "--names does not apply to WARC files")):  # fmt: skip
        assert run(counterpoint, ["graph", "build", source, "--names", "v.txt", "x.graph"]) == 2
        assert message in capsys.readouterr().err
    assert run(counterpoint, ["graph", "build", "--web", "sample", "--names", "v.txt", "x"]) == 2
    assert "--names need SOURCE" in capsys.readouterr().err
