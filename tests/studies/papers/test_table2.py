"""The tables of links under which the rules of [BeeBot] find all nine figures of Table 2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.studies.papers.beebot import PRINTED as FIGURES
from counterpoint.studies.papers.table2 import kernels
from counterpoint.studies.papers.table2.certificate import (
    faults,
    figures,
    left_alone,
    links_found,
    rules,
    shapes,
)
from counterpoint.studies.papers.table2.search import QUICK, READINGS, SEEDS, Search, Wanted
from counterpoint.studies.papers.table2.sweep import attempt, begun_late
from counterpoint.studies.papers.table2.table import (
    OTHER_UNIVERSITIES,
    SETS,
    SITES,
    UNIVERSITIES,
    LinkTable,
    from_text,
    stored,
)

NUMBERS = {"R1": 1, "R2": 2, "R3": 3}


@pytest.mark.parametrize("reading", READINGS)
def test_the_stored_tables_are_certificates(reading: str) -> None:
    """A table with other sums than Table 1, or under which a real rule finds another figure."""
    table = stored(reading)
    assert not table.faults()
    found = figures(table, reading)
    assert all(one.found == one.wanted for one in found)
    assert {one.wanted for one in found} == {n for row in FIGURES.values() for n in row}
    assert len(found) == 3 * len(list(rules(reading)))
    assert from_text(table.to_text()).to_text() == table.to_text()


def changed(table: LinkTable, site: str, page: int, by: int) -> LinkTable:
    """Return a table with more or fewer links on a page."""
    row = table.rows[site].copy()
    row[page] += by
    return LinkTable({**table.rows, site: row})


@pytest.mark.parametrize("reading", READINGS)
def test_a_link_more_or_less_breaks_a_certificate(reading: str) -> None:
    """A check that overlooks a link on a page that the crawls see, or on one that none sees."""
    table = stored(reading)
    page = int(np.flatnonzero(table.rows["finec"])[0])
    less = faults(changed(table, "finec", page, -1), reading, (20,), (10,))
    assert "finec has 7253 pages and 1047 links" in less
    assert any(line.endswith("links on universities, not 1337") for line in less)
    unseen = changed(table, "pushkinskijdom", 39_000, 1)
    assert unseen.faults() == [
        "pushkinskijdom has 39292 pages and 130 links", "all sites have 105711 pages and 8991 links"
    ]  # fmt: skip


@pytest.mark.parametrize("reading", READINGS)
def test_a_link_on_another_page_breaks_a_certificate(reading: str) -> None:
    """A check that counts links of a site, whether the rules find them or not."""
    row = stored(reading).rows["finec"]
    page, last = int(np.flatnonzero(row)[0]), len(row) - 1
    moved = changed(changed(stored(reading), "finec", page, -1), "finec", last, 1)
    assert not moved.faults()
    assert faults(moved, reading, (20,), (10,))


@pytest.mark.parametrize("reading", READINGS)
def test_the_stored_tables_are_as_the_paper_describes_them(reading: str) -> None:
    """Links of institutes on many pages, or of universities on few."""
    table = stored(reading)
    found = shapes(table)
    institutes, universities = found["institutes"], found["universities"]
    assert institutes.with_links < 0.02 * institutes.pages
    assert institutes.on_richest > 0.85
    assert universities.with_links > 0.09 * universities.pages
    assert universities.largest <= 6
    ending = "" if reading == "corrected" else "-printed"
    alone = left_alone(table, "universities", f"R2{ending},step=20", 20)
    assert {"spbu", "university-6", "university-7"} <= set(alone) < set(UNIVERSITIES)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.integers(0, 4), min_size=30, max_size=90).map(np.array),
        min_size=10,
        max_size=10,
    ),
    run=st.sampled_from([
        *rules("corrected", (1, 3, 7), (1, 4)), *rules("printed", (1, 3, 7), (1, 4)),
    ]),
    budget=st.integers(100, 400),
)  # fmt: skip
def test_the_simulated_rules_are_the_real_ones(
    rows: list[np.ndarray], run: tuple[int, str], budget: int
) -> None:
    """A rule of the search that visits other pages than the real one."""
    rule, _, parameter = run[1].partition(",")
    name, _, printed = rule.partition("-")
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    one = np.array(
        [0, NUMBERS[name], bool(printed), int(parameter.partition("=")[2] or 0), 0], dtype=np.int64
    )
    scanned = np.zeros(10, dtype=np.int64)
    found = kernels.result(
        np.concatenate(rows).astype(np.int64), starts, np.arange(10), budget, one, scanned
    )
    assert (None if found == kernels.STUCK else found) == links_found(rows, run[1], budget)


def test_the_search_keeps_all_sums() -> None:
    """A move that loses a link, or gives a site of Table 1 another number."""
    search = Search(replace(QUICK, moves=2_000, rounds=0), 5)
    before = search.table()
    assert search.find() is None and search.left > 0
    after = search.table()
    assert not before.faults() and not after.faults()
    assert any((after.rows[site] != before.rows[site]).any() for site in SITES)
    assert all(after.rows[site].max() <= QUICK.cap for site in UNIVERSITIES)
    assert not after.rows["spbu"][: QUICK.empty].any()


@pytest.mark.slow
def test_the_search_finds_a_table_again() -> None:
    """A search that ends elsewhere with the same seed, or whose table the real rules refute."""
    table = Search(QUICK, 1).find()
    again = Search(QUICK, 1).find()
    assert table is not None and again is not None
    assert table.to_text() == again.to_text()
    assert not faults(table, "corrected", QUICK.steps, QUICK.initials)


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS)
def test_the_stored_tables_are_found_again(reading: str) -> None:
    """A search for several n and m at once that finds none."""
    wanted = Wanted((reading,))
    table = Search(wanted, SEEDS[reading]).find()
    assert table is not None
    assert not faults(table, reading, wanted.steps, wanted.initials)


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "initial"), [(21, 10), (20, 140), pytest.param(160, 10, marks=pytest.mark.slow)]
)
def test_there_is_a_table_for_other_parameters(step: int, initial: int) -> None:
    """A search for a table with another n or m that finds none, or gives it too many links."""
    found = attempt("corrected", step, initial)
    assert found.table is not None and not found.table.faults()
    assert max(int(found.table.rows[site].max()) for site in UNIVERSITIES) <= found.cap


@pytest.mark.parametrize("rule", ["R2,step=200", "R3,initial=200"])
def test_a_rule_whose_sample_is_the_budget_is_r1(rule: str) -> None:
    """A table for n = 200 or m = 200 of the rules as corrected, though the figures differ."""
    for reading in READINGS:
        for web in SETS:
            rows = stored(reading).of(web)
            assert links_found(rows, rule) == links_found(rows, "R1") not in FIGURES[web][1:]


@pytest.mark.parametrize("step", [121, 160, 199])
def test_a_table_that_begins_late_keeps_all_sums(step: int) -> None:
    """Links that are lost, or stand on the first pages."""
    table = begun_late(stored("corrected"), step, 0)
    assert not table.faults()
    for site in OTHER_UNIVERSITIES:
        assert not table.rows[site][:step].any()
