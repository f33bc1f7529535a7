"""Rankings, compared with networkx and linear algebra; and how certain the first pages are."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.graph.csr import Csr, both, csr
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.blocked import blocked_pagerank
from counterpoint.graph.ranking.hits import base_set, hits, within
from counterpoint.graph.ranking.pagerank import pagerank
from counterpoint.graph.ranking.topk import agreement, certain, perturbed, top, without
from tests.graph.forms import digraph, forms, graph, graphs

Drawn = tuple[int, list[tuple[int, int]]]


def matrix(pages: int, links: list[tuple[int, int]]) -> np.ndarray:
    """Return the number of links between each two pages."""
    found = np.zeros((pages, pages))
    for source, target in links:
        found[source, target] += 1
    return found


def solved(pages: int, links: list[tuple[int, int]], damping: float) -> np.ndarray:
    """Return the PageRank as the solution of its linear equations."""
    links_of = matrix(pages, links)
    out = links_of.sum(axis=1)
    steps = np.where(out[:, None] > 0, links_of / np.maximum(out, 1)[:, None], 1 / pages)
    return np.linalg.solve(np.eye(pages) - damping * steps.T, np.full(pages, (1 - damping) / pages))


@given(graphs())
@settings(max_examples=80)
def test_pagerank_is_that_of_networkx(drawn: Drawn) -> None:
    """Lost weight of dangling pages, or weight passed in the wrong direction."""
    pages, links = drawn
    once = sorted(set(links))
    expected = nx.pagerank(digraph(pages, once), tol=1e-13, max_iter=1000)
    for form in forms(pages, once):
        found = pagerank(form, tolerance=1e-12)
        assert found.scores == pytest.approx([expected[page] for page in range(pages)], abs=1e-9)
        assert found.dangling == pages - len({source for source, _ in once})


@given(graphs(), st.sampled_from([0.0, 0.5, 0.85, 0.97]), st.integers(1, 30))
@settings(max_examples=100)
def test_the_bound_of_pagerank_holds(drawn: Drawn, damping: float, most: int) -> None:
    """A bound smaller than the error, repeated links counted once, or a sum other than 1."""
    exact = solved(*drawn, damping)
    for form in forms(*drawn):
        found = pagerank(form, damping=damping, tolerance=1e-14, most=most)
        assert np.abs(found.scores - exact).sum() <= found.bound + 1e-12
        assert found.scores.sum() == pytest.approx(1)
        assert found.run.iterations <= most
        assert found.run.converged == (found.run.residual <= 1e-14)


@given(graphs(), st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_block_by_block_is_the_same_iteration(drawn: Drawn, block: int) -> None:
    """A link lost between two blocks, or a block that already uses another's new weights."""
    for form in forms(*drawn):
        whole = pagerank(form, tolerance=0.0, most=7)
        found = blocked_pagerank(form, block=block, tolerance=0.0, most=7)
        assert found.scores == pytest.approx(whole.scores, rel=1e-12)
        # Rounding decides when a residual is exactly 0.
        both_told = min(found.run.iterations, whole.run.iterations)
        assert found.run.residuals[:both_told] == pytest.approx(
            whole.run.residuals[:both_told], abs=1e-14
        )
        assert found.dangling == whole.dangling


