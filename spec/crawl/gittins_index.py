"""The index of Gittins for pages with or without links, and for numbers of links.

The index of a site is the largest ratio of expected discounted reward to expected discounted time
that a rule for leaving the site can have (Gittins 1979). It is found by ratios that improve
(Dinkelbach 1967): for a given ratio the best stopping rule follows from dynamic programming over
the counts that a site can have; the ratio of this rule is the next one, until it does not grow.

Stopping rules that are compared decide within ``horizon`` pages; after these they leave, or stay
for ever. Every ratio is that of a rule that can be followed, so a result is not above the true
index, and it grows with ``horizon`` to it. With a discount of 0.99 what is missing is less than
0.03 of the standard deviation of the mean after 50 pages, and 0.01 after 100; the tests enclose it
from above by a rule that knows the mean after ``horizon`` pages.

The functions use plain arithmetic alone, so that they can be compiled as they are. Results are
rounded to multiples of 2^-32: the last bits of a power differ between machines.
"""

from __future__ import annotations

SAME = 1e-7
"""The last step of a ratio, as a part of it. Ratios converge quadratically, so the error is far
less."""

UNIT = 2.0**32
"""Indices are multiples of 1 / this."""

SURE = 4.0
"""A mean that is so many of its standard deviations above the ratio stays for ever."""

RARE = 1e-12
"""Numbers of links above the mean that are less probable than this are left out."""

LARGE = 25.0
"""Links per page from which a Poisson number counts as normal: the index exceeds the mean by
as many standard deviations of a page's links as with this mean. At twice the mean the excess is
then too large by less than 4%."""


def of_pages(a: float, b: float, discount: float, horizon: int) -> float:
    """Return the index of a site whose pages have links or have none (Bernoulli).

    Parameters
    ----------
    a, b : float
        The parameters of the Beta distribution of the share of pages with links.
    discount : float
        The weight of a page compared with the page before it; at least 0 and less than 1.
    horizon : int
        The pages within which stopping rules decide.
    """
    forever = 1.0 / (1.0 - discount)
    ratio = a / (a + b)
    while True:
        reward, time = [0.0] * (horizon + 1), [0.0] * (horizon + 1)
        for k in range(horizon + 1):
            mean = (a + k) / (a + b + horizon)
            if mean > ratio:
                reward[k], time[k] = mean * forever, forever
        for h in range(horizon - 1, -1, -1):
            for k in range(h + 1):
                mean = (a + k) / (a + b + h)
                gain = mean + discount * (mean * reward[k + 1] + (1.0 - mean) * reward[k])
                last = 1.0 + discount * (mean * time[k + 1] + (1.0 - mean) * time[k])
                if gain <= ratio * last and h > 0:
                    gain = last = 0.0
                reward[k], time[k] = gain, last
        better = reward[0] / time[0]
        if better - ratio <= SAME * better:
            return int(max(ratio, better) * UNIT + 0.5) / UNIT
        ratio = better


def of_counts(  # noqa: C901 one loop, no calls
    a: float, b: float, discount: float, horizon: int
) -> float:
    """Return the index of a site whose pages have a Poisson number of links.

    For a ratio only some of the sums of links matter at each depth: below them the site is left,
    and above them the mean is so far above the ratio that the site is kept for ever.

    Parameters
    ----------
    a, b : float
        Shape and rate of the Gamma distribution of the mean number of links on a page.
    discount : float
        The weight of a page compared with the page before it; at least 0 and less than 1.
    horizon : int
        The pages within which stopping rules decide.
    """
    forever = 1.0 / (1.0 - discount)
    true_mean, scale = a / b, 1.0
    if true_mean > LARGE:
        a, scale = LARGE * b, (true_mean / LARGE) ** 0.5
    # An approximation for a long time (Brezzi and Lai 2002, smoothed) saves iterations.
    spread = (forever / b) ** 0.5
    ratio = a / b + a**0.5 / b * spread * 0.5**0.5 / (1.0 + 0.9 * spread)
    begun = False
    while True:
        # For a sum of k links more: the reward and the time that the best rule has, less those of
        # a rule that stays for ever. From `top` on there is no difference.
        top = int(max(0.0, ratio * (b + horizon) - a)) + 1
        reward, time = [0.0] * top, [-forever] * top
        for k in range(top):
            reward[k] = -(a + k) / (b + horizon) * forever
        for h in range(horizon - 1, -1, -1):
            root = (SURE + (SURE * SURE + 4.0 * ratio * (b + h)) ** 0.5) / 2.0
            size = max(1, int(root * root - a) + 1) if h > 0 else 1
            gains, times = [0.0] * size, [0.0] * size
            none = (b + h) / (b + h + 1.0)
            first = none ** (a + size)
            leaves = False
            for k in range(size - 1, -1, -1):
                mean = (a + k) / (b + h)
                first /= none
                chance, gain, last = discount * first, 0.0, 0.0
                if not leaves:
                    for x in range(top - k):
                        if chance < RARE and x > mean:
                            break
                        gain += chance * reward[k + x]
                        last += chance * time[k + x]
                        chance *= (a + k + x) / (b + h + 1.0) / (x + 1.0)
                    leaves = h > 0 and mean * forever + gain <= ratio * (forever + last)
                if leaves:
                    gain, last = -mean * forever, -forever
                gains[k], times[k] = gain, last
            reward, time, top = gains, times, size
        better = (a / b * forever + reward[0]) / (forever + time[0])
        if begun and better - ratio <= SAME * better:
            excess = max(ratio, better) - a / b
            return int((true_mean + excess * scale) * UNIT + 0.5) / UNIT
        ratio, begun = better, True
