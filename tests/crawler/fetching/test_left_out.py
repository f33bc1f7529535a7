"""Answers that a rule leaves out by their type or size: their bodies are not read."""

from __future__ import annotations

import tracemalloc

import pytest

from counterpoint.crawler.documents.answer_rules import answer_rules
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.messages import Message
from counterpoint.crawler.fetching.network import PageRequest

from .test_network import HEAD, ask, for_ever


def limits(*exclude: str) -> Limits:
    """Return the default limits with rules of exclusion."""
    return Limits(rules=answer_rules((), exclude))


@pytest.mark.parametrize(
    ("head", "rule"),
    [
        (HEAD, "type:text/html"),
        (HEAD.replace(b"text/html", b"image/png"), "type:image/*"),
        (HEAD + b"Content-Length: 9999999\r\n", "size:>5MB"),
        (HEAD, "size:>300kB"),
    ],
)
@pytest.mark.parametrize("keeps", [False, True])
def test_a_body_is_not_read(head: bytes, rule: str, keeps: bool) -> None:
    """A body that is read to its end, which never comes, or up to the limit of all bodies."""
    kept: list[Message] = []

    async def keep(message: Message) -> None:
        kept.append(message)

    tracemalloc.start()
    (answer,) = ask(for_ever(b"x" * 65536, head + b"\r\n"), limits=limits(rule),
                    keep=keep if keeps else None)  # fmt: skip
    assert tracemalloc.get_traced_memory()[1] < 6_000_000
    tracemalloc.stop()
    assert (answer.status, answer.body, answer.passing) == (200, b"", False)
    assert answer.problem == f"left out: --exclude {rule}"
    assert answer.headers["Content-Type"]
    for message in kept:
        assert message.cut == ("length" if "300" in rule else "unspecified")
        assert len(message.body) < 1_000_000
    assert len(kept) == keeps


def test_what_rules_do_not_touch() -> None:
    """A robots.txt that is not read, an error, a page of just the size, or one that is packed."""
    rules = limits("type:text/*", "size:>10B")
    body = b"User-agent: *\nDisallow: /x\n"
    length = f"Content-Length: {len(body)}\r\n\r\n".encode()
    (robots,) = ask(HEAD + length + body, wanted=PageRequest("", of_robots=True), limits=rules)
    assert (robots.body, robots.problem) == (body, "")
    (gone,) = ask(b"HTTP/1.1 404 No\r\nContent-Type: text/html\r\n" + length + body, limits=rules)
    assert (gone.status, gone.problem) == (404, "")
    (whole,) = ask(HEAD + length + body, limits=limits(f"size:>{len(body)}B"))
    assert (whole.body, whole.problem) == (body, "")
    (page,) = ask(HEAD + length + body, limits=limits(f"size:>{len(body) - 1}B"))
    assert (page.body, page.problem) == (b"", f"left out: --exclude size:>{len(body) - 1}B")
    (cut,) = ask(for_ever(b"x" * 65536), limits=Limits(body=5000, rules=limits("size:>1MB").rules))
    assert cut.problem == "longer than 5,000 bytes: cut", "the crawl's own limit is no rule"
