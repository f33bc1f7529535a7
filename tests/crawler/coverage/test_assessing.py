"""Samples as files, and the estimates that they give for a crawl."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from counterpoint.crawler.coverage.assessing import assess
from counterpoint.crawler.coverage.lists import ListedSample, crawled, sampled
from counterpoint.crawler.coverage.recapture import chapman
from counterpoint.crawler.coverage.shares import share
from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.worlds.capture import Recorder


def written(path: Path, text: str) -> Path:
    """Write a file."""
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list(tmp_path: Path) -> None:
    """Comments that count as pages, or a page in two spellings that counts twice."""
    path = written(
        tmp_path / "a.txt",
        "# seen\r\nhttp://A.test/x\t3\n\nhttp://a.test:80/x/\t9\nhttp://a.test/\t1e-3\n",
    )
    found = sampled(path)
    assert found.pages == ("http://a.test/x", "http://a.test/")
    assert found.weights is not None and found.weights.tolist() == [3, 0.001]
    assert crawled(path) == frozenset(found.pages)
    assert found.covered(frozenset({"http://a.test/"})).tolist() == [False, True]


def test_a_capture_has_the_pages_that_came(tmp_path: Path) -> None:
    """Failed pages that count as covered, or redirects whose target is not counted."""

    class Source:
        def get(self, address: str) -> Exchange:
            status = 404 if address.endswith("no") else 200
            final = "http://a.test/end" if address.endswith("from") else ""
            return Exchange(address, status, final)

    for name in ("c.jsonl", "c.jsonl.gz"):
        with Recorder(Source(), tmp_path / name) as source:
            for page in ("no", "yes/", "from"):
                source.get(f"http://a.test/{page}")
        assert crawled(tmp_path / name) == {
            "http://a.test/yes", "http://a.test/from", "http://a.test/end"
        }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "has no address"),
        ("http://a.test/\nnonsense\n", "line 2: 'nonsense' is no address of a page"),
        ("http://a.test/\t1\nhttp://a.test/b\n", "line 2: some addresses have a weight"),
        ("http://a.test/\tmuch\n", "line 1: 'much' is no weight"),
        ("http://a.test/\tnan\n", "line 1: 'nan' is no weight"),
    ],
)
def test_what_is_no_sample(text: str, expected: str, tmp_path: Path) -> None:
    """A traceback, or a message that does not name the line."""
    with pytest.raises(CrawlError, match=expected):
        sampled(written(tmp_path / "a.txt", text))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """A traceback for a file that does not exist or is not text."""
    with pytest.raises(CrawlError, match="No such file"):
        sampled(tmp_path / "none")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CrawlError, match="is no text in UTF-8"):
        crawled(tmp_path / "b")


def listed(name: str, pages: range, weights: bool = False) -> ListedSample:
    """Return a sample of numbered pages."""
    held = np.arange(len(pages), 0, -1.0) if weights else None
    return ListedSample(name, tuple(f"http://a.test/{page}" for page in pages), held)


def crawl(pages: range) -> frozenset[str]:
    """Return a crawl of numbered pages."""
    return frozenset(f"http://a.test/{page}" for page in pages)


def test_samples_drawn_apart() -> None:
    """A factor that is forgotten or applied twice, or samples confused with the crawl."""
    samples = [listed("a", range(100)), listed("b", range(60, 160)), listed("c", range(90, 130))]
    found = assess(samples, crawl(range(80)), [0.1], reachable=0.5)
    assert [one.covered for one in found.samples] == [80, 20, 0]
    assert found.samples[0].shares["wilson"] == share(80, 100).times(0.5)
    assert found.over is not None
    assert found.over.mean.value == pytest.approx(0.5 * (0.8 + 0.2 + 0) / 3)
    assert found.numbers["chapman"] == chapman(100, 100, 40)
    assert found.rivals["chapman"].value == pytest.approx(80 / found.numbers["chapman"].value)
    more = assess(samples, crawl(range(1000, 9000)), [0.1])
    assert more.rivals["chapman"].value == pytest.approx(8000 / 8160)  # 8,160 pages are known
    assert not found.lines and found.steps is None


def test_samples_that_grow() -> None:
    """A mean over nested samples, as if they were independent."""
    samples = [listed("a", range(50)), listed("b", range(100)), listed("c", range(200))]
    found = assess(samples, crawl(range(80)), [0.1], growing=True)
    assert found.over is None and not found.numbers
    slope = (50 * 50 + 100 * 80 + 200 * 80) / (50**2 + 100**2 + 200**2)
    assert found.lines["through the origin"].slope.value == pytest.approx(slope)
    assert found.steps is not None
    assert found.steps.mean.value == pytest.approx((1 + 0.6 + 0) / 3)


def test_samples_that_do_not_grow() -> None:
    """Slopes through samples that were drawn independently."""
    samples = [listed("a", range(50)), listed("b", range(10, 100))]
    with pytest.raises(CrawlError, match=r"b: does not contain a, .*: 10 of 50 pages are missing"):
        assess(samples, crawl(range(80)), [0.1], growing=True)


def test_quality() -> None:
    """A threshold that takes the lightest pages, or the factor applied to quality."""
    found = assess([listed("a", range(100), True)], crawl(range(30)), [0.2, 0.5], reachable=0.9)
    (one,) = found.samples
    assert {part: value.value for part, value in one.quality.items()} == pytest.approx(
        {0.2: 1.0, 0.5: 0.6, 1.0: 0.3}
    )
    assert one.shares["wilson"].value == pytest.approx(0.27)
    assert found.over is None
