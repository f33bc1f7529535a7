"""Measures of a ranked list: precision, recall, F, R-precision, MAP, nDCG, 11 points.

Names and definitions are those of trec_eval. [HITS] measures recall and precision of a whole
answer (`set_recall`, `set_P`) and draws the 11-point graph. That graph has two variants in the
field, which differ in the number of relevant documents that a recall stands for; see
`Interpolation`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from .trec import Qrels, Run, ranked

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Ranks at which precision, recall and nDCG are cut."""
LEVELS = tuple(i / 10 for i in range(11))
"""Recalls of the 11-point graph."""


class Interpolation(StrEnum):
    """How many relevant documents, of R, a recall of the 11-point graph stands for."""

    TREC_EVAL_9 = "trec_eval-9"
    """The whole part of recall x R + 0.9: nearly always rounded up."""
    TREC_EVAL_10 = "trec_eval-10"
    """Recall x R, rounded to the nearest whole number, halves up."""

    def documents(self, recall: float, relevant: int) -> int:
        """Return how many relevant documents a recall stands for."""
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
    """Measure a run, topic by topic.

    Parameters
    ----------
    run : Run
    qrels : Qrels
    level : int
        The least judgment that counts as relevant.
    complete : bool
        Measure topics of which the run has no document as well; else topics in both are measured.
    interpolation : Interpolation

    Returns
    -------
    dict
        By topic, in the order of the qrels: measures by name. Empty if they share no topic.
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
        Returned, the best first; each once.
    judged : mapping
        Judgments by document; what is not judged is not relevant.
    level : int
        The least judgment that counts as relevant.
    interpolation : Interpolation
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

    At a recall it is the greatest precision at any rank at which that recall is reached, be it
    exceeded; 0 if it never is.

    Parameters
    ----------
    found : sequence of int
        How many relevant documents the first 0, 1, 2, ... ranks have.
    relevant : int
        R, how many there are.
    interpolation : Interpolation
    """
    best, later = [0.0] * (found[-1] + 1), 0.0  # by how many are found at least
    for rank in range(len(found) - 1, 0, -1):
        later = max(later, found[rank] / rank)
        best[found[rank]] = later
    best[0] = later
    wanted = (interpolation.documents(recall, relevant) for recall in LEVELS)
    return [best[count] if count < len(best) else 0.0 for count in wanted]


def ndcg(gains: Sequence[int], ideal: Sequence[int]) -> float:
    """Return the discounted gain as a share of the ideal list's (Järvelin and Kekäläinen, 2002).

    A gain is a judgment; the discount at rank i is the binary logarithm of i + 1.
    """
    return _ratio(_discounted(gains), _discounted(ideal))


def harmonic(precision: float, recall: float) -> float:
    """Return F, the harmonic mean of precision and recall; 0 if both are 0."""
    return _ratio(2 * precision * recall, precision + recall)


def harvest(relevant: Sequence[bool]) -> list[float]:
    """Return the harvest rate after each page fetched: the share of them that are relevant."""
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
