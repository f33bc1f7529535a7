"""The web as an application of aiohttp: byte by byte what the fast server sends and logs."""

from __future__ import annotations

import asyncio
import errno
import gzip
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import application, profile, record
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.server import AccessLog, Mounts, Server, VirtualClock
from counterpoint.sim_web.server import log as logging
from counterpoint.sim_web.serving import header_of
from counterpoint.sim_web.world.site import SyntheticSite

from .serving import QUICK
from .webs import OWN, PASSED, SHARES

SETTINGS = replace(QUICK, endless_bytes=1 << 17)
FOLDER_HOST = "files.example"


@cache
def hostile() -> Web:
    """Return a web with every fault, many changes, and a limit of requests."""
    return Web(profile.from_mapping({
        "hosts": {"mean_pages": 12},
        "change": {"static": 0.3, "per_day": 2.0},
        "style": dict.fromkeys(SHARES, 0.3),
        "faults": dict.fromkeys((*PASSED, *OWN), 0.05),
        "robots": {"disallow": 0.5, "crawl_delay": 0.5},
        "limits": {"requests_per_second": 1, "burst": 4},
    }, "test", "test"), 400, 3)  # fmt: skip


@cache
def addresses() -> dict[str, list[str]]:
    """Return addresses of the web by what is answered there, so that each is tried often."""
    planted, found = hostile(), dict[str, list[str]]()
    site = SyntheticSite(planted)
    hosts = [planted.name(host) for host in range(planted.hosts)]
    paths = ("/robots.txt", "/sitemap.xml", "/nothing", "/?session=1", "/index.html", "//", "/%zz")
    urls = [address(planted, page) for page in range(planted.pages)]
    urls += [f"http://{host}{path}" for host in hosts for path in paths]
    for url in urls:
        answer = site.answer(Question(url, 0.0))
        for name, value in answer.headers:
            if name == "Location":
                found.setdefault("targets", []).append(value)
        key = f"{answer.kind} {answer.status} {answer.fault} {answer.chunked}"
        found.setdefault(key, []).append(url)
    found["elsewhere"] = ["http://example.com/", "http://a_b.test:8080/", "http://-/"]
    found["files"] = [f"http://{FOLDER_HOST}/{name}" for name in
                      ("", "a.txt", "packed.html", "sub", "sub/", "none", "..%2fa")]  # fmt: skip
    return found


class Sent(NamedTuple):
    """A request: its bytes but for the port of the server."""

    method: str
    url: str
    form: str
    version: str
    headers: tuple[str, ...]
    body: str

    def to_bytes(self, port: int) -> bytes:
        """Return the bytes that a client sends to a server at a port."""
        rest = self.url.removeprefix("http://")
        host, slash, path = rest.partition("/")
        target, named = f"{slash}{path}" or "/", host
        if self.form == "proxy":
            target, named = self.url, "other.example"
        elif self.form == "own port":
            named = f"{host}:{port}"
        lines = [f"{self.method} {target} HTTP/{self.version}", f"Host: {named}", *self.headers]
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode()


times = st.sampled_from([None, "0", "3600", "86400.5", "4e6", "soon", "-1"])
encodings = st.sampled_from([None, "gzip", "gzip, br", "identity"])
dates = st.sampled_from(
    [None, "Sat, 01 Jan 2000 00:00:00 GMT", "Sun, 01 Jan 2040 00:00:00 GMT", "x"]
)


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """Draw a request: mostly one that a crawler makes."""
    group = draw(st.sampled_from(sorted(addresses())))
    url = draw(st.sampled_from(addresses()[group]))
    method = draw(st.sampled_from(["GET"] * 6 + ["HEAD"] * 3 + ["POST", "OPTIONS", "DELETE"]))
    tags = dict(SyntheticSite(hostile()).answer(Question(url, 0.0)).headers)
    tag = draw(st.sampled_from([None, None, tags.get("ETag"), '"other"', "*"]))
    given = {
        "X-Counterpoint-Time": draw(times),
        "Accept-Encoding": draw(encodings),
        "If-Modified-Since": draw(dates),
        "If-None-Match": tag,
        "Expect": draw(st.sampled_from([None, None, None, "100-continue"])),
        "User-Agent": draw(st.sampled_from([None, "tester/1", 'a "b" \\'])),
        "Upgrade": draw(st.sampled_from([None, None, None, "websocket", "h2c"])),
    }
    connection = "Upgrade, close" if given["Upgrade"] else "close"
    headers = [f"{name}: {value}" for name, value in given.items() if value is not None]
    body = draw(st.sampled_from(["", "", "", "x=1"]))
    headers += [f"Content-Length: {len(body)}"] if body else []
    form = draw(st.sampled_from(["host", "own port", "proxy"]))
    version = draw(st.sampled_from(["1.1", "1.1", "1.0"]))
    return Sent(method, url, form, version, (*headers, f"Connection: {connection}"), body)


