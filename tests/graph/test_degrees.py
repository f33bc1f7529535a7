"""Degrees and distances, compared with networkx, known distributions, and another program."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.graph.csr import both, csr
from counterpoint.graph.errors import GraphError
from counterpoint.graph.ranking.products import degrees
from counterpoint.graph.search.bfs import DIRECTIONS
from counterpoint.graph.search.degrees import PowerLaw, fitted, histogram
from counterpoint.graph.search.distances import distances
from counterpoint.sim_web import measure
from tests.graph.forms import digraph, forms, graph, graphs
from tests.graph.test_rankings import scattered

Drawn = tuple[int, list[tuple[int, int]]]


def law(values: np.ndarray) -> PowerLaw | None:
    """Fit a power law to the tail of some numbers."""
    return fitted(histogram(values))


@given(graphs())
def test_degrees(drawn: Drawn) -> None:
    """A degree in the wrong direction, or a page without links that is not counted."""
    pages, links = drawn
    for form in forms(pages, links):
        out, into = degrees(form.out), degrees(form.into)
        assert out.tolist() == [sum(s == page for s, _ in links) for page in range(pages)]
        assert into.tolist() == [sum(t == page for _, t in links) for page in range(pages)]
        found = histogram(into)
        assert int(found.pages.sum()) == pages
        assert int((found.degrees * found.pages).sum()) == len(links)


@pytest.mark.parametrize("exponent", [1.8, 2.09, 2.72, 3.4])
def test_the_exponent_of_a_pure_power_law(exponent: float) -> None:
    """A wrong likelihood, or a standard error that is too small or too large."""
    deviations = []
    for seed in range(12):
        values = np.random.default_rng(seed).zipf(exponent, 20_000)
        found = law(values[values < 2**31])
        assert found is not None
        assert found.exponent == pytest.approx(exponent, abs=0.12)
        deviations.append((found.exponent - exponent) / found.error)
    assert 0.4 < float(np.sqrt(np.mean(np.square(deviations)))) < 2.5


@given(st.integers(0, 10_000), st.sampled_from([2.09, 2.4, 2.72]))
@settings(max_examples=20)
def test_the_tail_is_that_of_another_measurer(seed: int, exponent: float) -> None:
    """A threshold, exponent, error or distance that differs from an independent program's."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.zipf(exponent, 3000), rng.integers(0, 6, 2000)])
    values = values[values < 10**6]
    found, other = law(values), measure.tail(values)
    assert found is not None and other is not None
    if found.least == other.least:
        assert found.exponent == pytest.approx(other.exponent, abs=1e-4)
        assert found.error == pytest.approx(other.error, rel=0.01)
        assert found.distance == pytest.approx(other.distance, abs=1e-5)
        assert found.points == other.points
    # The two programs select candidates differently; neither result may be much worse.
    assert found.distance == pytest.approx(other.distance, abs=0.004)


def test_a_resampled_interval_holds_the_exponent() -> None:
    """Resamples that keep the threshold fixed, or intervals that ignore the seed."""
    held, wide = 0, []
    for seed in range(20):
        values = np.random.default_rng(seed).zipf(2.3, 3000)
        found = fitted(histogram(values[values < 10**7]), resamples=40, seed=seed)
        assert found is not None and found.interval is not None
        low, high = found.interval
        held += low <= 2.3 <= high
        wide.append((high - low) / found.error)
    assert held >= 15
    assert np.median(wide) > 3.0  # 3.9 if resamples keep the threshold
    same = fitted(histogram(values), resamples=5, seed=1)
    assert same == fitted(histogram(values), resamples=5, seed=1)


@pytest.mark.parametrize("values", [[], [0, 0, 0], [3] * 1000, [1, 2] * 10, [1, 2, 3]])
def test_no_tail_where_there_is_none(values: list[int]) -> None:
    """An exponent for no values, one value, or too few values."""
    assert law(np.array(values, dtype=np.int64)) is None


def test_resamples_without_a_tail() -> None:
    """A failed quantile because half of the resamples of fifty pages have too small a tail."""
    values = np.repeat([1, 2, 3], [40, 8, 2])
    found = [fitted(histogram(values), resamples=1, seed=seed) for seed in range(8)]
    assert any(one is not None and one.interval is None for one in found)


@given(graphs(), st.sampled_from(DIRECTIONS))
@settings(max_examples=200)
def test_distances_from_all_pages_are_exact(drawn: Drawn, direction: str) -> None:
    """A pair that is missed or counted twice, or a page counted as its own neighbour."""
    pages, _ = drawn
    web = digraph(*drawn)
    turned: nx.Graph = web.to_undirected() if direction == "undirected" else web
    far = [d for _, to in nx.all_pairs_shortest_path_length(turned) for d in to.values() if d]
    for form in forms(*drawn):
        found = distances(form, pages, direction=direction)
        assert found.sources == pages
        assert found.connected == pytest.approx(len(far) / max(1, pages * (pages - 1)))
        assert found.connected_interval == pytest.approx((found.connected, found.connected))
        assert found.longest == max(far, default=0)
        mean = sum(far) / len(far) if far else None
        assert found.mean == (pytest.approx(mean) if far else None)
        assert found.interval == (pytest.approx((mean, mean)) if far else None)


def test_more_searches_than_a_word_has_bits() -> None:
    """Searches of the second pass that write into the sums of the first."""
    rows = scattered(300, 500, 3)
    pairs = [(p, int(t)) for p in range(300)
             for t in rows.targets[int(rows.offsets[p]) : int(rows.offsets[p + 1])]]  # fmt: skip
    far = nx.all_pairs_shortest_path_length(digraph(300, pairs))
    exact = [d for _, to in far for d in to.values() if d]
    found = distances(both(rows), 300)
    assert found.mean == pytest.approx(sum(exact) / len(exact))
    other = measure.MeasuredGraph(rows.offsets, rows.targets)
    rival = measure.distances(other, measure.sampled(np.zeros(300, np.uint8), 300, 0), seed=0)
    assert (found.mean, found.longest) == (pytest.approx(rival.mean), rival.greatest)


@pytest.mark.parametrize("direction", ["forward", "undirected"])
def test_intervals_hold_as_often_as_they_say(direction: str) -> None:
    """An interval that is too narrow, or a biased estimate."""
    web = both(scattered(400, 560, 5))
    exact = distances(web, 400, direction=direction)
    assert exact.mean is not None
    held = connected = 0
    for seed in range(200):
        found = distances(web, 60, direction=direction, seed=seed)
        assert found.interval is not None and found.connected_interval is not None
        held += found.interval[0] <= exact.mean <= found.interval[1]
        connected += found.connected_interval[0] <= exact.connected <= found.connected_interval[1]
    assert held >= 180
    assert connected >= 170  # pages reach nearly all or nearly none, so t is a little narrow
    assert distances(web, 60, seed=3) == distances(web, 60, seed=3)


def test_a_sample_that_says_nothing() -> None:
    """An interval computed from one page, or a sample of no pages."""
    web = both(csr([0, 1, 1, 1], [1]))
    assert distances(web, 1).connected_interval is None
    with pytest.raises(GraphError, match="sample"):
        distances(graph(2, []), 0)
