"""The crawler reads the same references as an independent reader."""

from __future__ import annotations

import pytest

from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.links import Kind, read
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.pages.truth import documents
from counterpoint.sim_web.world.site import SyntheticSite
from tests.crawler.independent import absolute, computed, pages
from tests.documentation import site_of
from tests.needs import DOCUMENTATION
from tests.sim_web.webs import hostile

PACKAGES = pytest.mark.parametrize("package", DOCUMENTATION)


def once(found: list[tuple[str, str]], unended: set[str]) -> list[tuple[str, str]]:
    """Return links without those repeated in the tree because their element is not ended."""
    kept: list[tuple[str, str]] = []
    for one in found:
        if not (kept and one[0] == kept[-1][0] and one[0] in unended):
            kept.append(one)
    return kept


def compare(text: str, address: str, encoding: str) -> int:
    """Compare both readings of a document; return its number of references."""
    ours, theirs = read(text, address, encoding), computed(text, address)
    of_ours = [(one.address, one.anchor) for one in ours.references if one.kind is Kind.EXTERNAL]
    assert once(of_ours, theirs.unended) == once(theirs.external, theirs.unended), address
    internal = [(one, "") for one in ours.internal]
    assert once(internal, theirs.unended) == once(
        [(one, "") for one in theirs.internal], theirs.unended
    ), address
    assert ours.bad == theirs.bad, address
    return len(ours.references)


def compare_all(package: str, every: int) -> tuple[int, int]:
    """Compare pages of a package; return the numbers of pages and references."""
    count = references = 0
    for path, place in list(pages(site_of(package).resolve()))[::every]:
        document = loaded(path.read_bytes(), "text/html")
        references += compare(document.text, f"http://docs.test{place}", document.encoding)
        count += 1
    return count, references


@pytest.mark.long
@PACKAGES
def test_a_sample_of_documentation(package: str) -> None:
    """A link of a real page that is lost, invented or wrong, or has another link's anchor."""
    count, references = compare_all(package, 19)
    assert count >= 5 and references >= 5 * count


@pytest.mark.slow
@PACKAGES
def test_whole_documentation(package: str) -> None:
    """The same errors, on every page."""
    count, references = compare_all(package, 1)
    assert count >= 85 and references >= 10 * count


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_a_hostile_web(seed: int) -> None:
    """The same errors on broken pages, traps and frames."""
    web = hostile(seed)
    site = SyntheticSite(web)
    references = 0
    for page in range(0, web.pages, 5):
        for url in documents(web, page):
            answer = site.answer(Question(url, 0.0))
            document = loaded(answer.body, dict(answer.headers).get("Content-Type", ""))
            references += compare(document.text, url, document.encoding)
    assert references > 500


@pytest.mark.parametrize(
    ("body", "internal", "external", "bad"),
    [
        ("<a href=1>x<p>y<a href=2>", ["/1", "/2"], [], []),
        ("<!-- <a href=1> --!><a href=2><!--><a href=3>", ["/2", "/3"], [], []),
        ("<title><a href=1></title><textarea><a href=2></textarea ><a href=3>", ["/3"], [], []),
        ("<script><!--<script></script><a href=1>--></script><a href=2>", ["/2"], [], []),
        ("<svg><title><a xlink:href=1></title></svg><a href=2>", ["/1", "/2"], [], []),
        ("<template><a href=1></template><a href=2>", ["/2"], [], []),
        ("<a title='>' href=1&amp;2&copy3&lt=4&#x35;&notit;6>",
         ["/1&2&copy3&lt=45&notit;6"], [], []),
        ("<a href=http://o.test><b>a <img alt=b>\n c</b></a>", [], [("http://o.test/", "a c")], []),
        ("<a href='//o.test?'><img alt=b><img alt=c></a>", [], [("http://o.test/", "b c")], []),
        ("<meta http-equiv=REFRESH content='0;url=\"x\" '><a href=mailto:x>",
         ["/x"], [], ["mailto:x"]),
        ("<frameset><frame src=1><frame src=''><a href=2></frameset>", ["/1"], [], [""]),
        ("<p>x<frameset><frame src=1></frameset><iframe src=2><a href=3></iframe>", ["/2"], [], []),
        ("<base href=/d/><base href=/e/><a href=../f/%7e/./%2E%2e/g>", ["/f/g"], [], []),
        ("<link rel=next href=1><link rel=icon href=2><link rel='alternate stylesheet' href=3>"
         "<link rel=Canonical href='/'><link rel=alternate type=application/rss+xml href=5>",
         ["/1"], [], []),
    ],
)  # fmt: skip
def test_what_both_must_know(
    body: str, internal: list[str], external: list[tuple[str, str]], bad: list[str]
) -> None:
    """An error that both readers have."""
    found = computed(body, "http://h.test/")
    assert found.internal == [f"http://h.test{one}" for one in internal]
    assert (found.external, found.bad) == (external, bad)
    compare(body, "http://h.test/", "utf-8")


def test_addresses_computed_without_the_crawler() -> None:
    """An independent joining of addresses that is itself wrong."""
    base = "http://h.test/a/b?c"
    for reference, target in (
        ("\\\\o.test\\x?\\", "http://o.test/x?\\"), ("http:y", "http://h.test/a/y"),
        ("HTTPS:y", "https://y/"), ("http://u@O.test:080/%7E%zz", "http://o.test/~%zz"),
        ("?", "http://h.test/a/b"), ("", base), ("#x", base), ("http://1.2.3.4/", "http://1.2.3.4/"),
        ("http://[::0:1]/", "http://[::1]/"), ("//o.test:0/", None), ("http://a b/", None),
        ("javascript:x", None), ("/%%341", "http://h.test/%%341"),
        ("//пример.test", "http://xn--e1afmkfd.test/"),
    ):  # fmt: skip
        assert absolute(base, reference) == target