async def raw(port: int, sent: bytes) -> bytes:
    """Send bytes; return all received ones, with b'RESET' at the end if the server resets."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    got = bytearray()
    try:
        while piece := await asyncio.wait_for(reader.read(1 << 16), 20):
            got += piece
    except ConnectionResetError:
        got += b"RESET"
    writer.close()
    return bytes(got)


@cache
def files() -> str:
    """Return a folder with a file, a compressed one, and a folder."""
    folder = Path(tempfile.mkdtemp())
    (folder / "sub").mkdir()
    (folder / "a.txt").write_text("plain" * 70_000)
    (folder / "packed.html.gz").write_bytes(gzip.compress(b"<p>packed</p>", mtime=0))
    return str(folder)


async def both(sent: list[Sent], folder: Path) -> list[tuple[list[bytes], list[record.Record]]]:
    """Return the answers and the records of the fast server, and of the application."""
    planted, mounts = hostile(), {FOLDER_HOST: files()}
    fast = Server(
        SyntheticSite(planted), VirtualClock(), limits=planted.profile.limits, settings=SETTINGS,
        log=AccessLog(folder / "fast", header_of(planted, mounts)), mounts=Mounts(mounts),
    )  # fmt: skip
    await fast.start()
    own = TestServer(application(planted, folders=mounts, log=folder / "own", settings=SETTINGS))
    await own.start_server()
    found = []
    for name, port, end in (("fast", fast.address[1], fast.stop), ("own", own.port, own.close)):
        assert port is not None
        answers = [await raw(port, one.to_bytes(port)) for one in sent]
        await end()
        lines = (folder / name).read_text().splitlines()[1:]
        found.append((answers, [record.record(line) for line in lines]))
    return found


def same(one: bytes, other: bytes) -> bool:
    """Return whether answers are equal; of those with a reset, a client may lose the end."""
    if not one.endswith(b"RESET"):
        return one == other
    one, end, other = one[:-5], other[-5:], other[:-5]
    least = min(len(one), len(other))
    return end == b"RESET" and one[:least] == other[:least]


def get(url: str, *headers: str, **other: str) -> Sent:
    """Return an ordinary request."""
    usual = {"method": "GET", "form": "host", "version": "1.1", "body": ""} | other
    return Sent(url=url, headers=(*headers, "Connection: close"), **usual)


@settings(max_examples=60)
@given(sent=st.lists(requests(), min_size=1, max_size=6))
@example(sent=[get("a.test:443", method="CONNECT", form="proxy")])
@example(sent=[get("*", method="OPTIONS", form="proxy")])
@example(sent=[get("http://a.test/", "Expect: 100-continue", "Content-Length: 1", body="x")])
@example(sent=[get("http://a.test/", "Upgrade: h2c", "Connection: keep-alive, Upgrade")])
@example(sent=[get("https://a.test/", form="proxy"), get("ftp://a.test/", form="proxy")])
def test_the_application_answers_as_the_fast_server(sent: list[Sent]) -> None:
    """A header, a fault, a limit, a time or a line of the log that only one of the two has."""
    with tempfile.TemporaryDirectory() as folder:
        (fast, in_fast), (own, in_own) = asyncio.run(both(sent, Path(folder)))
    for one, first, second in zip(sent, fast, own, strict=True):
        assert same(first, second), (one, first[:900], second[:900])
    assert in_own == in_fast
    assert len(in_own) == len(sent)


def test_every_fault_is_answered_alike() -> None:
    """A kind of answer that the property test above reaches too rarely."""
    asked = [get(urls[0], "X-Counterpoint-Time: " + str(100 * k))
             for k, urls in enumerate(addresses().values())]  # fmt: skip
    asked += [one._replace(version="1.0") for one in asked]
    with tempfile.TemporaryDirectory() as folder:
        (fast, in_fast), (own, in_own) = asyncio.run(both(asked, Path(folder)))
    assert [same(*pair) for pair in zip(fast, own, strict=True)] == [True] * len(asked)
    assert in_own == in_fast
    assert len({one.fault for one in in_own}) > 10


def test_answers_on_one_connection_keep_their_order() -> None:
    """A connection that ends after the first answer, or answers that overtake a slow one."""
    groups = addresses()
    calm = [urls[0] for key, urls in groups.items() if key.split()[2:3] == ["none"]]
    heads = [get(url)._replace(headers=()).to_bytes(1) for url in calm * 3]

    async def ask() -> list[bytes]:
        limits = hostile().profile.limits
        server = Server(SyntheticSite(hostile()), VirtualClock(0), limits=limits, settings=SETTINGS)
        await server.start()
        own = TestServer(application(hostile(), clock=VirtualClock(0), settings=SETTINGS))
        await own.start_server()
        everything = b"".join(heads) + get(calm[0]).to_bytes(1)
        found = [await raw(port, everything) for port in (server.address[1], own.port or 0)]
        await server.stop()
        await own.close()
        return found

    fast, answers = asyncio.run(ask())
    assert answers == fast
    assert answers.count(b"HTTP/1.1 ") == len(heads) + 1


Ask = Callable[[TestClient[Any, Any], str], Awaitable[Any]]


def with_client(ask: Ask, **options: Any) -> Any:
    """Return what a test client gets from a small web; it also has the name of a host."""

    async def run() -> Any:
        planted = Web(profile.load("broder-1999"), 300, 1)
        app = application(planted, **options)
        async with TestClient(TestServer(app)) as client:
            return await ask(client, planted.name(0))

    return asyncio.run(run())


def test_a_test_client_names_a_host() -> None:
    """A client of `aiohttp.test_utils` that gets no page."""

    async def ask(client: TestClient[Any, Any], host: str) -> list[Any]:
        page = await client.get("/", headers={"Host": host})
        other = await client.get("/")
        return [page.status, page.headers["Server"], await page.text(), other.status]

    status, server, text, other = with_client(ask)
    assert (status, server, other) == (200, "counterpoint", 502)
    assert "<html" in text


def test_the_application_is_a_proxy() -> None:
    """A session that sees one host only."""

    async def ask(client: TestClient[Any, Any], host: str) -> list[int]:
        async with ClientSession() as session:
            found = []
            for url in (f"http://{host}/", "http://nowhere.example/"):
                async with session.get(url, proxy=client.make_url("/")) as answer:
                    found.append(answer.status)
            return found

    assert with_client(ask) == [200, 502]


def test_it_is_a_part_of_another_application() -> None:
    """A web that cannot stand beside an application of the user's."""

    async def ask() -> list[tuple[int, str]]:
        planted = Web(profile.load("broder-1999"), 300, 1)
        outer = web.Application()
        outer.add_domain(planted.name(0), application(planted))

        async def theirs(_: web.Request) -> web.Response:
            return web.Response(text="theirs")

        outer.router.add_get("/", theirs)
        async with TestClient(TestServer(outer)) as client:
            answers = [await client.get("/", headers={"Host": planted.name(0)})]
            answers.append(await client.get("/"))
            return [(a.status, a.headers["Content-Type"].partition(";")[0]) for a in answers]

    assert asyncio.run(ask()) == [(200, "text/html"), (200, "text/plain")]


