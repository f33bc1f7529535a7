"""The report on the experiment of [HITS]: findings, graphs, tables."""

from __future__ import annotations

from counterpoint.crawler.content.search import SHARE
from counterpoint.crawler.evaluation.measures import LEVELS
from counterpoint.crawler.schedulers.hits import C
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.measures import INTERPOLATION
from counterpoint.studies.topical.crawling import TOP
from counterpoint.studies.topical.experiment import (
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
from counterpoint.studies.topical.spaces import RESULTS

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
from .statistics import with_interval

NEAR = 0.05
"""A precision that is called near 0."""

FLAT = 0.25
"""A growth flattens if its last third adds less than this part of what its first third adds."""

PART = 0.5
"""A growth that flattens beyond this part of the web only shows that the web is exhausted."""

PRECISE = 0.5
"""A crawler with a greater precision is called precise."""


def report(study: Hits) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "hits",
        "Topical crawling: the focused crawler and the standard one",
        "Blekanov and Bondarenko, topical crawling based on HITS. Their Web no longer exists and "
        "their graphs give no numbers, so only their table can be compared.",
        f"Webs of {study.pages:,} pages; {len(study.seeds)} of each space, two topics of middle "
        f"size in each. A crawl begins with {RESULTS} results of a search: of the site's own "
        f"engine (local), or {RESULTS // 2} of each of two (regional); an engine has {SHARE:.0%} "
        "of the "
        f"pages. The focused crawler makes {STEPS} steps with c = {C}; the standard one stops when "
        f"the web is exhausted; crawlers that read texts fetch at most {READ:,} pages. All answers "
        "have the length of the focused crawler's answer. Relevant pages are known, since topics "
        "were planted. Intervals are Student's 95% intervals over webs.",
        (_at_least(study), _regional(study), _local(study), _menus(study), _exponential(study),
         _flattens(study)),
        (_graphs(study), _table(study), _growth(study), _drift(study), _costs(study)),
        f"counterpoint papers hits --seeds {len(study.seeds)}",
    )  # fmt: skip


def _pair(study: Hits, cell: tuple[str, int], what: str = "precision") -> str:
    focused, standard = (with_interval(study.of(cell, name, what)) for name in (FOCUSED, STANDARD))
    return f"{focused} and {standard}"


def _at_least(study: Hits) -> Finding:
    differences = [study.difference(cell, FOCUSED, STANDARD) for cell in CELLS]
    surely = all(one.value - (one.half or 0.0) > 0 for one in differences)
    never_less = all(one.value >= 0 for one in differences)
    return Finding(
        "the focused crawler's precision is at least the standard one's everywhere",
        "in all four cells",
        "differences " + ", ".join(with_interval(one) for one in differences),
        REPRODUCED if surely else IN_PART if never_less else NOT_REPRODUCED,
        "" if surely else "Not every interval lies above 0.",
    )


def _regional(study: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "regional"]
    precise = all(study.of(cell, STANDARD, "precision").value > PRECISE for cell in cells)
    differences = [study.difference(cell, FOCUSED, STANDARD) for cell in cells]
    alike = all(abs(one.value) <= (one.half or 0.0) for one in differences)
    drift = [one.value for one in study.drift("regional")]
    why = "" if alike else "One is more precise than the other."
    if not precise:
        why = (
            "HITS ranks a collection by its densest part. While the collection is near the "
            f"results of the search, this part is about the topic (precision {drift[1]:.2f} after "
            f"one iteration, {drift[2]:.2f} after two); in the whole web it is about another one "
            f"({drift[-1]:.2f}). In the paper's Web the topic must have been the densest part of "
            f"{COLLECTED:,} pages; here it is one of {_themes('regional')} similar topics."
        )
    return Finding(
        "regional: both crawlers are as precise", "0.93 and 0.93, 0.73 and 0.71",
        "; ".join(_pair(study, cell) for cell in cells),
        REPRODUCED if precise and alike else NOT_REPRODUCED, why,
    )  # fmt: skip


