"""Errors that papers printed, each with the spec and the parameters that show it.

An entry contains no result: `counterpoint.models.sweeps.errata` computes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Erratum:
    """A wrong reading that a paper printed, and the correct one.

    Attributes
    ----------
    name : str
        Its name on the command line.
    source : str
        The paper.
    printed, corrected : str
        What the paper says, and what it should say.
    caveat : str
        What in the spec is not taken from the paper.
    reference : str
        The spec.
    as_printed, as_corrected : mapping of str to value
        The parameters for the two readings.
    breaks : str
        The property that the printed reading violates; the corrected one violates none.
    bounds : mapping of str to value
        Parameters for both readings.
    """

    name: str
    source: str
    printed: str
    corrected: str
    caveat: str
    reference: str
    as_printed: Mapping[str, Any]
    as_corrected: Mapping[str, Any]
    breaks: str
    bounds: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Misprint:
    """A wrong word or unit in a paper, which changes no algorithm: no spec can show it.

    Attributes
    ----------
    name : str
        Its name on the command line.
    source : str
        The paper.
    printed, corrected : str
        What the paper says, and what it should say.
    caveat : str
        What shows that it is wrong.
    """

    name: str
    source: str
    printed: str
    corrected: str
    caveat: str


TIANWANG = "Meng Tao, an evaluation model for search-engine coverage (Peking University, 2002)"

BEEBOT = (
    "Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12): "
    "of K sites at most N pages are scanned"
)

BEEBOT_EXHAUSTED = (
    "The paper does not say what happens then: in the spec the rule asks for a page that is not "
    "there. It may have mattered: of the ten sites whose sizes it gives, four have fewer pages "
    "than its budget of 2000. The correction is ours."
)

OF_RULES = (
    Erratum(
        name="r1-rest",
        source=BEEBOT,
        printed="R1 scans [N/K] pages of every site, then the remaining N - [N/K] pages on the "
        "site with the largest sum.",
        corrected="What remains is N - K [N/K].",
        caveat="An error of the text; whether the program made it is not known. Shares are rounded "
        "down here, so that the rest alone is wrong.",
        reference="r1",
        as_printed={"rest": "all-but-one-share"},
        as_corrected={"rest": "what-is-left"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r1-second-sum",
        source=BEEBOT,
        printed="S_R1(N) sums the site with the largest sum up to its page N - [N/K].",
        corrected="It sums it up to page N - (K - 1) [N/K]: then K [N/K] pages and the rest are N.",
        caveat="It contradicts the step before it, which scans N - [N/K] further pages (r1-rest). "
        "For K = 2 it is right, if the sites have enough pages; the paper has K = 10.",
        reference="r1",
        as_printed={"rest": "to-all-but-one-share"},
        as_corrected={"rest": "what-is-left"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r1-rounding",
        source=BEEBOT,
        printed="R1's share [N/K] is the integer nearest to N/K.",
        corrected="It is N/K rounded down (and at least 1).",
        caveat="N = 2000 and K = 10, as in the paper, divide without a rest. That halves go up is "
        "our choice; the run here has N/K = 5/3.",
        reference="r1",
        as_printed={"rounding": "nearest"},
        as_corrected={"rounding": "down"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r2-last-step",
        source=BEEBOT,
        printed="R2 scans n pages of the best site, again and again while the sum of t(i) <= N.",
        corrected="The last step is cut so that N pages are scanned.",
        caveat="With n << N, as the paper asks, it is a small part of N: up to n pages.",
        reference="r2",
        as_printed={"stops": "after-a-step"},
        as_corrected={"stops": "at-the-budget"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r2-page-twice",
        source=BEEBOT,
        printed="After n further pages, R2 adds the pages t(i) to t(i) + n to the sum of a site "
        "that had t(i) pages.",
        corrected="It adds the pages t(i) + 1 to t(i) + n.",
        caveat="The page before the step counts twice. It is a slip of one formula, and the "
        "reading `printed` of the rule leaves it out: the index is said to be the sum over the "
        "number of pages.",
        reference="r2",
        as_printed={"sums": "last-page-twice"},
        as_corrected={"sums": "pages-once"},
        breaks="the-best-is-chosen",
    ),
    Erratum(
        name="r3-one-page-more",
        source=BEEBOT,
        printed="R3 scans a page, lets n := n + 1, and continues while n <= N.",
        corrected="It continues while n < N.",
        caveat="It is one page, N + 1 in all.",
        reference="r3",
        as_printed={"stops": "after-it"},
        as_corrected={"stops": "at-the-budget"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r3-no-links",
        source=BEEBOT,
        printed="R3's index is mean(i)/Xmax + sqrt(2 ln n / t(i)), Xmax being the most links on a "
        "page so far.",
        corrected="While Xmax = 0 the means count as 0.",
        caveat="It takes initial pages without any external link on all sites, which is not rare: "
        "most pages of institutes' sites have none. The paper does not say what the program did "
        "then; in the spec it chooses nothing. The correction is ours.",
        reference="r3",
        as_printed={"without-links": "divides"},
        as_corrected={"without-links": "mean-is-0"},
        breaks="no-division-by-zero",
    ),
    *(
        Erratum(
            name=f"{rule}-exhausted",
            source=BEEBOT,
            printed=f"{rule.upper()} takes the {best} of all K sites.",
            corrected="It takes that of the sites that have pages left.",
            caveat=BEEBOT_EXHAUSTED,
            reference=rule,
            as_printed={"exhausted": "stay"},
            as_corrected={"exhausted": "leave"},
            breaks="exhausted-sites-leave",
        )
        for rule, best in (
            ("r1", "site with the largest sum"),
            ("r2", "site with the most links a page"),
            ("r3", "site with the highest index"),
        )
    ),
)
"""Errors in R1, R2 and R3 of [BeeBot]: as printed they violate the paper's own statement."""

