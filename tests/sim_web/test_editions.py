"""Webs with articles in editions of many languages: links, topics, connection, small webs."""

from __future__ import annotations

import dataclasses
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Component, Web
from counterpoint.sim_web.generator.articles import NOWHERE, article_of, edition
from counterpoint.sim_web.generator.layout import IN, OUT, SCC
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.sections import Site

from .profiles import articles


def planted(pages: int = 2000, seed: int = 1, **keys: Any) -> Web:
    """Return a web of the profile with other values in its section ``[articles]``."""
    return Web(changed(**keys), pages, seed)


def changed(**keys: Any) -> Profile:
    """Return the profile with other values in its section ``[articles]``."""
    whole = profile.load("editions")
    return dataclasses.replace(whole, articles=dataclasses.replace(whole.articles, **keys))


@pytest.fixture(scope="module")
def small() -> Web:
    """Return a web with 111 languages."""
    return planted()


def languages_of(web: Web) -> list[range]:
    """Return the pages of each language."""
    return [web.pages_of(host) for host in range(int(web.layout.regions[SCC, 3]))]


def test_a_topic_has_as_many_editions_as_the_profile_says() -> None:
    """A topic that some languages of those with an edition lack."""
    web = Web(profile.load("editions"), seed=3)
    assert [int(web.relevant_to(topic).sum()) for topic in range(2)] == [115, 43]
    assert len(languages_of(web)) == 200
    assert len({web.host(page) for page in np.flatnonzero(web.relevant_to(0))}) == 115


def test_a_small_web_is_pinned(small: Web) -> None:
    """Another web for the same seed."""
    links = small.explicit()
    assert (len(languages_of(small)), links.links, int(links.targets.sum())) == (
        111,
        69_712,
        81_733_876,
    )


def test_editions_of_an_article_link_to_each_other(small: Web) -> None:
    """A missing interlanguage link, or one to another article."""
    for rank, pages in enumerate(languages_of(small)[:30:3]):
        rank = 3 * rank
        for page in pages[1::7]:
            article = article_of(small.numbers, rank, page - pages.start)
            assert article != NOWHERE
            assert edition(small.numbers, rank, article) == page
            others = [edition(small.numbers, other, article)
                      for other in range(len(languages_of(small)))]  # fmt: skip
            links = set(small.out_links(page).tolist())
            assert {one for one in others if one not in (NOWHERE, page)} <= links
            main_pages = {other.start for other in languages_of(small)}
            of_others = links - set(pages) - main_pages - set(others)
            assert all(small.component(one) == Component.OUT for one in of_others)


def test_every_page_of_a_language_links_to_the_footer_and_to_its_main_page(small: Web) -> None:
    """A page without the links that are on all pages."""
    first, count = small.layout.regions[OUT, :2].tolist()
    for pages in languages_of(small)[::9]:
        for page in pages[::11]:
            links = set(small.out_links(page).tolist())
            assert set(range(first, first + count)) <= links
            assert page == pages.start or pages.start in links
            assert small.navigation(page) == (page == pages.start)


@pytest.mark.parametrize("mains", [0, 20, 200])
def test_main_pages_link_to_each_other(mains: int) -> None:
    """A clique of another size, or one of the largest languages."""
    web = planted(mains=mains)
    starts = [pages.start for pages in languages_of(web)]
    size = round(mains * len(starts) / 200)
    clique = set(starts[len(starts) - size :])
    for start in starts:
        there = set(web.out_links(start).tolist())
        if start in clique:
            assert clique - {start} <= there
        else:
            assert len(clique & there) < 9  # children in the tree of hosts


def test_shared_links_lead_to_the_same_articles() -> None:
    """Links of an edition that its other editions do not have, although all are shared."""

    def targets(web: Web, rank: int, pages: range, page: int) -> set[int]:
        inside = [one for one in web.out_links(page).tolist() if one in pages]
        return {article_of(web.numbers, rank, one - pages.start) for one in inside}

    def in_both(shared: float) -> float:
        web = planted(4000, shared=shared, common=1, elsewhere=0)
        found = []
        a, b = languages_of(web)[:2]
        for page in a[-60:]:  # pages without children
            other = edition(web.numbers, 1, article_of(web.numbers, 0, page - a.start))
            if other != NOWHERE:
                here, there = targets(web, 0, a, page), targets(web, 1, b, other)
                found.append(len(here & there) / len(here | there))
        return float(np.mean(found))

    assert in_both(1.0) > 0.5 > 0.25 > in_both(0.0)


def test_pages_elsewhere_link_to_the_largest_edition_of_their_topic(small: Web) -> None:
    """A result of a search that does not lead to the topic."""
    first, hosts = small.layout.regions[IN, 2:].tolist()
    for rank in range(0, hosts, 13):
        page = small.pages_of(first + rank).start
        topic = rank % 2
        assert edition(small.numbers, 0, topic) in small.out_links(page).tolist()
        assert small.subjects(page, 1)[:, 0].tolist()[:2] == [topic, 0]


@settings(max_examples=30, deadline=None)
@given(articles())
def test_links_and_components_of_any_such_web(chosen: Profile) -> None:
    """A page outside its component, a link twice, or a link to the page itself."""
    try:
        web = Web(chosen, 200, 5)
    except WebError:
        return
    graph = nx.DiGraph()
    graph.add_nodes_from(range(web.pages))
    for page in range(web.pages):
        links = web.out_links(page).tolist()
        assert len(links) == len(set(links)) and page not in links
        graph.add_edges_from((page, one) for one in links)
    core = max(nx.strongly_connected_components(graph), key=len)
    regions = web.layout.regions
    assert core == set(range(int(regions[SCC, 1])))
    for topic, editions in enumerate(chosen.articles.topics.values()):
        scale = regions[SCC, 3] / chosen.articles.languages
        assert web.relevant_to(topic).sum() == max(1, round(editions * scale))


def test_what_cannot_be_planted() -> None:
    """A web whose languages have no room for the topics, or that has sites as well."""
    with pytest.raises(
        WebError, match=r"elsewhere in \[articles\] leave 0 pages for the languages"
    ):
        planted(100, elsewhere=1.0)
    with pytest.raises(WebError, match="8 pages for the languages: too few"):
        planted(20)
    with pytest.raises(WebError, match="2 topics need more than 2 themes"):
        whole = changed()
        Web(dataclasses.replace(whole, themes=dataclasses.replace(whole.themes, count=2)), 2000)
    with pytest.raises(WebError, match="sites or articles, not both"):
        Web(dataclasses.replace(changed(), sites=(Site("a", 10, 1),)), 2000)
    with pytest.raises(ValueError, match=r"topics\.moon: 3\.5 is no whole number of editions"):
        changed(topics={"moon": 3.5})
    with pytest.raises(ValueError, match=r"mains: 0\.5 is no whole number"):
        changed(mains=0.5)
    head = "[articles]\nlanguages = 9\n[articles.topics]\nmoon = 3\n"
    said = r"x: \[articles\] topics: 1 topics need more than 1 themes, and \[themes\] count is 1"
    with pytest.raises(WebError, match=said):
        profile.read(head, "x", "x")
    many = {f"t{k}": 200.0 for k in range(30)}
    with pytest.raises(WebError, match="too few for 30 topics"):
        planted(topics=many)
