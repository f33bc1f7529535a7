"""Draws requests to the studio with Hypothesis: any route, any method, fields that may be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

from hypothesis import strategies as st

from .client import Client

SITE = {"start": "http://a.test/", "full_name": "A", "short_name": "a", "level": "3", "cap": "10"}
PLAN = {"kind": "own", "scheduler": "R2,step=20", "budget": "2000,1h", "level": "4", "cap": "100",
        "concurrency": "8", "delay": "0.5", "seed": "3", "query": "words", "keeper": "own",
        "revisit": "scent", "every": "12h"}  # fmt: skip
PACE = {"concurrency": "4", "delay": "2"}
MANNERS = {"normalize": "safe", "stay": "1", "include": "domain:a.test",
           "exclude": "path:/x\nregex:y", "robots": "1", "allow_private": "", "sitemaps": "1",
           "agent": "counterpoint/1", "proxy": "http://127.0.0.1:8080", "warc": "kept"}  # fmt: skip
FILTER = {"words": "museum", "site": "1", "state": "0", "status": "200", "host": "doi.example",
          "domain": "example.org", "reason": "mail", "page": "http://zin.test/", "level": "1",
          "prefix": "http://", "sort": "domain", "descending": "1", "after": "",
          "before": ""}  # fmt: skip
LIST = {"page": "0", "words": "a", "standing": "waiting", "sort": "site", "descending": "1"}
PAGES = {"words": "library", "site": "zin.test", "state": "fetched", "status": "404",
         "sort": "size", "descending": "1", "after": "WzEsIDFd", "before": ""}  # fmt: skip
CHOSEN = {"link": "1:0", "back": "site=1&words=x", "all": ""}
KINDS = ("internal", "external", "bad")

POSTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/crawl/plan", PLAN), ("/crawl/start", PLAN), ("/crawl/stop", {}), ("/sites/add", SITE),
    ("/crawl/pause", {}), ("/crawl/continue", {}), ("/crawl/pace", PACE),
    ("/sites/import", {"list": "http://a.test/\nhttp://b.test/"}), ("/sites/2", SITE),
    ("/sites/2/remove", {}), ("/sites/9/retry", {}), ("/settings", MANNERS),
    *((f"/links/{kind}/delete", CHOSEN) for kind in KINDS),
)  # fmt: skip
GETS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/", {"token": "x"}), ("/crawl", {}), ("/sites", LIST), ("/sites/1", {}),
    ("/pages", PAGES), ("/hosts", {**PAGES, "state": "resting", "sort": "delay"}),
    ("/pages/5", {}), ("/pages/5/record", {}), ("/export", {}), ("/settings", {}),
    ("/gate", {"page": "index.html"}), ("/events", {}),
    ("/links/broken", {"words": "test", "since": "7d", "after": "WzNd", "before": ""}),
    ("/export/broken.csv", {}), ("/static/studio.js", {}), ("/report/x/index.html", {}),
    ("/nothing", {}),
    *((f"/links/{kind}", FILTER) for kind in KINDS),
    *((f"/export/{kind}.{form}", {}) for kind in KINDS for form in ("csv", "jsonl", "graphml")),
)  # fmt: skip
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get",
           "X")  # fmt: skip

TELLING = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udcff",
    "\ufeff",
    "\u202e",
    "ﬁ",
    "٣",
    "²",
    "-1",
    "0",
    "1e999",
    "nan",
    "inf",
    "-0",
    "1.5",
    "1,5",
    "9" * 400,
    "2147483648",
    "9223372036854775808",
    "0x10",
    "1_000",
    "http://[",
    "http://[::1]/",
    "http://a.test:99999/",
    "http://a.test:x/",
    "//a.test",
    "http://",
    "HTTP://A.TEST/%zz",
    "http://a.test/?" + "x" * 3000,
    "javascript:alert(1)",
    "http://\u0430.test/",
    "http://xn--a.test/",
    "http://user:pass@a.test/",
    "..",
    "../../etc/passwd",
    "%00",
    "%s",
    "{}",
    "{{ 7 * 7 }}",
    "'; DROP TABLE seeds; --",
    "<script>alert(1)</script>",
    "\r\nSet-Cookie: a=b",
    "start;level\nhttp://c.test/;x",
    "start\thttp",
    '"',
    'a,b\n"',
    "own",
    "unknown",
    "R3",
    "tfidf",
    "R2,step",
    "R2,step=x",
    "R2,step=1e999",
    "R2,step=-1",
    "R3,initial=" + "9" * 30,
    "hits,c=nan",
    "uniform",
    "oracle",
    "a:b",
    "a:b,c=d",
    ":",
    ",",
    "=",
    "R2,",
    "R2,=",
    "socks5://x",
    "http://x y/",
    "counterpoint\t",
    "0,0",
    "1h",
    "1e9h",
    "99999999999999999999",
    "0.0000001s",
    "1:0",
    "1:x",
    "1:1:1",
    "all",
    "99999999999999999:999999999",
    "-1:0",
    "found",
    "domain",
)
"""Values that have broken a program of somebody."""

texts = st.one_of(
    st.sampled_from(TELLING), st.text(max_size=40),
    st.text(st.characters(min_codepoint=0, max_codepoint=255), max_size=20),
    st.text("0123456789.,:-+eE ", max_size=12), st.just("x" * 20_000),
    st.text(st.characters(exclude_categories=()), max_size=10),
)  # fmt: skip


@dataclass
class Drawn:
    """A request: its path with the query, its head without the address, and its body.

    In the head and the body, ``{port}``, ``{session}`` and ``{csrf}`` stand for what a studio says.
    """

    target: bytes
    method: str
    head: tuple[bytes, ...] = ()
    body: bytes = b""
    changes: tuple[tuple[int, int, bytes], ...] = ()

    @property
    def streams(self) -> bool:
        """Whether the answer may not end."""
        return b"/events" in self.target

    def request(self, client: Client, session: str) -> bytes:
        """Return the bytes of the request."""
        values = {b"{port}": str(client.port).encode(), b"{session}": session.encode(),
                  b"{csrf}": client.access.words(session).encode(),
                  b"{cookie}": client.access.cookie.encode()}  # fmt: skip
        lines, body = list(self.head), self.body
        for name, value in values.items():
            lines = [line.replace(name, value) for line in lines]
            body = body.replace(name, value)
        if self.method not in ("GET", "HEAD") or body:
            lines.append(b"Content-Length: %d" % len(body))
        first = b"%s %s HTTP/1.1" % (self.method.encode(), self.target)
        found = b"\r\n".join([first, *lines, b"", body])
        for start, length, put in self.changes:
            at = start % (len(found) + 1)
            found = found[:at] + put + found[at + length :]
        return found


CLOSE = b"Connection: close"
HEAD = (b"Host: 127.0.0.1:{port}", b"Origin: http://127.0.0.1:{port}", CLOSE,
        b"Cookie: {cookie}={session}")  # fmt: skip


def _coded(text: str) -> str:
    return quote_plus(text.encode("utf-8", "surrogatepass"))


@st.composite
def _fields(draw: Any, valid: dict[str, str]) -> list[tuple[str, str]]:
    """Draw fields: those that are valid with a few changed, left out, repeated or added."""
    found = list(valid.items())
    for _ in range(draw(st.integers(0, 3))):
        how = draw(st.sampled_from(["change", "leave out", "repeat", "add"]))
        at = draw(st.integers(0, max(0, len(found) - 1)))
        if how == "add" or not found:
            found.append((draw(texts), draw(texts)))
        elif how == "change":
            found[at] = (found[at][0], draw(texts))
        elif how == "repeat":
            found.append((found[at][0], draw(texts)))
        else:
            del found[at]
    return found


@st.composite
def _body(draw: Any, fields: list[tuple[str, str]]) -> tuple[bytes, bytes]:
    """Draw the type and the bytes of a form: coded in one of two ways, with parts as files."""
    if draw(st.integers(0, 2)):
        body = "&".join(f"{_coded(name)}={_coded(value)}" for name, value in fields)
        kind = draw(st.sampled_from(CHARSETS)) if not draw(st.integers(0, 9)) else ""
        return f"application/x-www-form-urlencoded{kind}".encode(), body.encode()
    parts = []
    for name, value in fields:
        head = f'Content-Disposition: form-data; name="{name}"'
        if name == "list" or not draw(st.integers(0, 5)):
            head += (
                '; filename="' + draw(st.sampled_from(["a.csv", "", "é", "\ud800", "a\0"])) + '"'
            )
        head += draw(st.sampled_from([*[""] * 9, "\r\nContent-Type: text/plain; charset=none",
                                      "\r\nContent-Transfer-Encoding: base64",
                                      "\r\nContent-Encoding: gzip"]))  # fmt: skip
        parts.append(f"--x\r\n{head}\r\n\r\n{value}\r\n")
    text = "".join(parts) + "--x--\r\n"
    return b"multipart/form-data; boundary=x", text.encode("utf-8", "surrogatepass")


def _path(draw: Any, path: str) -> bytes:
    """Draw a path: mostly the given one, sometimes with another part."""
    parts = path.split("/")
    if not draw(st.integers(0, 7)):
        parts[draw(st.integers(1, len(parts) - 1))] = draw(texts)[:200]
    return quote("/".join(parts).encode("utf-8", "surrogatepass")).encode()


@st.composite
def forms(draw: Any) -> Drawn:
    """Draw a form or a query for any route, mostly by the right method and from a page."""
    posts = draw(st.booleans())
    path, valid = draw(st.sampled_from(POSTS if posts else GETS))
    fields = draw(_fields(valid))
    method = "POST" if posts else "GET"
    if not draw(st.integers(0, 9)):
        method = draw(st.sampled_from(METHODS))
    head = [line for line in HEAD if line == CLOSE or draw(st.integers(0, 30))]
    target = _path(draw, path)
    if not posts:
        query = "&".join(f"{_coded(name)}={_coded(value)}" for name, value in fields)
        return Drawn((target + (f"?{query}" if query else "").encode())[:8000], method, tuple(head))
    if draw(st.integers(0, 20)):
        fields.append(("csrf", "{csrf}"))
    kind, body = draw(_body(fields))
    return Drawn(
        target, method, (*head, b"Content-Type: " + kind), body.replace(b"%7Bcsrf%7D", b"{csrf}")
    )


CHARSETS = (
    "; charset=utf-16", "; charset=latin-1", "; charset=unicode_escape", "; charset=idna",
    "; charset=utf-7", "; charset=none", ";",
)  # fmt: skip

PIECES = (
    b"",
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b"\t",
    b":",
    b"%",
    b"%zz",
    b"\xff",
    b"\xed\xa0\x80",
    b"?",
    b"#",
    b"//",
    b"http://evil.example/",
    b"*",
    b"HTTP/1.0",
    b"HTTP/2.0",
    b"HTTP/0.9",
    b"HTTP/1.1",
    b"\r\nTransfer-Encoding: chunked",
    b"\r\nContent-Length: 0",
    b"\r\nContent-Length: 99999999999",
    b"\r\nContent-Encoding: gzip",
    b"\r\nExpect: 100-continue",
    b"\r\nExpect: x",
    b"\r\nUpgrade: h2c",
    b"\r\nConnection: Upgrade",
    b"\r\nConnection: keep-alive",
    b"\r\nHost: evil.example",
    b"\r\n\r\n",
    b'\r\nCookie: =;;,\xff="',
    b"\r\nRange: bytes=5-1",
    b"\r\nIf-Modified-Since: x",
    b"\r\n x",
    b"\r\nRange: bytes=0-0,1-1",
    b'\r\nIf-None-Match: "x',
    b"\r\nAccept-Encoding: gzip, x;q=z",
    b"\r\nSec-Fetch-Site: cross-site",
    b"\r\nSec-WebSocket-Key: x",
    b"x" * 9000,
    b"\r\nA: b" * 200,
    b"GET / HTTP/1.1\r\n\r\n",
    b"&" * 3000,
    b"--x\r\n",
)

_changes = st.lists(
    st.tuples(st.integers(0, 2000), st.integers(0, 30),
              st.one_of(st.sampled_from(PIECES), st.binary(max_size=6))), min_size=1, max_size=4
)  # fmt: skip


@st.composite
def mutated(draw: Any) -> Drawn:
    """Draw a request that was valid until some of its bytes were changed."""
    found: Drawn = draw(forms())
    found.changes = tuple(draw(_changes))
    return found
