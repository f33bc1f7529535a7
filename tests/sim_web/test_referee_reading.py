"""How the referee reads a log: complete, cut off, invalid, or of another web."""

from __future__ import annotations

import io
import json
import tracemalloc
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.record import Header, Record
from counterpoint.sim_web.referee import RequestLog, judge, read, read_header
from counterpoint.sim_web.referee.known import truth, truth_of
from counterpoint.sim_web.referee.opening import Selection, judge_file
from counterpoint.sim_web.referee.page import page
from counterpoint.sim_web.referee.sections import per_cent
from counterpoint.sim_web.referee.text import WIDTH, text

from .small_web import HEADER, Changes, SmallWeb, crawls, log_of, record, request_of

PROFILE = profiles.load("broder-1999")
KNOWN = Changes().truth(SmallWeb([20], [[] for _ in range(20)], [0] * 20, [0] * 20))


def lines_of(records: list[Record], header: Header = HEADER) -> bytes:
    """Return the bytes of a log."""
    return (header.line() + "".join(json.dumps(asdict(r)) + "\n" for r in records)).encode()


def read_all(data: bytes) -> RequestLog:
    """Read a log of a web with no robots.txt."""
    file = io.BytesIO(data)
    return read(file, "log", read_header(file, "log"), KNOWN)


@given(crawls(), st.data())
def test_a_log_cut_anywhere_is_judged_up_to_there(crawl: object, data: st.DataObject) -> None:
    """A cut last line that is an error, or that hides the lines before it."""
    records = [record(started=float(k), ended=k + 0.5, agent="søk") for k in range(4)]
    whole = lines_of(records)
    cut = data.draw(st.integers(len(HEADER.line()), len(whole)))
    found = read_all(whole[:cut])
    ends = [len(lines_of(records[:k])) for k in range(5)]
    kept = sum(cut >= end - 1 for end in ends[1:])  # a line without its newline is complete
    assert found.lines == len(found.requests) == kept
    torn = cut not in ends and cut + 1 not in ends[1:]
    assert found.broken_off == (kept + 2 if torn else 0)


def test_a_character_cut_in_two_is_a_torn_line() -> None:
    """A decoding error for half a character at the end of a log."""
    line = json.dumps(asdict(record(agent="søk")), ensure_ascii=False).encode()
    found = read_all(lines_of([record()]) + line[: line.index("ø".encode()) + 1])
    assert (found.lines, found.broken_off) == (1, 3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 3 is not JSON"),
        ("[]", "line 3 is not a JSON object"),
        ("", "line 3 is not JSON"),
        ("[" * 100_000, "line 3 is not JSON"),
        ("\N{GREEK SMALL LETTER ALPHA}".encode("utf-16").decode("latin-1"), "line 3 is not"),
        (json.dumps({**asdict(record()), "page": 20}), "page 20 in a web of 20 pages"),
        (json.dumps({**asdict(record()), "page": -1}), "page -1 in a web"),
        (json.dumps({**asdict(record()), "page": True}), "has True as 'page'"),
        (json.dumps({**asdict(record()), "kind": "poem"}), "unknown kind or fault, 'poem'"),
        (json.dumps({**asdict(record()), "fault": "own"}), "unknown kind or fault"),
        (json.dumps({**asdict(record()), "started": float("nan")}), "from nan s"),
        (json.dumps({**asdict(record()), "ended": float("inf")}), "to inf s"),
        (json.dumps({**asdict(record()), "ended": -1.0}), "from 0.0 s to -1.0 s"),
        (json.dumps({**asdict(record()), "status": 10**9}), "status 1000000000"),
        (json.dumps({**asdict(record()), "bytes": -1}), "-1 bytes"),
        (json.dumps({**asdict(record()), "version": 10**400}), "version"),
        (json.dumps({**asdict(record()), "started": 10**400, "ended": 10**400}), "a request from"),
        (json.dumps({**asdict(record()), "more": 1}), "unknown keys: more"),
        (json.dumps({**asdict(record()), "retry_after": -1}), "-1 s of Retry-After"),
        (json.dumps({**asdict(record()), "retry_after": 0.5}), "has 0.5 as 'retry_after'"),
        (HEADER.line().strip(), "line 3 is the header of another log"),
    ],
)
def test_nonsense_names_its_line(line: str, message: str) -> None:
    """An invalid line that is counted as a request, or answered by a traceback."""
    data = lines_of([record()]) + line.encode() + b"\n" + lines_of([record()])[len(HEADER.line()) :]
    with pytest.raises(WebError, match="line 3") as caught:
        read_all(data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "log is empty"),
        (b"\n", "log is not a log of a synthetic web"),
        (b"hello\n", "log is not a log of a synthetic web"),
        (b"\xff\xfe\n", "log is not a log of a synthetic web"),
        (b'{"counterpoint-web-log": 2, "prof', "breaks off in its first line"),
        (b'{"counterpoint-web-log": 99}\n', "in a format other than 2"),
        (b'{"counterpoint-web-log": 2}\n', "lacks 'profile'"),
        (replace(HEADER, seed=-7).line().encode(), "has -7 as 'seed'"),
        (replace(HEADER, pages=-20).line().encode(), "has -20 as 'pages'"),
        (b"[" * 100_000 + b"\n", "log is not a log of a synthetic web"),
        (lines_of([record()])[len(HEADER.line()) :], "the first line is not a header"),
    ],
)
def test_what_is_no_log(data: bytes, message: str) -> None:
    """Another file that is taken for a log, or answered by a traceback."""
    with pytest.raises(WebError) as caught:
        read_header(io.BytesIO(data), "log")
    assert message in str(caught.value)


