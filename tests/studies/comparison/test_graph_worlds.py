"""Policies on graphs: what they see, and what is refused."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.commands.graph.sources import source_of as links_of
from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.graph.storage.build import build
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.studies.captured.settings import HOSTS, CapturedSource, source_of
from counterpoint.studies.captured.stored_graph import arrays_of_graph
from counterpoint.studies.comparison.captured import Captured
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.run import PolicyRunner
from tests.examples import few_and_many

NAMED = [("http://a.test/", "http://a.test/x"), ("http://a.test/", "http://b.test/"),
         ("http://a.test/x", "http://a.test/"), ("http://b.test/", "http://b.test/y"),
         ("http://b.test/y", "http://a.test/x"), ("http://b.test/y", "http://b.test/")]  # fmt: skip


def stored(folder: Path, lines: list[tuple[object, object]]) -> Path:
    """Return the store of a list of links."""
    text, store = folder / "links.txt", folder / "links.graph"
    text.write_text("".join(f"{one} {other}\n" for one, other in lines))
    build(links_of(str(text)), store)
    return store


def plan(
    source: CapturedSource, budget: int, policy: str = "", sites: int = 10
) -> ComparisonPlan:  # fmt: skip
    """Return a plan on a graph."""
    kind = profile.from_mapping({}, "here", "small")
    return ComparisonPlan((policy,), kind, budget, 9, sites=sites, captured=source)


graphs = given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60),
    st.booleans(), st.integers(0, 3),
)  # fmt: skip


@few_and_many(graphs, 4, 100)
def test_breadth_first_on_any_graph(
    tmp_path_factory: pytest.TempPathFactory, links: list[tuple[int, int]], hosts: bool, seed: int
) -> None:
    """Catches a link that is lost or turned round, a wrong start, or a page that does not come."""
    store = stored(tmp_path_factory.mktemp("graph"), list(links))
    nodes = HOSTS if hosts else "pages"
    of = plan(CapturedSource("links", (), graph=str(store), nodes=nodes), 50,
              "breadth-first", 3)  # fmt: skip
    captured = Captured(of, seed)
    starts = captured.starts(Scope.WEB)
    nodes_with_links = {page for link in links for page in link}
    assert len(starts) == (min(3, len(nodes_with_links)) if hosts else 1)
    assert set(starts) <= nodes_with_links
    found = PolicyRunner(of, seed, scopes=[Scope.WEB]).run(0, find("breadth-first"))
    order, todo, seen = [], deque(starts), set(starts)
    while todo:
        order.append(todo.popleft())
        for page in sorted({b for a, b in links if a == order[-1]} - seen):
            seen.add(page)
            todo.append(page)
    external = sum(a in seen and a != b for a, b in set(links)) if hosts else 0
    assert (found.steps, found.final["external"]) == (len(order), external)
    assert found.final["pages"] == len(order)
    assert found.unknown == {} and "outside" not in found.final
    world = captured.world(Scope.WEB, 0.1, [0], reads=False)
    for page in order:
        outcome = world.fetch(page)
        assert (outcome.status, outcome.links.tolist()) == (
            200,
            sorted({b for a, b in links if a == page}),
        )


def test_hosts_of_addresses(tmp_path: Path) -> None:
    """Catches a link to another host that counts as one within, or that a rule follows."""
    store = stored(tmp_path, list(NAMED))
    source = CapturedSource("links", (), starts=("http://b.test/",), graph=str(store))
    arrays = arrays_of_graph(source)
    names = list(arrays.addresses)
    assert names == ["http://a.test/", "http://a.test/x", "http://b.test/", "http://b.test/y"]
    assert arrays.external.tolist() == [1, 0, 0, 1]
    assert list(arrays.hosts) == ["a.test", "b.test"]
    found = PolicyRunner(plan(source, 9, "one-by-one"), 0, scopes=[Scope.SITE]).run(
        0, find("one-by-one")
    )
    assert (found.steps, found.final["external"]) == (2, 1)


def test_starts_are_names_of_nodes(tmp_path: Path) -> None:
    """Catches a node that cannot be a start since its name is no normalized address."""
    names = ["HTTP://A.test/%7ex", "b.test/y", "c.test", "http://d.test/"]
    stored(tmp_path, [(name, "http://d.test/") for name in names])

    def starts(*given: str) -> list[str]:
        path = tmp_path / "mine.toml"
        path.write_text(f"[captured]\ngraph = 'links.graph'\nstarts = {json.dumps(given)}\n")
        source = source_of(path)
        assert source is not None
        captured = Captured(plan(source, 9), 0)
        return [str(captured.arrays.addresses[page]) for page in captured.starts(Scope.WEB)]

    assert starts(*names) == names
    assert starts("HTTP://D.TEST") == ["http://d.test/"]
    for name in ("http://e.test/", "C.test", "no address"):
        with pytest.raises(CrawlError, match=f"mine: no node of the graph is called {name}"):
            starts(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph = 3", "graph must be the name of a graph store"),
        ("graph = 'g'\nfiles = ['x']", "files is for files, and there is a graph"),
        ("graph = 'g'\nhosts = ['x']", "hosts is for files, and there is a graph"),
        ("graph = 'g'\nnodes = 'sites'", 'nodes must be "pages" or "hosts"'),
        ("files = ['x']\nnodes = 'hosts'", "nodes says what the nodes of a graph are"),
        ("nods = 'hosts'", "'nods' is unknown; there are files, index, hosts, starts, sites, g"),
        ("", "or graph ="),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    """Catches a key that is passed over."""
    path = tmp_path / "g.toml"
    path.write_text(f"[captured]\n{text}\n")
    with pytest.raises(CrawlError) as error:
        source_of(path)
    assert message in str(error.value)


def test_compare_as_a_user_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches rows that say nothing of a graph, and a policy that needs more than links."""
    monkeypatch.chdir(tmp_path)
    stored(tmp_path, list(NAMED))
    Path("mine.toml").write_text("[captured]\ngraph = 'links.graph'\n")
    options = ["--web", "mine.toml", "--pages", "4", "--seeds", "2"]
    assert run(counterpoint, ["compare", "breadth-first", "opic", *options]) == 0
    out = capsys.readouterr().out
    assert out.startswith("mine: graph, 4 addresses, 2 draws of start pages")
    assert "outside" not in out and "resting" not in out
    assert run(counterpoint, ["compare", "oracle", *options, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["web_pages"] == 4
    for policy, message in (
        ("tfidf", "tfidf: reads pages, and a graph has no contents"),
        ("scent", "scent: revisits pages that change, and a graph does not"),
        ("opik", "there is no policy 'opik'"),
    ):
        assert run(counterpoint, ["compare", policy, *options]) == 2
        assert message in capsys.readouterr().err
    Path("mine.toml").write_text("[captured]\ngraph = 'none.graph'\n")
    assert run(counterpoint, ["compare", "opic", *options]) == 2
    assert "none.graph: No such file or directory" in capsys.readouterr().err
    Path("none.graph").write_text("no store")
    assert run(counterpoint, ["compare", "opic", *options]) == 2
    assert "none.graph" in capsys.readouterr().err
