"""``counterpoint graph build``, ``info``, ``links`` and ``export``, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint

LINKS = """http://a.org/ http://b.org/x
http://a.org/2 http://b.org/x
http://b.org/x http://b.org/
"""


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code and its output."""
    code = run(counterpoint, ["graph", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a store of four pages."""
    text, path = tmp_path / "links.txt", tmp_path / "a.graph"
    text.write_text(LINKS)
    code, _, error = call(capsys, "build", text, path)
    assert (code, error) == (0, f"{path} contains the graph\n")
    return path


def test_links_of_all_kinds(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exchanged ends of links, or remote links that are missing."""
    assert call(capsys, "links", store, "http://a.org/")[1] == "http://a.org/\thttp://b.org/x\n"
    code, out, _ = call(capsys, "links", store, "http://b.org/x", "--in", "--format", "json")
    links = json.loads(out)["links"]
    assert code == 0
    assert links == [{"from": f"http://a.org/{k}", "to": "http://b.org/x"} for k in ("", "2")]
    assert call(capsys, "links", store, "http://b.org/", "--in", "--remote")[1] == ""
    found = call(capsys, "links", store, "--between", "a.org", "b.org")[1]
    assert found.splitlines() == [f"http://a.org/{k}\thttp://b.org/x" for k in ("", "2")]
    assert call(capsys, "links", store, "--hosts")[1] == "a.org\tb.org\t2\nb.org\tb.org\t1\n"


def test_info(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes that differ from those of the file."""
    code, out, _ = call(capsys, "info", store, "--verify", "--format", "json")
    report = json.loads(out)
    assert (code, report["pages"], report["links"], report["hosts"]) == (0, 4, 3, 2)
    assert report["bytes"] == store.stat().st_size
    assert report["verified"]
    assert "all bytes are correct" in call(capsys, "info", store, "--verify")[1]


@pytest.mark.parametrize(("arguments", "message"), [
    (("links", "STORE", "9"), "there is no page 9 (it has 4)"),
    (("links", "STORE", "\u00b2"), "\u00b2: no page has this address"),
    (("links", "STORE", "9" * 5000), "9: no page has this address"),
    (("links", "STORE", "--between", "\u00b2", "0"), "\u00b2: no host has this name"),
    (("bfs", "STORE", "--start", "\u00b2"), "\u00b2: no page has this address"),
    (("export", "STORE", "STORE", "--to", "graphml"), "is the graph itself"),
    (("scc", "STORE", "--save", "STORE"), "is the graph itself"),
    (("build", "links.txt", "links.txt"), "links.txt: is in the way: it is not a store of links"),
    (("links", "STORE", "http://c.org/"), "http://c.org/: no page has this address"),
    (("links", "STORE", "--between", "a.org", "c.org"), "c.org: no host has this name"),
    (("links", "STORE"), "either PAGE..., or --between, or --hosts"),
    (("links", "STORE", "0", "--remote"), "--remote needs --in"),
    (("info", "none.graph"), "none.graph: No such file or directory"),
    (("build", "x.graph"), "either SOURCE or --web"),
    (("build", "a", "b", "--web", "sample"), "either SOURCE or --web"),
    (("build", "a", "b", "--pages", "5"), "--pages, --seed and --no-addresses need --web"),
    (("build", "--web", "sample", "b", "--linked", "5"), "--as, --linked and --names need SOURCE"),
    (("build", "none.txt", "x.graph"), "none.txt: No such file or directory"),
    (("build", "STORE", "--as", "edges", "STORE"), "line 1: "),
    (("build", "STORE", "--as", "edges", "--linked", "3", "x.graph"), "all pages count as crawled"),
    (("build", "--web", "none", "x.graph"), "none"),
])  # fmt: skip
def test_a_wrong_command_gets_one_line(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], message: str,
) -> None:  # fmt: skip
    """A traceback, or a store that a failing build changes."""
    monkeypatch.chdir(store.parent)
    before = store.read_bytes()
    given = [str(store) if one == "STORE" else one for one in arguments]
    code, out, error = call(capsys, *given)
    assert (code, out) == (2, "")
    assert message in error
    assert error.count("\n") == 1
    assert store.read_bytes() == before
    assert sorted(one.name for one in store.parent.iterdir()) == ["a.graph", "links.txt"]
    assert (store.parent / "links.txt").read_text() == LINKS


def test_a_damaged_store_is_one_line(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged store that passes the verification."""
    data = bytearray(store.read_bytes())
    data[200] ^= 1
    store.write_bytes(data)
    code, _, error = call(capsys, "info", store, "--verify")
    assert code == 2
    assert f"{store}: is damaged between bytes 64 and" in error
    store.write_bytes(data[:900])
    code, _, error = call(capsys, "links", store, "0")
    assert (code, error.count("\n")) == (2, 1)
    assert "is incomplete: it has 900 bytes of" in error


def test_a_synthetic_web_and_its_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands that cannot read each other's files."""
    path = tmp_path / "web.graph"
    web = ("build", "--web", "broder-1999", "--pages", "500", "--seed", "3")
    assert call(capsys, *web, path)[0] == 0
    code, out, _ = call(capsys, "bowtie", path, "--format", "json")
    assert code == 0
    assert "139" in out  # 27.74 of 100 pages
    code, _, error = call(capsys, "export", path, tmp_path / "tables", "--to", "parquet")
    assert (code, "500 pages" in error) == (0, True)
    assert sorted(one.name for one in (tmp_path / "tables").iterdir()) == [
        "links.parquet", "pages.parquet",
    ]  # fmt: skip
    code, _, _ = call(capsys, "export", path, tmp_path / "a.graphml", "--to", "graphml")
    assert code == 0
    assert (tmp_path / "a.graphml").read_text().endswith("</graphml>\n")


def test_a_failed_build_leaves_no_folder(tmp_path: Path) -> None:
    """A folder that remains after a build failed with an unusual error."""
    (tmp_path / "text.db").write_text("no database\n")
    for source in ("none.db", "text.db"):
        paths = [str(tmp_path / source), str(tmp_path / "a.graph")]
        assert run(counterpoint, ["graph", "build", *paths, "--as", "crawl"]) == 2
        assert {one.name for one in tmp_path.iterdir()} == {"text.db"}


def test_lists_with_one_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of pages that becomes a graph without links, and thousands of bytes a link."""
    source, store = tmp_path / "pages.txt", tmp_path / "a.graph"
    source.write_text("http://a.test/\nhttp://b.test/\n")
    code, _, error = call(capsys, "build", source, store)
    assert (code, error.count("\n")) == (2, 1)
    assert f"{source}: no line has two addresses: these are pages, not links" in error
    source.write_text("3\n1\n2\n0\n")
    code, _, error = call(capsys, "build", source, store)
    assert (code, error.count("\n")) == (0, 2)
    assert "pages.txt is read as WebGraph-style text" in error
    source.write_text("2\n\n\n")
    assert call(capsys, "build", source, store, "--as", "adjacency")[0] == 0
    code, out, _ = call(capsys, "info", store)
    assert code == 0
    rows = [line.rsplit(None, 1) for line in out.splitlines() if "bytes a" in line]
    assert [value for _, value in rows] == ["none", "none"]
    code, out, _ = call(capsys, "info", store, "--format", "json")
    assert json.loads(out)["bytes a link"] is None
