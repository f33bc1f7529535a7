"""Google's cases of robots.txt, and the examples of RFC 9309.

Google's cases are read out of a Python module of tests: it is executed, unchanged, with a matcher
and a class of tests that note what they are asked.
"""

from __future__ import annotations

import sys
import tarfile
import types
import urllib.robotparser
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

from protego import Protego

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.documents.robots import rules, written
from tests.needs import find

from .suite import OURS, Case, Suite

PACKAGE = "gpyrobotstxt"
_MODULE = "gpyrobotstxt-1.0.0/test/test_google_only_system.py"


class Question(NamedTuple):
    """Whether an agent may fetch an address."""

    robots: str
    agent: str
    address: str


def cases() -> list[Case]:
    """Return Google's cases."""
    path = find(PACKAGE)
    assert path is not None
    with tarfile.open(path) as archive:
        member = archive.extractfile(_MODULE)
        assert member is not None
        source = member.read().decode()
    asked: list[tuple[str, Question, bool]] = []
    place = ""

    class Matcher:
        def one_agent_allowed_by_robots(self, robots: str, agent: str, address: str) -> Question:
            return Question(robots, agent, address)

        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *_: None  # of Google's class, and not of the protocol

    class TestCase:
        def assertTrue(self, question: Question | None) -> None:
            if question is not None:
                asked.append((place, question, True))

        def assertFalse(self, question: Question | None) -> None:
            if question is not None:
                asked.append((place, question, False))

        def assertEqual(self, *_: Any) -> None:
            """Compare nothing: of Google's class."""

    stub, unit = types.ModuleType("gpyrobotstxt.robots_cc"), types.ModuleType("unittest")
    stub.RobotsMatcher, unit.TestCase = Matcher, TestCase  # type: ignore[attr-defined]
    stubs = {
        "gpyrobotstxt": types.ModuleType("gpyrobotstxt"),
        stub.__name__: stub,
        "unittest": unit,
    }
    names: dict[str, Any] = {"__name__": "google"}
    with mock.patch.dict(sys.modules, stubs):
        exec(compile(source, _MODULE, "exec"), names)
    for name in vars(names["TestGoogleOnlySystem"]):
        if name.startswith("test_"):
            place, one = name.removeprefix("test_"), names["TestGoogleOnlySystem"]()
            one.setUp()
            getattr(one, name)()
    return [
        Case(f"{name} {number}", question, allowed)
        for number, (name, question, allowed) in enumerate(asked)
    ]


def ours(question: Question) -> bool:
    """Return whether we fetch; an address that cannot be one is the root of a site."""
    address = normalized(question.address) or "http://h.test/"
    text = written(question.robots.encode())
    return not rules(200, text, "", question.agent).problem(address)


def _protego(question: Question) -> bool:
    found: bool = Protego.parse(question.robots).can_fetch(question.address, question.agent)
    return found


def _standard_library(question: Question) -> bool:
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(question.robots.splitlines())
    return parser.can_fetch(question.agent, question.address)


_READERS = {OURS: ours, "Protego": _protego, "urllib.robotparser": _standard_library}

SECTIONS = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
"""A file like the one of RFC 9309, 5.1."""


def rfc() -> list[Case]:
    """Return what RFC 9309 says of its examples (2.2.1 to 2.2.3, 5.1 and 5.2)."""
    longest = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
    merged = ("user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\n"
              "user-agent: ExampleBot\ndisallow: /baz\n")  # fmt: skip
    table = [  # 2.2.2: a path of a rule, and an address that it matches
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),  # 2.2.3
        ("/path/foo-%24", "/path/foo-$"),
    ]
    asked = [
        ("5.1", SECTIONS, "unknown", "/a.gif", False), ("5.1", SECTIONS, "unknown", "/a", True),
        ("5.1", SECTIONS, "unknown", "/a.gif?b", True),
        ("5.1", SECTIONS, "unknown", "/example/a", False),
        ("5.1", SECTIONS, "unknown", "/publications/", True),
        ("5.1", SECTIONS, "foobot", "/", False),
        ("5.1", SECTIONS, "foobot", "/publications/", False),
        ("5.1", SECTIONS, "foobot", "/example/page.html", True),
        ("5.1", SECTIONS, "FooBot", "/example/allowed.gif", True),
        ("5.1", SECTIONS, "barbot", "/example/page.html", False),
        ("5.1", SECTIONS, "bazbot", "/example/page.html", False),
        ("5.1", SECTIONS, "bazbot", "/example/", True),
        ("5.1", SECTIONS, "quxbot", "/example/", True), ("5.1", SECTIONS, "quxbot", "/a.gif", True),
        ("5.2", longest, "foobot", "/example/page/", True),
        ("5.2", longest, "foobot", "/example/page/disallowed.gif", False),
        ("2.2.1", merged, "ExampleBot", "/foo", False),
        ("2.2.1", merged, "examplebot", "/baz", False),
        ("2.2.1", merged, "ExampleBot", "/quux", True), ("2.2.1", merged, "OtherBot", "/foo", True),
        ("2.2.2", "user-agent: *\ndisallow: /a\nallow: /a\n", "x", "/a", True),
        ("2.2.3", "user-agent: *\ndisallow: / # all\n", "x", "/a", False),
        ("2.2.3", "user-agent: *\nallow: /this/path/exactly$\ndisallow: /\n", "x",
         "/this/path/exactly", True),
        ("2.2.3", "user-agent: *\nallow: /this/path/exactly$\ndisallow: /\n", "x",
         "/this/path/exactly/", False),
        ("2.2.3", "user-agent: *\nallow: /this/*/exactly\ndisallow: /\n", "x",
         "/this/a/b/exactly", True),
        ("2.2.4", "user-agent: *\nsitemap: https://h.test/s\ndisallow: /\n", "x", "/a", False),
        *(("2.2.2", f"user-agent: *\ndisallow: {path}\n", "x", address, False)
          for path, address in table),
    ]  # fmt: skip
    return [
        Case(f"{section} {number}", Question(text, agent, f"http://h.test{path}"), allowed)
        for number, (section, text, agent, path, allowed) in enumerate(asked)
    ]


GOOGLE = Suite(
    "robots.txt: Google's cases", PACKAGE, cases, _READERS,
    {
        "the name of the agent is no product token (RFC 9309, 2.2.1): it has a space":
            lambda case: " " in case.given.agent,
        "RFC 9309, 2.2.2, compares after escapes are normalized; Google's matcher leaves that to "
        "its caller": lambda case: case.name.startswith("ID_Encoding "),
        "Google cuts lines after 16,664 bytes; we read them whole":
            lambda case: case.name.startswith("GoogleOnly_LineTooLong "),
    },
)  # fmt: skip
RFC = Suite("robots.txt: examples of RFC 9309", "", rfc, _READERS)
