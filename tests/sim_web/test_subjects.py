"""Subjects of pages: themes, navigation and editions show in words and links."""

from __future__ import annotations

import dataclasses
import html
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Component, Web
from counterpoint.sim_web.measure import MeasuredGraph, decompose
from counterpoint.sim_web.pages import words
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.host import host, of_page
from counterpoint.sim_web.pages.sizes import TextSizes
from counterpoint.sim_web.world import topics
from counterpoint.sim_web.world.site import SyntheticSite

from .profiles import webs


@pytest.fixture(scope="module")
def local() -> Web:
    """Return one large site."""
    return Web(profile.load("local"), 4000, 3)


@settings(max_examples=25, deadline=None)
@given(webs(), st.data())
def test_written_out_it_is_the_same(web: Web, data: st.DataObject) -> None:
    """A row of another page, or a part that differs from the whole."""
    themes, about, editions = web.subjects()
    assert about.tolist() == [web.relevant(page) for page in range(web.pages)]
    assert 0 <= themes.min() <= themes.max() < max(1, int(web.profile.themes.count))
    assert 0 <= editions.min() <= editions.max() < web.profile.hosts.editions
    first = data.draw(st.integers(0, web.pages - 1))
    assert (web.subjects(first, 1)[:, 0] == [themes[first], about[first], editions[first]]).all()
    for theme in set(themes.tolist()):
        assert (web.relevant_to(theme) == ((themes == theme) & (about == 1))).all()


@settings(max_examples=25, deadline=None)
@given(webs())
def test_a_host_has_one_theme_unless_pages_have_their_own(web: Web) -> None:
    """A page assigned to another theme than its host's."""
    if web.profile.themes.sections == 0 and not web.profile.articles.languages:
        themes = web.subjects()[0]
        for of in range(web.hosts):
            pages = web.pages_of(of)
            assert set(themes[pages.start : pages.stop].tolist()) == {web.theme(of)}


@settings(max_examples=25, deadline=None)
@given(webs())
def test_every_page_links_to_the_navigation_of_its_host(web: Web) -> None:
    """A menu that some pages lack, or that has a topic."""
    for page in range(web.pages):
        pages = web.pages_of(web.host(page))
        last = min(int(web.profile.hosts.navigation), len(pages) - 1)
        menu = [one for one in pages[1 : last + 1] if one not in web.orphans_of(web.host(page))]
        level = web.level(page)
        links = web.out_links(page).tolist()
        for one in menu:
            reachable = level < 0 or web.level(one) <= level + 1
            assert one == page or not reachable or one in links
        if web.profile.hosts.navigation > 0:
            assert web.navigation(page) == (page - pages.start <= web.profile.hosts.navigation)
            assert not (web.navigation(page) and web.relevant(page))


def test_the_menu_of_a_local_web_is_on_every_page(local: Web) -> None:
    """A menu on some pages only, which would not attract any ranking."""
    links = local.explicit()
    menu = range(1, int(local.profile.hosts.navigation) + 1)
    in_links = np.bincount(links.targets, minlength=local.pages)
    pages = len(local.pages_of(0))
    assert pages == 2800
    assert all(in_links[one] >= pages - 1 for one in menu)
    others = np.delete(in_links[:pages], [0, *menu])
    assert others.max() < pages / 4


def test_local_webs_have_the_bow_tie_that_was_planted() -> None:
    """Menus and themes that change a component."""
    for name in ("local", "regional"):
        web = Web(profile.load(name), 6000, 1)
        links = web.explicit()
        found = decompose(MeasuredGraph(links.offsets, links.targets))
        assert (found.components == web.components()).all()


def test_a_topic_of_a_local_web_is_spread_and_still_held_together(local: Web) -> None:
    """One theme for the whole site, or themes without any structure."""
    themes = local.subjects()[0][: len(local.pages_of(0))]
    counts = np.bincount(themes, minlength=40)
    assert (counts > 0).all()
    assert counts.max() < len(themes) / 3
    links = local.explicit()
    source = np.repeat(np.arange(len(themes)), np.diff(links.offsets[: len(themes) + 1]))
    target = links.targets[: len(source)]
    inside = (target < len(themes)) & (target > local.profile.hosts.navigation)
    same = (themes[source[inside]] == themes[target[inside]]).mean()
    assert same > 3 * ((counts / counts.sum()) ** 2).sum()


def test_hubs_link_to_authorities_of_their_theme(local: Web) -> None:
    """A hub that links to the authorities of another theme."""
    themes = local.subjects()[0]
    shares = []
    for page in range(local.pages):
        goals = [one for one in local.out_links(page).tolist() if local.authority(one)]
        if local.hub(page) and goals:
            shares.append(np.mean([themes[one] == themes[page] for one in goals]))
    assert len(shares) > 50
    assert np.mean(shares) > 0.6


def test_menus_leave_hubs_links_of_their_own() -> None:
    """Hubs without links to authorities, because the menu uses all their links."""
    web = Web(profile.load("local"), 5000, 2)
    goals = [sum(map(web.authority, web.out_links(page))) for page in range(web.pages)
             if web.hub(page) and web.component(page) is Component.SCC]  # fmt: skip
    assert len(goals) > 50
    assert np.mean(goals) > 4
    assert min(goals) > 0


