"""What [BeeBot] says of its rules and its experiment, beside the ratios to R1."""

from __future__ import annotations

from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, PLANTED, REPRODUCED

from .claim import UNKNOWABLE, Elsewhere

PAPER = "[BeeBot]"

BEEBOT_RULES = (
    Elsewhere(
        PAPER,
        "the task as a bandit: sites are arms, links on a page are rewards",
        "model",
        "the interface of policies, and arms in the study of regret",
        REPRODUCED,
        "counterpoint papers regret",
    ),
    Elsewhere(
        PAPER,
        "S_R(n), the links found by a rule in n pages",
        "formula",
        "external links of each policy, by pages",
        REPRODUCED,
        "counterpoint compare R1 R2 R3 --web universities --pages 2000",
    ),
    Elsewhere(
        PAPER,
        "rewards of a site are independent and have one distribution",
        "an assumption",
        "on our webs the order of pages matters: in random order R3 finds a far smaller share",
        IN_PART,
        "counterpoint papers regret; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "a bandit problem is NP-complete in general",
        "claimed, with a source",
        "with independent arms and a discount an index solves it, which a policy and a spec "
        "compute; arms that also change at rest are harder still (PSPACE); the source named "
        "is a book on link analysis",
        NOT_REPRODUCED,
        "counterpoint check gittins; docs/reference/bibliography.md",
    ),
    Elsewhere(
        PAPER,
        "an equal number of pages of each site hardly solves the task",
        "claimed",
        "R1 has 39% of the best allocation on institutes and 78% on universities; others have "
        "up to 53% and 94% (30 webs)",
        REPRODUCED,
        "counterpoint papers regret; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "rule R1, as printed",
        "at most N pages",
        "3 errors: its rest, its rounding and its second sum",
        NOT_REPRODUCED,
        "counterpoint errata r1-rest; counterpoint errata r1-rounding; counterpoint errata "
        "r1-second-sum",
    ),
    Elsewhere(
        PAPER,
        "rule R1, corrected",
        "at most N pages",
        "never more than N pages",
        REPRODUCED,
        "counterpoint check r1",
    ),
    Elsewhere(
        PAPER,
        "rule R2, as printed",
        "at most N pages",
        "2 errors: its last step, and a page that counts twice",
        NOT_REPRODUCED,
        "counterpoint errata r2-last-step; counterpoint errata r2-page-twice",
    ),
    Elsewhere(
        PAPER,
        "rule R2, corrected",
        "at most N pages",
        "never more than N pages",
        REPRODUCED,
        "counterpoint check r2",
    ),
    Elsewhere(
        PAPER,
        "rule R3, as printed",
        "at most N pages",
        "2 errors: one page more, and a division by zero; and a wrong label",
        NOT_REPRODUCED,
        "counterpoint errata r3-one-page-more; counterpoint errata r3-no-links; counterpoint "
        "errata r3-label",
    ),
    Elsewhere(
        PAPER,
        "rule R3, corrected",
        "at most N pages",
        "never more than N pages",
        REPRODUCED,
        "counterpoint check r3",
    ),
    Elsewhere(
        PAPER,
        "what a rule does when a site has no page left",
        "not said",
        "it leaves the contest; otherwise the rule stands still",
        NOT_REPRODUCED,
        "counterpoint errata r1-exhausted; counterpoint errata r2-exhausted; counterpoint "
        "errata r3-exhausted",
    ),
    Elsewhere(
        PAPER,
        "R2's index is one of Gittins",
        "so named",
        "a sample mean; the index itself is a policy and a spec, compared with R2 web by web",
        NOT_REPRODUCED,
        "counterpoint check gittins; counterpoint papers regret",
    ),
    Elsewhere(
        PAPER,
        "R3 is UCB1 with means over the greatest reward",
        "formula",
        "the same; its regret is the study's",
        REPRODUCED,
        "counterpoint check r3; counterpoint papers regret",
    ),
    Elsewhere(
        PAPER,
        "Table 1: pages and external links of ten sites",
        "20 figures",
        "planted in the profile sample; names and figures are paired in the natural way, since "
        "the table is damaged",
        PLANTED,
        "counterpoint web describe --profile sample",
    ),
    Elsewhere(
        PAPER,
        "totals of all 20 sites",
        "105,711 pages, 8,990 links",
        "planted in the profiles institutes and universities together",
        PLANTED,
        "counterpoint web describe --profile institutes; counterpoint web describe --profile "
        "universities; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "pages and links of the other ten sites",
        "not printed",
        "invented, so that the totals are right",
        UNKNOWABLE,
        "the paper prints ten of 20 sites",
    ),
    Elsewhere(
        PAPER,
        "the scan of November 2011, up to level 5",
        "dates, and a depth",
        "sites of the profiles are 5 levels deep",
        UNKNOWABLE,
        "the sites of then no longer exist",
    ),
    Elsewhere(
        PAPER,
        "the nine figures of Table 2 do not contradict each other",
        "nine figures",
        "stored tables of links have them all, one for the rules as corrected and one as printed",
        REPRODUCED,
        "docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "n of R2 and m of R3 in the experiment",
        "not printed",
        "for the corrected rules tables exist for n from 1 to 160 and m up to 195, and none "
        "for n = 200 or m = 200",
        UNKNOWABLE,
        "the paper prints neither, and its figures hardly limit them",
    ),
    Elsewhere(
        PAPER,
        "the best rule depends on the kind of the sites",
        "claimed",
        "R2 finds most in each set here; on the stored tables the kinds differ as in the paper",
        IN_PART,
        "counterpoint papers beebot; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "universities: few links on many pages; institutes: none on most pages, very many on a few",
        "claimed",
        "planted so; in the stored table 10% and 1.1% of the pages have links",
        PLANTED,
        "counterpoint web describe --profile institutes; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "R2 stays long on attractive sites",
        "claimed",
        "on the stored table 1,840 of 2,000 pages of two sites",
        REPRODUCED,
        "docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "R2 never returns to a site whose first n pages have no link",
        "claimed",
        "a reachable state of the spec, in which such a site has more links than were found in all",
        REPRODUCED,
        "counterpoint check r2 --property a-site-is-starved",
    ),
)
"""The bandit, rules, tables and what is concluded from them."""
