"""The tables of [COV], as far as our copy has them."""

from __future__ import annotations

SERVING = (95, 172, 252, 336, 418, 478, 570, 652, 717, 817)
COVERED = (4, 7, 9, 13, 16, 21, 28, 36, 43, 47)
DRAWN = tuple(range(100_000, 1_100_000, 100_000))
"""Random IP: addresses drawn, serving, and covered. Each sample contains the one before."""

EXPANDED = (1084, 2584, 3859, 5484, 8094)
EXPANDED_COVERED = (174, 596, 841, 1204, 1899)
EXPANDED_OF = (1, 3, 5, 7, 10)
"""After one expansion: sizes and covered, of these samples."""

SEARCHED = (66891, 211629, 154314, 723866, 174078)
SEARCHED_COVERED = (26732, 87562, 67178, 273066, 74370)
"""Breadth-first from five start pages."""

TOP_RANKED = (3523, 8497, 8702, 33436, 8408)
TOP_RANKED_COVERED = (1542, 4032, 4754, 17717, 3456)
"""The top 5% or so of these by PageRank."""

CURVES = {
    2: ((1811, 3434, 5117, 6808, 8497), (1145, 2068, 2788, 3363, 4032)),
    4: ((17321, 33436, 49198, 64450, 79155), (9903, 17717, 24718, 31126, 36780)),
}
"""Samples 2 and 4: how many pages are important, and covered, as the threshold is relaxed."""

TOPICS = (11667, 19379, 13403, 11006, 26548, 15498, 11608, 20823)
ANSWERS = (1802, 1802, 1802, 1802, 1355, 1802, 1802, 1802)
HUBS = (1671, 1701, 1532, 1040, 1508, 1428, 1859, 1961)
HUBS_COVERED = (958, 956, 578, 312, 772, 514, 793, 651)
"""Eight topics: the answer to a query with the pages around it, the answer alone, the top 15% or so
by hub weight, and covered. The same table by authority weight is cut off in our copy."""

ABOUT = {"pagerank": 0.05, "hub": 0.15}
"""The thresholds as the text has them."""