@given(graphs(), st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_the_approximation_of_the_paper(drawn: Drawn, block: int) -> None:
    """Weights of other blocks that are not averages, or a vector that is not scaled."""
    pages, links = drawn
    links_of = matrix(pages, links)
    out = links_of.sum(axis=1)
    steps = links_of / np.maximum(out, 1)[:, None]
    here = np.arange(pages) // block
    inside = here[:, None] == here[None, :]
    scores = np.full(pages, 1 / pages)
    for _ in range(9):
        brought = (steps * inside).T @ scores + (steps * ~inside).T @ np.full(pages, 1 / pages)
        new = 0.15 / pages + 0.85 * (brought + scores[out == 0].sum() / pages)
        new /= new.sum()
        last, scores = np.abs(new - scores).sum(), new
    for form in forms(pages, links):
        found = blocked_pagerank(form, block=block, outside="average", tolerance=0.0, most=9)
        assert found.run.residual == pytest.approx(last, abs=1e-12)
        assert found.scores == pytest.approx(scores, rel=1e-9)
        assert found.bound == np.inf
    if block >= pages:  # nothing is outside
        assert found.scores == pytest.approx(pagerank(form, tolerance=0, most=9).scores)


def scattered(pages: int, links: int, seed: int) -> Csr:
    """Return links between random pages."""
    rng = np.random.default_rng(seed)
    sources = np.sort(rng.integers(0, pages, links))
    offsets = np.searchsorted(sources, np.arange(pages + 1))
    return csr(offsets, rng.integers(0, pages, links))


def test_blocks_need_memory_for_one_block_only(tmp_path: Path) -> None:
    """A vector of all pages, or the links of all blocks, in memory."""
    web = both(scattered(1_500_000, 3_000_000, 1))
    blocked_pagerank(web, tmp_path / "warm", block=1 << 17, most=3, tolerance=0)  # compiles
    tracemalloc.start()
    found = blocked_pagerank(web, tmp_path / "work", block=1 << 16, most=3, tolerance=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6  # a vector is 12 MB, all links are 24 MB; 2^20 of them are read at a time
    whole = pagerank(web, most=3, tolerance=0)
    assert float(np.abs(found.scores - whole.scores).max()) < 1e-15
    assert sorted(p.name for p in (tmp_path / "work").iterdir()) == ["scores.f64"]


def limit(links_of: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the limit of authorities from equal hubs, and the rate of convergence."""
    values, vectors = np.linalg.eigh(links_of.T @ links_of)
    first = values > values[-1] * (1 - 1e-9)
    rest = values[~first].max(initial=0.0) / values[-1]
    start = links_of.T @ np.ones(len(links_of))
    found = vectors[:, first] @ (vectors[:, first].T @ start)
    return found / found.sum(), float(rest)


@given(graphs())
@settings(max_examples=100)
def test_hits_is_the_power_iteration(drawn: Drawn) -> None:
    """Hubs and authorities exchanged, or a vector that is not scaled."""
    pages, links = drawn
    links_of = matrix(pages, links)
    if not links:
        for form in forms(*drawn):
            assert hits(form).hubs.tolist() == [0.0] * pages
        return
    authorities, rest = limit(links_of)
    assume(rest < 0.95)
    for form in forms(*drawn):
        found = hits(form, tolerance=1e-13)
        assert found.run.converged
        assert found.authorities == pytest.approx(authorities, abs=1e-8)
        hubs = links_of @ authorities
        assert found.hubs == pytest.approx(hubs / hubs.sum(), abs=1e-8)


@given(graphs())
@settings(max_examples=60)
def test_hits_is_that_of_networkx(drawn: Drawn) -> None:
    """A definition of HITS that differs from the usual one."""
    pages, links = drawn
    once = sorted(set(links))
    values = np.linalg.svd(matrix(pages, once), compute_uv=False)
    assume(pages > 2 and values[0] > 0 and values[1] / values[0] < 0.95)
    hubs, authorities = nx.hits(digraph(pages, once))
    found = hits(graph(pages, once), tolerance=1e-13)
    assert found.hubs == pytest.approx([hubs[page] for page in range(pages)], abs=1e-7)
    assert found.authorities == pytest.approx([authorities[p] for p in range(pages)], abs=1e-7)


@given(graphs(), st.sets(st.integers(0, 30), max_size=4), st.integers(0, 3))
@settings(max_examples=100)
def test_the_base_set(drawn: Drawn, roots: set[int], most: int) -> None:
    """A page wrongly left out or included: by links in one direction only, or beyond the limit."""
    pages, links = drawn
    roots = {page for page in roots if page < pages}
    expected = roots | {target for source, target in links if source in roots}
    for root in roots:
        expected |= set(sorted({source for source, target in links if target == root})[:most])
    for form in forms(pages, links):
        found = base_set(form, np.array(sorted(roots), np.int64), most)
        assert found.tolist() == sorted(expected)
        part = within(form, found)
        offsets, targets = part.out
        rows = [targets[offsets[i] : offsets[i + 1]] for i in range(part.nodes)]
        held = [(int(found[i]), int(found[q])) for i, row in enumerate(rows) for q in row]
        assert sorted(held) == sorted(link for link in links if set(link) <= expected)


@pytest.mark.parametrize(("roots", "most"), [([-1], 5), ([3], 5), ([0], -1)])
def test_a_wrong_base_set(roots: list[int], most: int) -> None:
    """A page that does not exist, taken for another one."""
    with pytest.raises(GraphError):
        base_set(graph(3, [(0, 1)]), np.array(roots), most)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), max_size=12), st.integers(0, 14))
def test_the_first_pages(scores: list[float], k: int) -> None:
    """A tie decided by chance, or an equal page left out."""
    expected = sorted(range(len(scores)), key=lambda page: (-scores[page], page))[:k]
    assert top(np.array(scores), k).tolist() == expected


@given(graphs(), st.integers(1, 6), st.integers(1, 8))
@settings(max_examples=200)
def test_what_is_certain_is_so(drawn: Drawn, k: int, most: int) -> None:
    """A page called certain that the exact ranking does not have there."""
    pages, links = drawn
    exact = solved(pages, links, 0.85)
    found = pagerank(graph(pages, links), most=most, tolerance=0)
    sure = certain(found.scores, k, found.bound + 1e-12)
    first = top(found.scores, k)
    assert 0 <= sure.ranks <= len(first) and 0 <= sure.members <= len(first)
    if sure.members == k < pages:
        assert set(first.tolist()) == set(top(exact, k).tolist())
    for page in first[: sure.ranks]:
        assert (exact > exact[page]).sum() == first.tolist().index(int(page))


def test_certainty_at_its_edges() -> None:
    """Certainty where the error equals the gap, or none for the last page."""
    scores = np.array([0.5, 0.3, 0.1, 0.1])
    assert certain(scores, 2, 0.19) == (type(certain(scores, 2, 0))(2, 2))
    assert (certain(scores, 2, 0.25).members, certain(scores, 2, 0.25).ranks) == (1, 0)
    assert (certain(scores, 3, 0.0).members, certain(scores, 3, 0.0).ranks) == (2, 2)
    assert (certain(scores, 9, 0.0).members, certain(scores, 9, 0.0).ranks) == (4, 2)
    assert certain(np.array([0.7, 0.3]), 2, 0.1).ranks == 2


def test_when_the_first_pages_were_settled() -> None:
    """The number of the last change, counted from the wrong iteration."""
    star = graph(5, [(1, 0), (2, 0), (3, 0), (0, 4), (4, 3), (4, 2)])
    sets = [
        frozenset(top(pagerank(star, most=most, tolerance=0).scores, 2).tolist())
        for most in range(1, 30)
    ]
    last = max((i for i in range(1, 29) if sets[i] != sets[i - 1]), default=0)
    assert pagerank(star, most=29, tolerance=0, watched=2).settled == last + 1
    assert pagerank(star, most=29).settled is None
    assert hits(star, most=29, watched=2).settled is not None


def test_how_alike_two_rankings_are() -> None:
    """An order compared between rankings of different pages."""
    one = np.array([9.0, 8, 7, 6, 1, 0])
    assert vars(agreement(one, one, 4)) == {"overlap": 1.0, "same": 4, "tau": pytest.approx(1)}
    other = np.array([9.0, 7, 8, 0, 1, 6])
    found = agreement(one, other, 4)
    assert (found.overlap, found.same, found.tau) == (0.75, 1, pytest.approx(1 / 3))
    assert agreement(one, -one, 2).overlap == 0
    assert agreement(one, -one, 2).tau is None


def test_ranked_again_without_some_links() -> None:
    """Links left out in one direction only, or a sample that ignores the seed."""
    web = both(scattered(300, 2000, 5))
    scores = pagerank(web).scores

    def again(share: float, seed: int) -> list[float]:
        found = perturbed(web, lambda g: pagerank(g).scores, scores, 20, share=share, repeats=3,
                          seed=seed)  # fmt: skip
        return [one.overlap for one in found]

    assert again(0.0, 1) == [1.0] * 3
    assert again(0.3, 1) == again(0.3, 1)
    assert min(again(0.3, 1)) < 1
    with pytest.raises(GraphError, match="share"):
        again(1.5, 1)


@given(graphs(), st.data())
def test_links_left_out(drawn: Drawn, data: st.DataObject) -> None:
    """A row that begins at the wrong place after a link was removed."""
    plain = graph(*drawn).out
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=plain.links, max_size=plain.links)),
                    bool)  # fmt: skip
    left = without(plain, gone)
    for page in range(plain.nodes):
        here = slice(int(plain.offsets[page]), int(plain.offsets[page + 1]))
        there = slice(int(left.offsets[page]), int(left.offsets[page + 1]))
        assert left.targets[there].tolist() == plain.targets[here][~gone[here]].tolist()


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bus error while a memory-mapped vector is written, or files that are left over."""

    def refused(file: int, begin: int, size: int) -> None:
        taken.append(size)
        if len(taken) > 2:
            raise OSError(28, "No space left on device")

    taken: list[int] = []
    monkeypatch.setattr("os.posix_fallocate", refused)
    with pytest.raises(OSError, match="No space left"):
        blocked_pagerank(graph(3, [(0, 1)]), tmp_path)
    assert taken == [24, 24, 24]
    assert {one.name for one in tmp_path.iterdir()} <= {"scores.f64"}


@pytest.mark.parametrize(
    "wrong", [{"damping": 1.0}, {"damping": -0.1}, {"tolerance": -1.0}, {"most": 0}]
)
def test_parameters_that_make_no_sense(wrong: dict[str, float]) -> None:
    """An iteration that never ends, or weights that grow without limit."""
    web = graph(3, [(0, 1)])
    with pytest.raises(GraphError):
        pagerank(web, **wrong)  # type: ignore[arg-type]
    with pytest.raises(GraphError):
        blocked_pagerank(web, **wrong)  # type: ignore[arg-type]
    with pytest.raises(GraphError):
        blocked_pagerank(web, block=0)
    with pytest.raises(GraphError):
        blocked_pagerank(web, outside="zero")
    if "damping" not in wrong:
        with pytest.raises(GraphError):
            hits(web, **wrong)  # type: ignore[arg-type]


def test_graphs_without_pages() -> None:
    """A division by the number of pages, 0."""
    nothing = graph(0, [])
    assert len(pagerank(nothing).scores) == len(blocked_pagerank(nothing).scores) == 0
    assert hits(nothing).run.iterations == 0
