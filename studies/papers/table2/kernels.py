"""Compiled functions: the rules of [BeeBot] on rows of links, and a search for rows.

The rows of all sites stand one after another in one array; row i begins at ``starts[i]`` and ends
at ``starts[i + 1]``. A run is a row of numbers with the columns below.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled

FIRST_SITE, RULE, PRINTED, PARAMETER, WANTED = range(5)
"""The columns of a run: where its set begins in the order of sites, 1 to 3 for R1 to R3, whether
the rule is as printed, n of R2 or m of R3, and the paper's figure."""

SET = 10
"""The sites of a set."""

STUCK = -1
"""The result of a rule as printed that needs a page of an exhausted site, or divides by 0."""

NONE = -1
"""No site."""


@compiled
def has_page(starts: Array, site: int, t: int) -> bool:
    """Return whether a site has a page after its first ``t`` pages."""
    return starts[site] + t < starts[site + 1]


@compiled
def take(
    x: Array, starts: Array, sites: Array, i: int, pages: int, t: Array, s: Array
) -> tuple[int, int]:
    """Scan the next pages of the i-th site; return how many there are, and the most links on one.

    ``t`` and ``s`` are the pages and the links of each site so far.
    """
    first = starts[sites[i]] + t[i]
    last = min(first + pages, starts[sites[i] + 1])
    largest = 0
    for j in range(first, last):
        s[i] += x[j]
        largest = max(largest, x[j])
    t[i] += last - first
    return last - first, largest


@compiled
def sample(
    x: Array, starts: Array, sites: Array, budget: int, pages: int, printed: bool, t: Array,
    s: Array,
) -> int:  # fmt: skip
    """Scan the first pages of every site; return the most links on a page, or `STUCK`."""
    largest = spent = 0
    for i in range(SET):
        wanted = pages if printed else min(pages, budget - spent)
        taken, most = take(x, starts, sites, i, wanted, t, s)
        if printed and taken < wanted:
            return STUCK
        largest = max(largest, most)
        spent += taken
    return largest


@compiled
def of_largest_sum(starts: Array, sites: Array, t: Array, s: Array, printed: bool) -> int:
    """Return the site with most links that has a page; as printed, of all sites."""
    best = NONE
    for i in range(SET):
        if (printed or has_page(starts, sites[i], t[i])) and (best == NONE or s[i] > s[best]):
            best = i
    return best


@compiled
def of_largest_mean(starts: Array, sites: Array, t: Array, s: Array, printed: bool) -> int:
    """Return the site with most links per page that has a page; as printed, of all sites."""
    best = NONE
    for i in range(SET):
        if (printed or has_page(starts, sites[i], t[i])) and (
            best == NONE or s[i] * t[best] > s[best] * t[i]
        ):
            best = i
    return best


@compiled
def of_largest_index(
    starts: Array, sites: Array, t: Array, mean: Array, root: Array, scale: float,
    logarithm: float, printed: bool,
) -> int:  # fmt: skip
    """Return the site with the largest index that has a page; as printed, of all sites.

    ``mean``, ``root``: links per page and sqrt(2 / t) of each site. ``scale``, ``logarithm``: 1 /
    Xmax and sqrt(ln n).
    """
    best, highest = NONE, -1.0
    for i in range(SET):
        if printed or has_page(starts, sites[i], t[i]):
            index = mean[i] * scale + logarithm * root[i]
            if index > highest:
                best, highest = i, index
    return best


@compiled
def r1(x: Array, starts: Array, sites: Array, budget: int, printed: bool, t: Array) -> int:
    """Return what R1 finds; ``t`` receives the pages scanned of each site."""
    t[:] = 0
    s = np.zeros(SET, np.int64)
    share = (2 * budget + SET) // (2 * SET) if printed else max(1, budget // SET)
    if sample(x, starts, sites, budget, share, printed, t, s) == STUCK:
        return STUCK
    rest = budget - (share if printed else t.sum())
    while rest > 0:
        best = of_largest_sum(starts, sites, t, s, printed)
        if best == NONE:
            break
        taken, _ = take(x, starts, sites, best, rest, t, s)
        if printed and taken < rest:
            return STUCK
        rest -= taken
    return s.sum()


