"""The companion set and the placement of external links, on stores whose truth is known."""

from __future__ import annotations

import tracemalloc
from collections import Counter, defaultdict
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from counterpoint.crawler.store.companions import Component, Part, companion_set
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.placement import (
    OTHER,
    SECTIONS,
    Placement,
    placements,
    section_of,
    together,
)
from counterpoint.crawler.store.schema import external_links, pages, plans, seeds, visits
from counterpoint.crawler.store.views import Kind

from .filled import fill

PLANTED = {
    1: [["lib.test", "lib.test", "map.test"], [], ["s2.test"]],
    2: [["lib.test"], ["map.test"], []],
    3: [["news.lib.test:81"], ["own.test"]],
    4: [[], []],
}
"""For each target site the hosts to which the links of its pages lead, in the order of scanning."""


def plant(store: Store, sites: dict[int, list[list[str]]]) -> None:
    """Fill a store; page j of a site has level min(j, 2), and was scanned as the j-th of it."""
    rows, links, visited = [], [], []
    for number, found in sites.items():
        for j, hosts in enumerate(found):
            page = len(rows)
            address = f"http://s{number}.test/" + (f"{'news' if j % 2 else 'lib'}/{j}" if j else "")
            rows.append({"id": page, "seed": number, "address": address, "key": address,
                         "level": min(j, 2), "state": 2, "status": 200})  # fmt: skip
            links += [
                {"page": page, "position": k, "seed": number, "address": f"http://{host}/",
                 "host": host, "domain": host.partition(":")[0].removeprefix("news."),
                 "deleted": False}
                for k, host in enumerate(hosts)
            ]  # fmt: skip
            visited.append({"plan": 1, "number": page, "page": page, "host": "h", "issued": page})
    with store.transaction() as connection:
        connection.execute(insert(seeds), [
            {"number": n, "start": f"http://s{n}.test/", "site": f"s{n}.test"} for n in sites
        ])  # fmt: skip
        connection.execute(insert(plans), [{
            "number": 1, "policy": "R3", "budget": 1, "seed": 0, "starts": "[]", "told": "{}",
            "pages": 0,
        }])  # fmt: skip
        connection.execute(insert(pages), rows)
        connection.execute(insert(external_links), links)
        connection.execute(insert(visits), visited)


def test_the_planted_companions(place: str) -> None:
    """A target site that counts as a companion, or a part or component that is another one."""
    with open_store(place, create=True) as store:
        plant(store, PLANTED)
        every = []
        found = companion_set(store, each=every.append)
        by_domain = companion_set(store, by="domain", top=1)
    assert [one.name for one in every] == ["lib.test", "map.test", "news.lib.test:81", "own.test"]
    assert found.parts == [Part(2, 2, 5), Part(1, 2, 2)]
    assert (found.companions, found.links) == (4, 7)
    assert found.components == [Component([1, 2], 2), Component([3], 2), Component([4], 0)]
    assert found.within == {(1, "s2.test"): 1}
    assert [one.name for one in found.strongest] == [
        "lib.test",
        "map.test",
        "news.lib.test:81",
        "own.test",
    ]
    assert by_domain.parts == [Part(3, 1, 4), Part(2, 1, 2), Part(1, 1, 1)]
    assert [(one.name, one.links) for one in by_domain.strongest] == [
        ("lib.test", {1: 2, 2: 1, 3: 1})
    ]
    assert by_domain.components == [Component([1, 2, 3], 3), Component([4], 0)]


def test_domains_of_target_sites(place: str) -> None:
    """A target site that is its own companion, since its domain has other hosts."""
    with open_store(place, create=True) as store:
        hosts = ["lib.s1.test", "s1.test", "shop.s1.test:81", "s2.test", "c.test"]
        plant(store, {1: [hosts], 2: [["x.s1.test"]]})
        with store.transaction() as connection:
            links = external_links
            connection.execute(links.update().where(links.c.host.contains("s1.test"))
                               .values(domain="s1.test"))  # fmt: skip
            connection.execute(seeds.update().where(seeds.c.number == 1)
                               .values(site="www.s1.test:8080"))  # fmt: skip
        by_domain = companion_set(store, by="domain")
        by_host = companion_set(store)
    assert [one.name for one in by_domain.strongest] == ["c.test"]
    assert by_domain.within == {(1, "s1.test"): 3, (1, "s2.test"): 1, (2, "s1.test"): 1}
    assert by_host.companions == 5 and by_host.within == {(1, "s2.test"): 1}


def test_links_on_pages_of_no_target_site(place: str) -> None:
    """A page elsewhere, which the policy has followed, that counts as a target site."""
    with open_store(place, create=True) as store:
        plant(store, {1: [["a.test"], ["s1.test", "b.test"]]})
        with store.transaction() as connection:
            for table, of in ((pages, pages.c.id), (external_links, external_links.c.page)):
                connection.execute(table.update().where(of == 1).values(seed=None))
        found = companion_set(store)
    assert [(one.name, one.links) for one in found.strongest] == [("a.test", {1: 1})]
    assert not found.within


def test_companions_of_components_that_are_joined(place: str) -> None:
    """Companions that are lost when a later one joins two components which both have some."""
    alone = [["a.test", "b.test", "z.test"]], [["c.test", "d.test", "e.test", "z.test"]]
    with open_store(place, create=True) as store:
        plant(store, dict(enumerate(alone, 1)))
        assert companion_set(store).components == [Component([1, 2], 6)]


