"""Real folders as hosts: their files are served, and nothing outside of them."""

from __future__ import annotations

import asyncio
import gzip
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web.answer import Answer, Kind, Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.server import Mounts, parse_mounts
from tests.documentation import site_of

from .serving import Served, served, split


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a mounted folder ``site``, with a secret file next to it."""
    top = tmp_path_factory.mktemp("place")
    site = top / "site"
    (site / "sub" / "deep").mkdir(parents=True)
    (site / "bare <b>").mkdir()
    (site / "bare <b>" / "a & b.txt").write_text("x")
    (site / "index.html").write_bytes(b"<title>start</title>")
    (site / "sub" / "index.html").write_bytes(b"<title>sub</title>")
    (site / "sub" / "ru.html").write_bytes("<p>привет".encode("koi8-r"))
    (site / "notes.html.gz").write_bytes(gzip.compress(b"<title>notes</title>" * 9000))
    (site / "data.gz").write_bytes(gzip.compress(b"data"))
    (site / "large.bin").write_bytes(os.urandom(1 << 20))
    (site / "inner.html").symlink_to("sub/ru.html")
    (top / "site-secret").mkdir()
    (top / "site-secret" / "index.html").write_bytes(b"SECRET")
    (top / "secret").write_bytes(b"SECRET")
    (site / "out").symlink_to("../secret")
    (site / "outer").symlink_to("../site-secret")
    (site / "packed.html.gz").symlink_to("../secret")
    (site / "round").symlink_to("round")
    os.mkfifo(site / "pipe")
    return top


def get(place: Path, path: str, **more: Any) -> tuple[Answer, bytes]:
    """Return the answer of the mounted folder, with its body."""
    mounts = Mounts({"docs.test": str(place / "site")})
    found = mounts.answer("docs.test", Question(f"http://docs.test/{path}", 0.0, **more))
    if isinstance(found, Answer):
        return found, found.body
    return found.answer, b"".join(found.pieces)


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("", "text/html", b"<title>start</title>"),
        ("index.html?x=1", "text/html", b"<title>start</title>"),
        ("sub/", "text/html", b"<title>sub</title>"),
        ("sub//./ru.html", "text/html", "<p>привет".encode("koi8-r")),
        ("%73ub/ru.html", "text/html", "<p>привет".encode("koi8-r")),
        ("inner.html", "text/html", "<p>привет".encode("koi8-r")),
        ("notes.html", "text/html", b"<title>notes</title>" * 9000),
        ("data.gz", "application/gzip", None),
    ],
)
def test_files(place: Path, path: str, kind: str, body: bytes | None) -> None:
    """A charset that the server invents, or a file that is not found by its name."""
    answer, got = get(place, path)
    assert (answer.status, dict(answer.headers)["Content-Type"]) == (200, kind)
    assert body is None or got == body
    assert answer.kind is Kind.MOUNTED


@pytest.mark.parametrize("path", ["notes.html", "notes.html.gz"])
def test_compressed_files(place: Path, path: str) -> None:
    """A compressed page that no browser can show."""
    answer, got = get(place, path, accept_encoding="br, GZip")
    assert dict(answer.headers)["Content-Encoding"] == "gzip"
    assert dict(answer.headers)["Content-Type"] == "text/html"
    assert gzip.decompress(got) == b"<title>notes</title>" * 9000


def test_a_folder_gets_its_slash(place: Path) -> None:
    """Wrong relative links in a folder's index."""
    answer, _ = get(place, "sub?x=1")
    assert (answer.status, dict(answer.headers)["Location"]) == (301, "http://docs.test/sub/?x=1")


def test_a_listing(place: Path) -> None:
    """Names that break the HTML of a listing, or links that do not lead back."""
    answer, got = get(place, quote("bare <b>/"))
    assert answer.status == 200
    assert b'<a href="a%20%26%20b.txt">a &amp; b.txt</a>' in got
    assert b"<b>" not in got


@pytest.mark.parametrize(
    "path",
    [
        "nothing", "index.html/", "sub/nothing", "pipe", "round", "%00", "index.html%00.txt",
        "out", "outer", "outer/", "outer/index.html", "packed.html", "packed.html.gz", "../secret",
        "%2e%2e/secret", "..%2fsecret", "%2e%2e%2fsecret", "sub/../../secret", "sub/..", "..",
        "../site-secret/index.html", "/../secret", "%2Fetc/passwd", "x" * 5000, "%ff%fe",
    ],
)  # fmt: skip
def test_what_is_not_there(place: Path, path: str) -> None:
    """A path that leaves the folder, or a name that hangs or breaks the server."""
    answer, got = get(place, path)
    assert answer.status == 404
    assert b"SECRET" not in got


