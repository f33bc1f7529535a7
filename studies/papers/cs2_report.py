"""The report on the measurements of the Connectivity Server 2."""

from __future__ import annotations

import math

from counterpoint.studies.comparison.statistics import Mean, mean

from .cs2 import CS2, PRINTED, PRINTED_LINKS, PRINTED_PAGES, QUERIES, SEARCHES
from .report import IN_PART, NOT_REPRODUCED, REPRODUCED, Finding, Report, Section, Table
from .statistics import with_interval


def report(study: CS2) -> Report:
    """Return the report on the measured figures."""
    return Report(
        "cs2",
        "The Connectivity Server 2: sizes, queries and searches",
        "Broder et al., Graph structure in the Web (2000): the crawl of May 1999, 203 million "
        "addresses and 1,466 million links, in the memory of one machine.",
        f"{len(study.seeds)} webs of broder-1999 with {study.pages:,} pages and about "
        f"{study.links:,} links, in stores with their addresses. Times are processor times of one "
        "thread on this machine, in microseconds. Intervals are 95%, Student's, over webs. A "
        "figure is reproduced if it is at most the paper's.",
        _findings(study),
        (_sizes(study), _queries(study), _searches(study), _bowtie(study)),
        f"counterpoint papers cs2 --seeds {len(study.seeds)}",
    )


def _findings(study: CS2) -> tuple[Finding, ...]:
    found = []
    for name in ("bytes an address", "bytes a link"):
        found.append(_at_most(name, PRINTED[name], study.mean(name),
                              with_interval(study.mean(name)), f"{PRINTED[name]:g}"))  # fmt: skip
    whole = study.gigabytes()
    found.append(_at_most("GB for 203 million addresses and 1,466 million links", PRINTED["GB"],
                          Mean(whole, 0.0), f"{whole:.1f} (computed from the two)",
                          "9.5"))  # fmt: skip
    for name, printed in (("page of an address", "70 to 80"), ("address of a page", "70 to 80"),
                          ("a link of a random page", "0.15")):  # fmt: skip
        one = study.mean(name)
        found.append(_at_most(f"{name}, µs", PRINTED[name], one, with_interval(one), printed))
    hours = PRINTED_LINKS * 0.15e-3 / 3600
    found.append(Finding(
        "the unit of the times", "milliseconds",
        f"at 0.15 ms a link, all links take {hours:.0f} hours", NOT_REPRODUCED,
        "a search through 100 million of the pages took about four minutes, and reads nearly half "
        "of the links: microseconds are meant (counterpoint errata cs2-milliseconds)",
    ))  # fmt: skip
    return tuple(found)


def _at_most(claim: str, most: float, found: Mean, here: str, printed: str) -> Finding:
    """Compare a mean with a figure of the paper, which it must not exceed."""
    half = found.half if found.half is not None else math.inf
    if found.value + half <= most:
        return Finding(claim, printed, here, REPRODUCED)
    if found.value - half <= most:
        return Finding(claim, printed, here, IN_PART, "the interval contains the paper's figure")
    why = f"{found.value / most:.1f} times the paper's figure"
    return Finding(claim, printed, here, NOT_REPRODUCED, why)


def _sizes(study: CS2) -> Section:
    addresses, links = study.mean("bytes an address"), study.mean("bytes a link")
    rows = (
        ("bytes an address", "16", "10", with_interval(addresses)),
        ("bytes a link, both ways", "8", "3.4", with_interval(links)),
        ("GB for all addresses", "", f"{PRINTED_PAGES * 10 / 1e9:.1f}",
         f"{PRINTED_PAGES * addresses.value / 1e9:.1f}"),
        ("GB for all links", "", f"{PRINTED_LINKS * 3.4 / 1e9:.1f}",
         f"{PRINTED_LINKS * links.value / 1e9:.1f}"),
        ("GB of both", "", "9.5", f"{study.gigabytes():.1f}"),
    )  # fmt: skip
    return Section(
        "Sizes",
        ("The 9.5 GB hold the addresses as well as the links. By its own figures the two take 7.0 "
         "GB; the paper does not say what takes the rest.",),
        (Table(("", "CS1", "CS2", "here"), rows,
               "The GB of this study are computed for the number of pages and links of CS2."),),
    )  # fmt: skip


def _queries(study: CS2) -> Section:
    rows = [
        (name, f"{PRINTED[name]:g}" if name in PRINTED else "", with_interval(study.mean(name)))
        for name in QUERIES
    ]
    every = study.mean("all links in order", expanded=True)
    rows.append(("a link, all in order", "", with_interval(every, 3)))
    return Section(
        "Queries, in microseconds",
        ("Random pages, in batches of 10,000. CS2's figure for links is that of links that are "
         "found in memory; here they are unpacked from a file that is mapped into memory.",),
        (Table(("query", "CS2", "here"), tuple(rows)),),
    )  # fmt: skip


def _searches(study: CS2) -> Section:
    rows = tuple(
        (name, f"{PRINTED[name]:g}" if name in PRINTED else "", with_interval(study.mean(name), 3),
         with_interval(study.mean(name, expanded=True), 3))
        for name in SEARCHES
    )  # fmt: skip
    built = with_interval(study.mean("build"), 1)
    return Section(
        "Searches, in microseconds for each page",
        ("BFS for each page that is reached. Packed: links are unpacked from the file when they "
         "are needed; expanded: all are in memory. The paper reports the time of BFS alone. A page "
         "of a graph of this size takes less time than one of 203 million, which no cache holds; "
         "benchmarks/cs2.py measures those.",),
        (Table(("search", "CS2", "packed", "expanded"), rows,
               f"To build a store takes {built} microseconds for each page."),),
    )  # fmt: skip


def _bowtie(study: CS2) -> Section:
    rows = tuple(
        (name, f"{study.planted[name]:.2%}",
         with_interval(mean([100 * one[name] for one in study.bowties]), 2) + "%")
        for name in study.bowties[0]
    )  # fmt: skip
    return Section(
        "The bow-tie",
        (
            "The shares of the paper are planted in the profile; this shows that the searches find "
            "them.",
        ),
        (Table(("component", "planted", "found"), rows),),
    )
