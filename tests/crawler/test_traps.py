"""The detectors of traps: what each finds in an address, and what it must not find."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.documents.traps import DEFAULTS, USUAL, Traps
from counterpoint.crawler.errors import CrawlError

A = "http://a.test/"
SEGMENTS = st.lists(st.sampled_from(["a", "b", "more", "1", "22", "x.html"]), max_size=30)


def alike(traps: str, *addresses: str) -> list[tuple[str, ...]]:
    """Return with which pages the detectors count each address."""
    return [tuple(one.name for one in Traps(traps).alike(address)) for address in addresses]


@given(SEGMENTS, st.integers(1, 30), st.integers(1, 5))
def test_limits_of_paths(parts: list[str], depth: int, repeats: int) -> None:
    """A path that is left out within its limits, or accepted beyond them."""
    address = A + "/".join(parts) + "?a/b/c/a/b"
    most = max([0, *(parts.count(part) for part in parts if not part.isdigit())])
    assert bool(Traps(f"depth={depth}").problem(address)) == (len(parts) > depth)
    assert bool(Traps(f"repeats={repeats}").problem(address)) == (most > repeats)
    assert Traps(f"depth={depth},repeats={repeats}").alike(address) == []


@given(st.lists(st.sampled_from(["a=1", "b", "", "c=x=y"]), max_size=15), st.integers(1, 12))
def test_limits_of_queries(parts: list[str], most: int) -> None:
    """Parameters that are miscounted."""
    address = f"{A}x?{'&'.join(parts)}"
    count = sum(map(bool, parts))
    assert bool(Traps(f"parameters={most}").problem(address)) == (count > most)


def test_the_reason_says_detector_limit_and_what_was_found() -> None:
    """A page that was left out, and nobody can say why."""
    rules = ScopeRules(traps="depth=3,repeats=2,parameters=2")
    assert rules.problem(f"{A}1/2/3/4") == "left out: --traps depth=3 (4 segments)"
    assert rules.problem(f"{A}a/a/a") == "left out: --traps repeats=2 (3 times a)"
    assert rules.problem(f"{A}?1&2&3") == "left out: --traps parameters=2 (3 parameters)"
    assert rules.problem(f"{A}1/2/3?1&2") == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("calendar/2000/01.html", "calendar/2031/12.html"),
        ("day/2026-11-27/", "day/1999-1-2/"),
        ("x?year=2026&month=11", "x?year=2031&month=2"),
        ("x?a=1&date=2026-11-27", "x?a=1&date=20261128"),
        ("2026/11/27/x", "1999/01/31/x"),
    ],
)
def test_dates_are_alike(one: str, other: str) -> None:
    """A calendar that is not seen as one, since each of its pages counts alone."""
    first, second = alike("calendar", A + one, A + other)
    assert first == second != ()


@pytest.mark.parametrize(
    "address", ["p/20261127", "2026/13/x", "x/12026/11", "2026/x/11", "x?year=old", "v1.2.3/x"]
)
def test_what_is_no_date(address: str) -> None:
    """Pages that share a limit although their addresses have no date."""
    assert alike("calendar", A + address) == [()]


def test_calendars_of_other_pages_count_apart() -> None:
    """Articles that are lost since there are many of other names in other months."""
    found = alike("calendar", f"{A}2026/11/x", f"{A}2026/11/y", "http://b.test/2026/11/x")
    assert len(set(found)) == 3


SESSIONS = [
    ("x?sid=0123456789abcdef", "x"),
    ("x.php?id=3&sid=0123456789abcdef&z=1", "x.php?id=3&z=1"),
    ("x?PHPSESSID=1&y=2", "x?y=2"),
    ("x;jsessionid=1A2B.node?q=1", "x?q=1"),
    ("(S(abc0def1ghi2jkl3mno4pqr5))/x", "x"),
    ("x?osCsid=a1b2c3d4e5f6a7b8c9d0", "x"),
    ("x?CFID=1234&CFTOKEN=5678", "x"),
    ("x?a=1&session_id=a1b2c3d4-e5f6-a7b8-c9d0", "x?a=1"),
]


@pytest.mark.parametrize(("address", "twin"), SESSIONS)
def test_session_ids(address: str, twin: str) -> None:
    """A session id that is not found, or more of the address that goes with it."""
    (found,) = Traps("session").alike(A + address)
    assert (found.twin, found.most) == (A + twin, 1)
    assert normalized(found.twin) == found.twin
    assert not Traps("session").alike(found.twin)


@pytest.mark.parametrize(
    "address",
    ["x?sid=1234", "x?sid=1234567890123456", "x?side=0123456789abcdef", "x?session=morning-lecture",
     "x?id=0123456789abcdef", "x?s=0123456789abcdef", "sid=0123456789abcdef", "(S(short))/x"],
)  # fmt: skip
def test_what_is_no_session_id(address: str) -> None:
    """A page that is lost because a parameter has a name like that of a session."""
    assert not Traps("session").alike(A + address)


@given(st.text(max_size=60))
def test_any_address(text: str) -> None:
    """An exception for a strange address; two answers for one address."""
    address = normalized(A + text)
    if address is not None:
        traps = Traps("all")
        assert traps.problem(address) == traps.problem(address)
        for one in traps.alike(address):
            assert one in Traps("all").alike(address)
            assert one.twin == "" or len(one.twin) < len(address)


@pytest.mark.parametrize("part", ["a/", "2026/11/", ";jsessionid=", "&sid=0a", "(S(", "&date=1:1"])
def test_long_addresses_take_little_time(part: str) -> None:
    """A pattern whose time grows with the square of the address: hours for a hostile page."""
    for start in (A, f"{A}?"):
        address = start + part * (7_900 // len(part)) + "\x7f"
        clock = time.process_time()
        traps = Traps("all")
        for _ in range(10):
            traps.problem(address), traps.alike(address)
        assert time.process_time() - clock < 2


def test_sets_and_limits() -> None:
    """A set that lacks a detector, a limit that another part undoes, or one that is not read."""
    assert set(Traps("all").limits) == set(DEFAULTS) > set(Traps("usual").limits) == set(USUAL)
    assert Traps("usual, depth=5").limits["depth"] == 5
    assert Traps("calendar=7,usual").limits["calendar"] == 60, "the last one counts"
    assert Traps("usual,calendar=7").limits["calendar"] == 7
    assert not Traps("") and Traps("depth")
    for text in ("", "all", "queries=3,usual"):
        spelled = Traps(text).spelled()
        assert Traps(spelled).limits == Traps(text).limits
        assert Traps(spelled).spelled() == spelled


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("dept", "--traps dept: a detector is NAME or NAME=MOST, and NAME is usual, all, "),
        ("usual=3", "--traps usual=3: a detector is"),
        ("depth=0", "--traps depth=0: the limit is a whole number from 1 to 1,000,000"),
        ("depth=x", "the limit is"),
        ("depth=", "the limit is"),
        ("depth=9999999999999", "the limit is"),
        ("depth,calendar=²", "--traps calendar=²: the limit is"),
        ("session=2", "--traps session=2: of pages that differ by a session id, one is accepted"),
    ],
)  # fmt: skip
def test_errors_name_the_part(text: str, why: str) -> None:
    """A mistake that is ignored, or reported without its place."""
    with pytest.raises(CrawlError) as caught:
        Traps(text)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