SEGMENTS = st.sampled_from(
    ["..", ".", "", "%2e%2e", "%2E.", "..%2f", "%2f", "%5c", "\\", "sub", "deep", "out", "outer",
     "secret", "site", "site-secret", "index.html", "%00", "%", "%c0%ae%c0%ae", "etc", "passwd"]
)  # fmt: skip


@given(st.lists(SEGMENTS, max_size=8), st.sampled_from(["/", "%2f", "//", "\\"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_way_leads_out(place: Path, segments: list[str], between: str) -> None:
    """A spelling of a path that reaches a file next to the folder."""
    path = between.join(segments)
    answer, got = get(place, path)
    assert b"SECRET" not in got
    assert b"site-secret" not in got or b"site-secret" in unquote_to_bytes(path)
    assert answer.status in (200, 301, 404)


def test_a_page_that_has_not_changed(place: Path) -> None:
    """A missing 304, or one for another file."""
    answer, _ = get(place, "sub/ru.html")
    headers = dict(answer.headers)
    tag, date = headers["ETag"], headers["Last-Modified"]
    same = [{"if_none_match": tag}, {"if_none_match": f'"x", W/{tag}'}, {"if_none_match": "*"},
            {"if_modified_since": date}]  # fmt: skip
    assert [get(place, "sub/ru.html", **one)[0].status for one in same] == [304] * 4
    other = [{"if_none_match": '"x"'}, {"if_none_match": '"x"', "if_modified_since": date},
             {"if_modified_since": "Sat, 01 Jan 2000 00:00:00 GMT"},
             {"if_modified_since": "yesterday"}]  # fmt: skip
    assert [get(place, "sub/ru.html", **one)[0].status for one in other] == [200] * 4


def test_over_the_wire(place: Path, tmp_path: Path) -> None:
    """A large file that is changed on the way, a HEAD with a body, or files that stay open."""

    async def run() -> None:
        async with served(tmp_path, mounts={"docs.test": str(place / "site")}) as web:
            before = len(os.listdir("/proc/self/fd"))
            got = split(await web.get("/large.bin", host="docs.test"))
            assert got[2] == (place / "site" / "large.bin").read_bytes()
            plain = b"GET /notes.html HTTP/1.0\r\nHost: docs.test\r\n\r\n"
            assert split(await web.raw(plain))[2] == b"<title>notes</title>" * 9000
            head = b"HEAD /large.bin HTTP/1.1\r\nHost: docs.test\r\nConnection: close\r\n\r\n"
            status, headers, body = split(await web.raw(head))
            assert (status, headers["content-length"], body) == (200, str(1 << 20), b"")
            await _gone(web, b"GET /large.bin HTTP/1.1\r\nHost: docs.test\r\n\r\n")
            other = await web.get("http://docs.test:81/index.html")
            assert split(other)[0] == 502
            while len(os.listdir("/proc/self/fd")) > before:
                await asyncio.sleep(0.001)
            assert {r.kind for r in web.records()} == {"mounted", "foreign"}

    asyncio.run(asyncio.wait_for(run(), 30))


async def _gone(web: Served, asked: bytes) -> None:
    known = len(web.lines())
    for _ in range(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(asked)
        await reader.read(1)
        writer.transport.abort()
    while len(web.lines()) < known + 20:
        await asyncio.sleep(0.001)


def test_a_real_documentation_site() -> None:
    """A file of a real site that is not served; all of them are requested."""
    root = site_of("python3-doc").resolve()
    mounts = Mounts({"docs.test": str(root)})
    pages = [p for p in root.rglob("*.html") if p.resolve().is_relative_to(root)]
    assert len(pages) > 400
    for page in pages:
        url = f"http://docs.test/{quote(str(page.relative_to(root)))}"
        found = mounts.answer("docs.test", Question(url, 0.0))
        assert not isinstance(found, Answer)
        found.pieces.close()
        assert found.length == page.stat().st_size


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["docs.test"], "must be HOST=DIR"),
        (["docs.test="], "must be HOST=DIR"),
        (["=."], "'' is not a host name"),
        (["a b=."], "'a b' is not a host name"),
        (["a:80=."], "'a:80' is not a host name"),
        (["a.test=.", "A.Test=."], "a.test is given twice"),
        (["a.test=/nowhere"], "there is no folder /nowhere"),
    ],
)
def test_mounts_that_are_wrong(texts: list[str], message: str) -> None:
    """A missing folder that is not noticed before a crawler requests it."""
    with pytest.raises(WebError, match=message):
        parse_mounts(texts)
