"""A PostgreSQL server that ends or starts while a store is opened: it is waited for."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from counterpoint.console import run
from counterpoint.crawler.errors import ConnectionLostError, CrawlError
from counterpoint.crawler.store import opening
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.reconnecting import reconnecting
from counterpoint.main import counterpoint
from tests.postgres import Server, new_server


@pytest.fixture
def ending() -> Iterator[tuple[Server, str, psycopg.Connection]]:
    """Yield a server that ends as soon as its last connection is closed, and takes no others."""
    with new_server() as server:
        where = server.database()
        open_store(where, create=True).close()
        with psycopg.connect(where) as held:
            assert server.process is not None
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(psycopg.OperationalError, match="is shutting down"):
                while time.sleep(0.01) is None:
                    psycopg.connect(where).close()
            yield server, where, held


def test_server_that_is_restarted_is_waited_for(
    ending: tuple[Server, str, psycopg.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that starts during a restart, and says that its command is wrong."""
    server, where, held = ending
    tried: list[float] = []
    monkeypatch.setattr(opening, "reconnecting", lambda work: reconnecting(counted(work)))

    def counted(work: Callable[[], Any]) -> Callable[[], Any]:
        def attempt() -> Any:
            tried.append(time.monotonic())
            return work()

        return attempt

    with ThreadPoolExecutor(1) as threads:
        opened = threads.submit(open_store, where)
        while len(tried) < 2:  # the first attempt has failed
            assert not opened.done(), opened.exception()
            time.sleep(0.01)
        held.close()
        server.stop(signal.SIGTERM)
        server.start()
        opened.result(30).close()


def test_server_that_does_not_come_back(
    ending: tuple[Server, str, psycopg.Connection], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A wait without an end, or another exit code than that of a running crawl."""
    server, where, held = ending
    monkeypatch.setattr(opening, "reconnecting", lambda work: reconnecting(work, (0,)))
    assert run(counterpoint, ["crawl", "R3", "--db", where]) == 3
    error = capsys.readouterr().err
    assert "the server ends or starts (" in error and error.count("\n") == 1, error
    held.close()
    server.stop(signal.SIGTERM)
    # Nobody answers now. That is a wrong address, unless a server was seen that ends.
    begun = time.monotonic()
    with pytest.raises(CrawlError) as found:
        open_store(where)
    assert not isinstance(found.value, ConnectionLostError) and time.monotonic() - begun < 5
