"""What is said of the figures and conclusions of Table 2 of [BeeBot]."""

from __future__ import annotations

from counterpoint.studies.comparison.statistics import Mean
from counterpoint.studies.papers.beebot import PRINTED, BeeBot
from counterpoint.studies.papers.report import (
    IN_PART,
    NOT_REPRODUCED,
    PLANTED,
    REPRODUCED,
    Finding,
)
from counterpoint.studies.papers.table2_findings import agrees, findings

from .made_beebot import made


def by_claim(study: BeeBot) -> dict[str, Finding]:
    """Return the findings of a study by what they are about."""
    found = {one.claim: one for one in findings(study)}
    assert len(found) == len(findings(study))
    return found


def of(**numbers: list[int]) -> dict[str, Finding]:
    """Return the findings where R2 finds given numbers of links on the webs of some sets."""
    return by_claim(made({web: numbers.get(web, [100, 101, 102]) for web in PRINTED}))


def test_a_figure_agrees_within_a_narrow_interval() -> None:
    """An interval so wide that each figure would be reproduced; one web that agrees by chance."""
    assert agrees(Mean(100.0, 10.0), 109.0) and not agrees(Mean(100.0, 10.0), 111.0)
    assert agrees(Mean(100.0, 25.0), 100.0) and not agrees(Mean(100.0, 26.0), 100.0)
    assert not agrees(Mean(100.0, None), 100.0)


def test_figures() -> None:
    """A figure that is fitted and counts as evidence, or one that single webs exclude."""
    found = of(institutes=[815, 816, 818], universities=[300, 500, 1600], sample=[100, 101, 102])
    assert all(found[f"Table 2, R1 on {web}"].answer == PLANTED for web in PRINTED)
    assert found["Table 2, R2 on institutes"].answer == REPRODUCED
    assert found["Table 2, R2 on universities"].answer == IN_PART
    assert found["Table 2, R2 on universities"].why == "single webs have 300 to 1,600"
    assert found["Table 2, R2 on sample"].answer == NOT_REPRODUCED


def test_ratios() -> None:
    """A ratio that is wrongly called the paper's, or the reverse."""
    found = of(institutes=[190, 196, 202], universities=[110, 111, 112], sample=[90, 91, 140])
    assert found["R2/R1 on institutes"].answer == REPRODUCED
    assert found["R2/R1 on universities"].answer == NOT_REPRODUCED
    assert found["R2/R1 on sample"].answer == IN_PART  # a wide interval contains 1.05
    why = found["R2/R1 on universities"].why
    assert "no web of 3 has a ratio as low" in why
    assert "the ratio is 0.60 when the university with the most links begins empty" in why


def test_the_best_rule() -> None:
    """A rule called best although another one finds more, or although chance decides."""
    assert of(institutes=[190, 196, 202])["R2 is the best rule for institutes"].answer == REPRODUCED
    unsure = of(institutes=[50, 150, 250])["R2 is the best rule for institutes"]
    assert unsure.answer == IN_PART and unsure.why == "a difference is within its interval"
    lower = of(institutes=[50, 51, 52])["R2 is the best rule for institutes"]
    assert lower.answer == NOT_REPRODUCED and lower.why == "R1 and R3 find more"
    assert of(sample=[100, 101, 102])["R3 is the best rule for sample"].answer == REPRODUCED


def test_conclusions() -> None:
    """A rounded figure that is taken for the table's; an explanation that is no cause."""
    found = of(universities=[110, 111, 112])
    (gain,) = (one for claim, one in found.items() if claim.startswith("R3 finds 10%"))
    assert gain.answer == IN_PART and gain.here == "8.0 ± 0.0%"
    (cause,) = (one for claim, one in found.items() if claim.startswith("the paper explains"))
    assert cause.answer == IN_PART and cause.here.startswith(
        "if the university with the most links begins empty, R2/R1 is 0.60"
    )
