"""A web with redirects and missing pages, and the order in which they are visited breadth-first."""

from __future__ import annotations

from tests.crawler.scripted import Page

PAGES = {
    "http://a.test/": Page("<a href=/x>1</a><a href=/old>2</a><a href=/gone>3</a>"
                           "<a href=http://b.test/>4</a><a href=/doc.bin>5</a><a href=/>6</a>"),
    "http://a.test/x": Page("<a href=/y>1</a>"),
    "http://a.test/old": Page("", 302, {"Location": "http://a.test/new"}),
    "http://a.test/new": Page("<a href=/z>1</a>"),
    "http://a.test/doc.bin": Page("12", 200, {"Content-Type": "application/octet-stream"}),
    "http://b.test/": Page("<a href=http://a.test/x>1</a><a href=/w>2</a>"),
    "http://a.test/big": Page(2000 * "x"),
    "http://mirror.test/": Page("<a href=http://a.test/z>1</a>"),
    **{f"http://a.test/{name}": Page("") for name in "yz"},
    "http://b.test/w": Page(""),
}  # fmt: skip
ORDER = ["http://a.test/", "http://a.test/x", "http://a.test/new", "http://b.test/",
         "http://a.test/doc.bin", "http://a.test/y", "http://a.test/z",
         "http://b.test/w"]  # fmt: skip
