"""Policies that break a rule while they plan the crawl of a store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Scope, Setting
from counterpoint.crawler.store.opening import Store

from .inprocess import InProcess, answers_of, crawled
from .tree import TREE, Stopping, rows, run, tree_store


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield a store with the sites of `TREE`."""
    with tree_store(place) as store:
        yield store


class Strange:
    """A policy that breaks the rule that its parameter ``does`` names."""

    scope = Scope.SITE

    def __init__(self, setting: Setting) -> None:
        self.why, self.pages = "", list(setting.starts)
        self.does = setting.parameters.get("does", "")
        self.count = 0

    def next(self) -> Request | None:
        """Request pages, and break the rule at the third call."""
        self.count += 1
        if self.count == 3:
            return self.strange()
        return Request(self.pages.pop(0)) if self.pages else None

    def strange(self) -> Any:
        """Break the rule."""
        if self.does == "raise":
            raise KeyError("x")
        return {"text": "page", "far": Request(10**30), "again": Request(0), "type": Request("a")}[  # type: ignore[arg-type]
            self.does
        ]

    def observe(self, outcome: Outcome) -> None:
        """Remember new pages."""
        if self.does == "observe" and self.count == 2:
            raise RuntimeError("no")
        self.pages += [page for page in outcome.links.tolist() if page not in self.pages]


@pytest.mark.parametrize(("does", "message"), [
    ("raise", r"step 3: KeyError: 'x' \(test_faulty_policies.py"),
    ("text", "step 3: returned 'page', which is not a Request"),
    ("far", "step 3: requested page 10{30}, which it has not seen yet"),
    ("again", "step 3: requested page 0 a second time"),
    ("type", "step 3: requested 'a', which is not an integer"),
    ("observe", r"step 2: RuntimeError: no \(test_faulty_policies.py"),
])  # fmt: skip
def test_a_policy_that_misbehaves(store: Store, does: str, message: str) -> None:
    """A crash, or a page that is lost when the policy fails."""
    name = f"tests.crawler.beebot.test_faulty_policies:Strange,does={does}"
    _, ended = crawled(store, InProcess(answers_of(TREE)), scheduler=name)
    assert ended.failed and ended.over
    assert re.match(f"{name}: {message}", ended.why)
    assert len(rows(store, "SELECT 1 FROM pages WHERE status = 200")) == 2
    assert rows(store, "SELECT failed FROM plans") == [(True,)]


_unsteady = [0]


class Unsteady(Strange):
    """A policy that requests other pages each time it is created."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        _unsteady[0] += 1
        if _unsteady[0] > 1:
            self.pages.reverse()

    def strange(self) -> Any:
        """Request another page; no rule is broken."""
        return Request(self.pages.pop(0))


def test_an_unrepeatable_policy_is_named(store: Store) -> None:
    """A resumed crawl whose scheduler is in another state than before."""
    _unsteady[0] = -1  # one is made when it begins
    name = "tests.crawler.beebot.test_faulty_policies:Unsteady"
    begin(store, {"scheduler": name})
    _unsteady[0] = 0
    run(store, Stopping(answers_of(TREE)))
    message = r"Unsteady: does not repeat its decisions .* requests page 1 in place of page 0"
    with pytest.raises(CrawlError, match=message):
        run(store, InProcess(answers_of(TREE)))
