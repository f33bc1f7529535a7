"""[HITS], told: the graphs first, then what comes out and what does not."""

from __future__ import annotations

from ci.comparison.measures import INTERPOLATION
from ci.comparison.statistics import Mean
from ci.topical.experiment import (
    BOTH,
    CRAWLERS,
    DIVIDED,
    FOCUSED,
    READ,
    SPACES,
    STANDARD,
    STEPS,
    WORDS,
)
from crawler.content.search import SHARE
from crawler.evaluation.measures import LEVELS

from .hits import CELLS, COLLECTED, PRINTED, Hits
from .report import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Figure,
    Finding,
    Line,
    Report,
    Section,
    Table,
)
from .statistics import told

NEAR = 0.05
"""A precision that is called near 0."""


def report(of: Hits) -> Report:
    """Return what the figures say."""
    return Report(
        "hits",
        "Topical crawling: the focused crawler beside the standard one",
        "Blekanov and Bondarenko, topical crawling based on HITS. Their Web is gone and their "
        "graphs are not printed as numbers, so that their table alone stands beside ours.",
        f"Webs of {of.pages:,} pages; {len(of.seeds)} of each space, two topics of middle size in "
        "each. A crawl begins with 20 results of a search: of the site's own engine (local), or "
        f"ten of each of two (regional); an engine has {SHARE:.0%} of the pages. The focused "
        f"crawler makes {STEPS} steps with c = 10; the standard one stops when the web is "
        f"exhausted; those that read fetch at most {READ:,} pages. All answers "
        "are as long as the focused one's. Relevant is what was planted so. Intervals are 95%, "
        "Student's, over webs. Divided: the focused crawler with one voice for each host.",
        (_at_least(of), _regional(of), _local(of), _menus(of), _exponential(of), _flattens(of)),
        (_graphs(of), _table(of), _growth(of), _drift(of), _costs(of)),
        f"counterpoint papers hits --seeds {len(of.seeds)}",
    )  # fmt: skip


def _pair(of: Hits, cell: tuple[str, int], what: str = "precision") -> str:
    return f"{told(of.of(cell, FOCUSED, what))} and {told(of.of(cell, STANDARD, what))}"


def _at_least(of: Hits) -> Finding:
    differences = [of.beside(cell, FOCUSED, STANDARD) for cell in CELLS]
    surely = all(one.value - (one.half or 0.0) > 0 for one in differences)
    never_less = all(one.value >= 0 for one in differences)
    return Finding(
        "the focused crawler's precision is at least the standard one's everywhere",
        "in all four cells",
        "differences " + ", ".join(told(one) for one in differences),
        REPRODUCED if surely else IN_PART if never_less else NOT_REPRODUCED,
        "" if surely else "Not every interval lies above 0.",
    )


def _regional(of: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "regional"]
    near = [of.of(cell, STANDARD, "precision").value > 0.5 for cell in cells]
    drift = of.drift("regional")
    return Finding(
        "regional: both crawlers are as precise", "0.93 and 0.93, 0.73 and 0.71",
        "; ".join(_pair(of, cell) for cell in cells),
        REPRODUCED if all(near) else NOT_REPRODUCED,
        "HITS ranks a collection by its densest part. While the collection is near the results of "
        f"the search that part is the topic (precision {drift[1].value:.2f} after one iteration, "
        f"{drift[2].value:.2f} after two); with the whole web it is another one "
        f"({drift[-1].value:.2f}). In the paper's Web the topic must have been the densest part of "
        "150,000 pages; here it is one of forty alike.",
    )  # fmt: skip


