"""All built-in policies."""

from __future__ import annotations

from counterpoint.crawler.policy.protocol import Policy, Scope

from . import (
    bandits,
    gittins,
    hits,
    opic,
    oracle,
    revisit,
    rules,
    scent,
    topical,
    topical_hits,
    web,
)

_ESTIMATED = {"rounds": 2, "every": None, "rates": False}
_SCENT = {"delta": 1.0, "batch": None, "initial": 20.0, "time": None, "by": "scent",
          "per_byte": 0.0, "per_visit": 1.0}  # fmt: skip
_READING = {"anchor": 0.5, "centroid": 0.1}
_HITS = {"c": 10, "steps": None, "same": None, "best": 20, "iterations": 20, "residual": 1e-4,
         "internal": 1.0, "divided": False, "anew": False}  # fmt: skip

POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("breadth-first", "the page found first", web.BreadthFirst),
        Policy("depth-first", "the page found last", web.DepthFirst),
        Policy("random", "any page found, with the same chance", web.Random),
        Policy("one-by-one", "sites in turn, each to its end", rules.OneByOne, Scope.SITE),
        Policy("equal-quanta", "so many pages of each site in turn", rules.EqualQuanta,
               Scope.SITE, {"quantum": 10}),
        Policy("R1", "N/K pages of every site, the rest on the most fruitful", rules.R1,
               Scope.SITE),
        Policy("R2", "step pages of the site with the largest mean", rules.R2, Scope.SITE,
               {"step": None}),
        Policy("R3", "one page of the site with the largest index of UCB1", rules.R3, Scope.SITE,
               {"initial": None}),
        Policy("R1-printed", "R1 as printed: it overspends", rules.R1Printed, Scope.SITE,
               overspends=True),
        Policy("R2-printed", "R2 as printed: it overspends", rules.R2Printed, Scope.SITE,
               {"step": None}, overspends=True),
        Policy("R3-printed", "R3 as printed: it overspends, and divides by zero", rules.R3Printed,
               Scope.SITE, {"initial": None}, overspends=True),
        Policy("thompson", "Thompson sampling of sites, Poisson counts", bandits.Thompson,
               Scope.SITE, {"shape": 1.0, "rate": 1.0}),
        Policy("discounted-ucb", "UCB of sites that forgets, for yields that change",
               bandits.DiscountedUcb, Scope.SITE, {"discount": 0.995, "exploration": 0.1}),
        Policy("gittins", "one page of the site with the highest index of Gittins",
               gittins.Gittins, Scope.SITE,
               {"rewards": "counts", "discount": 0.99, "horizon": 50, "shape": 1.0, "rate": 1.0}),
        Policy("opic", "the page with the most cash from pages that link to it", opic.Opic),
        Policy("hits", "the focused crawler: what the best hubs link to, weighed by HITS",
               hits.FocusedHits, Scope.WEB, _HITS),
        Policy("tfidf", "the link that promises most, by TF-IDF of anchor and page",
               topical.BestFirst, Scope.WEB, _READING, reads=True),
        Policy("tfidf+hits", "what is worth most by TF-IDF and HITS together",
               topical_hits.TfIdfHits, Scope.WEB,
               _READING | {"mix": "sum", "share": 0.2, "expand": 20, "internal": 1.0}, reads=True),
        Policy("bm25", "the link that promises most, by BM25 of anchor and page",
               topical.BestFirstBm25, Scope.WEB, _READING | {"k1": 1.2, "b": 0.75}, reads=True),
        Policy("link-bandit", "links of the kind that has led to relevant pages, by UCB1",
               topical.LinkBandit, Scope.WEB, _READING | {"exploration": 0.01}, reads=True),
        Policy("oracle", "of the pages found, the one with the most external links",
               oracle.Oracle, Scope.SITE, oracle=True),
        Policy("uniform", "every known page in turn", revisit.Uniform, Scope.KNOWN),
        Policy("random-revisit", "any known page, with the same chance", revisit.RandomRevisit,
               Scope.KNOWN),
        Policy("proportional", "pages as often as they change", revisit.Proportional,
               Scope.KNOWN, _ESTIMATED),
        Policy("optimal-freshness", "pages as often as keeps the mean freshness greatest",
               revisit.OptimalFreshness, Scope.KNOWN, _ESTIMATED),
        Policy("scent", "S.C.E.N.T.: the pages with the strongest scent", scent.Scent,
               Scope.KNOWN, _SCENT | {"harvest": "difference"}),
        Policy("scent-printed", "S.C.E.N.T. as printed: the harvest is the page's size",
               scent.ScentPrinted, Scope.KNOWN, _SCENT),
    )
}  # fmt: skip
"""By name, in the order in which `counterpoint list` prints them."""

ALIASES = {"focused-hits": "hits"}
"""Former names of policies, with the present ones."""