@compiled
def r2(
    x: Array, starts: Array, sites: Array, budget: int, step: int, printed: bool, t: Array
) -> int:
    """Return what R2 finds; ``t`` receives the pages scanned of each site."""
    t[:] = 0
    s = np.zeros(SET, np.int64)
    if sample(x, starts, sites, budget, step, printed, t, s) == STUCK:
        return STUCK
    spent = t.sum()
    while spent < budget + printed:
        best = of_largest_mean(starts, sites, t, s, printed)
        if best == NONE:
            break
        wanted = step if printed else min(step, budget - spent)
        taken, _ = take(x, starts, sites, best, wanted, t, s)
        if printed and taken < wanted:
            return STUCK
        spent += taken
    return s.sum()


@compiled
def r3(
    x: Array, starts: Array, sites: Array, budget: int, initial: int, printed: bool, t: Array
) -> int:
    """Return what R3 finds; ``t`` receives the pages scanned of each site.

    Indices are floats, and near ties are not decided exactly.
    """
    t[:] = 0
    s = np.zeros(SET, np.int64)
    largest = sample(x, starts, sites, budget, initial, printed, t, s)
    if largest == STUCK:
        return STUCK
    spent = t.sum()
    mean = s / np.maximum(t, 1)
    root = np.sqrt(2.0 / np.maximum(t, 1))
    while spent < budget + printed:
        if printed and largest == 0:
            return STUCK
        scale = 1.0 / largest if largest else 0.0
        logarithm = np.sqrt(np.log(spent))
        best = of_largest_index(starts, sites, t, mean, root, scale, logarithm, printed)
        if best == NONE:
            break
        taken, most = take(x, starts, sites, best, 1, t, s)
        if taken == 0:
            return STUCK
        largest = max(largest, most)
        mean[best] = s[best] / t[best]
        root[best] = np.sqrt(2.0 / t[best])
        spent += 1
    return s.sum()


@compiled
def result(x: Array, starts: Array, order: Array, budget: int, run: Array, t: Array) -> int:
    """Return what the rule of a run finds on its set; ``t`` receives the pages of each site."""
    sites = order[run[FIRST_SITE] : run[FIRST_SITE] + SET]
    printed = run[PRINTED] == 1
    if run[RULE] == 1:
        return r1(x, starts, sites, budget, printed, t)
    if run[RULE] == 2:
        return r2(x, starts, sites, budget, run[PARAMETER], printed, t)
    return r3(x, starts, sites, budget, run[PARAMETER], printed, t)


@compiled
def error(found: int, wanted: int) -> int:
    """Return how far a result is from the paper's figure; a rule that is stuck is far from it."""
    return 5000 if found == STUCK else abs(found - wanted)


@compiled
def part_of(starts: Array, empty: Array, site: int) -> tuple[int, int]:
    """Return a part of a site's row, drawn so that early pages are likelier: its ends."""
    begin = starts[site] + empty[site]
    size = starts[site + 1] - begin
    width = min(size, 1 + int(200 * np.random.random() ** 2))
    if np.random.random() < 0.7:
        first = int(np.exp(np.random.random() * np.log(min(size, 2200) + 1.0))) - 1
    else:
        first = int(np.random.random() * size)
    begin += min(first, size - width)
    return begin, begin + width


@compiled
def move(
    x: Array, source: tuple[int, int], target: tuple[int, int], links: int, cap: int,
    whole: bool, changes: Array,
) -> int:  # fmt: skip
    """Move links from pages of one part to pages of another; return how many entries changed.

    Parameters
    ----------
    links : int
        At most so many are moved.
    cap : int
        The most links that a page may have afterwards.
    whole : bool
        Whether all links of one page go to one other page.
    changes : int64[m, 2]
        Receives the places changed and what stood there, in order.
    """
    count = 0
    for _ in range(4 * links):
        if links <= 0 or count + 2 > len(changes):
            break
        a = np.random.randint(source[0], source[1])
        b = np.random.randint(target[0], target[1])
        if a == b or x[a] == 0 or x[b] >= cap:
            continue
        k = min(x[a], cap - x[b]) if whole else 1
        changes[count, 0], changes[count, 1] = a, x[a]
        changes[count + 1, 0], changes[count + 1, 1] = b, x[b]
        count += 2
        x[a] -= k
        x[b] += k
        links = 0 if whole else links - 1
    return count


