"""Starvation: sites that R2 never returns to, and the experiment that causes it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.studies.papers.arms import play
from counterpoint.studies.papers.starvation import begun_empty, by_links, experiment, starved

ROW = st.lists(st.integers(0, 3), min_size=1, max_size=12).map(np.array)


@given(ROW, st.integers(0, 12))
def test_only_the_order_of_pages_changes(row: np.ndarray, pages: int) -> None:
    """Pages or links that appear or vanish; other pages that change places."""
    changed = begun_empty(row, pages)
    assert sorted(changed) == sorted(row)
    front = min(pages, int((row == 0).sum()))
    assert not changed[:front].any()
    assert changed[changed > 0].tolist() == row[row > 0].tolist()


def test_a_starved_site_is_found() -> None:
    """A site that counts as starved although it was visited again or has no more pages."""
    rows = [np.array([1] * 20), np.array([0, 0] + [9] * 18), np.array([0, 0])]
    played = play("R2,step=2", rows, 15)
    pages = np.bincount(played.sites, minlength=3)
    assert pages.tolist() == [11, 2, 2]
    found = starved(rows, pages, 2)
    assert (found.sites, found.richest) == (1, True)
    assert found.links == 162 / 182
    later = starved(rows, [20, 8, 2], 2)
    assert (later.sites, later.links, later.richest) == (0, 0.0, False)


def test_the_experiment_starves_the_sites_it_names() -> None:
    """An experiment that starves other sites, or gives R1 the web of R2."""
    rows = [
        np.array([2, 0, 0, 2, 2, 2]),
        np.array([1, 0, 0, 1, 1, 1]),
        np.array([3, 0, 0, 3, 3, 3]),
    ]
    sites = range(3)
    assert (by_links(rows, sites, True), by_links(rows, sites, False)) == ([2, 0, 1], [1, 0, 2])
    assert by_links([rows[0], rows[0]], [1, 0], True) == [1, 0]  # equal: as given
    richest = experiment(rows, 2, 1, 9, by_links(rows, sites, True))
    poorest = experiment(rows, 2, 1, 9, by_links(rows, sites, False))
    assert richest[0].tolist() == poorest[0].tolist()
    assert richest[3].tolist() == poorest[3].tolist()
    # The site with 3 on each page begins empty: R2 never learns of it.
    assert play("R2,step=2", [rows[0], rows[1], begun_empty(rows[2], 2)], 9).total == richest[1, 1]
    assert play("R3,initial=1", rows, 9).total == richest[0, 2]
    assert richest[1, 1] < richest[0, 1]
    assert poorest[1, 1] == richest[0, 1] - 1  # what was the first page of the poorest
