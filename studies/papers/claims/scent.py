"""What [SCENT] says, beside what its study finds."""

from __future__ import annotations

from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, REPRODUCED

from .claim import UNKNOWABLE, Elsewhere

PAPER = "[SCENT]"

SCENT = (
    Elsewhere(
        PAPER,
        "(1) the value of a page, from what is in both versions and what is in one alone",
        "formula",
        "log(1 + ActualSize) - log(1 + DeletedSize)",
        UNKNOWABLE,
        "the formula is lost in our copy; its terms and the logarithm are there, so this is "
        "our reading",
    ),
    Elsewhere(
        PAPER,
        "the value grows with the logarithm of the number of characters",
        "an assumption",
        "the logarithm of bytes of text",
        IN_PART,
        "counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "very long pages are worth less to people than their length says",
        "an assumption",
        "taken over with the logarithm",
        UNKNOWABLE,
        "nothing in the paper measures what pages are worth to people",
    ),
    Elsewhere(
        PAPER,
        "(2) Q(j), the sum over the documents of site j with the deleted ones",
        "the formula is lost; its terms are described",
        "the sum of our reading of (1)",
        IN_PART,
        "counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "(3) the time to check a page, A x size + B",
        "A x size + B; the formula itself is lost",
        "costs by byte and by visit, of the policy and the web",
        REPRODUCED,
        "counterpoint compare scent,time=60,per_byte=0.0001,per_visit=0.1 uniform --web living "
        "--pages 2000; counterpoint check scent-in-time",
    ),
    Elsewhere(
        PAPER,
        "(4) the sum of Q over sites is maximised in a limited time",
        "the formula is lost; its terms are described",
        "the study's value; the limit is the best allocation for the same costs",
        IN_PART,
        "counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "the time between two runs is a constant",
        "an assumption",
        "runs are equally long",
        REPRODUCED,
        "counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "to index one site costs much less than to index all",
        "an assumption",
        "one site and three sites; not many",
        IN_PART,
        "counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "a site often cannot be crawled whole: little bandwidth, overload, size, and changes "
        "within minutes",
        "four reasons",
        "runs have time for a part of the pages, and pages change; limits of requests and slow "
        "answers are on other webs",
        IN_PART,
        "counterpoint papers scent; docs/reference/profile-keys.md",
    ),
    Elsewhere(
        PAPER,
        "a visit halves the scent and then adds the harvest",
        "pseudo-code",
        "a property of the spec",
        REPRODUCED,
        "counterpoint check scent --property halved-and-then-harvested",
    ),
    Elsewhere(
        PAPER,
        "the pages with the strongest scent are visited",
        "pseudo-code",
        "a property of the spec",
        REPRODUCED,
        "counterpoint check scent --property the-strongest-is-next",
    ),
    Elsewhere(
        PAPER,
        "after each step all pages gain DeltaS",
        "pseudo-code",
        "a property of the spec, and mutants without it",
        REPRODUCED,
        "counterpoint check scent --property halved-and-then-harvested; counterpoint check "
        "scent --mutants",
    ),
    Elsewhere(
        PAPER,
        "how many pages an iteration visits",
        "pseudo-code",
        "a parameter: a batch, or a budget of time",
        UNKNOWABLE,
        "the bound of the loop is lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "the harvest CalcInfo uses a page that it is not given",
        "pseudo-code",
        "the difference is meant, which it is given",
        NOT_REPRODUCED,
        "counterpoint errata scent-harvest",
    ),
    Elsewhere(
        PAPER,
        "with any DeltaS > 0 each page is visited again",
        "follows from DeltaS",
        "each page is visited within a bounded number of iterations",
        REPRODUCED,
        "counterpoint check scent --property visited-within-the-gap",
    ),
    Elsewhere(
        PAPER,
        "the algorithm organises itself, a little as ants do",
        "an analogy",
        "scents stay bounded and follow the changes of pages",
        REPRODUCED,
        "counterpoint check scent --property scent-is-bounded; counterpoint papers scent",
    ),
    Elsewhere(
        PAPER,
        "which maximum the 98% refer to",
        "not said",
        "three maxima: the best allocation, an oracle, and a fresh index",
        UNKNOWABLE,
        "the paper does not say it",
    ),
    Elsewhere(
        PAPER,
        "the sites, the sizes and the settings of the experiments",
        "not said",
        "11 cases, and a grid of 27 others",
        UNKNOWABLE,
        "the paper does not say them",
    ),
    Elsewhere(
        PAPER,
        "the crawler takes the text of any set of pages",
        "the purpose",
        "policies that read get the text of pages; a store keeps it for them",
        IN_PART,
        "counterpoint crawl tfidf --db crawl.db --query 'some words'",
    ),
    Elsewhere(
        PAPER,
        "the algorithm in a crawler",
        "in use",
        "a policy for stored crawls",
        REPRODUCED,
        "counterpoint crawl scent --db crawl.db",
    ),
    Elsewhere(
        PAPER,
        "to keep a small site current is easy",
        "claimed",
        "with time for twice as many pages as change, Q is 99.8% of the limit (30 webs)",
        REPRODUCED,
        "counterpoint papers scent",
    ),
)
"""Formulas, assumptions, pseudo-code and experiments."""
