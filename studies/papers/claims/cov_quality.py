"""What [COV] says of important pages, beside what follows from its tables."""

from __future__ import annotations

from counterpoint.studies.papers.report import IN_PART, REPRODUCED

from .claim import OPEN, UNKNOWABLE, Elsewhere

PAPER = "[COV]"

COV_QUALITY = (
    Elsewhere(
        PAPER,
        "importance by address: short host names, shallow paths",
        "described",
        "not built",
        OPEN,
        "a weight by address for samples and rankings",
    ),
    Elsewhere(
        PAPER,
        "importance by in-degree",
        "described",
        "a weight of samples and rankings",
        REPRODUCED,
        "counterpoint graph rank crawl.graph --by in-links; counterpoint coverage sample "
        "breadth-first --profile broder-1999 --size 1000 --weights in-degree",
    ),
    Elsewhere(
        PAPER,
        "importance by words of a query",
        "described",
        "policies that read rank by it; the report has answers of engines with their neighbours",
        IN_PART,
        "counterpoint compare bm25 --web topical --pages 500; counterpoint coverage report "
        "breadth-first --profile broder-1999 --pages 20000 --seeds 3 --repeats 3",
    ),
    Elsewhere(
        PAPER,
        "importance by votes of users",
        "named, not used",
        "weights that are given with a sample are read; nobody's votes are",
        UNKNOWABLE,
        "no votes of users were published",
    ),
    Elsewhere(
        PAPER,
        "PageRank with a damping factor",
        "the formula is damaged in our copy",
        "with 1 - d shared by all pages",
        IN_PART,
        "counterpoint graph rank crawl.graph --damping 0.85",
    ),
    Elsewhere(
        PAPER,
        "PageRank in blocks, with averages for pages of other blocks",
        "7 steps",
        "built; of the 20 best pages of a web of 20,000 in blocks of 2,000 it has 15 right, and "
        "with exact weights all",
        IN_PART,
        "counterpoint graph build --web broder-1999 --pages 20000 --seed 1 web.graph; counterpoint "
        "graph rank web.graph --top 20 --block 2000 --outside average; counterpoint graph rank "
        "web.graph --top 20 --block 2000 --outside exact",
    ),
    Elsewhere(
        PAPER,
        "weights sum to 1, until two vectors in a row are close",
        "described",
        "the same, with a tolerance",
        REPRODUCED,
        "counterpoint graph rank crawl.graph --tolerance 1e-9",
    ),
    Elsewhere(
        PAPER,
        "average in-degree, memory and machine",
        "numbers",
        "not used",
        UNKNOWABLE,
        "some numbers are damaged in our copy, and the machine is not available",
    ),
    Elsewhere(
        PAPER,
        "the row of shares in the tables of important pages",
        "shares",
        "computed from sizes",
        UNKNOWABLE,
        "the row is lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "answers to the eight queries",
        "1,802 pages each, one of 1,355; tops are about as many",
        "the pages around them are 6 to 20 times as many, and the tops are 58% to 111% as many",
        IN_PART,
        "counterpoint papers coverage",
    ),
    Elsewhere(
        PAPER,
        "the base set: answers, what they link to, and what links to them",
        "described",
        "the same, with a limit for what links to them",
        REPRODUCED,
        "counterpoint graph rank crawl.graph --by hubs --root 17 --into 50",
    ),
    Elsewhere(
        PAPER,
        "HITS as eigenvectors of products of the link matrix",
        "formula",
        "iterated until weights change little",
        REPRODUCED,
        "counterpoint graph rank crawl.graph --by authorities",
    ),
    Elsewhere(
        PAPER,
        "HITS in blocks, if memory is short",
        "suggested",
        "PageRank alone is computed in blocks",
        OPEN,
        "HITS in blocks",
    ),
    Elsewhere(
        PAPER,
        "coverage of the fourth topic by hub weight",
        "30%",
        "30.00%",
        REPRODUCED,
        "counterpoint papers coverage",
    ),
    Elsewhere(
        PAPER,
        "the table by authority weight",
        "8 topics; two cells are left, 1,400 and 1,572 pages",
        "estimators by authority on webs",
        UNKNOWABLE,
        "the rest of the table is cut off in our copy",
    ),
    Elsewhere(
        PAPER,
        "means and variances, and the coverage of Tianwang",
        "values",
        "computed from the tables where these are there",
        UNKNOWABLE,
        "the values are lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "the evaluation shows that the crawler is good enough for a museum of the Web",
        "claimed",
        "the methods disagree with each other, and the tables cannot show which one is right",
        UNKNOWABLE,
        "the crawl and the Web of then no longer exist",
    ),
    Elsewhere(
        PAPER,
        "the figures: the graph, the samples, the fitted lines and the curves",
        "figures",
        "lines and curves are drawn from the tables",
        UNKNOWABLE,
        "the figures are lost in our copy",
    ),
    Elsewhere(
        PAPER,
        "important pages often lack the words of the query",
        "claimed, with one example",
        "not measured",
        OPEN,
        "the share of important pages without the words, on webs with texts",
    ),
    Elsewhere(
        PAPER,
        "pages of one topic link to each other",
        "claimed",
        "between editions all possible links exist; on the profiles regional and local 2% and 0.7%",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "a crawl that covers the important pages covers every important topic",
        "claimed",
        "not measured",
        OPEN,
        "the coverage of topics by that of important pages",
    ),
    Elsewhere(
        PAPER,
        "HITS in four steps, without scaling",
        "4 steps",
        "with scaling, without which weights grow; an entry of the misprints",
        IN_PART,
        "counterpoint errata cov-hits-scaling; counterpoint graph rank crawl.graph --by "
        "authorities",
    ),
)
"""Weights, rankings, tables and figures."""
