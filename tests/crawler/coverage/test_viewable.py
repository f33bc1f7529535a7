"""Which pages of an archive, and of a store, can be shown again: planted pages with each fault."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest
from sqlalchemy import insert

from counterpoint.crawler.archives import archives
from counterpoint.crawler.archives.archives import Archived
from counterpoint.crawler.coverage.viewable import (
    Reason,
    Viewable,
    _Archive,
    of_archive,
    of_store,
)
from counterpoint.crawler.documents import apart
from counterpoint.crawler.documents import embedded as reading
from counterpoint.crawler.documents.embedded import embedded, embedded_here
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.warc import Warc
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import State, pages
from tests.crawler.fetching.test_warc import message

HTML = "text/html; charset=utf-8"


def archive(folder: Path, *planted: tuple[str, bytes, dict[str, object]]) -> Viewable:
    """Write pages of a.test to an archive; return which of them can be shown."""
    warc = Warc(folder, "counterpoint")
    for path, body, more in planted:
        named = dict(more)
        headers = (("Content-Type", str(named.pop("kind", HTML))),
                   *named.pop("headers", ()))  # type: ignore[misc]  # fmt: skip
        warc.write(message(0, body, **{"address": f"http://a.test/{path}", "answered": headers,
                                       **named}))  # type: ignore[arg-type]  # fmt: skip
    warc.close()
    return of_archive([folder])


@pytest.mark.parametrize(
    ("body", "more", "reason"),
    [
        (b"<p>whole", {}, None),
        (b"<p>who", {"cut": "length"}, Reason.CUT),
        (b"<p>who", {"headers": (("Content-Length", "9"),)}, Reason.CUT),
        (gzip.compress(b"<p>" * 99, mtime=0)[:-12], {"headers": (("Content-Encoding", "gzip"),)},
         Reason.CUT),
        (b"<p>", {"headers": (("Content-Encoding", "gzip"),)}, Reason.CODING),
        (b"<p>", {"headers": (("Content-Encoding", "odd"),)}, Reason.CODING),
        (gzip.compress(b"<p>", mtime=0), {"headers": (("Content-Encoding", "gzip"),)}, None),
        (b"", {}, Reason.EMPTY),
        (bytes(range(256)) * 9, {}, Reason.CHARACTERS),
        (b"\xfe\xff\xd8\0" * 9, {}, Reason.CHARACTERS),
        ("a few \ufffd and \1 are no harm in a text of some length".encode(), {}, None),
        ("né".encode("latin-1"), {}, Reason.CHARACTERS),
        ("né".encode("latin-1"), {"kind": "text/html; charset=latin1"}, None),
        ("né".encode("latin-1"), {"kind": "text/html"}, None),
        (b"\xef\xbb\xbf" + "né".encode(), {"kind": "text/html; charset=koi8-r"}, None),
        ("né".encode("utf-16"), {"kind": "text/html; charset=utf-8"}, None),
        (b"PK", {"kind": "application/zip"}, Reason.FORMAT),
        (b"%PDF", {"kind": "application/pdf"}, None),
        (b"<svg/>", {"kind": "image/svg+xml"}, None),
        (b"{}", {"kind": "application/ld+json"}, None),
        (b"<img src=gone.png>", {}, Reason.RESOURCES),
        (b"<img src=data:image/png;base64,AAAA>", {}, None),
    ],
)  # fmt: skip
def test_reasons(
    tmp_path: Path, body: bytes, more: dict[str, object], reason: Reason | None
) -> None:
    """A page that counts as viewable with one of these faults, or has another reason."""
    found = archive(tmp_path, ("x", body, more))
    assert found.pages == 1
    assert found.reasons == ({} if reason is None else {reason: 1})
    assert found.shown == (reason is None)
    assert found.alone == (reason in (None, Reason.RESOURCES))


def test_what_counts_as_a_page(tmp_path: Path) -> None:
    """robots.txt, errors, redirects, or an image on a page that count as pages."""
    found = archive(
        tmp_path,
        ("", b"<img src=a.png><iframe src=f.html></iframe>"
         b"<link rel=StyleSheet href=s><script src=t></script><frame src=g.html>", {}),
        ("a.png", b"png", {"kind": "image/png"}),
        ("b.png", b"png", {"kind": "image/png"}),
        ("f.html", b"frame", {}),
        ("s", b"", {"status": 302, "headers": (("Location", "/style"),)}),
        ("style", b"p {}", {"kind": "application/octet-stream"}),
        ("t", b"script", {"kind": "text/javascript"}),
        ("robots.txt", b"User-agent: *", {"kind": "text/plain"}),
        ("none", b"<p>", {"status": 404}),
    )  # fmt: skip
    assert found == Viewable(3, 3, 3, {}, 4, 4)


def test_the_capture_that_can_be_shown(tmp_path: Path) -> None:
    """A later capture that is broken and hides a good one, or one page that counts twice."""
    found = archive(tmp_path, ("", b"<p>", {}), ("", b"<", {"cut": "time"}))
    assert found == Viewable(1, 1, 1, {}, 0, 0)


def test_a_later_capture_counts() -> None:
    """A good capture that a later good one does not replace, so that its resources are missing."""
    archive = _Archive()
    for body in (b"<img src=gone.png>", b"<p>"):
        archive.take(Archived("http://a.test/", 200, {"content-type": HTML}, body, cut=False))
    assert [one.needs for one in archive.documents.values()] == [()]


@pytest.mark.parametrize(
    ("body", "more", "whole"),
    [
        (b"png", {}, True),
        (b"PK", {"kind": "application/zip"}, True),
        (b"", {}, True),
        (b"", {"status": 204}, True),
        (b"", {"status": 404}, False),
        (b"", {"kind": HTML}, False),
        (b"pn", {"cut": "length"}, False),
        (b"pn", {"headers": (("Content-Length", "9"),)}, False),
        (b"png", {"headers": (("Content-Encoding", "odd"),)}, False),
    ],
)
def test_resources_that_are_not_whole(
    tmp_path: Path, body: bytes, more: dict[str, object], whole: bool
) -> None:
    """A page that counts as shown with a cut resource, or as not shown with an empty one."""
    found = archive(tmp_path, ("", b"<img src=x>", {}), ("x", body, {"kind": "image/png", **more}))
    page = Viewable(1, 1, 1, {}, 1, 1) if whole else Viewable(1, 0, 1, {Reason.RESOURCES: 1}, 1, 0)
    if more.get("kind") == HTML:
        page = Viewable(2, 0, 1, {Reason.EMPTY: 1, Reason.RESOURCES: 1}, 1, 0)
    assert found == page


def test_resources_after_redirects(tmp_path: Path) -> None:
    """A chain of redirects, or one of a newer kind, behind which no resource is found."""
    statuses = (301, 302, 303, 307, 308)
    chain = (
        (f"{k}", b"", {"status": status, "headers": (("Location", f"/{k + 1}"),)})
        for k, status in enumerate(statuses)
    )
    end = (f"{len(statuses)}", b"png", {"kind": "image/png"})
    assert archive(tmp_path, ("", b"<img src=0>", {}), *chain, end) == Viewable(1, 1, 1, {}, 1, 1)


def test_a_page_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long page that counts as cut in the archive, or of which a part counts as the whole."""
    monkeypatch.setattr(archives, "MOST", 300)
    found = archive(tmp_path, ("", b"<p>" * 200, {}), ("x", bytes(600), {"kind": "image/png"}))
    assert found == Viewable(2, 1, 1, {Reason.UNREAD: 1}, 0, 0)


