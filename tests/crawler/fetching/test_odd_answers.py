"""Answers with a status that HTTP does not have, and answers that errors quote at length."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from counterpoint.console import run
from counterpoint.crawler.fetching.network import PageRequest
from counterpoint.crawler.fetching.reading import LONGEST
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import visits
from counterpoint.main import counterpoint

from .loopback import serving
from .test_network import HEAD, ask


@pytest.mark.parametrize("status", ["000", "001", "099", "600", "999"])
@pytest.mark.parametrize("of_robots", [False, True])
def test_status_that_http_does_not_have_is_no_answer(status: str, of_robots: bool) -> None:
    """A page without an answer and without a reason, or one with a status that no list explains."""
    response = f"HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok"
    (answer,) = ask(response.encode(), wanted=PageRequest("", of_robots=of_robots))
    assert (answer.status, answer.body) == (0, b"")
    assert answer.problem == f"answered with status {status}, which HTTP does not have"


QUOTED = [
    b"HTTP/1.1 200 OK\r\nbad\1header" + b"z" * 500_000 + b"\r\n\r\n",
    b"q" * 500_000 + b"\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"k" * 500_000 + b"\r\n",
    HEAD + b"Content-Encoding: " + b"x" * 7_000 + b"\r\nContent-Length: 2\r\n\r\nok",
]


@pytest.mark.parametrize("response", QUOTED)
def test_what_a_problem_quotes_is_cut(response: bytes) -> None:
    """An error of half a megabyte that each visit of a hostile host adds to the store."""
    (answer,) = ask(response)
    assert 0 < len(answer.problem) <= LONGEST
    assert answer.problem.endswith("... (cut)") == (len(answer.problem) == LONGEST)


def crawl(response: bytes, path: Path, *more: str) -> None:
    """Crawl a server on loopback that answers all requests alike."""

    async def crawled() -> int:
        async with serving(response) as port:
            given = ["crawl", "R3", "--db", str(path), "--start", f"http://127.0.0.1:{port}/",
                     "--ignore-robots", *more]  # fmt: skip
            return await asyncio.to_thread(run, counterpoint, given)

    asyncio.run(crawled())


@pytest.mark.parametrize(
    "response",
    [
        b"garbage\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc",
        HEAD + b"Content-Length: 3\r\n\r\n<a>and more",
    ],
)
def test_what_is_no_http_is_said_so(response: bytes) -> None:
    """A problem that quotes the parser's own status, as if the server had answered with it."""
    (answer,) = ask(response)
    assert answer.status == 0
    assert answer.problem.startswith("the answer is no valid HTTP: Bad status line")


def test_store_has_a_short_problem(tmp_path: Path) -> None:
    """A column of the store that is not bounded, whatever the network bounds."""
    path = tmp_path / "a.db"
    crawl(QUOTED[1], path)
    with open_store(path) as store, store.reading() as connection:
        (problem,) = connection.execute(select(visits.c.problem)).scalars()
    assert len(problem) == LONGEST and problem.endswith("... (cut)")


def test_summary_counts_unknown_codings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl that loses all links of a site, and whose summary says that all is well."""
    response = HEAD + b"Content-Encoding: x-lost\r\nContent-Length: 2\r\n\r\nok"
    crawl(response, tmp_path / "a.db")
    said = capsys.readouterr().out
    assert "pages in content codings that are not known, without links: x-lost 1\n" in said
    crawl(response, tmp_path / "b.db", "--format", "json")
    assert json.loads(capsys.readouterr().out)["codings"] == [["x-lost", 1]]
    crawl(HEAD + b"Content-Length: 2\r\n\r\nok", tmp_path / "c.db")
    assert "codings" not in capsys.readouterr().out