def test_a_request_is_in_the_log_before_its_answer_is_read(tmp_path: Path) -> None:
    """A judgment in a test that lacks the last requests."""
    log = tmp_path / "log"

    async def ask(client: TestClient[Any, Any], host: str) -> list[list[str]]:
        found = []
        for path in ("/", "/robots.txt", "/nothing"):
            await client.get(path, headers={"Host": host})
            found.append([record.record(one).url for one in log.read_text().splitlines()[1:]])
        return [[url.rpartition("/")[2] for url in urls] for urls in found]

    assert with_client(ask, log=log) == [[""], ["", "robots.txt"], ["", "robots.txt", "nothing"]]


def test_what_is_not_logged_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawler that is judged by a log without its requests; an end that does not say so."""

    def full(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def ask() -> tuple[bytes, bytes]:
        app = application("broder-1999", 300, 1, log=Path("/dev/null"))
        server = TestServer(app)
        await server.start_server()
        port = server.port or 0
        monkeypatch.setattr(logging.os, "write", full)
        answers = [await raw(port, get("http://a.test/").to_bytes(port)) for _ in range(2)]
        with pytest.raises(WebError, match="No space left"):
            await server.close()
        return answers[0], answers[1]

    assert asyncio.run(ask()) == (b"RESET", b"RESET")


def test_wrong_folders_are_refused(tmp_path: Path) -> None:
    """A folder that hides a host of the web, or that does not exist and is served as empty."""
    planted = Web(profile.load("broder-1999"), 300, 1)
    with pytest.raises(WebError, match="this web has a host of that name"):
        application(planted, folders={planted.name(0): str(tmp_path)})
    with pytest.raises(WebError, match="there is no folder"):
        application(planted, folders={"docs.example": str(tmp_path / "none")})
