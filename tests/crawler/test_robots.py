"""The bans of a robots.txt, in every way of writing it (RFC 9309)."""

from __future__ import annotations

import codecs
import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego._protego import _DISALLOW_DIRECTIVE

from counterpoint.crawler.documents.robots import LARGEST, rules, written

AGENT = "counterpoint"
NOBODY = "User-agent: *\nDisallow: /\n"
HERE = "User-agent: *\nDisallow: /x\n"


def forbids(text: str | bytes, address: str = "http://a.test/x") -> bool:
    """Return whether a robots.txt forbids an address."""
    body = text.encode() if isinstance(text, str) else text
    return bool(rules(200, written(body), "", AGENT).problem(address))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"\xef\xbb\xbf" + NOBODY.encode(), True),
        (NOBODY.replace("\n", "\r"), True),
        (NOBODY.replace("\n", "\r\n"), True),
        ("user-agent:*#all\nDISALLOW : /#all\n", True),
        # The agent is matched by the whole product token, in any case, with any version.
        (f"User-agent: count\nAllow: /\n\n{NOBODY}", True),
        (f"User-agent: counterpoints\nAllow: /\n\n{NOBODY}", True),
        (f"User-agent: point\nAllow: /\n\n{NOBODY}", True),
        ("User-agent: CounterPoint/1.0 (x)\nDisallow: /\n", True),
        (f"User-agent: counterpoint\nDisallow:\n\n{NOBODY}", False),
        (f"{NOBODY}\nUser-agent: counterpoint\nAllow: /\n", False),
        (f"User-agent: counterpoint\nDisallow: /y\n\n{NOBODY}", False),
        ("User-agent: other\nDisallow: /\n", False),
        # Groups of one agent are joined, also across lines that belong to no group.
        ("User-agent: counterpoint\nUser-agent: other\nDisallow: /\n", True),
        ("User-agent: other\nUser-agent: counterpoint\n\nDisallow: /\n", True),
        ("User-agent: counterpoint\nSitemap: /s\nUser-agent: other\nDisallow: /\n", True),
        ("User-agent: counterpoint\nAllow: /y\nUser-agent: other\nDisallow: /\n", False),
        (f"User-agent: counterpoint\nAllow: /y\n\n{HERE}\nUser-agent: counterpoint\n"
         "Disallow: /x\n", True),
        (f"{HERE}\nUser-agent: *\nAllow: /y\n", True),
        ("User-agent: counterpoint\nDisallow: /y\nUser-agent\nAllow: /\n", False),
        ("User-agent: counterpoint\nUser-agents: x\nUser  agent other\nDisallow: /\n", True),
        ("User-agent: counterpoint\nFoo: x\nUser-agent: other\nDisallow: /\n", True),
        ("User-agent: *\nCrawl-delay: 1\n\nUser-agent: other\nDisallow: /\n", False),
        # What follows a token is no part of it, and a line may have several tokens.
        (f"User-agent: counterpoint, other\nDisallow:\n\n{NOBODY}", False),
        ("User-agent: other , counterpoint/2\nDisallow: /\n", True),
        ("User-agent: counterpoint;\nDisallow: /\n", True),
        ("User-agent: *counterpoint*\nDisallow: /\n", True),
        ("User-agent: counterpoint-news\nDisallow: /\n", False),
        ("User-agent: *news\nDisallow: /\n", False),
        # UTF-16 with a byte order mark is read; what may hide rules forbids everything.
        (codecs.BOM_UTF16_LE + HERE.encode("utf-16-le"), True),
        (codecs.BOM_UTF16_BE + HERE.encode("utf-16-be"), True),
        (codecs.BOM_UTF16_BE + HERE.replace("x", "y").encode("utf-16-be"), False),
        (HERE.replace("x", "y").encode("utf-16-le"), True),
        (gzip.compress(b"User-agent: *\nAllow: /\n", mtime=0), True),
        ("Disallow: /\n", False),
        ("", False),
        # The longest rule counts; of two equally long ones, the one that allows.
        ("User-agent: *\nAllow: /x\nDisallow: /\n", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x\n", False),
        ("User-agent: *\nDisallow: /*x$\n", True),
        ("User-agent: *\nDisallow: /%78\n", True),
    ],
)  # fmt: skip
def test_who_is_meant_and_what(text: str | bytes, expected: bool) -> None:
    """A forbidden page that is requested, or an allowed one that is left out."""
    assert forbids(text) == expected


@pytest.mark.parametrize(("status", "refused"), [
    (200, False), (203, False), (204, False), (206, True), (304, True), (404, False), (429, True),
    (503, True), (0, True),
])  # fmt: skip
def test_which_statuses_are_success(status: int, refused: bool) -> None:
    """A site that is excluded because of a status that RFC 9309 calls a success."""
    assert bool(rules(status, "", "", AGENT).refused) == refused


