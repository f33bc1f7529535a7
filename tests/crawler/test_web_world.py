"""The world of addresses: which links a policy gets, depending on its scope."""

from __future__ import annotations

import pytest

from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.worlds.web_world import WebWorld

TOLD = {
    "http://a.test/": Exchange(
        "http://a.test/", 200, "",
        ("http://b.test/", "http://a.test/x/", "https://a.test/y", "http://a.test/x",
         "http://a.test/"), 7, 90, 1.5,
    ),
    "http://a.test/x/": Exchange("http://a.test/x/", 200, "http://c.test/", ("http://c.test/",), 1),
    "https://a.test/y": Exchange("https://a.test/y", 404, problem="x"),
    "http://b.test/": Exchange("http://b.test/", 200, "http://b.test/z", ("http://b.test/",)),
}  # fmt: skip


class Told:
    """A source that returns the exchanges above."""

    def get(self, address: str) -> Exchange:
        """Return the exchange for an address."""
        return TOLD[address]


def world(scope: Scope, *starts: str) -> WebWorld:
    """Return a world of the exchanges above."""
    return WebWorld(Told(), starts, scope)


def test_a_policy_for_sites_hears_of_its_site_alone() -> None:
    """A crawl of a site that leaves it by a link, a redirect or another scheme."""
    found = world(Scope.SITE, "HTTP://A.test", "http://b.test")
    assert found.starts == [0, 1]
    first = found.fetch(0)
    offered = [found.handles.address(page) for page in first.links.tolist()]
    assert offered == ["http://a.test/x/", "https://a.test/y", "http://a.test/"]
    assert first._replace(links=None) == (0, 200, None, 7, 90, 0, 1.5, None)  # type: ignore[arg-type]
    left = found.fetch(found.handles.handle("http://a.test/x"))
    assert (left.status, left.links.tolist(), left.external) == (302, [], 0)
    missing = found.fetch(found.handles.handle("https://a.test/y"))
    assert (missing.status, missing.links.tolist(), missing.external) == (404, [], 0)
    assert found.fetch(1).links.tolist() == [1]


def test_a_policy_for_the_web_hears_of_all() -> None:
    """A link to another site that the policy does not get."""
    found = world(Scope.WEB, "http://a.test/")
    offered = [found.handles.address(page) for page in found.fetch(0).links.tolist()]
    assert offered == ["http://b.test/", "http://a.test/x/", "https://a.test/y", "http://a.test/"]
    assert found.fetch(2).external == 1


def test_a_policy_for_the_web_can_be_kept_on_some_sites() -> None:
    """A crawl of given sites that leaves them, or that does not follow links between them."""
    found = WebWorld(Told(), ["http://a.test/", "http://d.test/"], Scope.WEB, stay=True)
    offered = [found.handles.address(page) for page in found.fetch(0).links.tolist()]
    assert offered == ["http://a.test/x/", "https://a.test/y", "http://a.test/"]
    assert found.fetch(2).status == 302
    found = WebWorld(Told(), ["http://a.test/", "http://b.test/"], Scope.WEB, stay=True)
    assert found.fetch(0).links.tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize(
    ("scope", "starts", "message"),
    [
        (Scope.SITE, ["a.test"], "'a.test' is no address such as http"),
        (Scope.SITE, ["http://a.test/x", "https://A.test"], "are both on a.test: a site has one"),
        (Scope.WEB, ["http://a.test/x", "http://A.test/x/"], "are one page"),
        (Scope.KNOWN, ["http://a.test/"], "needs a world of known pages"),
    ],
)
def test_starts_that_are_wrong(scope: Scope, starts: list[str], message: str) -> None:
    """A site that is counted twice."""
    with pytest.raises(CrawlError, match=message):
        WebWorld(Told(), starts, scope)
    assert len(WebWorld(Told(), ["http://a.test/x", "http://a.test/y"], Scope.WEB).starts) == 2
