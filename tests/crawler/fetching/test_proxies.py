"""Proxies that demand credentials, on loopback."""

from __future__ import annotations

import asyncio
import gzip
from base64 import b64encode
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.crawler.beebot.plan import CrawlSettings
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import AGENT
from counterpoint.crawler.fetching.network import Answer, Network, PageRequest
from counterpoint.crawler.fetching.proxies import VARIABLE, proxy_address
from counterpoint.crawler.fetching.warc import Warc
from counterpoint.main import counterpoint
from counterpoint.studio.wishing import MANNERS, manners, shown

SECRET = "pass:wörd"
BASIC = b"Basic " + b64encode(f"me:{SECRET}".encode())
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok"
DEMAND = b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"


class DemandingProxy:
    """Answers requests that have the credentials with a page, and the others with 407.

    Connections stay open. A tunnel is refused with 503 if its request has the credentials.

    Parameters
    ----------
    page : bytes
        The answer with a page.
    """

    def __init__(self, page: bytes = PAGE) -> None:
        self.page = page
        self.heads: list[bytes] = []
        self.connections = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.heads.append(head)
                right = b"Proxy-Authorization: " + BASIC + b"\r\n" in head
                tunnel = b"HTTP/1.1 503 No tunnel\r\nContent-Length: 0\r\n\r\n"
                page = tunnel if head.startswith(b"CONNECT") else self.page
                writer.write(page if right else DEMAND)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def fetched(*addresses: str, proxy: DemandingProxy, warc: Path | None = None) -> list[Answer]:
    """Request pages through the proxy, one after the other."""

    async def all_of_them() -> list[Answer]:
        server = await asyncio.start_server(proxy.answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        kept = None if warc is None else Warc(warc, AGENT)
        network = Network(f"127.0.0.1:{port}", keep=None if kept is None else kept.keep)
        try:
            return [await network.fetch(PageRequest(address)) for address in addresses]
        finally:
            await network.close()
            server.close()
            await server.wait_closed()
            if kept is not None:
                kept.close()

    return asyncio.run(all_of_them())


def test_each_request_has_the_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Credentials that only the first request of a connection has, or that a WARC file has."""
    monkeypatch.setenv(VARIABLE, f"me:{SECRET}")
    proxy = DemandingProxy()
    answers = fetched("http://a.test/", "http://b.test/", "http://b.test/c", proxy=proxy,
                      warc=tmp_path / "kept")  # fmt: skip
    assert [answer.body for answer in answers] == [b"ok"] * 3
    assert proxy.connections == 1
    for path in (tmp_path / "kept").iterdir():
        assert b"Proxy-Authorization" not in gzip.decompress(path.read_bytes())


def test_tunnel_has_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that the site behind a tunnel gets, and the proxy does not."""
    monkeypatch.setenv(VARIABLE, f"me:{SECRET}")
    proxy = DemandingProxy()
    (answer,) = fetched("https://a.test/", proxy=proxy)
    assert answer.problem == "the proxy makes no tunnel for https: 503"
    assert proxy.heads[0].count(BASIC) == 1


@pytest.mark.parametrize("address", ["http://a.test/", "https://a.test/"])
def test_demand_ends_the_crawl(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site of which each page is stored with the status 407, as if its server had sent it."""
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(CrawlError, match=f"demands credentials; set {VARIABLE}=user:password"):
        fetched(address, proxy=DemandingProxy())
    monkeypatch.setenv(VARIABLE, "me:wrong")
    with pytest.raises(CrawlError, match=f"refuses the credentials in {VARIABLE}") as refused:
        fetched(address, proxy=DemandingProxy())
    assert "wrong" not in str(refused.value)


def test_status_of_a_site_does_not_end_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that ends each crawl through a proxy with a status that only proxies should send."""
    monkeypatch.setenv(VARIABLE, f"me:{SECRET}")
    page = b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"
    (answer,) = fetched("http://a.test/", proxy=DemandingProxy(page))
    assert (answer.status, answer.problem) == (407, "")


@pytest.mark.parametrize("wrong", ["secret", "me:sec\nret"])
def test_credentials_that_are_none_are_not_repeated(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password that is printed because its name is missing, or a header that it divides."""
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(CrawlError, match="must be user:password") as refused:
        Network("127.0.0.1:8080")
    assert "sec" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["", "http://", "https://", "HTTP:/"])
def test_password_in_an_address_is_refused_and_not_repeated(
    scheme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A password in a message, in the store, or on a page of the studio."""
    address = f"{scheme}me:secret@127.0.0.1:8080"
    with pytest.raises(CrawlError, match=VARIABLE) as refused:
        proxy_address(address)
    assert "secret" not in str(refused.value)
    db = tmp_path / "crawl.db"
    given = ["crawl", "R3", "--db", str(db), "--start", "http://a.test/", "--proxy", address]
    assert run(counterpoint, given) == 2
    assert "secret" not in "".join(capsys.readouterr())
    assert not db.exists()
    form, _ = manners({"normalize": "safe", "proxy": address}, CrawlSettings())
    assert VARIABLE in form.errors["proxy"] and "secret" not in str(form)
    assert "secret" not in str(shown(CrawlSettings(proxy=address), MANNERS))
