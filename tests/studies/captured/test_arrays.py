"""The arrays of a captured web, against what stands in its records."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.captured import building
from counterpoint.studies.captured.arrays import CapturedArrays
from counterpoint.studies.captured.building import arrays_of
from counterpoint.studies.captured.settings import CapturedSource, source_of
from counterpoint.studies.captured.texts import CapturedTexts
from tests.crawler import independent
from tests.crawler.archives.by_wget import captured
from tests.needs import TOP, need

from .webs import DAY, RECORDS, answer, links, source


def linked(arrays: CapturedArrays, url: str) -> list[str]:
    """Return the addresses to which an address links."""
    page = arrays.addresses.tolist().index(url)
    row = arrays.targets[arrays.offsets[page] : arrays.offsets[page + 1]]
    return [str(arrays.addresses[target]) for target in row]


def of(arrays: CapturedArrays, name: str) -> dict[str, object]:
    """Return a column by address."""
    return dict(zip(arrays.addresses.tolist(), getattr(arrays, name).tolist(), strict=True))


def test_links_in_order_of_appearance(tmp_path: Path) -> None:
    """A link that is lost or twice there, a redirect as a page, or another host as one."""
    arrays = arrays_of(source(tmp_path))
    assert linked(arrays, "http://a.test/") == [
        "http://a.test/x", "http://b.test/y", "http://a.test/gone", "http://a.test/never",
        "http://b.test/", "http://a.test/doc.pdf", "http://a.test/",
    ]  # fmt: skip
    assert linked(arrays, "http://b.test/") == ["http://b.test/y", "http://a.test/"]
    assert linked(arrays, "http://a.test/never") == []
    assert arrays.addresses.tolist() == [
        "http://a.test/", "http://a.test/deep", "http://a.test/doc.pdf", "http://a.test/gone",
        "http://a.test/x", "http://b.test/", "http://b.test/alone", "http://b.test/y",
        "http://a.test/never",
    ]  # fmt: skip
    assert of(arrays, "status") == {
        "http://a.test/": 200, "http://a.test/deep": 200, "http://a.test/doc.pdf": 200,
        "http://a.test/gone": 404, "http://a.test/x": 200, "http://b.test/": 200,
        "http://b.test/alone": 200, "http://b.test/y": 200, "http://a.test/never": 0,
    }  # fmt: skip
    external = of(arrays, "external")
    assert (external["http://a.test/"], external["http://b.test/"]) == (2, 2)
    assert [str(arrays.hosts[host]) for host in arrays.host] == (
        ["a.test"] * 5 + ["b.test"] * 3 + ["a.test"]
    )


def test_hosts_that_are_named(tmp_path: Path) -> None:
    """A host that is left out and crawled nevertheless."""
    arrays = arrays_of(source(tmp_path, hosts=("b.test",)))
    assert set(arrays.hosts.tolist()) == {"b.test"}
    assert linked(arrays, "http://b.test/") == ["http://b.test/y"]
    with pytest.raises(CrawlError, match="no HTML page was captured on these hosts"):
        arrays_of(source(tmp_path, hosts=("far.test",)))


def test_sites_are_folders(tmp_path: Path) -> None:
    """A page in another folder, sites whose pages are apart, or links out that do not count."""
    records = [
        answer(1, "http://a.test/", links("/b/", "/a/x", "/z", "/b/y?q=/", "http://far.test/")),
        answer(1, "http://a.test/a/x", links("/", "x", "/b/y?q=/", "/a/deep/z")),
        answer(1, "http://a.test/a/deep/z", links("/a/x")),
        answer(1, "http://a.test/b/", links("/a/missing", "y?q=/")),
        answer(1, "http://a.test/b/y?q=/", links("/a/x")),
        answer(1, "http://a.test/z", links("/?to=/b/")),
    ]
    arrays = arrays_of(source(tmp_path, records, sites="folders"))
    names = {str(url): str(arrays.hosts[arrays.host[page]])
             for page, url in enumerate(arrays.addresses)}  # fmt: skip
    assert names == {
        "http://a.test/": "a.test", "http://a.test/z": "a.test", "http://a.test/a/x": "a.test/a",
        "http://a.test/a/deep/z": "a.test/a", "http://a.test/b/": "a.test/b",
        "http://a.test/b/y?q=/": "a.test/b", "http://a.test/a/missing": "a.test/a",
        "http://a.test/?to=/b/": "a.test",
    }  # fmt: skip
    own = arrays.host[arrays.captured]
    assert (np.diff(own) >= 0).all()
    external = of(arrays, "external")
    assert [external[url] for url in ("http://a.test/", "http://a.test/a/x", "http://a.test/b/",
                                      "http://a.test/z")] == [4, 2, 1, 0]  # fmt: skip
    hosts = arrays_of(source(tmp_path, records))
    assert of(hosts, "external")["http://a.test/"] == 1 and len(hosts.hosts) == 1


def test_versions(tmp_path: Path) -> None:
    """A change that is not seen, two of one, or at another time; a page that lives for ever."""
    arrays = arrays_of(source(tmp_path))
    texts = CapturedTexts(arrays)
    page = arrays.addresses.tolist().index("http://a.test/x")
    pages = np.full(7, page)
    days = np.array([0, 1.9, 2, 3, 4.9, 5, 99]) * DAY
    assert texts.versions(pages, days).tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert texts.times(pages[:4], np.arange(4)).tolist() == [0, 2 * DAY, 5 * DAY, np.inf]
    base = arrays.sizes[arrays.version_offsets[page]] - len("one\n")
    sizes, other = texts.compared(pages[:4], np.array([0, 0, 2, 1]), np.array([0, 1, 0, 2]))
    assert (sizes - base).tolist() == [4, 4, 4, 12]
    assert other.tolist() == [0, 8, 16, 16]
    assert texts.visited(page, 5 * DAY, 1) == (2, int(base) + 12, 16)
    assert texts.visited(page, 5 * DAY) == (2, int(base) + 12, 0)
    dies = of(arrays, "dies")
    assert dies["http://a.test/deep"] == 4 * DAY and dies["http://a.test/x"] == np.inf
    first, last = of(arrays, "first"), of(arrays, "last")
    assert (first["http://a.test/deep"], last["http://a.test/deep"]) == (DAY, 4 * DAY)


def test_arrays_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are read again for each seed, or arrays of other files that are used."""
    web = source(tmp_path)
    made = arrays_of(web)
    with monkeypatch.context() as patch:
        patch.setattr(building, "read", None)
        kept = arrays_of(web)
        assert all(np.array_equal(getattr(made, one.name), getattr(kept, one.name))
                   for one in fields(made))  # fmt: skip
    assert arrays_of(source(tmp_path, RECORDS[:2])).pages < made.pages
    (place,) = tmp_path.glob("*.npz")
    place.write_bytes(b"PK no arrays")
    assert arrays_of(source(tmp_path)).pages == made.pages


