"""Measures of rankings, compared with the reference implementation and with hand counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.evaluation.measures import (
    LEVELS,
    Interpolation,
    evaluate,
    harvest,
    means,
    measured,
)

NAMES = {"map", "ndcg", "Rprec", "iprec_at_recall", "P", "recall", "set_F", "set_P", "set_recall",
         "11pt_avg", "recip_rank", "ndcg_cut", "num_ret", "num_rel", "num_rel_ret"}  # fmt: skip

DOCUMENTS = st.sampled_from([f"d{i}" for i in range(40)])
SCORES = st.one_of(
    st.floats(-1e6, 1e6, width=32),
    st.sampled_from([0.0, 0.1, 0.1 + 1e-10, 0.5, 1.0, -1.0]),  # ties, some only in single precision
)
TOPICS = st.sampled_from(["t1", "t2", "t3"])
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, SCORES, min_size=1), min_size=1)
# The reference never returns on some judgments below 0.
QRELS = st.dictionaries(
    TOPICS, st.dictionaries(DOCUMENTS, st.integers(0, 4), min_size=1), min_size=1
)


@given(RUNS, QRELS, st.integers(1, 3))
def test_as_the_reference_implementation(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], level: int
) -> None:
    """A measure that differs from trec_eval's, another order of ties, or a missing topic."""
    wanted = pytrec_eval.RelevanceEvaluator(qrels, NAMES, relevance_level=level).evaluate(run)
    found = evaluate(run, qrels, level=level)
    assert found.keys() == wanted.keys()
    for topic, row in wanted.items():
        assert found[topic].keys() == row.keys()
        for name, value in row.items():
            assert found[topic][name] == pytest.approx(value, abs=1e-9), name


# Ten relevant documents but three: 1, 3 and 6 of the ranks; R = 7, so 0.2 R = 1.4, 0.5 R = 3.5.
RANKED = ["a", "x", "b", "y", "z", "c"]
JUDGED = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "x": 0}


@pytest.mark.parametrize(
    ("interpolation", "wanted"),
    [
        # documents wanted: 0 1 2 3 3 4 5 5 6 7 7
        (Interpolation.TREC_EVAL_9, ["1", "1", "2/3", "1/2", "1/2", "0"]),
        # 0.7 1.4 2.1 2.8 3.5 4.2 ... rounded: 0 1 1 2 3 4 4 5 6 6 7
        (Interpolation.TREC_EVAL_10, ["1", "1", "1", "2/3", "1/2", "0"]),
    ],
)
def test_eleven_points_by_hand(interpolation: Interpolation, wanted: list[str]) -> None:
    """A variant that is not the named one."""
    row = measured(RANKED, JUDGED, interpolation=interpolation)
    found = [row[f"iprec_at_recall_{recall:.2f}"] for recall in LEVELS]
    values = [float(Fraction(text)) for text in wanted]
    assert found == pytest.approx(values + [0.0] * (11 - len(values)))


def test_halves_are_rounded_up() -> None:
    """Halves rounded to the even number, as Python rounds."""
    assert [Interpolation.TREC_EVAL_10.documents(0.5, relevant) for relevant in (1, 5, 7)] == [
        1,
        3,
        4,
    ]


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 10))
def test_points_never_rise_with_recall(hits: list[bool], missed: int) -> None:
    """A precision that is not the greatest at any later rank."""
    documents = [f"d{i}" for i in range(len(hits))]
    judged = dict(zip(documents, map(int, hits), strict=True))
    judged |= {f"m{i}": 1 for i in range(missed)}
    for interpolation in Interpolation:
        row = measured(documents, judged, interpolation=interpolation)
        points = [row[f"iprec_at_recall_{recall:.2f}"] for recall in LEVELS]
        assert points == sorted(points, reverse=True)


def test_judgments_below_0() -> None:
    """Spam (-2) that reduces a gain, or the ideal list's gain."""
    judged = {"a": 2, "b": -2, "c": 1, "d": -1, "e": 3}
    plain = {document: max(0, judgment) for document, judgment in judged.items()}
    assert measured(["b", "a", "x", "c"], judged) == measured(["b", "a", "x", "c"], plain)


def test_recall_and_precision_of_an_answer() -> None:
    """The misprint of [HITS] (b: all found), by which a perfect answer has a precision of 1/2."""
    row = measured(["a", "b"], {"a": 1, "b": 1, "c": 1, "d": 1})
    assert (row["set_P"], row["set_recall"]) == (1.0, 0.5)
    assert row["set_F"] == pytest.approx(2 / 3)


def test_topics_without_an_answer_count_when_asked() -> None:
    """A run that scores better because it leaves topics out."""
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 1}, "2": {"b": 1}}
    assert means(evaluate(run, qrels))["map"] == 1.0
    assert means(evaluate(run, qrels, complete=True))["map"] == 0.5
    assert means(evaluate(run, qrels, complete=True))["num_rel"] == 2
    assert evaluate({"3": {"a": 1.0}}, qrels) == {} == means({})


def test_harvest_rate() -> None:
    """A rate over the found pages instead of the fetched ones."""
    assert harvest([True, False, True, True]) == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4])
    assert harvest([]) == []
