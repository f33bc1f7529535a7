"""Compares the ranks of policies on two webs: a captured one and one fitted to it, for example.

For each measure, Kendall's tau-b compares the order of the policies' means on both webs. Its
interval is found by resampling the runs of each web: whole seeds are drawn, so that policies stay
paired. Each pair of policies is compared as in a comparison, by Student's interval of the
differences seed by seed: on both webs it is decided in the same order, decided in reverse, or on
one of them not decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .comparison import Comparison, PolicyRuns
from .measures import Measure
from .statistics import Mean, mean

LEAST = 5
"""With fewer seeds, drawing them again says nothing of tau."""
SAMPLES = 2_000
"""How often the runs are resampled."""
_SEED = 20_260
_CHUNK = 100

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Agreement:
    """How well two webs agree on the policies, by one measure.

    Attributes
    ----------
    measure : Measure
    policies : tuple of str
        The policies that have the measure on both webs.
    means : tuple of tuple of Mean and Mean
        For each policy, the mean on the first and on the second web.
    tau : float or None
        Kendall's tau-b, from -1 to 1; None if all policies are equal on one of the webs.
    interval : tuple of float and float, or None
        The 95% interval of tau; None if it is not known, as with fewer than `LEAST` seeds.
    same, reverse, undecided : tuple of tuple of str and str
        Pairs of policies, the better one on the first web first if that is decided.
    """

    measure: Measure
    policies: tuple[str, ...]
    means: tuple[tuple[Mean, Mean], ...]
    tau: float | None
    interval: tuple[float, float] | None
    same: tuple[tuple[str, str], ...]
    reverse: tuple[tuple[str, str], ...]
    undecided: tuple[tuple[str, str], ...]


def agreements(one: Comparison, two: Comparison) -> list[Agreement]:
    """Return the agreement of two comparisons of the same policies, by each measure of both.

    A measure is left out if fewer than two policies can be compared by it.
    """
    second = {policy.name: policy for policy in two.policies}
    twins = [(policy, second[policy.name]) for policy in one.policies if policy.name in second]
    names = {measure.name for measure in two.measured()}
    found = (_agreement(m, twins) for m in one.measured() if m.name in names and not m.of_capture)
    return [item for item in found if item is not None]


def _agreement(measure: Measure, twins: list[tuple[PolicyRuns, PolicyRuns]]) -> Agreement | None:
    twins = [two for two in twins if all(one.values(measure.name) for one in two)]
    pairs = [
        (i, k) for i, k in combinations(range(len(twins)), 2)
        if not measure.of_reach or twins[i][0].reaches_as(twins[k][0])
    ]  # fmt: skip
    if not pairs:
        return None
    kept = sorted({number for pair in pairs for number in pair})
    twins = [twins[number] for number in kept]
    pairs = [(kept.index(i), kept.index(k)) for i, k in pairs]
    values = [np.array([two[web].values(measure.name) for two in twins]) for web in (0, 1)]
    signs = _Decided(measure, twins, pairs)
    return Agreement(
        measure,
        tuple(one.name for one, _ in twins),
        tuple((mean(one.values(measure.name)), mean(two.values(measure.name)))
              for one, two in twins),
        tau(values[0].mean(axis=1), values[1].mean(axis=1), pairs),
        _interval(values, pairs),
        signs.of(1), signs.of(-1), signs.of(0),
    )  # fmt: skip


def tau(first: Array, second: Array, pairs: list[tuple[int, int]]) -> float | None:
    """Return Kendall's tau-b over some pairs; None if all of them are ties in one of the rows.

    Parameters
    ----------
    first, second : float64[n]
    pairs : list of tuple of int and int
    """
    found = float(_taus(first[None], second[None], pairs)[0])
    return None if np.isnan(found) else found


def _taus(first: Array, second: Array, pairs: list[tuple[int, int]]) -> Array:
    """Return the tau of each row of two arrays; NaN where it is not defined."""
    left, right = np.array(pairs).T
    one = np.sign(first[:, left] - first[:, right])
    two = np.sign(second[:, left] - second[:, right])
    product = np.abs(one).sum(axis=1) * np.abs(two).sum(axis=1)
    found: Array = np.where(product > 0, (one * two).sum(axis=1), np.nan)
    found /= np.sqrt(np.maximum(product, 1))
    return found


def _interval(values: list[Array], pairs: list[tuple[int, int]]) -> tuple[float, float] | None:
    """Return the 95% interval of tau by resampling the columns of each array."""
    if any(rows.shape[1] < LEAST for rows in values):
        return None
    chance = np.random.default_rng(_SEED)
    found = np.concatenate([
        _taus(_resampled(values[0], chance), _resampled(values[1], chance), pairs)
        for _ in range(SAMPLES // _CHUNK)
    ])  # fmt: skip
    found = found[~np.isnan(found)]
    if not len(found):
        return None
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def _resampled(rows: Array, chance: np.random.Generator) -> Array:
    """Return the means of the rows in `_CHUNK` samples of the columns, float64[_CHUNK, rows]."""
    seeds = rows.shape[1]
    drawn = rows[:, chance.integers(0, seeds, (_CHUNK, seeds))]
    means: Array = drawn.mean(axis=2).T
    return means


class _Decided:
    """Which pairs are decided on both webs, and how."""

    def __init__(
        self, measure: Measure, twins: list[tuple[PolicyRuns, PolicyRuns]],
        pairs: list[tuple[int, int]],
    ) -> None:  # fmt: skip
        self._found: list[tuple[int, tuple[str, str]]] = []
        for i, k in pairs:
            one, two = (_better(twins[i][web], twins[k][web], measure) for web in (0, 1))
            names = (twins[i][0].name, twins[k][0].name)
            self._found.append((one * two, names if one >= 0 else names[::-1]))

    def of(self, sign: int) -> tuple[tuple[str, str], ...]:
        """Return the pairs in the same (1) or reverse (-1) order, or those not decided (0)."""
        return tuple(names for found, names in self._found if found == sign)


def _better(one: PolicyRuns, other: PolicyRuns, measure: Measure) -> int:
    """Return 1 if a policy is better than another, -1 if it is worse, 0 if that is not decided."""
    paired = one.against(other, measure)
    interval = None if paired is None else paired.difference.interval
    if interval is None or interval[0] <= 0 <= interval[1]:
        return 0
    better = (interval[0] > 0) == (measure.best == "most")
    return 1 if better else -1


def ranks(agreement: Agreement) -> list[tuple[str, int, int]]:
    """Return each policy with its ranks on both webs; equal means share a rank.

    A rank is among the policies with which a policy can be compared. They stand together, the best
    first.
    """
    sign = -1 if agreement.measure.best == "most" else 1
    pairs = (*agreement.same, *agreement.reverse, *agreement.undecided)
    beside: dict[str, set[str]] = {name: {name} for name in agreement.policies}
    for one, other in pairs:
        beside[one].add(other)
        beside[other].add(one)
    values = dict(zip(agreement.policies, agreement.means, strict=True))

    def place(name: str, web: int) -> int:
        own = sign * values[name][web].value
        return 1 + sum(sign * values[other][web].value < own for other in beside[name])

    group = {name: min(map(agreement.policies.index, beside[name])) for name in beside}
    found = [(name, place(name, 0), place(name, 1)) for name in agreement.policies]
    return sorted(found, key=lambda one: (group[one[0]], one[1]))


def as_json(found: list[Agreement]) -> list[dict[str, Any]]:
    """Return agreements for JSON."""
    return [
        {
            "measure": one.measure.name,
            "policies": [
                {"name": name, "ranks": [first, second]} for name, first, second in ranks(one)
            ],
            "tau_b": one.tau,
            "interval": one.interval,
            "same": one.same,
            "reverse": one.reverse,
            "undecided": one.undecided,
        }
        for one in found
    ]
