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
    TOPICS,
    WORDS,
)
from counterpoint.studies.topical.spaces import RESULTS

from . import editions_report
from .hits import CELLS, Hits
from .printed import COLLECTED, PRINTED
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

WITHOUT = "Without the menu"
DENSITY = "How dense the topics of other webs are"
"""Titles of sections to which sentences refer."""

PRECISE = 0.5
"""A crawler with a greater precision is called precise."""


def report(study: Hits) -> Report:
    """Return the report on the measured figures."""
    with_editions = study.editions
    return Report(
        "hits",
        "Topical crawling: the focused crawler and the standard one",
        "Blekanov and Bondarenko, topical crawling based on HITS. Their Web no longer exists and "
        "their graphs give no numbers, so only their table can be compared.",
        "The profile editions has webs of the kind that the printed addresses show: articles in "
        "many languages, and topics with as many editions as those of the paper. The spaces "
        f"regional and local are other webs, of {study.pages:,} pages: {len(study.seeds)} of each, "
        f"two topics of middle size in each. A crawl of them begins with {RESULTS} results of a "
        f"search: of the site's own engine (local), or {RESULTS // 2} of each of two (regional); "
        f"an engine has {SHARE:.0%} of the pages. The focused crawler makes {STEPS} steps with "
        f"c = {C}; the standard one stops when the web is exhausted; crawlers that read "
        f"texts fetch at most {READ:,} pages. All answers "
        "have the length of the focused crawler's answer. Relevant pages are known: topics were "
        "planted. Intervals are Student's 95% intervals over webs.",
        (*(editions_report.findings(with_editions) if with_editions else ()),
         _at_least(study), _regional(study), _local(study), _menus(study), _exponential(study),
         _flattens(study)),
        (*(editions_report.sections(with_editions) if with_editions else ()),
         *_without_menu(study), *_density(study),
         _graphs(study), _table(study), _growth(study), _drift(study), _costs(study)),
        f"counterpoint papers hits --seeds {study.asked}",
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
            f"The standard crawler's precision falls from {drift[1]:.2f} after one iteration and "
            f"{drift[2]:.2f} after two to {drift[-1]:.2f} in the whole web, which has "
            f"{_themes('regional')} similar topics. No topic is dense (“{DENSITY}”)."
        )
        if study.editions:
            why += (
                " On the web with editions, whose topics are, both crawlers are as precise as long "
                f"as no clique is larger (“{editions_report.CLIQUE}”)."
            )
    return Finding(
        "regional: both crawlers are nearly as precise", "0.93 and 0.93, 0.73 and 0.71",
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
            f"{_of_menu(study)}The site has {_themes('local')} topics, and none is dense "
            f"(“{DENSITY}”). With one vote for each host the precision is at most {divided:.2f}. "
            f"TF-IDF, which reads texts, reaches at least {words:.2f}."
        )
    return Finding(
        "local: the focused crawler stays on the topic", "0.90, 0.71",
        ", ".join(with_interval(study.of(cell, FOCUSED, "precision")) for cell in cells),
        REPRODUCED if good else NOT_REPRODUCED, why,
    )  # fmt: skip


def _themes(space: str) -> int:
    """Return how many topics a web has."""
    return int(load(space).themes.count)


def _of_menu(study: Hits) -> str:
    """Say whether the menu keeps the focused crawler from the topics, if that was measured."""
    if not study.menus:
        return ""
    without = [study.menu(k, without=True) for k in range(TOPICS)]
    found = " and ".join(map(with_interval, without))
    if min(one.value for one in without) > PRECISE:
        return f"The menu is the cause: without it the precision is {found} (“{WITHOUT}”). "
    return f"The menu is not the cause: without it the precision is {found} (“{WITHOUT}”). "


def _without_menu(study: Hits) -> tuple[Section, ...]:
    """Return the ablation of the menu of the local space, if it was made."""
    if not study.menus:
        return ()
    rows = tuple(
        (
            f"local {k + 1}",
            *(with_interval(study.menu(k, without=which)) for which in (False, True)),
        )
        for k in range(TOPICS)
    )
    return (Section(
        WITHOUT,
        (f"Precision of the focused crawler in the local space, on {len(study.menus)} webs as they "
         "are and on the same webs without the menu (navigation = 0).",),
        (Table(("space, topic", "with the menu", "without"), rows),),
        ablation=True,
    ),)  # fmt: skip


def _density(study: Hits) -> tuple[Section, ...]:
    """Return how dense and how cut off the pages about the topics are, if that was measured."""
    rows = []
    for cell in CELLS:
        found = [study.density(cell, what) for what in ("density", "members", "conductance")]
        if all(found):
            rows.append((f"{cell[0]} {cell[1] + 1}",
                         *(with_interval(one, 3) for one in found if one)))  # fmt: skip
    if not rows:
        return ()
    return (Section(
        DENSITY,
        ("The pages about a topic in the spaces regional and local, measured as the answers in "
         f"“{editions_report.COMMUNITIES}” are.",),
        (Table(("space, topic", "density", "members", "conductance"), tuple(rows)),),
    ),)  # fmt: skip


def _menus(study: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    precision = [study.of(cell, STANDARD, "precision").value for cell in cells]
    menus = [study.of(cell, STANDARD, "navigation") for cell in cells]
    menus_first = min(one.value for one in menus) > 0.5
    good = max(precision) < NEAR and menus_first
    return Finding(
        "local: the standard crawler's answer leaves the topic; here for the site's navigation",
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
        IN_PART if good else NOT_REPRODUCED,
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
        f"they do not. A crawl that has fetched {PART:.0%} of the web does not show what it would "
        "do in a larger one.",
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