@compiled
def is_seen(first: int, site: int, starts: Array, order: Array, run: Array, t: Array) -> bool:
    """Return whether a run scans a page of a site whose place is ``first`` or later."""
    for k in range(SET):
        if order[run[FIRST_SITE] + k] == site:
            return first < starts[site] + t[k]
    return False


@compiled
def drawn(groups: Array) -> tuple[int, int]:
    """Return the site that gives links and the one that gets them; `NONE` if none may."""
    site = np.random.randint(0, len(groups))
    if groups[site] >= 0 and np.random.random() < 0.3:
        other = np.random.randint(0, len(groups))
        return site, other if groups[other] == groups[site] else NONE
    return site, site


@compiled
def retried(
    x: Array, starts: Array, order: Array, runs: Array, budget: int, limit: float, site: int,
    other: int, changes: Array, errors: Array, t: Array, trial: Array, scanned: Array,
) -> int:  # fmt: skip
    """Return the sum of the errors after a move; more than ``limit`` if it is more.

    ``errors`` and ``t`` are of before the move; ``trial`` and ``scanned`` receive those of after.
    """
    gave, got = changes[::2, 0].min(), changes[1::2, 0].min()
    now = errors.sum()
    rest = now
    for r in range(len(runs)):
        trial[r] = errors[r]
        scanned[r] = t[r]
        if now <= limit + rest and (
            is_seen(gave, site, starts, order, runs[r], t[r])
            or is_seen(got, other, starts, order, runs[r], t[r])
        ):
            found = result(x, starts, order, budget, runs[r], scanned[r])
            trial[r] = error(found, runs[r, WANTED])
            now += trial[r] - errors[r]
        rest -= errors[r]
    return now


@compiled
def search(
    x: Array, starts: Array, order: Array, groups: Array, caps: Array, empty: Array, runs: Array,
    budget: int, steps: int, warmth: float, seed: int,
) -> int:  # fmt: skip
    """Anneal the rows until every run finds what is wanted; return the sum of the errors left.

    Links move within a site, or between sites of the same group, so that all sums are kept. A run
    that scans none of the changed pages finds what it found before.

    Parameters
    ----------
    x : int64 array
        The rows; they are changed.
    order : int64[30]
        The sites of the three sets.
    groups : int64[sites]
        Sites whose links may be exchanged have the same number; -1: none.
    caps : int64[sites]
        The most links on a page of each site.
    empty : int64[sites]
        The first pages of each site that stay without links.
    runs : int64[r, 5]
    budget : int
        N.
    steps : int
        The most moves that are tried.
    warmth : float
        The temperature at the beginning.
    """
    np.random.seed(seed)
    errors = np.zeros(len(runs), np.int64)
    t = np.zeros((len(runs), SET), np.int64)
    for r in range(len(runs)):
        errors[r] = error(result(x, starts, order, budget, runs[r], t[r]), runs[r, WANTED])
    total = errors.sum()
    trial, scanned = errors.copy(), t.copy()
    changes = np.zeros((200, 2), np.int64)
    for step in range(steps):
        if total == 0:
            break
        site, other = drawn(groups)
        if other == NONE:
            continue
        links = int(np.exp(np.random.random() * np.log(min(80.0, 2.0 + total))))
        whole = caps[site] > 20 and np.random.random() < 0.9
        source, target = part_of(starts, empty, site), part_of(starts, empty, other)
        count = move(x, source, target, links, min(caps[site], caps[other]), whole, changes)
        if count == 0:
            continue
        limit = total - np.log(np.random.random()) * warmth * (1 - step / steps)
        now = retried(
            x, starts, order, runs, budget, limit, site, other, changes[:count], errors, t, trial,
            scanned,
        )  # fmt: skip
        if now <= limit:
            errors[:] = trial
            t[:] = scanned
            total = now
        else:
            for k in range(count - 1, -1, -1):
                x[changes[k, 0]] = changes[k, 1]
    return total
