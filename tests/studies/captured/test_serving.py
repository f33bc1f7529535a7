"""Answers of a captured web that is served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.sim_web.answer import Answer, Kind, Question
from counterpoint.sim_web.server import wire
from counterpoint.studies.captured.serving import DAMAGED, UNKNOWN, CapturedSite
from tests.crawler.archives.standard import record, written


def page(status: str, body: bytes, *headers: str) -> bytes:
    """Return an answer of HTTP."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode("latin-1") + body


RECORDS = [
    record("response", page("200 OK", b"one", "Content-Type: text/html", "ETag: \"1\""),
           date="2020-01-01T00:00:00Z"),
    record("response", page("200 OK", b"two", "Content-Type: text/html", "ETag: \"2\"",
                            "Last-Modified: Thu, 02 Jan 2020 00:00:00 GMT"),
           date="2020-01-03T00:00:00Z"),
    record("response", page("404 Not Found", b"gone"), "http://a.test/gone"),
    record("response", page("200 OK", b"safe"), "https://s.test/"),
    record("response", page("301 Moved", b"", "Location: https://s.test/"), "http://s.test/"),
    record("response", page("302 Found", b"", "Location: //s.test/x"), "https://s.test/to"),
    record("response", page("200 OK", b"abc", "X-A: b\rSet-Cookie: c=d", "Bad Name: x",
                            "Set-Cookie: a=b", "Retry-After: Fri", "Content-Length: 3",
                            "Transfer-Encoding: identity", "Connection: close",
                            "X-Caf\xe9: y", "X-B: caf\xe9"), "http://a.test/headers"),
    record("response", page("200 OK", b"ab", "Content-Length: 9"), "http://a.test/cut"),
    record("response", page("200 OK", b"ab", "Content-Encoding: odd"), "http://a.test/odd"),
    record("response", page("200 OK", b"User-agent: *\nDisallow: /x"), "http://a.test/robots.txt"),
]  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Iterator[CapturedSite]:
    """Return the site of `RECORDS`."""
    with CapturedWeb([written(tmp_path / "x.warc.gz", RECORDS, "gzip")]) as web:
        yield CapturedSite(web)


def ask(site: CapturedSite, url: str, time: float = 0.0, **more: str) -> Answer:
    """Return an answer, and check that its kind is known without making it."""
    question = Question(url, time, **more)
    answer = site.answer(question)
    assert site.kind(question) is answer.kind
    return answer


def test_versions_by_virtual_time(site: CapturedSite) -> None:
    """Another version than that of the virtual time, or a wrong time of its capture."""
    for time, body, day in ((0, b"one", "Wed, 01"), (172_799, b"one", "Wed, 01"),
                            (172_800, b"two", "Fri, 03"), (1e11, b"two", "Fri, 03")):  # fmt: skip
        answer = ask(site, "http://a.test/", time)
        assert (answer.status, answer.body, answer.kind) == (200, body, Kind.CAPTURED)
        assert dict(answer.headers)["Memento-Datetime"] == f"{day} Jan 2020 00:00:00 GMT"


def test_unknown_and_404_differ(site: CapturedSite) -> None:
    """A captured 404 that looks like an address of which nothing is known, or the reverse."""
    captured = ask(site, "http://a.test/gone")
    assert (captured.status, captured.kind, captured.body) == (404, Kind.CAPTURED, b"gone")
    assert "Memento-Datetime" in dict(captured.headers)
    for url in ("http://a.test/never", "http://b.test/", "http://a.test:81/", "http://["):
        unknown = ask(site, url)
        assert (unknown.status, unknown.kind) == (404, Kind.UNKNOWN)
        assert UNKNOWN in dict(unknown.headers)
        assert "Memento-Datetime" not in dict(unknown.headers)


def test_https_is_answered_over_http(site: CapturedSite) -> None:
    """A site that was captured over https, and cannot be reached over http."""
    assert ask(site, "http://s.test/").body == b"safe"
    redirect = ask(site, "http://s.test/to")
    assert (redirect.status, dict(redirect.headers)["location"]) == (302, "http://s.test/x")


def test_headers_of_a_stranger(site: CapturedSite) -> None:
    """A header that ends a line in our answer, or that contradicts how the answer is sent."""
    answer = ask(site, "http://a.test/headers")
    names = [name.lower() for name, _ in answer.headers]
    assert names == ["memento-datetime", "x-a", "x-b"]
    head = wire.head(answer, "", wire.framing(answer, True), "").split(b"\r\n")
    assert head[:2] == [b"HTTP/1.1 200 OK", b"Memento-Datetime: Thu, 02 Jan 2020 03:04:05 GMT"]
    assert head[2] == b"x-a: b Set-Cookie: c=d" and b"\r" not in b"".join(head)
    assert head[4] == b"Content-Length: 3"


def test_what_is_not_whole_says_so(site: CapturedSite) -> None:
    """Half a body that looks whole; a body in an unknown coding without its name."""
    assert DAMAGED in dict(ask(site, "http://a.test/cut").headers)
    odd = dict(ask(site, "http://a.test/odd").headers)
    assert (odd["Content-Encoding"], DAMAGED in odd) == ("odd", True)
    assert DAMAGED not in dict(ask(site, "http://a.test/").headers)


def test_validators(site: CapturedSite) -> None:
    """A page that is sent again although the client has it, or is not sent although it changed."""
    late = 172_800.0
    changed = "Thu, 02 Jan 2020 00:00:00 GMT"
    assert ask(site, "http://a.test/", late, if_none_match='"1", W/"2"').status == 304
    assert ask(site, "http://a.test/", late, if_none_match='"1"').status == 200
    assert ask(site, "http://a.test/", late, if_modified_since=changed).status == 304
    assert ask(site, "http://a.test/", 0.0, if_modified_since=changed).status == 200
    assert ask(site, "http://a.test/gone", if_none_match="*").status == 404


def test_robots_of_the_capture(site: CapturedSite) -> None:
    """A robots.txt of the capture that is not obeyed since it is not served."""
    assert b"Disallow: /x" in ask(site, "http://a.test/robots.txt").body
    assert ask(site, "http://s.test/robots.txt").kind is Kind.UNKNOWN