@pytest.mark.parametrize("everywhere", [0, 1])
def test_where_hubs_are(everywhere: int) -> None:
    """Topics outside of the strong component against the profile, or the reverse."""
    web_profile = profile.load("local")
    web = Web(
        replace(web_profile, themes=replace(web_profile.themes, everywhere=everywhere)), 4000, 3
    )
    outside = [page for page in range(web.pages)
               if web.hub(page) and web.component(page) is not Component.SCC]  # fmt: skip
    assert bool(outside) == everywhere


def test_topics_of_a_regional_web_are_communities() -> None:
    """Topics whose pages mostly link elsewhere, so not communities as in [HITS]."""
    web = Web(profile.load("regional"), 10_000, 0)
    links = web.explicit()
    source = np.repeat(np.arange(web.pages), np.diff(links.offsets))
    for theme in topics.middle(web, 3):
        about = web.relevant_to(theme)
        inside = np.bincount(source, weights=about[links.targets], minlength=web.pages)
        shares = inside[about] / np.maximum(1, np.diff(links.offsets)[about])
        assert (shares > 0.5).mean() > 0.75


def test_judgments_and_queries() -> None:
    """A page judged by another topic, or a query in a language that the web does not use."""
    web = Web(profile.load("regional"), 2000, 0)
    lines = list(topics.qrels(web, [3, 4]))
    pages = [*np.flatnonzero(web.relevant_to(3)), *np.flatnonzero(web.relevant_to(4))]
    assert [line.split()[2] for line in lines] == [address(web, int(page)) for page in pages]
    assert {line.split()[0] for line in lines} == {"3", "4"}
    assert {tuple(line.split()[1::2]) for line in lines} == {("0", "1")}
    asked = topics.query(web, 3).split()
    assert len(asked) == 5 * topics.QUERY_WORDS
    assert asked[0] in words.theme_words(3, "en")
    for wrong in (-1, 40):
        with pytest.raises(WebError, match="topics 0 to 39"):
            list(topics.qrels(web, [wrong]))
    with pytest.raises(WebError, match="no topics"):
        list(topics.qrels(Web(profile.load("broder-1999"), 500, 0), [0]))


WORDS = {
    (theme, language): words.theme_words(theme, language)
    for theme in range(40)
    for language in words.LANGUAGES
}


def test_words_say_what_a_page_is_about(local: Web) -> None:
    """Paragraphs of a wrong theme or language, or any theme on a page without one.

    A page's own text is that before its first link.
    """
    site, (themes, about, editions) = SyntheticSite(local), local.subjects()
    spoken, found = {}, 0
    for page in range(0, 2800, 9):
        body = site.answer(Question(address(local, page), 0.0)).body.decode()
        own = html.unescape(re.sub("<[^>]*>", " ", body.partition("<a ")[0])).lower()
        language = re.search('lang="(..)"', body)
        assert language is not None
        assert spoken.setdefault(editions[page], language[1]) == language[1]
        had = {theme: sum(one.lower() in own for one in expected)
               for (theme, of), expected in WORDS.items() if of == language[1]}  # fmt: skip
        others = sum(count for theme, count in had.items() if theme != themes[page])
        assert others <= 1  # a word that two themes happen to share
        assert about[page] or not had[themes[page]]
        found += had[themes[page]] > 0
    assert found > 100
    assert len(set(spoken.values())) == 5


def test_sizes_are_those_of_the_documents(local: Web) -> None:
    """A size from the tables of another edition or theme."""
    site, texts = SyntheticSite(local), TextSizes(local)
    for page in range(0, 2800, 41):
        body = site.reference(Question(address(local, page), 0.0)).body
        shown = re.findall(rb"<p>(.*?)</p>", body)
        assert texts.visited(page, 0.0)[1] == sum(map(len, shown))


@settings(max_examples=30, deadline=None)
@given(webs(), st.data())
def test_a_page_is_in_the_language_of_its_edition(web: Web, data: st.DataObject) -> None:
    """An edition in several languages."""
    page = data.draw(st.integers(0, web.pages - 1))
    number = web.host(page)
    own = of_page(web, host(web, number), page)
    theme, _, edition = web.subjects(page, 1)[:, 0].tolist()
    assert own.theme == theme or web.profile.themes.count == 1
    assert own.encoding == host(web, number, edition).encoding
    spoken = [one for one, weight in web.profile.style.languages.items() if weight > 0]
    assert own.encoding.language in spoken


def test_one_language_needs_no_editions() -> None:
    """An edition in a language with weight 0."""
    web_profile = profile.load("local")
    web_profile = dataclasses.replace(
        web_profile, style=dataclasses.replace(web_profile.style, languages={"en": 1.0, "ru": 0.0})
    )
    web = Web(web_profile, 500, 0)
    assert {of_page(web, host(web, 0), page).encoding.language for page in range(300)} == {"en"}
