"""Rules of scope: what each kind means, and what is refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.addresses import LONGEST, normalized
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError

HOSTS = ("a.test", "www.a.test", "ba.test", "a.test:8080", "b.test", "xn--bcher-kva.test")
PATHS = ("", "docs", "docs/", "docs/a", "docsx", "cal/2026/1", "?sort=1", "docs/?a=1&sort=2")
ADDRESSES = [normalized(f"{scheme}://{host}/{path}") or ""
             for scheme in ("http", "https") for host in HOSTS for path in PATHS]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "applies"),
    [
        ("host:A.test", lambda scheme, host, path: host == "a.test"),
        ("host:a.test:8080", lambda scheme, host, path: host == "a.test:8080"),
        ("host:bücher.test", lambda scheme, host, path: host == "xn--bcher-kva.test"),
        ("domain:a.test", lambda scheme, host, path: host in HOSTS[:2] or host == HOSTS[3]),
        ("domain:.A.test", lambda scheme, host, path: host in HOSTS[:2] or host == HOSTS[3]),
        ("domain:test", lambda scheme, host, path: True),
        ("path:/docs/", lambda scheme, host, path: path.startswith("docs/")),
        ("path:/docs/?", lambda scheme, host, path: path.startswith("docs/?")),
        ("path:/docs", lambda scheme, host, path: path.startswith("docs")),
        ("url:https://a.test/docs",
         lambda scheme, host, path: (scheme, host) == ("https", "a.test") and path[:4] == "docs"),
        ("regex:[?&]sort=", lambda scheme, host, path: "sort=" in path),
        ("regex:^http:", lambda scheme, host, path: scheme == "http"),
    ],
)  # fmt: skip
def test_each_kind(rule: str, applies: object) -> None:
    """A host that is taken for its domain, ``ba.test`` below ``a.test``, or a lost port."""
    assert callable(applies)
    for address in ADDRESSES:
        scheme, host, path = address.replace("://", "/").split("/", 2)
        wanted = applies(scheme, host, path)
        assert ScopeRules((rule,)).problem(address) == (
            "" if wanted else "left out: no --include applies"
        ), address
        assert ScopeRules((), (rule,)).problem(address) == (
            f"left out: --exclude {rule}" if wanted else ""
        ), address


RULE = st.sampled_from(
    ["host:a.test", "domain:a.test", "path:/docs/", "regex:sort", "url:http://b.test/"]
)


@given(st.lists(RULE, max_size=3), st.lists(RULE, max_size=3), st.sampled_from(ADDRESSES))
def test_rules_together(include: list[str], exclude: list[str], address: str) -> None:
    """An inclusion that overrides an exclusion, or inclusions that must all apply."""
    applies = {rule: not ScopeRules((rule,)).problem(address) for rule in include + exclude}
    wanted = (not include or any(map(applies.get, include))) and not any(map(applies.get, exclude))
    found = ScopeRules(tuple(include), tuple(exclude)).problem(address)
    assert (found == "") == wanted
    first = next((rule for rule in exclude if applies[rule]), None)
    assert first is None or found.endswith(first)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("docs", "a rule is KIND:VALUE, and KIND is host, domain, path, url, regex"),
        ("port:80", "a rule is KIND:VALUE"),
        ("host:", "has no value"),
        ("host:a b", "'a b' is no host"),
        ("host:a.test/x", "'a.test/x' is no host"),
        ("host:me@a.test", "'me@a.test' is no host"),
        ("host:a.test:443", "a port that a scheme has by default is left out"),
        ("path:/a#b", "a fragment (#) is no part of what is asked for"),
        ("path:/docs/../", "a part of a path is . or .."),
        ("domain:a.test:8080", "a domain has no port"),
        ("path:docs", "a path begins with /"),
        ("url:ftp://a.test/", "is no address of http or https"),
        ("regex:(a", "is no pattern of RE2 (missing ): (a)"),
        ("regex:(?=a)", "is no pattern of RE2"),
        ("regex:" + "a" * (LONGEST + 1), "is longer than 8,000 characters"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_refused(rule: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A wrong rule that is found in the midst of a crawl, or a message that does not name it."""
    with pytest.raises(CrawlError) as error:
        ScopeRules((), (rule,))
    assert str(error.value).startswith(f"--exclude {rule[:40]}")
    assert why in str(error.value)
    assert capfd.readouterr() == ("", "")  # RE2 writes its errors to standard error


def test_a_pattern_cannot_stop_a_crawl() -> None:
    """A pattern that is tried in every way, as by Python's ``re``: it would take years."""
    rules = ScopeRules((), ("regex:(a+)+$",))
    begun = time.process_time()
    assert rules.problem("http://a.test/" + "a" * 5_000 + "b") == ""
    assert time.process_time() - begun < 5


def test_a_start_page_must_be_in_scope() -> None:
    """A crawl that would end at once, without a word."""
    with pytest.raises(CrawlError) as error:
        ScopeRules((), ("host:b.test",)).require(["http://a.test/", "http://b.test/x"])
    assert str(error.value) == (
        "http://b.test/x is a start page, and is left out: --exclude host:b.test"
    )