def _local(of: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    values = [of.of(cell, FOCUSED, "precision").value for cell in cells]
    words = [of.of(cell, WORDS, "precision").value for cell in cells]
    return Finding(
        "local: the focused crawler stays on the topic", "0.90, 0.71",
        ", ".join(told(of.of(cell, FOCUSED, "precision")) for cell in cells),
        REPRODUCED if min(values) > 0.5 else NOT_REPRODUCED,
        "Each page of our site links to the whole menu, which therefore has the greatest authority "
        "in every step, for the focused crawler as well, and what follows it in rank is what the "
        "whole site links to. The paper's sites may have been about little else than the query; "
        "ours has forty topics. One voice for each host comes to "
        f"{max(of.of(cell, DIVIDED, 'precision').value for cell in cells):.2f} at best. Reading "
        f"helps: TF-IDF has {min(words):.2f} and more.",
    )  # fmt: skip


def _menus(of: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    precision = [of.of(cell, STANDARD, "precision").value for cell in cells]
    menus = [of.of(cell, STANDARD, "navigation") for cell in cells]
    good = max(precision) < NEAR and min(one.value for one in menus) > 0.5
    return Finding(
        "local: the standard crawler's ranking drifts to the site's own navigation",
        "precision 0.02 and 0.0",
        "precision " + ", ".join(told(of.of(cell, STANDARD, "precision")) for cell in cells)
        + "; of the first 13 pages " + ", ".join(f"{one.value:.0%}" for one in menus)
        + " are the start page and its menu",
        REPRODUCED if good else NOT_REPRODUCED,
        "" if good else "The menus are not what is ranked first.",
    )  # fmt: skip


def _exponential(of: Hits) -> Finding:
    first = {space: [one.value for one in of.growth(space, STANDARD)[:4]] for space in SPACES}
    ends = {space: of.growth(space, STANDARD)[-1].value for space in SPACES}
    factors = [row[k + 1] / row[k] for row in first.values() for k in range(3)]
    good = min(factors) > 2
    return Finding(
        "the standard crawler's page count grows exponentially", "150,000 to 200,000 by the 4th",
        "; ".join(f"{space}: {', '.join(f'{v:,.0f}' for v in row)}, until "
                  f"{ends[space]:,.0f} are all" for space, row in first.items()),
        REPRODUCED if good else IN_PART,
        f"Each of the first three iterations multiplies it by {min(factors):.1f} to "
        f"{max(factors):.1f}; then the web is exhausted, as no Web is.",
    )  # fmt: skip


def _flattens(of: Hits) -> Finding:
    """Compare what the last third of the steps adds with what the standard crawler's do."""
    shares = {}
    for space in SPACES:
        row = [one.value for one in of.growth(space, FOCUSED)]
        third = len(row) // 3
        shares[space] = (row[-1] - row[-1 - third]) / max(row[third] - row[0], 1.0)
    whole = {space: of.growth(space, FOCUSED)[-1].value for space in SPACES}
    flat = [share < 0.5 for share in shares.values()]
    return Finding(
        "the focused crawler's page count tends to an asymptote", "so",
        "; ".join(f"{space}: the last third of the steps adds {shares[space]:.2f} of what the "
                  f"first does, {whole[space]:,.0f} pages in all" for space in SPACES),
        REPRODUCED if all(flat) else IN_PART if any(flat) else NOT_REPRODUCED,
        "It grows by at most c times the largest out-degree a step, so never exponentially; it "
        "flattens while the best hubs lead to what is known, and grows again when they do not.",
    )  # fmt: skip


def _graphs(of: Hits) -> Section:
    figures = tuple(
        Figure(
            f"{space}, topic {topic + 1} (paper: {PRINTED[space, topic][0]})", "recall",
            "precision",
            tuple(Line(name, LEVELS, tuple(one.value for one in points),
                       tuple(one.half or 0.0 for one in points))
                  for name in CRAWLERS
                  for points in [of.points((space, topic), name)]),
            share=True,
        )
        for space, topic in CELLS
    )  # fmt: skip
    xs = tuple(float(k + 1) for k in range(len(CELLS)))
    beside = Figure(
        "Precision here (filled) and in the paper (hollow)", "1, 3: regional; 2, 4: local",
        "precision",
        tuple(
            line
            for place, name in ((1, FOCUSED), (2, STANDARD))
            for found in [[of.of(cell, name, "precision") for cell in CELLS]]
            for line in (
                Line(f"{name}, here", xs, tuple(one.value for one in found),
                     tuple(one.half or 0.0 for one in found), dots=True),
                Line(f"{name}, paper", xs, tuple(_printed(cell, place) for cell in CELLS),
                     dashed=True, dots=True),
            )
        ),
        share=True,
    )  # fmt: skip
    return Section(
        "Recall and precision",
        (f"The 11-point graphs, interpolated as {INTERPOLATION} does it. As in the paper, where "
         "experts judged what was returned, recall is of the relevant pages in any of the answers.",
         ),
        figures=(*figures, beside),
    )  # fmt: skip


def _printed(cell: tuple[str, int], place: int) -> float:
    """Return the paper's precision of the focused crawler (1) or the standard one (2)."""
    return PRINTED[cell][1][1] if place == 1 else PRINTED[cell][2][1]


def _table(of: Hits) -> Section:
    rows = []
    for cell in CELLS:
        _, focused, standard = PRINTED[cell]
        printed = {FOCUSED: focused, STANDARD: standard}
        for name in CRAWLERS:
            size = of.of(cell, name, "size")
            there = printed.get(name)
            rows.append((
                f"{cell[0]} {cell[1] + 1}: {name}",
                f"{there[0]}, {there[1]:.2f}" if there else "",
                f"{size.value:,.0f}", told(of.of(cell, name, "precision")),
                told(of.of(cell, name, "recall")),
                f"{of.fetched(cell, name).value:,.0f}",
            ))  # fmt: skip
    note = "; ".join(
        f"{space} {topic + 1}: {of.mean((space, topic), lambda one: one.relevant).value:,.0f} "
        f"relevant pages, start set {of.mean((space, topic), lambda one: one.results).value:.2f}"
        for space, topic in CELLS
    )
    columns = ("space, topic, crawler", "paper", "pages", "precision", "recall", "fetched")
    return Section("The table of the paper", tables=(Table(columns, tuple(rows), f"{note}."),))


def _growth(of: Hits) -> Section:
    figures = []
    for what, up in (("growth", "pages fetched"), ("waiting", "pages found and not fetched")):
        for space in SPACES:
            lines = tuple(
                Line(name, tuple(range(len(row))), tuple(one.value for one in row),
                     tuple(one.half or 0.0 for one in row))
                for name in (STANDARD, FOCUSED, DIVIDED)
                for row in [of.growth(space, name, what)[: STEPS + 1]]
            )  # fmt: skip
            figures.append(Figure(f"{space}: {up}", "iteration", up, lines))
    paper = Figure(
        "Pages fetched, logarithmic, beside the paper's standard crawler", "iteration",
        "pages fetched",
        (
            *(Line(f"{name}, {space}", tuple(range(len(row))), tuple(one.value for one in row))
              for space in SPACES for name in (STANDARD, FOCUSED)
              for row in [of.growth(space, name)[: STEPS + 1]]),
            Line("standard, paper", (4.0,), (float(COLLECTED),), dots=True),
        ),
        logarithmic="y",
    )  # fmt: skip
    return Section(
        "Growth per iteration",
        ("An iteration of the standard crawler is a level of links; of the focused one a step. "
         "Those that read take one page after the other and have none.",),
        figures=(*figures, paper),
    )  # fmt: skip


def _drift(of: Hits) -> Section:
    lines = tuple(
        Line(space, tuple(range(len(row))), tuple(one.value for one in row),
             tuple(one.half or 0.0 for one in row))
        for space in SPACES
        for row in [of.drift(space)]
    )  # fmt: skip
    return Section(
        "How the ranking drifts",
        ("Precision of the standard crawler's answer, had it ended after so many iterations, and "
         "last of the whole web's: the larger the collection, the less its densest part is the "
         "topic.",),
        figures=(
            Figure("Standard crawler: precision by iteration", "iteration", "precision", lines,
                   share=True),
        ),
    )  # fmt: skip


def _costs(of: Hits) -> Section:
    rows = tuple(
        (name, *(_cost(of, space, name) for space in SPACES)) for name in CRAWLERS
    )  # fmt: skip
    return Section(
        "Computation time",
        ("Seconds of the processor for a crawl's decisions and its ranking, without fetching; for "
         f"those that read ({WORDS} and {BOTH}) with reading. They differ from run to run.",),
        (Table(("crawler", *SPACES), rows),),
    )  # fmt: skip


def _cost(of: Hits, space: str, name: str) -> str:
    found: Mean = of.seconds(space, name)
    return told(found, 3)