@pytest.mark.parametrize("by", ["host", "domain"])
def test_companions_of_random_stores(place: str, by: str) -> None:
    """Deleted links that count; companions that are not those of the list of links."""
    with open_store(place, create=True) as store:
        held = fill(store, Random(5), sites=5, size=14, links=6)
        found = companion_set(store, by, top=3)
    links: dict[str, Counter[int]] = defaultdict(Counter)
    for link in held[Kind.EXTERNAL]:
        links[getattr(link, by)][link.seed] += 1
    parts = Counter(len(sites) for sites in links.values())
    assert {part.target_sites: part.companions for part in found.parts} == parts
    assert found.links == len(held[Kind.EXTERNAL])
    best = sorted(links, key=lambda name: (-len(links[name]), -sum(links[name].values()), name))
    assert [one.name for one in found.strongest] == best[:3]
    assert all(one.links == links[one.name] for one in found.strongest)


def test_placement_of_a_planted_store(place: str) -> None:
    """A page at another level, or out of the order of scanning; pages without links left out."""
    with open_store(place, create=True) as store:
        plant(store, PLANTED)
        found = list(placements(store))
    first = found[0]
    assert [one.number for one in found] == [1, 2, 3, 4]
    assert {k: (c.pages, c.with_links, c.links) for k, c in first.levels.items()} == {
        0: (1, 1, 3), 1: (1, 0, 0), 2: (1, 1, 1)
    }  # fmt: skip
    assert [c.links for c in first.tenths] == [3, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert {name: c.links for name, c in first.sections.items()} == {
        "/": 3, "/news/": 0, "/lib/": 1
    }  # fmt: skip
    assert first.share_of_top(1) == pytest.approx(3 / 4)
    assert found[3].share_of_top(10) == found[3].gini() == 0.0
    whole = together(found)
    assert (whole.counts.pages, whole.counts.with_links, whole.counts.links) == (10, 6, 8)
    assert whole.levels[0].links == 5
    assert whole.tenths[0].pages == 4


def test_the_order_is_that_of_first_visits(place: str) -> None:
    """Pages in the order of discovery or of a later plan, or one that counts again."""
    with open_store(place, create=True) as store:
        plant(store, {1: [[], [], ["b.test", "b.test"], ["a.test"]]})
        with store.transaction() as connection:
            connection.execute(visits.delete())
            connection.execute(insert(plans), [{
                "number": 2, "policy": "R3", "budget": 1, "seed": 0, "starts": "[]",
                "told": "{}", "pages": 0,
            }])  # fmt: skip
            connection.execute(insert(visits), [
                {"plan": plan, "number": k, "page": page, "host": "h", "issued": k}
                for plan, order in ((1, [0, 3]), (2, [2, 0, 3, 3]))
                for k, page in enumerate(order)
            ])  # fmt: skip
        (found,) = placements(store)
    assert found.counts.pages == 4
    # Plan 1 visited the pages 0 and 3, plan 2 the page 2 before them; nobody visited page 1.
    assert [c.links for c in found.tenths if c.pages] == [0, 1, 2, 0]


def test_what_counts_in_a_placement(place: str) -> None:
    """An answer other than 200 that counts as scanned, or a deleted link as a link."""
    with open_store(place, create=True) as store:
        plant(store, {1: [["a.test", "b.test"], [], ["c.test"]]})
        with store.transaction() as connection:
            connection.execute(pages.update().where(pages.c.id == 2).values(status=204))
            connection.execute(external_links.update().where(external_links.c.host == "b.test")
                               .values(deleted=True))  # fmt: skip
        (found,) = placements(store)
    assert (found.counts.pages, found.counts.with_links, found.counts.links) == (2, 1, 1)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_concentration_by_hand(links: list[int]) -> None:
    """A coefficient that differs from its definition, the mean difference of two pages."""
    found = Placement(1, "")
    for number, one in enumerate(links):
        found.read(number, len(links), 0, "/", one)
    total, size = sum(links), len(links)
    if total:
        differences = sum(abs(a - b) for a in links for b in links)
        assert found.gini() == pytest.approx(float(Fraction(differences, 2 * size * total)))
        top = sorted(links, reverse=True)[: -(-size // 10)]
        assert found.share_of_top(10) == pytest.approx(sum(top) / total)
    assert sum(c.pages for c in found.tenths) == size
    assert sum(c.links for c in found.tenths) == total == found.counts.links


def test_sections() -> None:
    """A page as a section of its own; sections without end."""
    assert section_of("http://a.test") == section_of("http://a.test/x?y=/z/") == "/"
    assert section_of("http://a.test/news/1/2") == "/news/"
    found = Placement(1, "")
    for k in range(SECTIONS + 5):
        found.read(0, 1, 0, f"/{k}/", 1)
    assert len(found.sections) == SECTIONS + 1
    assert found.sections[OTHER].links == 5


def test_memory_does_not_grow_with_links(tmp_path: object) -> None:
    """Links, pages or companions that are gathered in memory."""
    peaks = []
    for size in (10, 100):
        with open_store(f"{tmp_path}/{size}.db", create=True) as store:
            plant(
                store, {1: [[f"h{page}-{k}.test" for k in range(10)] for page in range(20 * size)]}
            )
            companion_set(store)
            tracemalloc.start()
            companion_set(store)
            assert sum(one.counts.links for one in placements(store)) == 200 * size
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 4 * peaks[0]
