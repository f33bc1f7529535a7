"""Regret: R3 is UCB1 where rewards are 0 or 1, and its regret stays below the bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from counterpoint.studies.papers import regret, regret_report
from counterpoint.studies.papers.arms import best_totals, play
from counterpoint.studies.papers.regret import (
    DISTRIBUTIONS,
    RegretWeb,
    bound,
    checkpoints,
    gaps,
    lowest_slope,
)
from counterpoint.studies.papers.report import REPRODUCED


def ucb1(rows: list[np.ndarray], steps: int) -> list[int]:
    """Return the arms that UCB1 plays, as its paper defines it; ties go to the first arm."""
    order, sums, counts = [], [0] * len(rows), [0] * len(rows)
    for n in range(steps):
        if n < len(rows):
            arm = n
        else:
            index = [s / t + math.sqrt(2 * math.log(n) / t)
                     for s, t in zip(sums, counts, strict=True)]  # fmt: skip
            arm = index.index(max(index))
        sums[arm] += int(rows[arm][counts[arm]])
        counts[arm] += 1
        order.append(arm)
    return order


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_r3_is_ucb1_on_such_arms(name: str) -> None:
    """An R3 beyond the theorem: it divides by another Xmax or counts other steps."""
    chance = np.random.default_rng(int(name))
    rows = [(chance.random(1500) < p).astype(np.int64) for p in DISTRIBUTIONS[name]]
    assert play("R3,initial=1", rows, 1500).sites.tolist() == ucb1(rows, 1500)


def test_bound_and_slope() -> None:
    """A constant of the theorem that differs from the printed one."""
    assert bound((0.9, 0.6), 1.0) == pytest.approx((1 + math.pi**2 / 3) * 0.3)
    assert bound((0.9, 0.6), math.e) - bound((0.9, 0.6), 1.0) == pytest.approx(8 / 0.3)
    assert bound((0.5, 0.5, 0.4), math.e) == pytest.approx(8 / 0.1 + (1 + math.pi**2 / 3) * 0.1)
    kl = 0.6 * math.log(0.6 / 0.9) + 0.4 * math.log(0.4 / 0.1)
    assert lowest_slope((0.9, 0.6)) == pytest.approx(0.3 / kl)


def test_regret_is_the_sum_of_the_gaps() -> None:
    """Regret of drawn rewards instead of expected ones; a checkpoint that is off by one."""
    found = regret.stationary(200, ("1", 4))
    chance = np.random.default_rng([4, 0xA5, 1])
    rows = [(chance.random(200) < p).astype(np.int64) for p in DISTRIBUTIONS["1"]]
    sites = play("R3,initial=1", rows, 200).sites
    for n, value in zip(checkpoints(200), found, strict=True):
        assert value == pytest.approx(gaps(DISTRIBUTIONS["1"])[sites[:n]].sum())


@pytest.mark.long
def test_a_small_study() -> None:
    """Regret above the bound or proportional to time; a share above 1."""
    found = regret.study(range(3), steps=4000, budget=200)
    assert [one.answer for one in regret_report.report(found).findings] == [REPRODUCED] * 2
    for name in DISTRIBUTIONS:
        assert found.below(name) and found.decade(name).value < 10
    for web, runs in found.webs.items():
        assert all(0 < found.share(web, rule).value <= 1 for rule in regret.RULES)
        assert all((run.best >= run.found["R3"]).all() for run in runs)
        assert all(0 < found.mixed(web, rule).value <= 1 for rule in regret.ABLATED)
        for rule in (regret.MYOPIC, regret.TENTH):
            assert 0 < found.ablated(web, rule).value <= 1


def test_the_ablation_of_the_second_term_is_of_r3() -> None:
    """A rule that differs from R3 in more than the size of the second term."""
    chance = np.random.default_rng(4)
    rows = [chance.poisson(0.2 * k, 400) for k in range(1, 6)]
    whole = regret.TENTH.replace("0.005", "0.5")
    assert whole != regret.TENTH
    assert (play(whole, rows, 900).sites == play("R3,initial=1", rows, 900).sites).mean() > 0.97
    assert play(regret.TENTH, rows, 900).total > play(whole, rows, 900).total


def test_pages_in_random_order() -> None:
    """An ablation that changes what a site has; a rule of alike pages that alike pages fool."""
    rows = [np.array([0] * 300 + [9] * 300), np.ones(600, dtype=np.int64)]
    found = regret.in_random_order(rows, 600, 3)
    assert found["best"] > 0.9 * 600 * 4.5
    assert found["gittins"] > 0.9 * found["best"]
    assert play("gittins", rows, 600).total < 0.5 * best_totals(rows, 600)[-1]


def test_a_share_in_random_order_is_of_the_best_in_that_order() -> None:
    """Links of an order without trends, divided by the best of the order with them."""
    total = np.array([50, 100])
    web = RegretWeb(total, {"R3": total}, 60, 1.0, 0.5, 1, 1, {}, {"R3": 60, "best": 80})
    made = regret.Regret(range(2), 1, 2, {}, {"sample": [web, web]})
    assert made.mixed("sample", "R3").value == 0.75


def test_a_broken_rule_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study that reports regret below the bound for every rule."""
    monkeypatch.setattr(regret, "stationary", _at_random)
    found = regret.study(range(2), steps=20_000, budget=30)
    assert not all(found.below(name) for name in DISTRIBUTIONS)
    assert regret_report.report(found).findings[1].answer != REPRODUCED
    assert found.decade("1").value == pytest.approx(10, rel=0.1)


def _at_random(steps: int, job: tuple[str, int]) -> np.ndarray:
    chances = DISTRIBUTIONS[job[0]]
    return gaps(chances).mean() * checkpoints(steps).astype(float)