ERRATA = {
    e.name: e
    for e in (
        *OF_RULES,
        Erratum(
            name="window-stm-clock",
            source="Imbs and Raynal, a software transactional memory with windows of logical time "
            "(PaCT 2009, LNCS 5698, pp. 26-40; corrected in The Journal of Supercomputing, 2010)",
            printed="Fetch&Increment, inside the commit operation, returns the clock's old value.",
            corrected="It returns the new value.",
            caveat="The protocol is our reconstruction: of the verification study that found the "
            "error only the conclusion is available to us, not the paper's pseudo-code.",
            reference="window-stm",
            as_printed={"fetch-and-increment": "old"},
            as_corrected={"fetch-and-increment": "new"},
            breaks="opacity",
        ),
        Erratum(
            name="dstm-write-skew",
            source="Herlihy, Luchangco, Moir and Scherer, software transactional memory for "
            "dynamic-sized data structures (PODC 2003, pp. 92-101)",
            printed="A transaction commits if all that it has read is the last committed version.",
            corrected="Whenever it checks what it has read, it aborts the current owners of "
            "those objects.",
            caveat="Found by Lesani and Palsberg (Proving Non-opacity, DISC 2013). The spec is "
            "after descriptions of the protocol; its steps, and the correction, are ours.",
            reference="dstm",
            as_printed={"validation": "versions"},
            as_corrected={"validation": "owners"},
            breaks="serializability",
        ),
        Erratum(
            name="mcrt-write-exposure",
            source="Saha, Adl-Tabatabai, Hudson, Minh and Hertzberg, McRT-STM: a high performance "
            "software transactional memory system for a multi-core runtime (PPoPP 2006, "
            "pp. 187-197)",
            printed="A read notes the version of its record and loads; versions are compared when "
            "the transaction commits.",
            corrected="After each load it compares the versions of all that it has read.",
            caveat="Found by Lesani and Palsberg (Proving Non-opacity, DISC 2013); what commits is "
            "serializable all the same. The spec follows descriptions of the protocol; its steps, "
            "and the correction, are ours.",
            reference="mcrt",
            as_printed={"read-check": "nothing"},
            as_corrected={"read-check": "all-records"},
            breaks="opacity",
        ),
        Erratum(
            name="scent-harvest",
            source="Sotnik, the S.C.E.N.T. crawling algorithm",
            printed="The harvest of a visit takes the difference in bytes, and returns the "
            "logarithm of the page's size + 1.",
            corrected="It returns the logarithm of the difference + 1.",
            caveat="The paper's formulas are lost in our copy; the text is clear. Harvests are "
            "whole numbers here, and pages of one size. The claim that fails is the paper's own: "
            "without gain, pages found unchanged several times are no longer visited.",
            reference="scent",
            as_printed={"harvest": "size"},
            as_corrected={"harvest": "difference"},
            breaks="unchanged-is-left",
            bounds={"delta-s": 0, "pages": 2, "static": 1, "iterations": 6},
        ),
        Erratum(
            name="scent-left",
            source="Sotnik, the S.C.E.N.T. crawling algorithm",
            printed="Without gain, pages found unchanged several times are no longer visited.",
            corrected="They are no longer visited if, at each visit, as many other pages are found "
            "changed as an iteration visits.",
            caveat="An iteration visits the pages with the strongest scent, however weak they "
            "are: where no page changes, all are visited in turn for ever. The paper means sites "
            "of which a part changes.",
            reference="scent-for-ever",
            as_printed={"static": 2},
            as_corrected={"static": 1, "changing": 1},
            breaks="the-first-page-is-left",
            bounds={"delta-s": 0, "pages": 2},
        ),
        Erratum(
            name="hits-growth",
            source="Blekanov and Bondarenko, topical crawling based on HITS",
            printed="The number of the focused crawler's pages tends to an asymptote.",
            corrected="It grows in each step by at most c times the most links of a page, and it "
            "stops growing where the web or the number of steps ends.",
            caveat="The paper shows it as a figure of its own crawls, which ended after a few "
            "steps; nothing in the algorithm stops the growth. The weights of HITS are arbitrary "
            "in the spec, and a hub is the best of what is left, however low its weight.",
            reference="focused-for-ever",
            as_printed={"web": "endless"},
            as_corrected={"web": "finite"},
            breaks="growth-stops",
        ),
        Erratum(
            name="hits-precision",
            source="Blekanov and Bondarenko, topical crawling based on HITS",
            printed="Precision is a / (a + b), where b is the number of documents found.",
            corrected="b is the number of documents found that are not relevant.",
            caveat="The paper's figures are of the corrected formula: as printed no precision "
            "exceeds 1/2, and the paper reports 0.93.",
            reference="retrieval",
            as_printed={"b": "all"},
            as_corrected={"b": "irrelevant"},
            breaks="no-fault-is-full-precision",
        ),
    )
}
"""The errata by name."""

