"""What robots.txt forbids, however it is written (RFC 9309)."""

from __future__ import annotations

import time

import pytest
from protego._protego import _DISALLOW_DIRECTIVE

from counterpoint.crawler.documents.robots import LARGEST, rules

AGENT = "counterpoint"
NOBODY = "User-agent: *\nDisallow: /\n"
HERE = "User-agent: *\nDisallow: /x\n"


def forbids(text: str | bytes, address: str = "http://a.test/x") -> bool:
    """Tell whether a robots.txt forbids an address."""
    body = text.encode() if isinstance(text, str) else text
    return bool(rules(200, body, "", AGENT).problem(address))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"\xef\xbb\xbf" + NOBODY.encode(), True),
        (NOBODY.replace("\n", "\r"), True),
        (NOBODY.replace("\n", "\r\n"), True),
        ("user-agent:*#all\nDISALLOW : /#all\n", True),
        # Who is meant: the whole product token, in any case, whatever its version.
        (f"User-agent: count\nAllow: /\n\n{NOBODY}", True),
        (f"User-agent: counterpoints\nAllow: /\n\n{NOBODY}", True),
        (f"User-agent: point\nAllow: /\n\n{NOBODY}", True),
        ("User-agent: CounterPoint/1.0 (x)\nDisallow: /\n", True),
        (f"User-agent: counterpoint\nDisallow:\n\n{NOBODY}", False),
        (f"{NOBODY}\nUser-agent: counterpoint\nAllow: /\n", False),
        (f"User-agent: counterpoint\nDisallow: /y\n\n{NOBODY}", False),
        ("User-agent: other\nDisallow: /\n", False),
        # Groups of one agent are one, also around what belongs to no group.
        ("User-agent: counterpoint\nUser-agent: other\nDisallow: /\n", True),
        ("User-agent: other\nUser-agent: counterpoint\n\nDisallow: /\n", True),
        ("User-agent: counterpoint\nSitemap: /s\nUser-agent: other\nDisallow: /\n", True),
        ("User-agent: counterpoint\nAllow: /y\nUser-agent: other\nDisallow: /\n", False),
        (f"User-agent: counterpoint\nAllow: /y\n\n{HERE}\nUser-agent: counterpoint\n"
         "Disallow: /x\n", True),
        (f"{HERE}\nUser-agent: *\nAllow: /y\n", True),
        ("User-agent: counterpoint\nDisallow: /y\nUser-agent\nAllow: /\n", False),
        ("User-agent: counterpoint\nUser-agents: x\nUser  agent other\nDisallow: /\n", False),
        ("Disallow: /\n", False),
        ("", False),
        # The longest rule counts, of two as long the one that allows.
        ("User-agent: *\nAllow: /x\nDisallow: /\n", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x\n", False),
        ("User-agent: *\nDisallow: /*x$\n", True),
        ("User-agent: *\nDisallow: /%78\n", True),
    ],
)  # fmt: skip
def test_who_is_meant_and_what(text: str | bytes, expected: bool) -> None:
    """A page that is asked although it is forbidden to us, or left out although it is not."""
    assert forbids(text) == expected


def test_delays_are_of_the_same_group() -> None:
    """The delay of another crawler, or none."""
    text = b"User-agent: *\nCrawl-delay: 9\n\nUser-agent: counterpoint/2\nCrawl-delay: 3\n"
    assert rules(200, text, "", AGENT).delay == 3.0
    assert rules(200, text, "", "other").delay == 9.0


@pytest.mark.parametrize("word", sorted(_DISALLOW_DIRECTIVE))
def test_a_misspelt_disallow_forbids(word: str) -> None:
    """Pages fetched since the word that forbids them is not written as in the standard."""
    assert forbids(f"User-agent: *\n{word.title()}: /p\n", "http://a.test/p")
    assert not forbids(f"User-agent: *\n{word.title()}: /p\n", "http://a.test/q")


def test_half_a_rule_is_none() -> None:
    """A rule that allows more than was written, since its end is beyond what is read."""
    text = b"User-agent: *\nDisallow: /\n"
    text += b"#" * (LARGEST - len(text) - len(b"\nAllow: /x")) + b"\nAllow: /x"
    assert len(text) == LARGEST
    assert forbids(text + b"yz/only-this\n")
    assert not forbids(text.replace(b"##", b"", 1) + b"\n")


def test_very_many_agents() -> None:
    """Minutes for a robots.txt with a thousand rules for each of fifteen thousand crawlers."""
    text = "".join(f"User-agent: x{number}\n" for number in range(15_000))
    text += "".join(f"Disallow: /{number}\n" for number in range(1_000))
    begun = time.process_time()
    assert not forbids(text)
    assert time.process_time() - begun < 5