def _local(study: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    good = min(study.of(cell, FOCUSED, "precision").value for cell in cells) > PRECISE
    why = ""
    if not good:
        divided = max(study.of(cell, DIVIDED, "precision").value for cell in cells)
        words = min(study.of(cell, WORDS, "precision").value for cell in cells)
        why = (
            "Each page of our site links to the whole menu. Therefore the menu has the greatest "
            "authority in every step, also for the focused crawler, and the next pages in rank "
            "are those to which the whole site links. The paper's sites may have had few other "
            f"topics than the query; ours has {_themes('local')} topics. With one vote for each "
            f"host the precision is at most {divided:.2f}. Reading texts helps: TF-IDF reaches at "
            f"least {words:.2f}."
        )
    return Finding(
        "local: the focused crawler stays on the topic", "0.90, 0.71",
        ", ".join(with_interval(study.of(cell, FOCUSED, "precision")) for cell in cells),
        REPRODUCED if good else NOT_REPRODUCED, why,
    )  # fmt: skip


def _themes(space: str) -> int:
    """Return how many topics a web has."""
    return int(load(space).themes.count)


def _menus(study: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    precision = [study.of(cell, STANDARD, "precision").value for cell in cells]
    menus = [study.of(cell, STANDARD, "navigation") for cell in cells]
    menus_first = min(one.value for one in menus) > 0.5
    good = max(precision) < NEAR and menus_first
    return Finding(
        "local: the standard crawler's ranking drifts to the site's own navigation",
        "precision 0.02 and 0.0",
        "precision "
        + ", ".join(with_interval(study.of(cell, STANDARD, "precision")) for cell in cells)
        + f"; of the first {TOP} pages " + ", ".join(f"{one.value:.0%}" for one in menus)
        + " are the start page and its menu",
        REPRODUCED if good else NOT_REPRODUCED,
        "" if good else "The precision is not near 0." if menus_first else
        "The menus are not ranked first.",
    )  # fmt: skip


def _exponential(study: Hits) -> Finding:
    first = {space: [one.value for one in study.growth(space, STANDARD)[:4]] for space in SPACES}
    ends = {space: study.growth(space, STANDARD)[-1].value for space in SPACES}
    factors = [row[k + 1] / row[k] for row in first.values() for k in range(3)]
    good = min(factors) > 2
    return Finding(
        "the standard crawler's page count grows exponentially", "150,000 to 200,000 by the 4th",
        "; ".join(f"{space}: {', '.join(f'{v:,.0f}' for v in row)}, until "
                  f"{ends[space]:,.0f} are all" for space, row in first.items()),
        REPRODUCED if good else IN_PART,
        f"Each of the first three iterations multiplies the count by {min(factors):.1f} to "
        f"{max(factors):.1f}; then the web is exhausted, unlike the real Web.",
    )  # fmt: skip


def _flattens(study: Hits) -> Finding:
    """Compare what the last third of the steps adds with what the first third does."""
    told_, flat = [], []
    for space in SPACES:
        row = [one.value for one in study.long(space)]
        third = len(row) // 3
        share = (row[-1] - row[-1 - third]) / max(row[third] - row[0], 1.0)
        exhausted = row[-1] / study.growth(space, STANDARD)[-1].value
        flat.append(share < FLAT and exhausted < PART)
        told_.append(f"{space}: {row[min(STEPS, len(row)) - 1]:,.0f} pages in {STEPS} steps, "
                     f"{row[-1]:,.0f} in {len(row)}, {exhausted:.0%} of the web; the last third "
                     f"of these adds {share:.2f} of what the first does")  # fmt: skip
    return Finding(
        "the focused crawler's page count tends to an asymptote", "so",
        "; ".join(told_),
        REPRODUCED if all(flat) else IN_PART if any(flat) else NOT_REPRODUCED,
        "Each step adds at most c times the largest out-degree, so the growth is never "
        "exponential. It flattens while the best hubs lead to known pages, and grows again when "
        f"they do not. If {PART:.0%} of the web is fetched, the growth ends because the web ends.",
    )  # fmt: skip


def _graphs(study: Hits) -> Section:
    figures = tuple(
        Figure(
            f"{space}, topic {topic + 1} (paper: {PRINTED[space, topic][0]})", "recall",
            "precision",
            tuple(Line(name, LEVELS, tuple(one.value for one in points),
                       tuple(one.half or 0.0 for one in points))
                  for name in CRAWLERS
                  for points in [study.points((space, topic), name)]),
            share=True,
        )
        for space, topic in CELLS
    )  # fmt: skip
    return Section(
        "Recall and precision",
        (f"The 11-point graphs, interpolated as {INTERPOLATION} does it; means over "
         f"{len(study.seeds)} webs with 95% intervals. In the paper, experts judged only the "
         "returned pages; so recall is the share of the relevant pages in any of the answers. "
         "Standard: "
         "all found pages, ranked by HITS once; focused: the pages to which good hubs link; "
         "divided: focused, with one vote for each host.",),
        figures=(*figures, _precisions(study)),
    )  # fmt: skip


def _precisions(study: Hits) -> Figure:
    """Draw the precision of the two crawlers here and in the paper, side by side."""
    lines = []
    for name in (STANDARD, FOCUSED):
        colour = CRAWLERS.index(name)
        xs = tuple(k + 0.95 + 0.1 * colour for k in range(len(CELLS)))
        found = [study.of(cell, name, "precision") for cell in CELLS]
        printed = tuple(_printed(cell)[name][1] for cell in CELLS)
        lines += [
            Line(f"{name}, here", xs, tuple(one.value for one in found),
                 tuple(one.half or 0.0 for one in found), dots=True, colour=colour),
            Line(f"{name}, paper", xs, printed, dashed=True, dots=True, colour=colour),
        ]  # fmt: skip
    return Figure(
        "Precision here (filled) and in the paper (hollow)", "space, topic", "precision",
        tuple(lines), share=True, places=tuple(f"{space} {topic + 1}" for space, topic in CELLS),
    )  # fmt: skip


def _printed(cell: tuple[str, int]) -> dict[str, tuple[int, float]]:
    """Return the paper's pages and precision by crawler."""
    _, focused, standard = PRINTED[cell]
    return {FOCUSED: focused, STANDARD: standard}


def _table(study: Hits) -> Section:
    rows = []
    for cell in CELLS:
        printed = _printed(cell)
        for name in CRAWLERS:
            size = study.of(cell, name, "size")
            there = printed.get(name)
            rows.append((
                f"{cell[0]} {cell[1] + 1}: {name}",
                f"{there[0]}, {there[1]:.2f}" if there else "",
                f"{size.value:,.0f}", with_interval(study.of(cell, name, "precision")),
                with_interval(study.of(cell, name, "recall")),
                f"{study.fetched(cell, name).value:,.0f}",
            ))  # fmt: skip
    note = "; ".join(
        f"{space} {topic + 1}: {study.mean((space, topic), lambda one: one.relevant).value:,.0f} "
        f"relevant pages, start set {study.mean((space, topic), lambda one: one.results).value:.2f}"
        for space, topic in CELLS
    )
    columns = ("space, topic, crawler", "paper", "pages", "precision", "recall", "fetched")
    return Section("The table of the paper", tables=(Table(columns, tuple(rows), f"{note}."),))


def _growth(study: Hits) -> Section:
    figures = []
    for what, up in (("growth", "pages fetched"), ("waiting", "pages found and not fetched")):
        for space in SPACES:
            lines = tuple(
                Line(name, tuple(range(len(row))), tuple(one.value for one in row),
                     tuple(one.half or 0.0 for one in row))
                for name in (STANDARD, FOCUSED, DIVIDED)
                for row in [study.growth(space, name, what)[: STEPS + 1]]
            )  # fmt: skip
            figures.append(Figure(f"{space}: {up}", "iteration", up, lines))
    paper = Figure(
        "Pages fetched, logarithmic, and the paper's standard crawler", "iteration",
        "pages fetched",
        (
            *(Line(f"{name}, {space}", tuple(range(len(row))), tuple(one.value for one in row))
              for space in SPACES for name in (STANDARD, FOCUSED)
              for row in [study.growth(space, name)[: STEPS + 1]]),
            Line("standard, paper", (4.0,), (float(COLLECTED),), dots=True),
        ),
        logarithmic="y",
    )  # fmt: skip
    long = Figure(
        "The focused crawler over many steps", "step", "pages fetched",
        tuple(Line(space, tuple(range(len(row))), tuple(one.value for one in row),
                   tuple(one.half or 0.0 for one in row))
              for space in SPACES for row in [study.long(space)]),
    )  # fmt: skip
    return Section(
        "Growth per iteration",
        ("An iteration of the standard crawler is a level of links; an iteration of the focused "
         "crawler is a step. Crawlers that read texts fetch single pages and have no iterations.",),
        figures=(*figures, paper, long),
    )  # fmt: skip


def _drift(study: Hits) -> Section:
    lines = tuple(
        Line(space, tuple(range(len(row))), tuple(one.value for one in row),
             tuple(one.half or 0.0 for one in row))
        for space in SPACES
        for row in [study.drift(space)]
    )  # fmt: skip
    return Section(
        "How the ranking drifts",
        ("Precision of the standard crawler's answer if the crawl ends after each iteration; the "
         "last point is the whole web. The larger the collection, the less is its densest part "
         "about the topic.",),
        figures=(
            Figure("Standard crawler: precision by iteration", "iteration", "precision", lines,
                   share=True),
        ),
    )  # fmt: skip


def _costs(study: Hits) -> Section:
    rows = tuple(
        (name, *(with_interval(study.seconds(space, name), 3) for space in SPACES))
        for name in CRAWLERS
    )
    return Section(
        "Computation time",
        ("Processor seconds for the decisions and the ranking of a crawl, without fetching; for "
         f"crawlers that read texts ({WORDS} and {BOTH}), with reading. They differ from run to "
         "run.",),
        (Table(("crawler", *SPACES), rows),),
    )  # fmt: skip
