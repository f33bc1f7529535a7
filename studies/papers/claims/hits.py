"""What [HITS] says of topical crawling, beside its precision and its growth."""

from __future__ import annotations

from counterpoint.studies.papers.report import ANSWERED, IN_PART, NOT_REPRODUCED, REPRODUCED

from .claim import UNKNOWABLE, Elsewhere

PAPER = "[HITS]"

HITS = (
    Elsewhere(
        PAPER,
        "the Web as a directed graph, with the least number of links as distance",
        "definition",
        "stores of graphs; breadth-first search counts pages by distance",
        REPRODUCED,
        "counterpoint graph bfs crawl.graph --start 0",
    ),
    Elsewhere(
        PAPER,
        "operations I and O",
        "both are sums over the pages q with a link from p to q",
        "the sum of authorities is over links to p: a misprint; both are iterated over any graph",
        IN_PART,
        "counterpoint errata hits-operations; counterpoint graph rank crawl.graph --by "
        "authorities; counterpoint graph rank crawl.graph --by hubs",
    ),
    Elsewhere(
        PAPER,
        "weights are scaled after each iteration",
        "sum of squares 1",
        "the policy scales so; a ranking of a graph has a sum of 1 in the end, and the same order",
        IN_PART,
        "counterpoint compare hits --web regional --pages 200 --seeds 2; counterpoint graph rank "
        "crawl.graph --by authorities --format json",
    ),
    Elsewhere(
        PAPER,
        "weights begin with 1",
        "1",
        "from the last weights, or from ones; precision is the same in all four cells",
        REPRODUCED,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "about 20 iterations make the 20 highest weights stable",
        "about 20",
        "on a web of 20,000 pages of the profile topical the first 20 authorities, and the first "
        "20 hubs, have the same order after 20 iterations as at the end",
        REPRODUCED,
        "counterpoint graph build --web topical --pages 20000 --seed 1 topical.graph; "
        "counterpoint graph rank topical.graph --by authorities --top 20 --iterations 20; "
        "counterpoint graph rank topical.graph --by authorities --top 20",
    ),
    Elsewhere(
        PAPER,
        "the c best authorities and the c best hubs are chosen",
        "c about 5 to 10",
        "c is a parameter",
        REPRODUCED,
        "counterpoint compare hits,c=5 hits,c=10 --web topical --pages 500",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler: authorities into the index, hubs expanded, HITS at each step "
        "over old and new pages",
        "described",
        "the policy hits, and its spec",
        REPRODUCED,
        "counterpoint check focused-hits; counterpoint crawl hits --db crawl.db",
    ),
    Elsewhere(
        PAPER,
        "the standard crawler: all that is found, ranked once at the end",
        "described",
        "breadth-first; the index of a stored crawl is ranked by HITS",
        REPRODUCED,
        "counterpoint crawl breadth-first --db crawl.db; counterpoint index --db crawl.db",
    ),
    Elsewhere(
        PAPER,
        "Kleinberg's base set: the first answers of a search engine, and what is linked with them",
        "described",
        "roots are given as pages",
        REPRODUCED,
        "counterpoint graph rank crawl.graph --by authorities --root 17",
    ),
    Elsewhere(
        PAPER,
        "the four start sets: a site's own answer, and ten results of each of two engines",
        "local and regional",
        "the study's engines know a part of a synthetic web; on editions, pages of other sites "
        "that link to the article",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the queries and their descriptions are from ROMIP 2007",
        "two topics",
        "topics with as many editions as the two had; their descriptions are not used",
        IN_PART,
        "counterpoint web topics --profile editions",
    ),
    Elsewhere(
        PAPER,
        "experts judge each page relevant or not",
        "binary judgments",
        "relevance is planted; for real documents one person judged 152 pages",
        UNKNOWABLE,
        "the judgments are not printed",
    ),
    Elsewhere(
        PAPER,
        "recall is a / (a + c)",
        "formula",
        "the same",
        REPRODUCED,
        "counterpoint check retrieval",
    ),
    Elsewhere(
        PAPER,
        "precision is a / (a + b), where b is the number of documents found",
        "formula",
        "no precision would exceed 1/2; b is the number of irrelevant ones",
        NOT_REPRODUCED,
        "counterpoint errata hits-precision",
    ),
    Elsewhere(
        PAPER,
        "the definition of c",
        "relevant pages that were not found, and also not relevant to experts",
        "the first half is meant: the second contradicts it; an entry of the misprints",
        NOT_REPRODUCED,
        "counterpoint errata hits-missed-pages",
    ),
    Elsewhere(
        PAPER,
        "the 11-point graph of recall and precision, after TREC",
        "method",
        "two variants, that of trec_eval 9 and that of 10",
        REPRODUCED,
        "counterpoint evaluate found.run judged.qrels --interpolation trec_eval-9",
    ),
    Elsewhere(
        PAPER,
        "Figures 1 to 4: the 11-point graphs of the four cells",
        "curves",
        "graphs for the profiles regional and local",
        UNKNOWABLE,
        "the figures are lost in our copy, and the text has no numbers of them",
    ),
    Elsewhere(
        PAPER,
        "Figure 5: pages by iteration",
        "curves",
        "growth of both crawlers in the report of the study",
        UNKNOWABLE,
        "the figure is lost in our copy; the text has one number of it",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler's answer, Nobel prize, regional",
        "117 pages",
        "the number of steps is chosen as the least with an index of that length",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler's answer, Nobel prize, local",
        "95 pages",
        "the number of steps is chosen as the least with an index of that length",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler's answer, quantum computer, regional",
        "45 pages",
        "the number of steps is chosen as the least with an index of that length",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler's answer, quantum computer, local",
        "41 pages",
        "the number of steps is chosen as the least with an index of that length",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the standard crawler's answers: how many pages of the ranking",
        "117, 100, 48 and 73",
        "as many as in the focused crawler's answer",
        UNKNOWABLE,
        "the paper does not say where it cuts the ranking",
    ),
    Elsewhere(
        PAPER,
        "the first ten pages of each of the eight answers",
        "80 addresses",
        "the profile editions has pages of the same kinds: editions, main pages, pages linked "
        "from everywhere",
        UNKNOWABLE,
        "the web of then no longer exists",
    ),
    Elsewhere(
        PAPER,
        "the local space is one domain",
        "one domain",
        "the printed addresses are on many hosts; a crawl of editions that begins with one "
        "article leaves its host too",
        NOT_REPRODUCED,
        "counterpoint papers hits; docs/explanation/papers.md",
    ),
    Elsewhere(
        PAPER,
        "the focused crawler is more precise in all experiments",
        "0.93 against 0.93 in one of four",
        "by the paper's own table three of four; on editions, equal in one regional cell",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "few pages make the focused crawler fast",
        "computing was measured, no figure is printed",
        "processor time of both crawlers",
        IN_PART,
        "counterpoint papers hits",
    ),
    Elsewhere(
        PAPER,
        "the processor time of each crawler",
        "estimated",
        "not compared",
        UNKNOWABLE,
        "no figure is printed",
    ),
    Elsewhere(
        PAPER,
        "announced: a focused crawler with TF-IDF",
        "future work",
        "precision of 0.82 to 0.89 on regional and local, where that of HITS is 0.05 to 0.30",
        ANSWERED,
        "counterpoint papers hits; counterpoint compare hits tfidf --web regional --pages 2000",
    ),
    Elsewhere(
        PAPER,
        "announced: TF-IDF and HITS together",
        "future work",
        "the policy tfidf+hits; on real documents about as good as tfidf",
        ANSWERED,
        "counterpoint compare tfidf tfidf+hits --web topical --pages 2000; "
        "docs/explanation/papers.md",
    ),
)
"""Formulas, start sets, answers, figures and plans."""
