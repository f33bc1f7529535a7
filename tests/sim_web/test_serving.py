"""A web that is served from a thread of a test, with its log and its truth."""

from __future__ import annotations

import threading
import urllib.request
from pathlib import Path

import pytest

from counterpoint.sim_web import RunningWeb, profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.serving import web_of
from counterpoint.sim_web.world.site import SyntheticSite


def fetch(web: RunningWeb, url: str, agent: str) -> bytes:
    """Fetch a page through a web's proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": web.proxy}))
    opener.addheaders = [("User-Agent", agent)]
    with opener.open(url) as answer:
        return bytes(answer.read())


def test_a_running_web_answers_logs_and_ends(tmp_path: Path) -> None:
    """A thread that stays, a page of another web, or a request that is missing in the log."""
    threads = threading.active_count()
    with RunningWeb("broder-1999", 300, 7, log=tmp_path / "log") as web:
        assert fetch(web, web.start, "one") == (
            SyntheticSite(web.web).answer(Question(web.start, 0.0)).body
        )
        assert [(r.url, r.agent, r.page is not None) for r in web.requests()] == [
            (web.start, "one", True)
        ]
        fetch(web, web.starts(2)[1], "two")
        assert (web.judgment().about.requests, web.judgment("two").about.requests) == (2, 1)
        assert web.truth.web.named(web.start[len("http://") : -1]) is not None
        with pytest.raises(WebError, match="contains no request by 'three'"):
            web.judgment("three")
    assert threading.active_count() == threads
    with pytest.raises(OSError):  # refused
        fetch(web, web.start, "late")
    assert len(web.requests()) == 2


def test_a_web_that_cannot_start_says_why(tmp_path: Path) -> None:
    """A test that waits for ever for a server that failed, or a thread that stays."""
    threads = threading.active_count()
    (tmp_path / "log").write_text("something else")
    with (
        pytest.raises(WebError, match="is not empty"),
        RunningWeb("broder-1999", 300, log=tmp_path / "log"),
    ):
        pytest.fail("it has started")
    assert threading.active_count() == threads


def test_a_web_is_named_in_several_ways() -> None:
    """A profile, a name or a web that gives another web than the others."""
    kind = profile.load("broder-1999")
    found = [web_of("broder-1999", 300, 2), web_of(kind, 300, 2), web_of(Web(kind, 300, 2), 9, 9)]
    assert len({(web.pages, web.seed, web.name(0)) for web in found}) == 1
