"""Files of TREC: they are read, wrong lines are refused by number, and they are written again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.measures import evaluate
from counterpoint.crawler.evaluation.trec import ranked, read_qrels, read_run, write_run


@pytest.mark.parametrize(
    ("text", "message"),
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
def test_a_wrong_run_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    """A ranking read wrongly, or an error that does not say where."""
    path = tmp_path / "a.run"
    path.write_text(text)
    with pytest.raises(CrawlError, match=message):
        read_run(path)


@pytest.mark.parametrize(
    ("data", "message"),
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
    tmp_path: Path, data: bytes, message: str
) -> None:
    """Judgments read wrongly, or an error that does not say where."""
    path = tmp_path / "a.qrels"
    path.write_bytes(data)
    with pytest.raises(CrawlError, match=message):
        read_qrels(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A traceback for a file that does not exist."""
    with pytest.raises(CrawlError, match="No such file"):
        read_run(tmp_path / "none")


def test_judgments_as_they_are_written(tmp_path: Path) -> None:
    """A byte order mark, tabs, or another system's line ends that cause an error."""
    path = tmp_path / "a.qrels"
    path.write_bytes(b"\xef\xbb\xbf1\t0\ta\t1\r\n1 0 b -1\r\n")
    assert read_qrels(path) == {"1": {"a": 1, "b": -1}}


def test_comments_are_left_out(tmp_path: Path) -> None:
    """A file with comments, which trec_eval 10 takes, or a comment of another encoding, refused."""
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_bytes(b"#\n # of us, \xe9\n1 Q0 a#b 1 2 t\n\n#1 Q0 c 1 2 t")
    qrels.write_bytes(b"\xef\xbb\xbf# judged by hand\n1 0 a#b 1\n")
    assert read_run(run) == {"1": {"a#b": 2.0}}
    assert read_qrels(qrels) == {"1": {"a#b": 1}}


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u0085", "\u3000", "\x1c", "\u2028"])
def test_only_white_space_of_ascii_separates_fields(tmp_path: Path, space: str) -> None:
    """A document whose name is divided, which trec_eval leaves whole."""
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text(f"1 Q0 a{space}b 1 2 t\n", encoding="utf-8")
    qrels.write_text(f"1\v0\fa{space}b\t1\r\n", encoding="utf-8")
    assert read_run(run) == {"1": {f"a{space}b": 2.0}}
    assert read_qrels(qrels) == {"1": {f"a{space}b": 1}}


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
    """A score that is rounded, or an order that differs from that of the scores."""
    path = tmp_path_factory.mktemp("run") / "a.run"
    write_run(path, {"1": scores}, "tag")
    assert read_run(path) == {"1": scores}
    assert [line.split()[2] for line in path.read_text().splitlines()] == ranked(scores)


def test_equal_scores_are_ordered_by_name_descending() -> None:
    """Ties in the order of the file, which a system could choose, or rounded scores."""
    assert ranked({"a": 1.0 + 1e-12, "b": 1.0, "c": 2.0}) == ["c", "b", "a"]
    assert ranked({"a": 1.0 + 1e-6, "b": 1.0, "c": 2.0}) == ["c", "a", "b"]
