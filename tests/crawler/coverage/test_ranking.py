"""Weights within a sample, computed from the links among its pages."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.coverage.ranking import SIGNALS, among, weights

from .test_samplers import Small, smalls


@given(smalls(), st.data())
def test_the_links_among_some_pages(web: Small, data: st.DataObject) -> None:
    """A link to a page outside of the sample, a lost link, or positions used as pages."""
    pages = data.draw(st.permutations(range(len(web.rows))))
    held = np.array(pages[: data.draw(st.integers(0, len(pages)))], dtype=np.int64)
    offsets, targets = among(web, held)
    for place, page in enumerate(held.tolist()):
        found = held[targets[offsets[place] : offsets[place + 1]]].tolist()
        assert found == [link for link in web.rows[page] if link in set(held.tolist())]


@settings(deadline=None)
@given(smalls())
def test_weights_are_those_of_their_names(web: Small) -> None:
    """Hubs confused with authorities, or PageRank of the reversed links."""
    pages = np.arange(len(web.rows))
    found = weights(*among(web, pages))
    assert tuple(found) == SIGNALS
    graph = web.graph()
    assert found["in-degree"].tolist() == [graph.in_degree(page) for page in pages.tolist()]
    ranks = nx.pagerank(graph, tol=1e-12, max_iter=1000)
    assert found["pagerank"] == pytest.approx([ranks[page] for page in pages.tolist()], abs=1e-7)


def test_hubs_point_to_authorities() -> None:
    """Hubs and authorities exchanged."""
    found = weights(*among(Small([[2, 3], [2], [], [], []], 1), np.arange(5)))
    assert np.argmax(found["hub"]) == 0 and np.argmax(found["authority"]) == 2
    assert found["hub"][2:].sum() == found["authority"][:2].sum() == 0


def test_a_sample_of_nothing() -> None:
    """A failure where no address has a server."""
    found = weights(*among(Small([[0]], 1), np.empty(0, dtype=np.int64)))
    assert all(len(values) == 0 for values in found.values())
