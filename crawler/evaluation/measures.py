"""Measures a ranked list: precision, recall, F, R-precision, MAP, nDCG, the 11-point graph.

Names and definitions are those of trec_eval. [HITS] measures recall and precision of a whole
answer (`set_recall`, `set_P`) and draws the 11-point graph. Two variants of that graph are in use;
they differ in the number of relevant documents that a level of recall stands for (see
`Interpolation`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from .trec import Qrels, Run, ranked

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Numbers of top documents over which precision, recall and nDCG are computed."""
LEVELS = tuple(i / 10 for i in range(11))
"""The levels of recall of the 11-point graph."""


class Interpolation(StrEnum):
    """How a level of recall is converted to a number of relevant documents, of R in all."""

    TREC_EVAL_9 = "trec_eval-9"
    """The integer part of recall x R + 0.9, which nearly always rounds up."""
    TREC_EVAL_10 = "trec_eval-10"
    """Recall x R, rounded to the nearest integer, halves up."""

    def documents(self, recall: float, relevant: int) -> int:
        """Return how many of the relevant documents a level of recall stands for."""
        if self is Interpolation.TREC_EVAL_9:
            return int(recall * relevant + 0.9)
        return int(recall * relevant + 0.5)


def evaluate(
    run: Run,
    qrels: Qrels,
    *,
    level: int = 1,
    complete: bool = False,
    interpolation: Interpolation = Interpolation.TREC_EVAL_9,
) -> dict[str, dict[str, float]]:
    """Measure a run for each topic.

    Parameters
    ----------
    run : Run
    qrels : Qrels
    level : int
        The lowest judgment that counts as relevant.
    complete : bool
        Whether to measure all topics of the qrels; else only those for which the run has documents.
    interpolation : Interpolation

    Returns
    -------
    dict
        For each topic, in the order of the qrels, the measures by name.
    """
    topics = [topic for topic in qrels if complete or topic in run]
    return {
        topic: measured(ranked(run.get(topic, {})), qrels[topic], level, interpolation)
        for topic in topics
    }


def means(by_topic: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over topics; counts (``num_...``) are summed."""
    if not by_topic:
        return {}
    rows = list(by_topic.values())
    return {
        name: math.fsum(row[name] for row in rows) / (1 if name.startswith("num_") else len(rows))
        for name in rows[0]
    }


def measured(
    documents: Sequence[str],
    judged: Mapping[str, int],
    level: int = 1,
    interpolation: Interpolation = Interpolation.TREC_EVAL_9,
) -> dict[str, float]:
    """Measure one ranked list.

    Parameters
    ----------
    documents : sequence of str
        The distinct documents of the list, the best first.
    judged : mapping
        Judgments by document; documents without a judgment are not relevant.
    level : int
        The lowest judgment that counts as relevant.
    interpolation : Interpolation

    Returns
    -------
    dict
        The measures by their names in trec_eval.
    """
    hits = [judged.get(document, 0) >= level for document in documents]
    found = _running(hits)
    relevant = sum(judgment >= level for judgment in judged.values())
    total = found[-1]
    table: dict[str, float] = {"num_ret": len(hits), "num_rel": relevant, "num_rel_ret": total}
    table["map"] = _ratio(math.fsum(found[i + 1] / (i + 1) for i in _places(hits)), relevant)
    table["Rprec"] = _ratio(found[min(relevant, len(hits))], relevant)
    table["recip_rank"] = next((1 / (i + 1) for i in _places(hits)), 0.0)
    table["set_P"], table["set_recall"] = _ratio(total, len(hits)), _ratio(total, relevant)
    table["set_F"] = harmonic(table["set_P"], table["set_recall"])
    points = eleven_points(found, relevant, interpolation)
    for recall, precision in zip(LEVELS, points, strict=True):
        table[f"iprec_at_recall_{recall:.2f}"] = precision
    table["11pt_avg"] = math.fsum(points) / len(points)
    gains = [max(0, judged.get(document, 0)) for document in documents]
    ideal = sorted((gain for gain in judged.values() if gain > 0), reverse=True)
    table["ndcg"] = ndcg(gains, ideal)
    for cut in CUTS:
        table[f"P_{cut}"] = found[min(cut, len(hits))] / cut
        table[f"recall_{cut}"] = _ratio(found[min(cut, len(hits))], relevant)
        table[f"ndcg_cut_{cut}"] = ndcg(gains[:cut], ideal[:cut])
    return table


def eleven_points(found: Sequence[int], relevant: int, interpolation: Interpolation) -> list[float]:
    """Return the interpolated precision at each of the 11 `LEVELS` of recall.

    The interpolated precision at a level of recall is the greatest precision at all ranks whose
    recall is at least that level; 0 if there is no such rank.

    Parameters
    ----------
    found : sequence of int
        The number of relevant documents among the first 0, 1, 2, ... documents.
    relevant : int
        R, the number of relevant documents.
    interpolation : Interpolation
    """
    best, later = [0.0] * (found[-1] + 1), 0.0  # best[n]: n or more relevant documents are found
    for rank in range(len(found) - 1, 0, -1):
        later = max(later, found[rank] / rank)
        best[found[rank]] = later
    best[0] = later
    wanted = (interpolation.documents(recall, relevant) for recall in LEVELS)
    return [best[count] if count < len(best) else 0.0 for count in wanted]


def ndcg(gains: Sequence[int], ideal: Sequence[int]) -> float:
    """Return the discounted gain divided by that of the ideal list (Järvelin and Kekäläinen, 2002).

    The gain of a document is its judgment, divided at rank i by the binary logarithm of i + 1.
    """
    return _ratio(_discounted(gains), _discounted(ideal))


def harmonic(precision: float, recall: float) -> float:
    """Return F, the harmonic mean of precision and recall; 0 if both are 0."""
    return _ratio(2 * precision * recall, precision + recall)


def harvest(relevant: Sequence[bool]) -> list[float]:
    """Return the harvest rate after each fetched page: the relevant share of the pages so far."""
    return [count / rank for rank, count in enumerate(_running(relevant)) if rank]


def _running(hits: Sequence[bool]) -> list[int]:
    found = [0]
    for hit in hits:
        found.append(found[-1] + hit)
    return found


def _places(hits: Sequence[bool]) -> list[int]:
    return [i for i, hit in enumerate(hits) if hit]


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