def test_half_characters_in_what_a_client_sent() -> None:
    """A client's stray byte, logged as half a character, that breaks the report."""
    web = SmallWeb([1], [[]], [0], [0])
    odd = record(url="http://h0.test/\udcff", agent="bad\udcff", host="h\udcff", client="\udc80",
                 kind="foreign", page=None)  # fmt: skip
    known = Changes().truth(web)
    found = judge(log_of([odd], known), known)
    assert "bad\\udcff" in text(found)
    page(found).encode()


def test_requests_of_one_agent_or_client() -> None:
    """A filter that keeps other requests, or that counts lines instead of requests."""
    web = SmallWeb([2], [[1], []], [0, 0], [0, 1])
    known = Changes().truth(web)
    records = [record(agent="Scrapy/2.11"), record(agent="Wget/1.21", page=1, client="10.0.0.9")]
    assert judge(log_of(records, known, agent="scrapy"), known).coverage.fetched == 1
    found = judge(log_of(records, known, client="10.0.0.9"), known)
    assert found.about.agents == ("Wget/1.21",)
    assert (found.about.lines, found.about.requests) == (2, 1)
    assert len(log_of(records, known, agent="scrapy", client="10.0.0.9").requests) == 0


def test_until_is_counted_from_the_first_request() -> None:
    """A limit in absolute time, by which a wall clock's log has no request."""
    known = Changes().truth(SmallWeb([1], [[]], [0], [0]))
    records = [record(started=t, ended=t) for t in (1e9 + 7, 1e9, 1e9 + 5)]
    log = log_of(records, known)
    assert [len(log.until(seconds).requests) for seconds in (1, 5, 6, 7)] == [1, 2, 2, 3]


def written(path: Path, records: list[Record], **changed: object) -> Path:
    """Write a log of a small broder-1999 web."""
    entries = {"profile": profiles.to_mapping(PROFILE), "pages": 400, "seed": 7, "mounts": {},
            "real_time": False, **changed}  # fmt: skip
    path.write_bytes(lines_of(records, Header(**entries)))  # type: ignore[arg-type]
    return path


def test_the_web_is_that_of_the_header(tmp_path: Path) -> None:
    """Figures of another web than the log's: another seed or number of pages."""
    web = Web(PROFILE, 400, 8)
    path = written(tmp_path / "log", [request_of(web, 3)], seed=8)
    found = judge_file(path, Selection(), truth)
    assert (found.about.seed, found.about.hosts) == (8, web.hosts)
    planted = [int((web.components() == k).sum()) for k in range(6)]
    assert [part.pages for part in found.components.values()] == planted
    leaving = sum(web.host(int(t)) != web.host(p) for p in range(400) for t in web.out_links(p))
    assert found.external_links.total == leaving


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Selection(seed=8), "its seed is 7, not 8"),
        (Selection(pages=500), "its pages are 400, not 500"),
        (Selection(profile="own.toml"), "its profile is broder-1999, and not"),
    ],
)
def test_a_log_of_another_web(tmp_path: Path, wanted: Selection, message: str) -> None:
    """A log judged by the truth of a web that the user did not mean."""
    (tmp_path / "own.toml").write_text("[degrees]\nmean = 9\n")
    if wanted.profile:
        wanted = Selection(profile=str(tmp_path / wanted.profile))
    path = written(tmp_path / "log", [request_of(Web(PROFILE, 400, 7), 0)])
    with pytest.raises(WebError, match="the log is from another web") as caught:
        judge_file(path, wanted, truth)
    assert message in str(caught.value)
    assert judge_file(path, Selection("broder-1999", 400, 7), truth).coverage.fetched == 1


SITES = "[shares]\nscc = 0.7\nin = 0\nout = 0.3\ntendrils = 0\ntubes = 0\ndisconnected = 0\n" + (
    "[[sites]]\nname = 'a'\npages = 7\nexternal_links = 9\n"
    "[[sites]]\nname = 'b'\npages = 3\nexternal_links = 9\n"
)
"""A profile whose sites have the same names and the same pages with every seed."""