def test_links_are_those_of_an_independent_reader(tmp_path: Path) -> None:
    """A link of real pages, captured by wget, that we lose or invent."""
    need("wget")
    need("libxml2-doc")
    path, _ = captured(TOP / "libxml2", tmp_path, "html/")
    arrays = arrays_of(CapturedSource("libxml2", (str(path),)))
    compared = 0
    with CapturedWeb([path]) as web:
        for page in np.flatnonzero(arrays.html):
            url = str(arrays.addresses[page])
            answer = web.answer(url, web.begin)
            assert answer is not None
            text = loaded(answer.body, answer.headers["content-type"]).text
            theirs = set()
            for one in independent.computed(text, url).internal:
                end = web.followed(one, web.begin)
                theirs.add(key(one if end is None else end.address))
            row = arrays.targets[arrays.offsets[page] : arrays.offsets[page + 1]]
            assert {key(str(one)) for one in arrays.addresses[row]} == theirs, url
            compared += len(theirs)
    assert compared > 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[captured]", "files = .* must name a WARC file"),
        ("captured = 1", "must be a table"),
        ("[captured]\nfiles = 'x'", "files must be a list of texts"),
        ("[captured]\nfiles = ['x']\nfile = 1", "'file' is unknown; there are files, index"),
        ("[captured]\nfiles = ['x']\nindex = 1", "index must be the name of a folder"),
        ("[captured]\nfiles = ['x']\nstarts = ['no']", "the start 'no' is no address"),
        ("[captured]\nfiles = ['x']\nhosts = ['b.test']\nstarts = ['http://a.test/']",
         "the start http://a.test/ is on none of the hosts"),
        ("[captured]\nfiles = ['x']\n[shares]", r"besides \[captured\] there can be nothing else"),
    ],
)  # fmt: skip
def test_a_wrong_table(tmp_path: Path, text: str, message: str) -> None:
    """A wrong key that is passed over, or a traceback."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(CrawlError, match=message):
        source_of(path)


def test_a_table(tmp_path: Path) -> None:
    """Paths that are relative to another folder; a profile of a synthetic web taken for one."""
    path = tmp_path / "mine.toml"
    path.write_text("[captured]\nfiles = ['a', '/b']\nindex = 'i'\nstarts = ['HTTP://a.test']\n")
    assert source_of(path) == CapturedSource(
        "mine", (f"{tmp_path}/a", "/b"), f"{tmp_path}/i", (), ("http://a.test/",)
    )
    for text in ("pages = 3", "[[", "\0"):
        path.write_text(text)
        assert source_of(path) is None
    assert source_of(tmp_path / "none.toml") is None
