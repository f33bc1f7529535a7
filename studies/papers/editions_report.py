"""The part of the report on [HITS] about webs of the profile `editions`: findings, tables, plots.

Where a sentence says why, it names the table of the variation that shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.studies.topical.editions import CELLS, ITERATED, LONG, STOP, Cell

from .editions import AXES, GRID, Editions, default_of
from .printed import COLLECTED, FOCUSED, PRINTED, STANDARD
from .report import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Figure,
    Finding,
    Line,
    Section,
    Table,
)
from .statistics import contains, with_interval

EVERYWHERE = "Pages linked from everywhere"
CLIQUE = "The competing clique"
OTHERS = "Other articles, other links, other sites"
ITERATIONS = "Iterations of the standard crawler"
WEIGHTS = "Starting weights"
COMMUNITIES = "Thematic communities"

TOGETHER = 118
"""Pages of the paper's test collection for the first cell: those in either answer of 117 pages."""

FLAT = 0.25
"""A growth flattens if its last third adds less than this part of what its first third adds."""

NAMES = tuple(f"{space} {topic + 1}" for space, topic in CELLS)

MEANING = {
    "mains": "main pages",
    "footers": "footers",
    "common": "common articles",
    "shared": "shared links",
    "links": "links of an edition",
    "mean_pages": "pages of a site",
}


def findings(study: Editions) -> tuple[Finding, ...]:
    """Return what comes out of the paper's claims on these webs."""
    precisions = [_precision(study, crawler, cell) for cell in CELLS
                  for crawler in (FOCUSED, STANDARD)]  # fmt: skip
    return (*precisions, _shared(study), _growth(study), _is_community(study))


def sections(study: Editions) -> tuple[Section, ...]:
    """Return the tables and plots."""
    return (_cells(study), _everywhere(study), _clique(study), _others(study), _iterations(study),
            _long(study), _weights(study), _communities(study))  # fmt: skip


def reached(study: Editions, cell: Cell, crawler: str) -> list[str]:
    """Return with which values of which keys the interval contains the paper's precision."""
    found = []
    for key in ("footers", "mains"):
        agree = [study.agrees(cell, crawler, (key, value)) for value in AXES[key]]
        if any(agree):
            found.append(f"{_ranges(AXES[key], agree)} {MEANING[key]}")
    return found


def _ranges(values: Sequence[float], chosen: Sequence[bool]) -> str:
    """Return the chosen ones of ascending values as text: ``2, 8 to 10``."""
    parts: list[list[float]] = []
    for k, (value, is_chosen) in enumerate(zip(values, chosen, strict=True)):
        if is_chosen and k and chosen[k - 1]:
            parts[-1] = [parts[-1][0], value]
        elif is_chosen:
            parts.append([value])
    return ", ".join(" to ".join(f"{end:g}" for end in part) for part in parts)


def _precision(study: Editions, crawler: str, cell: Cell) -> Finding:
    pages, printed = PRINTED[cell].of(crawler)
    agrees, found = study.agrees(cell, crawler), reached(study, cell, crawler)
    where = "" if crawler == FOCUSED else f", iteration {STOP}"
    why = (
        f"The profile has {default_of('footers'):g} footers, pages linked from everywhere, and "
        f"{default_of('mains'):g} main pages in the clique. The interval contains the paper's "
        f"figure with {' or '.join(found) or 'none of the numbers tried'} (“{EVERYWHERE}”, "
        f"“{CLIQUE}”)."
    )
    return Finding(
        f"editions: precision, {crawler}, {cell[0]} {cell[1] + 1} ({PRINTED[cell].query}{where})",
        f"{printed:.2f} of {pages} pages",
        with_interval(study.precision(cell, crawler)),
        REPRODUCED if agrees else IN_PART if found else NOT_REPRODUCED,
        "" if agrees else why,
    )


def _shared(study: Editions) -> Finding:
    """Compare how many pages the answers of the first cell share with what the paper implies."""
    found = study.mean(CELLS[0], lambda one: one.shared)
    length = PRINTED[CELLS[0]].focused[0]
    printed = 2 * length - TOGETHER
    agrees = contains(found, printed)
    return Finding(
        "editions: both answers of the first cell have nearly the same pages",
        f"{TOGETHER} pages together, so {printed} of {length} in both",
        f"{with_interval(found, 1)} of {length}",
        REPRODUCED if agrees else IN_PART if found.value > 0.9 * length else NOT_REPRODUCED,
        "" if agrees else f"{length - found.value:.1f} pages of each answer are not in the other, "
        f"and {length - printed} in the paper",
    )  # fmt: skip


