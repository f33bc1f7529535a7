"""Which pages of an archive, and of a store, can be shown again: planted pages with each fault."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from sqlalchemy import insert

from counterpoint.crawler.coverage.viewable import Reason, Viewable, of_archive, of_store
from counterpoint.crawler.documents import apart
from counterpoint.crawler.documents.embedded import embedded, embedded_here
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
        (gzip.compress(b"<p>" * 99)[:-12], {"headers": (("Content-Encoding", "gzip"),)},
         Reason.CUT),
        (b"<p>", {"headers": (("Content-Encoding", "gzip"),)}, Reason.CODING),
        (b"<p>", {"headers": (("Content-Encoding", "odd"),)}, Reason.CODING),
        (gzip.compress(b"<p>"), {"headers": (("Content-Encoding", "gzip"),)}, None),
        (b"", {}, Reason.EMPTY),
        (bytes(range(256)) * 9, {}, Reason.CHARACTERS),
        (b"\xfe\xff\xd8\0" * 9, {}, Reason.CHARACTERS),
        ("a few \ufffd and \1 are no harm".encode(), {}, None),
        ("né".encode("latin-1"), {}, None),
        (b"PK", {"kind": "application/zip"}, Reason.FORMAT),
        (b"%PDF", {"kind": "application/pdf"}, None),
        (b"<svg/>", {"kind": "image/svg+xml"}, None),
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
    expected = [f"http://a.test/b/{number}" for number in range(1, 13)]
    assert sorted(found) == sorted([*expected, "http://b.test/13"])


def test_a_page_that_takes_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page that holds up the command, or a large one that has no resources."""
    large = "<p>" * 6_000 + "<img src=x>"
    assert apart.wanted(large)
    assert embedded(large, "http://a.test/") == ("http://a.test/x",)
    monkeypatch.setattr(apart.READER, "call", lambda *_: apart.TOO_LONG)
    assert archive(tmp_path, ("", large.encode(), {})).reasons == {Reason.UNREAD: 1}


def test_a_store(tmp_path: Path) -> None:
    """A problem that has another reason, or pages without an answer that are counted."""
    planted = {
        "": None, "has more than 50,000 links: the others are left out": None,
        "longer than 10,000,000 bytes: cut": Reason.CUT,
        "breaks off after 5 bytes: timeout": Reason.CUT,
        "unpacks to more than 200 times its size: cut": Reason.CODING,
        "has the unknown content coding 'odd': read as it came": Reason.CODING,
        "is no HTML but image/png": Reason.FORMAT, "takes too long to be read": Reason.UNREAD,
    }  # fmt: skip
    rows = [
        {"id": k, "address": f"http://a.test/{k}", "key": f"http://a.test/{k}", "level": 0,
         "state": int(State.DONE), "status": 200, "size": 9, "problem": problem}
        for k, problem in enumerate(planted)
    ]  # fmt: skip
    others = [{"size": 0}, {"status": 404}, {"status": None, "state": int(State.QUEUED)}]
    rows += [
        {**rows[0], "id": 50 + k, "address": f"http://a.test/{50 + k}",
         "key": f"http://a.test/{50 + k}", **more}
        for k, more in enumerate(others)
    ]  # fmt: skip
    with open_store(tmp_path / "x.db", create=True) as store:
        with store.engine.begin() as connection:
            connection.execute(insert(pages), rows)
        found = of_store(store)
    assert found == Viewable(9, 2, 2, {
        Reason.CUT: 2, Reason.CODING: 2, Reason.EMPTY: 1, Reason.FORMAT: 1, Reason.UNREAD: 1
    })  # fmt: skip
