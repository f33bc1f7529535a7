"""Files of TREC: read, refused with the line, written again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.measures import evaluate
from counterpoint.crawler.evaluation.trec import ranked, read_qrels, read_run, write_run


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 Q0 a 1 0.5 tag\n1 Q0 b 2 0.4\n", "line 2: 5 fields, not 6"),
        ("1 Q0 a 1 high tag\n", "line 1: 'high' is no score"),
        ("\n1 Q0 a 1 nan tag\n", "line 2: 'nan' is no score"),
        ("1 Q0 a 1 inf tag\n", "line 1: 'inf' is no score"),
        ("1 Q0 a 1 1e999 tag\n", "line 1: '1e999' is no score"),
        ("1 Q0 a 1 1_0 tag\n", "line 1: '1_0' is no score"),
        ("1 Q0 a 1 \u0661 tag\n", "line 1: '\u0661' is no score"),
        ("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 a 2 2 t\n", "line 3: 'a' stands twice for topic 1"),
        ("\n\n", "no document was returned"),
    ],
)
def test_a_wrong_run_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    """A ranking read wrongly, or an error that does not say where."""
    path = tmp_path / "a.run"
    path.write_text(text)
    with pytest.raises(CrawlError, match=said):
        read_run(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1 0 a 1\n1 0 b\n", "line 2: 3 fields, not 4"),
        (b"1 0 a 0.5\n", "line 1: '0.5' is no relevance"),
        (b"1 0 a 1_0\n", "line 1: '1_0' is no relevance"),
        ("1 0 a \u0661\n".encode(), "line 1: '\u0661' is no relevance"),
        (b"1 0 a 1\n1 0 b 1000000000\n", "line 2: '1000000000' is no relevance, a whole number"),
        (b"1 0 a 1" + b"0" * 5000 + b"\n", "line 1: '10{38} is no relevance"),
        (b"1 0 a 1\n1 0 a 0\n", "line 2: 'a' stands twice for topic 1"),
        (b"1 0 \xff 1\n", "line 1: is no text in UTF-8"),
        (b"", "no document was judged"),
    ],
)
def test_wrong_judgments_are_refused_with_their_line(
    tmp_path: Path, data: bytes, said: str
) -> None:
    """Judgments read wrongly, or an error that does not say where."""
    path = tmp_path / "a.qrels"
    path.write_bytes(data)
    with pytest.raises(CrawlError, match=said):
        read_qrels(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A traceback."""
    with pytest.raises(CrawlError, match="No such file"):
        read_run(tmp_path / "none")


def test_judgments_as_they_are_written(tmp_path: Path) -> None:
    """A mark at the beginning, tabs or line ends of another system that do harm."""
    path = tmp_path / "a.qrels"
    path.write_bytes(b"\xef\xbb\xbf1\t0\ta\t1\r\n1 0 b -1\r\n")
    assert read_qrels(path) == {"1": {"a": 1, "b": -1}}


def test_the_largest_judgments_can_be_measured(tmp_path: Path) -> None:
    """An overflow where gains are summed."""
    path = tmp_path / "a.qrels"
    path.write_text("".join(f"1 0 d{k} 999999999\n" for k in range(9)))
    row = evaluate({"1": {"d0": 1.0}}, read_qrels(path))["1"]
    assert 0 < row["ndcg"] < 1 and row["ndcg_cut_5"] > row["ndcg"]


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9/:.]{1,20}", fullmatch=True),
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
    )
)
def test_written_and_read_again(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, float]
) -> None:
    """A score that is rounded, or an order that is not that of the scores."""
    path = tmp_path_factory.mktemp("run") / "a.run"
    write_run(path, {"1": scores}, "tag")
    assert read_run(path) == {"1": scores}
    assert [line.split()[2] for line in path.read_text().splitlines()] == ranked(scores)


def test_equal_scores_are_ordered_by_name_descending() -> None:
    """Ties in the order of the file, which a system could choose; doubles told apart."""
    assert ranked({"a": 1.0 + 1e-12, "b": 1.0, "c": 2.0}) == ["c", "b", "a"]
    assert ranked({"a": 1.0 + 1e-6, "b": 1.0, "c": 2.0}) == ["c", "a", "b"]
