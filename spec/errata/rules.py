"""Where R1, R2 and R3 of [BeeBot], as printed, break their own statement."""

from __future__ import annotations

from .erratum import Erratum

SOURCE = (
    "Pechnikov and Chernobrovkin, an adaptive crawler for external hyperlinks (2011/12): "
    "of K sites at most N pages are scanned"
)

NOT_SAID = (
    "The paper does not say what happens then: in the spec the rule asks for a page that is not "
    "there. It may have mattered: of the ten sites whose sizes it gives, four have fewer pages "
    "than its budget of 2000. The mend is ours."
)

ERRATA = (
    Erratum(
        name="r1-rest",
        source=SOURCE,
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
        name="r1-rounding",
        source=SOURCE,
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
        source=SOURCE,
        printed="R2 scans n pages of the best site, again and again while the sum of t(i) <= N.",
        corrected="The last step is cut so that N pages are scanned.",
        caveat="With n << N, as the paper asks, it is a small part of N: up to n pages.",
        reference="r2",
        as_printed={"stops": "after-a-step"},
        as_corrected={"stops": "at-the-budget"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r3-one-page-more",
        source=SOURCE,
        printed="R3 scans a page, lets n := n + 1, and goes on while n <= N.",
        corrected="It goes on while n < N.",
        caveat="It is one page, N + 1 in all.",
        reference="r3",
        as_printed={"stops": "after-it"},
        as_corrected={"stops": "at-the-budget"},
        breaks="never-overspends",
    ),
    Erratum(
        name="r3-no-links",
        source=SOURCE,
        printed="R3's index is mean(i)/Xmax + sqrt(2 ln n / t(i)), Xmax being the most links on a "
        "page so far.",
        corrected="While Xmax = 0 the means count as 0.",
        caveat="It takes initial pages without any external link on all sites, which is not rare: "
        "most pages of institutes' sites have none. What the program did then is not said; in "
        "the spec it chooses nothing. The mend is ours.",
        reference="r3",
        as_printed={"without-links": "divides"},
        as_corrected={"without-links": "mean-is-0"},
        breaks="no-division-by-zero",
    ),
    *(
        Erratum(
            name=f"{rule}-exhausted",
            source=SOURCE,
            printed=f"{rule.upper()} takes the {best} of all K sites.",
            corrected="It takes that of the sites that have pages left.",
            caveat=NOT_SAID,
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
