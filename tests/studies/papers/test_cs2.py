"""The measurements of the Connectivity Server 2, and what the report says of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.store import GraphStore
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.profile import load
from counterpoint.studies.connectivity.webs import WebSource
from counterpoint.studies.papers import cs2, cs2_report
from counterpoint.studies.papers.cs2 import CS2
from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, REPRODUCED, text


@pytest.fixture(scope="module")
def small() -> CS2:
    """Return the figures of two small webs."""
    return cs2.study(range(4, 6), pages=3_000)


def test_a_small_study(small: CS2) -> None:
    """A figure that is not measured, a wrong bow-tie, or a line that does not fit the terminal."""
    assert set(small.packed) == {
        "bytes an address", "bytes a link", "build", *cs2.QUERIES, *cs2.SEARCHES
    }  # fmt: skip
    assert set(small.expanded) == {"all links in order", *cs2.SEARCHES}
    for figures in (*small.packed.values(), *small.expanded.values()):
        assert len(figures) == 2 and min(figures) > 0
    for found in small.bowties:
        assert found == pytest.approx(small.planted, abs=0.01)
    output = text(cs2_report.report(small))
    assert max(map(len, output.splitlines())) <= 80
    assert "scc" in output and "27.74%" in output
    sizes = [cs2.study(range(4, 6), pages=3_000).packed[f"bytes {one}"] for one in ("a link",)]
    assert sizes == [small.packed["bytes a link"]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    """Return the store of the first of the small webs."""
    path = tmp_path_factory.mktemp("cs2") / "4.graph"
    build(WebSource(Web(load("broder-1999"), 3_000, 4)), path, BuildSettings(threads=1))
    return GraphStore(path)


def test_the_bytes_of_a_link_are_those_of_both_ways(small: CS2, store: GraphStore) -> None:
    """Links of one direction alone, which take half of the space."""
    whole, sizes = store.path.stat().st_size, store.sizes
    assert small.links == store.links
    assert small.packed["bytes a link"][0] * store.links == pytest.approx(
        whole - sizes.addresses - sizes.other
    )


def test_a_time_is_divided_by_the_number_of_answers(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of remote in-links that is divided by all in-links, and looks better than it is."""
    monkeypatch.setattr(cs2, "microseconds", lambda task, count: count)
    found = cs2.queried(store, 4)
    host = [name.split("/")[2] for name in store.names(np.arange(store.nodes))]
    pages = np.random.default_rng(4).integers(0, store.nodes, cs2.BATCH).tolist()
    sources = [store.in_links(page).tolist() for page in range(store.nodes)]
    elsewhere = [sum(host[one] != host[page] for one in sources[page]) for page in range(len(host))]
    assert found == {
        "page of an address": cs2.BATCH,
        "address of a page": cs2.BATCH,
        "a link of a random page": sum(len(store.out_links(page)) for page in pages),
        "an in-link": sum(len(sources[page]) for page in pages),
        "an in-link from another host": sum(elsewhere[page] for page in pages),
    }


def test_no_more_webs_than_are_worth_their_time() -> None:
    """Thirty stores of half a million pages, because other studies need thirty webs."""
    assert cs2.study(range(30), pages=1_000).seeds == range(cs2.WEBS)


def made(link: float, address: float) -> CS2:
    """Return a study whose figures are all alike but two."""
    packed = {key: [0.1, 0.1] for key in ("bytes a link", "build", *cs2.QUERIES, *cs2.SEARCHES)}
    packed |= {"bytes an address": [address] * 2, "a link of a random page": [link] * 2}
    expanded = {key: [0.6, 0.6] for key in ("all links in order", *cs2.SEARCHES)}
    shares = {"scc": 1.0}
    return CS2(range(2), 1000, 7000, packed, expanded, [shares, shares], shares)


def test_findings_compare_with_the_paper() -> None:
    """A figure that is worse than the paper's and is called reproduced, or the reverse."""
    found = {one.claim: one for one in cs2_report.report(made(0.3, 8.0)).findings}
    assert found["bytes an address"].answer == REPRODUCED
    assert found["a link of a random page, µs"].answer == NOT_REPRODUCED
    assert found["a link of a random page, µs"].why == "2.0 times the paper's figure"
    whole = found["GB for 203 million addresses and 1,466 million links"]
    assert whole.here == "1.8 (computed from the two)"  # 203 * 8 + 1,466 * 0.1 MB
    assert "61 hours" in found["the unit of the times"].here
    found = {one.claim: one for one in cs2_report.report(made(0.1, 12.0)).findings}
    assert found["bytes an address"].answer == NOT_REPRODUCED
    assert found["a link of a random page, µs"].answer == REPRODUCED


def test_an_interval_that_exceeds_the_paper_is_no_agreement() -> None:
    """A figure below the paper's by chance, or one web without an interval, that is reproduced."""
    study = made(0.1, 8.0)
    wide = replace(study, packed=study.packed | {"a link of a random page": [0.01, 0.25]})
    single = replace(study, packed={name: one[:1] for name, one in study.packed.items()})
    for of in (wide, single):
        found = {one.claim: one.answer for one in cs2_report.report(of).findings}
        assert found["a link of a random page, µs"] == IN_PART


def test_the_october_crawl_has_more_pages_and_links() -> None:
    """A profile of October with the links of May."""
    may, october = load("broder-1999"), load("broder-1999-october")
    assert round(203_549_046 * may.degrees.mean / 1e6) == 1466
    assert round(271_000_000 * october.degrees.mean / 1e6) == 2130
    assert (may.shares, may.pages) == (october.shares, october.pages)
