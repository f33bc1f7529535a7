"""What [COV] says of coverage and of samples, beside what follows from its tables."""

from __future__ import annotations

from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, REPRODUCED

from .claim import OPEN, UNKNOWABLE, Elsewhere

PAPER = "[COV]"

COV = (
    Elsewhere(
        PAPER,
        "the Web as a directed graph, with in-degrees and out-degrees",
        "definition",
        "stores of graphs",
        REPRODUCED,
        "counterpoint graph degrees crawl.graph",
    ),
    Elsewhere(
        PAPER,
        "limit 1: pages without in-links",
        "about 10%",
        "7.4% on the profile broder-1999, by a key of the profile",
        IN_PART,
        "counterpoint web describe --profile broder-1999 --seed 1",
    ),
    Elsewhere(
        PAPER,
        "limit 2: pages that the start set does not reach; others reach about 90%",
        "about 90%",
        "91.8% of the pages are in the largest component, but a start page reaches 35% along links",
        IN_PART,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "limit 3: priorities and limited resources starve pages",
        "described",
        "sites of which nothing is fetched are counted, and a starved site is a state of R2's spec",
        REPRODUCED,
        "counterpoint web judge access.jsonl --must 'starving-sites == 0'; counterpoint check "
        "r2 --property a-site-is-starved",
    ),
    Elsewhere(
        PAPER,
        "limit 4: pages are born and change faster than they are visited",
        "described",
        "pages change, are born and die; freshness by policy",
        REPRODUCED,
        "counterpoint compare scent uniform --web living --pages 20000; "
        "docs/reference/profile-keys.md",
    ),
    Elsewhere(
        PAPER,
        "limit 5: formats and pages behind forms are not collected",
        "described",
        "pages behind forms are a share of a profile; coverage viewable counts other formats",
        REPRODUCED,
        "docs/reference/profile-keys.md; docs/how-to/estimate-coverage.md",
    ),
    Elsewhere(
        PAPER,
        "pages of the Web with those behind forms, and the part that engines have",
        "550 billion, less than 1%",
        "not measured",
        UNKNOWABLE,
        "the Web of 2002 no longer exists",
    ),
    Elsewhere(
        PAPER,
        "sizes of the Web and of its Chinese part, and their growth",
        "2.5 billion and 53.4 million pages; 277,100 sites",
        "not measured",
        UNKNOWABLE,
        "the Web of 2002 no longer exists",
    ),
    Elsewhere(
        PAPER,
        "the largest search engine has about 80% of all pages",
        "2,073,418,204 of 2.5 billion",
        "the quotient of the two is 83%; both are quoted",
        UNKNOWABLE,
        "neither number can be checked any more",
    ),
    Elsewhere(
        PAPER,
        "quantity coverage: a share of all pages",
        "first kind",
        "truth and estimators",
        REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "quality coverage: a share of the important pages",
        "second kind",
        "truth and estimators, by four weights",
        REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "coverage of what can be viewed: collected pages that can be shown later",
        "third kind, not measured",
        "defined, and measured on the archive of a crawl; a link store gives an upper bound",
        REPRODUCED,
        "counterpoint coverage viewable --db crawl.db; docs/how-to/estimate-coverage.md",
    ),
    Elsewhere(
        PAPER,
        "C, the covered pages over all pages",
        "formula",
        "the truth of the report",
        REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "C is estimated by the part of a random sample that is covered",
        "formula",
        "shares of samples, with intervals",
        REPRODUCED,
        "counterpoint coverage estimate --sample seen.txt --crawled crawl.txt",
    ),
    Elsewhere(
        PAPER,
        "quality is estimated in the same way from a sample of important pages",
        "formula",
        "the heaviest part of a weighed sample",
        REPRODUCED,
        "counterpoint coverage estimate --sample seen.txt --crawled crawl.txt --top 0.05",
    ),
    Elsewhere(
        PAPER,
        "pages of a sample that cannot be loaded are dropped",
        "described",
        "samples of webs have only pages that come; lists are taken as they are",
        IN_PART,
        "counterpoint coverage sample addresses --profile broder-1999 --draw 2000",
    ),
    Elsewhere(
        PAPER,
        "the work flow: sample, weigh, look up, divide",
        "a figure",
        "three commands",
        REPRODUCED,
        "docs/how-to/estimate-coverage.md",
    ),
    Elsewhere(
        PAPER,
        "the bijection F from allocated addresses to 0 .. M-1",
        "formula",
        "draws from blocks, each address with the same probability, also IPv6",
        REPRODUCED,
        "counterpoint coverage sample addresses --block 192.0.2.0/24 --draw 5",
    ),
    Elsewhere(
        PAPER,
        "the allocated blocks of China",
        "4,322 blocks",
        "blocks are read from a file",
        UNKNOWABLE,
        "the list is not printed",
    ),
    Elsewhere(
        PAPER,
        "what part of the sites serves at port 80",
        "a number that is damaged",
        "the webs serve at port 80 alone",
        UNKNOWABLE,
        "the number is damaged in our copy",
    ),
    Elsewhere(
        PAPER,
        "addresses become names by reverse DNS and by the crawler's records",
        "described",
        "webs know the hosts of an address; names are not looked up",
        OPEN,
        "names of addresses, with the share that reverse DNS does not know",
    ),
    Elsewhere(
        PAPER,
        "default pages of servers count as sites",
        "a weakness",
        "they lower the estimate, but towards the truth: mean error +32% without them, +15% with "
        "them",
        IN_PART,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "a small site counts as much as a large one",
        "a weakness",
        "mean error +32% with a page of each site, +2% with all pages",
        REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "the table after one expansion",
        "5 sizes",
        "its slope, which is lost, is 22.8% through the origin and 24.1% with an intercept",
        IN_PART,
        "counterpoint papers coverage",
    ),
    Elsewhere(
        PAPER,
        "links of sampled pages correct random addresses",
        "claimed",
        "the estimate rises, away from the truth: mean error +32% before, +36% after an expansion",
        NOT_REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "further expansions approach breadth-first",
        "predicted",
        "mean error +32%, +36% and +41% after none, one and two; breadth-first +54%",
        IN_PART,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "links of default pages lead abroad and are filtered",
        "described",
        "samples are not filtered by domain",
        OPEN,
        "samples of one domain, with pages of others left out",
    ),
    Elsewhere(
        PAPER,
        "without sites that are named by an address the coverage is a little higher",
        "claimed",
        "not measured",
        UNKNOWABLE,
        "the number is lost in our copy, and so is how many there are",
    ),
    Elsewhere(
        PAPER,
        "the algorithm of absolute breadth-first",
        "5 steps, which do not end",
        "strict breadth-first samples, and the spec; an entry of the misprints",
        IN_PART,
        "counterpoint errata cov-breadth-first; counterpoint coverage sample breadth-first "
        "--profile broder-1999 --size 1000; "
        "counterpoint check breadth-first",
    ),
    Elsewhere(
        PAPER,
        "the five start pages",
        "names",
        "well-known pages of a web",
        UNKNOWABLE,
        "the names are lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "larger samples come nearer to the corrected value",
        "sample 4",
        "of the five, sample 4 is nearest: 37.7% against 37.0%; it is one sample, without the "
        "factor 0.9",
        IN_PART,
        "counterpoint papers coverage",
    ),
    Elsewhere(
        PAPER,
        "breadth-first times 0.9 is the coverage",
        "claimed",
        "mean error +45%; +1% times the share that each start reaches",
        NOT_REPRODUCED,
        "counterpoint coverage report breadth-first --profile broder-1999 --pages 20000 "
        "--seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "a search that begins at random addresses comes near the truth if it is large",
        "predicted, the value is lost",
        "mean error +25.7% ± 2.9% with the first 500 pages, +37.0% ± 0.5% with 5,000",
        NOT_REPRODUCED,
        "docs/explanation/papers.md; counterpoint coverage report --profile broder-1999 --pages "
        "100000",
    ),
    Elsewhere(
        PAPER,
        "random IP catches pages that no crawler reaches",
        "claimed",
        "a part of the sites of random addresses is not reached from a well-known page: with "
        "half of the addresses a crawl reaches 34 points more",
        REPRODUCED,
        "counterpoint papers coverage",
    ),
    Elsewhere(
        PAPER,
        "only some pages are start pages from which nearly all others are reached",
        "a share that is lost",
        "on broder-1999 a page reaches 28% of the pages on average",
        UNKNOWABLE,
        "the share is lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "figures of 2002: pages of another engine, sites, a day's new pages, domain names, the "
        "share of users",
        "1,571,413,207; 8,745,000; 7,500,000; 127,319; 49,146 sites",
        "not measured",
        UNKNOWABLE,
        "the Web of 2002 no longer exists, and some numbers are lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "several hundred processes look pages up at the same time",
        "described",
        "a coverage is computed from arrays, in the time of a look",
        UNKNOWABLE,
        "the machine and its disk are gone",
    ),
    Elsewhere(
        PAPER,
        "in a larger breadth-first sample in-degrees, and their order, come near the true ones",
        "claimed",
        "not measured",
        OPEN,
        "the order of in-degrees within growing samples, beside the true order",
    ),
)
"""Limits, kinds of coverage, and samples."""
