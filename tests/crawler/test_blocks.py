"""Blocks of text, and the changes between two versions of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.blocks import MOST, blocks, difference, size

TEXTS = st.lists(st.text("abж ", max_size=6), max_size=8)


def page(texts: list[str]) -> bytes:
    """Return the blocks of a page with a paragraph for each text."""
    return blocks("<title>t</title>" + "".join(f"<p>{text}</p>\n" for text in texts))


@given(TEXTS, TEXTS)
def test_what_is_in_one_version_only(old: list[str], new: list[str]) -> None:
    """A change that is missed or invented, or bytes counted twice."""
    of_old, of_new = ([" ".join(text.split()) for text in texts] for texts in (old, new))
    left, expected = list(of_new), 0
    for text in of_old:
        if text in left:
            left.remove(text)
        else:
            expected += len(text.encode())
    expected += sum(len(text.encode()) for text in left)
    assert difference(page(old), page(new)) == difference(page(new), page(old)) == expected
    assert size(page(new)) == sum(len(text.encode()) for text in of_new)
    assert difference(page(old), page(old[::-1])) == 0
    assert len(page(new)) == 12 * sum(text != "" for text in of_new)


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [
        ("<p>ab <b>c</b>d</p>", "<div>ab c<a href=x>d</a></div>", 0),
        ("<p>ab</p>", "<p class=x>\n ab\n<!-- c --></p><script>d</script><style>e</style>", 0),
        ("<p>ab</p><template>c</template>", "<head><title>x</title></head><p>ab", 0),
        ("<p>ab<p>c", "<p>abc", 6), ("<p>a<br>b", "<p>ab", 4), ("", "<p>ж", 2),
        ("<td>a<td>b", "<td>b<td>a<td>a", 1), ("<frameset>", "", 0), ("a\x1eb", "a<p>b", 0),
    ],
)  # fmt: skip
def test_what_is_a_block(one: str, other: str, changed: int) -> None:
    """A page of which only tags changed, taken for a new one."""
    if one.startswith("<td>"):
        one, other = f"<table>{one}", f"<table>{other}"
    assert difference(blocks(one), blocks(other)) == changed


def test_a_page_of_very_many_blocks() -> None:
    """A row of the store without a size limit, or a missed change beyond the limit."""
    texts = [str(k) for k in range(MOST + 500)]
    kept = page(texts)
    assert len(kept) == 12 * (MOST + 1)
    assert difference(kept, page([*texts[:-1], "x"])) > 0
    assert difference(kept, page(texts)) == 0
