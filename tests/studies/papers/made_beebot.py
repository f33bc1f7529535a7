"""Studies of Table 2 of [BeeBot] with given figures."""

from __future__ import annotations

import numpy as np

from counterpoint.studies.papers import beebot
from counterpoint.studies.papers.beebot import PRINTED, BeeBot, BeeBotWeb
from counterpoint.studies.papers.starvation import Starvation


def made(r2: dict[str, list[int]]) -> BeeBot:
    """Return a study in which R1 found 100 links on each web, and R2 a given number."""

    def run(web: str, number: int) -> BeeBotWeb:
        found = {
            rule: 100 if rule == "R1" else number if rule.startswith("R2")
            else round(100 * beebot.printed_ratio(web, rule))
            for rule in beebot.RULES
        }  # fmt: skip
        found |= {"R1-printed": 2000 if web == "sample" else 90, beebot.AS_PRINTED[1]: number,
                  beebot.AS_PRINTED[2]: number}  # fmt: skip
        pages = dict.fromkeys(beebot.AS_PRINTED, 2001)
        none = {n: Starvation(0, 0.0, False) for n in beebot.STEPS}
        richest = np.array([[10, 10, 11], [10, 6, 11], [10, 5, 12]])
        together = richest[[1]] if web == "sample" else richest[[1, 2]]
        timed = {rule: found[rule] for rule in beebot.TIMED}
        return BeeBotWeb(found, pages, none, richest, richest[[0, 0, 1]], (together, together),
                         found, timed)  # fmt: skip

    return BeeBot(range(3), 2000, {w: tuple(run(w, x) for x in r2[w]) for w in PRINTED})
