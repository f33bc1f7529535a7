"""[HITS], told: the graphs first, then what comes out and what does not."""

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
from .statistics import told

NEAR = 0.05
"""A precision that is called near 0."""

FLAT = 0.25
"""Of what the first third of the steps adds, the last third of a growth that flattens adds less."""

PART = 0.5
"""Of the web: a growth that flattens at more than that has exhausted it, as any crawl does."""

PRECISE = 0.5
"""A crawler with a greater one is called precise."""


def report(of: Hits) -> Report:
    """Return what the figures say."""
    return Report(
        "hits",
        "Topical crawling: the focused crawler beside the standard one",
        "Blekanov and Bondarenko, topical crawling based on HITS. Their Web is gone and their "
        "graphs are not printed as numbers, so that their table alone stands beside ours.",
        f"Webs of {of.pages:,} pages; {len(of.seeds)} of each space, two topics of middle size in "
        f"each. A crawl begins with {RESULTS} results of a search: of the site's own engine "
        f"(local), or {RESULTS // 2} of each of two (regional); an engine has {SHARE:.0%} of the "
        f"pages. The focused crawler makes {STEPS} steps with c = {C}; the standard one stops when "
        f"the web is exhausted; those that read fetch at most {READ:,} pages. All answers are as "
        "long as the focused one's. Relevant is what was planted so. Intervals are 95%, "
        "Student's, over webs.",
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
    precise = all(of.of(cell, STANDARD, "precision").value > PRECISE for cell in cells)
    differences = [of.beside(cell, FOCUSED, STANDARD) for cell in cells]
    alike = all(abs(one.value) <= (one.half or 0.0) for one in differences)
    drift = [one.value for one in of.drift("regional")]
    why = "" if alike else "One is more precise than the other."
    if not precise:
        why = (
            "HITS ranks a collection by its densest part. The nearer the collection is to the "
            f"results of the search, the more of that part is the topic (precision {drift[1]:.2f} "
            f"after one iteration, {drift[2]:.2f} after two); of the whole web it is another one "
            f"({drift[-1]:.2f}). In the paper's Web the topic must have been the densest part of "
            f"{COLLECTED:,} pages; here it is one of {_themes('regional')} alike."
        )
    return Finding(
        "regional: both crawlers are as precise", "0.93 and 0.93, 0.73 and 0.71",
        "; ".join(_pair(of, cell) for cell in cells),
        REPRODUCED if precise and alike else NOT_REPRODUCED, why,
    )  # fmt: skip


def _local(of: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    good = min(of.of(cell, FOCUSED, "precision").value for cell in cells) > PRECISE
    why = ""
    if not good:
        divided = max(of.of(cell, DIVIDED, "precision").value for cell in cells)
        words = min(of.of(cell, WORDS, "precision").value for cell in cells)
        why = (
            "Each page of our site links to the whole menu, which therefore has the greatest "
            "authority in every step, for the focused crawler as well, and what follows it in "
            "rank is what the whole site links to. The paper's sites may have been about little "
            f"else than the query; ours has {_themes('local')} topics. One voice for each host "
            f"comes to {divided:.2f} at best. Reading helps: TF-IDF has {words:.2f} and more."
        )
    return Finding(
        "local: the focused crawler stays on the topic", "0.90, 0.71",
        ", ".join(told(of.of(cell, FOCUSED, "precision")) for cell in cells),
        REPRODUCED if good else NOT_REPRODUCED, why,
    )  # fmt: skip


def _themes(space: str) -> int:
    """Return how many topics a web has."""
    return int(load(space).themes.count)


def _menus(of: Hits) -> Finding:
    cells = [cell for cell in CELLS if cell[0] == "local"]
    precision = [of.of(cell, STANDARD, "precision").value for cell in cells]
    menus = [of.of(cell, STANDARD, "navigation") for cell in cells]
    menus_first = min(one.value for one in menus) > 0.5
    good = max(precision) < NEAR and menus_first
    return Finding(
        "local: the standard crawler's ranking drifts to the site's own navigation",
        "precision 0.02 and 0.0",
        "precision " + ", ".join(told(of.of(cell, STANDARD, "precision")) for cell in cells)
        + f"; of the first {TOP} pages " + ", ".join(f"{one.value:.0%}" for one in menus)
        + " are the start page and its menu",
        REPRODUCED if good else NOT_REPRODUCED,
        "" if good else "The precision is not near 0." if menus_first else
        "The menus are not what is ranked first.",
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
    """Compare what the last third of the steps adds with what the first third does."""
    told_, flat = [], []
    for space in SPACES:
        row = [one.value for one in of.long(space)]
        third = len(row) // 3
        share = (row[-1] - row[-1 - third]) / max(row[third] - row[0], 1.0)
        exhausted = row[-1] / of.growth(space, STANDARD)[-1].value
        flat.append(share < FLAT and exhausted < PART)
        told_.append(f"{space}: {row[min(STEPS, len(row)) - 1]:,.0f} pages in {STEPS} steps, "
                     f"{row[-1]:,.0f} in {len(row)}, {exhausted:.0%} of the web; the last third "
                     f"of these adds {share:.2f} of what the first does")  # fmt: skip
    return Finding(
        "the focused crawler's page count tends to an asymptote", "so",
        "; ".join(told_),
        REPRODUCED if all(flat) else IN_PART if any(flat) else NOT_REPRODUCED,
        "It grows by at most c times the largest out-degree a step, so never exponentially; it "
        "flattens while the best hubs lead to what is known, and grows again when they do not. "
        f"If it has {PART:.0%} of the web by then, it is the web that ends.",
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
    return Section(
        "Recall and precision",
        (f"The 11-point graphs, interpolated as {INTERPOLATION} does it; means over "
         f"{len(of.seeds)} webs with intervals of 95%. As in the paper, where experts judged what "
         "was returned, recall is of the relevant pages in any of the answers. Standard: all that "
         "is found, ranked by HITS once; focused: what good hubs link to; divided: that, with one "
         "voice for each host.",),
        figures=(*figures, _beside(of)),
    )  # fmt: skip


def _beside(of: Hits) -> Figure:
    """Draw the two crawlers' precision beside the paper's; they stand a little apart."""
    lines = []
    for name in (STANDARD, FOCUSED):
        colour = CRAWLERS.index(name)
        xs = tuple(k + 0.95 + 0.1 * colour for k in range(len(CELLS)))
        found = [of.of(cell, name, "precision") for cell in CELLS]
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


def _table(of: Hits) -> Section:
    rows = []
    for cell in CELLS:
        printed = _printed(cell)
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
    long = Figure(
        "The focused crawler over many steps", "step", "pages fetched",
        tuple(Line(space, tuple(range(len(row))), tuple(one.value for one in row),
                   tuple(one.half or 0.0 for one in row))
              for space in SPACES for row in [of.long(space)]),
    )  # fmt: skip
    return Section(
        "Growth per iteration",
        ("An iteration of the standard crawler is a level of links; of the focused one a step. "
         "Those that read take one page after the other and have none.",),
        figures=(*figures, paper, long),
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
        (name, *(told(of.seconds(space, name), 3) for space in SPACES)) for name in CRAWLERS
    )
    return Section(
        "Computation time",
        ("Seconds of the processor for a crawl's decisions and its ranking, without fetching; for "
         f"those that read ({WORDS} and {BOTH}) with reading. They differ from run to run.",),
        (Table(("crawler", *SPACES), rows),),
    )  # fmt: skip
