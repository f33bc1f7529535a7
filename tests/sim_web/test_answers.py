"""The answers of the site: encodings, validators, compression, faults."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import replace
from datetime import datetime

import brotli
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import change, faults, sitemap, text, traps, truth
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.delivery import BEGIN
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.world.fetcher import read
from counterpoint.sim_web.world.site import SyntheticSite

from .webs import hostile, sound

few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def header(answer: Answer, name: str) -> str | None:
    """Return a header of an answer."""
    return dict(answer.headers).get(name)


def test_every_encoding_holds_the_same_text() -> None:
    """A word that an encoding cannot represent, or tables that depend on the encoding."""
    from counterpoint.sim_web.pages.encoding import LEGACY

    for language, names in LEGACY.items():
        plain = text.general(language, "utf-8")
        for name in names:
            old = text.general(language, name)
            assert [p.decode(name) for p in old.paragraphs] == [
                p.decode() for p in plain.paragraphs
            ]
            assert [p.decode(name) for p in text.of_theme(3, language, name).anchors] == [
                p.decode() for p in text.of_theme(3, language, "utf-8").anchors
            ]


@few
@given(sound, st.data())
def test_pages_are_what_they_declare_if_they_declare_it(web: Web, data: st.DataObject) -> None:
    """A declaration in the wrong place, or bytes in another encoding than the true one."""
    page = data.draw(st.integers(0, web.pages - 1))
    how = host(web, web.host(page)).encoding
    answer = SyntheticSite(web).answer(Question(address(web, page), 0.0))
    whole = answer.body.decode(how.name)
    assert whole.encode(how.name) == answer.body
    declared = re.search("charset=(.*)", header(answer, "Content-Type") or "")
    assert (declared[1] if declared else None) == how.header
    meta = re.search('<meta charset="(.*?)">', whole)
    assert (meta[1] if meta else None) == how.meta


@few
@given(sound, st.data())
def test_validators(web: Web, data: st.DataObject) -> None:
    """An ETag that differs for the same page or survives a change, or a wrong 304."""
    site = SyntheticSite(web)
    page = data.draw(st.integers(0, web.pages - 1))
    one, other = sorted(data.draw(st.tuples(st.floats(0, 1e7), st.floats(0, 1e7))))
    first, second = (site.answer(Question(address(web, page), time)) for time in (one, other))
    tag = header(first, "ETag")
    if host(web, web.host(page)).session_ids:
        assert tag is None
        return
    same = change.version(web, page, one) == change.version(web, page, other)
    assert (tag == header(second, "ETag")) == same == (first.body == second.body)
    again = site.answer(Question(address(web, page), other, if_none_match=f'"x", W/{tag}'))
    assert (again.status == 304) == same
    since = site.answer(
        Question(address(web, page), one, if_modified_since=header(first, "Last-Modified"))
    )
    assert since.status == 304
    assert since.body == b""
    assert header(since, "Vary") == header(first, "Vary")
    assert header(since, "ETag") == tag


@few
@given(sound, st.data())
def test_each_coding_has_its_own_tag(web: Web, data: st.DataObject) -> None:
    """One strong ETag for different bytes, or a 304 for a copy in another coding."""
    site = SyntheticSite(web)
    page = data.draw(st.integers(0, web.pages - 1))
    accepted = (None, "gzip", "br", "identity")
    questions = [Question(address(web, page), 5.0, accept_encoding=one) for one in accepted]
    answers = [site.answer(one) for one in questions]
    assert answers == [site.reference(one) for one in questions]
    bodies = {header(one, "ETag"): one.body for one in answers}
    assert len(bodies) == len({header(one, "Content-Encoding") for one in answers}) or (
        set(bodies) == {None}
    )
    for question, fresh in zip(questions, answers, strict=True):
        for tag, body in bodies.items():
            again = site.answer(question._replace(if_none_match=tag))
            known = tag is not None and body == fresh.body
            assert again.status == (304 if known else 200)
            assert header(again, "ETag") == header(fresh, "ETag")


@few
@given(sound, st.data())
def test_compressed_bodies_unpack_to_the_plain_one(web: Web, data: st.DataObject) -> None:
    """Compression that was not requested, or that damages the body."""
    site = SyntheticSite(web)
    url = address(web, data.draw(st.integers(0, web.pages - 1)))
    plain = site.answer(Question(url, 9.0, accept_encoding="gzip;q=0, br;q=0"))
    assert header(plain, "Content-Encoding") is None
    for accepted in ("gzip", "br", "deflate, gzip;q=0.5, br", "*"):
        answer = site.answer(Question(url, 9.0, accept_encoding=accepted))
        coding = header(answer, "Content-Encoding")
        unpack = {"gzip": gzip.decompress, "br": brotli.decompress, None: bytes}[coding]
        assert unpack(answer.body) == plain.body
        assert coding is None or coding in accepted or accepted == "*"


def test_each_fault_occurs_and_those_that_pass_do() -> None:
    """A fault of the profile that never occurs, or one that outlasts its Retry-After."""
    web = hostile(4)
    site = SyntheticSite(web)
    seen = {}
    for page in range(web.pages):
        for time in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0):
            answer = site.answer(Question(address(web, page), time))
            seen[answer.fault] = answer
            if answer.status == 503:
                later = time + float(header(answer, "Retry-After") or 0)
                assert site.answer(Question(address(web, page), later)).status == 200
    for fault in (
        Fault.SERVER_ERROR,
        Fault.UNAVAILABLE,
        Fault.RESET,
        Fault.SLOW_HEADERS,
        Fault.TRUNCATED_CHUNKS,
        Fault.WRONG_LENGTH,
        Fault.WRONG_TYPE,
        Fault.HUGE_PAGE,
    ):
        assert fault in seen
    assert seen[Fault.TRUNCATED_CHUNKS].chunked
    assert 2_000_000 < len(seen[Fault.HUGE_PAGE].body) < 4_500_000
    assert "html" not in (header(seen[Fault.WRONG_TYPE], "Content-Type") or "")


def test_addresses_of_no_page_answer_as_they_should() -> None:
    """A trap or error address that leads to an ordinary page, or into the graph."""
    web = hostile(0)
    site = SyntheticSite(web)
    seen = set()
    for page in range(web.pages):
        for url in truth.documents(web, page):
            answer = site.answer(Question(url, 12.0))
            if answer.status != 200:
                continue
            for link in read(answer.body, url).urls:
                beside = site.answer(Question(link, 12.0))
                seen.add(beside.fault)
                if beside.fault is Fault.REDIRECT_LOOP:
                    around = [f"http://{link.split('/')[2]}" + (header(beside, "Location") or "")
                              .removeprefix(f"http://{link.split('/')[2]}")]  # fmt: skip
                    assert around[0] != link
                    assert site.answer(Question(around[0], 12.0)).fault is Fault.REDIRECT_LOOP
    assert {Fault.REDIRECT_LOOP, Fault.NOT_FOUND, Fault.GONE, Fault.ENDLESS_BODY, Fault.BOMB,
            Fault.REDIRECT_CHAIN} <= seen  # fmt: skip


def test_redirects_end_at_the_page() -> None:
    """A chain with another length or another end than announced."""
    web = hostile(1)
    site = SyntheticSite(web)
    lengths = set()
    for page in range(0, web.pages, 2):
        for url in truth.links(web, page):
            goal, hops, at = truth.leads_to(web, url), 0, url
            while truth.kind_at(web, at) is Kind.REDIRECT:
                answer = site.answer(Question(at, 0.0))
                where = header(answer, "Location") or ""
                at = where if where[0] != "/" else "/".join(at.split("/")[:3]) + where
                hops += 1
            assert truth.leads_to(web, at) == goal is not None
            lengths.add(hops)
    assert lengths == set(range(7))


def test_a_host_vanishes_for_good() -> None:
    """A vanished host that returns, or one that never existed."""
    web = hostile(2)
    site = SyntheticSite(web)
    gone = [h for h in range(web.hosts) if faults.vanishes_at(web, h) < 1e9]
    assert gone
    for number in gone:
        url, end = f"http://{web.name(number)}/robots.txt", faults.vanishes_at(web, number)
        assert site.answer(Question(url, end - 1)).fault is not Fault.VANISHED
        assert site.answer(Question(url, end + 1e9)).fault is Fault.VANISHED
        assert site.answer(Question(url, end + 1e9, method="POST")).status == 0


def test_a_bomb_is_gzip_of_two_gibibytes() -> None:
    """An invalid bomb, on which any reader would stop at once."""
    body = traps.bomb()
    assert len(body) < 3_000_000
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(body, 5 << 20) == bytes(5 << 20)
    assert int.from_bytes(body[-4:], "little") == traps.UNPACKED % 2**32


def test_calendars_go_on_and_session_ids_are_new() -> None:
    """A trap that has an end."""
    web = hostile(1)
    site = SyntheticSite(web)
    of = next(h for h in range(web.hosts) if host(web, h).calendar)
    url = f"http://{web.name(of)}/calendar/2000/01.html"
    for _ in range(40):
        answer = site.answer(Question(url, 0.0))
        assert answer.kind is Kind.TRAP
        url = read(answer.body, url).urls[2]
    assert url.endswith("/calendar/2003/05.html")
    of = next(h for h in range(web.hosts) if host(web, h).session_ids)
    start = f"http://{web.name(of)}/"
    twice = [read(site.answer(Question(start, time)).body, start).urls for time in (1.0, 2.0)]
    ids = {one for urls in twice for one in urls if "sid=" in one}
    assert len(ids) == 2
    assert {truth.kind_at(web, one) for one in ids} == {Kind.TRAP}
    inside = ids.pop()
    assert any("sid=" in one for one in read(site.answer(Question(inside, 3.0)).body, inside).urls)


def endless() -> Web:
    """Return a web whose hosts have endless paths and lists."""
    base = profile.load("hostile")
    faults = replace(base.faults, endless_paths=0.5, endless_queries=0.5)
    return Web(replace(base, faults=faults), 2_000, 3)


@pytest.mark.parametrize(
    ("trap", "first"), [("endless_paths", "more/"), ("endless_queries", "find.html?page=1")]
)
def test_endless_paths_and_lists_go_on(trap: str, first: str) -> None:
    """A trap that no start page links to, that has an end, or that a host without it has."""
    web = endless()
    site = SyntheticSite(web)
    there = {of: getattr(host(web, of), trap) for of in range(web.hosts)}
    assert 0.2 < sum(there.values()) / web.hosts < 0.8
    for of, has in there.items():
        start = f"http://{web.name(of)}/"
        assert (truth.kind_at(web, start + first) is Kind.TRAP) == has
        assert truth.leads_to(web, start + first) is None
        page = next(iter(host(web, of).pages))
        answers = [(url, site.answer(Question(url, 0.0))) for url in truth.documents(web, page)]
        urls = {one for url, answer in answers for one in read(answer.body, url).urls}
        assert answers[0][1].status != 200 or (start + first in urls) == has
    of = next(of for of, has in there.items() if has)
    seen = {f"http://{web.name(of)}/{first}"}
    wave = set(seen)
    for _ in range(4):
        pages = {url: site.answer(Question(url, 0.0)) for url in wave}
        assert {answer.kind for answer in pages.values()} == {Kind.TRAP}
        wave = {one for url, answer in pages.items() for one in read(answer.body, url).urls} - seen
        wave.discard(f"http://{web.name(of)}/")
        assert len(wave) >= 3
        seen |= wave
    url = max(wave, key=len)
    for _ in range(60):
        url = next(one for one in read(site.answer(Question(url, 0.0)).body, url).urls
                   if one not in seen and one.count("/") + one.count("=") > 3)  # fmt: skip
        assert truth.kind_at(web, url) is Kind.TRAP
        seen.add(url)


def test_strange_addresses() -> None:
    """A traceback instead of an answer."""
    web = hostile(1)
    site, name = SyntheticSite(web), web.name(0)
    expected = {
        "": Kind.BAD, "ftp://x.test/": Kind.BAD, "http://": Kind.BAD, "http:///": Kind.BAD,
        "http://a b.test/": Kind.BAD, f"http://{name}/\n": Kind.BAD, "http://[": Kind.FOREIGN,
        "http://example.org/": Kind.FOREIGN, f"http://{name.upper()}:8080": Kind.PAGE,
        f"http://{name}/../../etc/passwd": Kind.MISSING, f"http://{name}?x": Kind.MISSING,
        f"http://{name}/" + "a" * 100_000: Kind.MISSING, f"http://{name}/index.html": Kind.ALIAS,
        f"http://{name}/r/9/zzzzzzzzzzzz": Kind.MISSING,
        f"http://{name}/frame/zzzzzzzzzzzz/1.html": Kind.MISSING,
        f"http://{name}:80@example.org/": Kind.FOREIGN, f"http://a:b@{name}/": Kind.PAGE,
        "http://a@/": Kind.BAD, f"http://{name}/sitemap-0.xml": Kind.MISSING,
        f"http://{name}/?sid=12": Kind.MISSING,
    }  # fmt: skip
    for url, kind in expected.items():
        answer = site.answer(Question(url, 0.0))
        assert answer.kind is kind, url
        assert truth.kind_at(web, url) is kind
    posted = site.answer(Question(f"http://{name}/", 0.0, method="POST"))
    assert posted.status == 405


def test_an_unknown_language_is_refused() -> None:
    """A profile that fails with a traceback at the first request."""
    for key, value in (("languages", "fr"), ("declared", "maybe")):
        with pytest.raises(WebError, match=f"no '{value}'"):
            profile.from_mapping({"style": {key: {value: 1.0}}}, "test", "test")


def test_sitemaps_name_all_pages_of_a_host() -> None:
    """An orphan that no crawler could find, or an address without a page."""
    web = hostile(1)
    site = SyntheticSite(web)
    for number in (h for h in range(web.hosts) if host(web, h).sitemap):
        url = f"http://{web.name(number)}/sitemap.xml"
        page = site.answer(Question(url, 0.0)).body.decode()
        pages = [truth.leads_to(web, one) for one in re.findall("<loc>(.*?)</loc>", page)]
        assert pages == list(web.pages_of(number))


def test_sitemaps_say_when_pages_changed() -> None:
    """A date other than the page's Last-Modified, or one for a page without it."""
    dated, time = set(), 1e6
    found = [(web, host(web, h)) for web in map(hostile, range(1, 6)) for h in range(web.hosts)]
    for web, of in found:
        if not of.sitemap or of.vanishes_at <= time:
            continue
        url = of.origin.decode() + "/sitemap.xml"
        sitemap = SyntheticSite(web).answer(Question(url, time)).body.decode()
        dates = re.findall("<lastmod>(.*?)</lastmod>", sitemap)
        dated.add(bool(dates))
        assert len(dates) == (0 if of.session_ids else len(of.pages))
        for page, date in zip(of.pages, dates, strict=False):
            seconds = (datetime.fromisoformat(date) - BEGIN).total_seconds()
            assert seconds == int(change.changed_at(web, page, time))
    assert dated == {True, False}


def test_large_sitemaps_have_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page in no part or in two, a part that is too large, or one that is missing."""
    monkeypatch.setattr(sitemap, "MOST", 7)
    web = hostile(1)
    site, indexed = SyntheticSite(web), 0
    for number in (h for h in range(web.hosts) if host(web, h).sitemap):
        top = f"http://{web.name(number)}/sitemap.xml"
        page = site.answer(Question(top, 0.0)).body.decode()
        parts = [page]
        if len(web.pages_of(number)) > 7:
            indexed += 1
            assert "<sitemapindex " in page
            urls = re.findall("<loc>(.*?)</loc>", page)
            parts = [site.answer(Question(url, 0.0)).body.decode() for url in urls]
            beyond = urls[-1].replace(f"-{len(urls)}.xml", f"-{len(urls) + 1}.xml")
            assert site.answer(Question(beyond, 0.0)).status == 404
        found = [re.findall("<loc>(.*?)</loc>", part) for part in parts]
        assert all(0 < len(one) <= 7 and "<urlset " in part
                   for one, part in zip(found, parts, strict=True))  # fmt: skip
        assert [truth.leads_to(web, url) for one in found for url in one] == list(
            web.pages_of(number)
        )
    assert indexed