@pytest.mark.parametrize("profile", [PROFILE, profiles.read(SITES, "the test", "sites")])
@pytest.mark.parametrize("gone", [True, False])
def test_each_page_stands_where_the_header_says(
    tmp_path: Path, profile: profiles.Profile, gone: bool
) -> None:
    """A header with another seed, or another web's log appended, silently judged."""
    web, other = Web(profile, 400, 7), Web(profile, 400, 8)
    header = {"profile": profiles.to_mapping(profile)}
    records = [request_of(web, page) for page in range(1, 300, 7)]
    assert (
        judge_file(written(tmp_path / "log", records, **header), Selection(), truth).about.lines
        == 43
    )
    with pytest.raises(WebError, match=r"line 2: the log is from another web than .* page 1 at"):
        judge_file(written(tmp_path / "log", records, **header, seed=8), Selection(), truth)
    foreign = [request_of(other, page) for page in range(1, 300, 7)]
    with pytest.raises(WebError, match="line 45: the log is from another web") as caught:
        judge_file(written(tmp_path / "log", records + foreign, **header), Selection(), truth)
    assert "\n" not in str(caught.value)
    if gone:
        nowhere = record(kind="missing", status=404, page=None, host="no-such.test")
        with pytest.raises(WebError, match="that web has no host at"):
            judge_file(written(tmp_path / "log", [nowhere], **header), Selection(), truth)


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_torn_line_is_of_no_other_web(tmp_path: Path, cut: int) -> None:
    """A log refused because a kill cut an address in its last line."""
    web = Web(PROFILE, 400, 7)
    path = written(tmp_path / "log", [request_of(web, page) for page in (5, 399)])
    path.write_bytes(path.read_bytes()[:-cut])
    report = judge_file(path, Selection(), truth).about
    assert (report.lines, report.broken_off) == ((2, 0) if cut == 1 else (1, 3))


def test_memory_is_bounded() -> None:
    """Lines kept in memory: a request must need far less memory than its line."""
    one = json.dumps(asdict(record(url="http://h0.test/" + "long/" * 100))).encode() + b"\n"

    class Lines(io.RawIOBase):
        """A log of 30,000 requests that is generated while it is read."""

        left = 30_000

        def readline(self, size: int | None = -1) -> bytes:
            self.left -= 1
            return one if self.left >= 0 else b""

    tracemalloc.start()
    log = read(Lines(), "log", HEADER, KNOWN)  # type: ignore[arg-type]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(log.requests) == 30_000
    assert most / 30_000 < 300 < len(one)


@pytest.mark.long
@given(crawls())
def test_text_and_page_show_any_judgment(crawl: tuple[SmallWeb, Changes, list[Record]]) -> None:
    """A None where the report needs a figure, or a line wider than a terminal."""
    web, changes, records = crawl
    for small in (True, False):
        known = changes.truth(web, small=small)
        found = judge(log_of(records, known), known)
        assert max(map(len, text(found).splitlines())) <= WIDTH
        assert page(found).count("<svg") >= 2
        json.dumps(found.to_json(), allow_nan=False)


def test_the_page_escapes_what_clients_sent() -> None:
    """A User-Agent that is a script in the page."""
    known = Changes().truth(SmallWeb([1], [[]], [0], [0]))
    found = judge(log_of([record(agent="<script>alert(1)</script>")], known), known)
    assert "<script" not in page(found)
    assert "&lt;script&gt;" in page(found)
    assert "http" not in page(found).replace("http-equiv", "")


def test_a_web_too_large_to_be_looked_at() -> None:
    """A large web whose links are all enumerated, or whose figures are guessed."""
    web = Web(PROFILE, 10**9, 7)
    known = truth_of(web)
    pages = [int(page) for page in web.out_links(web.pages_of(0).start)]
    records = [request_of(web, page) for page in pages]
    found = judge(log_of(records, known), known)
    assert found.quality is None
    assert found.to_json()["quality"] == {"unknown": "too large"}
    assert found.sitemaps is None
    assert found.to_json()["sitemaps"] == {"unknown": "too large"}
    assert "unknown" in text(found)
    leaving = sum(web.host(int(t)) != web.host(p) for p in pages for t in web.out_links(p))
    assert (found.external_links.found, found.external_links.total) == (leaving, None)
    shares = [round((part.pages or 0) / 1e9, 2) for part in found.components.values()]
    assert shares == [0.28, 0.21, 0.21, 0.21, 0.01, 0.08]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, "-"), (0.0, "0.00%"), (1e-9, "<0.01%"), (0.0001, "0.01%"), (0.5, "50.00%"),
     (0.99999, ">99.99%"), (1.0, "100.00%")],
)  # fmt: skip
def test_only_all_and_nothing_are_round(share: float | None, expected: str) -> None:
    """A share just below 1 shown as 100%, or a tiny one as 0."""
    assert per_cent(share) == expected
