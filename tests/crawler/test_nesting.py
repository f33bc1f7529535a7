"""Documents that would take a parser minutes are read in part, and all others whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.links import read
from crawler.pages.nesting import DEEPEST, LONGEST_TAG, readable

ADDRESS = "http://a.test/"


@given(st.lists(st.sampled_from(["<p>", "<br>", "<li>x", "<td>", "</div>", "<div>", "</p>", "<i/>",
                                 "<", "text", "<!-- <div> -->", "<a href=b>c</a>"]), max_size=60),
       st.integers(1, 80))  # fmt: skip
def test_usual_documents_are_read_whole(parts: list[str], often: int) -> None:
    """A document that is cut although nothing in it is deep."""
    document = "".join(parts) * often
    depth = document.count("<div>") + document.count("<a ")
    if depth <= DEEPEST:
        assert readable(document) == (document, "")


def test_what_needs_no_end_is_not_deep() -> None:
    """A long list, or a table, whose items have no ends, cut after a thousand."""
    document = "<ul>" + "<li><a href=x>y</a><br>" * 3_000 + "</ul>"
    assert readable(document).problem == ""
    assert len(read(document, ADDRESS).references) == 3_000


@pytest.mark.parametrize("tag", ["div", "span", "svg", "a href=b"])
def test_what_is_too_deep_is_left_out(tag: str) -> None:
    """Minutes for a page of a megabyte; links before that that are lost; silence."""
    document = "<a href=first>1</a>" + f"<{tag}>" * 200_000 + "<a href=last>2</a>"
    found = read(document, ADDRESS)
    assert found.references[0].address == "http://a.test/first"
    assert "http://a.test/last" not in found.all
    assert found.problem.startswith("elements are more than 1,000 deep")


def test_endless_tags_are_left_out() -> None:
    """Minutes for a tag with a hundred thousand attributes; what follows it lost."""
    endless = "<b " + " ".join(f"x{i}=1" for i in range(LONGEST_TAG // 5)) + ">"
    found = read(f"<a href=1>1</a>{endless}<a href=2>2</a>", ADDRESS)
    assert found.all == ["http://a.test/1", "http://a.test/2"]