_IGNORED = st.sampled_from(["", "# note", "Foo: x", "Noindex: /", "Clean-param: a", "Sitemap: /s",
                            "Host: a.test", "nonsense", "Request-rate: 1/5"])  # fmt: skip
_OTHERS = ("other", "counterpoints", "point", "counter point", "x, y;")
_OURS = ("counterpoint", "CounterPoint/1.0 (x)", "counterpoint, other", "other,counterpoint",
         "counterpoint;", "counterpoint*")  # fmt: skip
_GROUPS = st.lists(
    st.tuples(
        st.lists(
            st.tuples(_IGNORED, st.sampled_from([*_OTHERS, *_OURS, "*"])), min_size=1, max_size=3
        ),
        st.lists(st.tuples(_IGNORED, st.sampled_from(["/a", "/b", "/c"])), min_size=1, max_size=3),
    ),
    max_size=4,
)
_CODED = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])


@given(_GROUPS, _CODED)
def test_each_group_binds_all_its_agents(
    groups: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]], coded: str
) -> None:
    """A line between two agents, or a way to write them, that frees one of them."""
    lines: list[str] = []
    own: list[str] | None = None
    of_all: list[str] = []
    for agents, banned in groups:
        lines += [line for ignored, agent in agents for line in (ignored, f"User-agent: {agent}")]
        lines += [line for ignored, path in banned for line in (ignored, f"Disallow: {path}")]
        paths = [path for _, path in banned]
        if any(agent in _OURS for _, agent in agents):
            own = [*(own or []), *paths]
        if any(agent == "*" for _, agent in agents):
            of_all += paths
    body = "\n".join(lines).encode(coded)
    forbidden = {path for path in ("/a", "/b", "/c") if forbids(body, f"http://a.test{path}")}
    assert forbidden == set(of_all if own is None else own)


def test_delays_are_of_the_same_group() -> None:
    """The delay of another crawler, or none."""
    text = b"User-agent: *\nCrawl-delay: 9\n\nUser-agent: counterpoint/2\nCrawl-delay: 3\n"
    assert rules(200, written(text), "", AGENT).delay == 3.0
    assert rules(200, written(text), "", "other").delay == 9.0


@pytest.mark.parametrize("word", sorted(_DISALLOW_DIRECTIVE))
def test_a_misspelt_disallow_forbids(word: str) -> None:
    """Forbidden pages fetched because the directive is misspelt."""
    assert forbids(f"User-agent: *\n{word.title()}: /p\n", "http://a.test/p")
    assert not forbids(f"User-agent: *\n{word.title()}: /p\n", "http://a.test/q")


def test_half_a_rule_is_none() -> None:
    """A truncated rule that allows more than the whole one."""
    text = b"User-agent: *\nDisallow: /\n"
    text += b"#" * (LARGEST - len(text) - len(b"\nAllow: /x")) + b"\nAllow: /x"
    assert len(text) == LARGEST
    assert forbids(text + b"yz/only-this\n")
    assert not forbids(text.replace(b"##", b"", 1) + b"\n")


@pytest.mark.parametrize("coded", ["utf-16-le", "utf-16-be"])
def test_half_a_rule_of_two_bytes_a_sign(coded: str) -> None:
    """UTF-16 that is cut within a sign, so that nothing after the cut can be read."""
    text = "\ufeffUser-agent: *\nDisallow: /x\n#"
    body = (text + "\u0a0a" * LARGEST).encode(coded)
    assert len(written(body)) == len(text) - 2
    assert forbids(body) and not forbids(body, "http://a.test/y")


def test_very_many_agents() -> None:
    """Minutes for a robots.txt with a thousand rules for each of fifteen thousand crawlers."""
    text = "".join(f"User-agent: x{number}\n" for number in range(15_000))
    text += "".join(f"Disallow: /{number}\n" for number in range(1_000))
    begun = time.process_time()
    assert not forbids(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (NOBODY + "Sitemap: http://a.test/1\n\nSITEMAP :http://b.test/2.gz#x\n", ["1", "2.gz"]),
        ("\ufeffsitemap: http://a.test/1\rsitemap: http://a.test/1\r  Sitemap:\thttp://a.test/2",
         ["1", "2"]),
        ("User-agent: other\nSitemap: HTTP://A.test/%7e\nDisallow: /", ["~"]),
        ("Sitemap: /relative\nSitemap:\nSitemaps: http://a.test/1\n# Sitemap: http://a.test/2\n"
         "Allow: /x sitemap: http://a.test/3\nSitemap: ftp://a.test/4\n", []),
    ],
)  # fmt: skip
def test_sitemaps_that_are_named(text: str, named: list[str]) -> None:
    """A sitemap that is named for all agents and lost, or an address that is none."""
    found = rules(200, written(text.encode()), "", AGENT).sitemaps
    assert [address.rpartition("/")[2] for address in found] == named
    assert not rules(404, text, "", AGENT).sitemaps
