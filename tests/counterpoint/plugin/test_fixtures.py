"""The fixtures of the plugin in tests of users."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.long


def test_a_test_gets_a_synthetic_web(pytester: pytest.Pytester) -> None:
    """A server of another web, that is shared by two tests, or that stays after its test."""
    pytester.makepyfile("""
        import threading
        import urllib.request

        def fetch(web, url):
            proxy = urllib.request.ProxyHandler({"http": web.proxy})
            return urllib.request.build_opener(proxy).open(url).status

        def test_two_webs(synthetic_web):
            one = synthetic_web("broder-1999", pages=300, seed=7)
            other = synthetic_web("broder-1999", 300, 8)
            assert (one.web.pages, one.web.seed, other.web.seed) == (300, 7, 8)
            assert one.start != other.start
            assert fetch(one, one.start) == fetch(other, other.start) == 200
            assert [request.url for request in one.requests()] == [one.start]
            assert one.judgment().coverage.fetched == 1
            assert not one.truth.disallowed(one.start, "test")

        def test_no_server_stays(synthetic_web):
            assert threading.active_count() == 1
            assert synthetic_web("broder-1999", 300).requests() == []
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error")
    result.assert_outcomes(passed=2)


POLICY = """
from counterpoint.crawler import Request


class Oldest:
    def __init__(self, setting):
        self.why, self.todo, self.seen = "", list(setting.starts), set(setting.starts)

    def next(self):
        if not self.todo:
            self.why = "nothing is left"
            return None
        return Request(self.todo.pop(0))

    def observe(self, outcome):
        for page in outcome.links.tolist():
            if page not in self.seen:
                self.seen.add(page)
                self.todo.append(page)
"""
TEST = """
def test_order(policy_crawl):
    found = policy_crawl("my_policy:Oldest", "broder-1999", pages=50, web_pages=400, seeds=2)
    assert list(found.now.seeds) == [0, 1]
"""


def test_a_policy_is_compared_with_its_baseline(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing baseline that passes, a changed order that passes, or a baseline that CI writes."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    policy = pytester.path / "my_policy.py"
    policy.write_text(POLICY)
    pytester.makepyfile(test_it=TEST)

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    missing = run()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines([
        "my_policy:Oldest on broder-1999",
        "*it has no baseline; pytest --counterpoint-accept test_it.py::test_order makes it",
    ])  # fmt: skip
    monkeypatch.setenv("CI", "true")
    refused = run("--counterpoint-accept")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --counterpoint-accept: CI is set*"])
    assert not (pytester.path / "baselines").exists()
    written = run("--counterpoint-accept", "--counterpoint-force")
    written.assert_outcomes(passed=1)
    written.stdout.fnmatch_lines(["counterpoint: wrote baselines/policies/broder-1999/*: new"])
    run().assert_outcomes(passed=1)
    policy.write_text(POLICY.replace("pop(0)", "pop()"))
    changed = run()
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines([
        "*the order of visits changed on 2 of 2 webs: step * visits page *",
        "To reproduce: counterpoint compare my_policy:Oldest --web broder-1999 --pages 50 *",
        "* pytest test_it.py::test_order",
        "To accept: *pytest --counterpoint-accept test_it.py::test_order",
    ])  # fmt: skip
    assert "crawls.py" not in changed.stdout.str()


def test_an_error_in_a_crawl_is_one_sentence(pytester: pytest.Pytester) -> None:
    """A stack of our own frames for a policy or a web that does not exist."""
    pytester.makepyfile("""
        def test_policy(policy_crawl):
            policy_crawl("none", "broder-1999")

        def test_web(policy_crawl):
            policy_crawl("R1", "none")
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*there is no policy*none*", "*there is no profile 'none'*"])
    assert "During handling" not in result.stdout.str()
    assert "crawls.py" not in result.stdout.str()