MISPRINTS = {
    m.name: m
    for m in (
        Misprint(
            name="r3-label",
            source=BEEBOT,
            printed="The last step of R3 calls its sum S_R2(N).",
            corrected="It is S_R3(N).",
            caveat="R2 ends with a sum of the same name, and Table 2 has one for each rule.",
        ),
        Misprint(
            name="beebot-slash",
            source=BEEBOT,
            printed="A backslash is removed at the end of an address.",
            corrected="A slash is removed.",
            caveat="Addresses end with slashes, and browsers read a backslash as a slash.",
        ),
        Misprint(
            name="beebot-level",
            source=BEEBOT,
            printed="The next page of a site is an unprocessed one with the highest level.",
            corrected="It is one with the lowest level.",
            caveat="Levels count links from the start page, and the paper calls the order breadth "
            "first.",
        ),
        Misprint(
            name="hits-operations",
            source="Blekanov and Bondarenko, topical crawling based on HITS",
            printed="Operations I and O both sum over the pages q with a link from p to q.",
            corrected="Operation I, which computes the authority of p, sums over the pages q with "
            "a link from q to p.",
            caveat="As printed both weights of a page would depend on the pages that it links to "
            "alone, so that in-links would count for nothing.",
        ),
        Misprint(
            name="hits-missed-pages",
            source="Blekanov and Bondarenko, topical crawling based on HITS",
            printed="In the formula of recall, c is the number of relevant pages that were not "
            "found and that experts do not consider relevant.",
            corrected="c is the number of relevant pages that were not found.",
            caveat="As printed the two halves contradict each other, and c is always 0, so that "
            "recall would always be 1.",
        ),
        Misprint(
            name="cov-breadth-first",
            source=TIANWANG,
            printed="No step of absolute breadth-first puts a page into the array of collected "
            "pages, whose size ends the search, and links are looked up in that array alone.",
            corrected="A page that was fetched is put into the array; a link is new if it is "
            "neither there nor in the queue.",
            caveat="As printed the search never ends, and a page enters the queue for each link.",
        ),
        Misprint(
            name="cov-pagerank-blocks",
            source=TIANWANG,
            printed="Until all pages have been computed, PageRank in blocks goes on with step 4, "
            "which computes the block in memory.",
            corrected="It goes on with step 3, which loads the next block.",
            caveat="As printed the first block is computed again and again.",
        ),
        Misprint(
            name="cov-hits-scaling",
            source=TIANWANG,
            printed="Hub and authority weights are computed from each other until two successive "
            "vectors are near, and are not scaled.",
            corrected="Each vector is scaled after each step.",
            caveat="As printed the weights grow, wherever a page has several links, and the "
            "search need not end.",
        ),
        Misprint(
            name="cs2-milliseconds",
            source="Broder, Kumar, Maghoul, Raghavan, Rajagopalan, Stata, Tomkins and Wiener, "
            "graph structure in the Web (2000), in the Russian translation that we have",
            printed="CS2 takes 70 to 80 ms for the page of an address, or back, and 0.15 ms for "
            "each link.",
            corrected="It takes microseconds.",
            caveat="At 0.15 ms, 1,466 million links take 61 hours; a search through 100 million "
            "pages took about four minutes on one processor. At 0.15 microseconds the links of "
            "so many pages, 722 million, take 108 seconds.",
        ),
    )
}
"""The misprints by name."""