def test_redirects_in_a_circle(tmp_path: Path) -> None:
    """A search for a resource that does not end."""
    found = archive(tmp_path, ("", b"<img src=x>", {}),
                    *((one, b"", {"status": 301, "headers": (("Location", f"/{other}"),)})
                      for one, other in (("x", "y"), ("y", "x"))))  # fmt: skip
    assert found == Viewable(1, 0, 1, {Reason.RESOURCES: 1}, 1, 0)


def test_resources() -> None:
    """A reference that is not read, is read against another base, or is no resource."""
    found = embedded_here(
        "<base href=/b/><link rel='icon'  href=0><link rel='Alternate stylesheet' href=0>"
        "<link rel='x stylesheet' href=1><body background=2><img src=3 srcset='0 2x'>"
        "<img srcset='4, 0 2x'><script src=5></script><iframe src=6></iframe><embed src=7>"
        "<object data=8></object><audio src=9></audio><video src=10 poster=11></video>"
        "<input type=IMAGE src=12><input type=text src=0><a href=0>x</a><img src=3><img>"
        "<img src='mailto:x'><img src='http://b.test/13'><template><img src=0></template>",
        "http://a.test/x/",
    )
    assert embedded_here("<base href='http://['><img src=1>", "http://a.test/x/") == (
        "http://a.test/x/1",
    )
    assert embedded_here("<iframe src='/'></iframe>", "http://a.test/") == ()
    expected = [f"http://a.test/b/{number}" for number in range(1, 13)]
    assert sorted(found) == sorted([*expected, "http://b.test/13"])


