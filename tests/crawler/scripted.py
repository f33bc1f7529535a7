"""A web of a few addresses, written by the test, behind a proxy on loopback."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import NamedTuple


class Page(NamedTuple):
    """An answer; with Content-Type text/html unless its headers say otherwise."""

    body: bytes | str = ""
    status: int = 200
    headers: Mapping[str, str] = {}


class Scripted:
    """The proxy's answers, and the requests that it received.

    Attributes
    ----------
    pages : dict of str to Page
        By absolute address; others are 404.
    asked : list of str
        Every requested address, in order.
    agents : set of str
        The User-Agents of the requests.
    proxy : str
        The proxy's address.
    """

    def __init__(self, pages: Mapping[str, Page], name: str) -> None:
        self.pages, self.name = dict(pages), name
        self.asked: list[str] = []
        self.agents: set[str] = set()
        self.proxy = ""


@contextmanager
def scripted(pages: Mapping[str, Page], name: str = "other") -> Iterator[Scripted]:
    """Answer through a proxy that has a given name in the header Server."""
    script = Scripted(pages, name)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def version_string(self) -> str:
            return script.name

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            """Answer as the script says."""
            script.asked.append(self.path)
            script.agents.add(self.headers["User-Agent"])
            page = script.pages.get(self.path, Page("nothing", 404))
            body = page.body.encode() if isinstance(page.body, str) else page.body
            self.send_response(page.status)
            headers = {"Content-Type": "text/html", "Content-Length": str(len(body))}
            for key, value in (headers | dict(page.headers)).items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

    with _Quiet(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        script.proxy = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()


class _Quiet(ThreadingHTTPServer):
    """A server that prints nothing when a client disconnects."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def raw(answer: bytes) -> Iterator[str]:
    """Answer every connection with some bytes and close it; yield the server's address."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True  # do not wait for a client that sends nothing
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class FakeTime:
    """A clock that advances when a caller sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.slept.append(seconds)
        self.now += seconds