def _growth(study: Editions) -> Finding:
    found = {value: [study.flattening(cell, ("links", value)) for cell in CELLS]
             for value in AXES["links"]}  # fmt: skip
    added = "; ".join(
        f"{value:g} links: {', '.join(f'{one:.2f}' for one in row)}" for value, row in found.items()
    )
    flat = {value for value, row in found.items() if max(row) < FLAT}
    here = default_of("links") in flat
    return Finding(
        "editions: the focused crawler's page count tends to an asymptote", "so",
        f"of {LONG} steps the last third adds, as a part of the first third: {added}",
        REPRODUCED if here else
        IN_PART if any(min(row) < FLAT for row in found.values()) else NOT_REPRODUCED,
        "" if here else "With few links besides, the count hardly grows until the editions of the "
        "topic are expanded; then the crawler goes on with the main pages and other articles.",
    )  # fmt: skip


def _is_community(study: Editions) -> Finding:
    members = [study.community(cell, FOCUSED)["members"] for cell in CELLS]
    most = [one.value > 0.5 for one in members]
    return Finding(
        "editions: the focused crawler's answer is a thematic community",
        "each page has more links within than outside",
        "share of such pages, without the pages linked from everywhere: "
        + ", ".join(with_interval(one) for one in members),
        REPRODUCED if all(most) else IN_PART if any(most) else NOT_REPRODUCED,
        "" if all(most) else "All editions of the answer link to each other. Those of the second "
        "topic are fewer than their other links, which include editions that the answer lacks.",
    )  # fmt: skip


def _cells(study: Editions) -> Section:
    rows = []
    for cell, name in zip(CELLS, NAMES, strict=True):
        for crawler in (FOCUSED, STANDARD):
            pages, precision = PRINTED[cell].of(crawler)
            reach = reached(study, cell, crawler)
            rows.append((
                f"{name}: {crawler}", f"{pages}, {precision:.2f}",
                with_interval(study.precision(cell, crawler)),
                f"{round((1 - precision) * pages)}",
                reach[0] if reach else "none",
            ))  # fmt: skip
    return Section(
        "The paper's web: articles in many languages",
        ("The addresses that the paper prints are editions of one article in many languages, which "
         "link to each other (about 115 and 43), and pages that every page links to: the "
         "foundation, the software, donations, terms, the licence. The standard crawler's answers "
         "in the local space are main pages, and articles about the encyclopedia itself. The "
         "profile editions plants this.",
         "Regional: the start set is pages of other sites, which link to the article in the "
         "largest language. Local: the start set is this article. So the regional crawl is one "
         "iteration behind. Which start sets the paper had is not known beyond that.",
         f"{len(study.webs)} webs. All webs have the same numbers of editions and of pages linked "
         "from everywhere, and these decide most of the precisions, so the intervals have often no "
         "width. The numbers of pages that are not about the topic are nearly the same in all "
         "answers of the paper that are on the topic, whatever their length: 8 to 14."),
        (Table(("space, topic, crawler", "paper", "precision", "off topic", "reached with"),
               tuple(rows), "Off topic: pages of the paper's answer that are not relevant."),),
    )  # fmt: skip


def _row(study: Editions, key: str, value: float) -> tuple[str, ...]:
    point = (key, value)
    mark = " (profile)" if value == default_of(key) else ""
    found = [(study.precision(cell, crawler, point), study.agrees(cell, crawler, point))
             for crawler in (FOCUSED, STANDARD) for cell in CELLS]  # fmt: skip
    return (f"{value:g}{mark}",
            *(f"{one.value:.2f}{'*' if agrees else ''}" for one, agrees in found))  # fmt: skip


def _axis(study: Editions, key: str) -> Table:
    short = [f"{space[0]}{topic + 1}" for space, topic in CELLS]
    columns = (MEANING[key], *(f"F {name}" for name in short), *(f"S {name}" for name in short))
    paper = (
        "paper",
        *(f"{PRINTED[cell].of(crawler)[1]:.2f}" for crawler in (FOCUSED, STANDARD)
          for cell in CELLS),
    )  # fmt: skip
    return Table(columns, (paper, *(_row(study, key, value) for value in AXES[key])))


_KEY = (
    "Precision; F: focused, S: standard, after iteration 4; r: regional, l: local, with the topic. "
    "*: the interval contains the paper's figure (0.9 and 0.0 have one digit), and is at most "
    "± 0.10."
)


def _everywhere(study: Editions) -> Section:
    return Section(
        EVERYWHERE,
        ("All pages of all languages link to these pages, so that their authority is the greatest "
         "in any part of the web. None is about the topic.",
         _KEY),
        (_axis(study, "footers"),),
        ablation=True,
    )  # fmt: skip


