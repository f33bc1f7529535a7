"""Crawls that begin at random addresses, and what they reach."""

from __future__ import annotations

import networkx as nx
import pytest

from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.addressed import AddressedWeb
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.papers.random_starts import DRAWN, WEB, Starts, crawled
from counterpoint.studies.papers.random_starts_report import finding, section
from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, REPRODUCED

PAGES = 3000


@pytest.fixture(scope="module")
def domain() -> AddressedWeb:
    """Return a small web."""
    return AddressedWeb(Planted(ComparisonPlan((), load(WEB), 1, PAGES), 4))


def test_reach_is_that_of_all_start_pages(domain: AddressedWeb) -> None:
    """Start pages that do not count, or links that are followed backward."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(domain.pages))
    graph.add_edges_from((page, int(to)) for page in range(domain.pages)
                         for to in domain.links(page))  # fmt: skip
    for starts in ([0], [17], [5, 900, 2999], domain.known[:7].tolist()):
        reached = set(starts).union(*(nx.descendants(graph, page) for page in starts))
        assert domain.reachable(starts) == len(reached) / domain.pages


def test_crawls_of_a_web(domain: AddressedWeb) -> None:
    """More start pages that reach less; sites that are not added to the well-known page."""
    found = crawled(4, PAGES)
    assert found.alone == domain.reachable(domain.known[:1].tolist())
    for shares in (found.random, found.known):
        assert list(shares) == sorted(shares) and shares[0] >= found.alone
    assert list(found.sites) == sorted(found.sites) and found.sites[-1] > 3
    assert len(domain.known) > found.sites[-1]  # enough pages to take the places of the sites
    assert found == crawled(4, PAGES) != crawled(5, PAGES)


@pytest.mark.parametrize(
    ("random", "answer"),
    [
        (((0.6, 0.7, 0.8), (0.61, 0.71, 0.81)), REPRODUCED),
        (((0.5, 0.7, 0.8), (0.5, 0.71, 0.81)), IN_PART),
        (((0.5, 0.5, 0.4), (0.5, 0.5, 0.9)), NOT_REPRODUCED),
    ],
)
def test_the_finding(random: tuple[tuple[float, ...], ...], answer: str) -> None:
    """A gain within its interval that is called one."""
    webs = [Starts(0.5, (1, 2, 3), one, (0.5, 0.5, 0.5)) for one in random]
    assert finding(webs).answer == answer
    assert finding(webs).here.startswith("a crawl without a budget reaches 50.0% ± 0.0% of the ")
    assert " points more; with" in finding(webs).here
    (table,) = section(webs).tables
    assert len(table.rows) == 1 + len(DRAWN)
    assert table.rows[0] == ("none", "", "50.0 ± 0.0", "")