def test_what_browsers_with_scripts_do_not_load() -> None:
    """An image in `noscript` that counts as needed, or a needed one that is lost with it."""
    found = embedded_here(
        "<!-- <noscript> --><img src=1><head><NoScript id=x><img src=0></noscript></head>"
        "<script>'<noscript>'</script><img src=2><noscript><p><img src=0></p></NOSCRIPT >"
        "<img src=3><noscripts><img src=4></noscripts><noscript><img src=5>",
        "http://a.test/",
    )
    assert sorted(found) == [f"http://a.test/{number}" for number in range(1, 6)]


def test_a_resource_whose_type_is_not_said(tmp_path: Path) -> None:
    """An image without a type that counts as a resource and as a page, or as damaged."""
    image = bytes(range(256)) * 9
    planted = [("", b"<img src=x>", {}), ("x", image, {"kind": ""}), ("y", image, {"kind": ""})]
    found = archive(tmp_path, *planted)  # type: ignore[arg-type]
    assert found == Viewable(2, 1, 1, {Reason.CHARACTERS: 1}, 1, 1)


def test_damaged_files_of_a_folder(tmp_path: Path) -> None:
    """A file that is no archive and ends the command, or damages of which nothing is said."""
    (tmp_path / "0.warc").write_bytes(b"<html>")
    with pytest.raises(CrawlError, match="no WARC file"):
        of_archive([tmp_path])
    archive(tmp_path, ("", b"<p>", {}), ("x", random.Random(1).randbytes(3000), {}))
    (path,) = tmp_path.glob("*.gz")
    data = path.read_bytes()
    starts = [one.start() for one in re.finditer(rb"\x1f\x8b\x08\0", data)]
    path.write_bytes(data[: starts[-3] + 1500])  # within the second answer
    found = of_archive([tmp_path])
    assert (found.pages, found.shown, found.reasons) == (2, 1, {Reason.CUT: 1})
    assert [(one.path.name, one.reason) for one in found.damages] == [
        ("0.warc", "is no WARC file that can be read: a record does not begin with WARC/"),
        (path.name, "a record breaks off"),
    ]
    with pytest.raises(CrawlError, match="no WARC file"):
        of_archive([tmp_path / "0.warc"])


def test_resources_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page whose resources fill the memory."""
    monkeypatch.setattr(reading, "LINKS", 3)
    assert len(embedded_here("".join(f"<img src={k}>" for k in range(9)), "http://a.test/")) == 3


def test_a_page_that_takes_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page that holds up the command, or a large one that has no resources."""
    large = "<p>" * 6_000 + "<img src=x>"
    assert apart.wanted(large)
    assert embedded(large, "http://a.test/") == ("http://a.test/x",)
    monkeypatch.setattr(apart.READER, "call", lambda *_: apart.TOO_LONG)
    assert archive(tmp_path, ("", large.encode(), {})).reasons == {Reason.UNREAD: 1}


def test_a_store(tmp_path: Path) -> None:
    """A problem with another reason, a format that is not asked, or what is no page and counts."""
    planted = {
        "": None, "has more than 50,000 links: the others are left out": None,
        "longer than 10,000,000 bytes: cut": Reason.CUT,
        "breaks off after 5 bytes: timeout": Reason.CUT,
        "unpacks to more than 200 times its size: cut": Reason.CODING,
        "has the unknown content coding 'odd': read as it came": Reason.CODING,
        "is no HTML but image/png": None, "is no HTML but text/plain": None,
        "is no HTML but application/zip": Reason.FORMAT, "is no HTML but x/y": Reason.FORMAT,
        "takes too long to be read": Reason.UNREAD,
    }  # fmt: skip
    rows = [
        {"id": k, "address": f"http://a.test/{k}", "key": f"http://a.test/{k}", "level": 0,
         "state": int(State.DONE), "status": 200, "size": 9, "problem": problem, "final": ""}
        for k, problem in enumerate(planted)
    ]  # fmt: skip
    others = [{"size": 0}, {"status": 404}, {"status": None, "state": int(State.QUEUED)},
              {"state": int(State.DROPPED)}, {"final": "http://a.test/0"}]  # fmt: skip
    rows += [
        {**rows[0], "id": 50 + k, "address": f"http://a.test/{50 + k}",
         "key": f"http://a.test/{50 + k}", **more}
        for k, more in enumerate(others)
    ]  # fmt: skip
    with open_store(tmp_path / "x.db", create=True) as store:
        with store.engine.begin() as connection:
            connection.execute(insert(pages), rows)
        found = of_store(store)
    assert found == Viewable(12, 4, 4, {
        Reason.CUT: 2, Reason.CODING: 2, Reason.EMPTY: 1, Reason.FORMAT: 2, Reason.UNREAD: 1
    })  # fmt: skip