def _clique(study: Editions) -> Section:
    figures = tuple(
        Figure(
            f"Focused crawler, {name}, by the size of the clique of main pages",
            "main pages that link to each other", "precision",
            tuple(
                Line(f"{shared:.0%} of the links shared", GRID["mains"],
                     tuple(one.value for one in row), tuple(one.half or 0.0 for one in row),
                     dashed=shared == GRID["shared"][-1])
                for shared in GRID["shared"]
                for row in [[study.at_grid(mains, shared, cell) for mains in GRID["mains"]]]
            ),
            (("paper", PRINTED[cell].focused[1]),), share=True,
        )
        for cell, name in zip(CELLS, NAMES, strict=True)
    )  # fmt: skip
    last = [study.precision(cell, FOCUSED, ("mains", 0)).value for cell in CELLS]
    full = [study.precision(cell, FOCUSED, ("mains", 200)).value for cell in CELLS]
    return Section(
        CLIQUE,
        ("The main pages of the smallest languages link to each other. Without this clique the "
         f"focused crawler's precision is {_list(last)}; with all 200 main pages in it, it is "
         f"{_list(full)}. The topics have about 115 and 43 editions.", _KEY),
        (_axis(study, "mains"),),
        figures,
        ablation=True,
    )  # fmt: skip


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _others(study: Editions) -> Section:
    return Section(
        OTHERS,
        ("Common articles: the fewer there are, the more editions the other articles have, and at "
         "200 some have more than the second topic. Shared links: the part of an edition's links "
         "to pages of its language that all editions of the article have. Pages of a site: with "
         "more than one, the sites of the regional start set have menus and pages of their "
         "own.", _KEY),
        tuple(_axis(study, key) for key in ("common", "shared", "links", "mean_pages")),
        ablation=True,
    )  # fmt: skip


def _iterations(study: Editions) -> Section:
    precisions = tuple(
        (name, f"{PRINTED[cell].standard[1]:.2f}",
         *(f"{one.value:.2f}" for one in study.rows(cell, "standard")))
        for cell, name in zip(CELLS, NAMES, strict=True)
    )  # fmt: skip
    found = tuple(
        (name, f"{COLLECTED:,}", *(f"{one.value:,.0f}" for one in study.rows(cell, "found")))
        for cell, name in zip(CELLS, NAMES, strict=True)
    )
    columns = ("paper", *(f"{k + 1}" for k in range(ITERATED)))
    lines = tuple(
        Line(name, tuple(range(1, ITERATED + 1)), tuple(one.value for one in row),
             tuple(one.half or 0.0 for one in row))
        for cell, name in zip(CELLS, NAMES, strict=True) for row in [study.rows(cell, "standard")]
    )  # fmt: skip
    return Section(
        ITERATIONS,
        ("Precision of the standard crawler's answer after each iteration, and how many pages it "
         f"has found then. Iteration 1 fetches the start set. The paper stops with iteration "
         f"{STOP} and at least {COLLECTED:,} pages; here the web is nearly found by then.",),
        (Table(("precision by iteration", *columns), precisions),
         Table(("pages found by iteration", *columns), found)),
        (Figure("Standard crawler on the web with editions, by iteration", "iteration", "precision",
                lines, share=True, places=tuple(f"{k + 1}" for k in range(ITERATED))),),
    )  # fmt: skip


def _long(study: Editions) -> Section:
    lines = tuple(
        Line(f"{name}, {links:g} links", tuple(range(1, len(row) + 1)),
             tuple(one.value for one in row))
        for cell, name in ((CELLS[0], NAMES[0]), (CELLS[3], NAMES[3]))
        for links in AXES["links"] for row in [study.rows(cell, "growth", ("links", links))]
    )  # fmt: skip
    return Section(
        "Growth of the focused crawler on the web with editions",
        (f"Pages fetched in {LONG} steps, by the number of links of an edition to pages of its "
         "language.",),
        figures=(Figure("Focused crawler on the web with editions", "step", "pages fetched",
                        lines),),
    )  # fmt: skip


def _weights(study: Editions) -> Section:
    rows = tuple(
        (name, with_interval(study.precision(cell, FOCUSED)), with_interval(study.anew(cell)))
        for cell, name in zip(CELLS, NAMES, strict=True)
    )
    return Section(
        WEIGHTS,
        ("Each step of the focused crawler goes on from the last weights. The paper begins with "
         "ones. The difference is paired by web.",),
        (Table(("space, topic", "from the last weights", "from ones: difference"), rows),),
        ablation=True,
    )  # fmt: skip


def _communities(study: Editions) -> Section:
    rows = []
    for cell, name in zip(CELLS, NAMES, strict=True):
        for whose in study.webs[0][cell].communities:
            found = study.community(cell, whose)
            rows.append((f"{name}: {whose}", *map(with_interval, found.values())))
    return Section(
        COMMUNITIES,
        ("Gibson, Kleinberg and Raghavan: a thematic community is dense within and cut off. "
         "Density: links within, of those possible. Members: pages with more links within than to "
         "other pages. Conductance: links that cross the border, of the ends of links inside; 0 is "
         "cut off. Pages linked from everywhere are left out of the answers. “Fetched first” is as "
         "many pages in the order of the standard crawler.",),
        (Table(("space, topic, pages", "density", "members", "conductance"), tuple(rows)),),
    )  # fmt: skip
