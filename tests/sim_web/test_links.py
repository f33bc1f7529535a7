"""The links read from the HTML of pages are the planted ones."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web.answer import Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import truth
from counterpoint.sim_web.pages.address import address, page_at
from counterpoint.sim_web.world.fetcher import read
from counterpoint.sim_web.world.site import SyntheticSite

from .webs import hostile, sound

few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def found(web: Web, page: int, time: float) -> list[str]:
    """Return all links of a page's documents, read from the site's answers."""
    site = SyntheticSite(web)
    urls = []
    for url in truth.documents(web, page):
        answer = site.answer(Question(url, time))
        assert answer.status == 200
        urls += read(answer.body, url).urls
    return urls


@few
@given(sound, st.data())
def test_links_read_from_pages_are_the_planted_ones(web: Web, data: st.DataObject) -> None:
    """A link lost or changed between numbers, HTML and parser, in any form."""
    for page in data.draw(st.lists(st.integers(0, web.pages - 1), min_size=3, max_size=8)):
        urls = found(web, page, data.draw(st.floats(0, 1e8)))
        pages = [truth.leads_to(web, url) for url in urls]
        kinds = [truth.place_at(web, url) for url in urls]
        planted = [t for t, place in zip(pages, kinds, strict=True)
                   if t is not None and place is not None and place.what != "session"]  # fmt: skip
        assert list(dict.fromkeys(planted)) == web.out_links(page).tolist()
        copies = [web.copies(page, k) for k in range(len(web.out_links(page)))]
        assert len(planted) == sum(copies)


@few
@given(sound, st.data())
def test_the_truth_names_the_addresses_that_pages_show(web: Web, data: st.DataObject) -> None:
    """A referee that expects other addresses than those in the pages."""
    for page in data.draw(st.lists(st.integers(0, web.pages - 1), min_size=3, max_size=8)):
        urls = found(web, page, 5.0)
        expected = truth.links(web, page)
        assert [url for url in urls if url in set(expected)] == expected
        for url in set(urls) - set(expected):
            place = truth.place_at(web, url)
            assert place is not None
            assert place.kind in (Kind.FRAME, Kind.TRAP, Kind.MISSING) or place.what == "loop"
        own = web.host(page)
        outside = truth.external_links(web, page)
        targets = {truth.leads_to(web, url) for url in outside}
        assert targets == {t for t in web.out_links(page).tolist() if web.host(t) != own}


@few
@given(sound, st.data())
def test_addresses_lead_back_to_pages(web: Web, data: st.DataObject) -> None:
    """Two pages with one address, or an address that is not recognized."""
    pages = data.draw(
        st.lists(st.integers(0, web.pages - 1), min_size=20, max_size=60, unique=True)
    )
    urls = [address(web, page) for page in pages]
    assert [page_at(web, url) for url in urls] == pages
    assert len({url.rstrip("/").lower() for url in urls}) == len(pages)
    for page, url in zip(pages, urls, strict=True):
        assert url.startswith(f"http://{web.name(web.host(page))}/")
        assert (page == web.pages_of(web.host(page)).start) == url.endswith(".test/")


@few
@given(sound, st.text(st.sampled_from("/abz-09=?.htmlpid"), max_size=30))
def test_only_addresses_of_pages_are_pages(web: Web, path: str) -> None:
    """An address with a page's code under another path, an unplanned duplicate."""
    url = f"http://{web.name(0)}/{path}"
    page = page_at(web, url)
    assert page is None or address(web, page) == url


def test_two_sites_give_the_same_bytes() -> None:
    """State or randomness that does not come from the seed."""
    web = hostile(2)
    again = Web(web.profile, web.pages, web.seed)
    one, other = SyntheticSite(web), SyntheticSite(again)
    for page in range(0, web.pages, 9):
        url = address(web, page)
        for accepted in (None, "gzip", "br, gzip"):
            question = Question(url, page * 977.0, accept_encoding=accepted)
            assert one.answer(question) == other.answer(question)
